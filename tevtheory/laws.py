"""Finite laws: immutable maps from outcomes to masses, of one number type."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from fractions import Fraction
from itertools import islice
from typing import Any, Generic, TypeVar

from tevtheory.errors import InputError
from tevtheory.shown import ShownAsPage
from tevtheory.weights import ZERO, Kind, common_kind, fraction, kind_of, lift, show

Outcome = TypeVar("Outcome", bound=Hashable)
Image = TypeVar("Image", bound=Hashable)


_MOST_SHOWN = 64
"""Outcomes that a repr writes out."""


class Law(ShownAsPage, Mapping[Outcome, Any], Generic[Outcome]):
    """An immutable finite law over hashable outcomes.

    Masses are of one number type, exact ones `gmpy2.mpq`; outcomes of mass 0 are left out and any outcome may be asked
    for. Mass that is missing to 1 is unresolved: an exact law has none. Raises InputError on mixed types, negative
    masses or an exact total above 1.

    >>> law = Law({"ab": "1/2", "b": "1/4"})
    >>> law.fractions(), fraction(law.unresolved), fraction(law["c"])
    ({'ab': Fraction(1, 2), 'b': Fraction(1, 4)}, Fraction(1, 4), Fraction(0, 1))
    >>> law
    Law({'ab': 1/2, 'b': 1/4}, unresolved=1/4)
    """

    __slots__ = ("_masses", "_nothing")

    def __init__(self, masses: Mapping[Outcome, Any]) -> None:
        kind, lifted = lift(list(masses.values()), "law")
        self._masses = {outcome: mass for outcome, mass in zip(masses, lifted, strict=True) if mass != 0}
        self._nothing = lifted[0] * 0 if lifted else ZERO
        if kind is Kind.EXACT and self.unresolved < 0:
            over = show(-self.unresolved)
            raise InputError("a total mass of at most 1", f"{over} more", "law", "normalise the masses")

    @classmethod
    def trusted(cls, masses: dict[Outcome, Any]) -> Law[Outcome]:
        """Wrap masses that are known to be of one type, positive and at most 1 in total; nothing is copied or checked."""
        law = cls.__new__(cls)
        law._masses = masses
        law._nothing = next(iter(masses.values())) * 0 if masses else ZERO
        return law

    def __getitem__(self, outcome: Outcome) -> Any:
        return self._masses.get(outcome, self._nothing)

    def __contains__(self, outcome: object) -> bool:
        return outcome in self._masses

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self._masses)

    def __len__(self) -> int:
        return len(self._masses)

    def __eq__(self, other: object) -> bool:
        return self._masses == other._masses if isinstance(other, Law) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self._masses.items()))

    def __repr__(self) -> str:
        shown = dict(islice(self._masses.items(), _MOST_SHOWN))
        masses = ", ".join(f"{outcome!r}: {show(mass)}" for outcome, mass in shown.items())
        if more := len(self) - len(shown):
            masses += f", ... {more:,} more"
        missing = self.unresolved
        return f"Law({{{masses}}}{f', unresolved={show(missing)}' if self.is_exact and missing else ''})"

    @property
    def is_exact(self) -> bool:
        """Whether the masses are exact rationals."""
        return all(kind_of(mass) is Kind.EXACT for mass in self._masses.values())

    @property
    def total(self) -> Any:
        """Sum of the masses."""
        return sum(self._masses.values(), start=self._nothing)

    @property
    def unresolved(self) -> Any:
        """The mass missing to 1."""
        return 1 - self.total

    def fractions(self) -> dict[Outcome, Fraction]:
        """The masses of an exact law as the standard library's Fractions."""
        return {outcome: fraction(mass) for outcome, mass in self._masses.items()}

    def map(self, image: Callable[[Outcome], Image]) -> Law[Image]:
        """The law of a function of the outcome.

        >>> Law({"ab": "1/2", "b": "1/4", "cd": "1/4"}).map(len)
        Law({2: 3/4, 1: 1/4})
        """
        masses: dict[Image, Any] = {}
        for outcome, mass in self._masses.items():
            target = image(outcome)
            masses[target] = masses[target] + mass if target in masses else mass
        return Law.trusted(masses)

    def mean(self, value: Callable[[Outcome], Any]) -> Any:
        """The expectation of a number-valued function of the outcome (over the resolved mass)."""
        return sum((value(outcome) * mass for outcome, mass in self._masses.items()), start=self._nothing)

    def total_variation(self, other: Law[Outcome]) -> Any:
        """Half the sum of absolute differences; unresolved mass counts as one outcome of its own.

        >>> print(Law({0: "1/2", 1: "1/2"}).total_variation(Law({0: "3/4", 2: "1/4"})))
        1/2
        """
        outcomes = dict.fromkeys([*self._masses, *other._masses])
        common_kind([*list(self._masses.values())[:1], *list(other._masses.values())[:1]], "two laws")
        nothing = (self or other)._nothing
        a, b = ({outcome: law._masses.get(outcome, nothing) for outcome in outcomes} for law in (self, other))
        gaps = sum((abs(a[outcome] - b[outcome]) for outcome in outcomes), start=nothing)
        return (gaps + abs(sum(a.values(), start=nothing) - sum(b.values(), start=nothing))) / 2
