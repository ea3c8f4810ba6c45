"""Making cases: the draft trees at the first calls of a generation, with the target's processed rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tevtheory.targets import TargetTree
from tevtheory_gpu.decoding.deciding import Turn, by_batched
from tevtheory_gpu.decoding.loop import pruned
from tevtheory_gpu.decoding.runs import ModelRun
from tevtheory_gpu.drafters import TreeDrafting
from tevtheory_gpu.montecarlo.cases import Case
from tevtheory_gpu.montecarlo.prompts import Prompt
from tevtheory_gpu.targets import LanguageModel, Sampling
from tevtheory_gpu.verifiers.predraw_and_follow import PREDRAW_AND_FOLLOW

LIKELY = 8
"""So many tokens of every row have their texts kept: enough for pictures and reports."""


@dataclass(frozen=True)
class Maker:
    """How trees are made: a target, its sampling, a drafting, and how many calls of each generation give a tree.

    Between calls the text grows by predraw-and-follow with `seed`, so that later trees stand at call starts. `origin` is
    everything that a tree depends on: a stored tree is used again only if it is the same.
    """

    model: LanguageModel
    sampling: Sampling
    drafting: TreeDrafting
    origin: Mapping[str, Any]
    calls: int = 1
    seed: int = 0

    def cases(self, prompt: Prompt, folder: Path | None = None, reuse: bool = False) -> list[Case]:
        """The trees of one prompt, fewer where the text ends; written to the folder, or, with `reuse`, taken from it."""
        origin = {**self.origin, "prompt": prompt.text, "answer": prompt.answer}
        names = [f"{prompt.name}.{call + 1}" if self.calls > 1 else prompt.name for call in range(self.calls)]
        if folder is not None and reuse:
            stored = [Case.load(folder, name, origin) for name in names]
            if found := [case for case in stored if case is not None]:
                return found
        made = [replace(case, name=name, origin=origin) for name, case in zip(names, self._made(prompt), strict=False)]
        if folder is not None:
            for case in made:
                case.save(folder)
        return made

    def _made(self, prompt: Prompt) -> Iterator[Case]:
        run = ModelRun(self.model, self.encoded(prompt), self.sampling)
        decide, ends = by_batched(PREDRAW_AND_FOLLOW, self.seed, self.model.device), self.model.end_tokens
        for call in range(self.calls):
            deepest = self.model.context - len(run.prefix)
            tree = pruned(self.drafting(run.prefix, deepest), ends, deepest)
            target = run.target_tree(tree)
            yield Case(prompt.name, prompt.domain, target, {}, self._words(target))
            chosen = decide(target, Turn(call, len(run.prefix)))
            run.commit(chosen)
            if chosen.token in ends:
                return

    def encoded(self, prompt: Prompt) -> list[int]:
        """The token ids up to where drafting begins: as a chat where it can be, text, or bytes."""
        tokenizer = self.model.tokenizer
        if tokenizer is None:
            return [byte % self.model.vocabulary for byte in f"{prompt.text}\n{prompt.answer}".encode()]
        if not tokenizer.chat_template:
            return self.model.encode(f"{prompt.text}\n{prompt.answer}")
        return [*self.model.encode_chat(prompt.text), *self.model.encode(prompt.answer)]

    def _words(self, target: TargetTree) -> dict[int, str]:
        """The texts of drafted tokens, and of the likeliest at every node."""
        if self.model.tokenizer is None:
            return {}
        tokens = set(target.tree.tokens[1:])
        tokens.update(token for row in target.rows for token, _ in row.largest(LIKELY))
        return {token: self.model.decode([token]) for token in sorted(tokens)}
