"""Number types: exact rationals inside, one type per object, and no silent way from one to the other.

Exact numbers are `gmpy2.mpq`, equal to and hashed like `fractions.Fraction`. Floats are float64.
Anything else that adds and multiplies (a flint polynomial, a sympy expression) is symbolic.
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import gmpy2
import numpy as np

from tevtheory.errors import InputError

mpq = gmpy2.mpq
ZERO = mpq(0)
ONE = mpq(1)

_MPQ: type = type(ZERO)
_MPZ: type = type(gmpy2.mpz(0))
_EXACT_TYPES = (_MPQ, _MPZ, Fraction, int, np.integer)
_MPFR: type = type(gmpy2.mpfr(0))
_NO_SYMBOL = (bool, complex, bytes, Decimal, Sequence, np.generic, np.ndarray, _MPFR)
_RATIONAL = re.compile(r"\s*[+-]?\d+(\s*/\s*\d+|\.\d+)?\s*\Z", re.ASCII)


class Kind(enum.Enum):
    """The number type of an object: all of its weights have it."""

    EXACT = "exact"
    FLOAT = "float"
    SYMBOLIC = "symbolic"


def exact(value: Any, where: str = "number") -> Any:
    """Lift an int, Fraction, mpq or a string such as "1/3" or "0.25" to `gmpy2.mpq`; raise InputError on all else.

    >>> exact("1/3") == Fraction(1, 3)
    True
    >>> exact(0.5)
    Traceback (most recent call last):
    tevtheory.errors.InputError: number: expected an exact number, got the float 0.5; write it as a Fraction or a \
string such as "1/2"
    """
    if type(value) is _MPQ:
        return value
    if isinstance(value, _EXACT_TYPES) and not isinstance(value, bool):
        return mpq(int(value)) if isinstance(value, np.integer) else mpq(value)
    if isinstance(value, str):
        return _read(value, where)
    got = f"the {type(value).__name__} {value!r}"
    raise InputError("an exact number", got, where, 'write it as a Fraction or a string such as "1/2"')


def _read(text: str, where: str) -> Any:
    if _RATIONAL.match(text):
        try:
            return mpq("".join(text.split()).removeprefix("+"))
        except ZeroDivisionError:
            pass
    raise InputError("a fraction", f"the text {text!r}", where, 'write it like "1/3", "2" or "0.25"')


def exact_float(value: Any) -> Any:
    """The rational that a finite float stands for; raise InputError on NaN and infinity.

    >>> print(exact_float(0.375))
    3/8
    """
    if not math.isfinite(value):
        raise InputError("a finite number", f"the float {float(value)!r}", "number", "give finite numbers")
    above, below = float(value).as_integer_ratio()
    return mpq(above, below)


def is_exact(value: Any) -> bool:
    """Whether the value is of the one exact type used inside, `gmpy2.mpq`."""
    return type(value) is _MPQ


def fraction(value: Any) -> Fraction:
    """Give an exact number as the standard library's Fraction.

    >>> fraction(exact("2/6"))
    Fraction(1, 3)
    """
    lifted = exact(value)
    return Fraction(int(lifted.numerator), int(lifted.denominator))


def kind_of(value: Any) -> Kind:
    """The kind a single number has, before any lifting."""
    if isinstance(value, (*_EXACT_TYPES, str)):
        return Kind.EXACT
    return Kind.FLOAT if isinstance(value, (float, np.floating)) else Kind.SYMBOLIC


def common_kind(values: Iterable[Any], where: str) -> Kind:
    """The one kind of all values; raise InputError if two kinds meet (nothing is converted silently)."""
    found: dict[Kind, Any] = {}
    for value in values:
        found.setdefault(kind_of(value), value)
    if Kind.SYMBOLIC in found and Kind.FLOAT not in found:
        return Kind.SYMBOLIC  # 0 and 1 may stand beside symbols
    if len(found) > 1:
        raise InputError(
            "numbers of one type",
            " and ".join(f"{kind.value} ({value!r})" for kind, value in found.items()),
            where,
            "write all of them as fractions, or all as floats",
        )
    return next(iter(found), Kind.EXACT)


def lift(values: Sequence[Any], where: str) -> tuple[Kind, tuple[Any, ...]]:
    """Lift a sequence to one number type and refuse negative, NaN and infinite entries.

    Returns the kind and the lifted values: mpq, Python floats, or the symbols as they came.
    """
    kind = common_kind(values, where)
    if kind is Kind.SYMBOLIC:
        return kind, _symbols(values, where)
    lifted = tuple(
        exact(value, f"{where}, entry {i}") if kind is Kind.EXACT else float(value) for i, value in enumerate(values)
    )
    for i, value in enumerate(lifted):
        _refuse_negative(value, f"{where}, entry {i}")
    return kind, lifted


def _refuse_negative(value: Any, where: str) -> None:
    if not 0 <= value < math.inf:
        raise InputError("a number >= 0", show(value), where, "give a finite weight >= 0")


def _symbols(values: Sequence[Any], where: str) -> tuple[Any, ...]:
    """Check that symbols add and multiply, and turn the exact numbers beside them into the symbols' type."""
    checked = list(values)
    for i, value in enumerate(values):
        adds = hasattr(value, "__add__") and hasattr(value, "__mul__")
        symbolic = kind_of(value) is Kind.SYMBOLIC or isinstance(value, bool)
        if symbolic and (not adds or isinstance(value, _NO_SYMBOL)):
            got = f"the {type(value).__name__} {value!r}"
            raise InputError("a number", got, f"{where}, entry {i}", "give an exact number, a float or a symbol")
        if not symbolic:
            checked[i] = exact(value, f"{where}, entry {i}")
            _refuse_negative(checked[i], f"{where}, entry {i}")
    return as_symbols(checked, next(value for value in values if kind_of(value) is Kind.SYMBOLIC))


def as_symbols(values: Iterable[Any], symbol: Any) -> tuple[Any, ...]:
    """Exact numbers as constants of a symbol's type; symbols stay as they are.

    >>> import sympy
    >>> as_symbols(["1/2"], sympy.Symbol("p"))
    (1/2,)
    """

    def constant(value: Any) -> Any:
        lifted = exact(value)
        return (symbol * 0 + int(lifted.numerator)) / int(lifted.denominator)

    return tuple(value if kind_of(value) is Kind.SYMBOLIC else constant(value) for value in values)


def brief(value: Any) -> str:
    """Text of a number for a sentence: a fraction of more than 40 characters is given as a decimal.

    >>> brief(exact("3/4")), brief(exact(1) / 3**90)
    ('3/4', 'about 1.14574e-43')
    """
    text = show(value)
    return text if len(text) <= 40 else f"about {float(value):.6g}"


def show(value: Any) -> str:
    """Text of a number: fractions as "3/4", floats with 12 digits.

    >>> show(exact("6/8")), show(0.1)
    ('3/4', '0.1')
    """
    return format(value, ".12g") if isinstance(value, (float, np.floating)) else str(value)
