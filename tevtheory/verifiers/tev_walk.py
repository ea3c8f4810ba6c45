"""TEV's walk: one coin per level against the running sum of the children, then a race for the bonus.

Source: the official TEV code (github.com/hsj576/TEV, `ddtree/ddtree.py`). At a node the coin is scaled by children + rest
and the first child whose running sum exceeds it is taken; coins are numbered in walk order, a leaf draws none; the bonus is
a Gumbel-max over the row without its children.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tevtheory.choices import Chooser, Slot, verifier
from tevtheory.targets import Problem
from tevtheory.trees import ROOT, Exit
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.plans import bonus_rows

LEVEL = Slot("level", per="depth")
BONUS = Slot("bonus", per="round", kind="race")


@dataclass(frozen=True)
class _Plan:
    steps: list[list[tuple[int, Any]]]  # per node: child and running sum
    whole: list[Any]
    bonus: list[tuple[Any, ...]]


def _prepare(problem: Problem) -> _Plan:
    bonus, steps, whole = bonus_rows(problem), [], []
    for v, children in enumerate(problem.tree.children):
        running, step = problem.target.one * 0, []
        for child in children:
            running = running + problem.rows[v][problem.tree.tokens[child]]
            step.append((child, running))
        steps.append(step)
        whole.append(running + sum(bonus[v]))
    return _Plan(steps, whole, bonus)


@verifier("TEV's walk", source="TEV code", claim=Verdict.CANONICAL, slots=[LEVEL, BONUS], prepare=_prepare)
def TEV_WALK(plan: _Plan, chooser: Chooser) -> Exit:
    """Walk down with one coin per level."""
    node, level = ROOT, 0
    while plan.steps[node]:
        mark = chooser.coin(site=(LEVEL, level)) * plan.whole[node]
        level += 1
        for child, running in plan.steps[node]:
            if mark < running:
                node = child
                break
        else:
            break
    return Exit(node, chooser.choose(plan.bonus[node], site=(BONUS, 0)))
