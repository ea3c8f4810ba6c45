from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from tests.planted import (
    BONUS_NOT_MASKED,
    CLOSED_COMPARISON,
    COIN_REUSED,
    DRAW_FROM_ELSEWHERE,
    NOT_RENORMALISED,
    OUTSIDE_THE_TREE,
    RETRY_LOOP,
    STALE_RESIDUAL,
    half_of,
)
from tevtheory.choices import Limits, Verifier, enumerate_law
from tevtheory.conformance import Counterexample, Reference, Tally, judge_law, judge_on
from tevtheory.enumeration import chunks
from tevtheory.examples import C2
from tevtheory.exitlaw import canonical_exit_law
from tevtheory.laws import Law
from tevtheory.sweep import judge_chunk
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import DraftTree, Exit
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.cumulative_thresholds import AT_ONE
from tevtheory.verifiers.predraw_and_follow import PREDRAW_AND_FOLLOW
from tevtheory.verifiers.sequential_residual import IN_GIVEN_ORDER
from tevtheory.weights import brief, exact, fraction

Row = list[Fraction]

# Fault, its correct twin, the family that finds it, up to how many nodes it is swept, verdict, nodes of the smallest tree.
CASES: tuple[tuple[Verifier[Any], Verifier[Any], str, int, Verdict, int], ...] = (
    (COIN_REUSED, AT_ONE, "generic", 5, Verdict.LOSSY, 2),
    (NOT_RENORMALISED, IN_GIVEN_ORDER, "generic", 5, Verdict.LOSSY, 3),
    (CLOSED_COMPARISON, AT_ONE, "zeros", 4, Verdict.BROKEN, 2),
    (RETRY_LOOP, IN_GIVEN_ORDER, "generic", 2, Verdict.BROKEN, 2),
    (DRAW_FROM_ELSEWHERE, PREDRAW_AND_FOLLOW, "generic", 5, Verdict.BROKEN, 1),
    (BONUS_NOT_MASKED, IN_GIVEN_ORDER, "generic", 5, Verdict.LOSSY, 2),
    (STALE_RESIDUAL, IN_GIVEN_ORDER, "generic", 5, Verdict.LOSSY, 3),
    (OUTSIDE_THE_TREE, PREDRAW_AND_FOLLOW, "generic", 5, Verdict.BROKEN, 1),
)
SWEPT = {fault.name: (family, nodes) for fault, _, family, nodes, _, _ in CASES}


@cache
def swept(verifier: Verifier[Any], family: str, max_nodes: int) -> Tally:
    """The verifier on every tree of a family, smallest first."""
    tally = Tally()
    for chunk in chunks(family, max_nodes, problems_per_chunk=3):
        tally.merge(judge_chunk(chunk, [verifier])[verifier.name])
    return tally


def smallest(fault: Verifier[Any]) -> Counterexample:
    found = swept(fault, *SWEPT[fault.name]).counterexample
    assert found is not None
    return found


every_case = pytest.mark.parametrize(
    ("fault", "twin", "family", "max_nodes", "verdict", "nodes"), CASES, ids=[case[0].name for case in CASES]
)


@every_case
def test_a_planted_fault_gets_its_verdict(
    fault: Verifier[Any], twin: Verifier[Any], family: str, max_nodes: int, verdict: Verdict, nodes: int
) -> None:
    assert swept(fault, family, max_nodes).verdict is verdict


@every_case
def test_its_counterexample_is_the_smallest_tree(
    fault: Verifier[Any], twin: Verifier[Any], family: str, max_nodes: int, verdict: Verdict, nodes: int
) -> None:
    assert smallest(fault).problem.tree.size == nodes
    assert all(swept(fault, family, fewer).verdict is Verdict.CANONICAL for fewer in range(1, nodes))


@every_case
def test_it_claimed_to_be_canonical(
    fault: Verifier[Any], twin: Verifier[Any], family: str, max_nodes: int, verdict: Verdict, nodes: int
) -> None:
    assert fault.claim is Verdict.CANONICAL


@every_case
def test_its_correct_twin_passes_the_same_sweep(
    fault: Verifier[Any], twin: Verifier[Any], family: str, max_nodes: int, verdict: Verdict, nodes: int
) -> None:
    tally = swept(twin, family, max_nodes)
    assert (tally.verdict, tally.counterexample, tally.low, tally.high) == (Verdict.CANONICAL, None, 1, 1)
    assert tally.trees == swept(fault, family, max_nodes).trees


@every_case
def test_the_counterexample_does_not_depend_on_the_order_of_chunks(
    fault: Verifier[Any], twin: Verifier[Any], family: str, max_nodes: int, verdict: Verdict, nodes: int
) -> None:
    backwards = Tally()
    for chunk in reversed(list(chunks(family, max_nodes, problems_per_chunk=3))):
        backwards.merge(judge_chunk(chunk, [fault])[fault.name])
    assert backwards == swept(fault, family, max_nodes)


# The reason on the smallest tree of the sweep: both exact values, worked out by hand from that tree's rows.


def fractions(row: Sequence[Any]) -> Row:
    return [fraction(weight) for weight in row]


def first_wrong(node: int, path: list[int], got: Mapping[int, Fraction], row: Row) -> str:
    token = next(x for x in range(len(row)) if got[x] != row[x])
    return f"at node {node}, path {path}, token {token} follows with {got[token]}, target {row[token]}"


def test_a_reused_coin_is_refuted_at_the_first_bonus_token() -> None:
    example = smallest(COIN_REUSED)
    row, child = fractions(example.problem.rows[0]), example.problem.tree.tokens[1]
    x, y = [token for token in range(3) if token != child]
    # x is drawn iff u (p_x + p_y) < p_x, of the coins u >= p_child.
    got_x = max(Fraction(0), row[x] / (row[x] + row[y]) - row[child])
    got = {child: row[child], x: got_x, y: 1 - row[child] - got_x}
    assert example.finding.reason == first_wrong(0, [], got, row)


def test_a_reused_coin_on_the_recipe_loses_token_c() -> None:
    row = ["1/2", "1/4", "1/8", "1/8"]
    problem = Problem(TargetTree(DraftTree((-1, 0, 0), (-1, 0, 1)), [row] * 3))
    finding = judge_on(COIN_REUSED, problem)
    assert str(finding) == "LOSSY BY 1/8: at node 0, path [], token 2 follows with 0, target 1/8"
    assert finding.length == finding.ceiling == Fraction(7, 4)


def test_a_residual_that_is_not_renormalised_is_refuted_after_the_first_child() -> None:
    example = smallest(NOT_RENORMALISED)
    assert example.problem.tree.parents == (-1, 0, 0)
    row, (first, second) = fractions(example.problem.rows[0]), example.problem.tree.tokens[1:]
    bonus = (1 - row[first]) * (1 - row[second]) / (1 - row[first] - row[second])
    got = {token: bonus * p for token, p in enumerate(row)}
    got |= {first: row[first], second: (1 - row[first]) * row[second]}
    assert example.finding.reason == first_wrong(0, [], got, row)


def test_a_residual_that_is_not_renormalised_halves_the_second_child() -> None:
    row = ["1/2", "1/4", "1/4"]
    problem = Problem(TargetTree(DraftTree((-1, 0, 0), (-1, 0, 1)), [row] * 3))
    text = "LOSSY BY 1/8: at node 0, path [], token 1 follows with 1/8, target 1/4"
    assert str(judge_on(NOT_RENORMALISED, problem)) == text


NULL = "ends a block of target probability 0, emitted when a coin meets a threshold exactly (weight 0)"


def test_a_closed_comparison_is_refuted_by_a_child_of_probability_0() -> None:
    example = smallest(CLOSED_COMPARISON)
    tree, rows = example.problem.tree, example.problem.rows
    child, token = tree.tokens[1], min(x for x, weight in enumerate(rows[1]) if weight)
    assert rows[0][child] == 0
    assert example.finding.reason.startswith(f"at node 1, path [{child}], token {token} {NULL}")


ZERO_CHILD = Problem(TargetTree(DraftTree((-1, 0), (-1, 0)), [["0", "1/2", "1/2"], ["0", "1/3", "2/3"]]))


def test_a_closed_comparison_names_the_block_of_probability_0() -> None:
    text = f"BROKEN CONTRACT: at node 1, path [0], token 1 {NULL}; compare with < on half-open intervals"
    assert str(judge_on(CLOSED_COMPARISON, ZERO_CHILD)) == text


def test_a_closed_comparison_has_the_canonical_law() -> None:
    found = enumerate_law(lambda chooser: CLOSED_COMPARISON.walk(ZERO_CHILD, chooser))
    assert found.law == canonical_exit_law(ZERO_CHILD.target)


def test_generic_rows_do_not_find_a_closed_comparison() -> None:
    assert swept(CLOSED_COMPARISON, "generic", 5).verdict is Verdict.CANONICAL


def test_a_retry_loop_is_refuted_with_its_unresolved_mass() -> None:
    example = smallest(RETRY_LOOP)
    p = fraction(example.problem.rows[0][example.problem.tree.tokens[1]])
    unresolved = (1 - p) * p**999  # one refusal, then 999 bonus tokens in the tree
    assert example.finding.reason == f"a path has more than 1000 draws; mass {brief(exact(unresolved))} is unresolved"


def test_a_retry_loop_on_the_chain_leaves_a_power_of_one_half() -> None:
    problem = Problem(TargetTree(DraftTree((-1, 0), (-1, 0)), [["1/2", "1/4", "1/4"]] * 2))
    finding = judge_on(RETRY_LOOP, problem, limits=Limits(draws=10))
    assert str(finding) == "BROKEN CONTRACT: a path has more than 10 draws; mass 1/1024 is unresolved"


def test_a_draw_from_elsewhere_is_refuted_with_both_outcomes() -> None:
    reason = smallest(DRAW_FROM_ELSEWHERE).finding.reason
    assert reason == (
        "not replayable: with the same choices made, one run gave Exit(node=0, token=0) and another "
        "Exit(node=0, token=1); draw from the chooser only, and do not change the rows"
    )


def test_a_draw_from_elsewhere_on_the_chain_is_refuted_at_the_first_path() -> None:
    problem = Problem(TargetTree(DraftTree((-1, 0), (-1, 0)), [["1", "0", "0"], ["1/2", "1/4", "1/4"]]))
    text = str(judge_on(DRAW_FROM_ELSEWHERE, problem))
    assert text.startswith("BROKEN CONTRACT: not replayable: ")
    assert "one run gave Exit(node=1, token=0) and another Exit(node=1, token=1)" in text


@pytest.mark.parametrize(
    "law", [half_of(canonical_exit_law(C2)), Law({Exit(0, 1): "1/4", Exit(1, 0): "1/16", Exit(2, 0): "3/16"})]
)
def test_a_law_of_half_the_mass_is_refuted(law: Law[Exit]) -> None:
    finding = judge_law(law, Reference.of(C2))
    assert str(finding) == "BROKEN CONTRACT: the law has total mass 1/2, not 1"


def test_the_whole_law_passes() -> None:
    law = Law({Exit(0, 1): "1/2", Exit(1, 0): "1/8", Exit(2, 0): "3/8"})
    assert judge_law(law, Reference.of(C2)).verdict is Verdict.CANONICAL


def test_a_bonus_that_is_not_masked_repeats_the_refused_child() -> None:
    example = smallest(BONUS_NOT_MASKED)
    row, child = fractions(example.problem.rows[0]), example.problem.tree.tokens[1]
    got = {token: (1 - row[child]) * p for token, p in enumerate(row)}
    got[child] += row[child]
    assert example.finding.reason == first_wrong(0, [], got, row)


def test_a_bonus_that_is_not_masked_takes_a_half_to_three_quarters() -> None:
    problem = Problem(TargetTree(DraftTree((-1, 0), (-1, 0)), [["1/2", "1/4", "1/4"]] * 2))
    text = "LOSSY BY 1/4: at node 0, path [], token 0 follows with 3/4, target 1/2"
    assert str(judge_on(BONUS_NOT_MASKED, problem)) == text


def test_a_stale_residual_is_refuted_below_the_second_child() -> None:
    example = smallest(STALE_RESIDUAL)
    assert example.problem.tree.parents == (-1, 0, 0)
    root, row = fractions(example.problem.rows[0]), fractions(example.problem.rows[2])
    first, second = example.problem.tree.tokens[1:]
    got = {token: p / (1 - root[first]) for token, p in enumerate(root)} | {first: Fraction(0)}
    assert example.finding.reason == first_wrong(2, [second], got, row)


def test_a_stale_residual_on_the_recipe_is_wrong_in_the_second_token_only() -> None:
    rows = [["1/4", "1/4", "1/2"], ["1", "0", "0"], ["1", "0", "0"]]
    finding = judge_on(STALE_RESIDUAL, Problem(TargetTree(DraftTree((-1, 0, 0), (-1, 0, 1)), rows)))
    assert str(finding) == "LOSSY BY 1/4: at node 2, path [1], token 0 follows with 0, target 1"
    assert finding.length == finding.ceiling == Fraction(3, 2)


def test_an_exit_outside_the_tree_is_refuted_with_what_is_inside() -> None:
    assert smallest(OUTSIDE_THE_TREE).finding.reason == (
        "law: expected a node in 0..0 and a token in 0..1, got Exit(node=0, token=2); "
        "give a law over the exits of this very tree"
    )


def test_an_exit_outside_the_chain_is_refuted() -> None:
    finding = judge_on(OUTSIDE_THE_TREE, Problem(C2))
    assert finding.verdict is Verdict.BROKEN
    assert "expected a node in 0..2 and a token in 0..1, got Exit(node=1, token=2)" in finding.reason
