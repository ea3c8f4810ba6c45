"""EAGLE-2 and EAGLE-3: the dynamic tree (arXiv 2406.16858, section 4; EAGLE's `topK_genrate`)."""

from __future__ import annotations

from tevtheory.builders.beams import searched
from tevtheory.builders.drafts import Draft, check_limits, tree_of
from tevtheory.errors import InputError
from tevtheory.trees import DraftTree


def eagle2(draft: Draft, *, budget: int, top_k: int = 10, depth: int | None = None) -> DraftTree:
    """The `budget` first of the paths seen when each of `top_k` beam paths grows `top_k` children per level.

    It has the largest sum of path scores among all trees made of those paths; with `top_k` >= `budget`, among all trees.
    Nodes are numbered best first. The tree is smaller where fewer paths of positive score were seen. Raises InputError
    on a negative budget, a `top_k` or a depth below 1, or a draft that does not answer every path.

    >>> from tevtheory.builders.drafts import marginals
    >>> draft = marginals([["1/8", "3/8", "1/2"], ["1/2", "1/4", "1/4"]])
    >>> print(eagle2(draft, budget=4, top_k=3), eagle2(draft, budget=4, top_k=1))
    [2 [0] 1 [0]] [2 [0]]
    """
    check_limits(budget, depth, "EAGLE-2 tree")
    if top_k < 1:
        raise InputError("a top_k >= 1", str(top_k), "EAGLE-2 tree", "give the width of the beam")
    levels = budget if depth is None else min(depth, budget)
    return tree_of(path for _, path in searched(draft, budget=budget, width=top_k, levels=levels))
