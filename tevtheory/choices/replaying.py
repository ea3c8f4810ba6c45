"""The replaying chooser: follows one path of choices at a time and moves on to the next.

A run is a path through a tree of choices. The chooser keeps the current path; a run follows it by looking each choice
up, extends it at its first new choice, and when the run is over the last choice that has an answer left moves on. The
mass of a path is the product of its choices' probabilities, in rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

import gmpy2
import numpy as np

from tevtheory.choices.sites import Coin, Site, Slot, refuse
from tevtheory.errors import ContractError
from tevtheory.weights import ONE, ZERO, exact, exact_float, show

_MPQ = type(ONE)
_MPFR = type(gmpy2.mpfr(0))  # what mpq and a float silently become


class Cut(NamedTuple):
    """A point between the reals: just below (`above` False) or just above (`above` True) a value."""

    value: Any
    above: bool


class DrawLimit(BaseException):
    """A path has more draws than the limit. No Exception, so that no program can catch it by accident."""


class _Point:
    """One choice on the current path: what was asked, the current answer, and the answers still to come."""

    __slots__ = ("answer", "asked", "mass", "pending", "site", "span", "uniform", "whole")

    def __init__(self, site: Site, asked: Any, whole: Any) -> None:
        self.site, self.asked, self.whole = site, asked, whole
        self.answer: Any = None
        self.mass: Any = None
        self.pending: list[tuple[Any, Any]] = []
        self.uniform: _Interval | None = None
        self.span: tuple[Cut, Cut] | None = None


class _Interval:
    """A uniform known to lie between two cuts; every comparison narrows it on the current path."""

    __slots__ = ("chooser", "high", "low", "site")

    def __init__(self, chooser: ReplayingChooser, site: Site) -> None:
        self.chooser, self.site = chooser, site
        self.low, self.high = Cut(ZERO, False), Cut(ONE, False)

    def under(self, bound: Any, closed: bool) -> bool:
        """Whether the uniform is < bound (closed: <= bound)."""
        chooser = self.chooser
        point = next(chooser.replay, None)
        if point is not None:
            asked = point.asked
            if point.uniform is self and (asked.value is bound or asked.value == bound) and asked.above is closed:
                answer: bool = point.answer
                return answer
            chooser._differs(point, self.site, Cut(bound, closed))
        return chooser._new_compare(self, Cut(bound, closed))


class _LazyCoin(Coin):
    """scale * u + shift, with u an interval."""

    __slots__ = ("_interval", "_plain", "_rising", "_scale", "_shift")

    def __init__(self, interval: _Interval, scale: Any = ONE, shift: Any = ZERO) -> None:
        self._interval, self._scale, self._shift = interval, scale, shift
        self._plain = bool(scale == 1 and shift == 0)
        self._rising = bool(scale > 0)

    def __lt__(self, other: Any) -> bool:
        if type(other) is not _MPQ or not self._rising:
            return super().__lt__(other)
        # The hot path: a replayed comparison costs one call.
        bound = other if self._plain else (other - self._shift) / self._scale
        interval = self._interval
        point = next(interval.chooser.replay, None)
        if point is None:
            return interval.chooser._new_compare(interval, Cut(bound, False))
        if point.uniform is interval and point.asked.value == bound and not point.asked.above:
            answer: bool = point.answer
            return answer
        return interval.chooser._differs(point, interval.site, Cut(bound, False))

    def _under(self, other: Any, closed: bool) -> bool:
        scale, shift = self._scale, self._shift
        if isinstance(other, _LazyCoin):
            if other._interval is not self._interval:
                refuse("compare two different coins", "draw the decision with flip or choose")
            scale, shift, bound = scale - other._scale, shift - other._shift, ZERO
        else:
            bound = self._interval.chooser._lift(other)
        if scale == 0:
            return bool(shift <= bound if closed else shift < bound)
        bound = (bound - shift) / scale
        return self._interval.under(bound, closed) if scale > 0 else not self._interval.under(bound, not closed)

    def _times(self, factor: Any) -> Coin:
        by = self._interval.chooser._lift(factor)
        if by == 1:
            return self
        return _LazyCoin(self._interval, self._scale * by, self._shift * by)

    def _plus(self, shift: Any) -> Coin:
        return _LazyCoin(self._interval, self._scale, self._shift + self._interval.chooser._lift(shift))

    def _over(self, divisor: Any) -> Coin:
        return self._times(1 / self._interval.chooser._lift(divisor))

    def __repr__(self) -> str:
        return f"Coin({show(self._scale)} * u + {show(self._shift)})"


class ReplayingChooser:
    """Runs a program over all of its choices; see `enumerate_law`.

    `points` is the current path, `replay` what of it this run has still to meet, `mass` the probability of the path.

    Guards: an undeclared slot, a site drawn twice, a number that is not exact, sites and weights that differ on replay.
    """

    def __init__(self, slots: Sequence[Slot] | None, max_draws: int, boundary: bool, floats: bool) -> None:
        self._slots = None if slots is None else frozenset(slots)
        self._max_draws, self._boundary, self._floats = max_draws, boundary, floats
        self.points: list[_Point] = []
        self._sites: set[Site] = set()
        self.replay = iter(self.points)
        self.mass = ONE

    def choose(self, weights: Sequence[Any], *, site: Site) -> int:
        point = next(self.replay, None)
        if point is not None:
            if point.site == site and (point.asked is weights or point.asked == tuple(weights)):
                answer: int = point.answer
                return answer
            self._differs(point, site, tuple(weights))
        return self._new_choice(weights, site)

    def flip(self, part: Any, of: Any = 1, *, site: Site) -> bool:
        point = next(self.replay, None)
        if point is not None:
            if point.site == site and point.asked == part and point.whole == of:
                answer: bool = point.answer
                return answer
            self._differs(point, site, part, of)
        return self._new_flip(part, of, site)

    def coin(self, *, site: Site) -> Coin:
        point = next(self.replay, None)
        if point is not None:
            if point.asked == "coin" and point.site == site:
                answer: Coin = point.answer
                return answer
            self._differs(point, site, "coin")
        coin = _LazyCoin(_Interval(self, site))
        self._push(site, "coin", [(coin, self.mass)])
        return coin

    # The rest happens once per choice, not once per run.

    def _new_choice(self, weights: Sequence[Any], site: Site) -> int:
        lifted = [w if type(w) is _MPQ else self._lift(w) for w in weights]
        total = sum(lifted)
        if not total > 0 or min(lifted) < 0:
            self._refuse_weights(lifted, site)
        unit = self.mass / total
        options = [(k, weight * unit) for k, weight in enumerate(lifted) if weight]
        # A tuple cannot change under us, so the very same object needs no comparison on replay.
        self._push(site, weights if isinstance(weights, tuple) else tuple(weights), options)
        return options[0][0]

    def _new_flip(self, part: Any, of: Any, site: Site) -> bool:
        true, whole = self._lift(part), self._lift(of)
        if whole < 0:
            raise ContractError(f"at {_place(site)}: flip got of={show(whole)}; it is a total, >= 0")
        mass = self.mass
        if true <= 0:
            options = [(False, mass)]
        elif true >= whole:
            options = [(True, mass)]
        else:
            accepted = mass * true / whole
            options = [(True, accepted), (False, mass - accepted)]
        self._push(site, part, options, whole=of)
        return options[0][0]

    def _new_compare(self, uniform: _Interval, cut: Cut) -> bool:
        low, high, mass = uniform.low, uniform.high, self.mass
        if cut <= low or cut >= high:
            self._push(uniform.site, cut, [(cut >= high, mass)], uniform)
            return cut >= high
        width = high.value - low.value
        under = mass * (cut.value - low.value) / width
        options = [(True, under), (False, mass - under)]
        if not self._boundary:
            options = [option for option in options if option[1] or not mass]
        self._push(uniform.site, cut, options, uniform)
        self._narrow(self.points[-1])
        return options[0][0]

    @staticmethod
    def _narrow(point: _Point) -> None:
        """Set the uniform of a comparison to the side its current answer says."""
        uniform, span = point.uniform, point.span
        if uniform is not None and span is not None:
            inside = span[0] < point.asked < span[1]
            uniform.low, uniform.high = span
            if inside and point.answer:
                uniform.high = point.asked
            elif inside:
                uniform.low = point.asked

    def _push(
        self,
        site: Site,
        asked: Any,
        options: list[tuple[Any, Any]],
        uniform: _Interval | None = None,
        whole: Any = None,
    ) -> None:
        points = self.points
        if len(points) >= self._max_draws:
            raise DrawLimit
        point = _Point(site, asked, whole)
        if uniform is None:
            if self._slots is not None and site[0] not in self._slots:
                names = ", ".join(sorted(slot.name for slot in self._slots)) or "none"
                raise ContractError(f"at {_place(site)}: slot {site[0]!r} is not declared (declared: {names})")
            if site in self._sites:
                raise ContractError(f"{_place(site)} is drawn twice in one run; give every draw a site of its own")
            self._sites.add(site)
        else:
            point.uniform, point.span = uniform, (uniform.low, uniform.high)
        point.answer, point.mass = options[0]
        if len(options) > 1:
            point.pending = options[:0:-1]
        self.mass = point.mass
        points.append(point)

    def rewind(self) -> None:
        """Start a run from the first choice of the current path."""
        self.replay = iter(self.points)

    def advance(self) -> bool:
        """Move to the next path; False when there is none."""
        points = self.points
        while points:
            point = points[-1]
            if point.pending:
                point.answer, self.mass = point.pending.pop()
                point.mass = self.mass
                if point.uniform is not None:
                    self._narrow(point)
                self.rewind()
                return True
            points.pop()
            if point.uniform is None:
                self._sites.discard(point.site)
            elif point.span is not None:
                point.uniform.low, point.uniform.high = point.span
        return False

    @staticmethod
    def _refuse_weights(weights: Sequence[Any], site: Site) -> NoReturn:
        for k, weight in enumerate(weights):
            if weight < 0:
                raise ContractError(f"at {_place(site)}: weight {k} is {show(weight)}; weights are >= 0")
        raise ContractError(f"at {_place(site)}: choose got no positive weight; decide that case before drawing")

    def _lift(self, value: Any) -> Any:
        if type(value) is _MPQ:
            return value
        if isinstance(value, (float, np.floating)) or type(value) is _MPFR:
            if not self._floats or type(value) is _MPFR:
                raise ContractError(
                    f"the float {value!r} met exact numbers; write 1 instead of 1.0, or run the verifier on float64 "
                    'rows (rows="float64") for the exact law of the float program'
                )
            if not np.isfinite(value):
                raise ContractError(f"the float {value!r} was given to the chooser; give finite numbers")
            return exact_float(value)
        return exact(value, "a number given to the chooser")

    def _differs(self, point: _Point, site: Site, asked: Any, whole: Any = None) -> NoReturn:
        before = _question(point.asked, point.whole)
        raise ContractError(
            f"not replayable: with the same choices made, draw {self.points.index(point)} was {before} at "
            f"{_place(point.site)} in one run and {_question(asked, whole)} at {_place(site)} in another; draw from the "
            "chooser only, and do not change the rows",
            check="replay",
        )


def _place(site: Site) -> str:
    return f"site {site[0]!r}[{site[1]}]"


def _question(asked: Any, whole: Any) -> str:
    if whole is not None:
        return f"{show(asked)} of {show(whole)}"
    if isinstance(asked, Cut):
        return f"coin {'<=' if asked.above else '<'} {show(asked.value)}"
    if isinstance(asked, tuple):
        return "(" + ", ".join(show(value) for value in asked) + ")"
    return str(asked)
