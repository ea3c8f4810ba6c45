"""The edge cases of exit laws, each with exact values and against every canonical verifier of the catalogue."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tevtheory.choices import TapeChooser, Verifier
from tevtheory.conformance import Reference, judge_on
from tevtheory.errors import InputError
from tevtheory.exitlaw import (
    block_length_law,
    bonus_law,
    canonical_exit_law,
    ceiling,
    ceiling_with_end,
    coverage,
    exit_masses,
    flow,
    length_variance,
    truncated_ceiling,
)
from tevtheory.interop import from_paths
from tevtheory.targets import Problem, Target, TargetTree
from tevtheory.trees import DraftTree, Exit
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.catalogue import CATALOGUE

CANONICAL = [verifier for verifier in CATALOGUE if verifier.claim is Verdict.CANONICAL]
ROOT_ONLY = DraftTree((-1,), (-1,))
LEAF = DraftTree((-1, 0), (-1, 0))
FORK = DraftTree((-1, 0, 0), (-1, 0, 1))


def all_canonical(target: TargetTree) -> bool:
    return all(judge_on(verifier, Problem(target)).verdict is Verdict.CANONICAL for verifier in CANONICAL)


def test_a_node_of_probability_zero_has_no_flow_and_no_exit_below_it() -> None:
    target = TargetTree(from_paths([(0, 1)]), [[0, "1/2", "1/2"], [0, "1/3", "2/3"], ["1/3"] * 3])
    assert flow(target) == (1, 0, 0)
    assert exit_masses(target) == (1, 0, 0)
    assert canonical_exit_law(target).fractions() == {Exit(0, 1): Fraction(1, 2), Exit(0, 2): Fraction(1, 2)}
    assert all_canonical(target)


def test_children_that_exhaust_the_mass_leave_no_exit_and_no_bonus() -> None:
    target = TargetTree(FORK, [["1/4", "3/4", 0], ["1/2", 0, "1/2"], [0, 0, 1]])
    assert exit_masses(target) == (0, Fraction(1, 4), Fraction(3, 4))
    assert ceiling(target) == 2
    assert all_canonical(target)
    with pytest.raises(InputError, match="node 0, whose children hold all mass"):
        bonus_law(target, 0)


def test_exhausted_float_rows_have_exit_mass_exactly_zero() -> None:
    """0.7 + 0.2 + 0.1 is not 1 in floats: 1 - sum would leave a rest where nothing is left."""
    row = [0.7, 0.2, 0.1]
    assert row[0] + row[1] + row[2] != 1
    target = TargetTree(DraftTree((-1, 0, 0, 0), (-1, 0, 1, 2)), [row] * 4)
    assert target.exit_probability(0) == 0.0
    assert exit_masses(target)[0] == 0.0
    assert all(end.node != 0 for end in canonical_exit_law(target))


@pytest.mark.parametrize("verifier", CANONICAL, ids=lambda verifier: verifier.name)
@pytest.mark.parametrize("uniform", [0.0, 0.5, 1 - 2.0**-53])
def test_no_canonical_verifier_leaves_an_exhausted_float_row(verifier: Verifier[Any], uniform: float) -> None:
    target = TargetTree(DraftTree((-1, 0, 0, 0), (-1, 0, 1, 2)), [[0.7, 0.2, 0.1]] * 4)

    def tape(slot: Any, _: int) -> Any:
        return np.full(3, 1.0) if slot.kind == "race" else uniform

    assert verifier(Problem(target), TapeChooser(tape)).node != 0


def test_duplicate_siblings_are_refused_and_merged_by_paths() -> None:
    with pytest.raises(InputError, match="token 0 twice under node 0"):
        DraftTree((-1, 0, 0), (-1, 0, 0))
    assert from_paths([(0, 1), (0, 2)]).budget == 3


def test_end_tokens_are_removed_and_the_ceiling_counts_no_bonus_after_them() -> None:
    """Chain x, END, y of certain tokens: the right block is x END, of length 2."""
    x, end, y = 0, 1, 2
    one_hot = {x: [1, 0, 0], end: [0, 1, 0], y: [0, 0, 1]}
    target = TargetTree(from_paths([(x, end, y)]), [one_hot[x], one_hot[end], one_hot[y], one_hot[x]])
    pruned = target.without_end(end)
    assert pruned.tree == from_paths([(x,)])
    assert ceiling(target) == 4
    assert ceiling_with_end(target, end) == ceiling(pruned) == 2
    assert canonical_exit_law(pruned).fractions() == {Exit(1, end): Fraction(1)}
    assert all_canonical(pruned)


def test_with_leaf_end_nodes_the_ceiling_drops_by_their_flow() -> None:
    target = TargetTree(FORK, [["1/2", "1/3", "1/6"]] * 3)
    assert ceiling_with_end(target, 1) == ceiling(target) - Fraction(1, 3) == Fraction(3, 2)


@pytest.mark.parametrize("depth", range(4))
def test_an_end_token_at_any_depth(depth: int) -> None:
    target = TargetTree.of(from_paths([(0,) * depth + (1,)]), Target.context_free(["1/2", "1/4", "1/4"]))
    assert ceiling_with_end(target, 1) == sum(Fraction(1, 2**k) for k in range(depth + 1))


def test_with_r_tokens_left_the_ceiling_counts_r_levels_only() -> None:
    target = TargetTree.of(from_paths([(0, 0, 0)]), Target.context_free(["1/2", "1/2"]))
    assert [truncated_ceiling(target, r) for r in (1, 2, 3, 4, 9)] == [
        1,
        Fraction(3, 2),
        Fraction(7, 4),
        Fraction(15, 8),
        Fraction(15, 8),
    ]
    cut = target.restricted([0, 1])
    assert truncated_ceiling(target, 2) == ceiling(cut)


def test_temperature_zero_makes_everything_certain() -> None:
    hot = [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]
    target = TargetTree(from_paths([(1, 0), (2,)]), hot)
    assert flow(target) == (1, 1, 1, 0)
    assert canonical_exit_law(target).fractions() == {Exit(2, 2): Fraction(1)}
    assert block_length_law(target).fractions() == {3: Fraction(1)}
    assert length_variance(target) == 0
    assert all_canonical(target)


def test_processed_rows_are_the_target_per_node() -> None:
    """Top-2 of (1/2, 1/3, 1/6) at the root only: the row given is the law, whatever it was made from."""
    target = TargetTree(LEAF, [["3/5", "2/5", 0], ["1/2", "1/3", "1/6"]])
    assert coverage(target) == Fraction(3, 5)
    assert all_canonical(target)


def test_padding_is_refused_with_a_hint() -> None:
    with pytest.raises(InputError, match="remove padding nodes"):
        DraftTree((-1, 0, 0), (-1, 5, -1))


def test_a_root_alone_has_ceiling_one() -> None:
    target = TargetTree(ROOT_ONLY, [["1/3", "2/3"]])
    assert ceiling(target) == 1
    assert exit_masses(target) == (1,)
    assert bonus_law(target, 0).fractions() == {0: Fraction(1, 3), 1: Fraction(2, 3)}
    assert all_canonical(target)


def test_budget_one_is_best_at_the_argmax() -> None:
    ceilings = [ceiling(TargetTree(DraftTree((-1, 0), (-1, c)), [["1/4", "3/4"]] * 2)) for c in range(2)]
    assert ceilings == [Fraction(5, 4), Fraction(7, 4)]


def test_an_exit_drawn_at_the_end_of_the_sums_is_the_last_possible_one() -> None:
    """Tokens of mass 0 after the last positive one must not be reached by rounding."""
    target = TargetTree(ROOT_ONLY, [[0.1, 0.2, 0.7, 0.0]])
    for verifier in CANONICAL:

        def tape(slot: Any, _: int) -> Any:
            return np.full(4, 1.0) if slot.kind == "race" else 1 - 2.0**-53

        assert verifier(Problem(target), TapeChooser(tape)) == Exit(0, 2)


def test_a_random_tree_is_judged_given_the_tree() -> None:
    """Every tree a drafter may give is a fixed tree to the verifier; the average ceiling is the mean of the ceilings."""
    rows = Target.context_free(["1/2", "1/4", "1/4"])
    each = [TargetTree.of(tree, rows) for tree in (LEAF, FORK, ROOT_ONLY)]
    assert [Reference.of(target).ceiling for target in each] == [Fraction(3, 2), Fraction(7, 4), 1]
    assert all(all_canonical(target) for target in each)


def test_deep_and_wide_trees_need_no_recursion() -> None:
    size = 3000
    chain = DraftTree((-1, *range(size)), (-1, *([0] * size)))
    target = TargetTree.of(chain, Target.context_free(["1/2", "1/2"]))
    assert ceiling(target) == 2 - Fraction(1, 2**size)
    assert truncated_ceiling(target, 2) == Fraction(3, 2)
