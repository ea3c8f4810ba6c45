"""The polytope of exact laws by brute force: subtrees, vertices from bases, and dimension as a rank, in rationals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, product
from typing import Any

from tevtheory.exitlaw import flow
from tevtheory.targets import TargetTree
from tevtheory.trees import ROOT, DraftTree, Exit
from tevtheory.weights import ONE, ZERO, mpq


def antichains(tree: DraftTree) -> Iterator[tuple[int, ...]]:
    """The nodes of every rooted subtree, one for each antichain that cuts it out.

    >>> sorted(antichains(DraftTree((-1, 0, 1), (-1, 0, 0))))
    [(0,), (0, 1), (0, 1, 2)]
    """
    yield from (tuple(sorted(kept)) for kept in _below(tree, ROOT))


def _below(tree: DraftTree, node: int) -> list[list[int]]:
    options = [[[], *_below(tree, child)] for child in tree.children[node]]
    return [[node, *chain.from_iterable(picks)] for picks in product(*options)]


def vertices(tree: DraftTree) -> set[tuple[int, ...]]:
    """The vertices of {d >= 0, sums of d along paths <= 1}: every basis is solved and kept if it is feasible.

    >>> sorted(vertices(DraftTree((-1, 0, 1), (-1, 0, 0))))
    [(mpq(0,1), mpq(0,1)), (mpq(0,1), mpq(1,1)), (mpq(1,1), mpq(0,1))]
    """
    size = tree.budget
    rows: list[tuple[list[Any], Any]] = [([-ONE * (v == u) for v in range(size)], ZERO) for u in range(size)]
    for u in range(1, size + 1):
        above = set(tree.ancestors(u))
        rows.append(([ONE * (v in above) for v in range(1, size + 1)], ONE))
    found = set()
    for basis in combinations(rows, size):
        point = _solve([[*row, bound] for row, bound in basis])
        if point is not None and all(_dot(row, point) <= bound for row, bound in rows):
            found.add(point)
    return found


def _dot(row: Sequence[Any], point: Sequence[Any]) -> Any:
    return sum((a * b for a, b in zip(row, point, strict=True)), start=ZERO)


def _reduce(rows: list[list[Any]], columns: int) -> list[int]:
    """Reduced row echelon form in place; gives the pivot columns."""
    pivots: list[int] = []
    for column in range(columns):
        top = len(pivots)
        at = next((i for i in range(top, len(rows)) if rows[i][column] != 0), None)
        if at is None:
            continue
        rows[top], rows[at] = rows[at], rows[top]
        lead = rows[top][column]
        rows[top] = [entry / lead for entry in rows[top]]
        for i, row in enumerate(rows):
            if i != top and row[column] != 0:
                factor = row[column]
                rows[i] = [a - factor * b for a, b in zip(row, rows[top], strict=True)]
        pivots.append(column)
    return pivots


def _solve(rows: list[list[Any]]) -> tuple[Any, ...] | None:
    """The point where square equations meet; None where there is not exactly one."""
    size = len(rows)
    return tuple(row[-1] for row in rows) if len(_reduce(rows, size)) == size else None


def affine_dimension(target: TargetTree) -> int:
    """Dimension of the laws on exits of positive probability that obey all local equalities.

    >>> from tevtheory.examples import C2
    >>> affine_dimension(C2)
    2
    """
    ends, rows = local_equalities(target)
    return len(ends) - len(_reduce([*rows, [ONE] * len(ends)], len(ends)))


def local_equalities(target: TargetTree) -> tuple[list[Exit], list[list[Any]]]:
    """The exits of positive probability; per string sx: P(block starts with sx) - p(x | s) P(block strictly extends s)."""
    tree, flows = target.tree, flow(target)
    ends = [Exit(v, x) for v in range(tree.size) for x, p in enumerate(target.rows[v]) if flows[v] * p > 0]
    under = [set(tree.ancestors(end.node)) for end in ends]
    rows = []
    for s in range(tree.size):
        for x in range(target.vocabulary):
            child, p = tree.child(s, x), target.rows[s][x]
            starts = [end == (s, x) or child in above for end, above in zip(ends, under, strict=True)]
            rows.append([mpq(int(begins)) - p * (s in above) for begins, above in zip(starts, under, strict=True)])
    return ends, rows
