"""Runs: looks, stopping, checkpoints, reports, and what is refused."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from tests.conformance.laws_to_sample import CountsOf, LawSampler, canonical, small, stopping
from tevtheory.conformance.montecarlo import Look, Outcome, montecarlo
from tevtheory.conformance.montecarlo import compiled as compiler
from tevtheory.conformance.montecarlo import run as running
from tevtheory.conformance.montecarlo.battery import Claim
from tevtheory.conformance.montecarlo.nulls import Null
from tevtheory.conformance.montecarlo.run import look_grid
from tevtheory.errors import InputError, MissingDependency
from tevtheory.targets import TargetTree
from tevtheory.trees import DraftTree

SMALL = small()
NULL = Null.of(SMALL)
ROOT = Path(__file__).parent.parent.parent


def fair(name: str = "law") -> LawSampler:
    return LawSampler(stopping(NULL, 0.2), SMALL.vocabulary, name)


def settings(**changes: Any) -> dict[str, Any]:
    return {"samples": 20_000, "seed": 3, "alpha": 1e-6, "claim": "exact", **changes}


def test_looks_are_geometric_and_end_at_the_samples() -> None:
    assert look_grid(50) == (50,)
    assert look_grid(100) == (100,)
    assert look_grid(10**6)[-2:] == (562341, 10**6)
    assert len(look_grid(10**8)) == 25


def test_a_run_is_a_function_of_its_seed() -> None:
    first, again = (montecarlo(fair(), SMALL, samples=5000, seed=7) for _ in range(2))
    other = montecarlo(fair(), SMALL, samples=5000, seed=8)
    assert first == again
    assert first.as_data() != other.as_data()


def test_numbers_of_samples_are_poisson_distributed() -> None:
    sizes = np.array([montecarlo(CountsOf(canonical(NULL)), SMALL, samples=50, seed=s).samples for s in range(300)])
    assert abs(sizes.mean() - 50) < 5 * np.sqrt(50 / 300)
    assert 30 < sizes.var() < 80


def test_blocks_of_samples_do_not_change_what_a_look_means(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "BLOCK", 37)
    report = montecarlo(fair(), SMALL, samples=3000)
    assert report.verdict is Outcome.EXACT_UP_TO
    assert abs(report.samples - 3000) < 5 * np.sqrt(3000)


def test_every_look_is_told() -> None:
    looks: list[Look] = []
    report = montecarlo(fair(), SMALL, samples=1000, on_look=looks.append)
    assert [look.number for look in looks] == [1, 2, 3, 4, 5]
    assert (looks[-1].samples, looks[-1].bound, looks[-1].log_e) == (report.samples, report.bound, report.log_e)


def test_a_run_stops_where_the_bound_is_reached() -> None:
    report = montecarlo(CountsOf(canonical(NULL)), SMALL, samples=10**8, tv=0.01)
    assert report.verdict is Outcome.EXACT_UP_TO
    assert report.bound.value <= 0.01
    assert report.samples < 10**7
    assert str(report).startswith("EXACT UP TO TV <= 1.00e-02 AT 1 - 1e-06: n=")


def test_a_run_that_reaches_nothing_is_inconclusive() -> None:
    report = montecarlo(CountsOf(canonical(NULL)), SMALL, samples=1000, tv=0.01)
    assert report.verdict is Outcome.INCONCLUSIVE
    text = str(report)
    assert text.startswith("INCONCLUSIVE: n=")
    assert "TV(completed law, canonical law) <= " in text
    assert "not rejected" not in text


def test_few_samples_bound_nothing() -> None:
    report = montecarlo(fair(), SMALL, samples=2)
    assert (report.verdict, report.bound.name) == (Outcome.INCONCLUSIVE, "trivial")


def test_the_report_is_complete_and_json_ready() -> None:
    law = canonical(NULL)
    report = montecarlo(LawSampler(law, SMALL.vocabulary, "mine"), SMALL, samples=10_000, claim="canonical")
    data = json.loads(json.dumps(report.as_data(), allow_nan=False))
    assert (data["verdict"], data["sampler"], data["cells"], data["looks"]) == ("EXACT UP TO TV", "mine", 89, 9)
    assert set(data["log_e"]) == {"tables", "cells", "nodes", "all nodes", "dependence", "battery"}
    mean = report.mean
    assert mean.ceiling == pytest.approx(float(NULL.flow.sum()), abs=1e-12)
    assert abs(mean.length - mean.ceiling) <= 5 * mean.standard_error
    assert report.branch is not None
    assert 0 < report.branch[1] < 1
    assert "every P(reach c | reach v) within +-" in str(report)
    assert "E[length] = " in str(report)
    assert str(report).endswith("claim 'canonical', on this fixed tree")


def test_an_infinite_e_value_is_json_ready_too() -> None:
    report = montecarlo(CountsOf(stopping(NULL, 0.5)), SMALL, samples=500, claim="canonical")
    data = json.loads(json.dumps(report.as_data(), allow_nan=False))
    assert data["log_e"] == {"support": "inf", "battery": "inf"}
    assert data["note"] == "dependence was not tested: the sampler gives counts only"


def test_a_root_alone_is_a_tree() -> None:
    target = TargetTree(DraftTree((-1,), (-1,)), [[0.25, 0.75]])
    claims: tuple[Claim, ...] = get_args(Claim)
    for claim in claims:
        report = montecarlo(LawSampler(np.array([0.25, 0.75]), 2), target, samples=3000, claim=claim)
        assert (report.verdict, report.branch) == (Outcome.EXACT_UP_TO, None)
        wrong = montecarlo(LawSampler(np.array([0.5, 0.5]), 2), target, samples=3000, claim=claim)
        assert wrong.verdict is Outcome.FAULT


@dataclass
class Gives:
    """A sampler that returns what it is told."""

    nodes: Any
    tokens: Any
    name: str = "bad"

    def sample(self, size: int, _: np.random.Generator) -> tuple[Any, Any]:
        return self.nodes(size), self.tokens(size)


def zeros(size: int) -> Any:
    return np.zeros(size, dtype=np.int64)


@pytest.mark.parametrize(
    ("nodes", "tokens", "text"),
    [
        (np.zeros, zeros, "sampler bad, nodes: expected integers, got float64 entries; convert to int64"),
        (zeros, lambda n: np.zeros(n, dtype=bool), "sampler bad, tokens: expected integers, got bool entries"),
        (
            lambda n: np.zeros((n, 1), dtype=int),
            zeros,
            r"sampler bad, nodes: expected a vector, got an array of shape \(",
        ),
        (zeros, lambda _: 0, r"sampler bad, tokens: expected a vector, got an array of shape \(\)"),
        (lambda n: zeros(n + 1), zeros, r"sampler bad: expected \d+ samples, got \d+ nodes; return one node and one"),
        (zeros, lambda n: zeros(n - 1), r"sampler bad: expected \d+ samples, got \d+ tokens"),
        (lambda n: zeros(n) + 8, zeros, r"sampler bad, nodes: expected entries in 0\.\.7, got 8; return exit nodes"),
        (zeros, lambda n: zeros(n) - 1, r"sampler bad, tokens: expected entries in 0\.\.11, got -1; return ids of the"),
    ],
)
def test_bad_samples_are_refused(nodes: Any, tokens: Any, text: str) -> None:
    with pytest.raises(InputError, match=text):
        montecarlo(Gives(nodes, tokens), SMALL, samples=100)


def test_a_sampler_returns_a_pair() -> None:
    class One:
        def sample(self, size: int, _: np.random.Generator) -> Any:
            return zeros(size)

    with pytest.raises(InputError, match=r"sampler One: expected a pair \(nodes, tokens\), got a ndarray"):
        montecarlo(One(), SMALL, samples=100)


def test_small_integer_types_are_read() -> None:
    report = montecarlo(
        Gives(lambda n: np.zeros(n, dtype=np.uint8), lambda n: [0] * n), SMALL, samples=100, claim="canonical"
    )
    assert report.samples > 0


@pytest.mark.parametrize(
    ("codes", "counts", "text"),
    [
        ([0], [1], r"sampler bad: expected \d+ samples, got 1; count every sample once"),
        ([0, 1], [1], "sampler bad: expected one count per code, got 2 codes and 1 counts"),
        ([96], [1], r"sampler bad, codes: expected entries in 0\.\.95, got 96"),
        ([0, 1], [-1, 101], r"sampler bad, counts: expected entries in 0\.\.\d+, got -1"),
        ([0.5], [1], "sampler bad, codes: expected integers, got float64 entries"),
    ],
)
def test_bad_counts_are_refused(codes: Any, counts: Any, text: str) -> None:
    class Bad:
        name = "bad"

        def count(self, *_: object) -> tuple[Any, Any]:
            return codes, counts

    with pytest.raises(InputError, match=text):
        montecarlo(Bad(), SMALL, samples=100)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"samples": 0}, "montecarlo: expected samples >= 1, got 0"),
        ({"alpha": 0.0}, "montecarlo: expected 0 < alpha < 1, got 0.0"),
        ({"tv": 1.0}, "montecarlo: expected 0 < tv < 1, got 1.0"),
        ({"seed": -1}, "montecarlo: expected a seed >= 0, got -1"),
        ({"claim": "lossless"}, 'montecarlo: expected the claim "exact" or "canonical", got \'lossless\''),
    ],
)
def test_bad_settings_are_refused(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        montecarlo(fair(), SMALL, **settings(**changes))


def test_symbols_cannot_be_sampled() -> None:
    import sympy

    p = sympy.Symbol("p")
    target = TargetTree(DraftTree((-1,), (-1,)), [[p, 1 - p]])
    with pytest.raises(InputError, match="put numbers in for the symbols"):
        montecarlo(fair(), target, samples=100)


def test_without_numba_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(MissingDependency, match="needs numba: pip install"):
        compiler.compiled(abs)
