"""Decoding a model: greedy text is greedy text, seed-synchronous text is plain sampling, and the accounts are right."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from tests.gpu.test_tree_pass import PREFIX
from tevtheory.choices import Tape, TapeChooser
from tevtheory.errors import InputError
from tevtheory.exitlaw import ceiling, length_variance
from tevtheory.rows import FloatRow
from tevtheory.targets import Problem, Target, TargetTree
from tevtheory.trees import DraftTree
from tevtheory.verifiers.catalogue import find as scalar_find
from tevtheory_gpu.decoding import (
    Decide,
    Limits,
    ModelRun,
    Options,
    Stop,
    Turn,
    by_batched,
    by_scalar,
    deciding,
    decode,
    generate,
    plain_decode,
    uniform_at,
)
from tevtheory_gpu.decoding.deciding import tape_of
from tevtheory_gpu.decoding.model import drafting_of
from tevtheory_gpu.drafters import Drafter, EarlyExit, PromptLookup, SmallModel, TargetItself
from tevtheory_gpu.targets import LanguageModel, Sampling, path_logits, tiny_target
from tevtheory_gpu.verifiers.catalogue import CATALOGUE, find

COLD, WARM = Sampling(temperature=0), Sampling(temperature=0.7)
CANONICAL = [entry.name for entry in CATALOGUE if entry.twin.claim.value == "EXACT, CANONICAL"]


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    """A tiny model gains nothing from a second thread, and loses much where the cores are busy."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def greedy(model: LanguageModel, prefix: Sequence[int], count: int, penalty: float = 1.0) -> tuple[int, ...]:
    """One plain forward a token, without cache, tree or row processing; the penalty as CTRL defines it."""
    text = list(prefix)
    for _ in range(count):
        logits = path_logits(model, text)
        seen = torch.tensor(sorted(set(text)))
        logits[seen] = torch.where(logits[seen] < 0, logits[seen] * penalty, logits[seen] / penalty)
        text.append(int(logits.argmax()))
    return tuple(text[len(prefix) :])


def sampled(model: LanguageModel, prefix: Sequence[int], count: int, seed: int, temperature: float) -> tuple[int, ...]:
    """Plain inverse-CDF sampling: forwards as above, numpy for the rest."""
    text, uniform = list(prefix), uniform_at(seed)
    for _ in range(count):
        weights = np.exp(path_logits(model, text).double().numpy() / temperature)
        sums = np.cumsum(weights)
        text.append(int(np.searchsorted(sums, uniform(len(text)) * sums[-1], side="right")))
    return tuple(text[len(prefix) :])


def drafters(model: LanguageModel, sampling: Sampling) -> list[Drafter]:
    small = tiny_target(vocabulary=model.vocabulary, layers=1, seed=4)
    return [EarlyExit(model, 2, sampling), SmallModel(model, small, sampling), PromptLookup(model.vocabulary)]


BUILDERS = ["DDTree", "EAGLE-2", "OPT-Tree", "Sequoia", "oracle"]


@pytest.mark.parametrize("builder", BUILDERS)
@pytest.mark.parametrize("penalty", [1.0, 1.5])
def test_at_temperature_0_the_text_is_that_of_greedy_decoding(
    tiny: LanguageModel, builder: str, penalty: float
) -> None:
    sampling, expected = replace(COLD, repetition_penalty=penalty), greedy(tiny, PREFIX, 30, penalty)
    for drafter, verifier in zip(drafters(tiny, sampling), CANONICAL[-3:], strict=True):
        made = generate(tiny, PREFIX, drafter, Options(builder, verifier, sampling, budget=7, depth=4, new_tokens=30))
        assert made.tokens == expected
        assert all(len(block.tokens) == block.ceiling for block in made.blocks)  # no variance at temperature 0
        assert str(made.difference) == "+0.000 ± 0.000"
        assert made.ties == 0


@pytest.mark.parametrize("verifier", CANONICAL)
def test_every_canonical_verifier_decodes_greedily(tiny: LanguageModel, verifier: str) -> None:
    made = generate(tiny, PREFIX, EarlyExit(tiny, 2), Options("EAGLE-2", verifier, COLD, budget=7, new_tokens=20))
    assert made.tokens == greedy(tiny, PREFIX, 20)


def test_ties_are_counted_and_go_to_the_lowest_token() -> None:
    model = tiny_target(vocabulary=16)
    with torch.no_grad():
        model.model.lm_head.weight[9:] = model.model.lm_head.weight[2:9]  # every token from 2 on has a twin
    made = generate(model, (1, 2, 3), PromptLookup(16), Options(sampling=COLD, new_tokens=12))
    assert made.ties >= 12 - sum(token < 2 for token in made.tokens) > 0
    assert all(token < 9 for token in made.tokens)


@pytest.mark.parametrize("seed", range(4))
def test_seed_synchronous_text_is_plain_sampling_for_any_tree(tiny: LanguageModel, seed: int) -> None:
    expected = sampled(tiny, PREFIX, 24, seed, WARM.temperature)
    assert plain_decode(ModelRun(tiny, PREFIX, WARM), uniform_at(seed), Limits(24)) == expected
    options = Options(verifier="seed-synchronous", sampling=WARM, new_tokens=24, seed=seed)
    for drafter in drafters(tiny, WARM):
        for builder, budget in (("DDTree", 5), ("EAGLE-2", 12), ("oracle", 6)):
            assert generate(tiny, PREFIX, drafter, replace(options, builder=builder, budget=budget)).tokens == expected


def test_a_seed_bound_to_calls_instead_of_positions_is_found(
    tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = tape_of
    monkeypatch.setattr(
        deciding, "tape_of", lambda verifier, seed, turn: plain(verifier, seed, Turn(turn.call, turn.call))
    )
    options = Options("oracle", "seed-synchronous", WARM, new_tokens=24)
    assert generate(tiny, PREFIX, None, options).tokens != sampled(tiny, PREFIX, 24, 0, WARM.temperature)


def test_seeds_and_calls_have_draws_of_their_own(tiny: LanguageModel) -> None:
    options = Options(sampling=WARM, new_tokens=24)
    texts = [generate(tiny, PREFIX, PromptLookup(64), replace(options, seed=seed)).tokens for seed in (0, 0, 1, 2**33)]
    assert texts[0] == texts[1]
    assert len(set(texts)) == 3
    free = TargetTree.of(DraftTree((-1,), (-1,)), Target.context_free([1 / 64] * 64))
    drawn = {by_batched(find("predraw and"), 0)(free, Turn(call, 0)).token for call in range(40)}
    assert len(drawn) > 20


# A race is drawn by inversion in a batch: the law is the same, the draw is not.
@pytest.mark.parametrize(
    "name", [name for name in CANONICAL if all(slot.kind != "race" for slot in find(name).twin.slots)]
)
def test_the_batched_decision_is_the_scalar_one_on_the_same_tape(name: str) -> None:
    target = Target.seeded(6, seed=1)
    tree = DraftTree((-1, 0, 0, 1, 1, 2), (-1, 3, 1, 0, 2, 5))
    floats = TargetTree(tree, [FloatRow([float(p) for p in target.row(tree.path(v))]) for v in range(tree.size)])
    verifier = find(name)
    for turn in (Turn(call, 3 * call) for call in range(60)):
        expected = verifier.twin(Problem(floats), TapeChooser(_scalar_tape(tape_of(verifier.twin, 7, turn))))
        assert by_batched(verifier, 7)(floats, turn) == expected


def _scalar_tape(tape: Any) -> Tape:
    return lambda slot, index: float(tape.uniform(slot, index, torch.zeros(1, dtype=torch.int64))[0])


@pytest.mark.parametrize("verifier", ["TEV's walk", "predraw and follow", "residual in given order"])
def test_lengths_agree_with_one_plus_coverage(tiny: LanguageModel, verifier: str) -> None:
    """Over many calls the sum of length - ceiling is within five of its own standard deviations of 0."""
    seen: list[tuple[float, float]] = []

    def watched(decide: Decide) -> Decide:
        def watching(target: TargetTree, turn: Turn) -> Any:
            end = decide(target, turn)
            seen.append((target.tree.depths[end.node] + 1 - ceiling(target), length_variance(target)))
            return end

        return watching

    options = Options("EAGLE-2", verifier, WARM, budget=8)
    drafting, decide = drafting_of(tiny, EarlyExit(tiny, 2, WARM), options), watched(by_batched(find(verifier), 3))
    made = decode(ModelRun(tiny, PREFIX, WARM), drafting, decide, Limits(400))
    deviation = math.sqrt(sum(variance for _, variance in seen))
    assert abs(sum(gap for gap, _ in seen)) < 5 * deviation
    assert made.ceiling_per_call > 1.2
    # The last calls are cut short by the limit; all others are counted in full.
    gaps = [len(block.tokens) - block.ceiling for block in made.blocks[:-6]]
    assert max(abs(gap - other) for gap, (other, _) in zip(gaps, seen, strict=False)) < 1e-12
    error = made.difference.error
    assert error is not None
    assert abs(made.difference.mean) < 5 * error


def test_a_verifier_with_regret_shows_it(tiny: LanguageModel) -> None:
    options = Options("oracle", "cumulative walk single", WARM, budget=8, new_tokens=200)
    made = generate(tiny, PREFIX, None, options)
    assert made.difference.error is not None
    assert abs(made.difference.mean) > 3 * made.difference.error


def test_the_text_ends_with_its_last_token(tiny: LanguageModel) -> None:
    whole = greedy(tiny, PREFIX, 30)
    end = next(token for token in whole[5:] if token not in whole[:5])
    first = whole.index(end) + 1
    options = Options("oracle", "TEV's walk", COLD, budget=6, new_tokens=30, ends=(end,))
    made = generate(tiny, PREFIX, None, options)
    assert (made.tokens, made.stop) == (whole[:first], Stop.END)
    for count in (1, 2, 5):
        made = generate(tiny, PREFIX, None, replace(options, new_tokens=count, ends=()))
        assert (made.tokens, made.stop) == (whole[:count], Stop.LENGTH)
        assert made.blocks[-1].depth < count


def test_the_context_is_filled_and_not_overrun() -> None:
    model = tiny_target(context=20)
    made = generate(model, PREFIX, None, Options("oracle", sampling=COLD, new_tokens=99))
    assert (len(made.prefix) + len(made.tokens), made.stop) == (20, Stop.CONTEXT)
    made = generate(model, PREFIX, EarlyExit(model, 1), Options(sampling=WARM, new_tokens=99))
    assert len(made.prefix) + len(made.tokens) == 20
    with pytest.raises(InputError, match="context: expected fewer than 20 tokens, got a prompt of 20 tokens; shorten"):
        generate(model, range(20), PromptLookup(64), Options())


def test_refusals(tiny: LanguageModel) -> None:
    for options, message in (
        (Options(builder="medusa"), "builder: expected the name of one builder, got 'medusa'"),
        (Options(verifier="magic"), "verifier: expected the name of one verifier, got 'magic'"),
        (Options(verifier="residual"), "'residual', which fits 3"),
        (Options(budget=65, depth=1), "budget: expected at most 64 drafted tokens, got 65"),
        (Options(budget=0), "budget: expected a budget >= 1, got 0"),
        (Options(depth=0), "depth: expected a depth >= 1, got 0"),
        (Options(new_tokens=0), "length limit: expected at least 1 new token, got 0"),
    ):
        with pytest.raises(InputError) as caught:
            generate(tiny, PREFIX, PromptLookup(64), options)
        assert message in str(caught.value)
    with pytest.raises(InputError, match="builder EAGLE-2: expected a drafter, got none"):
        generate(tiny, PREFIX, None, Options())


def test_a_scalar_verifier_can_decide_too(tiny: LanguageModel) -> None:
    drafting = drafting_of(tiny, None, Options("oracle", sampling=WARM, budget=4))
    verifier = scalar_find("seed-synchronous")
    decide = by_scalar(verifier, TapeChooser(lambda _, index: uniform_at(5)(index)))
    made = decode(ModelRun(tiny, PREFIX, WARM), drafting, decide, Limits(16))
    assert made.tokens == sampled(tiny, PREFIX, 16, 5, WARM.temperature)


@pytest.mark.weights
def test_a_real_model_at_temperature_0(smollm2: LanguageModel) -> None:
    prompt = smollm2.encode_chat("Repeat after me: the quick brown fox jumps over the lazy dog.")
    expected = _transformers_greedy(smollm2, prompt, 24)
    for drafter in (EarlyExit(smollm2, 26, COLD), PromptLookup(smollm2.vocabulary)):
        made = generate(smollm2, prompt, drafter, Options(sampling=COLD, budget=6, depth=4, new_tokens=24))
        assert made.tokens == expected
        assert made.text == smollm2.decode([token for token in expected if token not in smollm2.end_tokens])
        assert made.tokens_per_call > 1.2


def _transformers_greedy(model: LanguageModel, prompt: list[int], count: int) -> tuple[int, ...]:
    out = model.model.generate(
        torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt)), do_sample=False, max_new_tokens=count
    )
    return tuple(out[0, len(prompt) :].tolist())


@pytest.mark.weights
def test_a_real_model_with_a_seed(smollm2: LanguageModel) -> None:
    prompt = smollm2.encode_chat("Tell me about the sea.")
    expected = plain_decode(ModelRun(smollm2, prompt, WARM), uniform_at(11), Limits(20, smollm2.end_tokens))
    options = Options("EAGLE-2", "seed-synchronous", WARM, budget=6, depth=3, new_tokens=20, seed=11)
    for drafter in (EarlyExit(smollm2, 26, WARM), PromptLookup(smollm2.vocabulary, 2), TargetItself(smollm2, WARM)):
        assert generate(smollm2, prompt, drafter, options).tokens == expected
