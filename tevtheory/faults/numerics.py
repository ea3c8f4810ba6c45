"""Faults of kind N: boundaries, ties and number formats; of measure 0 or tiny in real arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np

from tevtheory.choices import Chooser
from tevtheory.faults.cases import CoinSource, Emission, Fault, FixedTree, Tie, Walk
from tevtheory.faults.notation import BONUS, COIN, TOKEN, Block, blocks, follow, problem, row_of, without
from tevtheory.targets import Problem, Target
from tevtheory.trees import ROOT, Exit
from tevtheory.weights import ONE, ZERO, mpq

GRID = 8


def _closed(coin: Any, problem: Problem, chooser: Chooser) -> Exit:
    """One level of siblings, taken when `coin <= cumulative`."""
    tree, running, row = problem.tree, ZERO, problem.rows[ROOT]
    for child in tree.children[ROOT]:
        running += row[tree.tokens[child]]
        if coin <= running:
            return Exit(child, chooser.choose(problem.rows[child], site=(BONUS, 0)))
    return Exit(ROOT, chooser.choose(without(row, *tree.child_maps[ROOT]), site=(BONUS, 0)))


def _closed_on_reals(problem: Problem, chooser: Chooser) -> Exit:
    return _closed(chooser.coin(site=(COIN, ROOT)), problem, chooser)


def _closed_on_grid(problem: Problem, chooser: Chooser) -> Exit:
    """The coin is one of 0, 1/8, ..., 7/8."""
    return _closed(mpq(chooser.choose((1,) * GRID, site=(COIN, ROOT)), GRID), problem, chooser)


def _hashed_to_float32() -> float:
    """The largest 32-bit hash over 2^32, both in float32: exactly 1."""
    return float(np.float32(2**32 - 1) / np.float32(2**32))


def _hashed_24_bits() -> float:
    """The upper 24 bits over 2^24: at most 1 - 2^-24."""
    return float(np.float32((2**32 - 1) >> 8) / np.float32(2**24))


def search(row: Sequence[float], coin: float) -> int:
    """Inverse CDF without a guard: the number of cumulative sums that do not exceed the coin, |V| past the last.

    >>> search([0.5, 0.5], 0.75), search([0.5, 0.5], 1.0), search([float("nan"), float("nan")], 0.25)
    (1, 2, 2)
    """
    return sum(not coin < reached for reached in accumulate(row))


_HALVES = (0.5, 0.5)
_NANS = (math.nan, math.nan)
_FAIR = row_of("1/2 1/2")
_FAIR_TARGET = Target.context_free(_FAIR)


def _fair_exit(problem: Problem, chooser: Chooser) -> Exit:
    return Exit(ROOT, chooser.choose(problem.rows[ROOT], site=(TOKEN, ROOT)))


def _fair(chooser: Chooser) -> Block:
    return (chooser.choose(_FAIR, site=(TOKEN, ROOT)),)


def _past_the_vocabulary(_: Problem, __: Chooser) -> Exit:
    return Exit(ROOT, search(_NANS, 0.5))


def _filtered(_: Chooser) -> Block:
    """Ids outside the vocabulary are dropped from the block."""
    return tuple(token for token in [search(_NANS, 0.5)] if token < len(_NANS))


def _tried_again(chooser: Chooser) -> Block:
    """A fresh coin until the id is in the vocabulary."""
    step, token = 0, len(_NANS)
    while token >= len(_NANS):
        chooser.coin(site=(COIN, step))
        step, token = step + 1, search(_NANS, 0.5)
    return (token,)


def _greedy(row: Sequence[Any], last: bool) -> int:
    top = [token for token, weight in enumerate(row) if weight == max(row)]
    return top[-1 if last else 0]


def _at_zero(last: bool) -> Walk:
    """Temperature 0: follow the argmax of every row."""

    def walk(problem: Problem, _: Chooser) -> Exit:
        node = ROOT
        while True:
            token = _greedy(problem.rows[node], last)
            child = problem.tree.child(node, token)
            if child is None:
                return Exit(node, token)
            node = child

    return walk


_HIGH = 2**16 + 3
_SIZE = 2**16 + 8
_ONE_HIGH = Target(_SIZE, lambda _: [ONE if token == _HIGH else ZERO for token in range(_SIZE)])


def _high(_: Chooser) -> Block:
    return (_HIGH,)


def _in_16_bits(_: Chooser) -> Block:
    """The id is kept in 16 bits."""
    return (int(np.uint32(_HIGH).astype(np.uint16)),)


def _padded_race(_: Chooser) -> Block:
    """A race over a vocabulary padded to a multiple of 64: weight / noise is 0 / 0 in the padding, and NaN wins argmax."""
    lanes = -(-_SIZE // 64) * 64
    weights, noise = np.zeros(lanes, dtype=np.float32), np.zeros(lanes, dtype=np.float32)
    weights[_HIGH], noise[:_SIZE] = 1, 1
    with np.errstate(invalid="ignore"):
        return (int(np.argmax(weights / noise)),)


_ZERO_CHILD = problem("a", "0 1/2 1/2", "0 1 0")
_HALF_CHILD = problem("a", "1/2 1/2", "0 1")
_EMPTY = problem("", "1/2 1/2")
_TIED = problem("b", "1/2 1/2 0")

_CERTAIN = {(_HIGH,): Fraction(1)}
_SGLANG_32 = "sgl-project/sglang issue 35771, PR 35798"
_VLLM_35 = "vllm-project/vllm PR 45060"
_SORTED_66 = "huggingface/swift-transformers PR 384"
_RACED_66 = "flashinfer-ai/flashinfer issue 3470, PR 3624"

NUMERICS = (
    Fault(
        "32(i)",
        "coin <= cumulative takes a child of mass 0 on coin 0",
        _SGLANG_32,
        "N",
        FixedTree(_closed_on_reals, _ZERO_CHILD, follow),
        blocks("b 1/2, c 1/2"),
        blocks("b 1/2, c 1/2"),  # the law is right: the fault has measure 0
        "boundary",
    ),
    Fault(
        "32(ii)",
        "the same on coins k/8: a child of mass 0",
        _SGLANG_32,
        "N",
        FixedTree(_closed_on_grid, _ZERO_CHILD, follow),
        blocks("b 1/2, c 1/2"),
        blocks("ab 1/8, b 7/16, c 7/16"),
        "support",
    ),
    Fault(
        "32(iii)",
        "the same on coins k/8: a child of mass 1/2",
        _SGLANG_32,
        "N",
        FixedTree(_closed_on_grid, _HALF_CHILD, follow),
        blocks("ab 1/2, b 1/2"),
        blocks("ab 5/8, b 3/8"),
        "law",
    ),
    Fault(
        "34",
        "an integer-hash coin rounds to exactly 1 in float32",
        "sgl-project/sglang PR 30822",
        "N",
        CoinSource(_hashed_to_float32, lambda coin: (search(_HALVES, coin),), _hashed_24_bits),
        blocks("b 1"),
        blocks("c 1"),
        "coin",
    ),
    Fault(
        "35(i)",
        "an all-NaN row gives the id |V|",
        _VLLM_35,
        "N",
        FixedTree(_past_the_vocabulary, _EMPTY, _fair_exit),
        blocks("a 1/2, b 1/2"),
        blocks("c 1"),
        "outputs",
    ),
    Fault(
        "35(ii)",
        "the id |V| is filtered: a block of length 0",
        _VLLM_35,
        "S",
        Emission(_filtered, _FAIR_TARGET, _fair),
        blocks("a 1/2, b 1/2"),
        {(): Fraction(1)},
        "outputs",
    ),
    Fault(
        "35(iii)",
        "the id |V| is drawn again, for ever",
        f"{_VLLM_35} (a neighbour)",
        "N",
        Emission(_tried_again, _FAIR_TARGET, _fair),
        blocks("a 1/2, b 1/2"),
        {},
        "draws",
    ),
    Fault(
        "58(i)",
        "at temperature 0 the last of two equal weights wins",
        "ohdearquant/lattice issue 280, PR 281",
        "N",
        Tie(_at_zero(last=True), _TIED, _at_zero(last=False)),
        blocks("a 1"),
        blocks("bb 1"),
        "tie",
    ),
    Fault(
        "58(ii)",
        "temperature 1e-6 stands in for greedy",
        "FlashML-org/FreeToken PR 471",
        "N",
        Tie(follow, _TIED, _at_zero(last=False)),
        blocks("a 1"),
        blocks("a 1/2, ba 1/4, bb 1/4"),
        "tie",
    ),
    Fault(
        "66(i)",
        "ids above 2^16 wrap",
        _SORTED_66,
        "N",
        Emission(_in_16_bits, _ONE_HIGH, _high),
        _CERTAIN,
        {(3,): Fraction(1)},
        "support",
    ),
    Fault(
        "66(ii)",
        "a race over a padded vocabulary returns an id >= |V|",
        _RACED_66,
        "N",
        Emission(_padded_race, _ONE_HIGH, _high),
        _CERTAIN,
        {(_SIZE,): Fraction(1)},
        "outputs",
    ),
)
