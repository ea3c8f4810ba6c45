from __future__ import annotations

from collections import Counter
from decimal import Decimal
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
from tevtheory.errors import InputError, TevError
from tevtheory.weights import Kind, common_kind, exact, fraction, is_exact, kind_of, lift, show

X = sympy.Symbol("x")
P = flint.fmpq_poly([0, 1])

EXACT = 'write it as a Fraction or a string such as "1/2"'
TEXT = 'write it like "1/3", "2" or "0.25"'
SYMBOL = "give an exact number, a float or a symbol"
ONE_TYPE = "write all of them as fractions, or all as floats"
FINITE = "give a finite weight >= 0"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, Fraction(3)),
        (0, Fraction(0)),
        (-3, Fraction(-3)),
        (2**100, Fraction(2**100)),
        (Fraction(2, 6), Fraction(1, 3)),
        (np.int64(3), Fraction(3)),
        (np.int8(-3), Fraction(-3)),
        (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
        (gmpy2.mpz(3), Fraction(3)),
        (gmpy2.mpq(2, 6), Fraction(1, 3)),
        ("1/3", Fraction(1, 3)),
        ("2/6", Fraction(1, 3)),
        ("-1/3", Fraction(-1, 3)),
        ("+1/3", Fraction(1, 3)),
        ("+2", Fraction(2)),
        ("+0.25", Fraction(1, 4)),
        (" 2 ", Fraction(2)),
        (" 1 / 3 ", Fraction(1, 3)),
        ("\t1/3\n", Fraction(1, 3)),
        ("0.25", Fraction(1, 4)),
        ("0.10", Fraction(1, 10)),
        ("-0.5", Fraction(-1, 2)),
        ("007", Fraction(7)),
        (np.str_("1/3"), Fraction(1, 3)),
        ("1" * 5000, Fraction((10**5000 - 1) // 9)),
    ],
)
def test_exact_numbers_are_lifted_without_change(value: Any, expected: Fraction) -> None:
    assert exact(value) == expected


@pytest.mark.parametrize("value", [3, Fraction(1, 3), np.int64(3), gmpy2.mpz(3), gmpy2.mpq(1, 3), "1/3", " 2 ", "0.25"])
def test_a_lifted_number_has_the_one_exact_type(value: Any) -> None:
    assert is_exact(exact(value))


@pytest.mark.parametrize("value", [3, Fraction(1, 3), gmpy2.mpz(3), "1/3", 0.5, X])
def test_only_mpq_is_of_the_exact_type(value: Any) -> None:
    assert not is_exact(value)


def test_an_mpq_is_given_back_as_it_is() -> None:
    value = gmpy2.mpq(1, 3)
    assert exact(value) is value


@steady
@given(st.fractions())
def test_lifted_numbers_equal_their_fractions(value: Fraction) -> None:
    assert exact(value) == value


@steady
@given(st.fractions())
def test_lifted_numbers_hash_like_their_fractions(value: Fraction) -> None:
    assert hash(exact(value)) == hash(value)


@steady
@given(st.fractions())
def test_the_text_of_a_fraction_is_read_back(value: Fraction) -> None:
    assert exact(str(value)) == value


@steady
@given(st.fractions())
def test_fraction_inverts_exact(value: Fraction) -> None:
    assert fraction(exact(value)) == value


def test_fraction_gives_the_standard_librarys_type() -> None:
    assert type(fraction("2/6")) is Fraction


def test_fraction_holds_python_integers() -> None:
    assert type(fraction(gmpy2.mpq(1, 3)).denominator) is int


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (0.5, "the float 0.5"),
        (1.0, "the float 1.0"),
        (float("nan"), "the float nan"),
        (float("inf"), "the float inf"),
        (np.float64(0.5), "the float64 np.float64(0.5)"),
        (gmpy2.mpfr("0.5"), "the mpfr mpfr('0.5')"),
        (Decimal("0.5"), "the Decimal Decimal('0.5')"),
        (True, "the bool True"),
        (False, "the bool False"),
        (np.bool_(True), "the bool np.True_"),
        (1j, "the complex 1j"),
        (None, "the NoneType None"),
        (b"1", "the bytes b'1'"),
        ([1], "the list [1]"),
        (np.array(3), "the ndarray array(3)"),
        (X, "the Symbol x"),
    ],
)
def test_what_is_not_exact_is_refused(value: Any, got: str) -> None:
    with pytest.raises(InputError) as caught:
        exact(value, "here")
    assert str(caught.value) == f"here: expected an exact number, got {got}; {EXACT}"


@pytest.mark.parametrize(
    "text",
    [
        "1/0",
        "0/0",
        "x",
        "",
        " ",
        "nan",
        "inf",
        "1e3",
        ".5",
        "5.",
        "1/-3",
        "1//3",
        "0.5/2",
        "1_000",
        "- 1",
        "1 2",
        "1,5",
    ],
)
def test_text_that_is_no_fraction_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        exact(text, "here")
    assert str(caught.value) == f"here: expected a fraction, got the text {text!r}; {TEXT}"


@pytest.mark.parametrize(
    "text", ["²", "\N{ARABIC-INDIC DIGIT THREE}", "1\N{NO-BREAK SPACE}/3", "\N{FULLWIDTH DIGIT ONE}"]
)
def test_digits_and_blanks_outside_ascii_are_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        exact(text, "here")
    assert str(caught.value) == f"here: expected a fraction, got the text {text!r}; {TEXT}"


def test_the_place_is_called_number_by_default() -> None:
    with pytest.raises(InputError) as caught:
        exact(0.5)
    assert caught.value.where == "number"


def test_an_input_error_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="expected a fraction"):
        exact("x")


def test_an_input_error_is_a_tev_error() -> None:
    with pytest.raises(TevError):
        exact("x")


def test_an_input_error_keeps_its_four_parts() -> None:
    error = InputError("a", "b", "c", "d")
    assert (error.expected, error.got, error.where, error.remedy) == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (1, Kind.EXACT),
        (Fraction(1, 2), Kind.EXACT),
        (np.int64(1), Kind.EXACT),
        (gmpy2.mpz(1), Kind.EXACT),
        (gmpy2.mpq(1, 2), Kind.EXACT),
        ("1/2", Kind.EXACT),
        (0.5, Kind.FLOAT),
        (np.float32(0.5), Kind.FLOAT),
        (np.float64(0.5), Kind.FLOAT),
        (X, Kind.SYMBOLIC),
        (P, Kind.SYMBOLIC),
    ],
)
def test_the_kind_of_a_number(value: Any, kind: Kind) -> None:
    assert kind_of(value) is kind


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([], Kind.EXACT),
        ([1, "1/2", Fraction(1, 2)], Kind.EXACT),
        ([0.5, np.float32(0.5)], Kind.FLOAT),
        ([X, 1 - X], Kind.SYMBOLIC),
        ([0, X], Kind.SYMBOLIC),
        ([P, 1], Kind.SYMBOLIC),
        ([Fraction(1, 2), X], Kind.SYMBOLIC),
    ],
)
def test_the_common_kind(values: list[Any], kind: Kind) -> None:
    assert common_kind(values, "here") is kind


@pytest.mark.parametrize(
    ("values", "got"),
    [
        ([0.5, "1/2"], "float (0.5) and exact ('1/2')"),
        (["1/2", 0.5], "exact ('1/2') and float (0.5)"),
        ([1, 0.0], "exact (1) and float (0.0)"),
        ([X, 0.5], "symbolic (x) and float (0.5)"),
        ([0.5, 1, X], "float (0.5) and exact (1) and symbolic (x)"),
    ],
)
def test_two_kinds_do_not_meet(values: list[Any], got: str) -> None:
    with pytest.raises(InputError) as caught:
        lift(values, "here")
    assert str(caught.value) == f"here: expected numbers of one type, got {got}; {ONE_TYPE}"


def test_exact_values_are_lifted_together() -> None:
    values = (Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(0))
    assert lift([1, "1/2", Fraction(1, 3), np.int64(0)], "here") == (Kind.EXACT, values)


def test_exact_values_all_become_mpq() -> None:
    assert all(map(is_exact, lift([1, "1/2", Fraction(1, 3), np.int64(0)], "here")[1]))


def test_floats_keep_their_values() -> None:
    assert lift([0.1, np.float64(0.2)], "here") == (Kind.FLOAT, (0.1, 0.2))


def test_numpy_floats_become_python_floats() -> None:
    assert [type(value) for value in lift([np.float32(0.5), np.float64(0.5)], "here")[1]] == [float, float]


@pytest.mark.parametrize("values", [(X, 1 - X), (P, 1 - P)])
def test_symbols_are_kept_as_they_came(values: tuple[Any, ...]) -> None:
    assert lift(values, "here") == (Kind.SYMBOLIC, values)


@pytest.mark.parametrize("half", ["1/2", Fraction(1, 2), gmpy2.mpq(1, 2), "0.5"])
def test_an_exact_number_beside_a_sympy_symbol_stays_exact(half: Any) -> None:
    x, lifted = lift([X, half], "here")[1]
    assert x * lifted == X / 2


@pytest.mark.parametrize("half", ["1/2", Fraction(1, 2), gmpy2.mpq(1, 2), "0.5"])
def test_an_exact_number_beside_a_flint_polynomial_computes_with_it(half: Any) -> None:
    p, lifted = lift([P, half], "here")[1]
    assert p * lifted == P / 2


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, "-1/2"], f"here, entry 1: expected a number >= 0, got -1/2; {FINITE}"),
        ([-1], f"here, entry 0: expected a number >= 0, got -1; {FINITE}"),
        ([0.5, -0.5], f"here, entry 1: expected a number >= 0, got -0.5; {FINITE}"),
        ([float("nan")], f"here, entry 0: expected a number >= 0, got nan; {FINITE}"),
        ([0.5, float("inf")], f"here, entry 1: expected a number >= 0, got inf; {FINITE}"),
        ([-float("inf")], f"here, entry 0: expected a number >= 0, got -inf; {FINITE}"),
        ([1, True], f"here, entry 1: expected an exact number, got the bool True; {EXACT}"),
        (["1/2", "x"], f"here, entry 1: expected a fraction, got the text 'x'; {TEXT}"),
        (["1/0"], f"here, entry 0: expected a fraction, got the text '1/0'; {TEXT}"),
        ([None, 1], f"here, entry 0: expected a number, got the NoneType None; {SYMBOL}"),
        ([X, True], f"here, entry 1: expected a number, got the bool True; {SYMBOL}"),
        ([X, "x"], f"here, entry 1: expected a fraction, got the text 'x'; {TEXT}"),
        ([P, "1/0"], f"here, entry 1: expected a fraction, got the text '1/0'; {TEXT}"),
        ([X, "-1/2"], f"here, entry 1: expected a number >= 0, got -1/2; {FINITE}"),
        ([X, 1j], f"here, entry 1: expected a number, got the complex 1j; {SYMBOL}"),
        ([b"1"], f"here, entry 0: expected a number, got the bytes b'1'; {SYMBOL}"),
        ([{}], f"here, entry 0: expected a number, got the dict {{}}; {SYMBOL}"),
        ([Counter()], f"here, entry 0: expected a number, got the Counter Counter(); {SYMBOL}"),
    ],
)
def test_a_wrong_entry_is_named(values: list[Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        lift(values, "here")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("value", "got"),
    [
        ([1], "the list [1]"),
        ((1,), "the tuple (1,)"),
        (np.array([1]), "the ndarray array([1])"),
        (np.bool_(True), "the bool np.True_"),
        (np.complex64(1), "the complex64 np.complex64(1+0j)"),
        (Decimal("0.5"), "the Decimal Decimal('0.5')"),
        (gmpy2.mpfr("0.5"), "the mpfr mpfr('0.5')"),
    ],
)
def test_what_only_adds_and_multiplies_by_accident_is_no_symbol(value: Any, got: str) -> None:
    with pytest.raises(InputError) as caught:
        lift([value], "here")
    assert str(caught.value) == f"here, entry 0: expected a number, got {got}; {SYMBOL}"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (gmpy2.mpq(6, 8), "3/4"),
        (gmpy2.mpq(4, 2), "2"),
        (Fraction(-1, 2), "-1/2"),
        (0.1, "0.1"),
        (1 / 3, "0.333333333333"),
        (np.float32(1 / 3), "0.333333343267"),
        (X, "x"),
    ],
)
def test_the_text_of_a_number(value: Any, text: str) -> None:
    assert show(value) == text
