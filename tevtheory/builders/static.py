"""Static trees: a shape of child ranks, chosen beforehand, filled with the draft's likeliest tokens (Medusa, SpecInfer)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from tevtheory.builders.drafts import Draft, likeliest, rows_after, tree_of
from tevtheory.errors import InputError
from tevtheory.targets import Prefix
from tevtheory.trees import DraftTree

Ranks = tuple[int, ...]
"""A node of a shape: the ranks of the children on the way to it, 0 the likeliest (Medusa's choices)."""


def full_shape(branching: Sequence[int]) -> tuple[Ranks, ...]:
    """The shape in which every node of depth i has `branching[i]` children; `[k] * depth` is the full k-ary tree.

    Raises InputError on a number of children below 1.

    >>> full_shape([2, 1])
    ((0,), (1,), (0, 0), (1, 0))
    """
    if wrong := [fan for fan in branching if fan < 1]:
        raise InputError("numbers of children >= 1", str(wrong[0]), "full shape", "end the list at the deepest level")
    levels = range(1, len(branching) + 1)
    return tuple(ranks for level in levels for ranks in product(*(range(fan) for fan in branching[:level])))


def static(draft: Draft, shape: Iterable[Sequence[int]]) -> DraftTree:
    """The shape with its rank r child of a node replaced by the draft's r-th likeliest token there, r from 0.

    Nodes are numbered level by level, then by rank. Where a row has too few tokens of positive probability, or the draft
    sees no further, the node is left out with all below it. Raises InputError on ranks below 0, a node without its
    parent, or a draft that does not answer every path.

    >>> from tevtheory.builders.drafts import marginals
    >>> print(static(marginals([["1/4", "3/4"], ["1/2", "1/2"]]), [[0], [1], [0, 0], [0, 1]]))
    [1 [0 1] 0]
    """
    levels = _by_level(shape)
    named: dict[Ranks, Prefix] = {(): ()}
    for level in levels:
        open_nodes = [parent for parent in dict.fromkeys(ranks[:-1] for ranks in level) if parent in named]
        if not open_nodes:
            break
        wanted = max(ranks[-1] for ranks in level) + 1
        rows = rows_after(draft, [named[parent] for parent in open_nodes])
        tables = {parent: likeliest(row, wanted) for parent, row in zip(open_nodes, rows, strict=False)}
        for ranks in level:
            table = tables.get(ranks[:-1], [])
            if ranks[-1] < len(table):
                named[ranks] = (*named[ranks[:-1]], table[ranks[-1]][0])
    return tree_of(path for path in named.values() if path)


def _by_level(shape: Iterable[Sequence[int]]) -> list[list[Ranks]]:
    """The shape's nodes level by level, each level sorted."""
    nodes = {tuple(ranks) for ranks in shape} - {()}
    for ranks in sorted(nodes):
        if min(ranks) < 0:
            raise InputError("ranks >= 0", str(list(ranks)), "shape", "0 is the likeliest child; remove padding")
        if ranks[:-1] and ranks[:-1] not in nodes:
            raise InputError("every node with its parent", f"{list(ranks)} alone", "shape", f"add {list(ranks[:-1])}")
    levels: list[list[Ranks]] = [[] for _ in range(max(map(len, nodes), default=0))]
    for ranks in sorted(nodes):
        levels[len(ranks) - 1].append(ranks)
    return levels
