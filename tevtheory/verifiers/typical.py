"""Typical acceptance: take every drafted token that is likely enough, whatever the draw would have been.

Source: Medusa (arXiv 2401.10774, `evaluate_posterior`, typical). A node is accepted iff its parent is and
p > min(epsilon, delta exp(-H)); the deepest accepted node wins, ties to the larger flow; lossy by design.
exp(-H) has no rational value, so sum p^2 stands in: it is exp of minus the Renyi-2 entropy.
"""

from __future__ import annotations

from tevtheory.choices import Chooser, Slot, verifier
from tevtheory.rows import Row
from tevtheory.targets import Problem
from tevtheory.trees import ROOT, Exit
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.plans import like_rows
from tevtheory.weights import exact

BONUS = Slot("bonus", per="round")
EPSILON = exact("9/100")
DELTA = exact("3/10")


def _prepare(problem: Problem) -> tuple[int, Row]:
    tree, flows = problem.tree, {ROOT: problem.target.one}
    epsilon, delta = like_rows(problem, EPSILON), like_rows(problem, DELTA)
    for v in range(1, tree.size):
        parent = tree.parents[v]
        row = problem.rows[parent]
        p = row[tree.tokens[v]]
        if parent in flows and p > min(epsilon, delta * sum(weight * weight for weight in row)):
            flows[v] = flows[parent] * p
    best = max(flows, key=lambda v: (tree.depths[v], flows[v]))
    return best, problem.rows[best]


@verifier("typical acceptance", source="Medusa typical", claim=Verdict.LOSSY, slots=[BONUS], prepare=_prepare)
def TYPICAL(plan: tuple[int, Row], chooser: Chooser) -> Exit:
    """The accepted node needs no draw; the bonus comes from its full row."""
    node, row = plan
    return Exit(node, chooser.choose(row, site=(BONUS, 0)))
