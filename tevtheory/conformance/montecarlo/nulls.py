"""The null hypothesis as arrays: the target tree in float64, and families of tables with known probabilities."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tevtheory.conformance.montecarlo.counts import Counts, Floats, Ints
from tevtheory.conformance.montecarlo.evalues import CONCENTRATIONS, SMALLEST, tables_log_e
from tevtheory.errors import InputError
from tevtheory.rows import Row, float_vector
from tevtheory.targets import TargetTree
from tevtheory.weights import Kind

TOPS = (30, 300, 3000)
"""Resolutions: so many of the most probable cells stay single, the others are pooled by powers of two."""

OCTAVES = 64

GROUPS = 16
"""So many groups of outcomes are told apart where dependence is tested."""


@dataclass(frozen=True, eq=False)
class Tables:
    """Tables of one width with known probabilities: `p` has `segments` * `width` entries, zeros where nothing may come.

    Cell x of table s has the code s * width + x.

    >>> tables = Tables(np.array([0.5, 0.25, 0.25, 1.0, 0.0, 0.0]), 2)
    >>> tables.width, tables.resolutions, tables.cells
    (3, (3,), 4)
    """

    p: Floats
    segments: int
    _pooled: dict[int, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def width(self) -> int:
        """Cells per table."""
        return len(self.p) // self.segments

    @cached_property
    def cells(self) -> int:
        """Number of cells of positive probability."""
        return int(np.count_nonzero(self.p))

    @property
    def resolutions(self) -> tuple[int, ...]:
        """How many cells stay single; the last is all of them."""
        return (*(top for top in TOPS if top < self.width), self.width)

    @cached_property
    def rank(self) -> Ints:
        """The place of each cell in its table, most probable first."""
        order = np.argsort(-self.p.reshape(self.segments, -1), axis=1, kind="stable")
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.arange(self.width)[None, :], axis=1)
        return rank.ravel()

    def log_e(self, seen: Counts, totals: Ints, top: int) -> Floats:
        """Ln E_c of every table at one resolution: shape (segments, concentrations)."""
        if top == self.width:
            starts = np.searchsorted(seen.codes, np.arange(self.segments + 1) * self.width)
            return tables_log_e(starts, seen.counts, self.p[seen.codes], totals, CONCENTRATIONS)
        groups = top + OCTAVES
        sums = np.bincount(self._group(seen.codes, top), seen.counts, minlength=self.segments * groups)
        starts = np.arange(self.segments + 1) * groups
        return tables_log_e(starts, sums.astype(np.int64), self._pooled_p(top), totals, CONCENTRATIONS)

    def _group(self, codes: Ints, top: int) -> Ints:
        """The pooled cell of each code."""
        rank, p = self.rank[codes], np.maximum(self.p[codes], SMALLEST)
        octave = np.minimum(-np.log2(p), OCTAVES - 1).astype(np.int64)
        return codes // self.width * (top + OCTAVES) + np.where(rank < top, rank, top + octave)

    def _pooled_p(self, top: int) -> Floats:
        if top not in self._pooled:
            group = self._group(np.arange(len(self.p)), top)
            self._pooled[top] = np.bincount(group, self.p, minlength=self.segments * (top + OCTAVES))
        pooled: Floats = self._pooled[top]
        return pooled


@dataclass(frozen=True, eq=False)
class Null:
    """A target tree in float64: `rows` are the next-token tables (N, V), `outcomes` the canonical law as one table.

    `flow` is F(v); `child_codes[c - 1]` the code (parent, token) of node c. Rows are divided by their totals.
    Raises InputError on symbolic rows.

    >>> from tevtheory.examples import C2
    >>> null = Null.of(C2)
    >>> null.outcomes.p.tolist(), null.ceiling
    ([0.0, 0.5, 0.125, 0.0, 0.375, 0.0], 1.875)
    """

    target: TargetTree
    rows: Tables
    outcomes: Tables
    flow: Floats
    child_codes: Ints

    @classmethod
    def of(cls, target: TargetTree) -> Null:
        """Work out the arrays once per target tree."""
        if target.kind is Kind.SYMBOLIC:
            raise InputError("exact or float rows", "symbolic ones", "target tree", "put numbers in for the symbols")
        tree, width = target.tree, target.vocabulary
        rows = np.array([_normalised(row) for row in target.rows])
        parents, tokens = np.array(tree.parents, dtype=np.int64), np.array(tree.tokens, dtype=np.int64)
        flow = np.ones(tree.size)
        for v in range(1, tree.size):
            flow[v] = flow[parents[v]] * rows[parents[v], tokens[v]]
        codes = parents[1:] * width + tokens[1:]
        outcomes = (rows * flow[:, None]).ravel()
        outcomes[codes] = 0.0
        outcomes[outcomes < SMALLEST] = 0.0
        return cls(target, Tables(rows.ravel(), tree.size), Tables(outcomes / outcomes.sum(), 1), flow, codes)

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.flow)

    @property
    def vocabulary(self) -> int:
        """Number of tokens."""
        return self.rows.width

    @property
    def ceiling(self) -> float:
        """The largest E[length] of an exact verifier."""
        return float(self.flow.sum())

    @cached_property
    def lengths(self) -> Ints:
        """Block length of an exit at each node."""
        return np.array(self.target.tree.depths, dtype=np.int64) + 1

    def row(self, node: int) -> Floats:
        """The normalised row of a node."""
        return self.rows.p[node * self.vocabulary : (node + 1) * self.vocabulary]

    @cached_property
    def groups(self) -> Ints:
        """Outcomes in groups of about equal probability: the group of each code; shape (N V)."""
        p = self.outcomes.p
        order = np.argsort(-p, kind="stable")
        reached = np.cumsum(p[order])
        groups = np.empty(len(p), dtype=np.int64)
        groups[order] = np.clip((reached - p[order] / 2) * GROUPS, 0, GROUPS - 1).astype(np.int64)
        return groups

    @cached_property
    def group_p(self) -> Floats:
        """The probability of each group."""
        return np.bincount(self.groups, self.outcomes.p, minlength=GROUPS).astype(np.float64)

    def exits(self, seen: Counts) -> Ints:
        """Outcomes by exit node: shape (N,)."""
        return np.bincount(seen.codes // self.vocabulary, seen.counts, minlength=self.size).astype(np.int64)

    def extending(self, seen: Counts) -> Ints:
        """How many blocks strictly extend each node: those that exit at it or below."""
        below = self.exits(seen)
        for v in range(self.size - 1, 0, -1):
            below[self.target.tree.parents[v]] += below[v]
        return below

    def next_tokens(self, seen: Counts) -> tuple[Counts, Ints]:
        """How many blocks follow node s with token x, and their totals by node.

        A block that ends on a child node follows its parent with that child's token, and the child with nothing.
        """
        below = self.extending(seen)
        deeper = Counts.summed(self.child_codes, below[1:])
        return seen.plus(deeper), below

    @cached_property
    def _branch_cells(self) -> tuple[Ints, Ints, Floats]:
        """Where each node's children and its rest lie in the branch tables, the tables' starts, and probabilities."""
        parents = np.array(self.target.tree.parents[1:], dtype=np.int64)
        order = np.argsort(parents, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(parents, minlength=self.size) + 1)])
        place = np.empty(self.size - 1, dtype=np.int64)
        place[order] = np.arange(self.size - 1) + parents[order]  # one rest before each later node
        p = np.empty(starts[-1])
        p[place] = self.rows.p[self.child_codes]
        outside = self.rows.p.copy()
        outside[self.child_codes] = 0.0
        p[starts[1:] - 1] = outside.reshape(self.size, -1).sum(axis=1)
        return place, starts, p

    def branches_log_e(self, following: Counts, totals: Ints) -> Floats:
        """Ln E_c of every node's branch table (its children, and leaving the tree): shape (N, concentrations)."""
        place, starts, p = self._branch_cells
        counts = np.zeros(len(p), dtype=np.int64)
        children = following.at(self.child_codes)
        counts[place] = children
        parents = np.array(self.target.tree.parents[1:], dtype=np.int64)
        taken = np.bincount(parents, children, minlength=self.size).astype(np.int64)
        counts[starts[1:] - 1] = totals - taken
        return tables_log_e(starts, counts, p, totals, CONCENTRATIONS)


def _normalised(row: Row) -> Any:
    """A row as float64, divided by its total; what is too small ever to be seen counts as 0."""
    values = float_vector(row)
    values = values / values.sum()
    values[values < SMALLEST] = 0.0
    return values
