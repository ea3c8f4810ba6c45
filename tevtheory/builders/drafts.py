"""Drafts: what a drafter says of the next token after each path, and what every builder makes of it.

The one tie rule: the larger score comes first, then the shorter path, then the smaller token string. The score of a path is
the product of the draft's probabilities along it. Weights of float rows are lifted to the rationals they stand for, so that
scores neither round nor underflow, and a tie is a tie.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tevtheory.errors import InputError
from tevtheory.rows import FloatRow, Row, make_row
from tevtheory.targets import Prefix
from tevtheory.trees import ROOT, DraftTree
from tevtheory.weights import exact_float

Draft = Callable[[Sequence[Prefix]], Sequence[Row]]
"""The drafter's next-token row after each path. It is called once per level with paths of one length, so that a model can
batch them; an empty answer says that it sees no further. Rows may be lists; a FloatRow is read without a copy."""

Scored = tuple[Any, Prefix]
"""A path with its score."""


@dataclass(frozen=True)
class Marginals:
    """A draft with one row per position: the row after a path depends on the path's length only."""

    rows: tuple[Row, ...]

    def __call__(self, paths: Sequence[Prefix]) -> Sequence[Row]:
        """The position's row for every path; nothing past the last position."""
        return [self.rows[len(path)] for path in paths if len(path) < len(self.rows)]


def marginals(rows: Sequence[Any]) -> Marginals:
    """The draft of a block-diffusion drafter: `rows[i]` is the law of the token at position i, whatever came before.

    Trees are no deeper than there are rows. Raises InputError on no rows, on rows of different lengths, and on rows that
    are no laws.

    >>> draft = marginals([["1/4", "3/4"], ["1/2", "1/2"]])
    >>> [str(row[1]) for row in draft([(0,), (1,)])], draft([(0, 1)])
    (['1/2', '1/2'], [])
    """
    made = tuple(make_row(row, f"marginal of position {i}") for i, row in enumerate(rows))
    if not made:
        raise InputError("at least one row", "none", "marginals", "give one row per drafted position")
    for i, row in enumerate(made):
        if len(row) != len(made[0]):
            got = f"{len(row)} weights, and {len(made[0])} at position 0"
            raise InputError("rows of one length", got, f"marginal of position {i}", "give one weight per token")
    return Marginals(made)


def rows_after(draft: Draft, paths: Sequence[Prefix]) -> list[Row]:
    """One checked row per path of a level, or none at all where the draft sees no further.

    Raises InputError where the draft answers with another number of rows, or with none at the root.

    >>> rows_after(marginals([["1/2", "1/2"]]), [(0,), (1,)])
    []
    """
    answer = draft(paths)
    if len(answer) == len(paths) or (len(answer) == 0 and paths[0]):
        return [make_row(row, f"draft row after {list(path)}") for path, row in zip(paths, answer, strict=False)]
    got = f"{len(answer)} rows for {len(paths)} paths"
    raise InputError("one row per path", got, f"draft at depth {len(paths[0])}", "answer every path, in their order")


def likeliest(row: Row, count: int) -> list[tuple[int, Any]]:
    """The tokens of largest positive probability with their probabilities as exact numbers, ties to smaller tokens.

    >>> [(token, str(p)) for token, p in likeliest(FloatRow([1.0, 0.0, 2.0, 1.0]), 2)]
    [(2, '1/2'), (0, '1/4')]
    """
    if not isinstance(row, FloatRow):
        return row.largest(count)
    total = exact_float(row.total())
    return [(token, exact_float(weight) / total) for token, weight in row.largest(count)]


def first(scored: Iterable[Scored], count: int) -> list[Scored]:
    """The first paths by the tie rule.

    >>> first([(1, (0, 0)), (2, (3,)), (1, (2,)), (1, (1,))], 3)
    [(2, (3,)), (1, (1,)), (1, (2,))]
    """
    return heapq.nsmallest(count, scored, key=lambda entry: (-entry[0], len(entry[1]), entry[1]))


def tree_of(paths: Iterable[Prefix]) -> DraftTree:
    """The draft tree of some paths, numbered in the order given; every path comes after its parent.

    >>> print(tree_of([(1,), (0,), (1, 1)]))
    [1 [1] 0]
    """
    numbers: dict[Prefix, int] = {(): ROOT}
    parents, tokens = [-1], [-1]
    for path in paths:
        parents.append(numbers[path[:-1]])
        tokens.append(path[-1])
        numbers[path] = len(numbers)
    return DraftTree(parents, tokens)


def check_limits(budget: int, depth: int | None, where: str) -> None:
    """Refuse a negative budget and a depth below 1 (None: as deep as budget and draft allow).

    >>> check_limits(3, 0, "EAGLE-2 tree")
    Traceback (most recent call last):
    tevtheory.errors.InputError: EAGLE-2 tree: expected a depth >= 1, got 0; for the root alone give budget 0
    """
    if budget < 0:
        raise InputError("a budget >= 0", str(budget), where, "count drafted tokens, not the root")
    if depth is not None and depth < 1:
        raise InputError("a depth >= 1", str(depth), where, "for the root alone give budget 0")
