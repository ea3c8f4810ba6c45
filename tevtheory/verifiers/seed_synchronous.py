"""Seed-synchronous TEV: one uniform per position, inverse CDF in vocabulary order.

Source: theory of exit laws. An edge is hit iff its depth's uniform falls in the child token's piece of the cumulative row;
the exit is the deepest node whose ancestor edges are all hit; the bonus is the inverse CDF of the exit's row at the same
uniform. The text is that of plain sampling with the same uniforms, whatever the tree.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Any

from tevtheory.choices import Chooser, Slot, verifier
from tevtheory.targets import Problem
from tevtheory.trees import ROOT, Exit
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.plans import cumulative

POSITION = Slot("position", per="depth")


@dataclass(frozen=True)
class _Plan:
    sums: list[list[Any]]  # per node: left-to-right sums of its row
    edges: list[list[tuple[int, Any, Any]]]  # per node: child, and the ends of its token's piece
    depths: tuple[int, ...]


def _prepare(problem: Problem) -> _Plan:
    tree, sums = problem.tree, cumulative(problem)
    nothing = problem.target.one * 0
    edges = [
        [(child, table[token - 1] if token else nothing, table[token]) for token, child in children.items()]
        for table, children in zip(sums, tree.child_maps, strict=True)
    ]
    return _Plan(sums, edges, tree.depths)


@verifier("seed-synchronous TEV", source="inverse CDF", claim=Verdict.CANONICAL, slots=[POSITION], prepare=_prepare)
def SEED_SYNCHRONOUS(plan: _Plan, chooser: Chooser) -> Exit:
    """Hit edges depth by depth; one uniform serves all nodes of a depth."""
    node, moved = ROOT, True
    while moved:
        moved = False
        table: Any = plan.sums[node]
        mark = chooser.coin(site=(POSITION, plan.depths[node])) * table[-1]
        for child, low, high in plan.edges[node]:
            if mark < high and not mark < low:
                node, moved = child, True
                break
    # Rounding may push the mark to the end of the table: the last positive token is meant.
    return Exit(node, min(bisect_right(table, mark), bisect_left(table, table[-1])))
