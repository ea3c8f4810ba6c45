"""Upper bounds on the total variation between the completed law and the canonical law.

Three bounds, each wrong with probability at most a / 3; the smallest of them is reported:

1. the empirical distance and the concentration of all K counts at once (Bretagnolle, Huber, Carol);
2. the empirical distance and the empirical Rademacher complexity of all events: good for many, uneven cells;
3. a bound on chi-squared, which falls as K^(1/4) / sqrt(n); it needs the number of samples to be Poisson distributed.

For 3: N_k ~ Poisson(n q_k), independent; lam = n p, d = n (q - p), w = 1 / max(lam, 1), D = sum w d^2, and
T = sum w ((N - lam)^2 - N) has mean D. Y = (N - lam - 1/2)^2 = (N - lam)^2 - N + lam + 1/4 is nonnegative with
E Y^2 = 3 lam^2 + lam/2 + 1/16 + 4 lam d + (6 lam + 2.5) d^2 + 4 d^3 + d^4, so by Maurer's one-sided inequality
D <= T + sqrt(2 ln(2/a) (V0 + 4 B sqrt(D) + C D)), and the distance is at most sqrt(D sum max(lam, 1)) / (2 n).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tevtheory.conformance.montecarlo.compiled import compiled
from tevtheory.conformance.montecarlo.counts import Counts, Floats, Ints
from tevtheory.conformance.montecarlo.nulls import Null


@dataclass(frozen=True)
class Bound:
    """An upper bound on a total variation distance, the name of the inequality, and the samples it rests on."""

    value: float
    name: str
    samples: int

    def __str__(self) -> str:
        return f"{self.value:.2e} ({self.name})"


NO_BOUND = Bound(1.0, "trivial", 0)


def tv_bound(null: Null, completed: Counts, mean: float, alpha: float) -> Bound:
    """The best of the three bounds, wrong with probability at most alpha.

    `completed` counts completed outcomes; `mean` is the mean of the Poisson distributed number of samples.

    >>> from tevtheory.examples import C2
    >>> tv_bound(Null.of(C2), Counts(np.array([1, 2, 4]), np.array([500, 120, 380])), 1000, 1e-3).name
    'BHC'
    """
    total = completed.total
    if total == 0:
        return NO_BOUND
    # All impossible outcomes are one cell: merging them changes neither distance nor validity.
    table = null.outcomes
    p, counts = table.p, completed.dense(len(table.p))
    possible = p > 0
    p, counts = p[possible], counts[possible]
    if len(p) < len(table.p):
        p, counts = np.append(p, 0.0), np.append(counts, total - counts.sum())
    distance = 0.5 * float(np.abs(counts / total - p).sum())
    share = alpha / 3
    found = {
        "BHC": distance + _bhc(len(p), total, share),
        "Rademacher": distance + _rademacher(counts, total, share),
        "chi-squared": chi_squared_bound(counts, p, mean, share),
    }
    name = min(found, key=lambda key: found[key])
    return Bound(found[name], name, total) if found[name] < 1 else NO_BOUND


def look_share(look: int) -> float:
    """The part of the error probability that look 0, 1, ... may use; the parts add up to 1.

    >>> look_share(0), look_share(1)
    (0.5, 0.16666666666666666)
    """
    return 1 / ((look + 1) * (look + 2))


def _bhc(cells: int, total: int, alpha: float) -> float:
    return math.sqrt((cells * math.log(2) + math.log(1 / alpha)) / (2 * total))


def _rademacher(counts: Ints, total: int, alpha: float) -> float:
    # E|S_N| = 2 m binom(2 m, m) / 4^m with m = ceil(N / 2), and binom(2 m, m) / 4^m <= 1 / sqrt(pi (m + 1/4)).
    half = (counts[counts > 0] + 1) // 2
    spread = float((2 * half / np.sqrt(math.pi * (half + 0.25))).sum())
    return spread / total + 3 * math.sqrt(math.log(2 / alpha) / (2 * total))


def chi_squared_bound(counts: Ints, p: Floats, mean: float, alpha: float) -> float:
    """Bound 3, from all cells (zero counts included) and the mean number of samples.

    >>> counts, p = np.array([50_000_000, 50_000_000]), np.array([0.5, 0.5])
    >>> 0 < chi_squared_bound(counts, p, 1e8, 1e-3) < 1e-3
    True
    """
    t, v0, b, c, room = _chi_sums(counts, p * mean, math.log(4 * len(p) / alpha))
    by = 2 * math.log(2 / alpha)

    def above(d: float) -> float:
        return t + math.sqrt(by * (v0 + 4 * b * math.sqrt(d) + c * d))

    d = max(abs(t), 1.0)
    while above(d) > d:
        d *= 2
    for _ in range(200):  # falls to the largest fixed point, and is valid at every step
        d = max(above(d), 0.0)
    return math.sqrt(d * room) / (2 * mean)


@compiled
def _chi_sums(counts: Ints, lam: Floats, level: float) -> tuple[float, float, float, float, float]:
    """T, V0, B, C and sum max(lam, 1)."""
    t, v0, b, c, room = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(len(lam)):
        x, m = counts[k], lam[k]
        w = 1.0 / max(m, 1.0)
        t += w * ((x - m) * (x - m) - x)
        v0 += w * w * (3 * m * m + 0.5 * m + 0.0625)
        b += w * w * w * m * m
        room += max(m, 1.0)
        far = max(_upper(x, level) - m, m - _lower(x, level))
        c = max(c, w * (6 * m + 2.5 + 4 * far + far * far))
    return t, v0, math.sqrt(b), c, room


@compiled
def _upper(x: int, level: float) -> float:
    """A mean so large that a Poisson variable is at most x with probability at most exp(-level) (Chernoff)."""
    if x == 0:
        return level
    mean = x + level + math.sqrt(level * level + 2 * level * x)
    for _ in range(4):  # Newton on a convex increasing function from the right: always on the safe side
        mean -= (mean - x + x * math.log(x / mean) - level) / (1 - x / mean)
    return mean


@compiled
def _lower(x: int, level: float) -> float:
    """A mean so small that a Poisson variable is at least x with probability at most exp(-level) (Bernstein)."""
    return max(0.0, x + 2 * level / 3 - math.sqrt(4 * level * level / 9 + 2 * level * x))
