"""The oracle tree: the strings of largest flow.

Theorem (oracle): among trees of n drafted tokens it has the largest coverage. Built best-first, with its own flows, so that
it witnesses `exitlaw.oracle_flows` independently.
"""

from __future__ import annotations

import heapq
from typing import Any

from tevtheory.errors import InputError
from tevtheory.targets import Target
from tevtheory.trees import ROOT, DraftTree


def oracle_tree(target: Target, budget: int, depth: int | None = None) -> DraftTree:
    """The tree of `budget` drafted tokens with the largest coverage, no deeper than `depth`.

    Ties go to the shorter string, then to smaller tokens; strings of flow 0 are never drafted. Raises InputError for a
    negative budget.

    >>> print(oracle_tree(Target.context_free(["1/4", "3/4"]), 3))
    [1 [1 [1]]]
    """
    if budget < 0:
        raise InputError("a budget >= 0", str(budget), "oracle tree", "count drafted tokens, not the root")
    parents, tokens = [-1], [-1]
    strings: list[tuple[int, ...]] = [()]
    heap: list[tuple[Any, int, tuple[int, ...], int]] = []
    flows: list[Any] = [1]
    node = ROOT
    while True:
        if depth is None or len(strings[node]) < depth:
            row = target.row(strings[node])
            total = row.total()
            for token, weight in enumerate(row):
                if weight:
                    string = (*strings[node], token)
                    heapq.heappush(heap, (-(flows[node] * weight / total), len(string), string, node))
        if not heap or len(parents) > budget:
            return DraftTree(parents, tokens)
        lost, _, string, parent = heapq.heappop(heap)
        node = len(parents)
        parents.append(parent)
        tokens.append(string[-1])
        strings.append(string)
        flows.append(-lost)
