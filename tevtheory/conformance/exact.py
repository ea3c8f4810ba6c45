"""Judge a verifier on one tree, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tevtheory.choices import Enumeration, Limits
from tevtheory.conformance.subjects import as_subject
from tevtheory.errors import ContractError, InputError
from tevtheory.exitlaw import (
    Violation,
    canonical_exit_law,
    ceiling,
    completed_law,
    expected_length,
    first_excess,
    first_violation,
    impossible,
    regret_by_string,
)
from tevtheory.laws import Law
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import Exit
from tevtheory.verdicts import Verdict
from tevtheory.weights import ZERO, brief, show


@dataclass(frozen=True)
class Reference:
    """The closed forms a law is held against, worked out once per tree."""

    target: TargetTree
    canonical: Law[Exit]
    ceiling: Any

    @classmethod
    def of(cls, target: TargetTree) -> Reference:
        """The canonical law and the ceiling of a target tree."""
        return cls(target, canonical_exit_law(target), ceiling(target))


@dataclass(frozen=True)
class Finding:
    """The verdict on one tree.

    `length` is E[length] (None where no law was found), `distance` the d of LOSSY BY d, `reason` the counterexample in
    words, `paths` the number of enumerated paths, `check` what found it: law, support, mass, boundary, outputs, inputs,
    replay, choices, draws, paths, time or exception; `costs` the regret by in-tree string, for an exact verifier;
    `law` the whole law, where it was found and is not canonical, and `violation` the local equality that it breaks.
    """

    verdict: Verdict
    ceiling: Any
    length: Any = None
    distance: Any = ZERO
    reason: str = ""
    paths: int = 0
    check: str = "law"
    costs: Mapping[int, Any] = field(default_factory=dict, compare=False)
    law: Law[Exit] | None = field(default=None, compare=False, repr=False)
    violation: Violation | None = field(default=None, compare=False, repr=False)

    @property
    def regret(self) -> Any:
        """Ceiling minus E[length]; None where no law was found."""
        return None if self.length is None else self.ceiling - self.length

    def __str__(self) -> str:
        text = self.verdict.value
        if self.verdict is Verdict.EXACT:
            text += f" {show(self.regret)}"
        elif self.verdict is Verdict.LOSSY:
            text += f" BY {show(self.distance)}"
        return f"{text}: {self.reason}" if self.reason else text


def judge_law(law: Law[Exit], reference: Reference, paths: int = 0, tolerance: Any = 0) -> Finding:
    """Judge a complete law over exits; differences up to `tolerance` count as none (0: exact arithmetic decides).

    >>> from tevtheory.examples import C2
    >>> print(judge_law(Law({Exit(0, 1): "3/4", Exit(1, 0): "1/4"}), Reference.of(C2)))
    LOSSY BY 3/8: at node 0, path [], token 0 follows with 1/4, target 1/2
    """
    target, top = reference.target, reference.ceiling
    if law == reference.canonical:
        return Finding(Verdict.CANONICAL, top, top, paths=paths)
    try:
        violation = first_violation(law, target, tolerance)
    except InputError as error:
        return Finding(Verdict.BROKEN, top, reason=str(error), paths=paths, check="outputs")
    length = expected_length(law, target)
    if violation is None:
        inside = sum(mass for end, mass in law.items() if target.tree.lands_on(end) is not None)
        verdict = Verdict.CANONICAL if inside <= tolerance else Verdict.EXACT
        costs = {} if verdict is Verdict.CANONICAL else regret_by_string(law, target)
        return Finding(verdict, top, length, paths=paths, costs=costs, law=law)
    lossy = Finding(Verdict.LOSSY, top, length, reason=str(violation), paths=paths, law=law, violation=violation)
    if violation.node is None:
        return replace(lossy, verdict=Verdict.BROKEN, length=None, check="mass")
    gap = completed_law(law, target).total_variation(reference.canonical)
    forbidden = violation.expected == 0
    return replace(lossy, distance=gap, check="support" if forbidden else "law")


def judge_on(given: Any, problem: Problem, reference: Reference | None = None, limits: Limits = Limits()) -> Finding:
    """Find the law of a verifier (or subject) on one tree, in boundary mode and every path twice, and judge it.

    >>> from tevtheory.examples import C2
    >>> from tevtheory.verifiers.catalogue import find
    >>> print(judge_on(find("autoregressive"), Problem(C2)))
    EXACT, REGRET 7/8
    """
    subject = as_subject(given)
    reference = reference or Reference.of(problem.target)
    top = reference.ceiling
    try:
        found = subject.find_law(problem, limits)
    except ContractError as error:
        return Finding(Verdict.BROKEN, top, reason=str(error), check=error.check)
    except Exception as error:  # whatever the verifier raises is a finding about the verifier
        reason = f"the verifier raised {type(error).__name__}: {error}"
        return Finding(Verdict.BROKEN, top, reason=reason, check="exception")
    if found.cut is not None:
        return _judge_part(found, reference)
    try:
        forbidden = impossible(found.null_outcomes, problem.target)
    except InputError as error:
        return Finding(Verdict.BROKEN, top, reason=str(error), paths=found.paths, check="outputs")
    if forbidden is not None:
        reason = _forbidden(forbidden, reference)
        return Finding(Verdict.BROKEN, top, reason=reason, paths=found.paths, check="boundary")
    return judge_law(found.law, reference, found.paths, subject.tolerance)


def _judge_part(found: Enumeration[Exit], reference: Reference) -> Finding:
    """What a law that a limit cut short still proves: mass above the target's refutes exactness, whatever is missing."""
    top, paths = reference.ceiling, found.paths
    reason = f"{found.cut}; mass {brief(found.law.unresolved)} is unresolved"
    try:
        excess = first_excess(found.law, reference.target)
    except InputError as error:
        return Finding(Verdict.BROKEN, top, reason=str(error), paths=paths, check="outputs")
    if excess is not None:
        return Finding(Verdict.LOSSY, top, None, excess.got - excess.expected, f"{excess} ({reason})", paths)
    if found.endless:
        return Finding(Verdict.BROKEN, top, reason=reason, paths=paths, check="draws")
    return Finding(Verdict.INCONCLUSIVE, top, reason=reason, paths=paths, check="paths")


def _forbidden(end: Exit, reference: Reference) -> str:
    path = list(reference.target.tree.path(end[0]))
    return (
        f"at node {end[0]}, path {path}, token {end[1]} ends a block of target probability 0, emitted when a coin meets a "
        "threshold exactly (weight 0); compare with < on half-open intervals"
    )
