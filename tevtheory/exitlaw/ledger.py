"""The loss ledger: what a tree loses against the best tree of its size, and where.

Theorem (oracle): the n strings of largest flow form the tree of n drafted tokens with the largest coverage.
With T* such a tree, theta its smallest flow and |T| = |T*|:
Cov(T*) - Cov(T) = sum over missed strings (F - theta) + sum over wasted nodes (theta - F), both >= 0, and
sum over missed strings of F = sum over nodes w of T of the missed flow below the exit w (each lies below one exit).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tevtheory.exitlaw.flow import coverage, flow
from tevtheory.targets import Target, TargetTree
from tevtheory.trees import ROOT, DraftTree
from tevtheory.weights import Kind

Path = tuple[int, ...]


@dataclass(frozen=True)
class LossLedger:
    """Coverage of a tree against the oracle tree of the same budget.

    `threshold` is theta (None for an empty budget); `missed` and `wasted` give, per string, its share of the loss;
    `by_exit` gives the missed flow below each exit node.
    """

    coverage: Any
    oracle_coverage: Any
    threshold: Any
    missed: dict[Path, Any]
    wasted: dict[Path, Any]
    by_exit: dict[int, Any]

    @property
    def loss(self) -> Any:
        """Oracle coverage minus coverage: the sum of all missed and wasted shares."""
        return self.oracle_coverage - self.coverage


def oracle_flows(target: Target, budget: int, depth: int | None = None) -> dict[Path, Any]:
    """The `budget` strings of largest flow with their flows (ties: shorter, then smaller tokens first).

    Level by level: the strings of a level that can belong are extensions of kept strings, so `budget` per level are kept.

    >>> flows = oracle_flows(Target.context_free(["1/4", "3/4"]), 3)
    >>> [(path, str(mass)) for path, mass in flows.items()]
    [((1,), '3/4'), ((1, 1), '9/16'), ((1, 1, 1), '27/64')]
    """
    level: list[tuple[Path, Any]] = [((), 1)]
    best: list[tuple[Path, Any]] = []
    for _ in range(budget if depth is None else min(depth, budget)):
        grown = (((*path, x), mass * p) for path, mass in level for x, p in _likeliest(target, path, budget))
        level = _largest(grown, budget)
        best = _largest([*best, *level], budget)
        if not level or (len(best) == budget and level[0][1] < best[-1][1]):
            break
    return dict(best)


def _likeliest(target: Target, path: Path, count: int) -> Iterable[tuple[int, Any]]:
    row = target.row(path)
    if isinstance(row, tuple):
        return row.largest(count)
    total = row.total()
    return ((token, weight / total) for token, weight in row.largest(count))


def _largest(strings: Iterable[tuple[Path, Any]], count: int) -> list[tuple[Path, Any]]:
    return heapq.nsmallest(count, strings, key=lambda entry: (-entry[1], len(entry[0]), entry[0]))


def loss_ledger(tree: DraftTree, target: Target) -> LossLedger:
    """The ledger of a draft tree against the target's oracle tree of the same budget.

    >>> from tevtheory.targets import Target
    >>> ledger = loss_ledger(DraftTree((-1, 0), (-1, 0)), Target.context_free(["1/3", "2/3"]))
    >>> str(ledger.loss), [(path, str(mass)) for path, mass in ledger.missed.items()]
    ('1/3', [((1,), '0')])
    """
    on_tree = TargetTree.of(tree, target)
    oracle = oracle_flows(target, tree.budget)
    inside = {tree.path(v): mass for v, mass in enumerate(flow(on_tree)) if v != ROOT}
    threshold = min(oracle.values(), default=None)  # rows sum to 1, so there are always `budget` strings of flow > 0
    missed = {path: mass - threshold for path, mass in oracle.items() if path not in inside}
    wasted = {path: threshold - mass for path, mass in inside.items() if path not in oracle}
    by_exit: dict[int, Any] = {}
    for path in missed:
        node = _exit_of(tree, path)
        by_exit[node] = by_exit.get(node, 0) + oracle[path]
    return LossLedger(coverage(on_tree), sum(oracle.values()), threshold, missed, wasted, dict(sorted(by_exit.items())))


def _exit_of(tree: DraftTree, path: Path) -> int:
    """The node at which a string leaves the tree."""
    node = ROOT
    for token in path:
        child = tree.child(node, token)
        if child is None:
            break
        node = child
    return node


def one_ring_regret(target: TargetTree) -> Any:
    """Cov(best tree of the same budget within the tree and its boundary) - Cov(tree), from the rows of the tree alone.

    A lower bound on the loss against the oracle: strings two steps off the tree are not seen.

    >>> from tevtheory.examples import C2
    >>> print(one_ring_regret(C2))
    1/8
    """
    masses, budget = flow(target), target.tree.budget
    ring = list(masses[1:])
    for v, mass in enumerate(masses):
        row = target.rows[v]
        unit = mass / row.total() if target.kind is Kind.FLOAT else mass
        ring.extend(unit * weight for _, weight in row.largest(budget, target.tree.child_maps[v]))
    return sum(heapq.nlargest(budget, ring)) - coverage(target)
