"""Choosers that draw: from a numpy generator, or from a tape of given uniforms.

Decisions have one form everywhere, so that any implementation that reads the same uniforms must agree, row by row:
`flip` is u * of < part; `choose` takes left-to-right sums c and the first k with u * c[last] < c[k], else the last
positive index; a race takes the first largest weight / exponential. There is no division, no renormalisation and no
pairwise sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tevtheory.choices.sites import Coin, Site, Slot, refuse
from tevtheory.errors import ContractError, InputError
from tevtheory.weights import Kind, common_kind, exact, exact_float, is_exact, kind_of, show

Tape = Callable[[Slot, int], Any]
"""Uniforms by address: a number in [0, 1) for a uniform slot, a vector of exponentials for a race."""


class DrawnCoin(Coin):
    """A coin whose value is known; arithmetic is done step by step, in the order the program asks for it."""

    __slots__ = ("_site", "_value")

    def __init__(self, value: Any, site: Site) -> None:
        self._value, self._site = value, site

    def _under(self, other: Any, closed: bool) -> bool:
        if isinstance(other, DrawnCoin):
            if other._site != self._site:
                refuse("compare two different coins", "draw the decision with flip or choose")
            other = other._value
        value, bound = _pair(self._value, other)
        return bool(value <= bound if closed else value < bound)

    def _times(self, factor: Any) -> Coin:
        value, by = _pair(self._value, factor)
        return DrawnCoin(value * by, self._site)

    def _plus(self, shift: Any) -> Coin:
        value, by = _pair(self._value, shift)
        return DrawnCoin(value + by, self._site)

    def _over(self, divisor: Any) -> Coin:
        value, by = _pair(self._value, divisor)
        return DrawnCoin(value / by, self._site)

    def __repr__(self) -> str:
        return f"Coin({show(self._value)})"


def _pair(drawn: Any, number: Any) -> tuple[Any, Any]:
    """A drawn value and a program's number in one type: the number's, except that an int fits both."""
    if isinstance(number, int) and not is_exact(drawn):
        return drawn, float(number)
    if kind_of(number) is Kind.FLOAT:
        return float(drawn), float(number)
    lifted = exact(number, "a number given to the chooser")
    return (drawn if is_exact(drawn) else exact_float(drawn)), lifted


class DrawingChooser:
    """Answers from uniforms by address; see `SamplingChooser` and `TapeChooser`."""

    def __init__(self, tape: Tape, slots: Sequence[Slot] | None = None) -> None:
        self._tape = tape
        self._slots = None if slots is None else frozenset(slots)
        self._drawn: set[Site] = set()

    def flip(self, part: Any, of: Any = 1, *, site: Site) -> bool:
        kind = kind_of(part) if isinstance(of, int) else common_kind((part, of), f"flip at {site}")
        u, whole = _pair(self._uniform(site), float(of) if kind is Kind.FLOAT else exact(of))
        return bool(u * whole < _pair(u, part)[1])

    def choose(self, weights: Sequence[Any], *, site: Site) -> int:
        if site[0].kind == "race":
            return self._race(weights, site)
        sums, total = [], None
        for k, weight in enumerate(weights):
            if weight < 0:
                raise ContractError(f"at site {site}: weight {k} is {show(weight)}; weights are >= 0")
            total = weight if total is None else total + weight
            sums.append(total)
        if total is None or not total > 0:
            raise ContractError(f"at site {site}: choose got no positive weight; decide that case before drawing")
        u, total = _pair(self._uniform(site), total)
        mark = u * total
        for k, reached in enumerate(sums):
            if mark < reached:
                return k
        return max(k for k, weight in enumerate(weights) if weight > 0)

    def coin(self, *, site: Site) -> Coin:
        return DrawnCoin(self._uniform(site), site)

    def _race(self, weights: Sequence[Any], site: Site) -> int:
        self._claim(site)
        times = self._exponentials(site, len(weights))
        if len(times) != len(weights):
            got = f"{len(times)} exponentials"
            raise InputError(f"{len(weights)} exponentials, one per weight", got, f"tape at {site}", "widen the tape")
        scores = [weight / _pair(time, weight)[0] for weight, time in zip(weights, times, strict=True)]
        best = max(scores)
        if not best > 0:
            raise ContractError(f"at site {site}: choose got no positive weight; decide that case before drawing")
        return scores.index(best)

    def _exponentials(self, site: Site, count: int) -> Any:  # noqa: ARG002  (a sampler needs the count)
        return self._tape(*site)

    def _uniform(self, site: Site) -> Any:
        self._claim(site)
        u = self._tape(*site)
        if not 0 <= u < 1:
            raise InputError("a uniform in [0, 1)", show(u), f"tape at {site}", "use floats of at most 1 - 2**-53")
        return u

    def _claim(self, site: Site) -> None:
        if self._slots is not None and site[0] not in self._slots:
            raise ContractError(f"slot {site[0]!r} is not declared")
        if site in self._drawn:
            raise ContractError(f"site {site} is drawn twice in one run; give every draw a site of its own")
        self._drawn.add(site)


class TapeChooser(DrawingChooser):
    """Answers from a tape: the same program on the same tape takes the same decisions.

    >>> from tevtheory.choices import Slot
    >>> token = Slot("token", per="node")
    >>> TapeChooser(lambda slot, index: 0.5).choose([0.25, 0.25, 0.5], site=(token, 0))
    2
    """


class SamplingChooser(DrawingChooser):
    """Answers from a numpy Generator; rows may be exact (compared exactly) or floats.

    >>> from tevtheory.choices import Slot
    >>> token = Slot("token", per="node")
    >>> SamplingChooser(np.random.default_rng(0)).choose([0, 1, 0], site=(token, 0))
    1
    """

    def __init__(self, rng: np.random.Generator, slots: Sequence[Slot] | None = None) -> None:
        super().__init__(lambda _slot, _index: rng.random(), slots)
        self._rng = rng

    def _exponentials(self, site: Site, count: int) -> Any:  # noqa: ARG002  (a tape needs the site)
        return self._rng.standard_exponential(count)


def array_tape(columns: Mapping[str, Any]) -> Tape:
    """A tape from arrays by slot name: `columns[name][index]` is the draw at that address.

    >>> tape = array_tape({"token": [0.25, 0.75]})
    >>> tape(Slot("token", per="node"), 1)
    0.75
    """

    def read(slot: Slot, index: int) -> Any:
        if slot.name not in columns or not 0 <= index < len(columns[slot.name]):
            have = {name: len(column) for name, column in columns.items()}
            raise InputError(f"a draw at {slot.name}[{index}]", f"a tape of {have}", "tape", "lengthen the tape")
        return columns[slot.name][index]

    return read
