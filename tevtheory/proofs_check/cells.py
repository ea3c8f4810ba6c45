"""Programs run for a whole cell of probabilities at once: every number is a rational function and its value at a point.

A comparison is decided at the point, arithmetic is done on functions, so what comes out holds identically on the open cell
of probabilities that decide alike; a difference that is 0 at the point must be the zero function. The cell is everything
where each decided difference, in homogeneous coordinates of its rows, has coefficients of one sign only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import count, islice
from typing import Any, TypeVar

from tevtheory.choices import Site, Slot
from tevtheory.choices.replaying import ReplayingChooser
from tevtheory.laws import Law
from tevtheory.proofs_check.evidence import Refuted
from tevtheory.proofs_check.symbolic import generators
from tevtheory.targets import Target, TargetTree
from tevtheory.weights import Kind, exact, kind_of, mpq

Outcome = TypeVar("Outcome", bound=Hashable)


class Cell:
    """Simplices with a point inside each: `rows` are their coordinates as numbers, the last being 1 minus the others.

    `whole` says whether all decisions so far go the same way everywhere inside the simplices. Raises ValueError for a point
    that is not inside.

    >>> cell = Cell([[mpq(1, 4), mpq(3, 4)]])
    >>> a, b = cell.rows[0]
    >>> a * b < b, cell.whole, a < b, cell.whole
    (True, True, True, False)
    """

    def __init__(self, points: Sequence[Sequence[Any]]) -> None:
        if not all(min(point) > 0 and sum(point) == 1 for point in points):
            raise ValueError(f"points that are not inside their simplices: {points}")
        names = [f"x{i}_{k}" for i, point in enumerate(points) for k in range(len(point))]
        gens, places = generators(names), count()
        self.whole, self.one = True, gens[0] * 0 + 1
        self._signs: dict[str, bool] = {}
        self.groups = [list(islice(places, len(point))) for point in points]
        self._sums = [sum((gens[k] for k in group), start=self.one * 0) for group in self.groups]
        self.rows = [
            self._row(point, [gens[k] for k in group]) for point, group in zip(points, self.groups, strict=True)
        ]

    def _row(self, point: Sequence[Any], gens: Sequence[Any]) -> list[Number]:
        free = [Number(self, gen, self.one, at) for gen, at in zip(gens[:-1], point[:-1], strict=True)]
        rest = Number(self, self.one - sum(gens[:-1], start=self.one * 0), self.one, point[-1])
        return [*free, rest]

    def decide(self, gap: Number) -> int:
        """The sign of a number on the cell; raises Refuted where it is 0 at the point and not identically."""
        if gap.at == 0:
            if not gap.top.is_zero():
                raise Refuted(f"{gap} is 0 at the point, and not everywhere")
            return 0
        self.whole = self.whole and self._seen(gap.top) and self._seen(gap.bottom)
        return 1 if gap.at > 0 else -1

    def _seen(self, function: Any) -> bool:
        """Whether a polynomial has one sign, each worked out once: walks ask the same things over and over."""
        key = str(function)
        if key not in self._signs:
            self._signs[key] = self._one_signed(function)
        return self._signs[key]

    def _one_signed(self, function: Any) -> bool:
        """Whether a polynomial has one sign inside the simplices, as its homogeneous coefficients show."""
        for group, whole in zip(self.groups, self._sums, strict=True):
            parts: dict[int, dict[tuple[int, ...], Any]] = {}
            for powers, coefficient in function.to_dict().items():
                parts.setdefault(sum(powers[k] for k in group), {})[powers] = coefficient
            if len(parts) > 1:
                make, top = function.context().from_dict, max(parts)
                function = sum((make(part) * whole ** (top - k) for k, part in parts.items()), start=self.one * 0)
        return len({coefficient > 0 for coefficient in function.to_dict().values()}) == 1


class Number:
    """A rational function top / bottom on a cell, with its value at the cell's point; exact numbers mix with it."""

    __slots__ = ("at", "bottom", "cell", "top")

    def __init__(self, cell: Cell, top: Any, bottom: Any, at: Any) -> None:
        if not bottom.is_constant():
            shared = top.gcd(bottom)
            top, bottom = top / shared, bottom / shared
        if bottom.is_constant():
            top, bottom = top / bottom, cell.one
        self.cell, self.top, self.bottom, self.at = cell, top, bottom, at

    def _read(self, other: Any) -> Number | None:
        if isinstance(other, Number):
            return other
        if kind_of(other) is not Kind.EXACT:
            return None
        value, one = exact(other), self.cell.one
        return Number(self.cell, one * int(value.numerator) / int(value.denominator), one, value)

    def __add__(self, other: Any) -> Number:
        if (by := self._read(other)) is None:
            return NotImplemented
        if self.bottom == by.bottom:
            return Number(self.cell, self.top + by.top, self.bottom, self.at + by.at)
        top = self.top * by.bottom + by.top * self.bottom
        return Number(self.cell, top, self.bottom * by.bottom, self.at + by.at)

    def __mul__(self, other: Any) -> Number:
        if (by := self._read(other)) is None:
            return NotImplemented
        return Number(self.cell, self.top * by.top, self.bottom * by.bottom, self.at * by.at)

    def __truediv__(self, other: Any) -> Number:
        if (by := self._read(other)) is None:
            return NotImplemented
        if self.cell.decide(by) == 0:
            raise ZeroDivisionError("a number of a cell is divided by zero")
        return Number(self.cell, self.top * by.bottom, self.bottom * by.top, self.at / by.at)

    def __neg__(self) -> Number:
        return Number(self.cell, -self.top, self.bottom, -self.at)

    def __abs__(self) -> Number:
        return -self if self.cell.decide(self) < 0 else self

    def __sub__(self, other: Any) -> Number:
        return NotImplemented if (by := self._read(other)) is None else self + -by

    def __rsub__(self, other: Any) -> Number:
        return NotImplemented if (over := self._read(other)) is None else over - self

    def __rtruediv__(self, other: Any) -> Number:
        return NotImplemented if (over := self._read(other)) is None else over / self

    __radd__ = __add__
    __rmul__ = __mul__

    def _sign(self, other: Any) -> int | None:
        """The sign of this minus the other; None for what is no number."""
        if self is other:
            return 0
        return None if (by := self._read(other)) is None else self.cell.decide(self - by)

    def __eq__(self, other: object) -> bool:
        return NotImplemented if (sign := self._sign(other)) is None else sign == 0

    def __lt__(self, other: Any) -> bool:
        return NotImplemented if (sign := self._sign(other)) is None else sign < 0

    def __le__(self, other: Any) -> bool:
        return NotImplemented if (sign := self._sign(other)) is None else sign <= 0

    def __gt__(self, other: Any) -> bool:
        return NotImplemented if (sign := self._sign(other)) is None else sign > 0

    def __ge__(self, other: Any) -> bool:
        return NotImplemented if (sign := self._sign(other)) is None else sign >= 0

    def __bool__(self) -> bool:
        return self.cell.decide(self) != 0

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        below = "" if self.bottom.is_constant() else f" / ({self.bottom})"
        return f"{self.top}{below} (here {self.at})"


class CellChooser(ReplayingChooser):
    """The enumerating chooser itself, with numbers of a cell let in beside exact ones."""

    def _lift(self, value: Any) -> Any:
        return value if isinstance(value, Number) else super()._lift(value)

    def _new_choice(self, weights: Sequence[Any], site: Site) -> int:
        """As there, without comparing the weights with one another: their order decides nothing."""
        asked = tuple(weights)
        unit = self.mass / sum(map(self._lift, asked))
        options = [(k, self._lift(weight) * unit) for k, weight in enumerate(asked) if weight > 0]
        self._push(site, asked, options)
        return options[0][0]


def law_on_cell(program: Callable[[Any], Outcome], slots: Sequence[Slot]) -> Law[Outcome]:
    """The law of a program, each mass a number of the cell that its weights are from."""
    chooser = CellChooser(slots, 1_000, boundary=False, floats=False)
    masses: dict[Outcome, Any] = {}
    more = True
    while more:
        outcome = program(chooser)
        masses[outcome] = masses[outcome] + chooser.mass if outcome in masses else chooser.mass
        more = chooser.advance()
    return Law.trusted(masses)


def around(target: TargetTree, others: Sequence[Any] = ()) -> tuple[Cell, TargetTree, list[Number]]:
    """The cell of all rows with the zeros of a target's rows, the target on it, and other numbers inside (0, 1)."""
    cell, rows = _rows_around([*target.rows, *([other, 1 - other] for other in others)])
    return cell, TargetTree(target.tree, rows[: target.tree.size]), [row[0] for row in rows[target.tree.size :]]


def source_around(source: Target, depth: int) -> Target:
    """A target on the cell of its rows after prefixes of less than `depth` tokens; it has no other rows."""
    prefixes: list[tuple[int, ...]] = [()]
    for prefix in prefixes:
        if len(prefix) < depth - 1:
            prefixes.extend((*prefix, x) for x in range(source.vocabulary))
    _, rows = _rows_around([source.row(prefix) for prefix in prefixes])
    return Target.table(dict(zip(prefixes, rows, strict=True)))


def _rows_around(rows: Sequence[Sequence[Any]]) -> tuple[Cell, list[list[Any]]]:
    cell = Cell([[weight for weight in row if weight] for row in rows])
    inside: Iterator[Iterator[Number]] = map(iter, cell.rows)
    return cell, [
        [next(numbers) if weight else mpq(0) for weight in row] for numbers, row in zip(inside, rows, strict=True)
    ]
