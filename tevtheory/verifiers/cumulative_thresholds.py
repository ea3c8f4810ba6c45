"""Cumulative walk with two knobs: one coin per node against the siblings' running sum.

Source: SGLang `TreeSpeculativeSamplingTargetOnly`. A sibling is accepted iff coin < running sum / threshold_acc or its own
probability >= threshold_single; a separate coin draws the bonus from the row without the refused siblings. With both
thresholds 1 it is canonical; lower values are lossy by design.
"""

from __future__ import annotations

from typing import Any

from tevtheory.choices import Chooser, Slot, Verifier, verifier
from tevtheory.targets import Problem
from tevtheory.trees import ROOT, Exit
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.plans import bonus_rows
from tevtheory.weights import exact

NODE = Slot("node", per="node")
BONUS = Slot("bonus", per="round")


def cumulative_thresholds(threshold_acc: Any, threshold_single: Any, claim: Verdict) -> Verifier[Any]:
    """The walk at given thresholds, both in (0, 1]."""
    acc, single = exact(threshold_acc), exact(threshold_single)

    def prepare(problem: Problem) -> tuple[Problem, list[tuple[Any, ...]]]:
        return problem, bonus_rows(problem)

    @verifier(
        f"cumulative walk, acc {acc}, single {single}",
        source="SGLang target-only",
        claim=claim,
        slots=[NODE, BONUS],
        prepare=prepare,
    )
    def walk(plan: tuple[Problem, list[tuple[Any, ...]]], chooser: Chooser) -> Exit:
        problem, bonus = plan
        tree, node, moved = problem.tree, ROOT, True
        while moved:
            moved = False
            if not tree.children[node]:
                break
            coin, running = chooser.coin(site=(NODE, node)), problem.target.one * 0
            for child in tree.children[node]:
                p = problem.rows[node][tree.tokens[child]]
                running = running + p
                if p >= single or coin < running / acc:
                    node, moved = child, True
                    break
        return Exit(node, chooser.choose(bonus[node], site=(BONUS, 0)))

    return walk


AT_ONE = cumulative_thresholds(1, 1, Verdict.CANONICAL)
ACC_BELOW_ONE = cumulative_thresholds("4/5", 1, Verdict.LOSSY)
SINGLE_BELOW_ONE = cumulative_thresholds(1, "3/10", Verdict.LOSSY)
