"""The canonical exit law: where the target leaves the tree.

Exit mass e(v) = F(v)(1 - p(children of v | v)), the bonus is drawn from the row restricted to non-children; jointly
(w, y) has mass F(w) p(y | w) on the strings wy that leave the tree.
Theorem: it is exact, and the only law that attains the ceiling.
"""

from __future__ import annotations

from typing import Any

from tevtheory.errors import InputError
from tevtheory.exitlaw.flow import flow
from tevtheory.laws import Law
from tevtheory.targets import TargetTree
from tevtheory.trees import Exit


def exit_masses(target: TargetTree) -> tuple[Any, ...]:
    """e(v) for every node; they sum to 1.

    >>> from tevtheory.examples import C2
    >>> [str(mass) for mass in exit_masses(C2)]
    ['1/2', '1/8', '3/8']
    """
    return tuple(mass * target.exit_probability(v) for v, mass in enumerate(flow(target)))


def canonical_exit_law(target: TargetTree) -> Law[Exit]:
    """The canonical joint law of exit node and bonus token.

    >>> from tevtheory.examples import C2
    >>> canonical_exit_law(C2).fractions()
    {Exit(node=0, token=1): Fraction(1, 2), Exit(node=1, token=0): Fraction(1, 8), Exit(node=2, token=0): Fraction(3, 8)}
    """
    masses: dict[Exit, Any] = {}
    for v, through in enumerate(flow(target)):
        if through == 0:
            continue
        children, row = target.tree.child_maps[v], target.rows[v]
        unit = through / row.total() if target.kind.value == "float" else through
        for token, weight in enumerate(row):
            if weight != 0 and token not in children:
                masses[Exit(v, token)] = unit * weight
    return Law.trusted(masses)


def bonus_law(target: TargetTree, node: int) -> Law[int]:
    """The law of the bonus token given a canonical exit at a node; raises InputError where no exit can happen.

    >>> from tevtheory.examples import C2
    >>> bonus_law(C2, 1).fractions()
    {0: Fraction(1, 1)}
    """
    outside = target.exit_probability(node)
    if outside == 0:
        got = f"node {node}, whose children hold all mass"
        raise InputError("a node with exit mass", got, "bonus law", "no bonus is ever drawn there")
    masses = {
        token: target.probability(node, token) / outside
        for token in range(target.vocabulary)
        if target.tree.child(node, token) is None and target.rows[node][token] != 0
    }
    return Law.trusted(masses)
