"""Exactness of any law over exits.

Theorem (local equalities): a law of total mass 1 is exact iff for every node s and token x
P(block starts with sx) = p(x | s) P(block strictly extends s).
Its completed law continues each block that ends inside the tree with the target until it leaves; the law is exact iff
its completed law is the canonical law, and their total variation is the d of LOSSY BY d.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tevtheory.errors import InputError
from tevtheory.exitlaw.canonical import canonical_exit_law
from tevtheory.exitlaw.flow import flow
from tevtheory.laws import Law
from tevtheory.targets import TargetTree
from tevtheory.trees import ROOT, Exit
from tevtheory.weights import show


@dataclass(frozen=True)
class Violation:
    """A local equality that fails: after `path`, `token` follows with probability `got` where the target has `expected`.

    A total mass other than 1 is a violation of its own, with node and token None.
    """

    node: int | None
    path: tuple[int, ...]
    token: int | None
    got: Any
    expected: Any

    def __str__(self) -> str:
        if self.node is None:
            return f"the law has total mass {show(self.got)}, not 1"
        at = f"at node {self.node}, path {list(self.path)}"
        return f"{at}, token {self.token} follows with {show(self.got)}, target {show(self.expected)}"


def check_support(law: Law[Exit], target: TargetTree) -> None:
    """Raise InputError where the law has an outcome that is no exit of this tree.

    >>> from tevtheory.examples import C2
    >>> check_support(Law({Exit(9, 0): 1}), C2)
    Traceback (most recent call last):
    tevtheory.errors.InputError: law: expected a node in 0..2 and a token in 0..1, got Exit(node=9, token=0); give a law ...
    """
    for outcome in law:
        try:
            node, token = outcome
            inside = 0 <= node < target.tree.size and 0 <= token < target.vocabulary
        except (TypeError, ValueError):
            inside = False
        if not inside:
            expected = f"a node in 0..{target.tree.size - 1} and a token in 0..{target.vocabulary - 1}"
            raise InputError(expected, f"{outcome!r}", "law", "give a law over the exits of this very tree")


def impossible(exits: Iterable[Exit], target: TargetTree) -> Exit | None:
    """The first exit, by node and token, whose block the target never writes; None where all can happen.

    >>> from tevtheory.examples import C2
    >>> impossible([Exit(0, 1), Exit(2, 1)], C2)
    Exit(node=2, token=1)
    """
    ends = dict.fromkeys(exits, target.one)
    check_support(Law.trusted(ends), target)
    through = flow(target) if ends else ()
    return min((Exit(*end) for end in ends if through[end[0]] * target.rows[end[0]][end[1]] == 0), default=None)


def passing(law: Mapping[Exit, Any], target: TargetTree) -> tuple[Any, ...]:
    """P(block strictly extends v) for every node: the law's mass on exits at v or below.

    >>> from tevtheory.examples import C2
    >>> [str(mass) for mass in passing(canonical_exit_law(C2), C2)]
    ['1', '1/2', '3/8']
    """
    masses = [target.one * 0] * target.tree.size
    for (node, _), mass in law.items():
        masses[node] = masses[node] + mass
    for v in range(target.tree.size - 1, 0, -1):
        parent = target.tree.parents[v]
        masses[parent] = masses[parent] + masses[v]
    return tuple(masses)


def first_violation(law: Law[Exit], target: TargetTree, tolerance: Any = 0) -> Violation | None:
    """The first (node, token) whose local equality fails, in node then token order; None for an exact law.

    `tolerance` is for laws that are known up to rounding only: the largest difference of masses that counts as none.

    >>> from tevtheory.examples import C2
    >>> print(first_violation(Law({Exit(0, 1): "3/4", Exit(1, 0): "1/4"}), C2))
    at node 0, path [], token 0 follows with 1/4, target 1/2
    >>> first_violation(Law({Exit(0, 0): "1/2", Exit(0, 1): "1/2"}), C2) is None
    True
    """
    check_support(law, target)
    extends = passing(law, target)
    if abs(extends[ROOT] - 1) > tolerance:
        return Violation(None, (), None, extends[ROOT], target.one)
    for s in range(target.tree.size):
        if extends[s] == 0:
            continue
        for x in range(target.vocabulary):
            child = target.tree.child(s, x)
            starts = law[Exit(s, x)] + (extends[child] if child is not None else 0)
            expected = target.probability(s, x)
            if abs(starts - expected * extends[s]) > tolerance:
                return Violation(s, target.tree.path(s), x, starts / extends[s], expected)
    return None


def first_excess(law: Law[Exit], target: TargetTree) -> Violation | None:
    """The first string that blocks start with more often than the target does, the law's unresolved mass aside.

    For every exact law, and every law that some generator with memory makes exact, P(block starts with u) <= p(u); so an
    excess refutes exactness even while part of the law is unknown.

    >>> from tevtheory.examples import C2
    >>> print(first_excess(Law({Exit(0, 1): "3/4"}), C2))
    at node 0, path [], token 1 follows with 3/4, target 1/2
    """
    check_support(law, target)
    extends, through = passing(law, target), flow(target)
    for s in range(target.tree.size):
        for x in range(target.vocabulary):
            child = target.tree.child(s, x)
            starts = law[Exit(s, x)] + (extends[child] if child is not None else 0)
            allowed = through[s] * target.probability(s, x)
            if starts > allowed:
                return Violation(s, target.tree.path(s), x, starts, allowed)
    return None


def completed_law(law: Law[Exit], target: TargetTree) -> Law[Exit]:
    """The law of the string at which a block, continued with the target, leaves the tree.

    >>> from tevtheory.examples import C2
    >>> completed_law(Law({Exit(0, 0): "1/2", Exit(0, 1): "1/2"}), C2) == canonical_exit_law(C2)
    True
    """
    check_support(law, target)
    masses = {end: mass for end, mass in law.items() if target.tree.lands_on(end) is None}
    walking = [target.one * 0] * target.tree.size  # mass that runs through v as a continuation
    for end, mass in law.items():
        child = target.tree.lands_on(end)
        if child is not None:
            walking[child] = walking[child] + mass
    for v in range(1, target.tree.size):
        walking[v] = walking[v] + walking[target.tree.parents[v]] * target.edge(v)
        if walking[v] != 0:
            for x in range(target.vocabulary):
                gain = walking[v] * target.probability(v, x)
                if gain != 0 and target.tree.child(v, x) is None:
                    masses[Exit(v, x)] = masses.get(Exit(v, x), 0) + gain
    return Law.trusted(masses)


def distance(law: Law[Exit], target: TargetTree) -> Any:
    """Total variation between the completed law and the canonical law: 0 iff the law is exact.

    >>> from tevtheory.examples import C2
    >>> print(distance(Law({Exit(0, 1): "3/4", Exit(1, 0): "1/4"}), C2))
    3/8
    """
    return completed_law(law, target).total_variation(canonical_exit_law(target))
