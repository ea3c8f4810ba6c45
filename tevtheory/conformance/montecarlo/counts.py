"""Integer counts of outcomes: sparse, sorted by code, merged by adding.

The outcome (node, token) has the code node * vocabulary + token. Counts are all the data a run keeps, so nothing depends
on the order in which blocks of samples are drawn; only the pairs of neighbours, kept apart, do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each outcome came: `codes` (sorted, distinct) and `counts` (positive), int64 vectors of one length.

    >>> two = Counts.of([5, 1, 5]).plus(Counts.of([1]))
    >>> two.codes.tolist(), two.counts.tolist(), two.total
    ([1, 5], [2, 2], 4)
    """

    codes: Ints
    counts: Ints

    @classmethod
    def of(cls, codes: npt.ArrayLike) -> Counts:
        """Count a vector of codes."""
        found, counts = np.unique(np.asarray(codes, dtype=np.int64), return_counts=True)
        return cls(found, counts.astype(np.int64))

    @classmethod
    def summed(cls, codes: Ints, counts: Ints) -> Counts:
        """Add up the counts of equal codes, in any order; codes of count 0 are left out."""
        kept = counts != 0
        codes, counts = codes[kept], counts[kept]
        if len(codes) == 0:
            return cls(codes, counts)
        order = np.argsort(codes, kind="stable")  # linear on two sorted runs
        codes, counts = codes[order], counts[order]
        first = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
        return cls(codes[first], np.add.reduceat(counts, first))

    @property
    def total(self) -> int:
        """Number of outcomes counted."""
        return int(self.counts.sum())

    def plus(self, other: Counts) -> Counts:
        """The counts of both."""
        joined = np.concatenate([self.codes, other.codes])
        return Counts.summed(joined, np.concatenate([self.counts, other.counts]))

    def dense(self, size: int) -> Ints:
        """All counts by code, zeros included: a vector of `size` entries."""
        full = np.zeros(size, dtype=np.int64)
        full[self.codes] = self.counts
        return full

    def at(self, codes: Ints) -> Ints:
        """The counts of given codes.

        >>> Counts.of([5, 1, 5]).at(np.array([0, 5])).tolist()
        [0, 2]
        """
        if len(self.codes) == 0:
            return np.zeros(len(codes), dtype=np.int64)
        place = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.where(self.codes[place] == codes, self.counts[place], 0)


NOTHING = Counts(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def pair_counts(labels: Ints, groups: int) -> Ints:
    """How often group b follows group a, over neighbours in one vector of labels: shape (groups, groups).

    >>> pair_counts(np.array([0, 1, 1]), 2).tolist()
    [[0, 1], [0, 1]]
    """
    pairs = labels[:-1] * groups + labels[1:]
    return np.bincount(pairs, minlength=groups * groups).reshape(groups, groups).astype(np.int64)


def log_mean_exp(values: Floats | Iterable[float]) -> float:
    """The logarithm of the average of e-values given by their logarithms.

    >>> log_mean_exp([0.0, 0.0]), log_mean_exp([float("inf"), 0.0])
    (0.0, inf)
    """
    logs = np.asarray(list(values) if not isinstance(values, np.ndarray) else values, dtype=np.float64).ravel()
    top = float(logs.max())
    if not np.isfinite(top):
        return top
    return top + float(np.log(np.mean(np.exp(logs - top))))
