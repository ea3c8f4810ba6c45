"""OPT-Tree: the tree whose depth follows the draft (Wang et al., TACL 2025, arXiv 2406.17276, Algorithm 1)."""

from __future__ import annotations

from typing import Any

from tevtheory.builders.beams import searched
from tevtheory.builders.drafts import Draft, check_limits, tree_of
from tevtheory.errors import InputError
from tevtheory.trees import DraftTree
from tevtheory.weights import exact, exact_float


def opt_tree(draft: Draft, *, budget: int, threshold: Any = 0, depth: int | None = None) -> DraftTree:
    """The `budget` first paths down to the level where drafting one level more stops paying.

    Level by level, `budget` paths are kept; the last level is the first that raises the sum of the `budget` best scores by
    no more than `threshold` (its paths count). The tree has the largest sum of path scores among all trees no deeper than
    that level; with threshold 0, among all trees no deeper than `depth`. The paper's code has threshold 1/2 and depth 10.
    Nodes are numbered best first. Raises InputError on a negative budget or threshold, a depth below 1, or a draft that
    does not answer every path.

    >>> from tevtheory.builders.drafts import marginals
    >>> draft = marginals([["1/4", "3/4"], ["1/3", "2/3"], ["1/2", "1/2"]])
    >>> print(opt_tree(draft, budget=3), opt_tree(draft, budget=3, threshold="1/2"))
    [1 [1] 0] [1 [1] 0]
    >>> print(opt_tree(draft, budget=3, threshold=1))
    [1 0]
    """
    check_limits(budget, depth, "OPT-Tree")
    least = exact_float(threshold) if isinstance(threshold, float) else exact(threshold, "threshold")
    if least < 0:
        raise InputError("a threshold >= 0", str(threshold), "OPT-Tree", "0 drafts as deep as it pays")
    levels = budget if depth is None else min(depth, budget)
    return tree_of(path for _, path in searched(draft, budget=budget, width=budget, levels=levels, threshold=least))
