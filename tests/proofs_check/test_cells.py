from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from tevtheory.choices import Chooser, Slot, enumerate_law
from tevtheory.examples import C2
from tevtheory.exitlaw import canonical_exit_law, coverage, flow
from tevtheory.proofs_check import cell_checks
from tevtheory.proofs_check.cells import Cell, Number, around, law_on_cell, source_around
from tevtheory.proofs_check.closed_sets import best_closed, flows_within, random_source, random_tree, ring, strings_to
from tevtheory.proofs_check.evidence import Refuted
from tevtheory.proofs_check.lp import maximise, problem_in_mode
from tevtheory.proofs_check.random_checks import random_targets
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import Exit
from tevtheory.verifiers.catalogue import find
from tevtheory.weights import mpq

TOKEN, STOP = Slot("token", per="node"), Slot("stop", per="node")


def at(number: Number, values: list[Any]) -> Any:
    """A number's functions evaluated afresh; values are per generator."""
    return mpq(str(number.top(*values))) / mpq(str(number.bottom(*values)))


@pytest.fixture
def cell() -> Cell:
    return Cell([[mpq(1, 5), mpq(3, 10), mpq(1, 2)], [mpq(1, 3), mpq(2, 3)]])


def test_a_number_is_its_function_at_the_point(cell: Cell) -> None:
    import flint

    values = [flint.fmpq(1, 5), flint.fmpq(3, 10), flint.fmpq(1, 2), flint.fmpq(1, 3), flint.fmpq(2, 3)]
    rng = random.Random("numbers")
    pool: list[Any] = [*cell.rows[0], *cell.rows[1]]
    for _ in range(200):
        a, b = rng.choice(pool), rng.choice([*pool, mpq(2, 7), 3])
        made = rng.choice([a + b, b + a, a - b, b - a, a * b, b * a, a / b, b / a, -a, abs(-a)])
        assert at(made, values) == made.at
        if not made.top.is_zero() and len(str(made)) < 200:
            pool.append(made)
    assert len(pool) > 50


def test_comparisons_are_decided_at_the_point_and_refused_on_a_border(cell: Cell) -> None:
    a, b, c = cell.rows[0]
    assert a < b < c <= 1 - a - b
    assert c > b >= a
    assert a != b
    assert a + b + c == 1
    assert bool(a)
    assert not a * 0
    assert a + b != c * mpq(99, 100)
    with pytest.raises(Refuted, match="is 0 at the point, and not everywhere"):
        _ = a + b == c
    with pytest.raises(ZeroDivisionError, match="a number of a cell is divided by zero"):
        _ = a / (b - b)
    with pytest.raises(TypeError):
        _ = a + 0.5
    with pytest.raises(TypeError):
        _ = a > 0.5


def test_a_cell_is_whole_until_a_decision_needs_more_than_signs_of_coefficients(cell: Cell) -> None:
    a, b, c = cell.rows[0]
    p, q = cell.rows[1]
    for smaller, larger in ((a * b, a), (a * p, a), (a * p + b * q, 1), (a * c, mpq(1, 2)), (a / (a + b), 1)):
        assert smaller < larger
        assert cell.whole, (smaller, larger)
    assert a * a + b * b > a * b  # true everywhere, yet x^2 - xy + y^2 has a coefficient below 0
    assert not cell.whole


def test_a_point_must_be_inside() -> None:
    for outside in ([mpq(1), mpq(0)], [mpq(1, 2), mpq(1, 3)]):
        with pytest.raises(ValueError, match="not inside their simplices"):
            Cell([outside])


def test_the_law_on_a_cell_is_the_enumerated_law_at_its_point() -> None:
    for mode in ("generic", "zeros", "exhausted"):
        point = problem_in_mode((-1, 0, 0, 1), mode)
        _, target, _ = around(point)
        for name in ("TEV's walk", "residual in random order", "nested", "early stop"):
            verifier = find(name)

            def run(problem: Problem, verifier: Any = verifier) -> Callable[[Chooser], Exit]:
                return lambda chooser: verifier.walk(verifier.prepare(problem), chooser)

            found = law_on_cell(run(Problem(target)), verifier.slots)
            wanted = enumerate_law(run(Problem(point)), slots=verifier.slots).law
            assert {end: mass.at for end, mass in found.items()} == dict(wanted)


def test_a_verifier_right_at_the_point_only_is_refused() -> None:
    _, target, _ = around(C2)

    def by_heart(chooser: Chooser) -> Exit:
        return Exit(0, 1) if chooser.flip(1, 2, site=(TOKEN, 0)) else Exit(1, 0)

    def honest(chooser: Chooser) -> Exit:
        return Exit(0, 1) if chooser.flip(target.rows[0][1], site=(TOKEN, 0)) else Exit(1, 0)

    wanted = canonical_exit_law(target)[Exit(0, 1)]
    assert wanted == law_on_cell(honest, [TOKEN])[Exit(0, 1)]
    with pytest.raises(Refuted, match="not everywhere"):
        _ = law_on_cell(by_heart, [TOKEN])[Exit(0, 1)] == wanted


def test_a_walk_that_decides_by_the_probabilities_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_checks, "SORTING", ())
    with pytest.raises(Refuted, match="residual by probability decides by the probabilities"):
        cell_checks.attainment("sequential-residual", 4, 3)


def test_every_order_by_probability_is_tried() -> None:
    point = problem_in_mode((-1, 0, 0, 0, 1), "generic")
    orders = list(cell_checks._orders(point))
    children = point.tree.children[0]
    ranked = {tuple(sorted(children, key=lambda v: t.rows[0][t.tree.tokens[v]])) for t in orders}
    assert len(orders) == len(ranked) == 6


def test_a_source_on_a_cell_has_the_point_of_the_source() -> None:
    source = random_source("here", 3)
    lifted = source_around(source, 2)
    for prefix in [(), (0,), (2,)]:
        found = [number.at if isinstance(number, Number) else number for number in lifted.row(prefix)]
        assert found == list(source.row(prefix))


# Closed sets and linear programs


def test_the_knapsack_is_the_best_of_all_closed_sets() -> None:
    for seed in range(6):
        source, rng = random_source(f"closed/{seed}", 2), random.Random(seed)
        tree = random_tree(rng, 2, 3, 3)
        for strings in (list(strings_to(3, 2)), ring(tree, 2)):
            flows = flows_within(source, strings)
            for budget in range(5):
                closed = (
                    picked
                    for picked in map(set, combinations(strings, min(budget, len(strings))))
                    if all(len(path) == 1 or path[:-1] in picked for path in picked)
                )
                best = max((sum(flows[path] for path in picked) for picked in closed), default=0)
                assert best_closed(flows, budget) == best


def test_random_trees_are_closed_and_as_large_and_deep_as_asked() -> None:
    for seed in range(20):
        tree = random_tree(random.Random(seed), 2, 9, 3)
        assert (tree.budget, tree.depth <= 3) == (9, True)
        here = TargetTree.of(tree, random_source("here", 2))
        flows = flows_within(random_source("here", 2), [tree.path(v) for v in range(1, tree.size)])
        assert sum(flows.values()) == coverage(here) == sum(flow(here)) - 1


def test_random_targets_have_zeros_and_exhausted_rows() -> None:
    targets = list(random_targets(40))
    exhausted = [t for t in targets if any(t.exit_probability(v) == 0 for v in range(t.tree.size))]
    assert len(exhausted) > 20
    assert all(any(0 in row for row in t.rows) for t in targets)
    assert {8, 30} <= {t.tree.size for t in random_targets(300)}


def test_an_infeasible_program_is_refuted() -> None:
    with pytest.raises(Refuted, match="HiGHS: "):
        maximise([1, 1], equal=([[1, 1]], [3]), upper=1)
