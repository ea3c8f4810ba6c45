"""Over a whole generation the law is the target's, exactly; every way to carry something over between calls is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import pytest

from tevtheory.choices import Chooser, TapeChooser, Verifier, array_tape, enumerate_law
from tevtheory.errors import InputError
from tevtheory.exitlaw import truncated_ceiling
from tevtheory.laws import Law
from tevtheory.targets import Target, TargetTree
from tevtheory.trees import DraftTree, Exit
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.catalogue import CATALOGUE, find
from tevtheory.verifiers.seed_synchronous import POSITION
from tevtheory.weights import mpq
from tevtheory_gpu.decoding import Limits, Run, ToyRun, by_scalar, decode, loop, plain_decode, pruned
from tevtheory_gpu.decoding.loop import Drafting

PAIR, TRIPLE = Target.seeded(2, seed=3), Target.seeded(3, seed=5)
ZEROS = Target.markov(["1/2", 0, "1/2"], [[0, "1/3", "2/3"], [1, 0, 0], ["1/4", "3/4", 0]])
FULL = DraftTree((-1, 0, 0, 1, 1), (-1, 0, 1, 0, 1))
CHAIN = DraftTree((-1, 0, 1, 2), (-1, 1, 0, 1))
BUSH = DraftTree((-1, 0, 0, 2, 0, 2), (-1, 2, 0, 1, 1, 2))

Case = tuple[Target, Limits]
CASES: dict[str, Case] = {
    "length": (PAIR, Limits(tokens=4)),
    "end of text": (TRIPLE, Limits(tokens=3, ends=(2,))),
    "two ends": (TRIPLE, Limits(tokens=3, ends=(0, 2))),
    "zeros": (ZEROS, Limits(tokens=4, ends=(1,))),
    "context": (PAIR, Limits(tokens=9, context=5)),
}
PROMPT = (1, 0)


def by_prefix(prefix: Sequence[int], deepest: int) -> DraftTree:
    """Another tree after every prefix, root alone included; it neither knows the end of text nor the limit."""
    return (FULL, CHAIN, DraftTree((-1,), (-1,)), FULL)[(3 * sum(prefix) + len(prefix)) % 4]


def bushy(prefix: Sequence[int], deepest: int) -> DraftTree:
    return BUSH if sum(prefix) % 2 else DraftTree((-1, 0, 1), (-1, 1, 2))


DRAFTINGS = {"by prefix": by_prefix, "bushy": bushy}
PAIRS = [(name, "by prefix") for name in CASES] + [(name, "bushy") for name in CASES if CASES[name][0].vocabulary > 2]


def string_law(target: Target, limits: Limits, prefix: tuple[int, ...] = PROMPT) -> Law[tuple[int, ...]]:
    """The target's own law of texts, by recursion."""
    masses: dict[tuple[int, ...], Any] = {}
    left = limits.left(len(prefix))

    def extend(text: tuple[int, ...], mass: Any) -> None:
        if len(text) == left or (text and text[-1] in limits.ends):
            masses[text] = mass
            return
        for token, weight in enumerate(target.row((*prefix, *text))):
            if weight:
                extend((*text, token), mass * weight)

    extend((), mpq(1))
    return Law.trusted(masses)


Found = tuple[Law[tuple[int, ...]], Any]


def enumerated(
    verifier: Verifier[Any],
    case: Case,
    drafting: Drafting,
    run_of: Callable[[Target, tuple[int, ...]], Run] = ToyRun,
    seen_by: Callable[[Chooser], Chooser] = lambda chooser: chooser,
) -> Found:
    """The exact law of texts, and the exact expectation of the sum over calls of length - ceiling."""
    target, limits = case

    def program(chooser: Chooser) -> tuple[tuple[int, ...], Any]:
        decide = by_scalar(verifier, seen_by(chooser))
        made = decode(run_of(target, PROMPT), drafting, decide, limits)
        gap = len(made.tokens) - sum((block.ceiling for block in made.blocks), start=mpq(0))
        return made.tokens, gap

    joint = enumerate_law(program).law
    texts: dict[tuple[int, ...], Any] = {}
    for (text, _), mass in joint.items():
        texts[text] = texts.get(text, 0) + mass
    return Law.trusted(texts), sum(gap * mass for (_, gap), mass in joint.items())


def is_right(found: Found, case: Case) -> bool:
    return found == (string_law(*case), 0)


# Drawing at every node, or an order of all children, multiplies paths: four calls of those are not for a test.
CANONICAL = [entry for entry in CATALOGUE if entry.claim is Verdict.CANONICAL]
EXACT = [entry for entry in CATALOGUE if entry.claim is Verdict.EXACT]


@pytest.mark.parametrize(("name", "drafting"), PAIRS)
@pytest.mark.parametrize("verifier", CANONICAL, ids=lambda entry: entry.name)
def test_the_law_of_the_text_is_the_targets_and_the_ceiling_is_met(
    verifier: Verifier[Any], name: str, drafting: str
) -> None:
    assert is_right(enumerated(verifier, CASES[name], DRAFTINGS[drafting]), CASES[name])


@pytest.mark.parametrize("verifier", EXACT, ids=lambda entry: entry.name)
def test_exact_verifiers_give_the_law_with_shorter_blocks(verifier: Verifier[Any]) -> None:
    law, gap = enumerated(verifier, CASES["length"], by_prefix)
    assert law == string_law(*CASES["length"])
    assert gap < 0


@pytest.mark.parametrize("name", ["typical acceptance", "cumulative walk acc 4/5", "draw per path"])
def test_lossy_verifiers_give_another_law(name: str) -> None:
    law, _ = enumerated(find(name), CASES["length"], by_prefix)
    assert law != string_law(*CASES["length"])


def test_seed_synchronous_text_is_that_of_plain_sampling_for_any_tree() -> None:
    verifier = find("seed-synchronous")
    for seed in range(40):
        uniforms = [mpq((37 * seed + 11 * k * k + k * seed) % 101, 101) for k in range(20)]
        for target, limits in CASES.values():
            plain = plain_decode(ToyRun(target, PROMPT), uniforms.__getitem__, limits)
            for drafting in (by_prefix, bushy)[: target.vocabulary - 1]:
                decide = by_scalar(verifier, TapeChooser(array_tape({POSITION.name: uniforms})))
                assert decode(ToyRun(target, PROMPT), drafting, decide, limits).tokens == plain


# What follows is wrong on purpose.


class RootRowNotUpdated(ToyRun):
    """The root keeps the row of the first call."""

    _first: Any = None

    def target_tree(self, tree: DraftTree) -> TargetTree:
        made = super().target_tree(tree)
        self._first = self._first or made.rows[0]
        return TargetTree(tree, [self._first, *made.rows[1:]])


class BonusNotInPrefix(ToyRun):
    """Rows are read after the accepted path, without the bonus token: the cache is one token behind."""

    def target_tree(self, tree: DraftTree) -> TargetTree:
        behind = self.prefix[:-1] if len(self.prefix) > len(PROMPT) else self.prefix
        made = ToyRun(self.target, behind).target_tree(tree)
        super().target_tree(tree)
        return made


class PathNotCommitted(ToyRun):
    """Only the bonus token is appended."""

    def commit(self, end: Exit) -> None:
        self.prefix = (*self.prefix, end.token)


class StaleTree:
    """Scores the tree of the call before and walks the new one."""

    def __init__(self, target: Target, prefix: tuple[int, ...]) -> None:
        self._run, self._last = ToyRun(target, prefix), dict[int, TargetTree]()

    @property
    def prefix(self) -> tuple[int, ...]:
        return self._run.prefix

    def target_tree(self, tree: DraftTree) -> TargetTree:
        made = self._run.target_tree(tree)
        old = self._last.setdefault(tree.size, made)
        return old if old.tree == tree else made

    def commit(self, end: Exit) -> None:
        self._run.commit(end)


class SameDrawsAgain:
    """A generator that is seeded anew at every call: a site's draw is remembered across calls."""

    def __init__(self, chooser: Chooser) -> None:
        self._chooser, self._coins = chooser, dict[Any, Any]()

    def choose(self, weights: Sequence[Any], *, site: Any) -> int:
        key = (site[0], site[1] % (1 << 20))
        if key not in self._coins:
            self._coins[key] = self._chooser.coin(site=key)
        return next(k for k, reached in enumerate(accumulate(weights)) if self._coins[key] < reached)

    def flip(self, part: Any, of: Any = 1, *, site: Any) -> bool:
        raise NotImplementedError

    def coin(self, *, site: Any) -> Any:
        raise NotImplementedError


def test_a_run_that_is_out_of_date_is_found() -> None:
    for fault in (RootRowNotUpdated, BonusNotInPrefix, StaleTree, PathNotCommitted):
        for verifier in (find("predraw and follow"), find("TEV's walk")):
            assert not is_right(enumerated(verifier, CASES["length"], by_prefix, run_of=fault), CASES["length"])


def test_draws_that_come_again_are_found() -> None:
    verifier, case = find("predraw and follow"), CASES["length"]
    assert not is_right(enumerated(verifier, case, by_prefix, seen_by=SameDrawsAgain), case)


def test_a_bonus_after_the_end_of_text_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES["end of text"]
    assert is_right(enumerated(find("predraw and follow"), case, bushy), case)
    monkeypatch.setattr(loop, "pruned", lambda tree, _, deepest: pruned(tree, (), deepest))
    assert not is_right(enumerated(find("predraw and follow"), case, bushy), case)


def test_a_block_beyond_the_limit_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "pruned", lambda tree, ends, _: pruned(tree, ends, tree.depth))
    with pytest.raises(InputError, match="remaining: expected at least 1 remaining token"):
        enumerated(find("predraw and follow"), CASES["length"], by_prefix)


@pytest.mark.parametrize("ends", [(), (1,), (0, 2)])
@pytest.mark.parametrize("left", [1, 2, 3, 4])
def test_pruning_before_the_pass_is_pruning_after_it(ends: tuple[int, ...], left: int) -> None:
    for tree in (FULL, CHAIN, BUSH):
        whole = TargetTree.of(tree, TRIPLE)
        for end in ends:
            whole = whole.without_end(end)
        before = TargetTree.of(pruned(tree, ends, left - 1), TRIPLE)
        assert truncated_ceiling(before, left) == truncated_ceiling(whole, left)
        assert sum(mass(whole, v) for v in range(whole.tree.size) if whole.tree.depths[v] < left) == sum(
            mass(before, v) for v in range(before.tree.size)
        )


def mass(target: TargetTree, node: int) -> Any:
    """The flow, once more."""
    product = mpq(1)
    for v in target.tree.ancestors(node):
        product *= target.edge(v)
    return product
