"""Regret: what a law loses against the ceiling.

Theorem (regret identity): for an exact law, ceiling - E[length] = sum over in-tree strings u of
P(block = u)(1 + Cov(T_u)). So an exact verifier is short for one reason only: its block ends inside the tree.
"""

from __future__ import annotations

from typing import Any

from tevtheory.exitlaw.flow import ceiling, expected_length_from
from tevtheory.laws import Law
from tevtheory.targets import TargetTree
from tevtheory.trees import Exit


def expected_length(law: Law[Exit], target: TargetTree) -> Any:
    """E[length] of a law, bonus included.

    >>> from tevtheory.examples import C2
    >>> print(expected_length(Law({Exit(0, 0): "1/2", Exit(0, 1): "1/2"}), C2))
    1
    """
    depths = target.tree.depths
    return law.mean(lambda end: depths[end.node] + 1)


def regret(law: Law[Exit], target: TargetTree) -> Any:
    """Ceiling minus E[length]; for exact laws it is >= 0, and 0 for the canonical law only.

    >>> from tevtheory.examples import C2
    >>> print(regret(Law({Exit(0, 0): "1/2", Exit(0, 1): "1/2"}), C2))
    7/8
    """
    return ceiling(target) - expected_length(law, target)


def regret_by_string(law: Law[Exit], target: TargetTree) -> dict[int, Any]:
    """The cost P(block = u)(1 + Cov(T_u)) of every in-tree string u the block may end on, by node.

    For an exact law the costs add up to the regret (and only then do they explain it).

    >>> from tevtheory.examples import C2
    >>> {node: str(cost) for node, cost in regret_by_string(Law({Exit(0, 0): "1/2", Exit(0, 1): "1/2"}), C2).items()}
    {1: '7/8'}
    """
    lengths = expected_length_from(target)
    costs: dict[int, Any] = {}
    for end, mass in law.items():
        node = target.tree.lands_on(end)
        if node is not None:
            costs[node] = mass * lengths[node]
    return dict(sorted(costs.items()))
