"""Cumulative walk with two knobs: one coin per node against the siblings' running sum.

Source: SGLang `TreeSpeculativeSamplingTargetOnly`. A sibling is accepted iff coin * threshold_acc < running sum or its own
probability >= threshold_single; a separate coin draws the bonus from the row without the refused siblings. With both
thresholds 1 it is canonical; lower values are lossy by design.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from tevtheory.choices import Chooser, Slot, Verifier, verifier
from tevtheory.targets import Problem
from tevtheory.trees import ROOT, Exit
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.plans import bonus_rows, like_rows
from tevtheory.weights import exact

NODE = Slot("node", per="node")
BONUS = Slot("bonus", per="round")


@dataclass(frozen=True)
class _Plan:
    steps: list[list[tuple[int, Any, bool]]]  # per node: child, running sum, and whether it needs no coin
    bonus: list[tuple[Any, ...]]
    acc: Any


def _prepare(problem: Problem, acc: Any, single: Any) -> _Plan:
    bonus, steps = bonus_rows(problem), []
    threshold = like_rows(problem, single)
    for v, children in enumerate(problem.tree.children):
        row, running, step = problem.rows[v], problem.target.one * 0, []
        for child in children:
            p = row[problem.tree.tokens[child]]
            running = running + p
            step.append((child, running, bool(p >= threshold)))
        if step and not any(bonus[v]):
            # Whatever rounding makes of the running sum, the last positive child is certain.
            last = max(k for k, (child, _, _) in enumerate(step) if row[problem.tree.tokens[child]] > 0)
            step[last] = (step[last][0], step[last][1], True)
        steps.append(step)
    return _Plan(steps, bonus, like_rows(problem, acc))


def cumulative_thresholds(threshold_acc: Any, threshold_single: Any, claim: Verdict) -> Verifier[_Plan]:
    """The walk at given thresholds, both in (0, 1]."""
    acc, single = exact(threshold_acc), exact(threshold_single)

    @verifier(
        "cumulative walk" + (f" acc {acc}" if acc != 1 else "") + (f" single {single}" if single != 1 else ""),
        source="SGLang target-only",
        claim=claim,
        slots=[NODE, BONUS],
        prepare=partial(_prepare, acc=acc, single=single),
    )
    def walk(plan: _Plan, chooser: Chooser) -> Exit:
        node, moved = ROOT, True
        while moved and plan.steps[node]:
            moved = False
            mark = chooser.coin(site=(NODE, node)) * plan.acc
            for child, running, certain in plan.steps[node]:
                if certain or mark < running:
                    node, moved = child, True
                    break
        return Exit(node, chooser.choose(plan.bonus[node], site=(BONUS, 0)))

    return walk


AT_ONE = cumulative_thresholds(1, 1, Verdict.CANONICAL)
ACC_BELOW_ONE = cumulative_thresholds("4/5", 1, Verdict.LOSSY)
SINGLE_BELOW_ONE = cumulative_thresholds(1, "3/10", Verdict.LOSSY)
