"""Independent draws per candidate path.

Source: Medusa nucleus (`evaluate_posterior`, nucleus). Every root-to-leaf path gets its own draws, also on shared prefixes;
the longest match wins (ties to the first path), and the next token is drawn afresh from its row. Several tries for one
token and the fresh draw both leave the target's law.
"""

from __future__ import annotations

from math import prod

from tevtheory.choices import Chooser, Slot, verifier
from tevtheory.targets import Problem
from tevtheory.trees import ROOT, Exit
from tevtheory.verdicts import Verdict

MATCH = Slot("match", per="child")
BONUS = Slot("bonus", per="round")


def _prepare(problem: Problem) -> tuple[Problem, list[list[int]]]:
    tree = problem.tree
    leaves = [v for v in range(tree.size) if not tree.children[v]]
    return problem, [list(tree.ancestors(leaf))[-2::-1] for leaf in leaves]


def _outcomes_of_all_paths(problem: Problem) -> int:
    tree = problem.tree
    lengths = [tree.depths[v] for v in range(tree.size) if not tree.children[v]]
    return prod(length + 1 for length in lengths) * problem.target.vocabulary


@verifier(
    "independent draw per path",
    source="Medusa nucleus",
    claim=Verdict.LOSSY,
    slots=[MATCH, BONUS],
    prepare=_prepare,
    path_bound=_outcomes_of_all_paths,
)
def DRAW_PER_PATH(plan: tuple[Problem, list[list[int]]], chooser: Chooser) -> Exit:
    """Match each path against its own draws; a draw only matters through whether it matches."""
    problem, paths = plan
    tree, best, step = problem.tree, ROOT, 0
    for path in paths:
        node = ROOT
        for child in path:
            row = problem.rows[node]
            matches = chooser.flip(row[tree.tokens[child]], row.total(), site=(MATCH, step))
            step += 1
            if not matches:
                break
            node = child
        if tree.depths[node] > tree.depths[best]:
            best = node
    return Exit(best, chooser.choose(problem.rows[best], site=(BONUS, 0)))
