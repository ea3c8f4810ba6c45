"""Paths per second of the exact enumeration, all guards on, and the gain of mpq over fractions.Fraction.

Run with `make bench`. Nothing here asserts a time.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from tevtheory.choices import Limits, Verifier, enumerate_law, replaying
from tevtheory.conformance import judge
from tevtheory.enumeration import chunks
from tevtheory.exitlaw import canonical_exit_law
from tevtheory.rows import Row, TupleRow
from tevtheory.targets import Problem, TargetTree
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.catalogue import CATALOGUE, find
from tevtheory.weights import fraction

MAX_NODES, ROUNDS, PATHS = 8, 7, 500
PROBLEMS = [problem for chunk in chunks("generic", MAX_NODES) for _, problem in chunk.generate(0)]


def enumerate_all(verifier: Verifier[Any], problems: list[Problem]) -> int:
    """Enumerate every problem within the path budget; returns the number of paths."""
    paths = 0
    for problem in problems:
        if verifier.path_bound is None or verifier.path_bound(problem) <= PATHS:
            program = partial(verifier.walk, verifier.prepare(problem))
            paths += enumerate_law(program, slots=verifier.slots, limits=Limits(), boundary=True).paths
    return paths


@contextmanager
def on_fractions() -> Iterator[list[Problem]]:
    """The same engine with Fraction as its exact type, and the same problems in it."""

    def lifted(rows: tuple[Row, ...]) -> list[TupleRow]:
        return [TupleRow(fraction(weight) for weight in row) for row in rows]

    problems = [Problem(TargetTree(p.tree, lifted(p.rows)), lifted(p.proposals or ())) for p in PROBLEMS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replaying, "_MPQ", Fraction)
        patch.setattr(replaying, "ONE", Fraction(1))
        patch.setattr(replaying, "ZERO", Fraction(0))
        patch.setattr(replaying, "exact", lambda value, _: Fraction(value))
        yield problems


@pytest.mark.parametrize("verifier", CATALOGUE, ids=lambda verifier: verifier.name)
def test_paths_per_second(verifier: Verifier[Any], benchmark: Any) -> None:
    paths = benchmark.pedantic(enumerate_all, (verifier, PROBLEMS), rounds=ROUNDS, warmup_rounds=1)
    assert paths > 0
    benchmark.extra_info["paths/s"] = round(paths / benchmark.stats.stats.median)


@pytest.mark.parametrize(
    "verifier", [v for v in CATALOGUE if v.claim is Verdict.CANONICAL], ids=lambda verifier: verifier.name
)
def test_gain_over_fraction(verifier: Verifier[Any], benchmark: Any) -> None:
    """The two runs alternate; the ratio is the median of the pairs."""
    ratios = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        paths = enumerate_all(verifier, PROBLEMS)
        seconds = time.perf_counter() - started
        with on_fractions() as problems:
            started = time.perf_counter()
            assert enumerate_all(verifier, problems) == paths
            ratios.append((time.perf_counter() - started) / seconds)
    benchmark.extra_info["Fraction/mpq"] = round(statistics.median(ratios), 2)
    benchmark.pedantic(enumerate_all, (verifier, PROBLEMS), rounds=1)


def test_the_fraction_run_is_on_fractions() -> None:
    with on_fractions() as problems:
        verifier = CATALOGUE[0]
        case, original = problems[-1], PROBLEMS[-1]
        law = enumerate_law(partial(verifier.walk, verifier.prepare(case)), slots=verifier.slots).law
        assert {type(mass) for mass in law.values()} == {Fraction}
        assert law == canonical_exit_law(original.target)


def test_judging_a_clean_verifier(benchmark: Any) -> None:
    """All shapes to 8 nodes, with every zero pattern to 7, ties and temperature 0, and the checks beside the law."""
    report = benchmark.pedantic(judge, (find("TEV's walk"),), {"max_nodes": 8}, rounds=3)
    assert report.verdict is Verdict.CANONICAL
