from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tevtheory.choices import Chooser, SamplingChooser, Site, Slot, TapeChooser, Verifier, array_tape, enumerate_law
from tevtheory.errors import ContractError, InputError
from tevtheory.laws import Law
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import DraftTree, Exit
from tevtheory.verifiers.catalogue import CATALOGUE
from tevtheory.verifiers.cumulative_thresholds import ACC_BELOW_ONE
from tevtheory.verifiers.nested_intervals import NESTED_INTERVALS
from tevtheory.weights import mpq

U = Slot("u", per="round")
RACE = Slot("race", per="round", kind="race")
BELOW_ONE = 1 - 2**-53
SMALLEST = 5e-324
QUARTERS = [mpq(1, 4), mpq(1, 4), mpq(0), mpq(1, 2), mpq(0)]


def at(u: Any) -> TapeChooser:
    return TapeChooser(lambda _slot, _index: u)


def choose(weights: Sequence[Any], u: Any) -> int:
    return at(u).choose(weights, site=(U, 0))


def flip(part: Any, of: Any, u: Any) -> bool:
    return at(u).flip(part, of, site=(U, 0))


def race(weights: Sequence[Any], times: Any) -> int:
    return at(times).choose(weights, site=(RACE, 0))


# Decision forms.


@pytest.mark.parametrize("number", [mpq, float], ids=["exact", "float"])
@pytest.mark.parametrize(
    ("u", "index"),
    [(0.0, 0), (0.25 - 2**-54, 0), (0.25, 1), (0.5 - 2**-53, 1), (0.5, 3), (BELOW_ONE, 3)],
)
def test_choose_takes_the_first_sum_above_the_mark(number: Callable[[Any], Any], u: float, index: int) -> None:
    assert choose([number(weight) for weight in QUARTERS], u) == index


@pytest.mark.parametrize(("u", "index"), [(0.0, 1), (0.25, 2), (0.75, 2), (BELOW_ONE, 2)])
def test_choose_scales_the_mark_by_the_last_sum(u: float, index: int) -> None:
    assert choose([mpq(0), mpq(3), mpq(9), mpq(0)], u) == choose([0.0, 3.0, 9.0, 0.0], u) == index


def test_choose_falls_back_to_the_last_positive_index_when_the_mark_rounds_to_the_last_sum() -> None:
    weights = [SMALLEST, SMALLEST, 0.0]
    assert 0.9 * sum(weights) == sum(weights)
    assert choose(weights, 0.9) == 1


@pytest.mark.parametrize("total", [1.0, 1 + 2**-52, 3.0, 0.1, 2 - 2**-52, 1e300, 2**-1021])
def test_a_normal_last_sum_is_never_reached(total: float) -> None:
    assert BELOW_ONE * total < total


def test_flip_is_strict() -> None:
    assert [flip(mpq(1, 2), 1, u) for u in (0.5 - 2**-53, 0.5)] == [True, False]


def test_flip_multiplies_by_the_whole() -> None:
    assert [flip(mpq(1, 4), mpq(1, 2), u) for u in (0.5 - 2**-53, 0.5)] == [True, False]


def test_flip_multiplies_floats_in_floats() -> None:
    assert [flip(0.25, 0.5, u) for u in (0.5 - 2**-53, 0.5)] == [True, False]


@pytest.mark.parametrize("number", [mpq, float, int], ids=["exact", "float", "int"])
@pytest.mark.parametrize(("part", "of"), [(0, 1), (0, 0), (-1, 0), (-1, 1)])
def test_no_part_is_false_also_at_u_0(number: Callable[[Any], Any], part: int, of: int) -> None:
    assert flip(number(part), number(of), 0.0) is False


@pytest.mark.parametrize("number", [mpq, float, int], ids=["exact", "float", "int"])
@pytest.mark.parametrize(("part", "of"), [(1, 1), (2, 1), (1, 0)])
def test_the_whole_is_true_also_just_below_1(number: Callable[[Any], Any], part: int, of: int) -> None:
    assert flip(number(part), number(of), BELOW_ONE) is True


def test_a_race_takes_the_largest_weight_over_time() -> None:
    assert race([mpq(1, 4), mpq(1, 2), mpq(1, 4)], [1.0, 4.0, 0.5]) == 2


@pytest.mark.parametrize("number", [mpq, float, int], ids=["exact", "float", "int"])
def test_a_tied_race_goes_to_the_first(number: Callable[[Any], Any]) -> None:
    assert race([number(weight) for weight in (0, 1, 2, 1)], [1.0, 2.0, 4.0, 2.0]) == 1


def test_a_weight_of_0_loses_every_race() -> None:
    assert race([mpq(0), mpq(1, 8)], [1e-300, 1e300]) == 1


def test_an_exact_race_is_not_rounded() -> None:
    assert race([mpq(1, 3) - mpq(1, 10**30), mpq(1, 3)], [1.0, 1.0]) == 1


def test_exact_rows_meet_float_uniforms_exactly() -> None:
    third = 1 / 3  # as a float it lies just below 1/3
    assert (flip(mpq(1, 3), 1, third), flip(1 / 3, 1.0, third)) == (True, False)


def test_choose_on_exact_rows_is_exact() -> None:
    third = 1 / 3
    assert (choose([mpq(1, 3)] * 3, third), choose([1 / 3] * 3, third)) == (0, 1)


@pytest.mark.parametrize("of", [mpq(3), 3], ids=["mpq", "int"])
def test_an_exact_part_of_a_whole_is_exact(of: Any) -> None:
    assert flip(mpq(1), of, 1 / 3) is True


def test_a_coin_scaled_by_an_exact_number_is_exact() -> None:
    assert at(1 / 3).coin(site=(U, 0)) * mpq(3) < mpq(1)


def test_a_coin_scaled_by_a_float_is_rounded_as_the_float_program_does() -> None:
    assert not at(1 / 3).coin(site=(U, 0)) * 3.0 < 1.0


def test_exact_uniforms_are_taken_too() -> None:
    assert [choose(QUARTERS, mpq(k, 8)) for k in range(8)] == [0, 0, 1, 1, 3, 3, 3, 3]


@pytest.mark.parametrize(("part", "of"), [(0.5, mpq(1)), (mpq(1, 2), 1.0)])
def test_a_flip_of_two_number_types_is_refused(part: Any, of: Any) -> None:
    with pytest.raises(InputError, match=r"flip at \(u, 0\): expected numbers of one type, got "):
        flip(part, of, 0.5)


def test_a_row_of_two_number_types_is_refused() -> None:
    with pytest.raises(InputError, match="expected an exact number, got the mpfr"):
        choose([mpq(1, 2), 0.5], 0.5)


# Refusals.


def draw_flip(chooser: Chooser) -> Any:
    return chooser.flip(1, 2, site=(U, 3))


def draw_choose(chooser: Chooser) -> Any:
    return chooser.choose([mpq(1), mpq(1)], site=(U, 3))


def draw_coin(chooser: Chooser) -> Any:
    return chooser.coin(site=(U, 3))


def draw_race(chooser: Chooser) -> Any:
    return chooser.choose([1.0, 1.0], site=(RACE, 3))


every_draw = pytest.mark.parametrize("draw", [draw_flip, draw_choose, draw_coin])


@every_draw
@pytest.mark.parametrize(
    ("u", "shown"), [(1, "1"), (1.0, "1"), (-0.25, "-0.25"), (mpq(5, 4), "5/4"), (float("nan"), "nan")]
)
def test_a_uniform_outside_0_to_1_is_refused(draw: Callable[[Chooser], Any], u: Any, shown: str) -> None:
    with pytest.raises(InputError) as caught:
        draw(at(u))
    text = f"tape at (u, 3): expected a uniform in [0, 1), got {shown}; use floats of at most 1 - 2**-53"
    assert str(caught.value) == text


def race_times(slot: Slot, _index: int) -> Any:
    return [1.0, 1.0] if slot is RACE else 0.5


def sampler(slots: Sequence[Slot] | None = None) -> SamplingChooser:
    return SamplingChooser(np.random.default_rng(0), slots)


def taper(slots: Sequence[Slot] | None = None) -> TapeChooser:
    return TapeChooser(race_times, slots)


every_chooser = pytest.mark.parametrize("make", [sampler, taper])


@every_chooser
@pytest.mark.parametrize("draw", [draw_flip, draw_choose, draw_coin, draw_race])
def test_a_site_drawn_twice_is_refused(make: Callable[..., Chooser], draw: Callable[[Chooser], Any]) -> None:
    chooser = make()
    draw(chooser)
    with pytest.raises(ContractError, match="is drawn twice in one run; give every draw a site of its own"):
        draw(chooser)


@every_chooser
@pytest.mark.parametrize(
    ("draw", "name"), [(draw_flip, "u"), (draw_choose, "u"), (draw_coin, "u"), (draw_race, "race")]
)
def test_an_undeclared_slot_is_refused(make: Callable[..., Chooser], draw: Callable[[Chooser], Any], name: str) -> None:
    with pytest.raises(ContractError, match=f"slot {name} is not declared"):
        draw(make([Slot("other", per="round")]))


@pytest.mark.parametrize("weights", [[], [mpq(0), mpq(0)], [0.0, 0.0]])
def test_choose_needs_a_positive_weight(weights: list[Any]) -> None:
    with pytest.raises(ContractError, match=r"choose got no positive weight; decide that case before drawing"):
        choose(weights, 0.5)


def test_a_race_needs_a_positive_weight() -> None:
    with pytest.raises(ContractError, match=r"choose got no positive weight; decide that case before drawing"):
        race([mpq(0), mpq(0)], [1.0, 1.0])


def test_a_race_needs_one_exponential_per_weight() -> None:
    with pytest.raises(InputError) as caught:
        race([mpq(1), mpq(1), mpq(1)], [1.0, 1.0])
    text = "tape at (race, 0): expected 3 exponentials, one per weight, got 2 exponentials; widen the tape"
    assert str(caught.value) == text


def test_an_array_tape_is_read_by_slot_name_and_index() -> None:
    tape = array_tape({"u": np.array([0.25, 0.75]), "race": np.array([[1.0, 2.0]])})
    assert (tape(U, 1), tape(RACE, 0).tolist()) == (0.75, [1.0, 2.0])


@pytest.mark.parametrize(("slot", "index"), [(U, 2), (U, -1), (RACE, 0)])
def test_an_address_outside_an_array_tape_is_refused(slot: Slot, index: int) -> None:
    with pytest.raises(InputError) as caught:
        array_tape({"u": [0.25, 0.75]})(slot, index)
    text = f"tape: expected a draw at {slot.name}[{index}], got a tape of {{'u': 2}}; lengthen the tape"
    assert str(caught.value) == text


# The sampling chooser reads the generator's uniforms and exponentials in order.


def test_a_sampler_reads_one_uniform_a_draw() -> None:
    sampled, rng = sampler(), np.random.default_rng(0)
    picked = [sampled.choose(QUARTERS, site=(U, k)) for k in range(50)]
    assert picked == [choose(QUARTERS, rng.random()) for _ in range(50)]


def test_a_sampler_reads_one_exponential_a_racer() -> None:
    sampled, rng = sampler(), np.random.default_rng(0)
    picked = [sampled.choose(QUARTERS, site=(RACE, k)) for k in range(50)]
    assert picked == [race(QUARTERS, rng.standard_exponential(5)) for _ in range(50)]


# Every verifier of the catalogue over a grid of tapes. The rows are quarters, so on the midpoints (2k + 1) / 8 each
# draw below is decided as often as it is probable; two verifiers multiply quarters and take a finer grid.

CHAIN = Problem(
    TargetTree(
        DraftTree((-1, 0, 1), (-1, 0, 1)), [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]]
    ),
    [["1", "0", "0"], ["0", "1", "0"], ["1/2", "1/4", "1/4"]],
)
FAN = Problem(
    TargetTree(DraftTree((-1, 0, 0), (-1, 0, 2)), [["1/2", "0", "1/2"], ["1/4", "1/2", "1/4"], ["3/4", "0", "1/4"]]),
    [["1", "0", "0"], ["1/4", "1/2", "1/4"], ["1/4", "1/2", "1/4"]],
)
LEVELS = {NESTED_INTERVALS.name: 16, ACC_BELOW_ONE.name: 8}
TIMES = ([1.0, 1.0, 1.0], [1.0, 2.0, 4.0], [4.0, 2.0, 1.0], [0.5, 1.0, 0.25])
UNIFORM_ONLY = [entry for entry in CATALOGUE if all(slot.kind == "uniform" for slot in entry.slots)]

every_verifier = pytest.mark.parametrize("verifier", CATALOGUE, ids=lambda entry: entry.name)
every_uniform_verifier = pytest.mark.parametrize("verifier", UNIFORM_ONLY, ids=lambda entry: entry.name)
every_problem = pytest.mark.parametrize("problem", [CHAIN, FAN], ids=["chain", "fan"])

Draws = Mapping[Site, Any]


class Unread(Exception):
    """The tape has no draw at this address yet."""

    def __init__(self, site: Site) -> None:
        super().__init__(site)
        self.site = site


def on_tape(verifier: Verifier[Any], problem: Problem, draws: Draws) -> Exit:
    def read(slot: Slot, index: int) -> Any:
        if (slot, index) not in draws:
            raise Unread((slot, index))
        return draws[slot, index]

    return verifier(problem, TapeChooser(read, verifier.slots))


def all_tapes(verifier: Verifier[Any], problem: Problem) -> Iterator[tuple[Draws, Exit]]:
    """Every tape over the grid, as far as it is read, with the exit it gives."""
    levels = LEVELS.get(verifier.name, 4)
    grid = [(2 * k + 1) / (2 * levels) for k in range(levels)]
    pending: list[Draws] = [{}]
    while pending:
        draws = pending.pop()
        try:
            yield draws, on_tape(verifier, problem, draws)
        except Unread as missing:
            options: Sequence[Any] = TIMES if missing.site[0].kind == "race" else grid
            pending.extend({**draws, missing.site: option} for option in options)


def law_of(verifier: Verifier[Any], problem: Problem) -> Law[Exit]:
    plan = verifier.prepare(problem)
    return enumerate_law(lambda chooser: verifier.walk(plan, chooser), slots=verifier.slots).law


def in_floats(problem: Problem) -> Problem:
    target = TargetTree(problem.tree, [np.array([float(weight) for weight in row]) for row in problem.rows])
    return Problem(
        target, [np.array([float(weight) for weight in problem.proposal(v)]) for v in range(problem.tree.size)]
    )


@every_problem
@every_uniform_verifier
def test_all_tapes_together_give_the_enumerated_law(verifier: Verifier[Any], problem: Problem) -> None:
    shares: dict[Exit, Fraction] = {}
    for draws, end in all_tapes(verifier, problem):
        shares[end] = shares.get(end, Fraction(0)) + Fraction(1, LEVELS.get(verifier.name, 4) ** len(draws))
    assert shares == law_of(verifier, problem).fractions()


@every_problem
@every_verifier
def test_float_rows_take_the_decisions_of_exact_rows(verifier: Verifier[Any], problem: Problem) -> None:
    floats = in_floats(problem)
    for draws, end in all_tapes(verifier, problem):
        assert on_tape(verifier, floats, draws) == end


# Sampling: a chi-square test at alpha = 1e-6, its seed and its power fixed with it.

DRAWS, ALPHA = 20_000, 1e-6
FORK = Problem(
    TargetTree(
        DraftTree((-1, 0, 1, 0), (-1, 0, 1, 2)),
        [["1/2", "1/6", "1/3"], ["1/5", "3/5", "1/5"], ["1/3", "1/3", "1/3"], ["2/7", "4/7", "1/7"]],
    ),
    [["1/3", "1/3", "1/3"], ["1/4", "1/2", "1/4"], ["1/3", "1/3", "1/3"], ["1/3", "1/3", "1/3"]],
)


@cache
def sample(verifier: Verifier[Any]) -> Counter[Exit]:
    plan, rng = verifier.prepare(FORK), np.random.default_rng(20260)
    return Counter(verifier.walk(plan, SamplingChooser(rng, verifier.slots)) for _ in range(DRAWS))


def p_value(counts: Counter[Exit], law: Mapping[Exit, Fraction]) -> float:
    expected = {end: DRAWS * float(mass) for end, mass in law.items()}
    assert min(expected.values()) > 20
    statistic = sum((counts[end] - mean) ** 2 / mean for end, mean in expected.items())
    return float(stats.chi2.sf(statistic, len(expected) - 1))


def with_a_thirtieth_moved(law: Mapping[Exit, Fraction]) -> dict[Exit, Fraction]:
    """A wrong law: 1/30 of mass goes from the likeliest exit to the least likely one."""
    largest, smallest = max(law, key=lambda end: law[end]), min(law, key=lambda end: (law[end], end))
    return {**law, largest: law[largest] - Fraction(1, 30), smallest: law[smallest] + Fraction(1, 30)}


@every_verifier
def test_samples_fit_the_enumerated_law(verifier: Verifier[Any]) -> None:
    assert p_value(sample(verifier), law_of(verifier, FORK).fractions()) > ALPHA


@every_verifier
def test_samples_stay_in_the_support_of_the_law(verifier: Verifier[Any]) -> None:
    assert set(sample(verifier)) <= set(law_of(verifier, FORK))


@every_verifier
def test_the_chi_square_test_rejects_a_planted_wrong_law(verifier: Verifier[Any]) -> None:
    planted = with_a_thirtieth_moved(law_of(verifier, FORK).fractions())
    assert p_value(sample(verifier), planted) < ALPHA
