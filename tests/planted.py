"""Planted faults: verifiers that claim to be canonical and are not, each in one place only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any

from tevtheory.choices import Chooser, Slot, verifier
from tevtheory.faults.notation import ACCEPT, first_taken, inverse_cdf, without
from tevtheory.laws import Law
from tevtheory.targets import Problem
from tevtheory.trees import ROOT, Exit
from tevtheory.verdicts import Verdict
from tevtheory.weights import ZERO

NODE = Slot("node", per="node")
TOKEN = Slot("token", per="node")
BONUS = Slot("bonus", per="round")
TRY = Slot("try", per="round")


@verifier("coin reused", source="planted, recipe 1", claim=Verdict.CANONICAL, slots=[NODE])
def COIN_REUSED(problem: Problem, chooser: Chooser) -> Exit:
    """The coin that refused all siblings draws the bonus too."""
    tree, node, moved = problem.tree, ROOT, True
    while moved:
        moved = False
        coin, running, row = chooser.coin(site=(NODE, node)), ZERO, problem.rows[node]
        residual = without(row, *tree.child_maps[node])
        for child in tree.children[node]:
            running += row[tree.tokens[child]]
            if coin < running:
                node, moved = child, True
                break
    return Exit(node, inverse_cdf(residual, coin * sum(residual)))


@verifier("residual not renormalised", source="planted", claim=Verdict.CANONICAL, slots=[ACCEPT, BONUS])
def NOT_RENORMALISED(problem: Problem, chooser: Chooser) -> Exit:
    """Each child is taken with its own probability, whatever was refused before it."""
    tree, node, moved = problem.tree, ROOT, True
    while moved:
        moved = False
        for child in tree.children[node]:
            if chooser.flip(problem.rows[node][tree.tokens[child]], site=(ACCEPT, child)):
                node, moved = child, True
                break
    residual = without(problem.rows[node], *tree.child_maps[node])
    return Exit(node, chooser.choose(residual, site=(BONUS, 0)))


@verifier("closed comparison", source="planted, recipe 32", claim=Verdict.CANONICAL, slots=[NODE, BONUS])
def CLOSED_COMPARISON(problem: Problem, chooser: Chooser) -> Exit:
    """`<=` for `<` against the running sum."""
    tree, node, moved = problem.tree, ROOT, True
    while moved and tree.children[node]:
        moved = False
        coin, running = chooser.coin(site=(NODE, node)), ZERO
        for child in tree.children[node]:
            running += problem.rows[node][tree.tokens[child]]
            if coin <= running:
                node, moved = child, True
                break
    residual = without(problem.rows[node], *tree.child_maps[node])
    return Exit(node, chooser.choose(residual, site=(BONUS, 0)))


@verifier("retry loop", source="planted", claim=Verdict.CANONICAL, slots=[ACCEPT, TRY])
def RETRY_LOOP(problem: Problem, chooser: Chooser) -> Exit:
    """The bonus is drawn from the full row again and again until it is no child: the right law, on endless paths."""
    node, child, step = ROOT, first_taken(problem, chooser, ROOT)[0], 0
    while child is not None:
        node, child = child, first_taken(problem, chooser, child)[0]
    while True:
        token = chooser.choose(problem.rows[node], site=(TRY, step))
        if token not in problem.tree.child_maps[node]:
            return Exit(node, token)
        step += 1


Elsewhere = tuple[Problem, list[Iterator[int]]]


def _with_cycles(problem: Problem) -> Elsewhere:
    tokens = range(problem.target.vocabulary)
    return problem, [cycle(t for t in tokens if t not in children) for children in problem.tree.child_maps]


@verifier("draw from elsewhere", source="planted", claim=Verdict.CANONICAL, slots=[TOKEN], prepare=_with_cycles)
def DRAW_FROM_ELSEWHERE(plan: Elsewhere, chooser: Chooser) -> Exit:
    """The walk asks the chooser, the bonus then comes from a state of the verifier's own."""
    problem, elsewhere = plan
    node, child = ROOT, problem.tree.child(ROOT, chooser.choose(problem.rows[ROOT], site=(TOKEN, ROOT)))
    while child is not None:
        node, child = child, problem.tree.child(child, chooser.choose(problem.rows[child], site=(TOKEN, child)))
    return Exit(node, next(elsewhere[node]))


@verifier("bonus not masked", source="planted, recipe 40", claim=Verdict.CANONICAL, slots=[ACCEPT, BONUS])
def BONUS_NOT_MASKED(problem: Problem, chooser: Chooser) -> Exit:
    """After refusing all children the bonus is drawn from the full row."""
    node, child = ROOT, first_taken(problem, chooser, ROOT)[0]
    while child is not None:
        node, child = child, first_taken(problem, chooser, child)[0]
    return Exit(node, chooser.choose(problem.rows[node], site=(BONUS, 0)))


@verifier("stale residual", source="planted, recipe 2", claim=Verdict.CANONICAL, slots=[ACCEPT, BONUS])
def STALE_RESIDUAL(problem: Problem, chooser: Chooser) -> Exit:
    """A leaf that was taken after a sibling was refused draws its bonus from what that sibling left of the parent's row."""
    node = ROOT
    bonus: Sequence[Any] = problem.rows[ROOT]
    while problem.tree.children[node]:
        child, refused = first_taken(problem, chooser, node)
        residual = without(problem.rows[node], *refused)
        if child is None:
            return Exit(node, chooser.choose(residual, site=(BONUS, 0)))
        node, bonus = child, residual if refused else problem.rows[child]
    return Exit(node, chooser.choose(bonus, site=(BONUS, 0)))


@verifier("exit outside the tree", source="planted, recipe 35", claim=Verdict.CANONICAL, slots=[TOKEN, BONUS])
def OUTSIDE_THE_TREE(problem: Problem, chooser: Chooser) -> Exit:
    """Half of the bonus tokens are the first id past the vocabulary."""
    node, token = ROOT, chooser.choose(problem.rows[ROOT], site=(TOKEN, ROOT))
    while (child := problem.tree.child(node, token)) is not None:
        node, token = child, chooser.choose(problem.rows[child], site=(TOKEN, child))
    return Exit(node, problem.target.vocabulary if chooser.flip(1, 2, site=(BONUS, 0)) else token)


def half_of(law: Law[Exit]) -> Law[Exit]:
    """The same law at half its mass: every conditional probability is right."""
    return Law({end: mass / 2 for end, mass in law.items()})
