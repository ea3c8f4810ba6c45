"""E-values of tables of counts.

With null probabilities p, counts N and n = sum N, the Dirichlet(c p) mixture likelihood ratio
    E_c = G(c) / G(c + n) * product over cells of G(c p + N) / (G(c p) p^N)
is a nonnegative martingale in n that starts at 1, so it ever reaches 1/a with probability at most a (Ville), however
often one looks. The plain form loses digits to cancellation; with M = p (c + n), t = (N - n p) / M and
R(x) = lnG(x) - (x - 1/2) ln x + x - ln(2 pi)/2, exactly
    ln E_c = sum over cells of M [(1 + t) log1p(t) - t] - log1p(N / (c p)) / 2 + R(c p + N) - R(c p)
             + log1p(n / c) / 2 + R(c) - R(c + n),
and cells with N = 0 add p (n - c log1p(n / c)): they cost nothing but their total probability.
"""

from __future__ import annotations

import math

import numpy as np

from tevtheory.conformance.montecarlo.compiled import compiled
from tevtheory.conformance.montecarlo.counts import Floats, Ints

CONCENTRATIONS: Floats = np.power(10.0, np.arange(1, 14, dtype=np.float64))
"""The grid of c: from a vague alternative to one that differs from the null by 1e-6 or so."""

RELATIVE_SIZES: Floats = np.power(10.0, np.arange(-4.5, 1.25, 0.5, dtype=np.float64))
"""The grid of relative standard deviations that the one-cell alternative gives its cell."""

SMALLEST = 1e-290
"""Probabilities below this count as 0: no run is long enough to see one, and their logarithms overflow."""

_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


@compiled
def _remainder(x: float) -> float:
    """R(x): what Stirling's formula leaves of lnG(x)."""
    if x < 10.0:
        return math.lgamma(x) - (x - 0.5) * math.log(x) + x - _HALF_LOG_TWO_PI
    y = 1.0 / (x * x)
    return (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y / 1680.0))) / x


@compiled
def _bend(t: float) -> float:
    """(1 + t) log1p(t) - t, which is t^2 / 2 and a little, without cancellation."""
    if abs(t) < 1e-3:
        return t * t * (0.5 - t * (1.0 / 6.0 - t * (1.0 / 12.0 - t / 20.0)))
    return (1.0 + t) * math.log1p(t) - t


@compiled
def _gap(r: float) -> float:
    """Subtract log1p(r) from r without cancellation."""
    if r < 1e-3:
        return r * r * (0.5 - r * (1.0 / 3.0 - r * (0.25 - r * (0.2 - r / 6.0))))
    return r - math.log1p(r)


@compiled
def _cell(count: int, p: float, log_p: float, n: int, c: float) -> float:
    """The term of one cell with a positive count."""
    a = c * p
    deviation = count - n * p
    if a + count < 10.0:  # the quotient of Gammas is a short product: one logarithm
        product = 1.0
        for i in range(count):
            product *= a + i
        return math.log(product) - count * (log_p + math.log(c + n)) + count - a * math.log1p(n / c) - deviation
    mean = p * (c + n)
    return mean * _bend(deviation / mean) - 0.5 * math.log1p(count / a) + _remainder(a + count) - _remainder(a)


@compiled
def _whole(n: int, c: float) -> float:
    """The term of the table as a whole."""
    return 0.5 * math.log1p(n / c) + _remainder(c) - _remainder(c + n)


@compiled
def _table(counts: Ints, p: Floats, n: int, grid: Floats, out: Floats) -> None:
    """Write ln E_c of one table, for every c, to `out`; sums are compensated."""
    lost = np.zeros(len(grid))
    seen, seen_lost = 0.0, 0.0
    for k in range(len(counts)):
        if counts[k] == 0:
            continue
        y = p[k] - seen_lost
        s = seen + y
        seen_lost = (s - seen) - y
        seen = s
        log_p = math.log(p[k])
        for j in range(len(grid)):
            y = _cell(counts[k], p[k], log_p, n, grid[j]) - lost[j]
            s = out[j] + y
            lost[j] = (s - out[j]) - y
            out[j] = s
    unseen = max(0.0, 1.0 - seen)
    for j in range(len(grid)):
        out[j] += unseen * grid[j] * _gap(n / grid[j]) + _whole(n, grid[j])


@compiled
def tables_log_e(starts: Ints, counts: Ints, p: Floats, totals: Ints, grid: Floats) -> Floats:
    """Ln E_c of several tables: shape (tables, grid).

    Table s has the cells starts[s] .. starts[s + 1] - 1 of `counts` and `p` and the total totals[s]; cells that are not
    listed have count 0. Cells with a count need p > 0.

    >>> one, grid = np.array([0, 2]), np.array([10.0])
    >>> tables_log_e(one, np.array([3, 0]), np.array([0.5, 0.5]), np.array([3]), grid).round(6).tolist()
    [[0.241162]]
    >>> round(math.log(8 * (5 * 6 * 7) / (10 * 11 * 12)), 6)
    0.241162
    """
    out = np.zeros((len(totals), len(grid)))
    for s in range(len(totals)):
        if totals[s] > 0:
            _table(counts[starts[s] : starts[s + 1]], p[starts[s] : starts[s + 1]], totals[s], grid, out[s])
    return out


@compiled
def _pair(count: int, n: int, p: float, c: float) -> float:
    """Ln E_c of the table of one cell and the rest."""
    value = _whole(n, c)
    for part, q in ((count, p), (n - count, 1.0 - p)):
        value += _cell(part, q, math.log(q), n, c) if part > 0 else q * c * _gap(n / c)
    return value


@compiled
def cells_log_e(counts: Ints, totals: Ints, p: Floats, sizes: Floats) -> Floats:
    """Ln of the Beta mixture e-value of single cells, each against the rest of its table: one per cell.

    The alternatives give the cell a relative standard deviation of each of `sizes`: c = 1 / (p size^2).

    >>> cells_log_e(np.array([3]), np.array([3]), np.array([0.5]), np.array([0.2 ** 0.5])).round(6).tolist()
    [0.241162]
    """
    out = np.zeros(len(counts))
    logs = np.zeros(len(sizes))
    for k in range(len(counts)):
        if totals[k] == 0 or p[k] <= 0.0 or p[k] >= 1.0:
            continue
        top = -math.inf
        for j in range(len(sizes)):
            logs[j] = _pair(counts[k], totals[k], p[k], 1.0 / (p[k] * sizes[j] * sizes[j]))
            top = max(top, logs[j])
        total = 0.0
        for j in range(len(sizes)):
            total += math.exp(logs[j] - top)
        out[k] = top + math.log(total / len(sizes))
    return out


def half_width(count: int, total: int, level: float) -> float:
    """How far the farther end of the confidence sequence {p : ln e(p) < level} is from count / total.

    With level = ln(m / a) it holds for m probabilities and all looks at once, with confidence 1 - a.

    >>> round(half_width(500, 1000, math.log(1e6)), 3)
    0.094
    """
    if total == 0:
        return 1.0
    middle = count / total
    return max(abs(_end(count, total, level, end) - middle) for end in (0.0, 1.0))


def _end(count: int, total: int, level: float, outside: float) -> float:
    """Bisect between the observed frequency and 0 or 1."""
    inside = count / total
    if inside == outside:
        return inside
    given, of = np.array([count]), np.array([total])
    for _ in range(60):
        middle = 0.5 * (inside + outside)
        if cells_log_e(given, of, np.array([middle]), RELATIVE_SIZES)[0] < level:
            inside = middle
        else:
            outside = middle
    return outside
