from __future__ import annotations

import inspect
import random
from pathlib import Path
from typing import Any

import pytest

import tevtheory.verifiers
from tests.trees_at_hand import small_trees, targets, with_zeros
from tevtheory.choices import Slot, TapeChooser, Verifier, array_tape, enumerate_law
from tevtheory.conformance import Reference, judge_on
from tevtheory.enumeration import chunks
from tevtheory.errors import InputError
from tevtheory.exitlaw import canonical_exit_law, completed_law, expected_length, regret, regret_by_string
from tevtheory.rows import TupleRow
from tevtheory.targets import Problem, Target, TargetTree
from tevtheory.trees import DraftTree, Exit
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.catalogue import CATALOGUE, find
from tevtheory.weights import mpq

TARGETS = targets(4)
EXACT = [verifier for verifier in CATALOGUE if verifier.claim.is_exact]
CANONICAL = [verifier for verifier in CATALOGUE if verifier.claim is Verdict.CANONICAL]


def law_of(verifier: Verifier[Any], problem: Problem) -> Any:
    plan = verifier.prepare(problem)
    return enumerate_law(lambda chooser: verifier.walk(plan, chooser), slots=verifier.slots).law


def problem(target: TargetTree) -> Problem:
    """The target with generic proposals."""
    rng = random.Random(str(target.tree))
    rows = []
    for _ in range(target.tree.size):
        weights = [rng.randint(1, 9) for _ in range(target.vocabulary)]
        rows.append([mpq(weight, sum(weights)) for weight in weights])
    return Problem(target, rows)


@pytest.mark.parametrize("verifier", CATALOGUE, ids=lambda verifier: verifier.name)
def test_no_verdict_is_worse_than_the_claim_on_all_trees_over_three_tokens(verifier: Verifier[Any]) -> None:
    verdicts = {judge_on(verifier, problem(target)).verdict for target in TARGETS}
    assert max(verdicts, key=lambda verdict: verdict.rank) is verifier.claim


@pytest.mark.parametrize("verifier", EXACT, ids=lambda verifier: verifier.name)
def test_exact_verifiers_complete_to_the_canonical_law_and_explain_their_regret(verifier: Verifier[Any]) -> None:
    for target in TARGETS[::3]:
        law = law_of(verifier, problem(target))
        assert completed_law(law, target) == canonical_exit_law(target)
        assert sum(regret_by_string(law, target).values()) == regret(law, target)


@pytest.mark.parametrize("verifier", EXACT, ids=lambda verifier: verifier.name)
def test_permuting_token_labels_permutes_the_law(verifier: Verifier[Any]) -> None:
    shift = [2, 0, 1]
    for target in TARGETS[::5]:
        tree = target.tree
        tokens = [-1, *(shift[token] for token in tree.tokens[1:])]
        rows = [[row[shift.index(x)] for x in range(3)] for row in target.rows]
        renamed = law_of(verifier, Problem(TargetTree(DraftTree(tree.parents, tokens), rows)))
        original = law_of(verifier, Problem(target))
        assert renamed == original.map(lambda end: Exit(end.node, shift[end.token]))


@pytest.mark.parametrize("verifier", CANONICAL, ids=lambda verifier: verifier.name)
def test_a_larger_tree_is_never_shorter_for_a_canonical_verifier(verifier: Verifier[Any]) -> None:
    for tree in small_trees(4):
        target = with_zeros(tree, 1)
        whole = expected_length(law_of(verifier, Problem(target)), target)
        for leaf in [v for v in range(1, tree.size) if not tree.children[v]]:
            part = target.restricted([v for v in range(tree.size) if v != leaf])
            assert expected_length(law_of(verifier, Problem(part)), part) <= whole


def test_every_module_of_verifiers_is_in_the_catalogue() -> None:
    folder = Path(tevtheory.verifiers.__file__).parent
    listed = {inspect.getfile(verifier.walk) for verifier in CATALOGUE}
    files = {str(file) for file in folder.glob("*.py") if file.stem not in ("__init__", "catalogue", "plans")}
    assert listed == files


def test_names_are_distinct_and_found_whole_or_in_part() -> None:
    names = [verifier.name for verifier in CATALOGUE]
    assert len(set(names)) == len(names)
    assert [find(name.upper()) for name in names] == list(CATALOGUE)
    assert find("nested") is find("nested intervals")
    assert not any("," in name for name in names)  # the command line separates names with commas


def test_an_unknown_or_ambiguous_name_is_refused_with_the_choices() -> None:
    with pytest.raises(
        InputError, match="expected the name of one verifier, got 'nope'; choose from 'predraw and follow'"
    ):
        find("nope")
    with pytest.raises(InputError, match="got 'residual', which fits 4; choose from 'residual in given order'"):
        find("residual")


@pytest.mark.parametrize("verifier", CATALOGUE, ids=lambda verifier: verifier.name)
def test_every_declared_slot_is_drawn_at_and_its_source_is_cited(verifier: Verifier[Any]) -> None:
    used: set[Slot] = set()
    tree = DraftTree((-1, 0, 0, 1, 1), (-1, 0, 1, 0, 2))
    rows = [TupleRow([mpq(1, 4), mpq(1, 4), mpq(1, 4), mpq(1, 4)])] * tree.size
    case = Problem(TargetTree(tree, rows), rows)
    rng = random.Random(0)

    def tape(slot: Slot, _: int) -> Any:
        used.add(slot)
        return [rng.random() + 1e-9 for _ in range(4)] if slot.kind == "race" else rng.random()

    for _ in range(300):
        verifier(case, TapeChooser(tape, verifier.slots))
    assert used == set(verifier.slots)
    assert verifier.source


@pytest.mark.parametrize("verifier", [v for v in CATALOGUE if v.path_bound is not None], ids=lambda v: v.name)
def test_a_path_bound_is_never_exceeded(verifier: Verifier[Any]) -> None:
    assert verifier.path_bound is not None
    tight = 0
    for target in TARGETS:
        bound, found = verifier.path_bound(problem(target)), judge_on(verifier, problem(target)).paths
        assert found <= bound
        tight += found == bound
    assert tight > 10


def test_the_path_bound_of_a_long_chain_needs_no_recursion() -> None:
    chain = TargetTree.of(DraftTree((-1, *range(2000)), (-1, *([0] * 2000))), Target.context_free(["1/2", "1/2"]))
    for verifier in CATALOGUE:
        if verifier.path_bound is not None:
            assert verifier.path_bound(Problem(chain)) > 1000


def test_seed_synchronous_text_does_not_depend_on_the_tree() -> None:
    """The same uniforms give the text of plain sampling, whatever was drafted."""
    target, verifier = Target.seeded(3, 5), find("seed-synchronous")
    rng = random.Random(7)
    for _ in range(200):
        uniforms = [mpq(rng.randrange(1 << 20), 1 << 20) for _ in range(6)]
        text: tuple[int, ...] = ()
        for u in uniforms:
            row, reached, token = target.row(text), mpq(0), 0
            while not u < reached + row[token]:
                reached += row[token]
                token += 1
            text = (*text, token)
        for tree in small_trees(4)[::7]:
            end = verifier(Problem(TargetTree.of(tree, target)), TapeChooser(array_tape({"position": uniforms})))
            block = (*tree.path(end.node), end.token)
            assert block == text[: len(block)]


def test_lossy_verifiers_name_a_true_counterexample() -> None:
    for verifier in CATALOGUE:
        if verifier.claim is not Verdict.LOSSY:
            continue
        for target in TARGETS:
            case = problem(target)
            finding = judge_on(verifier, case)
            law = law_of(verifier, case)
            gap = completed_law(law, target).total_variation(Reference.of(target).canonical)
            assert finding.distance == gap
            assert (finding.verdict is Verdict.LOSSY) == (gap > 0)


def test_the_sweep_families_reach_every_claim_by_five_nodes() -> None:
    problems = [p for name in ("generic", "zeros") for c in chunks(name, 5) for _, p in c.generate(3)]
    for verifier in CATALOGUE:
        verdicts = set()
        for case in problems[::4]:
            if verifier.path_bound is None or verifier.path_bound(case) <= 500:
                verdicts.add(judge_on(verifier, case).verdict)
        assert max(verdicts, key=lambda verdict: verdict.rank) is verifier.claim
