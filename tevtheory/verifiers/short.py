"""Exact but short: verifiers that keep the target's law and give away length.

Each ends some blocks inside the tree, which is the only way an exact verifier can lose (regret identity).
"""

from __future__ import annotations

from tevtheory.choices import Chooser, Slot, verifier
from tevtheory.targets import Problem
from tevtheory.trees import ROOT, Exit
from tevtheory.verdicts import Verdict

TOKEN = Slot("token", per="node")
STOP = Slot("stop", per="node")

DEPTH_CAP = 1
STOP_ONE_IN = 4


@verifier("autoregressive", source="no speculation", claim=Verdict.EXACT, slots=[TOKEN])
def AUTOREGRESSIVE(problem: Problem, chooser: Chooser) -> Exit:
    """Ignore the tree: one token from the root's row."""
    return Exit(ROOT, chooser.choose(problem.rows[ROOT], site=(TOKEN, ROOT)))


@verifier("first path only", source="chain verifiers on a tree", claim=Verdict.EXACT, slots=[TOKEN])
def FIRST_PATH_ONLY(problem: Problem, chooser: Chooser) -> Exit:
    """Follow first children only."""
    node = ROOT
    while True:
        token = chooser.choose(problem.rows[node], site=(TOKEN, node))
        first = problem.tree.children[node][:1]
        if not first or problem.tree.tokens[first[0]] != token:
            return Exit(node, token)
        node = first[0]


@verifier("depth cap 1", source="a narrow accept_index", claim=Verdict.EXACT, slots=[TOKEN])
def DEPTH_CAPPED(problem: Problem, chooser: Chooser) -> Exit:
    """Follow no deeper than the cap, then draw from the full row."""
    node = ROOT
    while True:
        token = chooser.choose(problem.rows[node], site=(TOKEN, node))
        child = problem.tree.child_maps[node].get(token)
        if child is None or problem.tree.depths[node] >= DEPTH_CAP:
            return Exit(node, token)
        node = child


@verifier("early stop 1/4", source="stopping rule", claim=Verdict.EXACT, slots=[TOKEN, STOP])
def EARLY_STOP(problem: Problem, chooser: Chooser) -> Exit:
    """End the block on a matched child with probability 1/4."""
    node = ROOT
    while True:
        token = chooser.choose(problem.rows[node], site=(TOKEN, node))
        child = problem.tree.child_maps[node].get(token)
        if child is None or chooser.flip(1, STOP_ONE_IN, site=(STOP, child)):
            return Exit(node, token)
        node = child
