"""Checks beside the law: what must hold between two runs, two trees or two calls.

Each check takes a subject and a few small problems and gives None, or what is wrong in words. Together with what the law
itself finds (outputs, inputs, replay, boundary, draws) they are the conformance suite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from tevtheory.choices import Enumeration, Limits, enumerate_law
from tevtheory.conformance.subjects import ProgramSubject, Subject
from tevtheory.errors import ContractError
from tevtheory.exitlaw import expected_length
from tevtheory.laws import Law
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import DraftTree, Exit
from tevtheory.verdicts import Verdict
from tevtheory.weights import show


@dataclass(frozen=True)
class Check:
    """The outcome of one check: `detail` says what is wrong, or why it did not apply."""

    name: str
    passed: bool | None
    detail: str = ""

    def __str__(self) -> str:
        word = {True: "pass", False: "FAIL", None: "not run"}[self.passed]
        return f"{self.name}: {word}{f' ({self.detail})' if self.detail else ''}"


class NotApplicable(Exception):
    """The check has nothing to look at in this subject."""


class _Broken(Exception):
    """The law of a call could not be found."""


def _law(subject: Subject, problem: Problem, limits: Limits, calls: int = 1) -> Law[Exit]:
    return _whole(lambda: subject.find_law(problem, limits, calls))


def _whole(find: Callable[[], Enumeration[Any]]) -> Law[Any]:
    """The law that an enumeration finds whole; raises _Broken with the reason where it does not."""
    try:
        found = find()
    except ContractError as error:
        raise _Broken(str(error)) from None
    except Exception as error:  # whatever the verifier raises is a finding about the verifier
        raise _Broken(f"the verifier raised {type(error).__name__}: {error}") from None
    if found.cut is not None:
        raise _Broken(found.cut)
    return found.law


def _differ(first: Law[Exit], second: Law[Exit], subject: Subject) -> bool:
    return bool(first.total_variation(second) > subject.tolerance)


def second_call(subject: Subject, problems: Sequence[Problem], limits: Limits) -> str | None:
    """A second call on the same buffers has the law of the first."""
    for problem in problems:
        first, second = _law(subject, problem, limits), _law(subject, problem, limits, calls=2)
        if _differ(first, second, subject):
            gap = show(first.total_variation(second))
            return f"on tree {problem.tree} the second call's law differs from the first's, total variation {gap}"
    return None


def labels(subject: Subject, problems: Sequence[Problem], limits: Limits) -> str | None:
    """Permuting token labels permutes the law."""
    for problem in problems:
        size = problem.target.vocabulary
        shift = [(x + 1) % size for x in range(size)]
        expected = _law(subject, problem, limits).map(lambda end, shift=shift: Exit(end.node, shift[end.token]))  # type: ignore[misc]
        if _differ(_law(subject, _renamed(problem, shift), limits), expected, subject):
            return f"on tree {problem.tree} the law does not follow when token x is renamed x + 1 mod {size}"
    return None


def _renamed(problem: Problem, new: Sequence[int]) -> Problem:
    old = [new.index(x) for x in range(len(new))]
    tree = problem.tree
    renamed = DraftTree(tree.parents, (-1, *(new[token] for token in tree.tokens[1:])))

    def moved(rows: Sequence[Any]) -> list[list[Any]]:
        return [[row[x] for x in old] for row in rows]

    proposals = None if problem.proposals is None else moved(problem.proposals)
    return Problem(TargetTree(renamed, moved(problem.rows)), proposals)


def super_tree(subject: Subject, problems: Sequence[Problem], limits: Limits) -> str | None:
    """Adding a node never shortens the expected block (for verifiers that claim to be canonical)."""
    for problem in problems:
        tree = problem.tree
        whole = expected_length(_law(subject, problem, limits), problem.target)
        for leaf in [v for v in range(1, tree.size) if not tree.children[v]]:
            kept = [v for v in range(tree.size) if v != leaf]
            smaller = problem.target.restricted(kept)
            proposals = None if problem.proposals is None else [problem.proposals[v] for v in kept]
            part = expected_length(_law(subject, Problem(smaller, proposals), limits), smaller)
            if part > whole + subject.tolerance:
                return (
                    f"E[length] is {show(part)} on tree {smaller.tree}, and only {show(whole)} on its super-tree {tree}"
                )
    return None


def chain(subject: Subject, other: Subject, problems: Sequence[Problem], limits: Limits) -> str | None:
    """On a tree with one child per node the law is that of the project's own chain verifier."""
    for problem in problems:
        if all(len(children) <= 1 for children in problem.tree.children):
            gap = _law(subject, problem, limits).total_variation(_law(other, problem, limits))
            if gap > max(subject.tolerance, other.tolerance):
                return f"on the chain {problem.tree} the tree's law is {show(gap)} away from the chain verifier's"
    return None


def batch(subject: Subject, problems: Sequence[Problem], limits: Limits) -> str | None:
    """In a batch of two, each request has the law it has alone."""
    if not isinstance(subject, ProgramSubject) or subject.start_batch is None:
        raise NotApplicable("no batched form was given")
    for pair in pairwise(problems):
        together = _whole(partial(_batch_law, subject, subject.start_batch, pair, limits))
        for position, problem in enumerate(pair):
            alone = _law(subject, problem, limits)
            within = together.map(lambda ends, position=position: ends[position])  # type: ignore[misc]
            if _differ(alone, within, subject):
                gap = show(alone.total_variation(within))
                trees = " and ".join(str(each.tree) for each in pair)
                return f"in a batch of the trees {trees}, request {position}'s law is {gap} away from its law alone"
    return None


def _batch_law(subject: ProgramSubject, start: Callable[..., Any], pair: Sequence[Problem], limits: Limits) -> Any:
    return enumerate_law(start(pair), limits=limits, boundary=True, floats=subject.numbers == "float64")


Contract = Callable[[Subject, Sequence[Problem], Limits], str | None]

CONTRACTS: dict[str, Contract] = {
    "second call": second_call,
    "labels": labels,
    "super-tree": super_tree,
    "batch": batch,
}


def run_contracts(
    subject: Subject, problems: Sequence[Problem], limits: Limits, verdict: Verdict, other: Subject | None = None
) -> tuple[Check, ...]:
    """Every check that applies, on problems that the subject fits."""
    contracts = dict(CONTRACTS)
    if other is not None:
        contracts["chain"] = lambda first, some, bounds: chain(first, other, some, bounds)
    checks = []
    for name, contract in contracts.items():
        if name == "super-tree" and Verdict.CANONICAL not in (subject.claim, verdict):
            checks.append(Check(name, None, "for canonical verifiers only"))
            continue
        try:
            detail = contract(subject, problems, limits)
        except NotApplicable as error:
            checks.append(Check(name, None, str(error)))
            continue
        except _Broken as error:
            detail = str(error)
        checks.append(Check(name, detail is None, detail or ""))
    return tuple(checks)
