"""The bounds on total variation hold, and are as sharp as their table says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.conformance.laws_to_sample import accepting_less, canonical, dense_noise, large, moved, small, without_tail
from tevtheory.conformance.montecarlo.bounds import (
    NO_BOUND,
    _chi_sums,
    _lower,
    _rademacher,
    _upper,
    chi_squared_bound,
    look_share,
    tv_bound,
)
from tevtheory.conformance.montecarlo.counts import NOTHING, Counts, Floats
from tevtheory.conformance.montecarlo.nulls import Null
from tevtheory.rows import FloatRow
from tevtheory.targets import TargetTree
from tevtheory.trees import DraftTree

ALPHA = 1e-3
RUNS = 200


def one_row(p: Floats) -> Null:
    return Null.of(TargetTree(DraftTree((-1,), (-1,)), [FloatRow(p)]))


def poisson_counts(law: Floats, mean: float, rng: np.random.Generator) -> Counts:
    counts = rng.poisson(law * mean)
    return Counts(np.flatnonzero(counts), counts[counts > 0])


def faults(null: Null) -> list[Floats]:
    p = canonical(null)
    spike = p.copy()
    spike[int(np.argmin(np.where(p > 0, p, 2)))] += 0.02
    return [p, dense_noise(null, 0.02), dense_noise(null, 0.2), spike / spike.sum()]


SMALL = one_row(np.array([0.4, 0.3, 0.2, 0.1]))
SKEWED = one_row(2.0 ** -np.arange(1.0, 16))
WIDE = one_row(1 / (np.arange(10_000) + 1.0) ** 1.1)


@pytest.mark.parametrize("null", [SMALL, SKEWED, WIDE], ids=["K=4", "K=15", "K=10,000"])
@pytest.mark.parametrize("mean", [1000, 100_000])
def test_no_bound_is_below_the_true_distance(null: Null, mean: int) -> None:
    """Each bound may miss with probability 1e-3 / 3; in 200 runs on 4 laws none of the three does."""
    rng = np.random.default_rng([mean, len(null.outcomes.p)])
    for law in faults(null):
        true = 0.5 * float(np.abs(law - null.outcomes.p).sum())
        for _ in range(RUNS // 4 if null is WIDE else RUNS):
            seen = poisson_counts(law, mean, rng)
            assert tv_bound(null, seen, mean, ALPHA).value >= true
            dense = seen.dense(len(law))
            assert chi_squared_bound(dense, null.outcomes.p, mean, ALPHA / 3) >= true


def test_two_hundred_runs_on_ten_thousand_cells() -> None:
    rng = np.random.default_rng(5)
    law = dense_noise(WIDE, 0.05)
    true = 0.5 * float(np.abs(law - WIDE.outcomes.p).sum())
    bounds = [tv_bound(WIDE, poisson_counts(law, 10**7, rng), 10**7, ALPHA) for _ in range(RUNS)]
    assert min(bound.value for bound in bounds) >= true
    assert max(bound.value for bound in bounds) <= 3 * true


@pytest.mark.parametrize(
    ("target", "mean", "value"), [(small(), 10**8, 8.9e-4), (large(), 10**8, 7.0e-3), (large(), 10**10, 3.3e-4)]
)
def test_bounds_are_as_sharp_as_the_table(target: TargetTree, mean: int, value: float) -> None:
    """Median bounds of statistics.md for a correct sampler, each bound at 1e-3; other trees, so a factor of 2."""
    null = Null.of(target)
    seen = poisson_counts(null.outcomes.p, mean, np.random.default_rng(0))
    assert value / 2 <= tv_bound(null, seen, mean, 3 * ALPHA).value <= 2 * value


def test_faulty_verifiers_on_a_tree_are_bounded_too() -> None:
    null = Null.of(small())
    rng = np.random.default_rng(1)
    for law in (accepting_less(null, 0.9), moved(null, 1e-3, 1e-2)[0], without_tail(null, 1e-3)):
        true = 0.5 * float(np.abs(law - null.outcomes.p).sum())
        assert all(tv_bound(null, poisson_counts(law, 10**5, rng), 10**5, ALPHA).value >= true for _ in range(50))


def test_an_impossible_outcome_counts_as_distance() -> None:
    null = one_row(np.array([0.5, 0.5, 0.0]))
    bound = tv_bound(null, Counts(np.array([0, 1, 2]), np.array([400_000, 400_000, 200_000])), 10**6, ALPHA)
    assert 0.2 <= bound.value < 0.21


def test_nothing_drawn_bounds_nothing() -> None:
    assert tv_bound(SMALL, NOTHING, 100, ALPHA) == NO_BOUND
    assert str(NO_BOUND) == "1.00e+00 (trivial)"


def test_the_looks_share_the_error_probability() -> None:
    assert math.fsum(look_share(j) for j in range(10**5)) == pytest.approx(1 - 1 / (10**5 + 1), abs=1e-12)


@pytest.mark.parametrize("x", [0, 1, 5, 100, 10**6])
def test_poisson_limits_hold(x: int) -> None:
    """Against scipy's tail: at the upper limit P(N <= x), at the lower P(N >= x), is at most exp(-level)."""
    from scipy.stats import poisson

    for level in (1.0, 10.0, 25.0):
        assert poisson.cdf(x, _upper(x, level)) <= math.exp(-level) * (1 + 1e-9)
        low = _lower(x, level)
        assert low == 0 or poisson.sf(x - 1, low) <= math.exp(-level)
        assert low <= x <= _upper(x, level)


def test_the_fourth_moment_that_the_bound_rests_on() -> None:
    """E (N - lam - 1/2)^4 for N ~ Poisson(lam + d), by summation."""
    from scipy.stats import poisson

    for lam, d in ((0.0, 0.5), (0.3, 0.0), (2.0, -1.5), (5.0, 3.0)):
        n = np.arange(200)
        moment = float((poisson.pmf(n, lam + d) * (n - lam - 0.5) ** 4).sum())
        formula = 3 * lam**2 + lam / 2 + 1 / 16 + 4 * lam * d + (6 * lam + 2.5) * d**2 + 4 * d**3 + d**4
        assert moment == pytest.approx(formula, rel=1e-9)


def test_the_sums_of_the_chi_squared_bound_by_another_route() -> None:
    rng = np.random.default_rng(6)
    lam = np.exp(rng.normal(0, 4, 500))
    counts = rng.poisson(lam * rng.uniform(0.5, 1.5, 500))
    w = 1 / np.maximum(lam, 1)
    t, v0, b, c, room = _chi_sums(counts, lam, 20.0)
    assert t == pytest.approx((w * ((counts - lam) ** 2 - counts)).sum(), rel=1e-9)
    assert v0 == pytest.approx((w**2 * (3 * lam**2 + lam / 2 + 1 / 16)).sum(), rel=1e-9)
    assert b == pytest.approx(math.sqrt((w**3 * lam**2).sum()), rel=1e-9)
    assert room == pytest.approx(np.maximum(lam, 1).sum(), rel=1e-9)
    far = [max(_upper(int(x), 20.0) - m, m - _lower(int(x), 20.0)) for x, m in zip(counts, lam, strict=True)]
    assert c == pytest.approx(max(w * (6 * lam + 2.5 + 4 * np.array(far) + np.array(far) ** 2)), rel=1e-9)


def test_few_cells_are_bounded_by_their_number() -> None:
    seen = Counts(np.arange(4), np.array([4000, 3000, 2000, 1000]))
    bound = tv_bound(SMALL, seen, 10**4, ALPHA)
    assert bound.name == "BHC"
    assert bound.value == pytest.approx(math.sqrt((4 * math.log(2) + math.log(3 / ALPHA)) / (2 * 10**4)), rel=1e-9)


def test_the_empirical_complexity_is_that_of_random_signs() -> None:
    """E|S_N| by summation over all signs; the closed bound is at most 1% above it."""
    for n in (1, 2, 3, 8, 101):
        exact = sum(math.comb(n, k) * abs(2 * k - n) for k in range(n + 1)) / 2**n
        above = _rademacher(np.array([n]), 1, 2 / math.e**2)  # ln(2 / alpha) = 2, so the last term is 3
        assert exact <= above - 3 <= 1.01 * exact
