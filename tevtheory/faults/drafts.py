"""Faults of kind LD: the law is wrong only once the drafter's own randomness is averaged over.

The drafter is part of the program here: chooser -> (draft, block). Blocks stop at the token the step decides; where
lengths matter the bonus token is drawn too.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

from tevtheory.choices import Chooser
from tevtheory.faults.cases import Draft, Emit, Fault, Lengths
from tevtheory.faults.notation import ACCEPT, BONUS, DRAFT, RACE, TOKEN, Block, blocks, excess, lengths, row_of, without
from tevtheory.targets import Target
from tevtheory.weights import exact

Row = Sequence[Any]
Step = Callable[[Chooser], tuple[Hashable, Block]]


def ratio_step(p: Row, sampled: Row, judged: Row | None = None, residual: Row | None = None) -> Step:
    """One drafted token from `sampled`, accepted with min(1, p / judged), else a draw from `residual` (default (p - q)+).

    >>> from tevtheory.choices import enumerate_law
    >>> fair, skew = row_of("1/2 1/2"), row_of("1/4 3/4")
    >>> enumerate_law(lambda chooser: ratio_step(fair, skew)(chooser)[1]).law
    Law({(0,): 1/2, (1,): 1/2})
    """
    q = sampled if judged is None else judged
    left = excess(p, q) if residual is None else residual

    def step(chooser: Chooser) -> tuple[int, Block]:
        token = chooser.choose(sampled, site=(DRAFT, 0))
        if chooser.flip(p[token], q[token], site=(ACCEPT, 0)):
            return token, (token,)
        return token, (chooser.choose(left, site=(TOKEN, 0)),)

    return step


def one_hot_step(p: Row, sampled: Row) -> Step:
    """One drafted token from `sampled`, accepted with p, else a draw from p without it: exact for every draft.

    >>> from tevtheory.choices import enumerate_law
    >>> fair, skew = row_of("1/2 1/2"), row_of("1/4 3/4")
    >>> enumerate_law(lambda chooser: one_hot_step(fair, skew)(chooser)[1]).law
    Law({(0,): 1/2, (1,): 1/2})
    """

    def step(chooser: Chooser) -> tuple[int, Block]:
        token = chooser.choose(sampled, site=(DRAFT, 0))
        if chooser.flip(p[token], site=(ACCEPT, 0)):
            return token, (token,)
        return token, (chooser.choose(without(p, token), site=(TOKEN, 0)),)

    return step


def _exact_match(p: Row, sampled: Row) -> Step:
    def step(chooser: Chooser) -> tuple[int, Block]:
        return chooser.choose(sampled, site=(DRAFT, 0)), (chooser.choose(p, site=(TOKEN, 0)),)

    return step


def _with_bonus(step: Step, p: Row) -> Emit:
    """The whole block: a bonus token follows an emitted token that was drafted and accepted."""

    def emit(chooser: Chooser) -> Block:
        drafted, block = step(chooser)
        return (*block, chooser.choose(p, site=(BONUS, 0))) if block == (drafted,) else block

    return emit


def _shared_race(p: Row, q: Row) -> Step:
    """Draft and recovery are two races over the same exponentials E: argmin E / q, then argmin E / r.

    With T = E / q and the drafted token a at T = m, the others are m + X, X of rate q, by lack of memory; b beats c in the
    second race iff k_b (m + X_b) < k_c (m + X_c) with k = q / r.
    """
    left = excess(p, q)

    def step(chooser: Chooser) -> tuple[int, Block]:
        token = chooser.choose(q, site=(DRAFT, 0))
        if chooser.flip(p[token], q[token], site=(ACCEPT, 0)):
            return token, (token,)
        first, second = sorted((x for x in range(len(p)) if left[x]), key=lambda x: -q[x] / left[x])
        slow, fast = q[first] / left[first], q[second] / left[second]  # slow >= fast
        # P(slow (m + X) < fast (m + Y)): Y must last past alpha m + beta X.
        beta, alpha = slow / fast, slow / fast - 1
        outlasts = 1 / (1 + alpha * q[second]) * q[first] / (q[first] + beta * q[second])
        won = chooser.flip(outlasts, site=(RACE, 0))
        return token, (first if won else second,)

    return step


def beam(first: Row, after: Sequence[Row]) -> Block:
    """The likeliest string of two tokens: a deterministic proposal.

    >>> beam(row_of("2/5 3/5"), [row_of("9/10 1/10"), row_of("1/2 1/2")])
    (0, 0)
    """
    pairs = [(x, y) for x in range(len(first)) for y in range(len(first))]
    return max(pairs, key=lambda pair: first[pair[0]] * after[pair[0]][pair[1]])


_WARM = row_of("1/2 1/4 1/4")
_PAIR = row_of("3/5 2/5")
_SURE = row_of("1 0")
_SHARP = row_of("4/5 1/5")
_RACED, _RACER = row_of("0 1/2 1/2"), row_of("1/2 1/3 1/6")
_FLAT, _LEAN = row_of("1/2 1/2 0"), row_of("1/4 3/4 0")
_SOFTMAX = row_of("1/2 1/4 1/4")
"""2^(4 r) for the residual r = (1/4, 0, 0), normalised: the rational stand-in for its softmax."""
_BEAM_FIRST, _BEAM_AFTER = row_of("2/5 3/5"), (row_of("9/10 1/10"), row_of("1/2 1/2"))
_BEAM_TOKEN = beam(_BEAM_FIRST, _BEAM_AFTER)[0]
_CHOSEN = tuple([exact(int(x == _BEAM_TOKEN)) for x in range(2)])
_SCARCE = row_of("3/10 7/10")
_WIDE, _WIDE_DRAFT = row_of("3/5 1/5 1/10 1/10"), row_of("7/10 1/5 1/20 1/20")
_ARGMAX = row_of("1 0 0 0")


def _draft(program: Step, p: Row, twin: Step, given_draft: bool = False) -> Draft:
    return Draft(program, Target.context_free(p), twin, given_draft)


def _pairs(text: str) -> dict[Any, Fraction]:
    """A law of (draft, block) from words of two letters."""
    return {(word[0], word[1:]): mass for word, mass in blocks(text).items()}


def _lengths(program: Emit, p: Row, twin: Emit) -> Lengths:
    return Lengths(program, Target.context_free(p), twin)


DRAFTS = (
    Fault(
        "11",
        "draft and recovery argmax use the same noise vector",
        "vllm-project/vllm PR 47386, 54282",
        "LD",
        _draft(_shared_race(_RACED, _RACER), _RACED, ratio_step(_RACED, _RACER)),
        blocks("b 1/2, c 1/2"),
        blocks("b 4/9, c 5/9"),
        "law",
    ),
    Fault(
        "13",
        "token drawn from the processed q, raw q given to the ratio test",
        "huggingface/transformers issue 47932",
        "LD",
        _draft(
            ratio_step(_WARM, row_of("2/3 1/3 0"), judged=_WARM, residual=_WARM),
            _WARM,
            ratio_step(_WARM, row_of("2/3 1/3 0")),
        ),
        blocks("a 1/2, b 1/4, c 1/4"),
        blocks("a 2/3, b 1/3"),
        "law",
    ),
    Fault(
        "14",
        "the assistant is greedy, the verifier uses its softmax",
        "huggingface/transformers issue 32867, PR 33534",
        "LD",
        _draft(ratio_step(_PAIR, _SURE, judged=_SHARP), _PAIR, ratio_step(_PAIR, _SURE)),
        blocks("a 3/5, b 2/5"),
        blocks("a 3/4, b 1/4"),
        "law",
    ),
    Fault(
        "16",
        "the residual is put through a softmax",
        "huggingface/transformers PR 28508",
        "LD",
        _draft(ratio_step(_FLAT, _LEAN, residual=_SOFTMAX), _FLAT, ratio_step(_FLAT, _LEAN)),
        blocks("a 1/2, b 1/2"),
        blocks("a 3/8, b 9/16, c 1/16"),
        "law",
    ),
    Fault(
        "38(i)",
        "a beam's deterministic proposal is treated as if sampled",
        "jaymody/speculative-sampling issue 3, PR 4",
        "LD",
        _draft(ratio_step(_SCARCE, _CHOSEN, judged=_BEAM_FIRST), _SCARCE, ratio_step(_SCARCE, _CHOSEN)),
        blocks("a 3/10, b 7/10"),
        blocks("a 3/4, b 1/4"),
        "law",
    ),
    Fault(
        "38(ii)",
        "the ratio rule is claimed for each given draft",
        "apple/ml-recurrent-drafter issue 6",
        "LD",
        _draft(ratio_step(_PAIR, _SHARP), _PAIR, one_hot_step(_PAIR, _SHARP), given_draft=True),
        _pairs("aa 12/25, ab 8/25, ba 3/25, bb 2/25"),
        _pairs("aa 3/5, ab 1/5, bb 1/5"),
        "average",
    ),
    Fault(
        "40(ii)",
        "after a refusal a sampled draft is replaced by a draw from p",
        "ShopeeLLM/Spec-RL issue 14",
        "LD",
        _draft(
            ratio_step(_WARM, row_of("1/4 1/2 1/4"), residual=_WARM), _WARM, ratio_step(_WARM, row_of("1/4 1/2 1/4"))
        ),
        blocks("a 1/2, b 1/4, c 1/4"),
        blocks("a 3/8, b 5/16, c 5/16"),
        "law",
    ),
    Fault(
        "54",
        "q ignored: the one-hot rule on an argmax draft",
        "vllm-project/vllm issue 40149, PR 40269; issue 40551, PR 40651",
        "A",
        _lengths(
            _with_bonus(one_hot_step(_WIDE, _ARGMAX), _WIDE), _WIDE, _with_bonus(ratio_step(_WIDE, _WIDE_DRAFT), _WIDE)
        ),
        lengths("1/10", "9/10"),
        lengths("2/5", "3/5"),
        "length",
    ),
    Fault(
        "55",
        "exact match on a sampled draft",
        "sgl-project/sglang issues 9877, 10308; vllm-project/vllm PR 56724",
        "A",
        _lengths(
            _with_bonus(_exact_match(_WIDE, _WIDE_DRAFT), _WIDE),
            _WIDE,
            _with_bonus(ratio_step(_WIDE, _WIDE_DRAFT), _WIDE),
        ),
        lengths("1/10", "9/10"),
        lengths("53/100", "47/100"),
        "length",
    ),
    Fault(
        "62",
        "the draft is sampled in one precision and judged in another",
        "deepseek-ai/DeepSpec issue 31, PR 30",
        "LD",
        _draft(
            ratio_step(_SCARCE, row_of("1/4 3/4"), judged=_SCARCE, residual=_SCARCE),
            _SCARCE,
            _exact_match(_SCARCE, _SCARCE),
        ),
        blocks("a 3/10, b 7/10"),
        blocks("a 1/4, b 3/4"),
        "law",
    ),
)
