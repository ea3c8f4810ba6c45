"""Oracle, ledger and one-ring regret on random targets, against an exact knapsack over closed sets of strings.

A set of strings is closed if with a string it has all of its non-empty prefixes: the drafted strings of a tree. The largest
sum of flows of a closed set of at most n strings is found by dynamic programming from the leaves of a finite universe up,
which uses no order of flows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import accumulate
from typing import Any

from tevtheory.builders import oracle_tree
from tevtheory.enumeration import rational
from tevtheory.enumeration.rows import row_of
from tevtheory.exitlaw import coverage, loss_ledger, one_ring_regret, oracle_flows
from tevtheory.proofs_check.best_trees import Path, string_flow
from tevtheory.proofs_check.evidence import demand
from tevtheory.rows import Row
from tevtheory.targets import Target, TargetTree
from tevtheory.trees import DraftTree

DEPTHS = {2: 5, 3: 3}
"""Per vocabulary the depth to which all strings are written out: 62 and 39 strings."""


def _row(name: str, vocabulary: int, prefix: Path) -> Row:
    rng = random.Random(f"{name}/{prefix}")
    support = [rng.random() < 3 / 4 for _ in range(vocabulary)]
    support[rng.randrange(vocabulary)] = True
    return row_of(rational(support, rng, largest=rng.choice((2, 97))))


def random_source(name: str, vocabulary: int) -> Target:
    """A target with memory, with zeros and with ties."""
    return Target(vocabulary, partial(_row, name, vocabulary))


def random_tree(rng: random.Random, vocabulary: int, budget: int, depth: int) -> DraftTree:
    """A tree that grew by random boundary strings."""
    parents, tokens, depths = [-1], [-1], [0]
    ends = [(0, x) for x in range(vocabulary)]
    for node in range(1, budget + 1):
        parent, token = ends.pop(rng.randrange(len(ends)))
        parents.append(parent)
        tokens.append(token)
        depths.append(depths[parent] + 1)
        ends += [(node, x) for x in range(vocabulary) if depths[node] < depth]
    return DraftTree(parents, tokens)


def flows_within(target: Target, strings: Iterable[Path]) -> dict[Path, Any]:
    """The flow of each string."""
    return {path: string_flow(target, path) for path in strings}


def strings_to(depth: int, vocabulary: int) -> Iterator[Path]:
    """All strings of 1 to `depth` tokens, shorter ones first."""
    level: list[Path] = [()]
    for _ in range(depth):
        level = [(*path, x) for path in level for x in range(vocabulary)]
        yield from level


def ring(tree: DraftTree, vocabulary: int) -> list[Path]:
    """The strings of a tree and its boundary, shorter ones first."""
    return sorted({(*tree.path(v), x) for v in range(tree.size) for x in range(vocabulary)}, key=len)


def best_closed(flows: Mapping[Path, Any], budget: int) -> Any:
    """The largest sum of flows of a closed set of at most `budget` of the strings."""
    best: dict[Path, list[Any]] = {(): [0]}  # below a string: the largest sums of 0, 1, ... strings
    for path in sorted(flows, key=len, reverse=True):
        below = [0, *(flows[path] + mass for mass in best.pop(path, [0]))]
        best[path[:-1]] = _merged(best.get(path[:-1], [0]), below, budget)
    return max(best[()])


def _merged(one: list[Any], other: list[Any], budget: int) -> list[Any]:
    """The largest sums of 0, 1, ... strings from two places."""
    size = min(len(one) + len(other) - 1, budget + 1)
    picks = [[(i, k - i) for i in range(k + 1) if i < len(one) and k - i < len(other)] for k in range(size)]
    return [max(one[i] + other[j] for i, j in splits) for splits in picks]


def _oracle(target: Target, rng: random.Random, falsify: bool) -> None:
    """Both ways to the oracle tree reach the knapsack's optimum; falsified, one of them is told to stay at depth 1."""
    depth = DEPTHS[target.vocabulary]
    budget = rng.randint(4, 12)
    best = best_closed(flows_within(target, strings_to(depth, target.vocabulary)), budget)
    listed = sum(oracle_flows(target, budget, 1 if falsify else depth).values())
    built = coverage(TargetTree.of(oracle_tree(target, budget, depth), target))
    demand(best == listed == built, f"knapsack {best}, listed {listed}, built {built}, {budget} drafted tokens")


def _ledger(target: Target, rng: random.Random, falsify: bool) -> None:
    """The loss is the knapsack's optimum less the coverage; missed strings are below their longest prefix in the tree."""
    depth = DEPTHS[target.vocabulary]
    tree = random_tree(rng, target.vocabulary, rng.randint(3, depth), depth)
    found = loss_ledger(tree, target)
    best = best_closed(flows_within(target, strings_to(depth, target.vocabulary)), tree.budget)
    loss = best - coverage(TargetTree.of(tree, target))
    shares = [*found.missed.values(), *([] if falsify else found.wasted.values())]
    demand(found.loss == loss == sum(shares) and min(shares, default=0) >= 0, f"loss {loss}, shares {shares} on {tree}")
    nodes, by_exit = {tree.path(v): v for v in range(tree.size)}, dict[int, Any]()
    for path, mass in flows_within(target, found.missed).items():
        at = max(nodes[start] for start in accumulate(((x,) for x in path), initial=()) if start in nodes)
        by_exit[at] = by_exit.get(at, 0) + mass
    demand(by_exit == found.by_exit, f"missed below exits {by_exit}, said {found.by_exit} on {tree}")


def _one_ring(target: Target, rng: random.Random, falsify: bool) -> None:
    """The knapsack within the tree and its boundary; falsified, within all strings."""
    depth = DEPTHS[target.vocabulary]
    tree = random_tree(rng, target.vocabulary, rng.randint(4, 12), depth)
    here = TargetTree.of(tree, target)
    strings = strings_to(depth, target.vocabulary) if falsify else ring(tree, target.vocabulary)
    gain = best_closed(flows_within(target, strings), tree.budget) - coverage(here)
    found, loss = one_ring_regret(here), loss_ledger(tree, target).loss
    demand(found == gain and 0 <= found <= loss, f"one-ring {found}, gain {gain}, loss {loss} on {tree}")


BEST_TREE_CHECKS: dict[str, Callable[[Target, random.Random, bool], None]] = {
    "oracle": _oracle,
    "ledger": _ledger,
    "one-ring": _one_ring,
}


def about_random_sources(statement: str, instances: int, falsify: bool = False) -> int:
    """A statement about best trees on random targets over two and three tokens."""
    for seed in range(instances):
        name = f"random source/{seed}"
        BEST_TREE_CHECKS[statement](random_source(name, 2 + seed % 2), random.Random(name), falsify)
    return instances
