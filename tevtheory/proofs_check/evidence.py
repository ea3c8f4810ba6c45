"""What a check of a statement found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["mechanised", "symbolic", "smt", "lp", "exhaustive", "property", "monte-carlo"]
Outcome = Literal["proved", "checked", "failed", "not run"]

KINDS: tuple[Kind, ...] = ("mechanised", "symbolic", "smt", "lp", "exhaustive", "property", "monte-carlo")


@dataclass(frozen=True)
class Evidence:
    """One check of one statement.

    `proved`: for all probabilities, on each of the `count` shapes (mechanised: on all trees). `checked`: it held on `count`
    exact instances. `failed`: `what` holds the counterexample. `not run`: `what` says why, and it counts for nothing.
    """

    statement: str
    kind: Kind
    outcome: Outcome
    count: int
    what: str
    seconds: float


class Refuted(Exception):
    """A check met an instance on which its statement is false."""


class NotRun(Exception):
    """A check lacks what it needs; that is neither a pass nor a failure."""


def demand(holds: bool, where: object) -> None:
    """Raise Refuted, with the instance, unless the statement holds there.

    >>> demand(1 + 1 == 3, "at 1")
    Traceback (most recent call last):
    tevtheory.proofs_check.evidence.Refuted: at 1
    """
    if not holds:
        raise Refuted(str(where))
