from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, cycle, pairwise, product
from typing import Any

import gmpy2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tevtheory.choices import Chooser, Coin, Limits, Slot, enumerate_law
from tevtheory.errors import ContractError, InputError
from tevtheory.weights import mpq

A = Slot("a", per="round")
B = Slot("b", per="round")
RACE = Slot("race", per="round", kind="race")
HALF, THIRD, QUARTER, ALL = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4), Fraction(1)

Program = Callable[[Chooser], Any]


def law(program: Program, **options: Any) -> dict[Any, Fraction]:
    return enumerate_law(program, **options).law.fractions()


def boundary(program: Program) -> tuple[dict[Any, Fraction], frozenset[Any]]:
    found = enumerate_law(program, boundary=True)
    return found.law.fractions(), found.null_outcomes


def refusal(program: Program, **options: Any) -> str:
    with pytest.raises(ContractError) as caught:
        enumerate_law(program, **options)
    return str(caught.value)


# Laws of small programs, against fractions written by hand.


def test_a_flip_is_true_with_part_of_whole() -> None:
    assert law(lambda chooser: chooser.flip(2, 5, site=(A, 0))) == {True: Fraction(2, 5), False: Fraction(3, 5)}


@pytest.mark.parametrize(("part", "of"), [(0, 1), (-1, 1), (0, 0), (-2, 0)])
def test_a_flip_with_no_part_is_false_also_of_nothing(part: int, of: int) -> None:
    assert law(lambda chooser: chooser.flip(part, of, site=(A, 0))) == {False: ALL}


@pytest.mark.parametrize(("part", "of"), [(1, 1), (3, 2), (1, 0)])
def test_a_flip_with_all_of_the_whole_is_true(part: int, of: int) -> None:
    assert law(lambda chooser: chooser.flip(part, of, site=(A, 0))) == {True: ALL}


def test_a_certain_flip_is_one_path() -> None:
    assert enumerate_law(lambda chooser: chooser.flip(1, 1, site=(A, 0))).paths == 1


def test_choose_takes_unnormalised_weights() -> None:
    found = law(lambda chooser: chooser.choose([1, 2, 5], site=(A, 0)))
    assert found == {0: Fraction(1, 8), 1: Fraction(1, 4), 2: Fraction(5, 8)}


def test_choose_never_picks_a_zero_weight_even_on_the_boundary() -> None:
    found = boundary(lambda chooser: chooser.choose([0, 1, 0, 3, 0], site=(A, 0)))
    assert found == ({1: QUARTER, 3: 3 * QUARTER}, frozenset())


def test_a_race_has_the_law_of_its_weights() -> None:
    assert law(lambda chooser: chooser.choose([1, 3], site=(RACE, 0))) == {0: QUARTER, 1: Fraction(3, 4)}


@pytest.mark.parametrize("third", [Fraction(1, 3), mpq(1, 3), "1/3"])
def test_exact_numbers_of_every_type_are_lifted(third: Any) -> None:
    assert law(lambda chooser: chooser.flip(third, np.int64(1), site=(A, 0))) == {True: THIRD, False: 2 * THIRD}


def test_nested_choices_multiply() -> None:
    def program(chooser: Chooser) -> Any:
        return "ace" if chooser.flip(1, 3, site=(A, 0)) else chooser.choose([1, 0, 2], site=(B, 0))

    assert law(program) == {"ace": THIRD, 0: Fraction(2, 9), 2: Fraction(4, 9)}


def test_paths_with_one_outcome_add_up() -> None:
    def program(chooser: Chooser) -> int:
        return chooser.choose([1, 1, 1], site=(A, 0)) + chooser.choose([1, 1, 1], site=(A, 1))

    found = enumerate_law(program)
    assert found.paths == 9
    assert found.law.fractions() == {n: Fraction(ways, 9) for n, ways in enumerate([1, 2, 3, 2, 1])}


def test_a_coin_is_the_same_coin_at_every_threshold() -> None:
    def program(chooser: Chooser) -> tuple[bool, bool, bool]:
        u = chooser.coin(site=(A, 0))
        return u < HALF, u < QUARTER, u < HALF

    assert law(program) == {
        (True, True, True): QUARTER,
        (True, False, True): QUARTER,
        (False, False, False): HALF,
    }


def test_two_coins_are_independent() -> None:
    def program(chooser: Chooser) -> tuple[bool, bool]:
        u, v = chooser.coin(site=(A, 0)), chooser.coin(site=(A, 1))
        return u < THIRD, v < QUARTER

    found = law(program)
    assert found == {
        (x, y): (THIRD if x else 2 * THIRD) * (QUARTER if y else 3 * QUARTER)
        for x, y in product([True, False], repeat=2)
    }


def test_a_coin_narrowed_on_one_path_is_whole_again_on_the_next() -> None:
    def program(chooser: Chooser) -> tuple[bool, bool]:
        u = chooser.coin(site=(A, 0))
        first = chooser.flip(1, 2, site=(B, 0))
        return first, u < THIRD if first else u < QUARTER

    assert law(program) == {
        (True, True): THIRD / 2,
        (True, False): THIRD,
        (False, True): QUARTER / 2,
        (False, False): 3 * QUARTER / 2,
    }


def test_a_program_without_choices_is_one_path() -> None:
    found = enumerate_law(lambda _: "x")
    assert found.law.fractions() == {"x": ALL}
    assert (found.paths, found.cut) == (1, None)


def test_floats_are_read_as_the_rationals_they_are_where_asked_for() -> None:
    found = law(lambda chooser: chooser.coin(site=(A, 0)) < 0.1, floats=True)
    assert found == {True: Fraction(0.1), False: 1 - Fraction(0.1)}


# Guards, each with its message.


def test_an_undeclared_slot_is_named() -> None:
    text = refusal(lambda chooser: chooser.flip(1, 2, site=(A, 0)), slots=[B])
    assert text == "at site a[0]: slot a is not declared (declared: b)"


def test_a_verifier_that_declares_no_slot_may_not_draw() -> None:
    text = refusal(lambda chooser: chooser.coin(site=(A, 0)) < HALF, slots=[])
    assert text == "at site a[0]: slot a is not declared (declared: none)"


def test_slots_are_known_by_identity_not_by_name() -> None:
    text = refusal(lambda chooser: chooser.flip(1, 2, site=(Slot("a", per="round"), 0)), slots=[A])
    assert text == "at site a[0]: slot a is not declared (declared: a)"


def flip_twice(chooser: Chooser) -> Any:
    return chooser.flip(1, 2, site=(A, 3)), chooser.flip(1, 2, site=(A, 3))


def coin_then_choose(chooser: Chooser) -> Any:
    return chooser.coin(site=(A, 3)) < HALF, chooser.choose([1, 1], site=(A, 3))


@pytest.mark.parametrize("program", [flip_twice, coin_then_choose])
def test_a_site_drawn_twice_is_named(program: Program) -> None:
    assert refusal(program) == "site a[3] is drawn twice in one run; give every draw a site of its own"


def test_a_site_may_be_drawn_once_on_each_of_two_branches() -> None:
    def program(chooser: Chooser) -> bool:
        return chooser.flip(1, 3 if chooser.flip(1, 2, site=(A, 0)) else 5, site=(B, 0))

    assert law(program) == {True: Fraction(4, 15), False: Fraction(11, 15)}


def as_part(chooser: Chooser, number: Any) -> Any:
    return chooser.flip(number, site=(A, 0))


def as_whole(chooser: Chooser, number: Any) -> Any:
    return chooser.flip(HALF, number, site=(A, 0))


def as_weight(chooser: Chooser, number: Any) -> Any:
    return chooser.choose([HALF, number], site=(A, 0))


def as_threshold(chooser: Chooser, number: Any) -> Any:
    return chooser.coin(site=(A, 0)) < number


def as_factor(chooser: Chooser, number: Any) -> Any:
    return chooser.coin(site=(A, 0)) * number < HALF


def as_shift(chooser: Chooser, number: Any) -> Any:
    return number - chooser.coin(site=(A, 0)) < HALF


def as_divisor(chooser: Chooser, number: Any) -> Any:
    return chooser.coin(site=(A, 0)) / number < HALF


PLACES = [as_part, as_whole, as_weight, as_threshold, as_factor, as_shift, as_divisor]
every_place = pytest.mark.parametrize("place", PLACES)


@every_place
def test_a_float_is_refused_wherever_it_enters_and_the_float_mode_is_named(place: Callable[..., Any]) -> None:
    assert refusal(lambda chooser: place(chooser, 0.5)) == (
        "the float 0.5 met exact numbers; write 1 instead of 1.0, or run the verifier on float64 rows "
        '(rows="float64") for the exact law of the float program'
    )


@every_place
def test_a_numpy_float_is_refused_wherever_it_enters(place: Callable[..., Any]) -> None:
    assert 'rows="float64"' in refusal(lambda chooser: place(chooser, np.float64(0.5)))


@every_place
@pytest.mark.parametrize("floats", [False, True])
def test_an_mpfr_is_refused_wherever_it_enters_in_both_modes(place: Callable[..., Any], floats: bool) -> None:
    became = mpq(1, 2) * 0.5
    assert isinstance(became, type(gmpy2.mpfr(0)))
    text = refusal(lambda chooser: place(chooser, became), floats=floats)
    assert text.startswith("the float mpfr('0.25') met exact numbers; ")


@every_place
def test_nan_is_refused_wherever_it_enters(place: Callable[..., Any]) -> None:
    text = refusal(lambda chooser: place(chooser, float("nan")), floats=True)
    assert text == "the float nan was given to the chooser; give finite numbers"


@every_place
def test_infinity_is_refused_wherever_it_enters(place: Callable[..., Any]) -> None:
    text = refusal(lambda chooser: place(chooser, float("inf")), floats=True)
    assert text == "the float inf was given to the chooser; give finite numbers"


@every_place
def test_a_truth_value_is_no_number(place: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match="a number given to the chooser: expected an exact number, got the bool True"):
        enumerate_law(lambda chooser: place(chooser, True))


def test_a_negative_weight_is_named() -> None:
    text = refusal(lambda chooser: chooser.choose([1, mpq(-1, 2), 1], site=(A, 2)))
    assert text == "at site a[2]: weight 1 is -1/2; weights are >= 0"


@pytest.mark.parametrize("weights", [[0, 0], []])
def test_choose_needs_a_positive_weight(weights: list[int]) -> None:
    text = refusal(lambda chooser: chooser.choose(weights, site=(A, 2)))
    assert text == "at site a[2]: choose got no positive weight; decide that case before drawing"


def test_a_flip_of_a_negative_whole_is_refused() -> None:
    text = refusal(lambda chooser: chooser.flip(1, -1, site=(A, 0)))
    assert text == "at site a[0]: flip got of=-1; it is a total, >= 0"


NOT_REPLAYABLE = "not replayable: with the same choices made, "
REMEDY = "draw from the chooser only, and do not change the rows"


def test_weights_changed_in_place_are_found() -> None:
    row = [1, 1]

    def program(chooser: Chooser) -> int:
        index = chooser.choose(row, site=(A, 0))
        row[0] += 1
        return index

    assert refusal(program) == (
        f"{NOT_REPLAYABLE}draw 0 was (1, 1) at site a[0] in one run and (2, 1) at site a[0] in another; {REMEDY}"
    )


def test_a_site_that_changes_is_found() -> None:
    step = count()
    text = refusal(lambda chooser: chooser.choose((1, 1), site=(A, next(step))))
    assert (
        text
        == f"{NOT_REPLAYABLE}draw 0 was (1, 1) at site a[0] in one run and (1, 1) at site a[1] in another; {REMEDY}"
    )


def test_a_part_that_changes_is_found() -> None:
    part = count(1)
    text = refusal(lambda chooser: chooser.flip(next(part), 5, site=(A, 0)))
    assert "draw 0 was 1 of 5 at site a[0] in one run and 2 of 5 at site a[0] in another" in text


def test_a_whole_that_changes_is_found() -> None:
    whole = count(2)
    text = refusal(lambda chooser: chooser.flip(1, next(whole), site=(A, 0)))
    assert "draw 0 was 1 of 2 at site a[0] in one run and 1 of 3 at site a[0] in another" in text


def test_a_threshold_that_changes_is_found() -> None:
    below = count(2)
    text = refusal(lambda chooser: chooser.coin(site=(A, 0)) < mpq(1, next(below)))
    assert text == (
        f"{NOT_REPLAYABLE}draw 1 was coin < 1/2 at site a[0] in one run and coin < 1/3 at site a[0] in another; {REMEDY}"
    )


@pytest.mark.parametrize("half", [HALF, mpq(1, 2)], ids=["Fraction", "mpq"])
@pytest.mark.parametrize(("first", "second"), [("<", "<="), ("<=", "<")])
def test_an_open_comparison_that_closes_or_opens_is_found(half: Any, first: str, second: str) -> None:
    operators = iter([first, second])

    def program(chooser: Chooser) -> bool:
        u = chooser.coin(site=(A, 0))
        return bool(u < half if next(operators) == "<" else u <= half)

    text = f"draw 1 was coin {first} 1/2 at site a[0] in one run and coin {second} 1/2 at site a[0] in another"
    assert text in refusal(program)


@pytest.mark.parametrize("half", [HALF, mpq(1, 2)], ids=["Fraction", "mpq"])
def test_a_comparison_of_another_coin_is_found(half: Any) -> None:
    which = count()

    def program(chooser: Chooser) -> bool:
        return bool([chooser.coin(site=(A, 0)), chooser.coin(site=(A, 1))][next(which)] < half)

    text = "draw 2 was coin < 1/2 at site a[0] in one run and coin < 1/2 at site a[1] in another"
    assert text in refusal(program)


def test_a_coin_from_another_site_is_found() -> None:
    step = count()
    text = refusal(lambda chooser: chooser.coin(site=(A, next(step))) < HALF)
    assert "draw 0 was coin at site a[0] in one run and coin at site a[1] in another" in text


def test_another_kind_of_draw_at_the_same_site_is_found() -> None:
    turn = count()

    def program(chooser: Chooser) -> bool:
        return chooser.flip(1, 2, site=(A, 0)) if next(turn) else chooser.choose([1, 1], site=(A, 0)) == 0

    assert refusal(program).startswith(f"{NOT_REPLAYABLE}draw 0 was (1, 1) at site a[0] in one run and ")


def draws_elsewhere_last(chooser: Chooser, elsewhere: Any) -> Any:
    return chooser.flip(1, 2, site=(A, 0)), next(elsewhere)


def test_a_draw_from_elsewhere_after_the_last_choice_is_found() -> None:
    elsewhere = cycle("xy")
    text = refusal(lambda chooser: draws_elsewhere_last(chooser, elsewhere))
    assert text == f"{NOT_REPLAYABLE}one run gave (True, 'x') and another (True, 'y'); {REMEDY}"


def test_it_takes_the_second_run_to_find_a_draw_after_the_last_choice() -> None:
    elsewhere = cycle("xy")
    found = law(lambda chooser: draws_elsewhere_last(chooser, elsewhere), twice=False)
    assert found == {(True, "x"): HALF, (False, "y"): HALF}


DREW_MORE = f"{NOT_REPLAYABLE}one run drew more than another; {REMEDY}"


# Every run draws twice, all but one of the first three.
@pytest.mark.parametrize("turns", ["10111111", "01111111", "11011111"], ids=["fewer", "more", "fewer on the next path"])
def test_runs_of_different_length_are_found(turns: str) -> None:
    elsewhere = cycle(turns)

    def program(chooser: Chooser) -> str:
        chooser.flip(1, 2, site=(A, 0))
        if next(elsewhere) == "1":
            chooser.flip(1, 2, site=(A, 1))
        return "x"

    assert refusal(program) == DREW_MORE


def test_a_second_run_that_never_ends_is_found() -> None:
    first = iter([True])

    def program(chooser: Chooser) -> str:
        chooser.flip(1, 2, site=(A, 0))
        for step in count() if not next(first, False) else ():
            chooser.flip(1, 2, site=(B, step))
        return "x"

    assert refusal(program, limits=Limits(draws=10)).startswith(NOT_REPLAYABLE)


# Limits.


def retry(chooser: Chooser) -> int:
    """Flips until one succeeds: with probability 1/3 each time."""
    return next(step for step in count() if chooser.flip(1, 3, site=(A, step)))


@pytest.mark.parametrize("draws", [1, 2, 5])
def test_the_draws_limit_leaves_exactly_the_mass_of_longer_paths(draws: int) -> None:
    found = enumerate_law(retry, limits=Limits(draws=draws))
    assert found.law.unresolved == Fraction(2, 3) ** draws
    assert found.law.fractions() == {step: Fraction(2, 3) ** step / 3 for step in range(draws)}


def test_the_draws_limit_is_named() -> None:
    found = enumerate_law(retry, limits=Limits(draws=5))
    assert (found.cut, found.paths, found.endless) == ("a path has more than 5 draws", 5, True)


def test_the_paths_limit_leaves_exactly_the_mass_of_later_paths() -> None:
    found = enumerate_law(lambda chooser: chooser.choose([1, 2, 3, 4], site=(A, 0)), limits=Limits(paths=2))
    assert found.law.fractions() == {0: Fraction(1, 10), 1: Fraction(2, 10)}
    assert found.law.unresolved == Fraction(7, 10)


def test_the_paths_limit_is_named() -> None:
    found = enumerate_law(retry, limits=Limits(paths=3))
    assert (found.cut, found.paths, found.endless) == ("stopped after 3 paths", 3, False)
    assert found.law.unresolved == Fraction(8, 27)


def test_a_limit_that_is_just_met_cuts_nothing() -> None:
    found = enumerate_law(
        lambda chooser: [chooser.choose([1, 1], site=(A, k)) for k in range(2)][-1], limits=Limits(paths=4, draws=2)
    )
    assert (found.cut, found.endless, found.law.unresolved) == (None, False, 0)


def test_comparisons_count_as_draws() -> None:
    def program(chooser: Chooser) -> int:
        u = chooser.coin(site=(A, 0))
        return next(n for n in count(1) if not u < Fraction(1, 2**n))

    found = enumerate_law(program, limits=Limits(draws=4))
    assert found.law.fractions() == {1: HALF, 2: QUARTER, 3: Fraction(1, 8)}


# Boundary mode.


def coin_of(chooser: Chooser) -> Coin:
    return chooser.coin(site=(A, 0))


def test_a_closed_comparison_with_0_reports_the_null_outcome() -> None:
    assert boundary(lambda chooser: coin_of(chooser) <= 0) == ({False: ALL}, frozenset([True]))


def test_an_open_comparison_with_0_reports_none() -> None:
    assert boundary(lambda chooser: coin_of(chooser) < 0) == ({False: ALL}, frozenset())


def test_the_ordinary_mode_reports_no_null_outcome() -> None:
    found = enumerate_law(lambda chooser: coin_of(chooser) <= 0)
    assert (found.null_outcomes, found.paths) == (frozenset(), 1)


@pytest.mark.parametrize(
    ("program", "null"),
    [
        (lambda u: u > 0, {False}),
        (lambda u: -u < 0, {False}),
        (lambda u: u >= 0, set()),
        (lambda u: u < 1, set()),
        (lambda u: u <= 1, set()),
        (lambda u: u >= 1, set()),
        (lambda u: 1 - u <= 0, set()),
        (lambda u: (u < HALF, u <= HALF), {(False, True)}),
        (lambda u: (u <= HALF, u < HALF), {(True, False)}),
        (lambda u: (u < HALF, u < HALF, 2 * u < 1, 1 - u > HALF), set()),
        (lambda u: u < 2 * u, {False}),
    ],
)
def test_null_outcomes_are_those_at_a_threshold(program: Callable[[Coin], Any], null: set[Any]) -> None:
    assert boundary(lambda chooser: program(coin_of(chooser)))[1] == null


def test_null_branches_go_on_drawing() -> None:
    def program(chooser: Chooser) -> Any:
        if chooser.coin(site=(A, 0)) <= 0:
            return "null", chooser.choose([1, 0, 2], site=(B, 0)), chooser.coin(site=(B, 1)) < HALF
        return "all"

    null = {("null", index, side) for index in (0, 2) for side in (True, False)}
    assert boundary(program) == ({"all": ALL}, frozenset(null))


def test_an_outcome_that_also_has_mass_is_not_null() -> None:
    found = boundary(lambda chooser: coin_of(chooser) <= 0 and chooser.flip(1, 2, site=(B, 0)))
    assert found == ({False: ALL}, frozenset([True]))


@pytest.mark.parametrize("closed", [False, True])
def test_half_open_search_of_a_row_with_zeros_reports_none(closed: bool) -> None:
    ends = [Fraction(0), HALF, HALF, Fraction(1), Fraction(1)]

    def program(chooser: Chooser) -> int:
        u = coin_of(chooser)
        return next(k for k, end in enumerate(ends) if (u <= end if closed else u < end))

    assert boundary(program) == ({1: HALF, 3: HALF}, frozenset([0] if closed else []))


# Random programs, against a brute force that cuts the unit square of two coins at every threshold.


@dataclass(frozen=True)
class Leaf:
    outcome: int


@dataclass(frozen=True)
class Choose:
    weights: tuple[Fraction, ...]
    branches: tuple[Tree, ...]


@dataclass(frozen=True)
class Flip:
    part: Fraction
    of: Fraction
    yes: Tree
    no: Tree


@dataclass(frozen=True)
class Compare:
    """scale u + shift against other_scale u + other_shift, for one of two coins; they cross where u is the threshold."""

    which: int
    threshold: Fraction
    scale: Fraction
    shift: Fraction
    other_scale: Fraction
    operator: str
    yes: Tree
    no: Tree

    @property
    def other_shift(self) -> Fraction:
        return (self.scale - self.other_scale) * self.threshold + self.shift

    def holds(self, left: Any, right: Any) -> bool:
        answers: dict[str, Callable[[], Any]] = {
            "<": lambda: left < right,
            "<=": lambda: left <= right,
            ">": lambda: left > right,
            ">=": lambda: left >= right,
        }
        return bool(answers[self.operator]())


Tree = Leaf | Choose | Flip | Compare

FRACTIONS = st.fractions(min_value=-2, max_value=2, max_denominator=3)
WEIGHTS = st.fractions(min_value=0, max_value=2, max_denominator=3)
QUARTERS = st.integers(-1, 5).map(lambda k: Fraction(k, 4))  # few, so that thresholds meet and leave the unit interval
KINDS = ("leaf", "choose", "flip", "compare", "compare", "compare", "compare")


@st.composite
def trees(draw: st.DrawFn, depth: int = 4) -> Tree:
    kind = draw(st.sampled_from(KINDS)) if depth else "leaf"
    if kind == "leaf":
        return Leaf(draw(st.integers(0, 9)))
    if kind == "choose":
        weights = draw(st.lists(WEIGHTS, min_size=1, max_size=3).filter(any))
        return Choose(tuple(weights), tuple(draw(trees(depth - 1)) for _ in weights))
    yes, no = draw(trees(depth - 1)), draw(trees(depth - 1))
    if kind == "flip":
        return Flip(draw(FRACTIONS), draw(WEIGHTS), yes, no)
    plain = draw(st.booleans())
    scale, shift, other_scale = (
        [Fraction(1), Fraction(0), Fraction(0)] if plain else [draw(FRACTIONS) for _ in range(3)]
    )
    operator = draw(st.sampled_from(["<", "<=", ">", ">="]))
    return Compare(draw(st.integers(0, 1)), draw(QUARTERS), scale, shift, other_scale, operator, yes, no)


def running(tree: Tree) -> Program:
    def program(chooser: Chooser) -> int:
        coins = [chooser.coin(site=(B, which)) for which in range(2)]
        node = tree
        for step in count():
            if isinstance(node, Leaf):
                return node.outcome
            if isinstance(node, Choose):
                node = node.branches[chooser.choose(node.weights, site=(A, step))]
            elif isinstance(node, Flip):
                node = node.yes if chooser.flip(node.part, node.of, site=(A, step)) else node.no
            else:
                u = coins[node.which]
                right = u * node.other_scale + node.other_shift if node.other_scale else node.other_shift
                node = node.yes if node.holds(node.scale * u + node.shift, right) else node.no
        raise AssertionError

    return program


def thresholds(tree: Tree, which: int) -> set[Fraction]:
    if isinstance(tree, Leaf):
        return set()
    if isinstance(tree, Choose):
        return set[Fraction]().union(*(thresholds(branch, which) for branch in tree.branches))
    found = thresholds(tree.yes, which) | thresholds(tree.no, which)
    crosses = isinstance(tree, Compare) and tree.which == which and 0 < tree.threshold < 1
    return found | {tree.threshold} if isinstance(tree, Compare) and crosses else found


def given_coins(tree: Tree, coins: tuple[Fraction, Fraction]) -> dict[int, Fraction]:
    """The law of the outcome at two known coins."""
    if isinstance(tree, Leaf):
        return {tree.outcome: Fraction(1)}
    if isinstance(tree, Choose):
        parts = [
            (weight / sum(tree.weights), branch) for weight, branch in zip(tree.weights, tree.branches, strict=True)
        ]
    elif isinstance(tree, Flip):
        chance = Fraction(tree.part > 0) if tree.part <= 0 or tree.part >= tree.of else tree.part / tree.of
        parts = [(chance, tree.yes), (1 - chance, tree.no)]
    else:
        u = coins[tree.which]
        holds = tree.holds(tree.scale * u + tree.shift, tree.other_scale * u + tree.other_shift)
        parts = [(Fraction(1), tree.yes if holds else tree.no)]
    total: dict[int, Fraction] = {}
    for share, branch in parts:
        for outcome, mass in given_coins(branch, coins).items() if share else ():
            total[outcome] = total.get(outcome, Fraction(0)) + share * mass
    return total


Piece = tuple[Fraction, Fraction]
"""A coin and the length of what it stands for."""


def pieces(tree: Tree, which: int) -> list[Piece]:
    """The middle of every interval between thresholds, and every threshold with length 0."""
    ends = [Fraction(0), *sorted(thresholds(tree, which)), Fraction(1)]
    return [((a + b) / 2, b - a) for a, b in pairwise(ends)] + [(end, Fraction(0)) for end in ends[:-1]]


def brute_law(tree: Tree) -> dict[int, Fraction]:
    """The mass of every outcome that some pair of coins leads to, also of those with mass 0."""
    total: dict[int, Fraction] = {}
    for (u, width), (v, height) in product(pieces(tree, 0), pieces(tree, 1)):
        for outcome, mass in given_coins(tree, (u, v)).items():
            total[outcome] = total.get(outcome, Fraction(0)) + width * height * mass
    return total


@settings(max_examples=120, deadline=None, derandomize=True)
@given(trees())
def test_the_law_of_a_random_program_is_the_brute_force_law(tree: Tree) -> None:
    found = enumerate_law(running(tree)).law
    assert found.fractions() == {outcome: mass for outcome, mass in brute_law(tree).items() if mass}
    assert found.total == 1


@settings(max_examples=120, deadline=None, derandomize=True)
@given(trees())
def test_the_boundary_mode_finds_the_same_law_and_every_null_outcome(tree: Tree) -> None:
    masses, null = boundary(running(tree))
    brute = brute_law(tree)
    assert masses == law(running(tree))
    assert null == {outcome for outcome, mass in brute.items() if not mass}
