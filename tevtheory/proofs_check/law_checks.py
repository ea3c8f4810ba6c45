"""Statements about one exact law on one tree; exhaustive and property checks feed them laws.

With `falsify` each checks a near miss of its statement instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from tevtheory.exitlaw import (
    canonical_exit_law,
    ceiling,
    expected_length,
    first_violation,
    flow,
    level_masses,
    regret_by_string,
    subtree_mixture,
)
from tevtheory.laws import Law
from tevtheory.proofs_check.evidence import demand
from tevtheory.targets import TargetTree
from tevtheory.trees import ROOT, Exit


def subtree_law(target: TargetTree, kept: Sequence[int]) -> Law[Exit]:
    """The canonical law of a rooted subtree, as a law over the exits of the whole tree."""
    law = canonical_exit_law(target.restricted(kept))
    return Law.trusted({Exit(sorted(kept)[end.node], end.token): mass for end, mass in law.items()})


def stopping_law(target: TargetTree, stops: Sequence[Any]) -> Law[Exit]:
    """Walk with the target; on coming to an in-tree node v, end the block there with probability `stops[v]`."""
    tree, masses = target.tree, dict[Exit, Any]()
    walking = [target.one, *[target.one * 0] * tree.budget]
    for v in range(tree.size):
        for token, weight in enumerate(target.rows[v]):
            child, through = tree.child(v, token), walking[v] * weight
            ended = through if child is None else through * stops[child]
            if child is not None:
                walking[child] = through - ended
            if ended:
                masses[Exit(v, token)] = ended
    return Law.trusted(masses)


def _ceiling(law: Law[Exit], target: TargetTree, falsify: bool) -> None:
    length, top = expected_length(law, target), ceiling(target)
    demand(length < top if falsify else length <= top, f"E[length] {length}, ceiling {top} on {target.tree}")


def _dominance(law: Law[Exit], target: TargetTree, falsify: bool) -> None:
    levels = (*level_masses(target), 0)
    for k in range(target.tree.depth + 1):
        longer = sum(mass for end, mass in law.items() if target.tree.depths[end.node] >= k)
        bound = levels[k + 1] if falsify else levels[k]
        demand(longer <= bound, f"P(length > {k}) = {longer} > {bound} on {target.tree}")


def _uniqueness(law: Law[Exit], target: TargetTree, falsify: bool) -> None:
    attains = expected_length(law, target) == ceiling(target)
    canonical = law == canonical_exit_law(target)
    demand(attains == (canonical and not falsify), f"attains {attains}, canonical {canonical} on {target.tree}")


def _stopping_times(law: Law[Exit], target: TargetTree, falsify: bool) -> None:
    """Exact; d(u) = P(block = u) / F(u) sums to at most 1 along paths; mass moved between two boundary exits is seen."""
    tree, flows = target.tree, flow(target)
    demand(first_violation(law, target) is None, f"not exact: {first_violation(law, target)} on {tree}")
    spent = [target.one * 0] * tree.size
    for v in range(1, tree.size):
        mass = law[Exit(tree.parents[v], tree.tokens[v])]
        spent[v] = spent[tree.parents[v]] + (mass / flows[v] if flows[v] else 0)
        demand(spent[v] <= 1 and (flows[v] > 0 or mass == 0), f"stops add up to {spent[v]} on {tree}")
    boundary = [end for end in law if tree.lands_on(end) is None]
    for source, drain in pairwise(boundary):
        moved = dict(law)
        moved[source], moved[drain] = moved[source] / 2, moved[drain] + moved[source] / 2
        found = first_violation(Law.trusted(moved), target) is not None
        demand(found != falsify, f"half of {source} moved to {drain} and called exact on {tree}")


def _regret_identity(law: Law[Exit], target: TargetTree, falsify: bool) -> None:
    lost = ceiling(target) - expected_length(law, target)
    ends = {target.tree.lands_on(end): mass for end, mass in law.items()}
    costs = sum(cost - (ends[node] if falsify else 0) for node, cost in regret_by_string(law, target).items())
    demand(lost == costs, f"lost {lost}, explained {costs} on {target.tree}")


def _polytope(law: Law[Exit], target: TargetTree, falsify: bool) -> None:
    """The law is the mixture of canonical laws of rooted subtrees that it is said to be."""
    masses: dict[Exit, Any] = {}
    parts = subtree_mixture(law, target)
    demand(sum(part.weight for part in parts) == 1 and all(part.weight > 0 for part in parts), f"weights of {parts}")
    for part in parts[:1] if falsify else parts:
        for end, mass in subtree_law(target, part.nodes).items():
            masses[end] = masses.get(end, 0) + part.weight * mass
    demand(Law.trusted(masses) == law, f"the mixture is another law on {target.tree}")


LawCheck = Callable[[Law[Exit], TargetTree, bool], None]

LAW_CHECKS: dict[str, LawCheck] = {
    "ceiling": _ceiling,
    "dominance": _dominance,
    "uniqueness": _uniqueness,
    "stopping-times": _stopping_times,
    "regret-identity": _regret_identity,
    "polytope": _polytope,
}


def positive_nodes(target: TargetTree) -> list[int]:
    """T+: the nodes that the target reaches."""
    return [v for v, mass in enumerate(flow(target)) if mass > 0 or v == ROOT]
