"""Seconds of one look of the Monte Carlo engine: the battery, the bounds, and drawing.

Run with `make bench`. Nothing here asserts a time. Aims for one look: 0.1 s on 1.2e5 cells, 1 s on 1e6.
"""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

import numpy as np
import pytest

from tests.conformance.laws_to_sample import CountsOf, LawSampler, zipf_tree
from tevtheory.conformance.montecarlo import montecarlo
from tevtheory.conformance.montecarlo.battery import Battery, Claim
from tevtheory.conformance.montecarlo.bounds import tv_bound
from tevtheory.conformance.montecarlo.counts import Counts
from tevtheory.conformance.montecarlo.nulls import Null

SHAPES = {"1.2e5 cells": (24, 5000), "1e6 cells": (200, 5000)}
SAMPLES = 10**11  # so many that almost every cell has a count


@cache
def prepared(shape: str) -> tuple[Null, Counts]:
    null = Null.of(zipf_tree(*SHAPES[shape]))
    counts = np.random.default_rng(0).poisson(null.outcomes.p * SAMPLES)
    return null, Counts(np.flatnonzero(counts), counts[counts > 0])


@pytest.mark.parametrize("claim", get_args(Claim))
@pytest.mark.parametrize("shape", SHAPES)
def test_one_look(shape: str, claim: Claim, benchmark: Any) -> None:
    null, seen = prepared(shape)
    battery = Battery(null, claim)
    benchmark.extra_info["cells with a count"] = len(seen.codes)
    assert benchmark.pedantic(battery.evidence, (seen,), rounds=5, warmup_rounds=1).log_e < 0


@pytest.mark.parametrize("shape", SHAPES)
def test_one_bound(shape: str, benchmark: Any) -> None:
    null, seen = prepared(shape)
    assert benchmark.pedantic(tv_bound, (null, seen, SAMPLES, 1e-6), rounds=5, warmup_rounds=1).value < 1


def test_a_run_of_a_million_single_samples(benchmark: Any) -> None:
    target = zipf_tree(24, 5000)
    sampler = LawSampler(Null.of(target).outcomes.p, target.vocabulary)
    benchmark.pedantic(montecarlo, (sampler, target), {"samples": 10**6}, rounds=2, warmup_rounds=1)


def test_a_run_of_1e10_counts(benchmark: Any) -> None:
    target = zipf_tree(24, 5000)
    sampler = CountsOf(Null.of(target).outcomes.p)
    benchmark.pedantic(montecarlo, (sampler, target), {"samples": 10**10}, rounds=2, warmup_rounds=1)
