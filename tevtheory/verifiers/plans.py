"""What several verifiers work out once per tree. Each computes its own; nothing is shared with `exitlaw`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from tevtheory.targets import Problem
from tevtheory.weights import Kind


def bonus_rows(problem: Problem) -> list[tuple[Any, ...]]:
    """The target's row at every node with its children's tokens set to 0."""
    rows = []
    for row, children in zip(problem.rows, problem.tree.child_maps, strict=True):
        nothing = row[0] * 0
        rows.append(tuple([nothing if token in children else weight for token, weight in enumerate(row)]))
    return rows


def like_rows(problem: Problem, constant: Any) -> Any:
    """An exact constant in the number type of the rows."""
    return float(constant) if problem.target.kind is Kind.FLOAT else constant


@dataclass(frozen=True)
class Trial:
    """One acceptance test: take `child` with probability part / left."""

    child: int
    part: Any
    left: Any


@dataclass(frozen=True)
class Trials:
    """Per node the acceptance tests in order, the row the bonus comes from when all fail, and whether it has no mass."""

    tests: list[list[Trial]]
    bonus: list[tuple[Any, ...]]
    exhausted: list[bool]


def trials(problem: Problem, node: int, order: Sequence[int]) -> list[Trial]:
    """The sequential tests at a node: each child against the mass its predecessors left."""
    row, left, tests = problem.rows[node], problem.rows[node].total(), []
    for child in order:
        part = row[problem.tree.tokens[child]]
        tests.append(Trial(child, part, left))
        left = left - part
    return tests


def cumulative(problem: Problem) -> list[list[Any]]:
    """Left-to-right sums of every row."""
    return [list(accumulate(row)) for row in problem.rows]
