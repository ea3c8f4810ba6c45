"""Oracle, ledger and one-ring regret against all trees, written out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

from tevtheory.builders import oracle_tree
from tevtheory.enumeration import draft_trees
from tevtheory.exitlaw import coverage, loss_ledger, one_ring_regret, oracle_flows
from tevtheory.proofs_check.evidence import demand
from tevtheory.targets import Target, TargetTree
from tevtheory.trees import DraftTree

Path = tuple[int, ...]


def sources() -> Iterator[Target]:
    """Targets over three tokens: with memory, with ties, with zeros."""
    yield from (Target.seeded(3, seed) for seed in range(3))
    yield Target.context_free(["1/4", "1/4", "1/2"])
    yield Target.context_free(["1/3", "1/3", "1/3"])
    yield Target.markov(["1/2", "1/2", "0"], [["0", "1", "0"], ["1/5", "0", "4/5"], ["1", "0", "0"]])


def string_flow(target: Target, path: Path) -> Any:
    """The target's probability of a string, token by token."""
    mass: Any = 1
    for i, token in enumerate(path):
        mass = mass * target.row(path[:i])[token]
    return mass


def oracle(max_nodes: int, falsify: bool = False, tried: Iterable[Target] | None = None) -> int:
    """The largest coverage among all trees; falsified, the oracle is told to stay at depth 1."""
    count = 0
    for target in sources() if tried is None else tried:
        for nodes in range(1, max_nodes + 1):
            best = max(coverage(TargetTree.of(tree, target)) for tree in draft_trees(nodes, 3))
            listed = sum(oracle_flows(target, nodes - 1, 1 if falsify else None).values())
            built = coverage(TargetTree.of(oracle_tree(target, nodes - 1), target))
            demand(best == listed == built, f"largest {best}, listed {listed}, built {built}, {nodes} nodes")
            count += 1
    return count


def ledger(max_nodes: int, falsify: bool = False, tried: Iterable[Target] | None = None) -> int:
    """Loss = missed + wasted, none negative, and the missed flow below exits; falsified, wasted is left out."""
    count = 0
    for target in sources() if tried is None else tried:
        for nodes in range(1, max_nodes + 1):
            for tree in draft_trees(nodes, 3):
                found = loss_ledger(tree, target)
                shares = [*found.missed.values(), *([] if falsify else found.wasted.values())]
                demand(min(shares, default=0) >= 0, f"a negative share on {tree}")
                demand(sum(shares) == found.loss, f"loss {found.loss}, shares {sum(shares)} on {tree}")
                missed = sum(string_flow(target, path) for path in found.missed)
                demand(sum(found.by_exit.values()) == missed, f"missed {missed} on {tree}")
                count += 1
    return count


def one_ring(max_nodes: int, falsify: bool = False, tried: Iterable[Target] | None = None) -> int:
    """The best of all trees within a tree and its boundary; falsified, the one-ring regret is the whole loss."""
    count = 0
    for target in sources() if tried is None else tried:
        for nodes in range(1, max_nodes + 1):
            for tree in draft_trees(nodes, 3):
                here = TargetTree.of(tree, target)
                found, loss = one_ring_regret(here), loss_ledger(tree, target).loss
                gain = _best_within(tree, target) - coverage(here)
                demand(found == gain and 0 <= found <= loss, f"one-ring {found}, gain {gain}, loss {loss} on {tree}")
                demand(not falsify or found == loss, f"one-ring {found}, loss {loss} on {tree}")
                count += 1
    return count


def _best_within(tree: DraftTree, target: Target) -> Any:
    """The largest sum of flows of prefix-closed sets of as many strings, in the tree or one step off it."""
    ring = {(*tree.path(v), x) for v in range(tree.size) for x in range(3)}
    flows = {path: string_flow(target, path) for path in ring}
    closed = (
        picked
        for picked in map(set, combinations(sorted(ring), tree.budget))
        if all(len(path) == 1 or path[:-1] in picked for path in picked)
    )
    return max(sum((flows[path] for path in picked), start=0) for picked in closed)
