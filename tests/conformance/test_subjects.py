"""The forms a verifier may come in: each gives the right verdict, and refuses what it must."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tests.conformance.subjects_at_hand import chain, cumulative, draw, eagle, follow, uniforms_of
from tevtheory.choices import Chooser, Limits, Slot
from tevtheory.conformance import (
    CHAIN,
    CHILD_MAPS,
    LINKS,
    RETRIEVE_INDICES,
    Layout,
    Subject,
    judge,
    judge_on,
    layout,
    over_chooser,
    over_coins,
    over_generator,
    over_uniforms,
)
from tevtheory.errors import InputError
from tevtheory.examples import C2
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import DraftTree, Exit
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.catalogue import CATALOGUE, find

FORK = Problem(TargetTree(DraftTree((-1, 0, 0, 1), (-1, 0, 2, 1)), [["1/2", "1/4", "1/4"]] * 4))
TOKEN = Slot("token", per="node")

RIGHT: dict[str, Subject] = {
    "generator, rationals": over_generator(follow, layout=CHILD_MAPS),
    "generator, float64": over_generator(follow, layout=CHILD_MAPS, rows="float64"),
    "generator, chain": over_generator(chain, layout=CHAIN),
    "generator, chain in float64": over_generator(chain, layout=CHAIN, rows="float64"),
    "generator, candidates": over_generator(eagle, layout=RETRIEVE_INDICES),
    "coins, rationals": over_coins(cumulative, uniforms_of, layout=LINKS),
    "coins, float64": over_coins(cumulative, uniforms_of, layout=LINKS, rows="float64"),
    "uniforms": over_uniforms(cumulative, uniforms_of, layout=LINKS),
}


@pytest.mark.parametrize("form", [form for form in RIGHT if form != "uniforms"])
def test_a_right_verifier_is_canonical_in_every_form(form: str) -> None:
    report = judge(RIGHT[form], max_nodes=4, patterns=("generic", "zeros"))
    assert report.verdict is Verdict.CANONICAL, str(report)
    assert report.is_exact
    assert report.evidence.startswith("enumerated")


def test_learned_breakpoints_find_the_right_verifier_canonical() -> None:
    report = judge(RIGHT["uniforms"], max_nodes=3, patterns=("generic",), contracts=False)
    assert report.verdict is Verdict.CANONICAL, str(report)
    assert report.evidence == "integrated, breakpoints learned"


def test_forms_of_one_verifier_have_one_law() -> None:
    forms = [form for form in RIGHT if "chain" not in form]
    first = RIGHT[forms[0]].find_law(FORK, Limits()).law
    for form in forms[1:]:
        assert RIGHT[form].find_law(FORK, Limits()).law.total_variation(first) <= RIGHT[form].tolerance


def test_chains_are_judged_on_chains_only() -> None:
    subject = RIGHT["generator, chain"]
    assert subject.fits(C2.tree)
    assert not subject.fits(FORK.tree)
    report = judge(subject, max_nodes=4, patterns=("generic",), contracts=False)
    assert report.tally.trees == 4


@pytest.mark.parametrize("verifier", CATALOGUE, ids=lambda verifier: verifier.name)
def test_a_catalogue_verifier_is_a_subject_as_it_is(verifier: Any) -> None:
    report = judge(verifier, max_nodes=4, patterns=("generic",), keep_going=True)
    assert report.verdict is verifier.claim


def test_a_bare_function_is_not_guessed_at() -> None:
    with pytest.raises(
        InputError, match=r"expected a Verifier or a subject, got <function follow.*wrap it in over_chooser"
    ):
        judge(follow)


def at(problem: Problem, function: Any, where: Layout, **options: Any) -> str:
    finding = judge_on(over_generator(function, layout=where, **options), problem)
    assert finding.verdict is Verdict.BROKEN
    return f"{finding.check}: {finding.reason}"


PATH = "(accepted path from node 0, bonus token)"


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (([0], 9), "a token in 0..2, got 9"),
        (([0], -1), "a token in 0..2, got -1"),
        (([0], 1.0), "an integer bonus token, got 1.0"),
        (([0], True), "an integer bonus token, got True"),
        (([0, 3], 1), "a child of node 0 on the path, got 3"),
        (([0, 7], 1), "a child of node 0 on the path, got 7"),
        (([1], 1), "a path from node 0, padded with -1 only, got [1]"),
        (([], 1), "a path from node 0, padded with -1 only, got []"),
        (([0, -1, 1], 1), "a path from node 0, padded with -1 only, got [0, -1, 1]"),
        ((0, 1), "a list of integers (node), got 0"),
        (None, f"{PATH}, got None"),
        (([0], 1, 2), f"{PATH}, got ([0], 1, 2)"),
    ],
)
def test_an_output_that_is_no_exit_is_broken_and_says_why(output: Any, text: str) -> None:
    assert at(FORK, lambda *_: output, CHILD_MAPS) == f"outputs: output: expected {text}"


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ([], "a block of at least one token, got []"),
        ([-1, -1], "a block of at least one token, got [-1, -1]"),
        ([1, 0], "accepted tokens that were drafted, got [1, 0]"),
        (5, "a list of integers (token), got 5"),
    ],
)
def test_a_block_that_is_no_exit_is_broken(output: Any, text: str) -> None:
    assert at(Problem(C2), lambda *_: output, CHAIN) == f"outputs: output: expected {text}"


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ((0, 1), "(candidate, accepted length, bonus token), got (0, 1)"),
        ((2, 0, 0), "a node of retrieve_indices, got (2, 0)"),
        ((1, 2, 0), "a node of retrieve_indices, got (1, 2)"),
    ],
)
def test_a_candidate_that_is_no_node_is_broken(output: Any, text: str) -> None:
    assert at(FORK, lambda *_: output, RETRIEVE_INDICES) == f"outputs: output: expected {text}"


def test_array_outputs_are_read() -> None:
    right = over_generator(lambda *a: (np.array([*follow(*a)[0], -1]), np.int64(1)), layout=CHILD_MAPS)
    only_root = Problem(TargetTree(DraftTree((-1,), (-1,)), [[0, 1]]))
    assert judge_on(right, only_root).verdict is Verdict.CANONICAL


def zeroing(rows: Any, parents: Any, child_maps: Any, rng: Any) -> Any:
    path, token = follow(rows, parents, child_maps, rng)
    rows[0, 0] = rows[0, 0] * 0
    return path, token


def test_changed_inputs_are_a_finding() -> None:
    assert at(FORK, zeroing, CHILD_MAPS) == (
        "inputs: argument 0 was changed by the call; leave inputs as they are, or declare owns_inputs=True"
    )


def test_code_that_owns_its_inputs_may_change_them() -> None:
    assert judge_on(over_generator(zeroing, layout=CHILD_MAPS, owns_inputs=True), FORK).verdict is Verdict.CANONICAL


def test_an_exception_is_reported_with_the_tree_that_caused_it() -> None:
    def failing(rows: Any, parents: Any, child_maps: Any, rng: Any) -> Any:
        if len(parents) > 2:
            raise IndexError("list index out of range")
        return follow(rows, parents, child_maps, rng)

    report = judge(over_generator(failing, layout=CHILD_MAPS))
    assert report.verdict is Verdict.BROKEN
    assert report.counterexample is not None
    assert report.counterexample.problem.tree.size == 3
    assert report.counterexample.finding.reason == "the verifier raised IndexError: list index out of range"
    assert str(report.counterexample.problem.tree) in str(report)


def test_a_wrong_signature_is_reported() -> None:
    assert at(FORK, lambda rows: rows, CHILD_MAPS).startswith("exception: the verifier raised TypeError: ")


def test_a_float_literal_among_rationals_names_the_other_mode() -> None:
    def literal(rows: Any, parents: Any, child_maps: Any, rng: Any) -> Any:
        return [0], 1 if rng.random() < 1.0 - rows[0, 0] else 0

    assert re.search(r'met exact numbers; .*rows="float64"', at(FORK, literal, CHILD_MAPS))


def test_a_closed_comparison_is_found_at_its_boundary() -> None:
    def closed(candidates: Any, first: Any, following: Any, rows: Any, coins: Any, final: Any) -> Any:
        child = int(first[0])
        accepted = child != -1 and bool(coins[0] <= rows[0, candidates[child]])
        left = rows[child].copy() if accepted else rows[0].copy()
        if not accepted and child != -1:
            left[candidates[child]] = left[0] * 0
        return ([0, child] if accepted else [0]), draw(left, final)

    problem = Problem(TargetTree(DraftTree((-1, 0), (-1, 0)), [[0, "1/2", "1/2"], ["1/2", "1/4", "1/4"]]))
    for subject in (
        over_coins(closed, uniforms_of, layout=LINKS),
        over_coins(closed, uniforms_of, layout=LINKS, rows="float64"),
        over_uniforms(closed, uniforms_of, layout=LINKS),
    ):
        finding = judge_on(subject, problem)
        assert (finding.verdict, finding.check) == (Verdict.BROKEN, "boundary"), subject.evidence
        assert "token 0 ends a block of target probability 0" in finding.reason


def test_hidden_randomness_in_black_box_code_is_found() -> None:
    rng = np.random.default_rng(0)

    def hidden(candidates: Any, first: Any, following: Any, rows: Any, coins: Any, final: Any) -> Any:
        return [0], int(rng.choice(rows.shape[1], p=rows[0]))

    finding = judge_on(over_uniforms(hidden, uniforms_of, layout=LINKS), FORK)
    assert (finding.verdict, finding.check) == (Verdict.BROKEN, "replay")


def test_too_many_cells_are_inconclusive() -> None:
    finding = judge_on(RIGHT["uniforms"], FORK, limits=Limits(paths=3))
    assert (finding.verdict, finding.check) == (Verdict.INCONCLUSIVE, "paths")


def test_a_chooser_program_needs_no_declared_slots() -> None:
    def program(problem: Problem, chooser: Chooser) -> Exit:
        return find("predraw and follow").walk(problem, chooser)

    report = judge(over_chooser(program), max_nodes=3)
    assert (report.name, report.verdict) == ("program", Verdict.CANONICAL)


def test_an_unknown_layout_is_refused_with_the_choices() -> None:
    with pytest.raises(InputError, match="expected a layout, got 'nope'; choose from problem, child maps, retrieve"):
        layout("nope")


def test_float32_uniforms_are_learned_to_float32_resolution() -> None:
    subject = over_uniforms(cumulative, uniforms_of, layout=LINKS, precision=np.float32)
    assert judge_on(subject, FORK).verdict is Verdict.CANONICAL


@pytest.mark.parametrize("seed", range(3))
def test_learned_laws_agree_with_enumerated_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = DraftTree((-1, 0, 0, 1, 1, 2), (-1, 0, 2, 1, 3, 0))
    weights = [rng.multinomial(64, [0.25] * 4) for _ in range(6)]
    rows = [[f"{int(part)}/64" for part in row] for row in weights]
    problem = Problem(TargetTree(tree, rows))
    learned = RIGHT["uniforms"].find_law(problem, Limits()).law
    enumerated = RIGHT["coins, rationals"].find_law(problem, Limits()).law
    assert learned.total_variation(enumerated) < RIGHT["uniforms"].tolerance
