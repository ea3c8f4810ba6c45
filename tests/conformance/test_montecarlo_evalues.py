"""The formulas against high precision, and every expert a martingale, by enumeration."""

from __future__ import annotations

import importlib
import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.conformance.laws_to_sample import stopping, zipf_tree
from tevtheory.conformance.montecarlo.battery import Battery, Claim
from tevtheory.conformance.montecarlo.counts import Counts, Floats, log_mean_exp, pair_counts
from tevtheory.conformance.montecarlo.evalues import (
    CONCENTRATIONS,
    RELATIVE_SIZES,
    cells_log_e,
    half_width,
    tables_log_e,
)
from tevtheory.conformance.montecarlo.nulls import GROUPS, Null, Tables
from tevtheory.examples import C2
from tevtheory.targets import TargetTree
from tevtheory.trees import DraftTree

mpmath: Any = importlib.import_module("mpmath")  # comes with sympy, has no types
CLOSE = 2e-6  # what statistics.md promises of the stable form
TINY = 1e-11  # rounding of a sum of a few hundred e-values


def reference(counts: list[int], p: list[float], c: float) -> Any:
    """The plain form in 60 digits."""
    with mpmath.workdps(60):
        n, weight = sum(counts), mpmath.mpf(c)
        total = mpmath.loggamma(weight) - mpmath.loggamma(weight + n)
        for count, q in zip(counts, p, strict=True):
            if count:
                a = weight * mpmath.mpf(q)
                total += mpmath.loggamma(a + count) - mpmath.loggamma(a) - count * mpmath.log(mpmath.mpf(q))
        return total


def dyadic(cells: int, rng: np.random.Generator) -> Floats:
    """Uneven probabilities, multiples of 2^-52 that sum to exactly 1."""
    cuts = np.sort(rng.choice(2**52 - 1, cells - 1, replace=False)) + 1
    return np.asarray(np.diff(np.concatenate([[0], cuts, [2**52]])) / 2**52)


def uneven(cells: int, rng: np.random.Generator) -> Floats:
    """Probabilities from 1/2 down to 2^-40, that sum to exactly 1."""
    p = 2.0 ** -np.minimum(np.arange(1, cells), 40.0)
    p = np.append(p, 1 - math.fsum(p)) if math.fsum(p) < 1 else dyadic(cells, rng)
    rng.shuffle(p)
    return np.asarray(p)


@pytest.mark.parametrize("n", [1, 7, 1000, 10**6, 10**8, 10**10])
@pytest.mark.parametrize("make", [dyadic, uneven])
@pytest.mark.parametrize("cells", [2, 9, 41])
def test_the_stable_form_is_the_plain_form(n: int, make: Any, cells: int) -> None:
    rng = np.random.default_rng([n, cells])
    p = make(cells, rng)
    for law in (p, rng.dirichlet(np.ones(cells))):  # under the null, and far from it
        counts = rng.multinomial(n, law).astype(np.int64)
        got = tables_log_e(np.array([0, cells]), counts, p, np.array([n]), CONCENTRATIONS)[0]
        for value, c in zip(got, CONCENTRATIONS, strict=True):
            right = reference(counts.tolist(), p.tolist(), float(c))
            assert abs(value - right) <= CLOSE * max(1, abs(right) * 1e-6)


def test_unvisited_cells_need_not_be_listed() -> None:
    rng = np.random.default_rng(0)
    p = dyadic(50, rng)
    counts = rng.multinomial(20, p).astype(np.int64)
    seen = counts > 0
    full = tables_log_e(np.array([0, 50]), counts, p, np.array([20]), CONCENTRATIONS)
    few = tables_log_e(np.array([0, seen.sum()]), counts[seen], p[seen], np.array([20]), CONCENTRATIONS)
    assert np.array_equal(full, few)


@pytest.mark.parametrize("p", [0.5, 0.999, 1e-3, 1e-9, 1e-30])
@pytest.mark.parametrize("n", [1, 1000, 10**9])
def test_the_one_cell_form_is_the_plain_form(p: float, n: int) -> None:
    for count in {0, min(1, n), int(n * p), min(n, int(n * p * 1.5) + 3)}:
        got = cells_log_e(np.array([count]), np.array([n]), np.array([p]), RELATIVE_SIZES)[0]
        with mpmath.workdps(150):
            parts = []
            for size in RELATIVE_SIZES:
                c, q = mpmath.mpf(1.0 / (p * size * size)), mpmath.mpf(p)
                a, b = c * q, c * (1 - q)
                table = mpmath.loggamma(c) - mpmath.loggamma(c + n)
                table += mpmath.loggamma(a + count) - mpmath.loggamma(a) - count * mpmath.log(q)
                table += mpmath.loggamma(b + n - count) - mpmath.loggamma(b) - (n - count) * mpmath.log(1 - q)
                parts.append(mpmath.exp(table))
            right = mpmath.log(sum(parts) / len(parts))
        assert abs(got - right) <= CLOSE * max(1, abs(right) * 1e-6)


def multinomials(cells: int, n: int) -> list[tuple[int, ...]]:
    return [counts for counts in product(range(n + 1), repeat=cells) if sum(counts) == n]


def chance(counts: tuple[int, ...], p: Floats) -> float:
    ways = math.factorial(sum(counts))
    for count in counts:
        ways //= math.factorial(count)
    return float(ways * np.prod(p ** np.array(counts)))


@pytest.mark.parametrize("p", [[0.5, 0.5], [0.9, 0.1], [0.5, 0.375, 0.125], [0.98, 0.01, 0.01]])
@pytest.mark.parametrize("n", range(1, 7))
def test_the_mean_of_every_table_is_one(p: list[float], n: int) -> None:
    law, starts = np.array(p), np.array([0, len(p)])
    mean, cell = np.zeros(len(CONCENTRATIONS)), 0.0
    for counts in multinomials(len(p), n):
        array, total = np.array(counts), np.array([n])
        mean += chance(counts, law) * np.exp(tables_log_e(starts, array, law, total, CONCENTRATIONS)[0])
        cell += chance(counts, law) * math.exp(cells_log_e(array[:1], total, law[:1], RELATIVE_SIZES)[0])
    assert np.abs(mean - 1).max() <= TINY
    assert abs(cell - 1) <= TINY


def means(battery: Battery, law: Floats, n: int) -> dict[str, float]:
    """The mean of every expert's e-value after n outcomes of a law."""
    codes = np.flatnonzero(law)
    sums: dict[str, float] = {}
    for counts in multinomials(len(codes), n):
        seen = Counts.summed(codes, np.array(counts))
        for name, log_e in battery.evidence(seen).experts.items():
            sums[name] = sums.get(name, 0.0) + chance(counts, law[codes]) * math.exp(log_e)
    return sums


FORK = TargetTree(DraftTree((-1, 0, 0), (-1, 0, 1)), [["1/2", "1/4", "1/4"], ["1/2", "1/2", "0"], ["1", "0", "0"]])


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("target", [C2, FORK])
def test_the_mean_of_every_expert_is_one_under_the_canonical_law(target: TargetTree, n: int) -> None:
    null = Null.of(target)
    experts: dict[Claim, int] = {"canonical": 4, "exact": 3}
    for claim, number in experts.items():
        found = means(Battery(null, claim), null.outcomes.p, n)
        assert len(found) == number
        assert all(abs(mean - 1) <= TINY for mean in found.values())


@pytest.mark.parametrize("stop", [0.25, 1.0])
@pytest.mark.parametrize("target", [C2, FORK])
def test_the_mean_of_every_exactness_expert_is_one_whatever_the_stopping_rule(target: TargetTree, stop: float) -> None:
    null = Null.of(target)
    for n in range(1, 5):
        found = means(Battery(null, "exact"), stopping(null, stop), n)
        assert all(abs(mean - 1) <= TINY for mean in found.values())


def test_the_mean_of_the_exactness_experts_is_not_one_for_a_fault() -> None:
    null = Null.of(C2)
    law = np.array([0.25, 0.5, 0.25, 0, 0, 0])
    assert means(Battery(null, "exact"), law, 4)["nodes"] > 1.002


def test_the_mean_of_the_dependence_expert_is_one_over_all_sequences() -> None:
    battery = Battery(Null.of(C2), "canonical")
    law = battery.null.outcomes.p
    codes = np.flatnonzero(law)
    for n in range(2, 7):
        mean = 0.0
        for sequence in product(codes, repeat=n):
            pairs = pair_counts(battery.null.groups[np.array(sequence)], GROUPS)
            mean += float(np.prod(law[np.array(sequence)])) * math.exp(battery.dependence(pairs))
        assert abs(mean - 1) <= TINY


def test_pooled_tables_are_the_tables_of_pooled_counts() -> None:
    null = Null.of(zipf_tree(4, 500))
    rng = np.random.default_rng(3)
    seen = Counts.of(rng.choice(len(null.outcomes.p), 5000, p=null.outcomes.p))
    order = np.argsort(-null.outcomes.p, kind="stable")
    p, counts = null.outcomes.p[order], seen.dense(len(null.outcomes.p))[order]
    rest = np.minimum(np.floor(-np.log2(np.maximum(p[30:], 1e-300))), 63)
    cells = [(p[:30], counts[:30])] + [([p[30:][rest == k].sum()], [counts[30:][rest == k].sum()]) for k in set(rest)]
    flat_p = np.concatenate([cell[0] for cell in cells])
    flat = np.concatenate([cell[1] for cell in cells]).astype(np.int64)
    kept = flat_p > 0
    total = np.array([5000])
    plain = tables_log_e(np.array([0, kept.sum()]), flat[kept], flat_p[kept], total, CONCENTRATIONS)
    assert np.abs(null.outcomes.log_e(seen, total, 30) - plain).max() <= CLOSE


def test_branch_tables_are_read_off_the_tree() -> None:
    null = Null.of(FORK)
    seen = Counts(np.array([2, 3, 4, 6]), np.array([4, 1, 2, 3]))  # exits: root 4, node 1 3, node 2 3
    following, totals = null.next_tokens(seen)
    assert (following.at(null.child_codes).tolist(), totals.tolist()) == ([3, 3], [10, 3, 3])
    branches = null.branches_log_e(following, totals)
    plain = tables_log_e(
        np.array([0, 3]), np.array([3, 3, 4]), np.array([0.5, 0.25, 0.25]), np.array([10]), CONCENTRATIONS
    )
    assert np.abs(branches[0] - plain[0]).max() <= CLOSE
    assert np.abs(branches[1:]).max() <= TINY  # one certain cell


def test_no_data_is_no_evidence() -> None:
    tables = Tables(np.array([0.5, 0.5]), 1)
    nothing = Counts.of([])
    assert log_mean_exp(tables.log_e(nothing, np.array([0]), 2)) == 0
    assert Battery(Null.of(C2), "exact").evidence(nothing).log_e == 0


@pytest.mark.parametrize(("count", "total"), [(0, 100), (100, 100), (50, 100), (500_000, 1_000_000)])
def test_the_confidence_sequence_ends_where_the_e_value_reaches_its_level(count: int, total: int) -> None:
    level = math.log(1e6)
    width = half_width(count, total, level)
    ends = [count / total - width, count / total + width]
    inside = [end for end in ends if 0 < end < 1]
    logs = [cells_log_e(np.array([count]), np.array([total]), np.array([e]), RELATIVE_SIZES)[0] for e in inside]
    assert min(logs) >= level - 0.01 or len(inside) == 0
    if count == 500_000:
        assert 5.5 < width / math.sqrt(0.25 / total) < 7  # 6.0 standard deviations at 1e-6, by statistics.md


def test_all_nodes_multiplies_at_equal_concentration_and_averages_over_tables() -> None:
    null = Null.of(FORK)
    seen = Counts(np.array([2, 3, 4, 6]), np.array([4, 1, 2, 3]))
    rows = [([3, 3, 4], [0.5, 0.25, 0.25]), ([1, 2], [0.5, 0.5]), ([3], [1.0])]
    branches = [([3, 3, 4], [0.5, 0.25, 0.25]), ([3], [1.0]), ([3], [1.0])]
    grid = [(tables, float(c)) for tables in (rows, branches) for c in CONCENTRATIONS]
    sums = [float(sum(reference(counts, p, c) for counts, p in tables)) for tables, c in grid]
    assert abs(Battery(null, "exact").evidence(seen).experts["all nodes"] - log_mean_exp(sums)) <= CLOSE


def test_cells_left_out_count_as_nothing() -> None:
    battery = Battery(Null.of(zipf_tree(12, 2000)), "canonical")
    p = battery.null.outcomes.p
    seen = Counts.of(np.random.default_rng(4).choice(len(p), 10**5, p=p))
    codes = np.flatnonzero(p)
    every = cells_log_e(seen.at(codes), np.full(len(codes), 10**5), p[codes], RELATIVE_SIZES)
    found = battery.evidence(seen).experts["cells"]
    assert battery.tables.cells == len(codes) > 10_000
    assert every.max() - math.log(len(codes)) <= found < log_mean_exp(every)
