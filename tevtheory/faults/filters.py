"""Faults of kind LT around filters and warpers: the verifier works on another row than the request asks for.

The truth is the processed row. Temperature is replaced by its rational stand-in, squaring.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tevtheory.faults.cases import Emission, Emit, Fault
from tevtheory.faults.notation import TOKEN, blocks, row_of
from tevtheory.targets import Target

Row = Sequence[Any]


def _one_token(row: Row) -> Emit:
    return lambda chooser: (chooser.choose(row, site=(TOKEN, 0)),)


def _token(row: str, target: str) -> Emission:
    """One token drawn from a wrong row."""
    right, wrong = row_of(target), row_of(row)
    return Emission(_one_token(wrong), Target.context_free(right), _one_token(right))


def sharpened(row: Row, stages: int = 1) -> tuple[Any, ...]:
    """Squared and normalised, once a stage: the rational stand-in for a softmax taken once more than it should be.

    >>> [str(weight) for weight in sharpened(row_of("2/3 1/3"))]
    ['4/5', '1/5']
    """
    for _ in range(stages):
        total = sum(weight * weight for weight in row)
        row = [weight * weight / total for weight in row]
    return tuple(row)


def top_k(row: Row, count: int) -> tuple[Any, ...]:
    """The largest `count` weights, normalised.

    >>> [str(weight) for weight in top_k(row_of("1/2 1/4 1/4"), 2)]
    ['2/3', '1/3', '0']
    """
    kept = sorted(range(len(row)), key=lambda x: (-row[x], x))[:count]
    return _normalised([weight if x in kept else weight * 0 for x, weight in enumerate(row)])


def top_p(row: Row, mass: Any) -> tuple[Any, ...]:
    """The fewest largest weights that reach a mass, normalised.

    >>> [str(weight) for weight in top_p(row_of("2/5 2/5 1/5"), Fraction(3, 5))]
    ['1/2', '1/2', '0']
    """
    kept, reached = set(), row[0] * 0
    for x in sorted(range(len(row)), key=lambda x: (-row[x], x)):
        if reached >= mass:
            break
        kept.add(x)
        reached += row[x]
    return _normalised([weight if x in kept else weight * 0 for x, weight in enumerate(row)])


def _normalised(row: Row) -> tuple[Any, ...]:
    return tuple([weight / sum(row) for weight in row])


_RAW = row_of("2/5 1/4 3/20 1/10 1/10")
_NUCLEUS = Fraction(7, 10)


def _both_filters(row: Row) -> tuple[Any, ...]:
    """Top-p measured on the original mass, then the intersection with top-k."""
    by_p, by_k = top_p(row, _NUCLEUS), top_k(row, 3)
    return _normalised([w if p and k else w * 0 for w, p, k in zip(row, by_p, by_k, strict=True)])


def _words(row: Row) -> str:
    return " ".join(str(weight) for weight in row)


def _fault(number: str, title: str, seen_in: str, case: Emission, laws: tuple[str, str]) -> Fault:
    return Fault(number, title, seen_in, "LT", case, blocks(laws[0]), blocks(laws[1]), "law")


_THREE_STAGES = "vllm-project/vllm-ascend PR 6685"

FILTERS = (
    _fault(
        "23",
        "top-p measured after top-k renormalisation in the verifier only",
        "sgl-project/sglang PR 36173",
        _token(_words(top_p(top_k(_RAW, 3), _NUCLEUS)), _words(_both_filters(_RAW))),
        ("a 1/2, b 5/16, c 3/16", "a 8/13, b 5/13"),
    ),
    _fault(
        "24",
        "the request's top-p is not set for the verify rows",
        "mlc-ai/mlc-llm PR 2940",
        _token("2/5 2/5 1/5", _words(top_p(row_of("2/5 2/5 1/5"), Fraction(3, 5)))),
        ("a 1/2, b 1/2", "a 2/5, b 2/5, c 1/5"),
    ),
    _fault(
        "27(i)",
        "a probability row is taken for logits, once",
        _THREE_STAGES,
        _token(_words(sharpened(row_of("2/3 1/3"))), "2/3 1/3"),
        ("a 2/3, b 1/3", "a 4/5, b 1/5"),
    ),
    _fault(
        "27(ii)",
        "a probability row is taken for logits, twice",
        _THREE_STAGES,
        _token(_words(sharpened(row_of("2/3 1/3"), 2)), "2/3 1/3"),
        ("a 2/3, b 1/3", "a 16/17, b 1/17"),
    ),
    _fault(
        "44",
        "no warper at all in the verify path",
        "alipay/PainlessInferenceAcceleration issue 26",
        _token(_words(_RAW), _words(sharpened(top_k(_RAW, 2)))),
        ("a 64/89, b 25/89", "a 2/5, b 1/4, c 3/20, d 1/10, e 1/10"),
    ),
)
