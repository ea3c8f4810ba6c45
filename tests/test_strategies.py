"""The strategies give valid objects, reach every edge case, shrink to the smallest, and find what is planted."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from tests.meta.test_house import lint_imports
from tests.planted import BONUS_NOT_MASKED, CLOSED_COMPARISON
from tevtheory.choices import Verifier
from tevtheory.conformance import judge_on
from tevtheory.errors import InputError
from tevtheory.rows import TupleRow
from tevtheory.strategies import PATTERNS, Pattern, draft_trees, problems, rows, target_trees, uniforms
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import DraftTree
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.catalogue import CATALOGUE
from tevtheory.weights import is_exact, mpq

ROOT = Path(__file__).parent.parent
CANONICAL = [entry for entry in CATALOGUE if entry.claim is Verdict.CANONICAL]
TOP64, TOP32 = 1 - 2.0**-53, 1 - 2.0**-24

Value = TypeVar("Value")
steady = settings(deadline=None, derandomize=True, max_examples=25)
searching = settings(derandomize=True, max_examples=400, phases=[Phase.generate, Phase.shrink])


def smallest(strategy: st.SearchStrategy[Value], condition: Callable[[Value], bool] = lambda _: True) -> Value:
    return find(strategy, condition, settings=searching)


def is_reached(strategy: st.SearchStrategy[Value], condition: Callable[[Value], bool]) -> bool:
    try:
        find(strategy, condition, settings=settings(searching, phases=[Phase.generate]))
    except NoSuchExample:
        return False
    return True


# Shrinking --------------------------------------------------------------------------------------------------------------


def test_the_smallest_tree_is_the_root() -> None:
    assert smallest(draft_trees()) == DraftTree((-1,), (-1,))


@pytest.mark.parametrize(
    ("condition", "tree"),
    [
        (lambda tree: tree.size > 1, "[0]"),
        (lambda tree: any(len(children) > 1 for children in tree.children), "[0 1]"),
        (lambda tree: tree.depth > 2, "[0 [0 [0]]]"),
        (lambda tree: len(tree.children[0]) > 1 and tree.depth > 1, "[0 [0] 1]"),
        (lambda tree: tree.tokens[1:] != tuple(sorted(tree.tokens[1:])), "[1 [0]]"),
    ],
)
def test_trees_shrink_to_the_smallest_with_a_property(condition: Callable[[DraftTree], bool], tree: str) -> None:
    assert str(smallest(draft_trees(), condition)) == tree


def test_problems_shrink_to_a_root_with_equal_weights() -> None:
    half = TupleRow([mpq(1, 2)] * 2)
    assert smallest(target_trees()) == TargetTree(DraftTree((-1,), (-1,)), [half])
    assert smallest(problems()) == Problem(TargetTree(DraftTree((-1,), (-1,)), [half]), [half])


@pytest.mark.parametrize(
    ("pattern", "row"),
    [
        ("mixed", "1/3 1/3 1/3"),
        ("generic", "1/3 1/3 1/3"),
        ("zero children", "1/2 0 1/2"),
        ("exhausted", "0 1/2 1/2"),
        ("one-hot", "1 0 0"),
        ("tied", "1/3 1/3 1/3"),
    ],
)
def test_rows_shrink_to_small_fractions(pattern: Pattern, row: str) -> None:
    assert " ".join(map(str, smallest(rows(3, pattern, children=[1, 2])))) == row


def test_a_planted_fault_shrinks_to_one_child() -> None:
    problem = smallest(problems(max_nodes=4), lambda some: not judge_on(BONUS_NOT_MASKED, some).verdict.is_exact)
    assert (str(problem.tree), *map(str, problem.rows[0])) == ("[0]", "1/2", "1/2")


def test_the_edge_cases_find_a_closed_comparison() -> None:
    problem = smallest(problems(max_nodes=3), lambda some: judge_on(CLOSED_COMPARISON, some).verdict is Verdict.BROKEN)
    assert (str(problem.tree), problem.rows[0][0]) == ("[0]", 0)
    assert not is_reached(problems(3, None, "generic"), lambda some: not _holds(CLOSED_COMPARISON, some))


def _holds(verifier: Verifier[Any], problem: Problem) -> bool:
    return judge_on(verifier, problem).verdict is Verdict.CANONICAL


@pytest.mark.parametrize("numbers", ["float64", "float32", "rational"])
def test_uniforms_shrink_to_zero(numbers: Any) -> None:
    assert smallest(uniforms(numbers)) == 0


# Validity ---------------------------------------------------------------------------------------------------------------


@steady
@given(st.data(), st.integers(1, 6), st.integers(1, 4))
def test_trees_keep_their_bounds(data: st.DataObject, max_nodes: int, vocabulary: int) -> None:
    tree = data.draw(draft_trees(max_nodes, vocabulary))
    assert tree.size <= max_nodes
    assert max(tree.tokens) < vocabulary
    target = data.draw(target_trees(max_nodes, vocabulary))
    assert target.vocabulary == vocabulary


@steady
@given(st.data(), st.sampled_from(["mixed", *PATTERNS]), st.integers(1, 5))
def test_rows_are_exact_laws_at_every_size(data: st.DataObject, pattern: Pattern, size: int) -> None:
    children = data.draw(st.lists(st.integers(0, size - 1)))
    row = data.draw(rows(size, pattern, children))
    assert len(row) == size
    assert all(map(is_exact, row))
    assert row.total() == 1


@steady
@given(problems(max_nodes=5))
def test_drafted_tokens_have_positive_proposals(problem: Problem) -> None:
    for v in range(1, problem.tree.size):
        assert problem.proposal(problem.tree.parents[v])[problem.tree.tokens[v]] > 0


@steady
@given(st.data(), st.sampled_from(["float64", "float32", "rational"]), st.integers(1, 24))
def test_uniforms_are_below_one_and_of_their_type(data: st.DataObject, numbers: Any, bits: int) -> None:
    u = data.draw(uniforms(numbers, bits))
    assert 0 <= u < 1
    assert is_exact(u) if numbers == "rational" else type(u) is float
    assert numbers != "float32" or float(np.float32(u)) == u


PROPERTIES: dict[str, Callable[[TupleRow], bool]] = {
    "generic": lambda row: min(row) > 0,
    "zero children": lambda row: 0 in (row[0], row[2]) and row[1] > 0 and row[3] > 0,
    "exhausted": lambda row: row[1] == row[3] == 0,
    "one-hot": lambda row: max(row) == 1,
    "tied": lambda row: 0 < max(row) <= 2 * min(row),
}


@pytest.mark.parametrize("pattern", PATTERNS)
@steady
@given(st.data())
def test_a_pattern_is_what_it_says(pattern: Any, data: st.DataObject) -> None:
    assert PROPERTIES[pattern](data.draw(rows(4, pattern, children=[0, 2])))


@pytest.mark.parametrize(("size", "pattern"), [(3, "exhausted"), (1, "exhausted"), (1, "zero children")])
def test_what_cannot_be_had_is_generic(size: int, pattern: Any) -> None:
    assert not is_reached(rows(size, pattern), lambda row: 0 in row)


@pytest.mark.parametrize("verifier", CANONICAL, ids=lambda entry: entry.name)
@steady
@given(problem=problems(max_nodes=4))
def test_canonical_verifiers_hold_on_every_problem(verifier: Verifier[Any], problem: Problem) -> None:
    assert _holds(verifier, problem)


# Reach ------------------------------------------------------------------------------------------------------------------


def inner_rows(target: TargetTree) -> list[tuple[TupleRow, list[int]]]:
    """Rows with the tokens drafted after them, at inner nodes."""
    maps = target.tree.child_maps
    return [(row, list(maps[v])) for v, row in enumerate(target.rows) if maps[v]]  # type: ignore[misc]


REACHED: dict[str, Callable[[TargetTree], bool]] = {
    "generic": lambda t: all(min(row) > 0 for row in t.rows) and t.tree.size > 3,
    "zero children": lambda t: any(0 in [row[x] for x in some] and row.outside(some) for row, some in inner_rows(t)),
    "exhausted": lambda t: any(not row.outside(some) and len(some) > 1 for row, some in inner_rows(t)),
    "one-hot in": lambda t: any(max(row[x] for x in some) == 1 for row, some in inner_rows(t)),
    "one-hot out": lambda t: any(row.outside(some) == max(row) == 1 for row, some in inner_rows(t)),
    "tied siblings": lambda t: any(len({row[x] for x in some}) < len(some) > 1 for row, some in inner_rows(t)),
    "zero leaf": lambda t: any(0 in row for v, row in enumerate(t.rows) if not t.tree.children[v]),
    "all tokens drafted": lambda t: any(len(some) == t.vocabulary for _, some in inner_rows(t)),
    "siblings in falling order": lambda t: any(some != sorted(some) for _, some in inner_rows(t)),
    "numbers not in depth-first order": lambda t: any(b < a for a, b in zip(t.tree.parents, t.tree.parents[1:])),  # noqa: B905
    "eight nodes": lambda t: t.tree.size == 8,
}


@pytest.mark.parametrize("case", REACHED)
def test_target_trees_reach_every_edge_case(case: str) -> None:
    assert is_reached(target_trees(), REACHED[case])


@pytest.mark.parametrize("pattern", PATTERNS)
def test_target_trees_of_one_pattern_have_it_everywhere(pattern: Any) -> None:
    alone = {"zero children": "exhausted", "exhausted": "zero children"}.get(pattern, "zero leaf")
    wanted = {"one-hot": "one-hot in", "tied": "tied siblings"}.get(pattern, pattern)
    assert is_reached(target_trees(pattern=pattern), REACHED[wanted])
    if pattern in ("generic", "tied"):
        assert not is_reached(target_trees(pattern=pattern), REACHED[alone])


def test_proposals_may_have_zeros_off_the_tree() -> None:
    def has_zero(problem: Problem) -> bool:
        return any(0 in problem.proposal(v) for v in range(problem.tree.size))

    assert is_reached(problems(), has_zero)


@pytest.mark.parametrize(
    ("numbers", "value"),
    [
        ("float64", 0.0),
        ("float64", TOP64),
        ("float64", 0.5),
        ("float64", 0.75),
        ("float32", TOP32),
        ("float32", 0.25),
        ("rational", 0),
        ("rational", 1 - mpq(1, 2**53)),
        ("rational", mpq(1, 3)),
        ("rational", mpq(3, 4)),
    ],
)
def test_uniforms_reach_end_points_and_thresholds(numbers: Any, value: Any) -> None:
    assert is_reached(uniforms(numbers), lambda u: u == value)


def test_uniforms_reach_what_is_not_dyadic() -> None:
    assert is_reached(uniforms(), lambda u: u * 256 != int(u * 256) and u < TOP64)


# Misuse -----------------------------------------------------------------------------------------------------------------

ALONE = "the smallest tree is a root alone"
WORDS = "mixed, generic, zero children, exhausted, one-hot, tied"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: draft_trees(0), f"max_nodes: expected at least 1, got 0; {ALONE}"),
        (lambda: problems(0), f"max_nodes: expected at least 1, got 0; {ALONE}"),
        (lambda: draft_trees(3, 0), f"vocabulary: expected at least 1, got 0; {ALONE}"),
        (lambda: rows(0), f"size: expected at least 1, got 0; {ALONE}"),
        (lambda: rows(2, children=[2]), "children: expected tokens in 0..1, got 2; give tokens of the row"),
        (lambda: rows(2, "odd"), f"pattern: expected a row pattern, got 'odd'; choose from {WORDS}"),  # type: ignore[arg-type]
        (lambda: target_trees(pattern="odd"), f"pattern: expected a row pattern, got 'odd'; choose from {WORDS}"),  # type: ignore[arg-type]
        (
            lambda: uniforms("exact"),  # type: ignore[arg-type]
            "uniforms: expected a number type, got 'exact'; choose from float64, float32, rational",
        ),
        (
            lambda: uniforms(bits=25),
            "uniforms: expected bits in 1..24, got 25; both precisions then hold the dyadic values",
        ),
    ],
)
def test_misuse_is_told_when_the_strategy_is_made(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value) == message


def test_without_hypothesis_the_error_names_the_extra() -> None:
    program = "import sys; sys.modules['hypothesis'] = None\nimport tevtheory.strategies"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert 'tevtheory.strategies needs hypothesis: pip install "tevtheory[strategies]"' in done.stderr


@pytest.mark.parametrize("arrow", ["import tevtheory.exitlaw", "import tevtheory.conformance"])
def test_strategies_that_know_a_verifier_are_found(arrow: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tevtheory", tmp_path / "tevtheory")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    file = tmp_path / "tevtheory" / "strategies.py"
    file.write_text(f"{file.read_text()}\n{arrow}\n")
    assert "Strategies make inputs and know no verifier BROKEN" in lint_imports(tmp_path).stdout
