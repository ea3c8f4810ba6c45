"""DDTree: best-first search over per-position marginals (arXiv 2604.12989, Algorithm 1).

Theorem (DDTree, Propositions 1 to 3): the expected number of tokens for which a block drawn from a draft with independent
positions stays in a tree is the sum of the tree's path scores, and the `budget` first paths are the best tree.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

from tevtheory.builders.drafts import Draft, Marginals, check_limits, likeliest, tree_of
from tevtheory.errors import InputError
from tevtheory.targets import Prefix
from tevtheory.trees import DraftTree
from tevtheory.weights import ONE

Entry = tuple[Any, int, Prefix, int, Any]
"""Minus the score, the length, the path, the rank of its last token, the score of its parent."""


def best_first(draft: Draft, *, budget: int, depth: int | None = None) -> DraftTree:
    """The tree of largest sum of path scores among all trees of at most `budget` drafted tokens, no deeper than `depth`.

    The draft must be `marginals(rows)`. A popped path pushes its next sibling and its first child: fewer than 2 `budget`
    pushes. Nodes are numbered best first. The tree is smaller where no more paths have a positive score.
    Raises InputError on any other draft, a negative budget or a depth below 1.

    >>> from tevtheory.builders.drafts import marginals
    >>> print(best_first(marginals([["1/4", "3/4"], ["1/3", "2/3"]]), budget=3))
    [1 [1] 0]
    """
    check_limits(budget, depth, "best-first tree")
    if not isinstance(draft, Marginals):
        got, remedy = f"a {type(draft).__name__}", "use marginals(rows), or another builder such as eagle2 or opt_tree"
        raise InputError("one row per position", got, "best-first tree", remedy)
    tables = [likeliest(row, budget) for row in draft.rows[: budget if depth is None else min(depth, budget)]]
    paths: list[Prefix] = []
    heap: list[Entry] = []
    _push(heap, tables, (), 0, ONE)
    while heap and len(paths) < budget:
        lost, _, path, rank, above = heapq.heappop(heap)
        paths.append(path)
        if len(paths) < budget:
            _push(heap, tables, path[:-1], rank + 1, above)
            _push(heap, tables, path, 0, -lost)
    return tree_of(paths)


def _push(
    heap: list[Entry], tables: Sequence[Sequence[tuple[int, Any]]], prefix: Prefix, rank: int, score: Any
) -> None:
    """Push the child of that rank, where there is one."""
    level = len(prefix)
    if level < len(tables) and rank < len(tables[level]):
        token, probability = tables[level][rank]
        heapq.heappush(heap, (-(score * probability), level + 1, (*prefix, token), rank, score))
