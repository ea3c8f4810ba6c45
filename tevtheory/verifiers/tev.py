"""Tree Exit Verification: one exit decision and one bonus decision.

Source: "Where Draft Trees Lose Target Mass: Exit-Guided Speculative Decoding". Draw the exit node from the exit masses
e(v) = F(v)(1 - p(children of v)), then the bonus from that node's row without its children.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tevtheory.choices import Chooser, Slot, verifier
from tevtheory.targets import Problem
from tevtheory.trees import Exit
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.plans import bonus_rows

EXIT = Slot("exit", per="round")
BONUS = Slot("bonus", per="round")


@dataclass(frozen=True)
class _Plan:
    exits: tuple[Any, ...]
    bonus: list[tuple[Any, ...]]


def _prepare(problem: Problem) -> _Plan:
    tree, rows, bonus = problem.tree, problem.rows, bonus_rows(problem)
    flows, exits = [problem.target.one], []
    for v, row in enumerate(rows):
        if v:
            parent = tree.parents[v]
            flows.append(flows[parent] * rows[parent][tree.tokens[v]] / rows[parent].total())
        # The masked row is summed directly: 1 - sum(children) would leave rounding where nothing is left.
        exits.append(flows[v] * sum(bonus[v]) / row.total())
    return _Plan(tuple(exits), bonus)


@verifier("TEV", source="TEV paper", claim=Verdict.CANONICAL, slots=[EXIT, BONUS], prepare=_prepare)
def TEV(plan: _Plan, chooser: Chooser) -> Exit:
    """One exit, one bonus."""
    node = chooser.choose(plan.exits, site=(EXIT, 0))
    return Exit(node, chooser.choose(plan.bonus[node], site=(BONUS, 0)))
