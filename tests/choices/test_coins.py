from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tevtheory.choices import Chooser, Coin, Slot, TapeChooser, enumerate_law
from tevtheory.errors import ContractError
from tevtheory.weights import mpq

U = Slot("u", per="round")
HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
ENDS = [mpq(1, 4), mpq(1, 2), mpq(1)]
EXACT_ROW = np.array(ENDS, dtype=object)
FLOAT_ROW = np.array([0.25, 0.5, 1.0])
GRID = 24  # every threshold below is a multiple of 1/24, so the midpoints of the grid find exact laws


def law(program: Callable[[Coin], Any], floats: bool = False) -> dict[Any, Fraction]:
    return enumerate_law(lambda chooser: program(chooser.coin(site=(U, 0))), floats=floats).law.fractions()


def drawn(value: Any) -> Coin:
    return TapeChooser(lambda _slot, _index: value).coin(site=(U, 0))


def tape_law(program: Callable[[Coin], Any], floats: bool = False) -> dict[Any, Fraction]:
    """The same from coins with known values: the midpoints of the grid."""
    found: dict[Any, Fraction] = {}
    for k in range(GRID):
        middle = mpq(2 * k + 1, 2 * GRID)
        outcome = program(drawn(float(middle) if floats else middle))
        found[outcome] = found.get(outcome, Fraction(0)) + Fraction(1, GRID)
    return found


def chance(event: Callable[[Coin], bool]) -> Fraction:
    return law(lambda u: bool(event(u))).get(True, Fraction(0))


def tape_chance(event: Callable[[Coin], bool]) -> Fraction:
    return tape_law(lambda u: bool(event(u))).get(True, Fraction(0))


EVENTS: dict[str, tuple[Callable[[Any], bool], Fraction]] = {
    "u < 1/3": (lambda u: u < THIRD, THIRD),
    "u <= 1/3": (lambda u: u <= THIRD, THIRD),
    "u > 1/3": (lambda u: u > THIRD, 2 * THIRD),
    "u >= 1/3": (lambda u: u >= THIRD, 2 * THIRD),
    "1/3 < u": (lambda u: u > THIRD, 2 * THIRD),
    "u < -1": (lambda u: u < -1, Fraction(0)),
    "u < 2": (lambda u: u < 2, Fraction(1)),
    "2 u < 1": (lambda u: 2 * u < 1, HALF),
    "u * 3 < 2": (lambda u: u * 3 < 2, 2 * THIRD),
    "2 u + 1 < 3/2": (lambda u: u * 2 + 1 < Fraction(3, 2), QUARTER),
    "1/2 + u < 2/3": (lambda u: HALF + u < 2 * THIRD, Fraction(1, 6)),
    "u - 1/4 < 1/2": (lambda u: u - QUARTER < HALF, 3 * QUARTER),
    "1 - u < 1/3": (lambda u: 1 - u < THIRD, THIRD),
    "-u < -1/3": (lambda u: -u < -THIRD, 2 * THIRD),
    "-2 u >= -1/2": (lambda u: -2 * u >= -HALF, QUARTER),
    "(1 - 2 u) / 3 > 0": (lambda u: (1 - 2 * u) / 3 > 0, HALF),
    "u / (1/2) < 1/2": (lambda u: u / HALF < HALF, QUARTER),
    "u / -2 > -1/4": (lambda u: u / -2 > -QUARTER, HALF),
    "0 u < 1": (lambda u: u * 0 < 1, Fraction(1)),
    "0 u + 1 < 1": (lambda u: u * 0 + 1 < 1, Fraction(0)),
    "0 u + 1 <= 1": (lambda u: u * 0 + 1 <= 1, Fraction(1)),
    "u < 2 u - 1/4": (lambda u: u < 2 * u - QUARTER, 3 * QUARTER),
    "2 u > 1 - u": (lambda u: 2 * u > 1 - u, 2 * THIRD),
    "u < u": (lambda u: u < u, Fraction(0)),  # noqa: PLR0124
    "u <= u": (lambda u: u <= u, Fraction(1)),  # noqa: PLR0124
    "u < u + 1/6": (lambda u: u < u + Fraction(1, 6), Fraction(1)),
}
every_event = pytest.mark.parametrize(("event", "expected"), EVENTS.values(), ids=EVENTS)


@every_event
def test_the_chance_of_an_event(event: Callable[[Coin], bool], expected: Fraction) -> None:
    assert chance(event) == expected


@every_event
def test_drawn_coins_take_the_same_decisions(event: Callable[[Coin], bool], expected: Fraction) -> None:
    assert tape_chance(event) == expected


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (lambda p, u: p < u, 2 * THIRD),
        (lambda p, u: p <= u, 2 * THIRD),
        (lambda p, u: p > u, THIRD),
        (lambda p, u: p >= u, THIRD),
    ],
    ids=["p < u", "p <= u", "p > u", "p >= u"],
)
@pytest.mark.parametrize("p", [THIRD, mpq(1, 3)], ids=["Fraction", "mpq"])
def test_a_number_may_stand_on_the_left(event: Callable[..., bool], expected: Fraction, p: Any) -> None:
    assert chance(lambda u: event(p, u)) == tape_chance(lambda u: event(p, u)) == expected


def test_a_numpy_float_may_stand_on_the_left() -> None:
    assert law(lambda u: bool(np.float64(0.25) > u), floats=True) == {True: QUARTER, False: 3 * QUARTER}


def test_thresholds_on_one_coin_are_conditional() -> None:
    assert law(lambda u: (u < HALF, u < QUARTER)) == {
        (True, True): QUARTER,
        (True, False): QUARTER,
        (False, False): HALF,
    }


def test_a_rescaled_coin_is_still_the_same_coin() -> None:
    assert law(lambda u: (u < HALF, 2 * u < 1, 1 - 2 * u > 0, u * 4 < 1)) == {
        (True, True, True, True): QUARTER,
        (True, True, True, False): QUARTER,
        (False, False, False, False): HALF,
    }


PIECES = {0: QUARTER, 1: QUARTER, 2: HALF}
SEARCHES: dict[str, Callable[[Any], int]] = {
    "bisect right": lambda u: bisect_right(ENDS, u),
    "bisect left": lambda u: bisect_left(ENDS, u),
    "searchsorted right": lambda u: int(np.searchsorted(EXACT_ROW, u, side="right")),
    "searchsorted left": lambda u: int(np.searchsorted(EXACT_ROW, u)),
    "the method searchsorted": lambda u: int(EXACT_ROW.searchsorted(u, side="right")),
}
every_search = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)


@every_search
def test_a_search_finds_the_piece_that_holds_the_coin(search: Callable[[Any], int]) -> None:
    assert law(search) == PIECES


@every_search
def test_a_search_with_a_drawn_coin_finds_the_same_piece(search: Callable[[Any], int]) -> None:
    assert tape_law(search) == PIECES


ELEMENTWISE: dict[str, Callable[[Any, Any], Any]] = {
    "row < u": lambda row, u: row < u,
    "row <= u": lambda row, u: row <= u,
    "u > row": lambda row, u: u > row,
    "u >= row": lambda row, u: u >= row,
    "not row > u": lambda row, u: np.logical_not(row > u),
    "not row >= u": lambda row, u: np.logical_not(row >= u),
    "not u < row": lambda row, u: np.logical_not(u < row),
    "not u <= row": lambda row, u: np.logical_not(u <= row),
}
every_comparison = pytest.mark.parametrize("compare", ELEMENTWISE.values(), ids=ELEMENTWISE)


@every_comparison
@pytest.mark.parametrize("row", [EXACT_ROW, FLOAT_ROW], ids=["rationals", "floats"])
def test_an_array_and_a_coin_compare_elementwise(compare: Callable[[Any, Any], Any], row: Any) -> None:
    found = law(lambda u: tuple(compare(row, u).tolist()), floats=True)
    assert found == {(False, False, False): QUARTER, (True, False, False): QUARTER, (True, True, False): HALF}


@every_comparison
@pytest.mark.parametrize("row", [EXACT_ROW, FLOAT_ROW], ids=["rationals", "floats"])
def test_an_array_and_a_drawn_coin_compare_elementwise(compare: Callable[[Any, Any], Any], row: Any) -> None:
    assert compare(row, drawn(0.375)).tolist() == [True, False, False]


@pytest.mark.parametrize("times", [lambda row, u: row * u, lambda row, u: u * row], ids=["row * u", "u * row"])
def test_an_array_times_a_coin_is_an_array_of_images(times: Callable[[Any, Any], Any]) -> None:
    found = law(lambda u: sum(bool(image < QUARTER) for image in times(EXACT_ROW, u)))
    assert found == {3: QUARTER, 2: QUARTER, 1: HALF}


COMPARE, MAP = "compare it with < or >=", "compare it, or map it with +, -, *, /"
REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "==": (lambda u: u == 0, f"cannot test a coin for equality; {COMPARE}"),
    "!=": (lambda u: u != 0, f"cannot test a coin for equality; {COMPARE}"),
    "in": (lambda u: u in [HALF, THIRD], f"cannot test a coin for equality; {COMPARE}"),
    "bool": (bool, "cannot use a coin as a truth value; compare it with a number, as in u < p"),
    "float": (float, f"cannot turn a coin into a float; {MAP}"),
    "float array": (lambda u: np.array([u], dtype=float), f"cannot turn a coin into a float; {MAP}"),
    "int": (int, "cannot turn a coin into an integer; compare it, or use choose"),
    "index": (lambda u: [0, 1][u], "cannot turn a coin into an integer; compare it, or use choose"),
    "u * u": (lambda u: u * u, "cannot add or multiply two coins; draw the decision with flip or choose"),
    "u + u": (lambda u: u + u, "cannot add or multiply two coins; draw the decision with flip or choose"),
    "u - u": (lambda u: u - u, "cannot add or multiply two coins; draw the decision with flip or choose"),
    "u / u": (lambda u: u / u, "cannot add or multiply two coins; draw the decision with flip or choose"),
}


@pytest.mark.parametrize(("act", "text"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_says_what_to_do(act: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(ContractError) as caught:
        law(act)
    assert str(caught.value) == text


@pytest.mark.parametrize(("act", "text"), REFUSED.values(), ids=REFUSED)
def test_a_drawn_coin_refuses_with_the_same_words(act: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(ContractError) as caught:
        act(drawn(0.5))
    assert str(caught.value) == text


def test_a_coin_has_no_hash() -> None:
    with pytest.raises(ContractError, match="cannot hash a coin"):
        law(hash)


def test_a_drawn_coin_has_no_hash() -> None:
    with pytest.raises(ContractError, match="cannot hash a coin"):
        hash(drawn(0.5))


UNSUPPORTED: dict[str, Callable[[Any], Any]] = {
    "power": lambda u: u**2,
    "floor division": lambda u: u // 1,
    "remainder": lambda u: u % 1,
    "reciprocal": lambda u: 1 / u,
    "absolute value": abs,
    "round": round,
    "floor": math.floor,
    "exponential": math.exp,
    "complex": complex,
    "text as a number": lambda u: u < "one half",
}


@pytest.mark.parametrize("act", UNSUPPORTED.values(), ids=UNSUPPORTED)
@pytest.mark.parametrize("run", [law, lambda act: act(drawn(0.5))], ids=["enumerated", "drawn"])
def test_everything_but_affine_maps_is_refused(act: Callable[[Any], Any], run: Callable[..., Any]) -> None:
    with pytest.raises((ContractError, TypeError, ValueError)):
        run(act)


@pytest.mark.parametrize("run", [law, lambda act: act(drawn(0.5))], ids=["enumerated", "drawn"])
def test_division_by_zero_is_refused(run: Callable[..., Any]) -> None:
    with pytest.raises(ZeroDivisionError, match="a coin is divided by zero"):
        run(lambda u: u / 0)


def two(chooser: Chooser) -> tuple[Any, Any]:
    return chooser.coin(site=(U, 0)), chooser.coin(site=(U, 1))


TWO_COINS: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "u < v": (lambda u, v: u < v, "cannot compare two different coins; draw the decision with flip or choose"),
    "u >= 2 v": (lambda u, v: u >= 2 * v, "cannot compare two different coins; draw the decision with flip or choose"),
    "u + v": (lambda u, v: u + v, "cannot add or multiply two coins; draw the decision with flip or choose"),
    "u v": (lambda u, v: u * v, "cannot add or multiply two coins; draw the decision with flip or choose"),
}
every_pair = pytest.mark.parametrize(("act", "text"), TWO_COINS.values(), ids=TWO_COINS)


@every_pair
def test_two_coins_do_not_mix(act: Callable[[Any, Any], Any], text: str) -> None:
    with pytest.raises(ContractError) as caught:
        enumerate_law(lambda chooser: act(*two(chooser)))
    assert str(caught.value) == text


@every_pair
def test_two_drawn_coins_do_not_mix(act: Callable[[Any, Any], Any], text: str) -> None:
    with pytest.raises(ContractError) as caught:
        act(*two(TapeChooser(lambda _slot, _index: 0.5)))
    assert str(caught.value) == text
