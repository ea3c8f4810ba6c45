"""Planted faults are found where statistics.md says, and named; exact samplers are left alone."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
import pytest

from tests.conformance.laws_to_sample import (
    CountsOf,
    LawSampler,
    SharedUniforms,
    accepting_less,
    canonical,
    large,
    moved,
    seen_by,
    small,
    stopping,
    tempered,
    unmasked,
    without_tail,
)
from tevtheory.conformance.montecarlo import ChooserSampler, Outcome, montecarlo
from tevtheory.conformance.montecarlo.battery import Battery, Claim
from tevtheory.conformance.montecarlo.counts import NOTHING, Counts, Floats
from tevtheory.conformance.montecarlo.nulls import Null
from tevtheory.conformance.montecarlo.sampling import complete, complete_counts, spread
from tevtheory.examples import C2
from tevtheory.exitlaw import canonical_exit_law, completed_law
from tevtheory.laws import Law
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import Exit
from tevtheory.verifiers.catalogue import find

ALPHA = 1e-6
LARGE, SMALL = large(), small()
LARGE_NULL, SMALL_NULL = Null.of(LARGE), Null.of(SMALL)

# Samples for 80% detection at alpha 1e-6 on the large tree of statistics.md, A.2; each run may take three times as many.
FAULTS: dict[str, tuple[Floats, float, str]] = {
    "move 1e-4 onto a 1e-3 cell": (moved(LARGE_NULL, 1e-3, 1e-4)[0], 1.0e7, "cells"),
    "move 1e-4 onto a 1e-6 cell": (moved(LARGE_NULL, 1e-6, 1e-4)[0], 1.5e5, "cells"),
    "unmasked bonus row": (unmasked(LARGE_NULL), 3e2, "support"),
    "acceptance x0.99": (accepting_less(LARGE_NULL, 0.99), 4.6e5, "all nodes"),
    "acceptance x0.9 at every node": (accepting_less(LARGE_NULL, 0.9), 4.6e3, "all nodes"),
    "lost tail": (without_tail(LARGE_NULL), 1.0e5, "tables"),
    "bonus row at temperature 1.01": (tempered(LARGE_NULL, 1.01), 3.2e5, "tables"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found_in_at_most_three_times_the_samples_of_the_table(fault: str) -> None:
    law, samples, expert = FAULTS[fault]
    report = montecarlo(CountsOf(law), LARGE, samples=round(3 * samples), alpha=ALPHA, claim="canonical", seed=1)
    assert report.verdict is Outcome.FAULT
    assert report.cause == expert
    assert f"seen by {expert!r}" in str(report)


@pytest.mark.parametrize(
    "fault", ["unmasked bonus row", "acceptance x0.9 at every node", "bonus row at temperature 1.01", "lost tail"]
)
def test_the_exactness_tables_find_them_too(fault: str) -> None:
    """The next tokens at each node know less: the law of stopping is free. Ten times the samples of the table."""
    law, samples, _ = FAULTS[fault]
    report = montecarlo(CountsOf(law), LARGE, samples=round(10 * samples), alpha=ALPHA, claim="exact", seed=1)
    assert report.verdict is Outcome.FAULT


@pytest.mark.parametrize("claim", ["canonical", "exact"])
def test_one_wrong_acceptance_is_named_by_its_node(claim: Claim) -> None:
    node = 2
    n = round(
        3 * 2 * (math.log(8 / ALPHA) + 3) / (SMALL_NULL.flow[node] * 0.01 * 0.5)
    )  # the planning formula, p >= 1/2
    law = accepting_less(SMALL_NULL, 0.9, node)
    report = montecarlo(CountsOf(law), SMALL, samples=n, alpha=ALPHA, claim=claim, seed=2)
    assert report.verdict is Outcome.FAULT
    assert [fault.node for fault in report.faulty_nodes] == [node]
    assert {fault.node for fault in report.faulty_tokens} <= {node, *SMALL.tree.children[node]}
    assert f"node {node}, path {list(SMALL.tree.path(node))}: log10 e = " in str(report)


@pytest.mark.parametrize("claim", ["canonical", "exact"])
@pytest.mark.parametrize("onto", [1e-3, 1e-6])
def test_mass_moved_between_two_tokens_is_named_by_its_token(onto: float, claim: Claim) -> None:
    law, code = moved(LARGE_NULL, onto, 1e-3)
    report = montecarlo(CountsOf(law), LARGE, samples=300_000, alpha=ALPHA, claim=claim, seed=3)
    worst = report.faulty_tokens[0]
    assert (worst.node, worst.token) == divmod(code, LARGE.vocabulary)
    assert worst.empirical > 1.5 * worst.target
    assert len(report.faulty_tokens) == 1


def test_an_unmasked_row_is_named_by_the_children_it_draws() -> None:
    report = montecarlo(CountsOf(unmasked(SMALL_NULL)), SMALL, samples=1000, claim="canonical")
    assert report.cause == "support"
    children = {divmod(int(code), SMALL.vocabulary) for code in SMALL_NULL.child_codes}
    assert {(fault.node, fault.token) for fault in report.faulty_tokens} <= children
    assert all(fault.target == 0 and fault.log_e == math.inf for fault in report.faulty_tokens)


def test_an_unmasked_row_points_at_inner_nodes_in_the_exactness_tables() -> None:
    report = montecarlo(CountsOf(unmasked(SMALL_NULL)), SMALL, samples=3000, alpha=1e-3, claim="exact")
    assert report.verdict is Outcome.FAULT
    inner = {v for v, children in enumerate(SMALL.tree.children) if children}
    assert {fault.node for fault in report.faulty_nodes} <= inner
    assert report.faulty_nodes[0].node == 0


def test_a_token_of_probability_zero_is_named_at_once() -> None:
    class Zero:
        def sample(self, size: int, _: np.random.Generator) -> tuple[Any, Any]:
            return np.full(size, 2), np.ones(size, dtype=np.int64)  # token 1 after node 2 has probability 0

    for claim in get_args(Claim):
        report = montecarlo(Zero(), C2, samples=10**6, claim=claim)
        assert (report.verdict, report.looks, report.cause) == (Outcome.FAULT, 1, "support")
        assert [(fault.node, fault.token) for fault in report.faulty_tokens] == [(2, 1)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("stop", [0.0, 0.3, 1.0])
def test_exact_samplers_are_not_rejected_up_to_1e7(stop: float, seed: int) -> None:
    """15 runs at alpha 1e-3: a false alarm among them has probability at most 0.015."""
    law = stopping(SMALL_NULL, stop)
    report = montecarlo(CountsOf(law), SMALL, samples=10**7, alpha=1e-3, seed=seed, claim="exact")
    assert report.verdict is Outcome.EXACT_UP_TO
    assert report.log_e["battery"] < math.log(1e3)
    assert abs(report.mean.length - float(law.reshape(8, -1).sum(axis=1) @ SMALL_NULL.lengths)) < 0.01


def test_an_exact_sampler_that_stops_early_is_not_canonical() -> None:
    report = montecarlo(CountsOf(stopping(SMALL_NULL, 0.3)), SMALL, samples=10**6, claim="canonical")
    assert (report.verdict, report.cause, report.looks) == (Outcome.FAULT, "support", 1)


@pytest.mark.parametrize(("name", "claim"), [("tev's walk", "canonical"), ("early stop", "exact")])
def test_verifiers_of_the_catalogue_can_be_sampled(name: str, claim: Claim) -> None:
    report = montecarlo(ChooserSampler(find(name), Problem(C2)), C2, samples=3000, claim=claim)
    assert report.verdict is Outcome.EXACT_UP_TO
    assert "dependence" in report.log_e


def test_a_faulty_verifier_of_the_catalogue_is_found() -> None:
    target = TargetTree(SMALL.tree, SMALL.rows)
    report = montecarlo(ChooserSampler(find("typical"), Problem(target)), target, samples=3000)
    assert report.verdict is Outcome.FAULT


TOY = TargetTree(C2.tree, C2.rows)


@pytest.mark.parametrize("claim", ["canonical", "exact"])
def test_shared_uniforms_are_seen_by_the_dependence_expert_only(claim: Claim) -> None:
    law = canonical(Null.of(TOY))
    fault = montecarlo(SharedUniforms(law, 2, "shared"), TOY, samples=3000, claim=claim)
    assert fault.verdict is Outcome.FAULT
    assert seen_by(fault.log_e, ALPHA) == {"dependence"}
    assert (fault.faulty_nodes, fault.faulty_tokens) == ((), ())
    assert "seen by 'dependence'" in str(fault)
    fair = montecarlo(LawSampler(law, 2), TOY, samples=3000, claim=claim)
    assert fair.verdict is Outcome.EXACT_UP_TO


def test_completion_gives_the_canonical_law() -> None:
    """The completed law of exact arithmetic, within 5 standard deviations in every cell."""
    null, rng, n = Null.of(C2), np.random.default_rng(0), 200_000
    law = Law({Exit(0, 0): "1/2", Exit(0, 1): "1/4", Exit(1, 1): "1/4"})
    codes = {2 * end.node + end.token: float(mass) for end, mass in law.items()}
    right = completed_law(law, C2)
    dense = np.zeros(6)
    dense[list(codes)] = list(codes.values())
    drawn = Counts.of(complete(null, rng.choice(6, n, p=dense), rng))
    counted = complete_counts(null, Counts(np.arange(6), np.rint(dense * n).astype(np.int64)), rng)
    for got in (drawn, counted):
        assert got.total == n
        for code, count in zip(got.codes, got.counts, strict=True):
            p = float(right[Exit(*divmod(int(code), 2))])
            assert abs(count - n * p) <= 5 * math.sqrt(n * p)
    assert right != canonical_exit_law(C2)


def test_completion_leaves_canonical_outcomes_as_they_are() -> None:
    rng = np.random.default_rng(1)
    codes = rng.choice(len(SMALL_NULL.outcomes.p), 1000, p=SMALL_NULL.outcomes.p)
    assert np.array_equal(complete(SMALL_NULL, codes, rng), codes)
    assert complete_counts(SMALL_NULL, Counts.of(codes), rng).total == 1000


def test_rounding_never_draws_what_is_impossible() -> None:
    """After ten cells of 0.1 a rest of 1e-16 is left; with 1e18 draws that would be about a hundred."""
    counts = spread(np.append(np.full(10, 0.1), 0.0), 10**18, np.random.default_rng(0))
    assert (int(counts.sum()), int(counts[10])) == (10**18, 0)


def alarms(claim: Claim, law: Floats, runs: int, seed: int) -> Floats:
    """The largest ln e over 40 looks between 1e2 and 1e6 of each run."""
    grid = np.unique(np.geomspace(1e2, 1e6, 40).astype(np.int64))
    sizes = np.diff(np.concatenate([[0], grid]))
    battery, rng, worst = Battery(SMALL_NULL, claim), np.random.default_rng(seed), []
    for _ in range(runs):
        seen, top = NOTHING, -math.inf
        for size in sizes:
            counts = spread(law, int(size), rng)
            seen = seen.plus(Counts(np.flatnonzero(counts), counts[counts > 0]))
            top = max(top, battery.evidence(seen).log_e)
        worst.append(top)
    return np.array(worst)


@pytest.mark.parametrize(("claim", "stop"), [("canonical", 0.0), ("exact", 0.3)])
def test_false_alarms_over_forty_looks(claim: Claim, stop: float) -> None:
    """300 runs: at most alpha of them may alarm; three standard deviations on top for the luck of 300 runs.

    Were the true rates just alpha, this would fail with probability 0.2%; measured rates are a tenth of alpha.
    """
    worst = alarms(claim, stopping(SMALL_NULL, stop), 300, seed=11)
    for alpha in (0.05, 0.01):
        assert (worst >= math.log(1 / alpha)).sum() <= 300 * alpha + 3 * math.sqrt(300 * alpha)


def test_false_alarms_of_the_dependence_expert() -> None:
    battery, rng, runs = Battery(SMALL_NULL, "canonical"), np.random.default_rng(2), 300
    worst = []
    for _ in range(runs):
        labels = battery.null.groups[rng.choice(len(SMALL_NULL.outcomes.p), 3000, p=SMALL_NULL.outcomes.p)]
        pairs, top = np.zeros((16, 16), dtype=np.int64), -math.inf
        for look in range(30):
            part = labels[max(0, 100 * look - 1) : 100 * look + 100]
            pairs = pairs + np.bincount(part[:-1] * 16 + part[1:], minlength=256).reshape(16, 16)
            top = max(top, battery.dependence(pairs))
        worst.append(top)
    for alpha in (0.05, 0.01):
        assert (np.array(worst) >= math.log(1 / alpha)).sum() <= runs * alpha + 3 * math.sqrt(runs * alpha)
