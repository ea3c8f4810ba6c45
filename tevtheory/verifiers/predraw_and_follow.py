"""Predraw-and-follow: draw a token from the target's row, follow it while it is a child, emit the first that is not.

Source: DDTree `follow_verified_tree` (Ringel and Romano, arXiv 2604.12989), OPT-Tree, CaDDTree; for chains DFlash and
exact-match verification. One draw decides acceptance and bonus, so every emitted token is a target draw.
"""

from __future__ import annotations

from math import prod

from tevtheory.choices import Chooser, Slot, verifier
from tevtheory.targets import Problem
from tevtheory.trees import ROOT, Exit
from tevtheory.verdicts import Verdict

TOKEN = Slot("token", per="node")


@verifier("predraw and follow", source="DDTree, OPT-Tree; lazily", claim=Verdict.CANONICAL, slots=[TOKEN])
def PREDRAW_AND_FOLLOW(problem: Problem, chooser: Chooser) -> Exit:
    """Draw only at the nodes that are walked through."""
    node = ROOT
    while True:
        token = chooser.choose(problem.rows[node], site=(TOKEN, node))
        child = problem.tree.child_maps[node].get(token)
        if child is None:
            return Exit(node, token)
        node = child


def _product_of_supports(problem: Problem) -> int:
    return prod(sum(1 for weight in row if weight) for row in problem.rows)


@verifier(
    "predraw everywhere",
    source="DDTree, as its code does",
    claim=Verdict.CANONICAL,
    slots=[TOKEN],
    path_bound=_product_of_supports,
)
def PREDRAW_EVERYWHERE(problem: Problem, chooser: Chooser) -> Exit:
    """Draw a token at every node first, then walk."""
    drawn = [chooser.choose(row, site=(TOKEN, node)) for node, row in enumerate(problem.rows)]
    node = ROOT
    while (child := problem.tree.child_maps[node].get(drawn[node])) is not None:
        node = child
    return Exit(node, drawn[node])
