from __future__ import annotations

import heapq
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import planted
from tests.builders.claims import (
    DRAFTS,
    MARGINALS,
    VOCABULARY,
    all_scores,
    check,
    conditional,
    in_order,
    paths_of,
    seen_by_beams,
)
from tevtheory.builders import BUILDERS, Builder, Draft, Marginals, best_first, eagle2, marginals, opt_tree, oracle_tree
from tevtheory.exitlaw import coverage, oracle_flows
from tevtheory.rows import FloatRow, Row
from tevtheory.targets import Prefix, Target, TargetTree
from tevtheory.trees import DraftTree

BY_NAME = {builder.name: builder for builder in BUILDERS}
BUDGETS, DEPTHS = range(5), (1, 2, 3)
every_builder = pytest.mark.parametrize("builder", BUILDERS, ids=lambda builder: builder.name)


def drafts_for(builder: Builder) -> Sequence[Draft]:
    return list(MARGINALS.values()) if builder.marginals_only else list(DRAFTS.values())


def check_everywhere(builder: Builder) -> None:
    for draft in drafts_for(builder):
        for budget in BUDGETS:
            for depth in DEPTHS:
                check(builder, draft, budget, depth)


@every_builder
def test_every_builder_keeps_its_claim_against_all_trees(builder: Builder) -> None:
    check_everywhere(builder)


@pytest.mark.parametrize("fault", planted.BEST_FIRST)
def test_a_faulty_best_first_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    planted.BEST_FIRST[fault](monkeypatch)
    with pytest.raises(AssertionError):
        check_everywhere(BY_NAME["DDTree"])


@pytest.mark.parametrize("name", ["EAGLE-2", "EAGLE-2, wide beam", "OPT-Tree"])
@pytest.mark.parametrize("fault", planted.BEAMS)
def test_a_faulty_beam_is_found(fault: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    planted.BEAMS[fault](monkeypatch)
    with pytest.raises((AssertionError, KeyError)):  # KeyError: a path without its parent
        check_everywhere(BY_NAME[name])


@pytest.mark.parametrize("fault", planted.SEQUOIA)
def test_a_faulty_sequoia_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    planted.SEQUOIA[fault](monkeypatch)
    with pytest.raises(AssertionError):
        check_everywhere(BY_NAME["Sequoia"])


@pytest.mark.parametrize("name", planted.READERS)
@pytest.mark.parametrize("fault", planted.ROWS)
def test_a_row_read_wrongly_is_found(fault: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planted.READERS[name], "likeliest", planted.ROWS[fault])
    with pytest.raises(AssertionError):
        check_everywhere(BY_NAME[name])


@pytest.mark.parametrize("step", [-1, 1])
@every_builder
def test_a_depth_or_budget_off_by_one_is_found(builder: Builder, step: int) -> None:
    for build in (
        lambda draft, budget, depth: builder.build(draft, budget, max(depth + step, 1)),
        lambda draft, budget, depth: builder.build(draft, max(budget + step, 0), depth),
    ):
        with pytest.raises(AssertionError):
            check_everywhere(Builder("off by one", build, builder.score, builder.scope, builder.marginals_only))


# Properties over all builders. --------------------------------------------------------------------------------------------

SIXTEENTHS = st.lists(st.integers(0, 16), min_size=3, max_size=3).map(
    lambda cuts: [high - low for low, high in zip([0, *sorted(cuts)], [*sorted(cuts), 16], strict=True)]
)
"""Four weights that sum to 16, zeros and ties among them."""

POSITIONS = st.lists(SIXTEENTHS, min_size=1, max_size=4)


def exactly(weights: Sequence[Sequence[int]]) -> Marginals:
    return marginals([[Fraction(weight, 16) for weight in row] for row in weights])


def in_floats(weights: Sequence[Sequence[int]], scale: float = 1 / 16) -> Marginals:
    return marginals([FloatRow([weight * scale for weight in row]) for row in weights])


@every_builder
@given(POSITIONS, st.integers(0, 9), st.integers(1, 5))
def test_trees_stay_within_their_limits_and_are_the_same_each_time(
    builder: Builder, weights: list[list[int]], budget: int, depth: int
) -> None:
    tree = builder.build(exactly(weights), budget, depth)
    assert tree.budget <= budget
    assert tree.depth <= min(depth, len(weights), budget)
    assert all(weights[tree.depths[v] - 1][tree.tokens[v]] for v in range(1, tree.size))
    assert tree == builder.build(exactly(weights), budget, depth)


@every_builder
@given(POSITIONS, st.integers(0, 9), st.integers(1, 5), st.sampled_from([1.0, 1 / 16, 3.0, 2.0**-1060]))
def test_floats_give_the_tree_of_the_numbers_they_stand_for(
    builder: Builder, weights: list[list[int]], budget: int, depth: int, scale: float
) -> None:
    assert builder.build(in_floats(weights, scale), budget, depth) == builder.build(exactly(weights), budget, depth)


@every_builder
def test_float_rows_are_divided_by_their_total(builder: Builder) -> None:
    rows = [[8.0, 4.0, 4.0, 0.0], [1.0, 0.0, 2.0, 1.0]]
    mixed, alike = marginals(rows), marginals([[weight / sum(row) for weight in row] for row in rows])
    for budget in range(8):
        assert builder.build(mixed, budget, 2) == builder.build(alike, budget, 2)


def test_rows_not_divided_by_their_total_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planted.READERS["DDTree"], "likeliest", planted.not_normalised)
    with pytest.raises(AssertionError):
        test_float_rows_are_divided_by_their_total(BY_NAME["DDTree"])


@every_builder
@given(POSITIONS, st.integers(0, 8), st.integers(1, 4))
def test_a_larger_budget_only_adds_paths(builder: Builder, weights: list[list[int]], budget: int, depth: int) -> None:
    if builder.scope != "shapes":  # the best shape of one more node may differ elsewhere
        small, large = (set(paths_of(builder.build(exactly(weights), n, depth))) for n in (budget, budget + 1))
        assert small <= large


@given(POSITIONS, st.integers(0, 9), st.integers(1, 5))
def test_the_four_optimal_builders_agree_on_marginals(weights: list[list[int]], budget: int, depth: int) -> None:
    trees = {b.build(exactly(weights), budget, depth) for b in BUILDERS if b.scope == "all trees"}
    assert len(trees) == 1


@every_builder
def test_budgets_beyond_what_there_is_give_all_of_it(builder: Builder) -> None:
    draft = MARGINALS["zeros"]
    tree = builder.build(draft, 100, 7)
    everything = all_scores(draft, 3)
    assert set(paths_of(tree)) <= everything.keys()
    if builder.scope == "all trees":
        assert paths_of(tree) == in_order(everything)


@every_builder
def test_the_draft_is_asked_level_by_level_with_distinct_paths(builder: Builder) -> None:
    calls: list[list[Prefix]] = []
    target = Target.seeded(VOCABULARY, 3)

    def draft(paths: Sequence[Prefix]) -> Sequence[Row]:
        calls.append(list(paths))
        return [target.row(path) for path in paths]

    if builder.marginals_only or builder.score == "target":
        return
    tree = builder.build(draft, 7, 3)
    assert [[len(path) for path in paths] for paths in calls] == [[i] * len(paths) for i, paths in enumerate(calls)]
    assert all(len(set(paths)) == len(paths) for paths in calls)
    assert tree.depth <= len(calls) <= 3


# Single builders. ---------------------------------------------------------------------------------------------------------


@given(POSITIONS, st.integers(1, 9))
def test_best_first_pushes_fewer_than_two_per_node(weights: list[list[int]], budget: int) -> None:
    pushed = 0
    push = heapq.heappush

    def counting(heap: list[Any], entry: Any) -> None:
        nonlocal pushed
        pushed += 1
        push(heap, entry)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(heapq, "heappush", counting)
        best_first(exactly(weights), budget=budget)
    assert 0 < pushed < 2 * budget


@pytest.mark.parametrize("draft", MARGINALS.values(), ids=MARGINALS)
def test_without_a_depth_trees_are_as_deep_as_the_budget_and_the_rows_allow(draft: Marginals) -> None:
    for budget in range(7):
        deep = best_first(draft, budget=budget)
        assert deep == best_first(draft, budget=budget, depth=3)
        assert deep == eagle2(draft, budget=budget) == opt_tree(draft, budget=budget)


def test_a_sure_draft_is_followed_to_the_depth_of_the_budget() -> None:
    sure = Target.context_free([0, 1])
    chain = DraftTree((-1, *range(5)), (-1, *[1] * 5))
    assert eagle2(lambda paths: [sure.row(path) for path in paths], budget=5) == chain
    assert opt_tree(lambda paths: [sure.row(path) for path in paths], budget=5) == oracle_tree(sure, 5) == chain


@pytest.mark.parametrize("draft", DRAFTS.values(), ids=DRAFTS)
@pytest.mark.parametrize("threshold", ["0", "1/20", "1/5", "1/2", "1"])
def test_opt_tree_stops_at_the_first_level_that_gains_no_more_than_the_threshold(draft: Draft, threshold: str) -> None:
    for budget in range(1, 6):
        last, before = 1, Fraction(0)
        for level in range(1, 4):
            last, scores = level, all_scores(draft, level)
            value = sum((scores[path] for path in in_order(scores)[:budget]), start=Fraction(0))
            if value - before <= Fraction(threshold):
                break
            before = value
        expected = in_order(all_scores(draft, last))[:budget]
        assert paths_of(opt_tree(draft, budget=budget, threshold=threshold, depth=3)) == expected


def test_a_threshold_may_be_a_float() -> None:
    draft = MARGINALS["generic"]
    assert opt_tree(draft, budget=4, threshold=0.5) == opt_tree(draft, budget=4, threshold="1/2")


def test_a_narrow_beam_misses_what_only_a_wide_one_sees() -> None:
    draft = DRAFTS["sure after the least"]  # token 2 is the least likely, and what follows it is sure
    assert paths_of(eagle2(draft, budget=5, top_k=2, depth=2)) == [(0,), (1,), (0, 0), (0, 1), (1, 0)]
    assert paths_of(eagle2(draft, budget=5, top_k=3, depth=2)) == [(0,), (1,), (2,), (2, 1), (0, 0)]


def _sure_off_the_beam(prefix: Prefix) -> list[str]:
    """At depth 2 the two best paths follow token 0; the paths below token 1 go on for sure."""
    if prefix[:1] == (1,) and len(prefix) > 1:
        return ["1", "0", "0"]
    return ["11/20", "9/20", "0"] if not prefix else ["1/2", "1/2", "0"]


@pytest.mark.parametrize("top_k", [1, 2, 3])
@pytest.mark.parametrize("name", [*DRAFTS, "sure off the beam"])
def test_eagle2_keeps_the_first_of_what_beams_of_its_width_see(name: str, top_k: int) -> None:
    draft = DRAFTS.get(name) or conditional(Target(VOCABULARY, _sure_off_the_beam))
    seen = seen_by_beams(draft, top_k, 3)
    for budget in range(14):
        assert paths_of(eagle2(draft, budget=budget, top_k=top_k, depth=3)) == in_order(seen)[:budget]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["exact", "float"])
def test_the_oracle_has_the_flows_of_its_independent_witness(seed: int, kind: str) -> None:
    target = Target.seeded(VOCABULARY, seed)
    if kind == "float":
        exact = target
        target = Target(VOCABULARY, lambda prefix: FloatRow([float(weight) for weight in exact.row(prefix)]))
    for budget, depth in ((6, None), (9, 2), (30, 4)):
        tree = oracle_tree(target, budget, depth)
        assert set(paths_of(tree)) == oracle_flows(target, budget, depth).keys()
    if kind == "exact":
        assert coverage(TargetTree.of(tree, target)) == sum(oracle_flows(target, 30, 4).values())
