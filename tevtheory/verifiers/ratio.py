"""The ratio rule with the drafter's softmax on a deterministic tree.

Source: SpecInfer and Leviathan's min(1, p / q) with residual (p - q)+, applied to top-k trees (llama.cpp's example,
TensorRT-LLM before PR 15098, hipfire PR 483). The rule is exact on average for tokens drawn from q; a deterministic tree's
tokens are not, so the children are over-accepted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tevtheory.choices import Chooser, Slot, verifier
from tevtheory.targets import Problem
from tevtheory.trees import ROOT, Exit
from tevtheory.verdicts import Verdict

ACCEPT = Slot("accept", per="child")
BONUS = Slot("bonus", per="round")


@verifier("ratio rule with draft softmax", source="llama.cpp example", claim=Verdict.LOSSY, slots=[ACCEPT, BONUS])
def RATIO_WITH_SOFTMAX(problem: Problem, chooser: Chooser) -> Exit:
    """Accept with min(1, p / q), on refusal go on with the normalised (p - q)+."""
    tree, node, moved = problem.tree, ROOT, True
    row: Sequence[Any] = tuple(problem.rows[ROOT])
    while moved:
        moved = False
        proposal = problem.proposal(node)
        for child in tree.children[node]:
            token = tree.tokens[child]
            if chooser.flip(row[token], proposal[token], site=(ACCEPT, child)):
                node, row, moved = child, tuple(problem.rows[child]), True
                break
            excess = [p - q if p > q else p * 0 for p, q in zip(row, proposal, strict=True)]
            total = sum(excess)
            row = tuple([weight / total for weight in excess])
    return Exit(node, chooser.choose(row, site=(BONUS, 0)))
