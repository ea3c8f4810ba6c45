from __future__ import annotations

import copy
import dataclasses
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from tests.interop.test_layouts import draft_trees, steady
from tevtheory.errors import InputError
from tevtheory.exitlaw.flow import ceiling, ceiling_with_end, flow
from tevtheory.rows import FloatRow, TupleRow, make_row
from tevtheory.targets import Problem, Target, TargetTree
from tevtheory.trees import ROOT, DraftTree
from tevtheory.weights import Kind, is_exact

X = sympy.Symbol("x")
P = flint.fmpq_poly([0, 1])
COIN = ["1/2", "1/2"]
BIASED = ["1/4", "3/4"]
FAIR = [0.5, 0.5]

ROOT_ONLY = DraftTree((-1,), (-1,))
EDGE = DraftTree((-1, 0), (-1, 1))
CHAIN = DraftTree((-1, 0, 1), (-1, 0, 1))
TREE = DraftTree((-1, 0, 0, 1), (-1, 2, 0, 1))
EXACT = TargetTree(TREE, [["1/2", "1/3", "1/6"], ["1/4", "1/4", "1/2"], [1, 0, 0], ["1/3", "1/3", "1/3"]])
FLOAT = TargetTree(TREE, [[1.0, 2.0, 1.0], [0.5, 0.25, 0.25], [3.0, 0.0, 1.0], [1.0, 0.0, 0.0]])

ONE_TYPE = "write all rows as fractions, or all as floats"
NORMALISE = "correct or normalise the row"
FINITE = "give a finite weight >= 0"


def test_an_exact_row_is_lifted() -> None:
    assert make_row(["1/3", Fraction(2, 3)], "row") == TupleRow((Fraction(1, 3), Fraction(2, 3)))


def test_an_exact_row_holds_mpq() -> None:
    assert all(map(is_exact, make_row([1, 0], "row")))


@pytest.mark.parametrize("values", [FAIR, (0.5, 0.5), np.array(FAIR), np.array(FAIR, dtype=np.float32)])
def test_floats_make_a_float_row(values: Any) -> None:
    assert make_row(values, "row") == FloatRow(FAIR)


def test_an_array_of_integers_makes_an_exact_row() -> None:
    assert make_row(np.array([0, 1]), "row") == TupleRow((0, 1))


def test_an_array_of_fractions_makes_an_exact_row() -> None:
    assert make_row(np.array([Fraction(1, 3), Fraction(2, 3)]), "row") == TupleRow((Fraction(1, 3), Fraction(2, 3)))


def test_a_made_row_is_kept() -> None:
    row = make_row(COIN, "row")
    assert make_row(row, "row") is row


def test_a_symbolic_row_need_not_sum_to_one() -> None:
    assert make_row([X, X], "row") == TupleRow((X, X))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["1/2", "1/4"], f"row: expected a sum of exactly 1, got 3/4 (1/4 too little); {NORMALISE}"),
        (["1/2", "2/3"], f"row: expected a sum of exactly 1, got 7/6 (1/6 too much); {NORMALISE}"),
        ([0, 0], f"row: expected a sum of exactly 1, got 0 (1 too little); {NORMALISE}"),
        (
            ["0.333", "0.333", "0.333"],
            f"row: expected a sum of exactly 1, got 999/1000 (1/1000 too little); {NORMALISE}",
        ),
        (["3/2", "-1/2"], f"row, entry 1: expected a number >= 0, got -1/2; {FINITE}"),
        ([1.5, -0.5], f"row, entry 1: expected a number >= 0, got -0.5; {FINITE}"),
        ([0.5, float("nan")], f"row, entry 1: expected a number >= 0, got nan; {FINITE}"),
        (np.array([np.inf, 0.5]), f"row, entry 0: expected a number >= 0, got inf; {FINITE}"),
        ([0.0, 0.0], "row: expected a positive total, got 0; give at least one positive, finite weight"),
        (
            [0.5, "1/2"],
            (
                "row: expected numbers of one type, got float (0.5) and exact ('1/2'); "
                "write all of them as fractions, or all as floats"
            ),
        ),
        ([], "row: expected a list of weights, one per token, got []; give at least one weight"),
        ("1/2", "row: expected a list of weights, one per token, got '1/2'; give at least one weight"),
        (None, "row: expected a list of weights, one per token, got None; give at least one weight"),
        (0.5, "row: expected a list of weights, one per token, got 0.5; give at least one weight"),
        ({0: 1}, "row: expected a list of weights, one per token, got {0: 1}; give at least one weight"),
        (
            np.ones((1, 2)),
            "row, entry 0: expected a number, got the list [1.0, 1.0]; give an exact number, a float or a symbol",
        ),
    ],
)
def test_what_is_no_row_is_refused(values: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        make_row(values, "row")
    assert str(caught.value) == message


def test_a_float_row_cannot_be_written_to() -> None:
    row = FloatRow(FAIR)
    with pytest.raises(ValueError, match="read-only"):
        row.vector[0] = 1.0


def test_a_float_row_is_its_own_copy() -> None:
    values = np.array(FAIR)
    row = FloatRow(values)
    values[0] = 1.0
    assert row == FloatRow(FAIR)


def test_a_float_row_leaves_its_input_writable() -> None:
    values = np.array(FAIR)
    FloatRow(values)
    assert values.flags.writeable


def test_a_copied_float_row_cannot_be_written_to() -> None:
    assert not copy.deepcopy(FloatRow(FAIR)).vector.flags.writeable


def test_a_float_row_gives_python_floats() -> None:
    row = FloatRow(np.array(FAIR, dtype=np.float32))
    assert [type(weight) for weight in (*row, row[0], row.total(), row.outside([0]))] == [float] * 5


def test_a_float_row_is_a_sequence() -> None:
    row = FloatRow([0.25, 0.75])
    assert (len(row), list(row), row[1], row.index(0.75)) == (2, [0.25, 0.75], 0.75, 1)


def test_the_repr_of_a_float_row() -> None:
    assert repr(FloatRow(FAIR)) == "FloatRow([0.5, 0.5])"


def test_equal_float_rows_hash_alike() -> None:
    assert hash(FloatRow(FAIR)) == hash(FloatRow((0.5, 0.5)))


def test_float_rows_that_differ_by_the_sign_of_zero_are_equal_and_hash_alike() -> None:
    assert len({FloatRow([0.0, 1.0]), FloatRow([-0.0, 1.0])}) == 1


@pytest.mark.parametrize("other", [FloatRow([0.25, 0.75]), FloatRow([0.5, 0.5, 0.0]), TupleRow((0.5, 0.5)), [0.5, 0.5]])
def test_a_float_row_differs_from_other_things(other: Any) -> None:
    assert FloatRow(FAIR) != other


@pytest.mark.parametrize(
    ("values", "tokens", "outside"),
    [
        (["1/2", "1/3", "1/6"], [], 1),
        (["1/2", "1/3", "1/6"], [0], Fraction(1, 2)),
        (["1/2", "1/3", "1/6"], [2, 0], Fraction(1, 3)),
        (["1/2", "1/3", "1/6"], [0, 1, 2], 0),
        ([0, 1], [0], 1),
        ([0, 1], [1], 0),
        ([1.0, 2.0, 4.0], [], 7.0),
        ([1.0, 2.0, 4.0], [0, 2], 2.0),
        ([1.0, 2.0, 4.0], [0, 1, 2], 0.0),
        ([X, 2 * X, 1 - 3 * X], [2], 3 * X),
    ],
)
def test_the_mass_outside_some_tokens(values: Any, tokens: list[int], outside: Any) -> None:
    assert make_row(values, "row").outside(tokens) == outside


def test_the_mass_outside_is_summed_directly() -> None:
    assert FloatRow([1.0, 1e-30]).outside([0]) == 1e-30


def test_the_empty_mass_outside_an_exact_row_is_exact() -> None:
    assert is_exact(make_row(COIN, "row").outside([0, 1]))


@pytest.mark.parametrize(("values", "total"), [(COIN, 1), ([1.0, 2.0], 3.0), ([X, 1 - X], 1)])
def test_the_total_of_a_row(values: Any, total: Any) -> None:
    assert make_row(values, "row").total() == total


@pytest.mark.parametrize(
    ("tree", "rows", "message"),
    [
        (
            EDGE,
            [COIN],
            (
                "target tree: expected one row per node, root and leaves included, got 1 rows for 2 nodes; "
                "add the missing rows"
            ),
        ),
        (
            ROOT_ONLY,
            [COIN, COIN],
            (
                "target tree: expected one row per node, root and leaves included, got 2 rows for 1 nodes; "
                "add the missing rows"
            ),
        ),
        (
            EDGE,
            [COIN, ["1/3", "1/3", "1/3"]],
            "row of node 1: expected rows of one length, got 3 weights, and 2 at node 0; give one weight per token",
        ),
        (
            EDGE,
            [COIN, ["1/2", "1/4"]],
            f"row of node 1: expected a sum of exactly 1, got 3/4 (1/4 too little); {NORMALISE}",
        ),
        (EDGE, [["1/2", 1], COIN], f"row of node 0: expected a sum of exactly 1, got 3/2 (1/2 too much); {NORMALISE}"),
        (EDGE, [COIN, ["3/2", "-1/2"]], f"row of node 1, entry 1: expected a number >= 0, got -1/2; {FINITE}"),
        (EDGE, [FAIR, [float("nan"), 1.0]], f"row of node 1, entry 0: expected a number >= 0, got nan; {FINITE}"),
        (
            EDGE,
            [COIN, FAIR],
            "target tree: expected rows of one number type, got floats at node 1 and exact numbers at node 0; "
            + ONE_TYPE,
        ),
        (
            EDGE,
            [FAIR, COIN],
            "target tree: expected rows of one number type, got floats at node 0 and exact numbers at node 1; "
            + ONE_TYPE,
        ),
        (
            DraftTree((-1, 0), (-1, 2)),
            [COIN, COIN],
            "tree, node 1: expected a token in 0..1, got token 2; use ids of the target's vocabulary",
        ),
    ],
)
def test_wrong_rows_of_a_target_tree_are_refused(tree: DraftTree, rows: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        TargetTree(tree, rows)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("row", "kind"), [(COIN, Kind.EXACT), (FAIR, Kind.FLOAT), ([X, 1 - X], Kind.SYMBOLIC), ([P, 1 - P], Kind.SYMBOLIC)]
)
def test_the_kind_of_a_target_tree(row: Any, kind: Kind) -> None:
    assert TargetTree(EDGE, [row, row]).kind is kind


def test_symbolic_rows_may_stand_beside_exact_ones() -> None:
    assert TargetTree(EDGE, [COIN, [X, 1 - X]]).kind is Kind.SYMBOLIC


@pytest.mark.parametrize("rows", [[[X, 1 - X], COIN, [1, 0]], [COIN, [1 - X, X], [1, 0]]])
def test_exact_rows_beside_sympy_rows_stay_exact(rows: Any) -> None:
    assert flow(TargetTree(CHAIN, rows))[2] == X / 2


@pytest.mark.parametrize("rows", [[[P, 1 - P], COIN, [1, 0]], [COIN, [1 - P, P], [1, 0]]])
def test_exact_rows_compute_with_flint_rows(rows: Any) -> None:
    assert flow(TargetTree(CHAIN, rows))[2] == P / 2


def test_rows_may_be_one_array() -> None:
    assert TargetTree(EDGE, np.array([FAIR, [0.25, 0.75]])) == TargetTree(EDGE, [FAIR, [0.25, 0.75]])  # type: ignore[arg-type]


def test_the_vocabulary_is_the_length_of_a_row() -> None:
    assert EXACT.vocabulary == 3


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(TargetTree)])
def test_a_target_tree_cannot_be_changed(name: str) -> None:
    target = TargetTree(EDGE, [COIN, COIN])
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(target, name, ())


@pytest.mark.parametrize("rows", [[COIN, BIASED], [FAIR, [0.25, 0.75]]])
def test_equal_target_trees_hash_alike(rows: Any) -> None:
    assert len({TargetTree(EDGE, rows), TargetTree(EDGE, tuple(rows))}) == 1


def test_target_trees_of_other_rows_are_not_equal() -> None:
    assert TargetTree(EDGE, [COIN, COIN]) != TargetTree(EDGE, [COIN, BIASED])


def test_exact_rows_have_no_discrepancy() -> None:
    assert EXACT.discrepancy == 0


@pytest.mark.parametrize(
    ("rows", "discrepancy"),
    [
        ([FAIR, FAIR], 0.0),
        ([FAIR, [0.5, 0.25]], 0.25),
        ([[1.0, 1.0], [0.5, 0.25]], 1.0),
        ([[0.5, 1.0], [0.25, 0.0]], 0.75),
    ],
)
def test_the_discrepancy_is_the_worst_rows(rows: Any, discrepancy: float) -> None:
    assert TargetTree(EDGE, rows).discrepancy == discrepancy


@pytest.mark.parametrize(("target", "kind"), [(EXACT, type(EXACT.rows[0][0])), (FLOAT, float)])
def test_one_has_the_rows_type(target: TargetTree, kind: type) -> None:
    assert (type(target.one), target.one) == (kind, 1)


@pytest.mark.parametrize(("node", "edge"), [(0, 1), (1, Fraction(1, 6)), (2, Fraction(1, 2)), (3, Fraction(1, 4))])
def test_the_exact_probability_of_an_edge(node: int, edge: Any) -> None:
    assert EXACT.edge(node) == edge


@pytest.mark.parametrize(("node", "edge"), [(0, 1.0), (1, 0.25), (2, 0.25), (3, 0.25)])
def test_the_float_probability_of_an_edge_is_divided_by_the_total(node: int, edge: float) -> None:
    assert FLOAT.edge(node) == edge


@pytest.mark.parametrize(
    ("target", "node", "token", "probability"),
    [
        (EXACT, 0, 1, Fraction(1, 3)),
        (EXACT, 2, 0, 1),
        (EXACT, 2, 1, 0),
        (FLOAT, 0, 1, 0.5),
        (FLOAT, 1, 0, 0.5),
        (FLOAT, 2, 2, 0.25),
    ],
)
def test_the_probability_of_a_token(target: TargetTree, node: int, token: int, probability: Any) -> None:
    assert target.probability(node, token) == probability


@pytest.mark.parametrize(
    ("target", "masses"),
    [(EXACT, [Fraction(1, 3), Fraction(3, 4), 1, 1]), (FLOAT, [0.5, 0.75, 1.0, 1.0])],
)
def test_the_probability_of_an_exit(target: TargetTree, masses: list[Any]) -> None:
    assert [target.exit_probability(v) for v in range(4)] == masses


@steady
@given(draft_trees(), st.integers(0, 3))
def test_exits_and_edges_share_the_mass_of_a_node(tree: DraftTree, seed: int) -> None:
    target = TargetTree.of(tree, Target.seeded(tree.size, seed))
    sums = [target.exit_probability(v) + sum(map(target.edge, tree.children[v])) for v in range(tree.size)]
    assert sums == [1] * tree.size


def test_a_target_gives_the_row_after_each_nodes_path() -> None:
    target = TargetTree.of(TREE, Target.seeded(3))
    assert list(target.rows) == [Target.seeded(3).row(path) for path in [(), (2,), (0,), (2, 1)]]


def test_a_restricted_target_keeps_its_rows() -> None:
    smaller = EXACT.restricted([0, 2])
    assert smaller == TargetTree(DraftTree((-1, 0), (-1, 0)), [EXACT.rows[0], EXACT.rows[2]])


def test_a_restricted_target_needs_all_ancestors() -> None:
    with pytest.raises(InputError) as caught:
        EXACT.restricted([0, 3])
    assert caught.value.got == "nodes [0, 3]"


@pytest.mark.parametrize(("end", "kept"), [(0, [0, 1, 3]), (1, [0, 1, 2]), (2, [0, 2])])
def test_end_nodes_go_with_all_below_them(end: int, kept: list[int]) -> None:
    assert EXACT.without_end(end) == EXACT.restricted(kept)


def test_nodes_deep_below_an_end_node_go() -> None:
    tree = DraftTree((-1, 0, 1, 2, 0), (-1, 1, 0, 0, 0))
    target = TargetTree.of(tree, Target.seeded(2))
    assert target.without_end(1) == target.restricted([0, 4])


def test_a_tree_without_end_nodes_is_kept() -> None:
    target = TargetTree.of(CHAIN, Target.seeded(3))
    assert target.without_end(2) == target


@steady
@given(draft_trees(), st.integers(0, 12))
def test_the_ceiling_without_end_nodes_is_the_ceiling_with_end(tree: DraftTree, end: int) -> None:
    target = TargetTree.of(tree, Target.seeded(tree.size))
    assert ceiling(target.without_end(end)) == ceiling_with_end(target, end)


@pytest.mark.parametrize("prefix", [(), (0,), (1, 1, 0)])
def test_a_context_free_target_forgets_the_prefix(prefix: tuple[int, ...]) -> None:
    assert Target.context_free(BIASED).row(prefix) == make_row(BIASED, "row")


def test_the_vocabulary_of_a_context_free_target() -> None:
    assert Target.context_free(["1/3", "1/3", "1/3"]).vocabulary == 3


@pytest.mark.parametrize(("prefix", "row"), [((), COIN), ((0,), BIASED), ((1,), [1, 0]), ((0, 0, 1), [1, 0])])
def test_a_markov_target_remembers_the_last_token(prefix: tuple[int, ...], row: Any) -> None:
    assert Target.markov(COIN, [BIASED, [1, 0]]).row(prefix) == make_row(row, "row")


def test_a_markov_targets_first_row_must_fit() -> None:
    target = Target.markov(["1/3", "1/3", "1/3"], [COIN, COIN])
    with pytest.raises(InputError) as caught:
        target.row(())
    assert str(caught.value) == "target row after []: expected 2 weights, got 3; one weight per token"


@pytest.mark.parametrize(("prefix", "got"), [((2,), 2), ((-1,), -1), ((0, 2), 2), ((0, -2, 1), -2)])
def test_there_is_no_row_after_a_token_outside_the_vocabulary(prefix: tuple[int, ...], got: int) -> None:
    target = Target.markov(COIN, [COIN, BIASED])
    with pytest.raises(InputError) as caught:
        target.row(prefix)
    where = f"target row after {list(prefix)}"
    assert str(caught.value) == f"{where}: expected tokens in 0..1, got {got}; use the target's vocabulary"


TABLE = {(): COIN, (1,): BIASED}


@pytest.mark.parametrize(("prefix", "row"), [((), COIN), ((1,), BIASED)])
@pytest.mark.parametrize("otherwise", [None, [1, 0]])
def test_a_table_has_its_rows(prefix: tuple[int, ...], row: Any, otherwise: Any) -> None:
    assert Target.table(TABLE, otherwise).row(prefix) == make_row(row, "row")


@pytest.mark.parametrize("prefix", [(0,), (1, 1)])
def test_a_table_has_one_row_after_every_other_prefix(prefix: tuple[int, ...]) -> None:
    assert Target.table(TABLE, [1, 0]).row(prefix) == make_row([1, 0], "row")


def test_a_table_without_other_rows_says_so() -> None:
    target = Target.table(TABLE)
    with pytest.raises(InputError) as caught:
        target.row((1, 1))
    assert str(caught.value) == (
        "target row after [1, 1]: expected a row, got none; give that row, or a row for every other prefix"
    )


def test_an_empty_table_has_no_rows() -> None:
    with pytest.raises(InputError) as caught:
        Target.table({}).row(())
    assert (caught.value.where, caught.value.got) == ("target row after []", "none")


def test_a_table_of_other_rows_only() -> None:
    assert Target.table({}, COIN).row((1,)) == make_row(COIN, "row")


def test_a_wrong_row_of_a_table_is_named() -> None:
    with pytest.raises(InputError) as caught:
        Target.table({(1, 0): ["1/2", "1/4"]})
    assert str(caught.value) == f"row after [1, 0]: expected a sum of exactly 1, got 3/4 (1/4 too little); {NORMALISE}"


def test_a_wrong_row_after_every_other_prefix_is_named() -> None:
    with pytest.raises(InputError) as caught:
        Target.table({}, ["1/2", "1/4"])
    assert caught.value.where == "row after every other prefix"


def test_a_table_does_not_follow_its_input() -> None:
    rows: dict[tuple[int, ...], Any] = {(): COIN}
    target = Target.table(rows)
    rows[()] = BIASED
    assert target.row(()) == make_row(COIN, "row")


def test_seeded_targets_are_deterministic() -> None:
    assert Target.seeded(3, 5).row((0, 1)) == Target.seeded(3, 5).row((0, 1))


def test_seeded_rows_are_the_same_on_every_machine() -> None:
    assert [str(weight) for weight in Target.seeded(3).row((0, 1))] == ["20/131", "32/131", "79/131"]


def test_seeded_rows_do_not_depend_on_the_order_of_questions() -> None:
    asked, fresh = Target.seeded(3), Target.seeded(3)
    asked.row((2,))
    assert asked.row((0, 1)) == fresh.row((0, 1))


def test_seeded_rows_depend_on_the_whole_prefix() -> None:
    rows = {Target.seeded(3).row(prefix) for prefix in [(), (0,), (1,), (0, 0), (1, 0), (0, 1), (0, 0, 0)]}
    assert len(rows) == 7


def test_seeded_rows_depend_on_the_seed() -> None:
    assert Target.seeded(3, 0).row(()) != Target.seeded(3, 1).row(())


@steady
@given(st.integers(1, 6), st.integers(), st.lists(st.integers(0, 0)))
def test_seeded_rows_are_positive_laws(vocabulary: int, seed: int, prefix: list[int]) -> None:
    row = Target.seeded(vocabulary, seed).row(prefix)
    assert (len(row), sum(row), min(row) > 0) == (vocabulary, 1, True)


def test_a_rule_is_asked_once_per_prefix() -> None:
    asked: list[tuple[int, ...]] = []

    def rule(prefix: tuple[int, ...]) -> Any:
        asked.append(prefix)
        return COIN

    target = Target(2, rule)
    target.row([0])
    target.row((0,))
    assert asked == [(0,)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            None,
            "target row after [1]: expected a list of weights, one per token, got None; give at least one weight",
        ),
        ([1], "target row after [1]: expected 2 weights, got 1; one weight per token"),
        (["1/2", "1/4"], f"target row after [1]: expected a sum of exactly 1, got 3/4 (1/4 too little); {NORMALISE}"),
    ],
)
def test_a_rule_that_gives_no_row_is_refused(given: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Target(2, lambda _: given).row((1,))
    assert str(caught.value) == message


def test_a_problem_has_its_targets_tree_and_rows() -> None:
    problem = Problem(EXACT)
    assert (problem.tree, problem.rows) == (EXACT.tree, EXACT.rows)


def test_a_problem_has_its_proposals() -> None:
    problem = Problem(TargetTree(EDGE, [COIN, COIN]), [BIASED, [1, 0]])
    assert [problem.proposal(v) for v in range(2)] == [make_row(BIASED, "row"), make_row([1, 0], "row")]


def test_a_problem_without_proposals_says_so() -> None:
    with pytest.raises(InputError) as caught:
        Problem(EXACT).proposal(ROOT)
    assert str(caught.value) == (
        "problem: expected proposal rows, got none; this verifier needs the drafter's probabilities"
    )


LIKE = "proposals: expected proposals like the target's rows, got"
SAME = "use one vocabulary and one number type"


@pytest.mark.parametrize(
    ("proposals", "message"),
    [
        ([["1/3", "1/3", "1/3"]] * 2, f"{LIKE} 3 exact weights, and 2 exact ones; {SAME}"),
        ([FAIR, FAIR], f"{LIKE} 2 float weights, and 2 exact ones; {SAME}"),
        ([[1], [1]], f"{LIKE} 1 exact weights, and 2 exact ones; {SAME}"),
        (
            [COIN, ["1/2", "1/4"]],
            f"proposal of node 1: expected a sum of exactly 1, got 3/4 (1/4 too little); {NORMALISE}",
        ),
        (
            [COIN],
            "proposals: expected one row per node, root and leaves included, got 1 rows for 2 nodes; add the missing rows",
        ),
        (
            [COIN, [1]],
            "proposal of node 1: expected rows of one length, got 1 weights, and 2 at node 0; give one weight per token",
        ),
        (
            [COIN, FAIR],
            f"proposals: expected rows of one number type, got floats at node 1 and exact numbers at node 0; {ONE_TYPE}",
        ),
    ],
)
def test_wrong_proposals_are_named_as_proposals(proposals: Any, message: str) -> None:
    target = TargetTree(EDGE, [COIN, COIN])
    with pytest.raises(InputError) as caught:
        Problem(target, proposals)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Problem)])
def test_a_problem_cannot_be_changed(name: str) -> None:
    problem = Problem(EXACT)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(problem, name, ())


def test_equal_problems_hash_alike() -> None:
    first, second = (Problem(TargetTree(EDGE, [COIN, COIN]), [BIASED, COIN]) for _ in range(2))
    assert len({first, second}) == 1


def test_problems_with_other_proposals_are_not_equal() -> None:
    target = TargetTree(EDGE, [COIN, COIN])
    assert len({Problem(target), Problem(target, [COIN, COIN]), Problem(target, [BIASED, COIN])}) == 3


@pytest.mark.parametrize("count", range(6))
@pytest.mark.parametrize("without", [(), (0,), (1, 3), (0, 1, 2, 3)])
def test_the_largest_tokens_are_the_first_of_the_sorted_row(count: int, without: tuple[int, ...]) -> None:
    weights = [2, 5, 0, 5, 4]
    expected = sorted((-w, x) for x, w in enumerate(weights) if w and x not in without)[:count]
    for row in (make_row([Fraction(w, 16) for w in weights], "row"), FloatRow([w / 16 for w in weights])):
        assert [(-16 * w, x) for x, w in row.largest(count, without)] == expected
