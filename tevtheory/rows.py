"""Next-token rows: exact or symbolic tuples, or read-only float64 vectors."""

from __future__ import annotations

import heapq
import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tevtheory.errors import InputError
from tevtheory.weights import ZERO, Kind, lift, show


class Row(Sequence[Any]):
    """A next-token row: one weight per token of the vocabulary."""

    __slots__ = ()

    @abstractmethod
    def total(self) -> Any:
        """Sum of the row: exactly 1 for exact rows; float rows are weights."""

    @abstractmethod
    def outside(self, tokens: Iterable[int]) -> Any:
        """Mass of all tokens but the given ones, summed directly, never as 1 - sum."""

    @abstractmethod
    def largest(self, count: int, without: Iterable[int] = ()) -> list[tuple[int, Any]]:
        """The tokens of largest positive weight with their weights, ties to smaller tokens; some tokens left out."""


class TupleRow(tuple[Any, ...], Row):
    """A row of exact numbers or symbols."""

    __slots__ = ()

    def total(self) -> Any:
        """Sum of the row."""
        return sum(self)

    def outside(self, tokens: Iterable[int]) -> Any:
        """Mass of all tokens but the given ones."""
        skip = frozenset(tokens)
        return sum((weight for token, weight in enumerate(self) if token not in skip), start=0 * self[0])

    def largest(self, count: int, without: Iterable[int] = ()) -> list[tuple[int, Any]]:
        """The tokens of largest positive weight with their weights."""
        skip = frozenset(without)
        entries = ((token, weight) for token, weight in enumerate(self) if weight > 0 and token not in skip)
        return heapq.nsmallest(count, entries, key=lambda entry: (-entry[1], entry[0]))


class FloatRow(Row):
    """A read-only float64 row; `vector` is the array itself."""

    __slots__ = ("vector",)

    def __init__(self, values: Any) -> None:
        self.vector = np.array(values, dtype=np.float64)
        self.vector.flags.writeable = False

    def __getitem__(self, token: Any) -> Any:
        return float(self.vector[token])

    def __len__(self) -> int:
        return len(self.vector)

    def __iter__(self) -> Iterator[float]:
        return iter(self.vector.tolist())

    def __eq__(self, other: object) -> bool:
        return bool(np.array_equal(self.vector, other.vector)) if isinstance(other, FloatRow) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.vector.tolist()))

    def __reduce__(self) -> tuple[type[FloatRow], tuple[list[float]]]:
        return FloatRow, (self.vector.tolist(),)  # copies are read-only too

    def __repr__(self) -> str:
        return f"FloatRow({self.vector.tolist()})"

    def total(self) -> float:
        """Sum of the row."""
        return float(self.vector.sum())

    def outside(self, tokens: Iterable[int]) -> float:
        """Mass of all tokens but the given ones."""
        mask = np.ones(len(self.vector), dtype=bool)
        mask[list(tokens)] = False
        return float(self.vector[mask].sum())

    def largest(self, count: int, without: Iterable[int] = ()) -> list[tuple[int, float]]:
        """The tokens of largest positive weight with their weights."""
        weights = self.vector
        if skip := list(without):
            weights = weights.copy()
            weights[skip] = 0
        if count <= 0:
            return []
        rank = len(weights) - min(count, len(weights))
        least = np.partition(weights, rank)[rank]  # only what is as large as the last one needs sorting
        tokens = np.flatnonzero((weights >= least) & (weights > 0))
        order = tokens[np.argsort(-weights[tokens], kind="stable")[:count]]
        return list(zip(order.tolist(), weights[order].tolist(), strict=True))


def float_vector(row: Row) -> npt.NDArray[np.float64]:
    """A row as a float64 vector; exact numbers are rounded.

    >>> float_vector(make_row(["1/4", "3/4"], "row")).tolist()
    [0.25, 0.75]
    """
    return row.vector if isinstance(row, FloatRow) else np.array([float(weight) for weight in row])


def make_row(values: Any, where: str) -> Row:
    """Read one row: exact numbers must sum to exactly 1, floats need a positive total, symbols are taken as they are.

    >>> make_row(["1/2", "1/4"], "row 0")
    Traceback (most recent call last):
    tevtheory.errors.InputError: row 0: expected a sum of exactly 1, got 3/4 (1/4 too little); correct or normalise the row
    """
    if isinstance(values, (TupleRow, FloatRow)):
        return values
    if isinstance(values, np.ndarray) and values.dtype != object:
        if values.dtype == np.float64 and values.ndim == 1 and values.size and _fit(values):
            return FloatRow(values)  # a real vocabulary: not one number at a time
        values = values.tolist()
    if isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, np.ndarray)) or len(values) == 0:
        raise InputError("a list of weights, one per token", repr(values), where, "give at least one weight")
    kind, lifted = lift(list(values), where)
    if kind is Kind.FLOAT:
        if not 0 < sum(lifted) < math.inf:
            raise InputError("a positive total", show(sum(lifted)), where, "give at least one positive, finite weight")
        return FloatRow(lifted)
    if kind is Kind.EXACT:
        gap = sum(lifted, start=ZERO) - 1
        if gap:
            off = f"{show(gap + 1)} ({show(abs(gap))} too {'much' if gap > 0 else 'little'})"
            raise InputError("a sum of exactly 1", off, where, "correct or normalise the row")
    return TupleRow(lifted)


def _fit(values: Any) -> bool:
    """Whether a float64 vector is a row; where it is none, the slow way says what is wrong."""
    return bool((values >= 0).all() and 0 < values.sum() < math.inf)
