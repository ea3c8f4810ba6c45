"""Laws of emitted strings: exactness, distance, averages over drafts, memory."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tests.trees_at_hand import random_exact_law, targets
from tevtheory.choices import Limits, Slot
from tevtheory.conformance import Block, judge_average, judge_blocks, judge_emission
from tevtheory.exitlaw import completed_law, distance, first_violation
from tevtheory.laws import Law
from tevtheory.targets import Target, TargetTree
from tevtheory.trees import Exit
from tevtheory.verdicts import Verdict
from tevtheory.weights import fraction, mpq

DRAFT, KEEP, BONUS = (Slot(name, per="round") for name in ("draft", "keep", "bonus"))
FAIR = Target.context_free(["1/2", "1/2"])


def target_of(tree: TargetTree) -> Target:
    rows = {tree.tree.path(v): row for v, row in enumerate(tree.rows)}
    return Target.table(rows, ["1/3", "1/3", "1/3"])


def block(tree: TargetTree, end: Exit) -> Block:
    return (*tree.tree.path(end.node), end.token)


@pytest.mark.parametrize("seed", range(4))
def test_blocks_and_exits_are_judged_alike(seed: int) -> None:
    rng = random.Random(seed)
    for tree in targets(4)[seed::4]:
        law = random_exact_law(tree, rng)
        masses = law.fractions()
        source = next(iter(masses))
        goal = Exit(rng.randrange(tree.tree.size), rng.randrange(tree.vocabulary))
        masses[source] -= masses[source] / 3
        masses[goal] = masses.get(goal, Fraction(0)) + law.fractions()[source] / 3
        for candidate in (law, Law(masses)):
            found = judge_blocks(candidate.map(lambda end, tree=tree: block(tree, end)), target_of(tree))  # type: ignore[misc]
            violation = first_violation(candidate, tree)
            assert (found.verdict is Verdict.EXACT) == (violation is None)
            assert found.distance == distance(candidate, tree)
            assert completed_law(candidate, tree).total == 1


def brute_distance(law: Law[Block], target: Target) -> Fraction:
    """Write out every string of the longest length."""
    horizon = max(map(len, law))

    def probability(string: Block, given: int = 0) -> Fraction:
        mass = Fraction(1)
        for k in range(given, len(string)):
            mass *= fraction(target.row(string[:k])[string[k]])
        return mass

    gap = Fraction(0)
    for string in product(range(target.vocabulary), repeat=horizon):
        starts = [b for b in law if string[: len(b)] == b]
        completed = sum((fraction(law[b]) * probability(string, len(b)) for b in starts), start=Fraction(0))
        gap += abs(completed - probability(string))
    return gap / 2


@pytest.mark.parametrize("seed", range(20))
def test_the_distance_of_random_laws_is_the_brute_force_distance(seed: int) -> None:
    rng = random.Random(seed)
    target = Target.seeded(2, seed)
    blocks = {tuple(rng.randrange(2) for _ in range(rng.randint(1, 4))): rng.randint(1, 9) for _ in range(5)}
    total = sum(blocks.values())
    law = Law({string: mpq(weight, total) for string, weight in blocks.items()})
    assert fraction(judge_blocks(law, target).distance) == brute_distance(law, target)


@pytest.mark.parametrize(
    ("law", "text"),
    [
        ({(): "1/2", (0,): "1/2"}, "BROKEN CONTRACT: an empty block is emitted"),
        ({(2,): 1}, "BROKEN CONTRACT: token 2 is not in the vocabulary"),
        ({(0,): "1/4", (1,): "1/4"}, "BROKEN CONTRACT: the law has total mass 1/2, not 1"),
        ({(0,): "3/4", (1,): "1/4"}, "LOSSY BY 1/4: after [], token 0 follows with 3/4, target 1/2"),
        ({(0, 1): "1/2", (1,): "1/2"}, "LOSSY BY 1/4: after [0], token 0 follows with 0, target 1/2"),
        ({(0,): "1/2", (1,): "1/2"}, "EXACT, REGRET"),
    ],
)
def test_what_is_said_of_a_law(law: Any, text: str) -> None:
    assert str(judge_blocks(Law(law), FAIR)) == text


def test_a_token_the_target_never_writes_is_a_support_fault() -> None:
    found = judge_blocks(Law({(0,): "1/2", (1,): "1/2"}), Target.context_free([1, 0]))
    assert (found.verdict, found.check) == (Verdict.LOSSY, "law")
    found = judge_blocks(Law({(0,): "1/2", (1,): "1/2"}), Target.context_free([0, 1]))
    assert (found.verdict, found.check) == (Verdict.LOSSY, "support")


def leviathan(p: Any, q: Any) -> Any:
    """One drafted token, min(1, p / q), residual (p - q)+."""

    def program(chooser: Any) -> tuple[int, Block]:
        token = chooser.choose(q, site=(DRAFT, 0))
        if chooser.flip(p[token], q[token], site=(KEEP, 0)):
            return token, (token, chooser.choose(p, site=(BONUS, 0)))
        return token, (chooser.choose([max(a - b, 0) for a, b in zip(p, q, strict=True)], site=(BONUS, 1)),)

    return program


P, Q = [mpq(1, 3), mpq(2, 3)], [mpq(2, 3), mpq(1, 3)]


def test_sampled_drafts_with_the_ratio_rule_are_exact_on_average_only() -> None:
    found = judge_average(leviathan(P, Q), Target.context_free(P))
    assert found.verdict is Verdict.ON_AVERAGE
    assert found.length == Fraction(5, 3)  # above 13/9, the average ceiling of the fixed trees
    assert "given draft 0, after [], token 0 follows with 1/2, target 1/3" in found.reason


def test_a_wrong_proposal_is_lossy_on_average() -> None:
    wrong = [mpq(1, 2), mpq(1, 2)]

    def program(chooser: Any) -> tuple[int, Block]:
        token = chooser.choose(Q, site=(DRAFT, 0))
        if chooser.flip(P[token], wrong[token], site=(KEEP, 0)):
            return token, (token,)
        return token, (1,)

    found = judge_average(program, Target.context_free(P))
    assert (found.verdict, found.distance) == (Verdict.LOSSY, Fraction(1, 9))


def test_the_one_hot_rule_is_exact_given_every_draft() -> None:
    def program(chooser: Any) -> tuple[int, Block]:
        drafted, token = chooser.choose(Q, site=(DRAFT, 0)), chooser.choose(P, site=(KEEP, 0))
        return drafted, (token, chooser.choose(P, site=(BONUS, 0))) if token == drafted else (token,)

    assert judge_average(program, Target.context_free(P)).verdict is Verdict.EXACT


def test_two_blocks_are_judged_against_a_target_with_memory() -> None:
    """After one a, a is forbidden; a penalty that forgets the first block repeats it."""
    target = Target(2, lambda prefix: ["1/2", "1/2"] if 0 not in prefix else [0, 1])

    def right(chooser: Any) -> Block:
        first = chooser.choose([1, 1], site=(BONUS, 0))
        return first, chooser.choose([1, 1] if first else [0, 1], site=(BONUS, 1))

    def forgets(chooser: Any) -> Block:
        return chooser.choose([1, 1], site=(BONUS, 0)), chooser.choose([1, 1], site=(BONUS, 1))

    assert judge_emission(right, target).verdict is Verdict.EXACT
    found = judge_emission(forgets, target)
    assert (found.verdict, found.check, found.distance) == (Verdict.LOSSY, "support", Fraction(1, 4))


def test_programs_that_fail_loop_or_cheat_are_broken() -> None:
    def loops(chooser: Any) -> Block:
        k = 0
        while chooser.flip(1, 2, site=(KEEP, k)):
            k += 1
        return (0,)

    found = judge_emission(loops, FAIR, Limits(draws=10))
    assert (found.verdict, found.check) == (Verdict.BROKEN, "draws")
    assert "mass 1/1024 is unresolved" in found.reason
    assert judge_emission(lambda _: 1 / 0, FAIR).reason == "raised ZeroDivisionError: division by zero"  # type: ignore[arg-type,return-value]
    twice = judge_emission(lambda c: (c.choose([1, 1], site=(KEEP, 0)), c.choose([1, 1], site=(KEEP, 0))), FAIR)
    assert twice.reason.endswith("is drawn twice in one run; give every draw a site of its own")
