"""Judge a verifier on one tree, in exact arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from tevtheory.choices import Enumeration, Limits, Verifier, enumerate_law
from tevtheory.errors import ContractError, InputError
from tevtheory.exitlaw import (
    canonical_exit_law,
    ceiling,
    completed_law,
    expected_length,
    first_excess,
    first_violation,
    impossible,
)
from tevtheory.laws import Law
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import Exit
from tevtheory.verdicts import Verdict
from tevtheory.weights import ZERO, show


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
    words, `paths` the number of enumerated paths.
    """

    verdict: Verdict
    ceiling: Any
    length: Any = None
    distance: Any = ZERO
    reason: str = ""
    paths: int = 0

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


def judge_law(law: Law[Exit], reference: Reference, paths: int = 0) -> Finding:
    """Judge a complete law over exits.

    >>> from tevtheory.examples import C2
    >>> print(judge_law(Law({Exit(0, 1): "3/4", Exit(1, 0): "1/4"}), Reference.of(C2)))
    LOSSY BY 3/8: at node 0, path [], token 0 follows with 1/4, target 1/2
    """
    target = reference.target
    if law == reference.canonical:
        return Finding(Verdict.CANONICAL, reference.ceiling, reference.ceiling, paths=paths)
    try:
        violation = first_violation(law, target)
    except InputError as error:
        return Finding(Verdict.BROKEN, reference.ceiling, reason=str(error), paths=paths)
    length = expected_length(law, target)
    if violation is None:
        return Finding(Verdict.EXACT, reference.ceiling, length, paths=paths)
    if violation.node is None:
        return Finding(Verdict.BROKEN, reference.ceiling, reason=str(violation), paths=paths)
    gap = completed_law(law, target).total_variation(reference.canonical)
    return Finding(Verdict.LOSSY, reference.ceiling, length, gap, str(violation), paths)


def judge_on(
    verifier: Verifier[Any], problem: Problem, reference: Reference | None = None, limits: Limits = Limits()
) -> Finding:
    """Enumerate a verifier on one tree, in boundary mode and every path twice, and judge its law.

    >>> from tevtheory.examples import C2
    >>> from tevtheory.verifiers.catalogue import find
    >>> print(judge_on(find("autoregressive"), Problem(C2)))
    EXACT, REGRET 7/8
    """
    reference = reference or Reference.of(problem.target)
    try:
        program = partial(verifier.walk, verifier.prepare(problem))
        found = enumerate_law(program, slots=verifier.slots, limits=limits, boundary=True)
    except ContractError as error:
        return Finding(Verdict.BROKEN, reference.ceiling, reason=str(error))
    except Exception as error:  # whatever the verifier raises is a finding about the verifier
        return Finding(Verdict.BROKEN, reference.ceiling, reason=f"the verifier raised {type(error).__name__}: {error}")
    if found.cut is not None:
        return _judge_part(found, reference)
    try:
        forbidden = impossible(found.null_outcomes, problem.target)
    except InputError as error:
        return Finding(Verdict.BROKEN, reference.ceiling, reason=str(error), paths=found.paths)
    if forbidden is not None:
        return Finding(Verdict.BROKEN, reference.ceiling, reason=_forbidden(forbidden, reference), paths=found.paths)
    return judge_law(found.law, reference, found.paths)


def _judge_part(found: Enumeration[Exit], reference: Reference) -> Finding:
    """What a law that a limit cut short still proves: mass above the target's refutes exactness, whatever is missing."""
    reason = f"{found.cut}; mass {show(found.law.unresolved)} is unresolved"
    try:
        excess = first_excess(found.law, reference.target)
    except InputError as error:
        return Finding(Verdict.BROKEN, reference.ceiling, reason=str(error), paths=found.paths)
    if excess is not None:
        return Finding(
            Verdict.LOSSY, reference.ceiling, None, excess.got - excess.expected, f"{excess} ({reason})", found.paths
        )
    verdict = Verdict.BROKEN if found.endless else Verdict.INCONCLUSIVE
    return Finding(verdict, reference.ceiling, reason=reason, paths=found.paths)


def _forbidden(end: Exit, reference: Reference) -> str:
    path = list(reference.target.tree.path(end[0]))
    return (
        f"at node {end[0]}, path {path}, token {end[1]} ends a block of target probability 0, emitted when a coin meets a "
        "threshold exactly (weight 0); compare with < on half-open intervals"
    )
