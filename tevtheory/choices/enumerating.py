"""The exact law of a program: its replay over all of its choices."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from tevtheory.choices.replaying import DrawLimit, ReplayingChooser
from tevtheory.choices.sites import Slot
from tevtheory.errors import ContractError
from tevtheory.laws import Law

Outcome = TypeVar("Outcome", bound=Hashable)


@dataclass(frozen=True)
class Limits:
    """How much of a program is enumerated: complete paths, and draws on one path (a retry loop never ends its path)."""

    paths: int = 1_000_000
    draws: int = 1_000


@dataclass(frozen=True)
class Enumeration(Generic[Outcome]):
    """What an enumeration found.

    `law` is exact and holds the mass of every finished path; what a limit cut off is its unresolved mass. `paths` counts
    finished paths, `cut` says which limit was met, `endless` that it was the limit of draws on one path. `null_outcomes`
    (boundary mode) were reached with weight 0 only.
    """

    law: Law[Outcome]
    paths: int
    cut: str | None = None
    endless: bool = False
    null_outcomes: frozenset[Outcome] = field(default_factory=frozenset)


def enumerate_law(
    program: Callable[[Any], Outcome],
    *,
    slots: Sequence[Slot] | None = None,
    limits: Limits = Limits(),
    boundary: bool = False,
    twice: bool = True,
    floats: bool = False,
) -> Enumeration[Outcome]:
    """Give the exact law of a program that draws from a chooser only.

    `slots`: the declared slots (None: any). `boundary` follows branches of weight 0 too. `twice` runs each finished path
    a second time, which finds a draw from elsewhere after the last choice. `floats` reads float64 numbers as the
    rationals they are. Raises ContractError when a guard is hit.

    >>> from tevtheory.choices import Slot
    >>> die, ace = Slot("die", per="round"), Slot("ace", per="round")
    >>> def program(chooser):
    ...     return "ace" if chooser.flip(1, 3, site=(ace, 0)) else chooser.choose([1, 0, 2], site=(die, 0))
    >>> enumerate_law(program).law.fractions()
    {'ace': Fraction(1, 3), 0: Fraction(2, 9), 2: Fraction(4, 9)}
    """
    chooser = ReplayingChooser(slots, limits.draws, boundary, floats)
    points = chooser.points
    table: dict[Outcome, Any] = {}
    paths, cut, endless, more = 0, None, False, True
    while more:
        if paths == limits.paths:
            cut = f"stopped after {paths} paths"
            break
        drawn = 0
        try:
            outcome = program(chooser)
            if twice:
                drawn, complete = len(points), next(chooser.replay, None) is None
                chooser.rewind()
                again = program(chooser)
                if again != outcome or len(points) != drawn or not complete or next(chooser.replay, None) is not None:
                    raise ContractError(_two_runs(outcome, again), check="replay")
        except DrawLimit:
            if drawn:  # the first run ended, the second did not
                raise ContractError(_two_runs(outcome, outcome), check="replay") from None
            cut, endless = f"a path has more than {limits.draws} draws", True
        else:
            paths += 1
            mass = chooser.mass
            table[outcome] = table[outcome] + mass if outcome in table else mass
        more = chooser.advance()
    null = frozenset(outcome for outcome, mass in table.items() if not mass) if boundary else frozenset()
    if null:
        table = {outcome: mass for outcome, mass in table.items() if mass}
    return Enumeration(Law.trusted(table), paths, cut, endless, null)


def _two_runs(first: object, second: object) -> str:
    what = f"one run gave {first!r} and another {second!r}" if first != second else "one run drew more than another"
    return f"not replayable: with the same choices made, {what}; draw from the chooser only, and do not change the rows"
