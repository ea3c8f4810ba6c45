from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise, product
from typing import Any

import numpy as np
import pytest

from tevtheory.choices import ExactGenerator, Slot, enumerate_law
from tevtheory.errors import ContractError, TevError
from tevtheory.weights import mpq

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
NAMES_FLOAT_MODE = r'write 1 instead of 1.0, or run the verifier on float64 rows \(rows="float64"\)'

Program = Callable[[Any], Any]


def rational(program: Program) -> dict[Any, Fraction]:
    return enumerate_law(lambda chooser: program(ExactGenerator(chooser))).law.fractions()


def float64(program: Program) -> dict[Any, Fraction]:
    return enumerate_law(lambda chooser: program(ExactGenerator(chooser, rows="float64")), floats=True).law.fractions()


in_both_modes = pytest.mark.parametrize("law", [rational, float64])


@in_both_modes
def test_random_is_a_coin(law: Callable[[Program], Any]) -> None:
    assert law(lambda rng: rng.random() < Fraction(3, 8)) == {True: Fraction(3, 8), False: Fraction(5, 8)}


@in_both_modes
def test_each_call_of_random_is_another_coin(law: Callable[[Program], Any]) -> None:
    found = law(lambda rng: (rng.random() < HALF, rng.random() < HALF))
    assert found == dict.fromkeys(product([True, False], repeat=2), QUARTER)


@in_both_modes
def test_random_of_a_size_is_an_array_of_independent_coins(law: Callable[[Program], Any]) -> None:
    found = law(lambda rng: tuple(bool(u < QUARTER) for u in rng.random(2)))
    assert found == {
        (True, True): Fraction(1, 16),
        (True, False): Fraction(3, 16),
        (False, True): Fraction(3, 16),
        (False, False): Fraction(9, 16),
    }


@in_both_modes
def test_random_of_a_shape_has_that_shape(law: Callable[[Program], Any]) -> None:
    assert law(lambda rng: (rng.random((2, 3)).shape, rng.random(0).shape)) == {((2, 3), (0,)): 1}


@in_both_modes
def test_an_array_of_coins_compares_with_a_row(law: Callable[[Program], Any]) -> None:
    row = np.array([mpq(1, 4), mpq(1)], dtype=object)
    assert law(lambda rng: tuple((rng.random(2) < row).tolist())) == {(True, True): QUARTER, (False, True): 3 * QUARTER}


@in_both_modes
def test_choice_without_p_is_uniform(law: Callable[[Program], Any]) -> None:
    assert law(lambda rng: rng.choice(3)) == dict.fromkeys(range(3), THIRD)


@in_both_modes
def test_choice_takes_a_numpy_integer(law: Callable[[Program], Any]) -> None:
    assert law(lambda rng: rng.choice(np.int64(2))) == {0: HALF, 1: HALF}


@in_both_modes
@pytest.mark.parametrize("items", [["x", "y"], np.array(["x", "y"])], ids=["list", "array"])
def test_choice_picks_items(law: Callable[[Program], Any], items: Any) -> None:
    assert law(lambda rng: str(rng.choice(items))) == {"x": HALF, "y": HALF}


@pytest.mark.parametrize("as_row", [list, tuple, lambda p: np.array(p, dtype=object)], ids=["list", "tuple", "array"])
def test_choice_with_rational_p(as_row: Callable[[Any], Any]) -> None:
    p = as_row([mpq(1, 3), mpq(0), mpq(2, 3)])
    assert rational(lambda rng: rng.choice(3, p=p)) == {0: THIRD, 2: 2 * THIRD}


def test_choice_with_dyadic_float_p() -> None:
    assert float64(lambda rng: rng.choice(3, p=[0.25, 0.0, 0.75])) == {0: QUARTER, 2: 3 * QUARTER}


@in_both_modes
def test_choice_of_a_size_is_independent_draws(law: Callable[[Program], Any]) -> None:
    p = [1, 0] if law is rational else [1.0, 0.0]
    assert law(lambda rng: (tuple(rng.choice(2, 2).tolist()), tuple(rng.choice(2, size=3, p=p).tolist()))) == {
        (pair, (0, 0, 0)): QUARTER for pair in product([0, 1], repeat=2)
    }


@in_both_modes
def test_choice_of_one_item_needs_no_replacement(law: Callable[[Program], Any]) -> None:
    assert law(lambda rng: int(rng.choice(2, size=1, replace=False)[0])) == {0: HALF, 1: HALF}


@in_both_modes
def test_integers_below_a_bound(law: Callable[[Program], Any]) -> None:
    assert law(lambda rng: rng.integers(4)) == dict.fromkeys(range(4), QUARTER)


@in_both_modes
def test_integers_between_bounds(law: Callable[[Program], Any]) -> None:
    assert law(lambda rng: rng.integers(-1, 2)) == dict.fromkeys([-1, 0, 1], THIRD)


@in_both_modes
def test_integers_with_the_endpoint(law: Callable[[Program], Any]) -> None:
    assert law(lambda rng: (rng.integers(2, 3, endpoint=True), rng.integers(0, endpoint=True))) == {
        (2, 0): HALF,
        (3, 0): HALF,
    }


@in_both_modes
def test_integers_of_a_size_are_independent(law: Callable[[Program], Any]) -> None:
    found = law(lambda rng: tuple(rng.integers(1, 2, size=2, endpoint=True).tolist()))
    assert found == dict.fromkeys(product([1, 2], repeat=2), QUARTER)


@in_both_modes
@pytest.mark.parametrize(
    ("draw", "low", "high"), [(lambda rng: rng.integers(2, 2), 2, 2), (lambda rng: rng.integers(0), 0, None)]
)
def test_integers_of_an_empty_range_are_refused(
    law: Callable[[Program], Any], draw: Program, low: int, high: int | None
) -> None:
    with pytest.raises(ContractError, match=f"integers got an empty range: low={low}, high={high}"):
        law(draw)


@in_both_modes
@pytest.mark.parametrize("draw", ["choice", "integers"])
def test_choice_and_integers_take_a_shape(law: Callable[[Program], Any], draw: str) -> None:
    found = law(lambda rng: tuple(getattr(rng, draw)(2, size=(1, 2)).ravel().tolist()))
    assert found == dict.fromkeys(product([0, 1], repeat=2), QUARTER)


REFUSED = {
    "normal": lambda rng: rng.normal(),
    "exponential": lambda rng: rng.exponential(1.0),
    "uniform": lambda rng: rng.uniform(0, 1),
    "multinomial": lambda rng: rng.multinomial(1, [1]),
    "shuffle": lambda rng: rng.shuffle([0, 1]),
    "permutation": lambda rng: rng.permutation(2),
    "bit_generator": lambda rng: rng.bit_generator,
    "choice(..., replace=False) for more than one item": lambda rng: rng.choice(3, size=2, replace=False),
}


@in_both_modes
@pytest.mark.parametrize(("name", "draw"), REFUSED.items(), ids=REFUSED)
def test_the_rest_is_refused_by_name(law: Callable[[Program], Any], name: str, draw: Program) -> None:
    with pytest.raises(ContractError) as caught:
        law(draw)
    assert str(caught.value) == f"Generator.{name} has no exact law here; use random, choice or integers"


@in_both_modes
def test_choice_needs_one_probability_per_item(law: Callable[[Program], Any]) -> None:
    with pytest.raises(ContractError, match="choice got 2 probabilities for 3 items"):
        law(lambda rng: rng.choice(3, p=[HALF, HALF]))


FLOAT_LITERALS: dict[str, Program] = {
    "u < 0.5": lambda rng: rng.random() < 0.5,
    "1.0 - u": lambda rng: 1.0 - rng.random() < HALF,
    "u * 2.0": lambda rng: rng.random() * 2.0 < 1,
    "np.float64 > u": lambda rng: np.float64(0.5) > rng.random(),
    "p": lambda rng: rng.choice(2, p=[0.5, 0.5]),
    "a float array": lambda rng: int(np.searchsorted(np.array([0.5, 1.0]), rng.random())),
}


@pytest.mark.parametrize("program", FLOAT_LITERALS.values(), ids=FLOAT_LITERALS)
def test_a_float_in_rational_mode_is_an_error_that_names_the_float_mode(program: Program) -> None:
    with pytest.raises(ContractError, match=NAMES_FLOAT_MODE):
        rational(program)


@pytest.mark.parametrize("program", FLOAT_LITERALS.values(), ids=FLOAT_LITERALS)
def test_the_same_program_has_a_law_in_float_mode(program: Program) -> None:
    assert list(float64(lambda rng: bool(program(rng))).values()) == [HALF, HALF]


def test_coins_compare_exactly_with_floats_in_float_mode() -> None:
    assert float64(lambda rng: rng.random() < 0.1) == {True: Fraction(0.1), False: 1 - Fraction(0.1)}


@in_both_modes
def test_choice_refuses_nan(law: Callable[[Program], Any]) -> None:
    with pytest.raises(TevError, match="the float nan"):
        law(lambda rng: rng.choice(2, p=[float("nan"), 1.0]))


@in_both_modes
def test_choice_needs_a_positive_probability(law: Callable[[Program], Any]) -> None:
    zero = 0 if law is rational else 0.0
    with pytest.raises(ContractError, match="choose got no positive weight; decide that case before drawing"):
        law(lambda rng: rng.choice(2, p=[zero, zero]))


def numpy_masses(p: Sequence[float]) -> dict[int, Fraction]:
    """The law of numpy's Generator.choice: rounded running sums, divided by the last, searched from the right."""
    sums = list(accumulate(p))
    ends = [Fraction(0), *(Fraction(reached / sums[-1]) for reached in sums)]
    return {k: high - low for k, (low, high) in enumerate(pairwise(ends)) if high > low}


ROWS = [[0.1] * 10, [0.1, 0.2, 0.7], [1 / 3, 1 / 3, 1 / 3], [0.3, 0.0, 0.6, 0.1], [0.7, 0.1, 0.1, 0.1]]


@pytest.mark.parametrize("p", ROWS, ids=str)
def test_choice_in_float_mode_has_the_law_of_numpys_own_steps(p: list[float]) -> None:
    found = float64(lambda rng: rng.choice(len(p), p=p))
    assert found == numpy_masses(p)
    assert sum(found.values()) == 1


@pytest.mark.parametrize("p", ROWS, ids=str)
def test_numpy_itself_picks_the_piece_that_holds_its_uniform(p: list[float]) -> None:
    law = numpy_masses(p)
    ends = dict(zip(law, accumulate(law.values()), strict=True))
    for seed in range(200):
        u = Fraction(np.random.default_rng(seed).random())
        picked = np.random.default_rng(seed).choice(len(p), p=p)
        assert picked == next(k for k, end in ends.items() if u < end)


def test_the_float_law_is_not_the_nominal_one() -> None:
    p = [0.1] * 10
    assert float64(lambda rng: rng.choice(10, p=p)) != {k: Fraction(1, 10) for k in range(10)}
    assert float64(lambda rng: rng.choice(10, p=p)) != {k: Fraction(0.1) for k in range(10)}


def test_the_generator_draws_at_its_own_declared_slots() -> None:
    with pytest.raises(ContractError, match=r"at site random\[0\]: slot random is not declared \(declared: other\)"):
        enumerate_law(lambda chooser: ExactGenerator(chooser).random() < HALF, slots=[Slot("other", per="round")])


# A numpy verifier that knows nothing of tevtheory: predraw and follow on the chain a, b.

CHILDREN: list[dict[int, int]] = [{0: 1}, {1: 2}, {}]
FRACTION_ROWS = [[HALF, HALF], [QUARTER, 3 * QUARTER], [Fraction(1), Fraction(0)]]
RATIONAL_ROWS = np.array([[mpq(p) for p in row] for row in FRACTION_ROWS], dtype=object)
FLOAT_ROWS = np.array([[float(p) for p in row] for row in FRACTION_ROWS])
BLOCKS = {"b": HALF, "aa": Fraction(1, 8), "aba": Fraction(3, 8)}


def follow(draw: Callable[[Any], int], rows: Any) -> str:
    node, block = 0, ""
    while True:
        token = draw(rows[node])
        block += "ab"[token]
        if token not in CHILDREN[node]:
            return block
        node = CHILDREN[node][token]


def by_searchsorted(rows: Any, rng: Any) -> str:
    return follow(lambda row: int(np.searchsorted(np.cumsum(row), rng.random(), side="right")), rows)


def by_argmax(rows: Any, rng: Any) -> str:
    return follow(lambda row: int(np.argmax(np.cumsum(row) > rng.random())), rows)


def by_choice(rows: Any, rng: Any) -> str:
    return follow(lambda row: int(rng.choice(2, p=row)), rows)


every_numpy_verifier = pytest.mark.parametrize("verifier", [by_searchsorted, by_argmax, by_choice])


@every_numpy_verifier
def test_a_numpy_verifier_on_rational_rows_runs_unmodified(verifier: Callable[[Any, Any], str]) -> None:
    assert rational(lambda rng: verifier(RATIONAL_ROWS, rng)) == BLOCKS


@every_numpy_verifier
def test_a_numpy_verifier_on_float_rows_runs_unmodified(verifier: Callable[[Any, Any], str]) -> None:
    assert float64(lambda rng: verifier(FLOAT_ROWS, rng)) == BLOCKS


@every_numpy_verifier
def test_the_numpy_verifier_is_one(verifier: Callable[[Any, Any], str]) -> None:
    rng = np.random.default_rng(0)
    assert {verifier(FLOAT_ROWS, rng) for _ in range(200)} == set(BLOCKS)
