"""Sequoia: the best shape for acceptance probabilities that depend on the rank of a child only (arXiv 2402.12374, 3.1).

Theorem: if the verifier takes the child of rank b of any node it reaches with probability p_b, a shape's expected number of
accepted tokens is the sum over its nodes of the product of p along the ranks to it. A forest of m nodes is a first tree of
k nodes and a forest of m - k, so dynamic programming over (levels left, rank, m) finds the largest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tevtheory.builders.drafts import Draft, check_limits
from tevtheory.builders.static import Ranks, static
from tevtheory.errors import InputError
from tevtheory.trees import DraftTree
from tevtheory.weights import ZERO, Kind, exact_float, lift, show

Entry = tuple[Any, int, int]
"""The best forest of exactly m nodes: its value, minus its sum of depths, and the size of its first tree."""

Table = list[Entry | None]
"""One entry per m; None where no forest has m nodes."""


def sequoia(draft: Draft, acceptance: Sequence[Any], *, budget: int, depth: int | None = None) -> DraftTree:
    """The shape of `sequoia_shape`, filled with the draft's likeliest tokens.

    >>> from tevtheory.builders.drafts import marginals
    >>> print(sequoia(marginals([["1/4", "3/4"]] * 2), ["1/2", "1/4"], budget=3))
    [1 [1] 0]
    """
    return static(draft, sequoia_shape(acceptance, budget=budget, depth=depth))


def sequoia_shape(acceptance: Sequence[Any], *, budget: int, depth: int | None = None) -> tuple[Ranks, ...]:
    """The shape of largest expected number of accepted tokens among all of at most `budget` nodes, as rank paths.

    `acceptance[b]` is the probability that a node's child of rank b is the one taken; no node has more children than there
    are entries, and a child's elder siblings are in the shape too. Ties go to fewer nodes, then to the smaller sum of
    depths, then to larger subtrees under smaller ranks. Where acceptance falls with the rank, these are the first paths
    by the builders' tie rule. Raises InputError on no entries or one that is no probability, a negative budget or a depth
    below 1. Cost: depth x entries x budget^2 additions.

    >>> sequoia_shape(["3/5", "1/5", "1/10"], budget=5)
    ((0,), (1,), (0, 0), (0, 0, 0), (0, 0, 0, 0))
    """
    check_limits(budget, depth, "Sequoia shape")
    chances = _chances(acceptance)[:budget]
    levels = budget if depth is None else min(depth, budget)
    tables = _tables(chances, budget, levels)
    if not levels:
        return ()
    whole = {m: entry for m, entry in enumerate(tables[levels][0]) if entry is not None}
    size = max(whole, key=lambda m: (whole[m][0], -m))
    return tuple(sorted(_unfolded(tables, size), key=lambda ranks: (len(ranks), ranks)))


def _chances(acceptance: Sequence[Any]) -> list[Any]:
    kind, lifted = lift(list(acceptance), "acceptance")
    if not lifted:
        raise InputError("at least one probability", "none", "acceptance", "give one per rank of a child")
    if kind is Kind.SYMBOLIC:
        raise InputError("numbers", "symbols", "acceptance", "shapes are compared by value")
    if large := [chance for chance in lifted if chance > 1]:
        raise InputError("probabilities", show(large[0]), "acceptance", "give numbers in [0, 1]")
    return [exact_float(chance) for chance in lifted] if kind is Kind.FLOAT else list(lifted)


def _tables(chances: Sequence[Any], budget: int, levels: int) -> list[list[Table]]:
    """`[l][b][m]`: the best forest of m nodes, l levels deep, whose trees hang at the ranks b, b + 1, ... of one node."""
    empty: Table = [(ZERO, 0, 0), *[None] * budget]
    tables = [[empty] * (len(chances) + 1)]
    for _ in range(levels):
        below, here = tables[-1][0], [empty]
        for chance in reversed(chances):
            tree = [entry and (chance * (1 + entry[0]), entry[1] - k, k) for k, entry in enumerate(below, start=1)]
            here.append([(ZERO, 0, 0), *(_best(tree, here[-1], m) for m in range(1, budget + 1))])
        tables.append(here[::-1])
    return tables


def _best(trees: Table, rest: Table, nodes: int) -> Entry | None:
    """The best first tree and forest beside it, of that many nodes together; `trees[k - 1]` has k nodes."""
    pairs = zip(trees[:nodes], reversed(rest[:nodes]), strict=True)
    both = ((one[0] + other[0], one[1] + other[1], one[2]) for one, other in pairs if one and other)
    return max(both, default=None)


def _unfolded(tables: list[list[Table]], size: int) -> Iterator[Ranks]:
    """The nodes of the best forest of that size."""
    stack: list[tuple[int, Ranks, int, int]] = [(len(tables) - 1, (), 0, size)]
    while stack:
        levels, above, rank, nodes = stack.pop()
        entry = tables[levels][rank][nodes]
        if nodes and entry:
            node, first = (*above, rank), entry[2]
            yield node
            stack.append((levels, above, rank + 1, nodes - first))
            stack.append((levels - 1, node, 0, first - 1))
