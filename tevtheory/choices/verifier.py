"""A verifier: a plain function of (problem, chooser), with its name, source, slots and claimed verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from tevtheory.choices.sites import Chooser, Slot
from tevtheory.errors import InputError
from tevtheory.trees import Exit
from tevtheory.verdicts import Verdict

Plan = TypeVar("Plan")
Prepared = TypeVar("Prepared")


@dataclass(frozen=True)
class Verifier(Generic[Plan]):
    """A path verifier as a program.

    `walk(plan, chooser)` returns the Exit; `prepare(problem)` makes the plan once per tree (default: the problem itself).
    `slots` are all slots it draws at, `source` says where the rule comes from, `claim` the verdict it should get.
    `path_bound(problem)`, for programs whose paths multiply, bounds how many an enumeration visits.
    """

    name: str
    walk: Callable[[Plan, Chooser], Exit]
    slots: tuple[Slot, ...]
    source: str
    claim: Verdict
    prepare: Callable[[Any], Plan]
    path_bound: Callable[[Any], int] | None = None

    def __call__(self, problem: Any, chooser: Chooser) -> Exit:
        """Prepare and walk once."""
        return self.walk(self.prepare(problem), chooser)


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str: ...


Entry = TypeVar("Entry", bound=Named)


def one_named(entries: Sequence[Entry], name: str, what: str = "verifier", where: str = "catalogue") -> Entry:
    """The entry of that name, or of the only name that contains it; raises InputError otherwise."""
    wanted = name.casefold()
    found = [entry for entry in entries if entry.name.casefold() == wanted]
    found = found or [entry for entry in entries if wanted in entry.name.casefold()]
    if len(found) == 1:
        return found[0]
    names = ", ".join(repr(entry.name) for entry in (found or entries))
    got = f"{name!r}, which fits {len(found)}" if found else repr(name)
    raise InputError(f"the name of one {what}", got, where, f"choose from {names}")


def _itself(problem: Any) -> Any:
    return problem


def verifier(
    name: str,
    *,
    source: str,
    claim: Verdict,
    slots: Sequence[Slot],
    prepare: Callable[[Any], Any] = _itself,
    path_bound: Callable[[Any], int] | None = None,
) -> Callable[[Callable[[Any, Chooser], Exit]], Verifier[Any]]:
    """Turn a function of (problem, chooser) into a Verifier.

    >>> from tevtheory.examples import C2
    >>> from tevtheory.targets import Problem
    >>> token = Slot("token", per="round")
    >>> @verifier("root only", source="an example", claim=Verdict.EXACT, slots=[token])
    ... def root_only(problem, chooser):
    ...     return Exit(0, chooser.choose(problem.rows[0], site=(token, 0)))
    >>> root_only.name, root_only.claim.value
    ('root only', 'EXACT, REGRET')
    """

    def wrap(walk: Callable[[Any, Chooser], Exit]) -> Verifier[Any]:
        return Verifier(name, walk, tuple(slots), source, claim, prepare, path_bound)

    return wrap
