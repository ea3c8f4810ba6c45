"""Rows for small trees: random rationals, and the patterns in which verifiers go wrong.

Draft tokens are a seeded random injection into a vocabulary of (most children + 2), so that children and other tokens
interleave and every node has at least two tokens that are no child.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product
from math import prod

from tevtheory.enumeration.shapes import Shape
from tevtheory.rows import TupleRow
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import DraftTree
from tevtheory.weights import mpq

Fill = Callable[[Sequence[bool], random.Random], list[int]]
"""Integer weights for a row: positive exactly where the support says."""


def rational(support: Sequence[bool], rng: random.Random, largest: int = 97) -> list[int]:
    """Random weights without structure: generic rationals."""
    return [rng.randint(1, largest) if positive else 0 for positive in support]


def tied(support: Sequence[bool], rng: random.Random) -> list[int]:
    """Weights 1 and 2 only, so that tokens tie."""
    return rational(support, rng, largest=2)


def dyadic(support: Sequence[bool], rng: random.Random, bits: int = 6) -> list[int]:
    """Random weights that sum to a power of two: their floats, and all sums of them, are exact.

    >>> sum(dyadic([True, False, True, True], random.Random(0)))
    64
    """
    count = sum(support)
    total = max(1 << bits, 1 << (2 * count).bit_length())
    ends = [0, *sorted(rng.sample(range(1, total), count - 1)), total]
    parts = iter([high - low for low, high in pairwise(ends)])
    return [next(parts) if positive else 0 for positive in support]


def vocabulary_for(shape: Shape) -> int:
    """Most children of a node, plus 2."""
    return max(shape.count(v) for v in range(len(shape))) + 2


def label(shape: Shape, rng: random.Random) -> DraftTree:
    """Give every node's children distinct random tokens."""
    vocabulary = vocabulary_for(shape)
    fans = [shape.count(v) for v in range(len(shape))]
    upcoming = [iter(rng.sample(range(vocabulary), fan)) for fan in fans]
    return DraftTree(shape, (-1, *(next(upcoming[parent]) for parent in shape[1:])))


def row_of(weights: Sequence[int]) -> TupleRow:
    """The exact row in proportion to integer weights."""
    total = sum(weights)
    return TupleRow(mpq(weight, total) for weight in weights)


def full_rows(tree: DraftTree, size: int, rng: random.Random, fill: Fill) -> list[TupleRow]:
    """A row of positive weights for every node."""
    return [row_of(fill([True] * size, rng)) for _ in range(tree.size)]


Pattern = tuple[tuple[bool, ...], ...]
"""Per node: for each child whether its probability is positive, and last whether other tokens have mass at all."""


def zero_patterns(tree: DraftTree) -> Iterator[Pattern]:
    """Every choice, per node, of which children have probability 0 and of whether the children hold all mass."""
    options = [
        [pattern for pattern in product((True, False), repeat=len(children) + 1) if any(pattern)]
        for children in tree.children
    ]
    return product(*options)


def zero_pattern_count(shape: Shape) -> int:
    """Number of zero patterns of a shape: the product over nodes of 2^(children + 1) - 1.

    >>> from tevtheory.enumeration.shapes import unlabelled_shapes
    >>> [sum(zero_pattern_count(shape) for shape in unlabelled_shapes(n)) for n in range(1, 8)]
    [1, 3, 16, 84, 503, 2964, 19004]
    """
    return prod(2 ** (shape.count(v) + 1) - 1 for v in range(len(shape)))


def zero_pattern_rows(tree: DraftTree, pattern: Pattern, size: int, rng: random.Random, fill: Fill) -> list[TupleRow]:
    """Random rows with exactly the zeros a pattern asks for."""
    rows = []
    for children, marks in zip(tree.children, pattern, strict=True):
        support = [marks[-1]] * size
        for child, positive in zip(children, marks, strict=False):
            support[tree.tokens[child]] = positive
        rows.append(row_of(fill(support, rng)))
    return rows


def one_hot_rows(tree: DraftTree, exit_node: int, size: int, rng: random.Random) -> list[TupleRow]:
    """Temperature 0: the target walks to the exit node and leaves there; other rows are one-hot anywhere."""
    hot = [rng.randrange(size) for _ in range(tree.size)]
    hot[exit_node] = rng.choice([token for token in range(size) if tree.child(exit_node, token) is None])
    for v in tree.ancestors(exit_node):
        if v:
            hot[tree.parents[v]] = tree.tokens[v]
    return [row_of([int(token == at) for token in range(size)]) for at in hot]


def problem_of(tree: DraftTree, rows: Sequence[TupleRow], rng: random.Random, fill: Fill) -> Problem:
    """A problem with the given target rows and proposal rows of positive weights."""
    return Problem(TargetTree(tree, rows), full_rows(tree, len(rows[0]), rng, fill))
