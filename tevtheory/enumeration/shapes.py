"""All small trees, each kind with a function that counts it independently.

A shape is a tuple of parents in preorder, the root's being -1.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from math import comb

from tevtheory.errors import InputError
from tevtheory.trees import DraftTree

Shape = tuple[int, ...]


def unlabelled_shapes(nodes: int) -> Iterator[Shape]:
    """Every rooted tree with that many nodes, up to order of children (Beyer and Hedetniemi's level sequences).

    >>> list(unlabelled_shapes(3))
    [(-1, 0, 1), (-1, 0, 0)]
    """
    _check(nodes)
    levels = list(range(nodes))
    while True:
        yield _parents(levels)
        last = max((i for i, level in enumerate(levels) if level > 1), default=None)
        if last is None:
            return
        copied = max(i for i in range(last) if levels[i] == levels[last] - 1)
        period = last - copied
        levels[last:] = [levels[copied + (i - last) % period] for i in range(last, nodes)]


@cache
def unlabelled_count(nodes: int) -> int:
    """Number of rooted trees up to order of children (A000081): 1, 1, 2, 4, 9, 20, 48, ...

    >>> sum(unlabelled_count(n) for n in range(1, 13))
    7813
    """
    _check(nodes)
    if nodes == 1:
        return 1
    m = nodes - 1
    divided = [sum(d * unlabelled_count(d) for d in range(1, k + 1) if k % d == 0) for k in range(1, m + 1)]
    return sum(divided[k - 1] * unlabelled_count(nodes - k) for k in range(1, m + 1)) // m


def ordered_shapes(nodes: int) -> Iterator[Shape]:
    """Every rooted tree with that many nodes and ordered children.

    >>> list(ordered_shapes(3))
    [(-1, 0, 0), (-1, 0, 1)]
    """
    _check(nodes)
    levels = [0] + [1] * (nodes - 1)
    while True:
        yield _parents(levels)
        last = max((i for i in range(1, nodes) if levels[i] <= levels[i - 1]), default=None)
        if last is None:
            return
        levels[last] += 1
        levels[last + 1 :] = [1] * (nodes - last - 1)


def ordered_count(nodes: int) -> int:
    """Number of ordered rooted trees: the Catalan number of nodes - 1.

    >>> [ordered_count(n) for n in range(1, 9)]
    [1, 1, 2, 5, 14, 42, 132, 429]
    """
    _check(nodes)
    return comb(2 * (nodes - 1), nodes - 1) // nodes


def draft_trees(nodes: int, vocabulary: int) -> Iterator[DraftTree]:
    """Every draft tree with that many nodes over tokens 0..vocabulary-1, as sets of strings: siblings ascend.

    >>> [str(tree) for tree in draft_trees(2, 2)]
    ['[0]', '[1]']
    """
    for shape in ordered_shapes(nodes):
        fans = [shape.count(v) for v in range(nodes)]
        for picks in product(*(combinations(range(vocabulary), fan) for fan in fans)):
            upcoming = [iter(pick) for pick in picks]
            yield DraftTree(shape, (-1, *(next(upcoming[parent]) for parent in shape[1:])))


def draft_tree_count(nodes: int, vocabulary: int) -> int:
    """Number of draft trees over a vocabulary: the Fuss-Catalan number C(V n, n) / ((V - 1) n + 1).

    >>> [draft_tree_count(n, 2) for n in range(1, 6)]
    [1, 2, 5, 14, 42]
    """
    _check(nodes)
    return comb(vocabulary * nodes, nodes) // ((vocabulary - 1) * nodes + 1)


def _parents(levels: list[int]) -> Shape:
    parents, last = [], {-1: -1}
    for v, level in enumerate(levels):
        parents.append(last[level - 1])
        last[level] = v
    return tuple(parents)


def _check(nodes: int) -> None:
    if nodes < 1:
        raise InputError("at least 1 node", str(nodes), "number of nodes", "the smallest tree is a root alone")
