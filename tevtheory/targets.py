"""Target laws: processed next-token rows, on a tree and off it."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tevtheory.errors import InputError
from tevtheory.rows import FloatRow, Row, TupleRow, make_row
from tevtheory.shown import ShownAsPicture
from tevtheory.trees import ROOT, DraftTree
from tevtheory.weights import Kind, as_symbols, is_exact, mpq, show

Prefix = tuple[int, ...]

_MOST_SHOWN = 128
"""Weights that a repr writes out."""


@dataclass(frozen=True)
class Target:
    """A target law: a function from any prefix (a tuple of tokens) to its processed next-token row.

    `vocabulary` is the number of tokens. Rows are checked and remembered on first use.

    >>> coin = Target.context_free(["1/3", "2/3"])
    >>> coin.row((1, 1, 0))[1] == mpq(2, 3)
    True
    """

    vocabulary: int
    rule: Callable[[Prefix], Any]
    _rows: dict[Prefix, Row] = field(default_factory=dict, init=False, repr=False, compare=False)

    def row(self, prefix: Sequence[int]) -> Row:
        """The row after a prefix; raises InputError where the rule gives none or a wrong one."""
        key = tuple(prefix)
        if key not in self._rows:
            where = f"target row after {list(key)}"
            if outside := [token for token in key if not 0 <= token < self.vocabulary]:
                got, remedy = str(outside[0]), "use the target's vocabulary"
                raise InputError(f"tokens in 0..{self.vocabulary - 1}", got, where, remedy)
            row = make_row(self.rule(key), where)
            if len(row) != self.vocabulary:
                raise InputError(f"{self.vocabulary} weights", str(len(row)), where, "one weight per token")
            self._rows[key] = row
        return self._rows[key]

    @classmethod
    def context_free(cls, row: Sequence[Any]) -> Target:
        """The same row after every prefix."""
        made = make_row(row, "row")
        return cls(len(made), functools.partial(_constant, made))

    @classmethod
    def markov(cls, first: Sequence[Any], after: Sequence[Sequence[Any]]) -> Target:
        """A row that depends on the last token only: `first` at the start, `after[x]` after token x."""
        rows = [make_row(row, f"row after token {x}") for x, row in enumerate(after)]
        return cls(len(rows), functools.partial(_last_token, make_row(first, "first row"), rows))

    @classmethod
    def table(cls, rows: Mapping[Prefix, Any], otherwise: Any = None) -> Target:
        """Rows by prefix; `otherwise` is the row after every other prefix (None: such a prefix is an error)."""
        made = {tuple(prefix): make_row(row, f"row after {list(prefix)}") for prefix, row in rows.items()}
        rest = None if otherwise is None else make_row(otherwise, "row after every other prefix")
        size = len(next(iter(made.values()))) if made else len(rest or ())
        return cls(size, functools.partial(_lookup, made, rest))

    @classmethod
    def seeded(cls, vocabulary: int, seed: int = 0) -> Target:
        """A generic target with memory: random rational rows, a function of the seed and the whole prefix."""
        return cls(vocabulary, functools.partial(_random_row, vocabulary, seed))


def _constant(row: Row, _: Prefix) -> Row:
    return row


def _last_token(first: Row, after: Sequence[Row], prefix: Prefix) -> Row:
    return after[prefix[-1]] if prefix else first


def _lookup(rows: Mapping[Prefix, Row], rest: Row | None, prefix: Prefix) -> Row:
    row = rows.get(prefix, rest)
    if row is None:
        where = f"target row after {list(prefix)}"
        raise InputError("a row", "none", where, "give that row, or a row for every other prefix")
    return row


def _random_row(vocabulary: int, seed: int, prefix: Prefix) -> list[Any]:
    rng = random.Random(f"target/{seed}/{prefix}")
    weights = [rng.randint(1, 97) for _ in range(vocabulary)]
    total = sum(weights)
    return [mpq(weight, total) for weight in weights]


@dataclass(frozen=True, init=False)
class TargetTree(ShownAsPicture):
    """A draft tree with the target's row at every node.

    Shapes: `rows[v]` has one weight per token of the vocabulary, for each node v, leaves included. All rows have one
    number type. Raises InputError on a row that is not a law, a row of another length, mixed types, or a drafted token
    outside the vocabulary.

    >>> chain = TargetTree(DraftTree((-1, 0), (-1, 1)), [["1/2", "1/2"], ["1/4", "3/4"]])
    >>> chain.vocabulary, chain.kind.value, str(chain.rows[1][1])
    (2, 'exact', '3/4')
    """

    tree: DraftTree
    rows: tuple[Row, ...]
    kind: Kind = field(compare=False)

    def __init__(self, tree: DraftTree, rows: Sequence[Any]) -> None:
        made, kind = _rows_alike(tree, rows, "target tree", "row")
        object.__setattr__(self, "tree", tree)
        object.__setattr__(self, "rows", made)
        object.__setattr__(self, "kind", kind)
        for v, row in enumerate(made):
            if tree.tokens[v] >= len(row):
                got = f"token {tree.tokens[v]}"
                where = f"tree, node {v}"
                raise InputError(f"a token in 0..{len(row) - 1}", got, where, "use ids of the target's vocabulary")

    def __repr__(self) -> str:
        count, width = self.tree.size, self.vocabulary
        if count * width > _MOST_SHOWN:
            return f"<TargetTree of {count:,} nodes, {width:,} tokens, {self.kind.value} rows>"
        rows = ", ".join(f"[{', '.join(map(show, row))}]" for row in self.rows)
        return f"TargetTree({self.tree}, rows=[{rows}])"

    @classmethod
    def of(cls, tree: DraftTree, target: Target) -> TargetTree:
        """Take the rows of a target at every node."""
        return cls(tree, [target.row(tree.path(v)) for v in range(tree.size)])

    @property
    def vocabulary(self) -> int:
        """Number of tokens."""
        return len(self.rows[0])

    @property
    def discrepancy(self) -> Any:
        """How far the worst row's total is from 1: 0 for exact rows; the target of a float row is row / total."""
        return max(abs(row.total() - 1) for row in self.rows)

    @property
    def one(self) -> Any:
        """The number 1 in the rows' number type: sums and products that start from it stay in that type."""
        return self.rows[ROOT][0] * 0 + 1

    def edge(self, node: int) -> Any:
        """The target's probability of a node given its parent (1 for the root); floats are divided by their total."""
        if node == ROOT:
            return self.one
        return self.probability(self.tree.parents[node], self.tree.tokens[node])

    def probability(self, node: int, token: int) -> Any:
        """The target's probability of a token at a node."""
        row = self.rows[node]
        return row[token] / row.total() if self.kind is Kind.FLOAT else row[token]

    def exit_probability(self, node: int) -> Any:
        """The target's probability of leaving the tree at a node: the mass of the tokens that are no child."""
        row = self.rows[node]
        outside = row.outside(self.tree.child_maps[node])
        return outside / row.total() if self.kind is Kind.FLOAT else outside

    def restricted(self, keep: Sequence[int]) -> TargetTree:
        """The same target on a subtree that holds some of the nodes."""
        tree, kept = self.tree.restricted(keep)
        return TargetTree(tree, [self.rows[v] for v in kept])

    def without_end(self, end: int) -> TargetTree:
        """The tree with end-of-sequence nodes, and whatever was drafted below them, removed.

        Nothing follows an end-of-sequence token, so leaving the tree by it is an ordinary exit.
        """
        dropped: set[int] = set()
        for v in range(1, self.tree.size):
            if self.tree.tokens[v] == end or self.tree.parents[v] in dropped:
                dropped.add(v)
        return self.restricted([v for v in range(self.tree.size) if v not in dropped])


def _rows_alike(tree: DraftTree, rows: Sequence[Any], where: str, what: str) -> tuple[tuple[Row, ...], Kind]:
    """Read one row per node, all of one length and one number type."""
    if len(rows) != tree.size:
        got = f"{len(rows)} rows for {tree.size} nodes"
        raise InputError("one row per node, root and leaves included", got, where, "add the missing rows")
    made = tuple(make_row(row, f"{what} of node {v}") for v, row in enumerate(rows))
    for v, row in enumerate(made):
        if len(row) != len(made[0]):
            got = f"{len(row)} weights, and {len(made[0])} at node 0"
            raise InputError("rows of one length", got, f"{what} of node {v}", "give one weight per token")
    floats = [isinstance(row, FloatRow) for row in made]
    if any(floats) and not all(floats):
        got = f"floats at node {floats.index(True)} and exact numbers at node {floats.index(False)}"
        raise InputError("rows of one number type", got, where, "write all rows as fractions, or all as floats")
    if floats[0]:
        return made, Kind.FLOAT
    symbol = next((weight for row in made for weight in row if not is_exact(weight)), None)
    if symbol is None:
        return made, Kind.EXACT
    return tuple(TupleRow(as_symbols(row, symbol)) for row in made), Kind.SYMBOLIC


@dataclass(frozen=True, init=False)
class Problem(ShownAsPicture):
    """What a verifier is given: a target tree and, where there is one, the drafter's proposal row at every node.

    Raises InputError on proposals of another vocabulary or number type than the target's rows.
    """

    target: TargetTree
    proposals: tuple[Row, ...] | None
    tree: DraftTree = field(repr=False, compare=False)
    rows: tuple[Row, ...] = field(repr=False, compare=False)

    def __init__(self, target: TargetTree, proposals: Sequence[Any] | None = None) -> None:
        object.__setattr__(self, "target", target)
        object.__setattr__(self, "proposals", None if proposals is None else _proposal_rows(target, proposals))
        object.__setattr__(self, "tree", target.tree)
        object.__setattr__(self, "rows", target.rows)

    def proposal(self, node: int) -> Row:
        """The drafter's row at a node; raises InputError where the problem has none."""
        if self.proposals is None:
            raise InputError("proposal rows", "none", "problem", "this verifier needs the drafter's probabilities")
        return self.proposals[node]


def _proposal_rows(target: TargetTree, proposals: Sequence[Any]) -> tuple[Row, ...]:
    made, kind = _rows_alike(target.tree, proposals, "proposals", "proposal")
    if (len(made[0]), kind) != (target.vocabulary, target.kind):
        got = f"{len(made[0])} {kind.value} weights, and {target.vocabulary} {target.kind.value} ones"
        raise InputError("proposals like the target's rows", got, "proposals", "use one vocabulary and one number type")
    return made
