"""Drafters: every row equals the naive route, caches or not; builders get what they ask for; errors are clear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

from tests.gpu.test_tree_pass import PREFIX
from tevtheory.errors import InputError
from tevtheory.rows import FloatRow
from tevtheory.trees import DraftTree
from tevtheory_gpu.drafters import (
    ModelDrafter,
    PathPass,
    SmallModel,
    TargetItself,
    path_pass,
)
from tevtheory_gpu.drafters.model_drafter import first_layers
from tevtheory_gpu.targets import (
    LanguageModel,
    Sampling,
    TreePass,
    path_logits,
    target_tree,
    tiny_target,
    tree_pass,
)

TOLERANCE = 1e-4
LEVELS: list[list[tuple[int, ...]]] = [
    [()],
    [(4,), (9,)],
    [(4, 1), (4, 2), (9, 1)],
    [(4, 2, 7), (9, 1, 1), (4, 1, 7)],
]


def worst(run: PathPass, prefix: Sequence[int], levels: Sequence[Sequence[tuple[int, ...]]]) -> float:
    """The largest difference of a logit from the path alone, in a plain forward."""
    run.restart(prefix)
    gaps = []
    for level in levels:
        logits = run.logits(level)
        alone = torch.stack([path_logits(run.model, [*prefix, *path]) for path in level])
        assert logits.shape == alone.shape
        gaps.append(float((logits - alone).abs().max()))
    return max(gaps)


def test_every_path_equals_itself_alone(tiny: LanguageModel) -> None:
    for prefix in (PREFIX, (9,)):
        assert worst(PathPass(tiny), prefix, LEVELS) < TOLERANCE


def test_ancestors_that_were_skipped_are_evaluated_too(tiny: LanguageModel) -> None:
    assert worst(PathPass(tiny), PREFIX, [[(3, 1, 4), (3, 1, 5)], [(3,)], [()], [(3, 1, 4)]]) < TOLERANCE


NEXT = {
    "a block was accepted": (*PREFIX, 4, 2, 8),
    "the bonus alone": (*PREFIX, 8),
    "a whole path, and a bonus that was drafted": (*PREFIX, 9, 1, 1),
    "a path that was drafted in part": (*PREFIX, 4, 30, 2, 7),
    "the same prefix": PREFIX,
    "an earlier prefix": PREFIX[:3],
    "another text": (*PREFIX[:4], 9, 9, 9, 9),
    "one other token": (1,),
}


@pytest.mark.parametrize("name", NEXT)
def test_what_is_kept_between_calls_changes_nothing(tiny: LanguageModel, name: str) -> None:
    run = PathPass(tiny)
    worst(run, PREFIX, LEVELS)
    for prefix in (NEXT[name], PREFIX, NEXT[name]):
        assert worst(run, prefix, LEVELS) < TOLERANCE


def test_a_restart_without_a_question_is_no_harm(tiny: LanguageModel) -> None:
    run = PathPass(tiny)
    run.restart(PREFIX)
    assert worst(run, (*PREFIX, 4), LEVELS) < TOLERANCE


def count_tokens(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tokens each forward evaluates."""
    sizes: list[int] = []
    plain = tree_pass.forward

    def counted(model: LanguageModel, ids: torch.Tensor, **options: Any) -> torch.Tensor:
        sizes.append(len(ids))
        return plain(model, ids, **options)

    monkeypatch.setattr(path_pass, "forward", counted)
    return sizes


def test_a_level_evaluates_its_new_paths_only_and_a_call_its_new_tokens_only(
    tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes, run = count_tokens(monkeypatch), PathPass(tiny)
    for prefix in (PREFIX, (*PREFIX, 4, 2, 8)):
        run.restart(prefix)
        for level in LEVELS:
            run.logits(level)
    assert sizes == [len(PREFIX), 2, 3, 3, 1, 2, 3, 3]  # the path (4, 2) was kept: only the bonus is new


FAULTS = {
    "siblings see each other": lambda run, paths: torch.zeros(1, 1, len(paths), run._places + len(paths)),
    "ancestors are not seen": lambda run, paths: _blind(run, len(paths)),
}


def _blind(run: PathPass, count: int) -> torch.Tensor:
    mask = torch.full((count, run._places + count), torch.finfo(torch.float32).min)
    mask[:, : len(run.prefix)] = 0
    mask[range(count), range(run._places, run._places + count)] = 0
    return mask[None, None]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_mask_is_found(tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    monkeypatch.setattr(PathPass, "_mask", FAULTS[fault])
    assert worst(PathPass(tiny), PREFIX, LEVELS) > TOLERANCE


def test_entries_that_are_kept_wrongly_are_found(tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    keep = PathPass._keep
    monkeypatch.setattr(
        PathPass, "_keep", lambda run, places: keep(run, [*places[:-1], places[-1] - 1] if places else [])
    )
    run = PathPass(tiny)
    worst(run, PREFIX, LEVELS)
    assert worst(run, NEXT["a block was accepted"], LEVELS) > TOLERANCE


def test_an_early_exit_is_the_first_layers_with_norm_and_head(tiny: LanguageModel) -> None:
    early, ids = first_layers(tiny, 2), torch.tensor([PREFIX])
    with torch.no_grad():
        hidden = tiny.model(input_ids=ids, output_hidden_states=True).hidden_states[2]  # after two layers, without norm
        expected = tiny.model.lm_head(tiny.model.model.norm(hidden))[0, -1]
    assert float((path_logits(early, PREFIX) - expected).abs().max()) < TOLERANCE
    assert len(tiny.model.model.layers) == tiny.model.config.num_hidden_layers == 3  # the target is as it was
    assert float((path_logits(tiny, PREFIX) - expected).abs().max()) > TOLERANCE
    assert worst(PathPass(early), PREFIX, LEVELS) < TOLERANCE


@pytest.mark.weights
def test_an_early_exit_of_a_real_model(smollm2: LanguageModel) -> None:
    prefix = smollm2.encode_chat("Why is the sky blue?")
    with torch.no_grad():
        hidden = smollm2.model(input_ids=torch.tensor([prefix]), output_hidden_states=True).hidden_states[20]
        expected = smollm2.model.lm_head(smollm2.model.model.norm(hidden))[0, -1]
    run = PathPass(first_layers(smollm2, 20))
    run.restart(prefix)
    assert float((run.logits([()])[0] - expected).abs().max()) < TOLERANCE
    assert worst(run, [*prefix, 4, 2, 8], LEVELS) < TOLERANCE


@pytest.mark.parametrize(
    "sampling",
    [Sampling(), Sampling(temperature=0.5, top_k=7), Sampling(top_p=0.8, repetition_penalty=1.5), Sampling(min_p=0.1)],
)
def test_the_targets_own_rows_are_those_of_the_tree_pass(tiny: LanguageModel, sampling: Sampling) -> None:
    draft = TargetItself(tiny, sampling).start(PREFIX)
    tree = DraftTree((-1, 0, 0, 1, 2), (-1, 17, 5, 40, 2))
    passed = target_tree(TreePass(tiny, PREFIX), tree, sampling)
    rows = [*draft([()]), *draft([(17,), (5,)]), *draft([(17, 40), (5, 2)])]
    for row, expected in zip(rows, passed.rows, strict=True):
        assert isinstance(row, FloatRow)
        assert isinstance(expected, FloatRow)
        assert float(np.abs(row.vector - expected.vector).max()) < TOLERANCE


def test_at_temperature_0_a_drafter_keeps_second_choices_and_the_target_does_not(tiny: LanguageModel) -> None:
    cold, warm = Sampling(temperature=0), Sampling()
    assert list(ModelDrafter(tiny, cold).start(PREFIX)([()])[0]) == list(
        ModelDrafter(tiny, warm).start(PREFIX)([()])[0]
    )
    greedy = list(TargetItself(tiny, cold).start(PREFIX)([()])[0])
    assert sorted(greedy)[-2:] == [0.0, 1.0]


def test_a_smaller_model_needs_the_same_tokens(tiny: LanguageModel) -> None:
    small = tiny_target(layers=1, seed=4)
    assert SmallModel(tiny, small).name == "tiny-4"
    with pytest.raises(InputError, match="drafter tiny-4 for target tiny-0: expected two models with one tokenizer"):
        SmallModel(tiny, tiny_target(vocabulary=32, seed=4))


def test_rows_are_as_wide_as_the_targets(tiny: LanguageModel) -> None:
    for width in (50, 64, 80):
        row = ModelDrafter(tiny, vocabulary=width).start(PREFIX)([()])[0]
        assert len(row) == width
        assert 0 < row.total() < 1 + 1e-12
