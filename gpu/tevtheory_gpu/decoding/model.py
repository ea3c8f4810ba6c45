"""Speculative decoding of a language model with draft trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tevtheory.choices import one_named
from tevtheory.errors import InputError
from tevtheory_gpu.decoding.deciding import by_batched
from tevtheory_gpu.decoding.generation import Block, Generation
from tevtheory_gpu.decoding.loop import Limits, decode
from tevtheory_gpu.decoding.runs import ModelRun
from tevtheory_gpu.decoding.stages import peak_memory, reset_peak
from tevtheory_gpu.decoding.text import TextStream
from tevtheory_gpu.drafters import Drafter, TargetItself, TreeDrafting, check_budget, find_builder
from tevtheory_gpu.targets import LanguageModel, Sampling
from tevtheory_gpu.verifiers.batched import BatchedVerifier
from tevtheory_gpu.verifiers.catalogue import CATALOGUE


@dataclass(frozen=True)
class Options:
    """How to decode: names of builder and verifier, at most `budget` drafted tokens a call, no deeper than `depth`.

    `ends` are the tokens that end the text, None for the model's own. The same seed gives the same text; with
    seed-synchronous TEV it does so for any drafter, builder, budget and depth.
    """

    builder: str = "EAGLE-2"
    verifier: str = "TEV's walk"
    sampling: Sampling = field(default_factory=Sampling)
    budget: int = 16
    depth: int = 6
    new_tokens: int = 128
    ends: tuple[int, ...] | None = None
    seed: int = 0


def generate(
    model: LanguageModel,
    prefix_ids: Sequence[int],
    drafter: Drafter | None,
    options: Options = Options(),
    on_block: Callable[[Block], None] = lambda _: None,
) -> Generation:
    """Generate after a prefix; `on_block` hears of every block, with its text where the model has a tokenizer.

    With the builder "oracle" the target itself is the drafter, and the given one, which may be None, is not asked. Raises
    InputError on an unknown builder or verifier, a prompt that fills the context, and a budget larger than there are
    strings.

    >>> from tevtheory_gpu.drafters import PromptLookup
    >>> from tevtheory_gpu.targets import tiny_target
    >>> model, options = tiny_target(vocabulary=10), Options(new_tokens=5)
    >>> len(generate(model, [1, 2, 3, 1, 2], PromptLookup(10), options).tokens)
    5
    """
    drafting = drafting_of(model, drafter, options)
    decide = by_batched(find_verifier(options.verifier), options.seed, model.device)
    ends = model.end_tokens if options.ends is None else options.ends
    limits = Limits(options.new_tokens, ends, model.context)
    limits.left(len(prefix_ids))  # a prompt that is too long is found before it is read
    reset_peak(model.device)
    run = ModelRun(model, prefix_ids, options.sampling)
    worded = _worded(model, ends, on_block)
    done = decode(run, drafting, decide, limits, worded, model.device)
    return replace(done, ties=run.ties, peak_bytes=peak_memory(model.device))


def drafting_of(model: LanguageModel, drafter: Drafter | None, options: Options) -> TreeDrafting:
    """How the draft trees are made, checked against the vocabulary."""
    builder = find_builder(options.builder)
    check_budget(options.budget, options.depth, model.vocabulary)
    if builder.score == "target":
        drafter = TargetItself(model, options.sampling)
    elif drafter is None:
        raise InputError("a drafter", "none", f"builder {builder.name}", "only the oracle does without one")
    return TreeDrafting(drafter, builder, options.budget, options.depth)


def find_verifier(name: str) -> BatchedVerifier[Any]:
    """The batched verifier of that name; raises InputError where none, or more than one, fits."""
    return one_named(CATALOGUE, name, where="verifier")


def _worded(model: LanguageModel, ends: Sequence[int], on_block: Callable[[Block], None]) -> Callable[[Block], Block]:
    """Give every block its text, then tell of it."""
    stream = None if model.tokenizer is None else TextStream(model, ends)

    def told(block: Block) -> Block:
        text = "" if stream is None else stream.push(block.tokens) + (stream.finish() if block.stop else "")
        made = replace(block, text=text)
        on_block(made)
        return made

    return told
