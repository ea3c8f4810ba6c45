"""Nested intervals: one uniform for the whole block.

Source: theory of exit laws (arithmetic decoding of the tree). Node v owns an interval of length F(v); its children's
intervals come first inside it, then its bonus tokens'. The uniform names the exit and, rescaled, the bonus.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from tevtheory.choices import Chooser, Slot, verifier
from tevtheory.targets import Problem
from tevtheory.trees import ROOT, Exit
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.plans import bonus_rows

BLOCK = Slot("block", per="round")


@dataclass(frozen=True)
class _Plan:
    children: list[list[tuple[int, Any]]]  # per node: child and the end of its interval
    tokens: list[list[int]]  # per node: bonus tokens of positive mass
    ends: list[list[Any]]  # per node: the ends of their intervals


def _prepare(problem: Problem) -> _Plan:
    tree, bonus = problem.tree, bonus_rows(problem)
    starts, flows = [problem.target.one * 0] * tree.size, [problem.target.one] * tree.size
    plan = _Plan([], [], [])
    for v, row in enumerate(problem.rows):
        end, unit, children = starts[v], flows[v] / row.total(), []
        for child in tree.children[v]:
            starts[child], flows[child] = end, unit * row[tree.tokens[child]]
            end = end + flows[child]
            children.append((child, end))
        plan.children.append(children)
        plan.tokens.append([x for x, weight in enumerate(bonus[v]) if weight > 0])
        plan.ends.append([end := end + unit * bonus[v][x] for x in plan.tokens[v]])
    return plan


@verifier("nested intervals", source="one uniform", claim=Verdict.CANONICAL, slots=[BLOCK], prepare=_prepare)
def NESTED_INTERVALS(plan: _Plan, chooser: Chooser) -> Exit:
    """Find the deepest interval that holds the uniform."""
    uniform = chooser.coin(site=(BLOCK, 0))
    node, inside = ROOT, True
    while inside:
        inside = False
        for child, end in plan.children[node]:
            if uniform < end:
                node, inside = child, True
                break
    index = bisect_right(plan.ends[node], uniform)
    return Exit(node, plan.tokens[node][min(index, len(plan.tokens[node]) - 1)])
