"""The block-length law of the canonical exit law.

P(L >= k + 1) = M_k, so P(L = k + 1) = M_k - M_{k+1}; E[L] = sum M_k; Var L = sum (2k + 1) M_k - (sum M_k)^2; with R tokens
left, E[min(L, R)] = sum_{k < R} M_k. L counts the bonus token. Theorem: among exact verifiers this law is
stochastically largest.
"""

from __future__ import annotations

from typing import Any

from tevtheory.errors import InputError
from tevtheory.exitlaw.flow import level_masses
from tevtheory.laws import Law
from tevtheory.targets import TargetTree


def block_length_law(target: TargetTree) -> Law[int]:
    """The law of the block length, bonus included.

    >>> from tevtheory.examples import C2
    >>> block_length_law(C2).fractions()
    {1: Fraction(1, 2), 2: Fraction(1, 8), 3: Fraction(3, 8)}
    """
    levels = (*level_masses(target), target.one * 0)
    steps = {k + 1: levels[k] - levels[k + 1] for k in range(len(levels) - 1)}
    return Law.trusted({length: mass for length, mass in steps.items() if mass != 0})


def length_variance(target: TargetTree) -> Any:
    """Variance of the canonical block length.

    >>> from tevtheory.examples import C2
    >>> print(length_variance(C2))
    55/64
    """
    levels = level_masses(target)
    mean = sum(levels)
    return sum((2 * k + 1) * mass for k, mass in enumerate(levels)) - mean * mean


def truncated_ceiling(target: TargetTree, remaining: int) -> Any:
    """E[min(L, R)] when only R = `remaining` >= 1 tokens may still be emitted.

    >>> from tevtheory.examples import C2
    >>> print(truncated_ceiling(C2, 2))
    3/2
    """
    if remaining < 1:
        raise InputError("at least 1 remaining token", str(remaining), "remaining", "a block has at least one token")
    return sum(level_masses(target)[:remaining])
