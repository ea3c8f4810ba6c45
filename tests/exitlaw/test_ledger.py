from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest

from tests.trees_at_hand import VOCABULARY, small_trees
from tevtheory.builders import oracle_tree
from tevtheory.enumeration import draft_trees
from tevtheory.errors import InputError
from tevtheory.exitlaw import coverage, exit_masses, flow, loss_ledger, one_ring_regret, oracle_flows
from tevtheory.targets import Target, TargetTree
from tevtheory.trees import DraftTree

TARGETS = [Target.seeded(VOCABULARY, seed) for seed in range(3)] + [Target.context_free(["1/2", "1/2", 0])]


def best_coverage(target: Target, nodes: int) -> Fraction:
    return max(Fraction(str(coverage(TargetTree.of(tree, target)))) for tree in draft_trees(nodes, VOCABULARY))


@pytest.mark.parametrize("target", TARGETS)
def test_the_oracle_has_the_largest_coverage_of_all_trees(target: Target) -> None:
    for nodes in range(1, 6):
        best = best_coverage(target, nodes)
        assert sum(oracle_flows(target, nodes - 1).values()) == best
        assert coverage(TargetTree.of(oracle_tree(target, nodes - 1), target)) == best


@pytest.mark.parametrize("target", TARGETS)
def test_builder_and_value_agree_on_the_strings(target: Target) -> None:
    for budget in (0, 1, 7, 20):
        for depth in (None, 2):
            tree = oracle_tree(target, budget, depth)
            strings = oracle_flows(target, budget, depth)
            assert {tree.path(v) for v in range(1, tree.size)} == set(strings)
            on_tree = TargetTree.of(tree, target)
            assert {tree.path(v): mass for v, mass in enumerate(flow(on_tree)) if v} == strings


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(InputError, match="oracle tree: expected a budget >= 0, got -1"):
        oracle_tree(TARGETS[0], -1)


@pytest.mark.parametrize("target", TARGETS)
def test_the_loss_is_missed_plus_wasted_and_lies_below_the_exits(target: Target) -> None:
    losses = 0
    for tree in small_trees(5):
        ledger = loss_ledger(tree, target)
        on_tree = TargetTree.of(tree, target)
        best = sum(oracle_flows(target, tree.budget).values())
        assert (ledger.coverage, ledger.oracle_coverage) == (coverage(on_tree), best)
        assert ledger.loss == sum(ledger.missed.values()) + sum(ledger.wasted.values()) == best - coverage(on_tree)
        assert all(share >= 0 for share in [*ledger.missed.values(), *ledger.wasted.values()])
        assert len(ledger.missed) == len(ledger.wasted)
        missed = {path: mass for path, mass in oracle_flows(target, tree.budget).items() if tree.find(path) is None}
        assert set(missed) == set(ledger.missed)
        assert sum(ledger.by_exit.values()) == sum(missed.values())
        losses += ledger.loss > 0
    assert losses > 0


def test_missed_flow_is_booked_at_the_exit_it_lies_below() -> None:
    target = Target.context_free(["3/4", "1/4", 0])
    ledger = loss_ledger(DraftTree((-1, 0, 0), (-1, 0, 1)), target)
    assert ledger.missed == {(0, 0): 0}
    assert ledger.wasted == {(1,): Fraction(9, 16) - Fraction(1, 4)}
    assert ledger.by_exit == {1: Fraction(9, 16)}


def test_missed_flow_is_exit_mass_times_expected_further_oracle_nodes() -> None:
    target = TARGETS[0]
    for tree in small_trees(4):
        ledger, on_tree = loss_ledger(tree, target), TargetTree.of(tree, target)
        exits = exit_masses(on_tree)
        for node, mass in ledger.by_exit.items():
            assert exits[node] > 0
            assert mass / exits[node] <= len(ledger.missed)


@pytest.mark.parametrize("target", TARGETS)
def test_one_ring_regret_is_the_best_swap_within_the_tree_and_its_boundary(target: Target) -> None:
    for tree in small_trees(4):
        on_tree = TargetTree.of(tree, target)
        inside = {tree.path(v) for v in range(1, tree.size)}
        ring = inside | {
            (*tree.path(v), x) for v in range(tree.size) for x in range(VOCABULARY) if tree.child(v, x) is None
        }
        best = Fraction(0)
        for chosen in combinations(sorted(ring), tree.budget):
            kept = {(), *chosen}
            if all(string[:-1] in kept for string in chosen):
                best = max(best, sum((probability(target, string) for string in chosen), start=Fraction(0)))
        assert one_ring_regret(on_tree) == best - coverage(on_tree)
        assert 0 <= one_ring_regret(on_tree) <= loss_ledger(tree, target).loss


def probability(target: Target, string: tuple[int, ...]) -> Fraction:
    mass = Fraction(1)
    for i, token in enumerate(string):
        mass *= Fraction(str(target.row(string[:i])[token]))
    return mass
