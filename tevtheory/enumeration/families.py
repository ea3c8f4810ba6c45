"""Families of small problems, each cut into chunks that can be generated anywhere from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from tevtheory.enumeration.rows import (
    Fill,
    full_rows,
    label,
    one_hot_rows,
    problem_of,
    rational,
    row_of,
    tied,
    vocabulary_for,
    zero_pattern_count,
    zero_pattern_rows,
    zero_patterns,
)
from tevtheory.enumeration.shapes import (
    Shape,
    ordered_count,
    ordered_shapes,
    unlabelled_count,
    unlabelled_shapes,
)
from tevtheory.errors import InputError
from tevtheory.targets import Problem

Problems = Callable[[Shape, random.Random, Fill], Iterator[Problem]]


def _generic(shape: Shape, rng: random.Random, fill: Fill) -> Iterator[Problem]:
    tree = label(shape, rng)
    yield problem_of(tree, full_rows(tree, vocabulary_for(shape), rng, fill), rng, fill)


def _zeros(shape: Shape, rng: random.Random, fill: Fill) -> Iterator[Problem]:
    tree = label(shape, rng)
    for pattern in zero_patterns(tree):
        yield problem_of(tree, zero_pattern_rows(tree, pattern, vocabulary_for(shape), rng, fill), rng, fill)


def _ties(shape: Shape, rng: random.Random, _: Fill) -> Iterator[Problem]:
    tree = label(shape, rng)
    yield problem_of(tree, full_rows(tree, vocabulary_for(shape), rng, tied), rng, rational)


def _one_hot(shape: Shape, rng: random.Random, fill: Fill) -> Iterator[Problem]:
    tree = label(shape, rng)
    for exit_node in range(tree.size):
        yield problem_of(tree, one_hot_rows(tree, exit_node, vocabulary_for(shape), rng), rng, fill)


def _uniform(shape: Shape, rng: random.Random, _: Fill) -> Iterator[Problem]:
    tree = label(shape, rng)
    yield problem_of(tree, [row_of([1] * vocabulary_for(shape))] * tree.size, rng, rational)


@dataclass(frozen=True)
class Family:
    """A row pattern on all shapes of a kind, up to a default size.

    `lossy_max_nodes` is the default size for verifiers that claim no exactness: one counterexample is enough. `path_budget`
    is how many paths a program whose paths multiply may have on one tree before the tree is left out.
    """

    name: str
    meaning: str
    max_nodes: int
    lossy_max_nodes: int
    shapes: Callable[[int], Iterator[Shape]]
    shape_count: Callable[[int], int]
    problems: Problems
    per_shape: Callable[[Shape], int]
    path_budget: int = 500

    def count(self, nodes: int) -> int:
        """Number of problems with that many nodes."""
        return sum(self.per_shape(shape) for shape in self.shapes(nodes))


def _one(_: Shape) -> int:
    return 1


FAMILIES: tuple[Family, ...] = (
    Family(
        "generic", "random rationals, all unlabelled shapes", 12, 9, unlabelled_shapes, unlabelled_count, _generic, _one
    ),
    Family(
        "zeros",
        "every choice of zero children and exhausted rows",
        7,
        5,
        unlabelled_shapes,
        unlabelled_count,
        _zeros,
        zero_pattern_count,
        path_budget=100,  # a shape has hundreds of patterns
    ),
    Family("ordered", "random rationals, all ordered shapes", 8, 6, ordered_shapes, ordered_count, _generic, _one),
    Family(
        "ties", "weights 1 and 2 only, so that siblings tie", 9, 7, unlabelled_shapes, unlabelled_count, _ties, _one
    ),
    Family("one-hot", "temperature 0, every exit", 8, 6, unlabelled_shapes, unlabelled_count, _one_hot, len),
    Family("uniform", "all tokens alike", 9, 7, unlabelled_shapes, unlabelled_count, _uniform, _one),
)


def family(name: str) -> Family:
    """The family of that name; raises InputError for an unknown one."""
    for entry in FAMILIES:
        if entry.name == name:
            return entry
    names = ", ".join(entry.name for entry in FAMILIES)
    raise InputError("a row pattern", repr(name), "patterns", f"choose from {names}")


@dataclass(frozen=True, order=True)
class Chunk:
    """Shapes number start..stop-1 with that many nodes of a family; picklable, and cheap to generate anywhere."""

    nodes: int
    family: str
    start: int
    stop: int
    problems: int

    def generate(self, seed: int, fill: Fill = rational) -> Iterator[tuple[tuple[int, int], Problem]]:
        """The problems with their addresses (shape number, number within the shape); `fill` makes the weights."""
        kind = family(self.family)
        for index, shape in enumerate(islice(kind.shapes(self.nodes), self.start, self.stop), self.start):
            rng = random.Random(f"{seed}/{self.family}/{self.nodes}/{index}")
            for number, problem in enumerate(kind.problems(shape, rng, fill)):
                yield (index, number), problem


def chunks(name: str, max_nodes: int, problems_per_chunk: int = 400) -> Iterator[Chunk]:
    """Cut a family, from 1 node to max_nodes, into chunks of about equal numbers of problems."""
    kind = family(name)
    for nodes in range(1, max_nodes + 1):
        start, held, shape = 0, 0, 0
        for shape, entry in enumerate(kind.shapes(nodes)):
            held += kind.per_shape(entry)
            if held >= problems_per_chunk:
                yield Chunk(nodes, name, start, shape + 1, held)
                start, held = shape + 1, 0
        if held:
            yield Chunk(nodes, name, start, shape + 1, held)
