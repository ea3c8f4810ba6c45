from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import gmpy2
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from tests.interop.test_layouts import steady
from tevtheory.errors import InputError
from tevtheory.laws import Law
from tevtheory.weights import is_exact

X = sympy.Symbol("x")
P = flint.fmpq_poly([0, 1])
HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
ONE_TYPE = "write all of them as fractions, or all as floats"


@st.composite
def laws(draw: st.DrawFn) -> Law[int]:
    weights = draw(st.dictionaries(st.integers(0, 5), st.integers(0, 6), max_size=6))
    total = sum(weights.values()) + draw(st.integers(0, 3))
    return Law({outcome: Fraction(weight, total or 1) for outcome, weight in weights.items()})


@pytest.mark.parametrize("half", ["1/2", "0.5", HALF, gmpy2.mpq(1, 2)])
def test_exact_masses_are_lifted(half: Any) -> None:
    assert is_exact(Law({"a": half})["a"])


@pytest.mark.parametrize("half", ["1/2", "0.5", HALF, gmpy2.mpq(1, 2)])
def test_exact_masses_keep_their_value(half: Any) -> None:
    assert Law({"a": half, "b": "1/4"}) == Law({"a": HALF, "b": QUARTER})


def test_float_masses_stay_floats() -> None:
    assert [type(mass) for mass in Law({"a": 0.5, "b": np.float32(0.25)}).values()] == [float, float]


def test_symbolic_masses_are_kept() -> None:
    assert Law({"a": X, "b": 1 - X})["b"] == 1 - X


@pytest.mark.parametrize(
    ("masses", "exact"), [({"a": "1/2"}, True), ({}, True), ({"a": 0.5}, False), ({"a": X, "b": 1 - X}, False)]
)
def test_whether_a_law_is_exact(masses: dict[str, Any], exact: bool) -> None:
    assert Law(masses).is_exact is exact


@pytest.mark.parametrize(
    ("masses", "message"),
    [
        (
            {"a": "1/2", "b": 0.5},
            f"law: expected numbers of one type, got exact ('1/2') and float (0.5); {ONE_TYPE}",
        ),
        ({"a": X, "b": 0.5}, f"law: expected numbers of one type, got symbolic (x) and float (0.5); {ONE_TYPE}"),
        ({"a": 1, "b": "-1/2"}, "law, entry 1: expected a number >= 0, got -1/2; give a finite weight >= 0"),
        ({"a": float("nan")}, "law, entry 0: expected a number >= 0, got nan; give a finite weight >= 0"),
        ({"a": "x"}, """law, entry 0: expected a fraction, got the text 'x'; write it like "1/3", "2" or "0.25\""""),
        ({"a": 1, "b": "1/4"}, "law: expected a total mass of at most 1, got 1/4 more; normalise the masses"),
        ({"a": "2/3", "b": "2/3"}, "law: expected a total mass of at most 1, got 1/3 more; normalise the masses"),
    ],
)
def test_wrong_masses_are_refused(masses: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Law(masses)
    assert str(caught.value) == message


@pytest.mark.parametrize("masses", [{"a": 1, "b": 0}, {"b": "0", "a": 1}, {"a": 1.0, "b": 0.0}])
def test_outcomes_of_mass_zero_are_left_out(masses: dict[str, Any]) -> None:
    assert list(Law(masses)) == ["a"]


def test_outcomes_keep_their_order() -> None:
    assert list(Law({"b": "1/4", "a": "1/2", "c": "1/4"})) == ["b", "a", "c"]


def test_the_length_is_the_number_of_outcomes() -> None:
    assert len(Law({"a": "1/2", "b": 0, "c": "1/4"})) == 2


def test_any_outcome_may_be_asked_for() -> None:
    assert Law({"a": 1})["z"] == 0


def test_an_outcome_without_mass_is_not_in_the_law() -> None:
    law = Law({"a": 1, "b": 0})
    assert ("a" in law, "b" in law) == (True, False)


@pytest.mark.parametrize(
    ("masses", "kind"), [({"a": "1/2"}, type(gmpy2.mpq(0))), ({"a": 0.5}, float), ({}, type(gmpy2.mpq(0)))]
)
def test_the_mass_zero_has_the_laws_type(masses: dict[str, Any], kind: type) -> None:
    assert type(Law(masses)["z"]) is kind


def test_a_law_cannot_be_changed() -> None:
    law: Any = Law({"a": 1})
    with pytest.raises(TypeError):
        law["a"] = HALF


def test_a_law_does_not_follow_its_input() -> None:
    masses = {"a": "1/2"}
    law = Law(masses)
    masses["b"] = "1/2"
    assert law == Law({"a": "1/2"})


@pytest.mark.parametrize(
    ("masses", "total"), [({}, 0), ({"a": 1}, 1), ({"a": "1/2", "b": "1/3"}, Fraction(5, 6)), ({"a": 0.5}, 0.5)]
)
def test_the_total(masses: dict[str, Any], total: Any) -> None:
    assert Law(masses).total == total


@pytest.mark.parametrize(
    ("masses", "missing"), [({}, 1), ({"a": 1}, 0), ({"a": "1/2", "b": "1/3"}, Fraction(1, 6)), ({"a": 0.75}, 0.25)]
)
def test_unresolved_mass_is_what_is_missing_to_one(masses: dict[str, Any], missing: Any) -> None:
    assert Law(masses).unresolved == missing


def test_unresolved_mass_of_symbols() -> None:
    assert Law({"a": P, "b": P}).unresolved == 1 - 2 * P


def test_fractions_are_the_standard_librarys() -> None:
    assert [type(mass) for mass in Law({"a": "1/2"}).fractions().values()] == [Fraction]


def test_fractions_have_the_masses() -> None:
    assert Law({"a": "1/2", "b": "1/3"}).fractions() == {"a": HALF, "b": THIRD}


def test_floats_are_not_given_as_fractions() -> None:
    with pytest.raises(InputError) as caught:
        Law({"a": 0.5}).fractions()
    assert caught.value.got == "the float 0.5"


def test_laws_are_equal_in_any_order() -> None:
    assert Law({"a": "1/2", "b": "1/4"}) == Law({"b": "1/4", "a": "1/2"})


def test_mass_zero_makes_no_difference() -> None:
    assert Law({"a": 1, "b": 0}) == Law({"a": 1})


@pytest.mark.parametrize("other", [{"a": "1/2"}, {"a": "1/2", "b": "1/4"}, {"a": "1/2", "c": "1/2"}, {}])
def test_laws_of_other_masses_are_not_equal(other: dict[str, Any]) -> None:
    assert Law(other) != Law({"a": "1/2", "b": "1/2"})


def test_a_law_is_not_equal_to_a_dictionary() -> None:
    assert Law({"a": HALF, "b": HALF}) != {"a": HALF, "b": HALF}


@steady
@given(laws())
def test_equal_laws_hash_alike(law: Law[int]) -> None:
    assert hash(law) == hash(Law(dict(reversed(law.fractions().items()))))


@pytest.mark.parametrize(
    ("masses", "text"),
    [
        ({"a": "1/2", "b": "1/2"}, "Law({'a': 1/2, 'b': 1/2})"),
        ({"a": "1/2", "b": "1/4"}, "Law({'a': 1/2, 'b': 1/4}, unresolved=1/4)"),
        ({}, "Law({}, unresolved=1)"),
        ({"a": 0.25}, "Law({'a': 0.25})"),
        ({"a": X}, "Law({'a': x})"),
    ],
)
def test_the_repr_of_a_law(masses: dict[str, Any], text: str) -> None:
    assert repr(Law(masses)) == text


def test_a_map_adds_the_masses_of_one_image() -> None:
    assert Law({"ab": "1/2", "b": "1/4", "cd": "1/4"}).map(len) == Law({2: "3/4", 1: "1/4"})


def test_a_map_of_symbols_adds_them() -> None:
    assert Law({"ab": P, "b": 1 - 2 * P, "cd": P}).map(len)[2] == 2 * P


@steady
@given(laws())
def test_a_map_keeps_the_unresolved_mass(law: Law[int]) -> None:
    assert law.map(lambda outcome: outcome % 2).unresolved == law.unresolved


@steady
@given(laws())
def test_maps_compose(law: Law[int]) -> None:
    assert law.map(lambda outcome: outcome // 2).map(lambda outcome: outcome % 2) == law.map(
        lambda outcome: outcome // 2 % 2
    )


@pytest.mark.parametrize(
    ("masses", "mean"),
    [
        ({"ab": "1/2", "b": "1/4", "cde": "1/4"}, 2),
        ({"ab": "1/2"}, 1),
        ({}, 0),
        ({"ab": 0.5, "b": 0.25}, 1.25),
        ({"ab": X, "b": 1 - X}, 1 + X),
    ],
)
def test_the_mean_is_over_the_resolved_mass(masses: dict[str, Any], mean: Any) -> None:
    assert Law(masses).mean(len) == mean


def test_the_mean_of_an_exact_law_is_exact() -> None:
    assert is_exact(Law({"ab": "1/2", "b": "1/2"}).mean(len))


@steady
@given(laws())
def test_the_mean_of_one_is_the_total(law: Law[int]) -> None:
    assert law.mean(lambda _: 1) == law.total


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ({0: 1}, {0: 1}, 0),
        ({0: 1}, {1: 1}, 1),
        ({0: "1/2", 1: "1/2"}, {0: "3/4", 2: "1/4"}, HALF),
        ({0: "1/2"}, {0: "1/2", 1: "1/2"}, HALF),
        ({0: "1/2"}, {0: "1/4"}, QUARTER),
        ({0: "1/2"}, {1: "1/2"}, HALF),
        ({}, {0: 1}, 1),
        ({}, {}, 0),
        ({0: 0.5, 1: 0.5}, {0: 0.75, 2: 0.25}, 0.5),
    ],
)
def test_total_variation(a: dict[int, Any], b: dict[int, Any], distance: Any) -> None:
    assert Law(a).total_variation(Law(b)) == distance


@steady
@given(laws(), laws())
def test_total_variation_is_the_largest_gap_of_an_event(a: Law[int], b: Law[int]) -> None:
    gaps = [*(a[outcome] - b[outcome] for outcome in range(6)), a.unresolved - b.unresolved]
    assert a.total_variation(b) == sum(gap for gap in gaps if gap > 0)


@steady
@given(laws(), laws())
def test_total_variation_is_symmetric(a: Law[int], b: Law[int]) -> None:
    assert a.total_variation(b) == b.total_variation(a)


@steady
@given(laws(), laws(), laws())
def test_total_variation_has_the_triangle_inequality(a: Law[int], b: Law[int], c: Law[int]) -> None:
    assert a.total_variation(c) <= a.total_variation(b) + b.total_variation(c)


@steady
@given(laws(), laws())
def test_total_variation_is_zero_for_equal_laws_only(a: Law[int], b: Law[int]) -> None:
    assert (a.total_variation(b) == 0) == (a == b)


@steady
@given(laws(), laws())
def test_total_variation_is_at_most_one(a: Law[int], b: Law[int]) -> None:
    assert a.total_variation(b) <= 1


@steady
@given(laws(), laws())
def test_a_map_brings_laws_no_further_apart(a: Law[int], b: Law[int]) -> None:
    assert a.map(lambda outcome: outcome % 3).total_variation(b.map(lambda outcome: outcome % 3)) <= a.total_variation(
        b
    )


def test_total_variation_of_exact_laws_is_exact() -> None:
    assert is_exact(Law({0: "1/2"}).total_variation(Law({1: "1/3"})))


def test_an_empty_law_computes_exactly() -> None:
    law: Law[str] = Law({})
    assert all(map(is_exact, (law.total, law.unresolved, law.mean(len), law.total_variation(law))))


def test_total_variation_of_float_laws_is_a_float() -> None:
    assert type(Law({0: 0.5, 1: 0.5}).total_variation(Law({0: 0.5, 2: 0.5}))) is float


@pytest.mark.parametrize(("a", "b"), [({0: 0.5}, {}), ({}, {0: 0.5})])
def test_total_variation_of_a_float_law_and_an_empty_one_is_a_float(a: dict[int, Any], b: dict[int, Any]) -> None:
    assert type(Law(a).total_variation(Law(b))) is float


def test_total_variation_of_symbols() -> None:
    distance = Law({0: X, 1: 1 - X}).total_variation(Law({0: 1 - X, 1: X}))
    assert distance.subs(X, sympy.Rational(1, 3)) == sympy.Rational(1, 3)


def test_total_variation_converts_no_floats() -> None:
    with pytest.raises(InputError) as caught:
        Law({0: 0.5, 1: 0.5}).total_variation(Law({0: "1/2", 1: "1/2"}))
    got = "float (0.5) and exact (mpq(1,2))"
    assert str(caught.value) == f"two laws: expected numbers of one type, got {got}; {ONE_TYPE}"


def test_trusted_masses_are_wrapped() -> None:
    assert Law.trusted({"a": gmpy2.mpq(1, 2)}) == Law({"a": "1/2"})
