"""Every exact law is a mixture of canonical laws of rooted subtrees.

Theorem (polytope): with d(u) = P(block = u) / F(u) on in-tree strings of positive flow, a law is exact iff d >= 0 and all
sums of d along paths are <= 1 (and the boundary follows); the vertices are the indicators of antichains A, that is, the
canonical laws of the subtrees that stop at A.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tevtheory.errors import InputError
from tevtheory.exitlaw.exactness import first_violation
from tevtheory.exitlaw.flow import flow
from tevtheory.laws import Law
from tevtheory.targets import TargetTree
from tevtheory.trees import ROOT, Exit


@dataclass(frozen=True)
class Component:
    """One part of a mixture: with probability `weight`, run the canonical verifier of the subtree on `nodes`."""

    weight: Any
    nodes: tuple[int, ...]


def subtree_mixture(law: Law[Exit], target: TargetTree) -> tuple[Component, ...]:
    """Write an exact law as a mixture of canonical laws of rooted subtrees, nested from small to large.

    Raises InputError, with the violated equality, where the law is not exact.

    >>> from tevtheory.examples import C2
    >>> stop_at_once = Law({Exit(0, 0): "1/2", Exit(0, 1): "1/2"})
    >>> [(str(part.weight), part.nodes) for part in subtree_mixture(stop_at_once, C2)]
    [('1', (0,))]
    """
    if (violation := first_violation(law, target)) is not None:
        raise InputError("an exact law", str(violation), "mixture", "only exact laws are mixtures of subtrees")
    tree, masses = target.tree, flow(target)
    stops = {v: law[Exit(tree.parents[v], tree.tokens[v])] / masses[v] for v in range(1, tree.size) if masses[v] != 0}
    parts, left = [], target.one
    while topmost := _topmost(stops, target):
        weight = min(stops[v] for v in topmost)
        parts.append(Component(weight, _above(topmost, target)))
        left = left - weight
        for v in topmost:
            stops[v] = stops[v] - weight
    if left:
        parts.append(Component(left, tuple(range(tree.size))))
    return tuple(parts)


def _topmost(stops: dict[int, Any], target: TargetTree) -> list[int]:
    """The nodes with a positive entry and no such node above them."""
    under, found = [False] * target.tree.size, []
    for v in range(1, target.tree.size):
        under[v] = under[target.tree.parents[v]]
        if not under[v] and stops.get(v, 0) > 0:
            under[v] = True
            found.append(v)
    return found


def _above(antichain: list[int], target: TargetTree) -> tuple[int, ...]:
    """The nodes that are not at or below a node of the antichain."""
    cut, kept = set(antichain), [ROOT]
    for v in range(1, target.tree.size):
        if v in cut or target.tree.parents[v] in cut:
            cut.add(v)
        else:
            kept.append(v)
    return tuple(kept)
