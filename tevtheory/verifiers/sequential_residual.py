"""Sequential residual: test the children one after another, each against the mass the refused ones left.

Source: SpecInfer's multi-round rule with one-hot proposals (arXiv 2305.09781), which is EAGLE's rule with q = 1 per child.
Accepting child i with probability p_i / (1 - sum of earlier p_j) telescopes to p_i, in any order, also a random one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from math import perm

from tevtheory.choices import Chooser, Slot, Verifier, verifier
from tevtheory.targets import Problem
from tevtheory.trees import ROOT, Exit
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.plans import Trials, bonus_rows, trials

ACCEPT = Slot("accept", per="child")
BONUS = Slot("bonus", per="round")
ORDER = Slot("order", per="child")

Order = Callable[[Problem, int], Sequence[int]]


def _prepare(problem: Problem, order: Order) -> Trials:
    bonus = bonus_rows(problem)
    tests = [trials(problem, v, order(problem, v)) for v in range(problem.tree.size)]
    return Trials(tests, bonus, [not any(row) for row in bonus])


def _in_order(name: str, order: Order) -> Verifier[Trials]:
    def prepare(problem: Problem) -> Trials:
        plan = _prepare(problem, order)
        for node, tests in enumerate(plan.tests):
            if plan.exhausted[node] and tests:
                # Whatever rounding makes of the rest, the last positive child is certain.
                last = max(k for k, test in enumerate(tests) if test.part > 0)
                tests[last] = replace(tests[last], left=tests[last].part)
        return plan

    @verifier(name, source="SpecInfer one-hot, EAGLE", claim=Verdict.CANONICAL, slots=[ACCEPT, BONUS], prepare=prepare)
    def walk(plan: Trials, chooser: Chooser) -> Exit:
        node, moved = ROOT, True
        while moved:
            moved = False
            for test in plan.tests[node]:
                if chooser.flip(test.part, test.left, site=(ACCEPT, test.child)):
                    node, moved = test.child, True
                    break
        return Exit(node, chooser.choose(plan.bonus[node], site=(BONUS, 0)))

    return walk


def _given(problem: Problem, node: int) -> Sequence[int]:
    return problem.tree.children[node]


def _reversed(problem: Problem, node: int) -> Sequence[int]:
    return problem.tree.children[node][::-1]


def _by_probability(problem: Problem, node: int) -> Sequence[int]:
    row, tokens = problem.rows[node], problem.tree.tokens
    return sorted(problem.tree.children[node], key=lambda child: (-row[tokens[child]], child))


IN_GIVEN_ORDER = _in_order("residual in given order", _given)
IN_REVERSED_ORDER = _in_order("residual in reversed order", _reversed)
BY_PROBABILITY = _in_order("residual by probability", _by_probability)


def _random_order_paths(problem: Problem) -> int:
    """Every order of refusals before an acceptance, and every order of refusing all."""
    tree = problem.tree

    @cache
    def paths(node: int) -> int:
        count = len(tree.children[node])
        before = sum(perm(count - 1, k) for k in range(count))
        bonus = sum(1 for x, weight in enumerate(problem.rows[node]) if weight and x not in tree.child_maps[node])
        return before * sum(paths(child) for child in tree.children[node]) + perm(count) * max(bonus, 1)

    for node in range(tree.size - 1, -1, -1):  # from the leaves up, so that a long chain does not recurse
        paths(node)
    return paths(ROOT)


@verifier(
    "residual in random order",
    source="SpecInfer one-hot, shuffled",
    claim=Verdict.CANONICAL,
    slots=[ORDER, ACCEPT, BONUS],
    prepare=partial(_prepare, order=_given),
    path_bound=_random_order_paths,
)
def IN_RANDOM_ORDER(plan: Trials, chooser: Chooser) -> Exit:
    """Pick the next child to test uniformly among those not yet refused."""
    node, step, moved = ROOT, 0, True
    while moved and plan.tests[node]:
        moved, untried = False, list(plan.tests[node])
        left = untried[0].left
        while untried and not moved:
            test = untried.pop(chooser.choose((1,) * len(untried), site=(ORDER, step)))
            step += 1
            certain = plan.exhausted[node] and not any(other.part for other in untried)
            moved = chooser.flip(test.part, test.part if certain else left, site=(ACCEPT, test.child))
            left = left - test.part
        if moved:
            node = test.child
    return Exit(node, chooser.choose(plan.bonus[node], site=(BONUS, 0)))
