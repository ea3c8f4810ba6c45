"""The law of a function of explicit uniforms in any code: breakpoints learned by scan and bisection, cells integrated.

The outcome of such code is constant on cells of the unit cube. A box is scanned along one uniform after another from a few
base points; where the outcome changes, bisection finds the breakpoint to the last float, the box is split there, and the
parts are explored in turn. The volumes add up to the law. Random points are then checked against their cells, and the code
is run at every breakpoint and one float beside it, with 0 and the largest float below 1. The result is 'integrated', not
proved: a cell that no scan and no random point has met is missed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tevtheory.choices import Enumeration, Limits
from tevtheory.conformance.layouts import PROBLEM, Layout, Numbers
from tevtheory.conformance.subjects import INTEGRATED, Call, Coins, guarded, name_of
from tevtheory.conformance.timing import alarm, timed
from tevtheory.errors import ContractError
from tevtheory.laws import Law
from tevtheory.targets import Problem
from tevtheory.trees import DraftTree, Exit
from tevtheory.verdicts import Verdict
from tevtheory.weights import ONE, exact_float

Point = npt.NDArray[np.float64]
Outcome = Callable[[Point], Exit]

SCAN = 17
"""Points of a scan along one uniform of a box."""

BASES = 3
"""Base points from which a box is scanned before it counts as one cell."""

FINEST = 2.0**-64
"""Bisection stops here: near 0 there are floats without end, and no generator draws them."""

REPEATS = 50
"""Runs at the very first point, to find code that draws from elsewhere before it is explored."""

CHECKS = 20_000
"""Random points that are checked against their cells of one tree."""


@dataclass
class _Box:
    """A product of half-open intervals, with what is known of the outcome on it."""

    low: Point
    high: Point
    outcome: Exit | None = None
    split: int | None = None
    cuts: list[float] = field(default_factory=list)
    parts: list[_Box] = field(default_factory=list)

    def volume(self) -> Any:
        """The exact product of the side lengths."""
        product = ONE
        for low, high in zip(self.low, self.high, strict=True):
            product *= exact_float(high) - exact_float(low)
        return product

    def find(self, point: Point) -> _Box:
        """The cell that holds a point."""
        box = self
        while box.split is not None:
            box = box.parts[bisect_right(box.cuts, point[box.split])]
        return box


class _Explorer:
    """Splits the unit cube into cells of one outcome each."""

    def __init__(self, run: Outcome, dimensions: int, limits: Limits, numbers: type[np.floating[Any]]) -> None:
        self._run, self._limits, self._type = run, limits, numbers
        self._rng = np.random.default_rng(0)
        self._leaves = 0
        self.top = float(np.nextafter(numbers(1), numbers(0)))
        self.root = _Box(np.zeros(dimensions), np.ones(dimensions))
        self.cut: str | None = None
        self._fresh = True

    def explore(self) -> list[_Box]:
        """All cells."""
        open_boxes = [self.root]
        leaves: list[_Box] = []
        while open_boxes:
            box = open_boxes.pop()
            if len(leaves) + len(open_boxes) >= self._limits.paths:
                self.cut = f"stopped after {len(leaves)} cells"
                return leaves
            if self._splits(box):
                open_boxes.extend(box.parts)
            else:
                leaves.append(box)
        return leaves

    def _splits(self, box: _Box) -> bool:
        for _ in range(BASES):
            base = self._inside(box)
            box.outcome = self._run(base)
            self._repeat(base, box.outcome)
            for axis in range(len(base)):
                cuts = self._cuts(box, base, axis)
                if cuts:
                    box.split, box.cuts = axis, cuts
                    ends = [float(box.low[axis]), *cuts, float(box.high[axis])]
                    box.parts = [self._part(box, axis, low, high) for low, high in pairwise(ends)]
                    return True
        return False

    def _repeat(self, base: Point, outcome: Exit) -> None:
        """Code that draws from elsewhere would be cut into cells without end."""
        for _ in range(REPEATS if self._fresh else 1):
            if (again := self._run(base)) != outcome:
                raise ContractError(
                    f"at the same uniforms {base.tolist()} one run gave {outcome!r} and another {again!r}; draw from the "
                    "uniforms only",
                    check="replay",
                )
        self._fresh = False

    def _inside(self, box: _Box) -> Point:
        point = box.low + (box.high - box.low) * self._rng.random(len(box.low))
        return np.minimum(point.astype(self._type).astype(np.float64), self.top)

    @staticmethod
    def _part(box: _Box, axis: int, low: float, high: float) -> _Box:
        part = _Box(box.low.copy(), box.high.copy())
        part.low[axis], part.high[axis] = low, high
        return part

    def _cuts(self, box: _Box, base: Point, axis: int) -> list[float]:
        """Where the outcome changes along one uniform, each the first float of the new outcome."""
        low, high = float(box.low[axis]), min(float(box.high[axis]), self.top)
        if high - low < 16 * FINEST:
            return []
        at = np.unique(np.linspace(low, high, SCAN).astype(self._type).astype(np.float64))
        found = [self._at(base, axis, u) for u in at]
        cuts: list[float] = []
        for (a, b), (first, second) in zip(pairwise(at), pairwise(found), strict=True):
            cuts.extend(self._between(base, axis, float(a), float(b), first, second))
        return [cut for cut in sorted(set(cuts)) if box.low[axis] < cut < box.high[axis]]

    def _between(self, base: Point, axis: int, a: float, b: float, first: Exit, second: Exit) -> list[float]:
        if first == second:
            return []
        middle = float(self._type((a + b) / 2))
        if not a < middle < b or b - a < FINEST:
            return [b]
        outcome = self._at(base, axis, middle)
        return [
            *self._between(base, axis, a, middle, first, outcome),
            *self._between(base, axis, middle, b, outcome, second),
        ]

    def _at(self, base: Point, axis: int, value: float) -> Exit:
        point = base.copy()
        point[axis] = value
        return self._run(point)


@dataclass(frozen=True)
class LearnedSubject:
    """A subject in any code, called with explicit uniforms as float64 (or float32) arrays."""

    name: str
    function: Callable[..., Any]
    coins: Coins
    layout: Layout = PROBLEM
    numbers: Numbers = "float64"
    owns_inputs: bool = False
    claim: Verdict | None = None
    precision: type[np.floating[Any]] = np.float64
    convert: Callable[[Any], Any] = lambda array: array
    seconds: float | None = None
    checks: int = CHECKS

    @property
    def evidence(self) -> str:
        """Its law is integrated over learned breakpoints."""
        return INTEGRATED

    @property
    def tolerance(self) -> Any:
        """Breakpoints are known to one float: thresholds themselves may be rounded."""
        return exact_float(2.0**-40 if self.precision is np.float64 else 2.0**-16)

    def fits(self, tree: DraftTree) -> bool:
        """Whether the layout can hold a tree."""
        return self.layout.fits(tree)

    def find_law(self, problem: Problem, limits: Limits, calls: int = 1) -> Enumeration[Exit]:
        """Learn the cells, check them, and integrate."""
        with alarm(self.seconds):
            return self._integrate(problem, limits, calls)

    def _integrate(self, problem: Problem, limits: Limits, calls: int) -> Enumeration[Exit]:
        wanted = dict(self.coins(problem))
        run = timed(self._runner(problem, wanted, calls), self.seconds)
        explorer = _Explorer(run, sum(_size(shape) for shape in wanted.values()), limits, self.precision)
        leaves = explorer.explore()
        masses: dict[Exit, Any] = {}
        for leaf in leaves:
            if leaf.outcome is not None:
                masses[leaf.outcome] = masses.get(leaf.outcome, 0) + leaf.volume()
        if explorer.cut is not None:
            return Enumeration(Law.trusted(masses), len(leaves), explorer.cut)
        _check_cells(explorer.root, run, explorer.top, self.checks)
        edges = _edge_outcomes(leaves, run, explorer.top, self.precision)
        slight = {end for end, mass in masses.items() if mass <= self.tolerance}
        null = (edges - set(masses)) | slight
        return Enumeration(Law.trusted(masses), len(leaves), null_outcomes=frozenset(null))

    def _runner(self, problem: Problem, wanted: Mapping[str, tuple[int, ...]], calls: int) -> Outcome:
        def fresh() -> Call:
            return guarded(self.function, self.layout, self.numbers, self.owns_inputs, problem)

        kept = fresh()

        def run(point: Point) -> Exit:
            call = kept if calls == 1 else fresh()
            uniforms, at = {}, 0
            for key, shape in wanted.items():
                part = point[at : at + _size(shape)].astype(self.precision).reshape(shape)
                uniforms[key] = self.convert(part)
                at += _size(shape)
            for _ in range(1, calls):
                call((), uniforms)
            return call((), uniforms)

        return run


def _size(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=np.int64))


def _check_cells(root: _Box, run: Outcome, top: float, checks: int) -> None:
    rng = np.random.default_rng(1)
    for _ in range(checks):
        point = np.minimum(rng.random(len(root.low)), top)
        expected, got = root.find(point).outcome, run(point)
        if got != expected:
            raise ContractError(
                f"at uniforms {point.tolist()} the outcome is {got!r}, and {expected!r} in the same cell: the code draws "
                "from elsewhere, or its cells are too small to be learned",
                check="replay",
            )


def _edge_outcomes(leaves: list[_Box], run: Outcome, top: float, precision: type[np.floating[Any]]) -> set[Exit]:
    """The outcomes at every breakpoint of every cell, one float beside it, at 0 and at the largest float below 1."""
    found: set[Exit] = set()
    for leaf in leaves:
        middle = np.minimum((leaf.low + leaf.high) / 2, top)
        for axis in range(len(middle)):
            ends = {0.0, top, float(leaf.low[axis]), min(float(leaf.high[axis]), top)}
            beside = {float(np.nextafter(precision(end), precision(way))) for end in ends for way in (0, 1)}
            for value in sorted(ends | beside):
                point = middle.copy()
                point[axis] = min(max(value, 0.0), top)
                found.add(run(point))
    return found


def over_uniforms(  # noqa: PLR0913  (the knobs of a black box)
    function: Callable[..., Any],
    coins: Coins,
    *,
    layout: Layout = PROBLEM,
    rows: Numbers = "float64",
    precision: type[np.floating[Any]] = np.float64,
    convert: Callable[[Any], Any] = lambda array: array,
    owns_inputs: bool = False,
    name: str | None = None,
    claim: Verdict | None = None,
) -> LearnedSubject:
    """Any code over explicit uniforms: function(*arguments of the layout, **uniforms), its breakpoints learned.

    `coins(problem)` gives the shape of every uniform argument; `convert` turns each array into what the code takes (for
    instance torch.from_numpy); `precision` is the float type of the uniforms.
    """
    return LearnedSubject(
        name_of(function, name), function, coins, layout, rows, owns_inputs, claim, precision, convert
    )
