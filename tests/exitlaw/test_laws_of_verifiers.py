"""Exactness, regret and mixtures of arbitrary laws, on random exact laws and on perturbed ones."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from tests.trees_at_hand import brute_mean_length, random_exact_law, targets
from tevtheory.errors import InputError
from tevtheory.examples import C2
from tevtheory.exitlaw import (
    Violation,
    canonical_exit_law,
    ceiling,
    completed_law,
    distance,
    expected_length,
    first_excess,
    first_violation,
    flow,
    impossible,
    regret,
    regret_by_string,
    subtree_mixture,
)
from tevtheory.laws import Law
from tevtheory.targets import TargetTree
from tevtheory.trees import DraftTree, Exit

TARGETS = targets()
EXACT = [(target, random_exact_law(target, random.Random(seed))) for seed, target in enumerate(TARGETS)]


def moved(law: Law[Exit], source: Exit, goal: Exit, mass: Fraction) -> Law[Exit]:
    masses = law.fractions()
    masses[source] -= mass
    masses[goal] = masses.get(goal, Fraction(0)) + mass
    return Law(masses)


def test_stopped_targets_are_exact() -> None:
    for target, law in EXACT:
        assert first_violation(law, target) is None
        assert first_excess(law, target) is None
        assert distance(law, target) == 0
        assert completed_law(law, target) == canonical_exit_law(target)


def test_no_exact_law_is_longer_than_the_ceiling() -> None:
    for target, law in EXACT:
        assert expected_length(law, target) == brute_mean_length(law, target.tree) <= ceiling(target)


def test_regret_is_explained_by_in_tree_strings() -> None:
    some = [sum(regret_by_string(law, target).values()) == regret(law, target) for target, law in EXACT]
    assert all(some)
    assert any(regret(law, target) > 0 for target, law in EXACT)


def test_regret_is_zero_exactly_for_the_canonical_law() -> None:
    for target, law in EXACT:
        assert (regret(law, target) == 0) == (law == canonical_exit_law(target))


def test_an_exact_law_is_the_mixture_of_its_subtrees() -> None:
    for target, law in EXACT:
        mixed: dict[Exit, Fraction] = {}
        parts = subtree_mixture(law, target)
        assert sum(part.weight for part in parts) == 1
        for part in parts:
            assert part.weight > 0
            small = target.restricted(part.nodes)
            for (node, token), mass in canonical_exit_law(small).items():
                end = Exit(part.nodes[node], token)
                mixed[end] = mixed.get(end, 0) + part.weight * mass
        assert Law(mixed) == law


def test_the_canonical_law_is_the_whole_tree_alone() -> None:
    for target in TARGETS:
        positive = [v for v, mass in enumerate(flow(target)) if mass]
        ((part,)) = subtree_mixture(canonical_exit_law(target), target)
        assert part.weight == 1
        assert set(positive) <= set(part.nodes)


def test_any_move_of_mass_between_two_outcomes_is_found() -> None:
    found = 0
    for target, law in EXACT:
        ends = [Exit(v, x) for v in range(target.tree.size) for x in range(target.vocabulary)]
        source = next(iter(law))
        for goal in ends:
            if goal == source:
                continue
            other = moved(law, source, goal, law.fractions()[source] / 7)
            violation = first_violation(other, target)
            assert (violation is None) == (distance(other, target) == 0)
            if violation is not None:
                found += 1
                assert violation.got != violation.expected
    assert found > 1000


def test_the_first_violation_is_the_first_in_node_then_token_order() -> None:
    law = Law({Exit(0, 1): "1/2", Exit(1, 0): "1/4", Exit(1, 1): "1/4"})
    assert first_violation(law, C2) == Violation(1, (0,), 0, Fraction(1, 2), Fraction(1, 4))


def test_a_law_of_half_mass_is_a_violation_of_its_own() -> None:
    law = Law({Exit(0, 1): "1/4", Exit(1, 0): "1/16", Exit(2, 0): "3/16"})
    violation = first_violation(law, C2)
    assert violation == Violation(None, (), None, Fraction(1, 2), 1)
    assert str(violation) == "the law has total mass 1/2, not 1"


def test_distance_of_the_ratio_rule_example() -> None:
    """p = (1/2, 1/2), q = (3/5, 2/5), tree {0}: the ratio rule gives (5/6, 1/6), a third away."""
    target = TargetTree(DraftTree((-1, 0), (-1, 0)), [["1/2", "1/2"]] * 2)
    law = Law({Exit(0, 1): "1/6", Exit(1, 0): "5/12", Exit(1, 1): "5/12"})
    assert distance(law, target) == Fraction(1, 3)
    assert expected_length(law, target) == Fraction(11, 6) > ceiling(target) == Fraction(3, 2)


def test_an_excess_shows_in_a_law_with_missing_mass() -> None:
    assert first_excess(Law({Exit(0, 1): "1/2"}), C2) is None
    assert first_excess(Law({Exit(0, 1): "3/4"}), C2) == Violation(0, (), 1, Fraction(3, 4), Fraction(1, 2))


def test_a_law_of_another_tree_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"law: expected a node in 0..2 and a token in 0..1, got Exit\(node=3, token=0\)"
    ):
        first_violation(Law({Exit(3, 0): 1}), C2)
    with pytest.raises(InputError, match="give a law over the exits of this very tree"):
        completed_law(Law({"abc": 1}), C2)  # type: ignore[dict-item]


def test_a_mixture_of_a_lossy_law_is_refused_with_the_violation() -> None:
    with pytest.raises(InputError, match="expected an exact law, got at node 0, path"):
        subtree_mixture(Law({Exit(0, 1): 1}), C2)


def test_impossible_exits_are_those_of_flow_zero() -> None:
    target = TargetTree(DraftTree((-1, 0), (-1, 0)), [[0, 1], ["1/2", "1/2"]])
    assert impossible([Exit(0, 1)], target) is None
    assert impossible([Exit(1, 1), Exit(0, 1)], target) == Exit(1, 1)
