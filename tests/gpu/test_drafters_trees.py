"""Prompt lookup by its definition, and the draft trees that drafters and builders make together."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

from tests.gpu.test_tree_pass import PREFIX
from tevtheory.builders import BUILDERS, Marginals, best_first, marginals
from tevtheory.errors import InputError
from tevtheory.exitlaw import coverage
from tevtheory.rows import FloatRow
from tevtheory.targets import Target, TargetTree
from tevtheory.trees import DraftTree
from tevtheory_gpu.drafters import (
    Drafter,
    EarlyExit,
    ModelDrafter,
    PathPass,
    PromptLookup,
    SmallModel,
    TargetItself,
    TreeDrafting,
    along_greedy_path,
    find_builder,
    load_drafter,
)
from tevtheory_gpu.targets import (
    LanguageModel,
    Sampling,
    TreePass,
    path_logits,
    target_tree,
    tiny_target,
)


def naive_lookup(prefix: tuple[int, ...], path: tuple[int, ...], ngram: int, vocabulary: int) -> list[float]:
    """The definition of the docstring, word by word."""
    text = (*prefix, *path)
    for n in range(min(ngram, len(text)), 0, -1):
        places = [i for i in range(len(prefix) - n) if prefix[i : i + n] == text[len(text) - n :]]
        if places:
            return [float(sum(prefix[i + n] == token for i in places)) for token in range(vocabulary)]
    return [0.0] * vocabulary


def test_prompt_lookup_is_its_definition() -> None:
    rng = np.random.default_rng(0)
    text = tuple(int(token) for token in rng.integers(0, 3, 40))
    paths = [path for n in range(4) for path in itertools.product(range(4), repeat=n)]
    for ngram in (1, 2, 3):
        lookup = PromptLookup(4, ngram)
        for end in (1, 2, 3, 7, 20, 40, 39, 5):  # growing, and back to an earlier text
            draft = lookup.start(text[:end])
            for row, path in zip(draft(paths), paths, strict=True):
                assert list(row) == naive_lookup(text[:end], path, ngram, 4)


def test_a_drafter_that_knows_nothing_drafts_the_root_alone() -> None:
    for builder in BUILDERS:
        made = TreeDrafting(PromptLookup(5, 3), find_builder(builder.name), budget=6, depth=3)
        assert made((0, 1, 2), 9).size == 1
        assert made((0, 1, 2, 0, 1), 9).size > 1


def test_every_builder_takes_every_drafter(tiny: LanguageModel) -> None:
    drafters: list[Drafter] = [EarlyExit(tiny, 1), SmallModel(tiny, tiny_target(seed=2)), PromptLookup(64)]
    for drafter in drafters:
        for builder in BUILDERS:
            drafting = TreeDrafting(drafter, find_builder(builder.name), budget=7, depth=3)
            tree = drafting((*PREFIX, *PREFIX), 9)
            assert 1 < tree.size <= 8
            assert tree.depth <= 3
            assert drafting(PREFIX, 1).depth <= 1
            assert drafting(PREFIX, 0).size == 1


def test_a_builder_of_marginals_gets_the_greedy_path(tiny: LanguageModel) -> None:
    drafter = ModelDrafter(tiny)
    tree = TreeDrafting(drafter, find_builder("DDTree"), budget=9, depth=3)(PREFIX, 9)
    rows: list[Any] = []
    path: tuple[int, ...] = ()
    for _ in range(3):
        rows.append(torch.softmax(path_logits(tiny, [*PREFIX, *path]).double(), -1).numpy())
        path = (*path, int(rows[-1].argmax()))
    assert tree == best_first(marginals([FloatRow(row) for row in rows]), budget=9, depth=3)


def test_a_drafter_of_marginals_needs_no_treatment() -> None:
    class Blocks:
        name = "a block drafter"

        def start(self, prefix_ids: Sequence[int]) -> Marginals:
            assert prefix_ids == (0,)
            return marginals([["1/4", "3/4"], ["1/3", "2/3"]])

    made = TreeDrafting(Blocks(), find_builder("DDTree"), budget=3, depth=5)((0,), 9)
    assert str(made) == "[1 [1] 0]"


def test_the_greedy_path_ends_where_the_draft_does() -> None:
    assert len(along_greedy_path(marginals([["1/2", "1/2"]] * 2), 5).rows) == 2
    assert len(along_greedy_path(PromptLookup(3).start((0, 1)), 5).rows) == 1


@pytest.mark.parametrize("temperature", [0.0, 0.7, 1.0])
def test_the_oracle_has_the_largest_coverage(temperature: float) -> None:
    model, sampling = tiny_target(vocabulary=5), Sampling(temperature=temperature)
    prefix = (1, 2, 3)
    oracle = TreeDrafting(TargetItself(model, sampling), find_builder("oracle"), budget=5, depth=4)(prefix, 9)
    target = Target(5, lambda path: _row(model, prefix, path, sampling))
    best = coverage(TargetTree.of(oracle, target))
    assert best == coverage(TargetTree.of(BUILDERS[-1].build(lambda ps: [target.row(p) for p in ps], 5, 4), target))
    other = TreeDrafting(EarlyExit(model, 1), find_builder("EAGLE-2"), budget=5, depth=4)(prefix, 9)
    assert coverage(TargetTree.of(other, target)) < best


def _row(model: LanguageModel, prefix: tuple[int, ...], path: tuple[int, ...], sampling: Sampling) -> FloatRow:
    root = DraftTree((-1,), (-1,))
    row = target_tree(TreePass(model, (*prefix, *path)), root, sampling).rows[0]
    assert isinstance(row, FloatRow)
    return row


def test_drafters_by_name(tiny: LanguageModel) -> None:
    assert load_drafter("early-exit:2", tiny, Sampling()).name == "early exit after layer 2 of 3"
    assert load_drafter("lookup:4", tiny, Sampling()).name == "prompt lookup, n-grams up to 4"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "eagle",
            "drafter: expected early-exit:LAYERS, model:NAME or lookup:N, got 'eagle'; write for example lookup:3",
        ),
        ("lookup:0", "got 'lookup:0'"),
        ("early-exit:-1", "got 'early-exit:-1'"),
        ("model:", "got 'model:'"),
        (
            "early-exit:3",
            "early exit of tiny-0: expected layers in 1..2, got 3; a drafter leaves out at least one layer",
        ),
        ("model:nonsense", "target: expected a named model .* got 'nonsense'"),
    ],
)
def test_wrong_names_are_refused(tiny: LanguageModel, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_drafter(text, tiny, Sampling())


def test_other_refusals(tiny: LanguageModel) -> None:
    with pytest.raises(
        InputError, match=r"builder: expected the name of one builder, got 'medusa'; choose from 'DDTree'"
    ):
        find_builder("medusa")
    short = tiny_target(context=8)
    with pytest.raises(InputError, match=r"context of tiny-0: expected at most 8 positions, got 9 positions"):
        PathPass(short).restart(range(9))
    run = PathPass(short)
    run.restart(PREFIX)
    with pytest.raises(InputError, match="expected at most 8 positions, got 9 positions"):
        run.logits([(1, 2)])
    with pytest.raises(InputError, match=r"draft: expected token ids in 0..63, got 64"):
        run.logits([(64,)])
    with pytest.raises(InputError, match="prompt lookup: expected an n-gram length >= 1, got 0"):
        PromptLookup(5, 0)
