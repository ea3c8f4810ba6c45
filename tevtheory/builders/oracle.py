"""The oracle tree: the strings of largest flow.

Theorem (oracle): among trees of n drafted tokens it has the largest coverage. Built best-first, with its own flows, so that
it witnesses `exitlaw.oracle_flows` independently.
"""

from __future__ import annotations

import heapq
from typing import Any

from tevtheory.builders.drafts import check_limits, likeliest, tree_of
from tevtheory.targets import Prefix, Target
from tevtheory.trees import DraftTree
from tevtheory.weights import ONE


def oracle_tree(target: Target, budget: int, depth: int | None = None) -> DraftTree:
    """The tree of `budget` drafted tokens with the largest coverage, no deeper than `depth`.

    Ties go to the shorter string, then to smaller tokens; strings of flow 0 are never drafted, so that the tree is smaller
    where there are no others. Raises InputError for a negative budget or a depth below 1.

    >>> print(oracle_tree(Target.context_free(["1/4", "3/4"]), 3))
    [1 [1 [1]]]
    """
    check_limits(budget, depth, "oracle tree")
    heap: list[tuple[Any, int, Prefix]] = []
    paths: list[Prefix] = []
    flow: Any = ONE
    path: Prefix = ()
    while len(paths) < budget:
        if depth is None or len(path) < depth:
            for token, probability in likeliest(target.row(path), budget - len(paths)):
                heapq.heappush(heap, (-(flow * probability), len(path) + 1, (*path, token)))
        if not heap:
            break
        lost, _, path = heapq.heappop(heap)
        flow = -lost
        paths.append(path)
    return tree_of(paths)
