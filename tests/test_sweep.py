from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster

from tevtheory.conformance import Finding, Tally
from tevtheory.enumeration import chunks
from tevtheory.errors import InputError, MissingDependency
from tevtheory.examples import C2
from tevtheory.exitlaw import ceiling
from tevtheory.sweep import Plan, Tallies, Workers, judge_chunk, run_chunk, sweep
from tevtheory.targets import Problem
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.catalogue import CATALOGUE, find

SMALL = Plan.default(max_nodes=5, patterns=["generic", "zeros", "one-hot"], only=["nested", "early stop", "ratio"])


def merged(parts: list[Tallies]) -> Tallies:
    whole: Tallies = {}
    for part in parts:
        for name, tally in part.items():
            whole.setdefault(name, Tally()).merge(tally)
    return whole


def summary(tallies: Tallies) -> dict[str, Any]:
    return {
        name: (t.trees, t.paths, t.verdict, t.low, t.high, t.worst, t.largest_regret, t.counterexample)
        for name, t in sorted(tallies.items())
    }


DIRECT = summary(merged([run_chunk(chunk, SMALL) for chunk in SMALL.chunks()]))


def test_the_default_plan_is_the_one_documented() -> None:
    plan = Plan.default()
    assert plan.max_nodes == {"generic": 12, "zeros": 7, "ordered": 8, "ties": 9, "one-hot": 8, "uniform": 9}
    assert plan.verifiers == tuple(verifier.name for verifier in CATALOGUE)
    problems = {name: sum(c.problems for c in chunks(name, largest)) for name, largest in plan.max_nodes.items()}
    assert problems == {"generic": 7813, "zeros": 22575, "ordered": 626, "ties": 486, "one-hot": 1446, "uniform": 486}


def test_max_nodes_only_lowers_a_pattern() -> None:
    assert Plan.default(max_nodes=8).max_nodes["zeros"] == 7
    assert Plan.default(max_nodes=3).max_nodes["zeros"] == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_nodes": 0}, "max nodes: expected at least 1 node, got 0"),
        ({"patterns": ["nope"]}, "expected a row pattern, got 'nope'"),
        ({"only": ["nope"]}, "expected the name of one verifier, got 'nope'"),
    ],
)
def test_a_wrong_plan_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Plan.default(**given)


def test_the_order_of_merging_does_not_matter() -> None:
    parts = [run_chunk(chunk, SMALL) for chunk in SMALL.chunks()]
    assert summary(merged(parts[::-1])) == DIRECT


def test_chunk_size_does_not_matter() -> None:
    fine = [chunk for name, largest in SMALL.max_nodes.items() for chunk in chunks(name, largest, 5)]
    assert summary(merged([run_chunk(chunk, SMALL) for chunk in fine])) == DIRECT


def test_processes_give_what_one_process_gives() -> None:
    assert summary(merged([part for _, part in sweep(SMALL, Workers(jobs=2))])) == DIRECT
    assert summary(merged([part for _, part in sweep(SMALL, Workers(jobs=1, backend="sequential"))])) == DIRECT


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_a_dask_cluster_gives_what_one_process_gives() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:  # type: ignore[no-untyped-call]
        workers = Workers(backend="dask", scheduler=cluster.scheduler_address)
        assert summary(merged([part for _, part in sweep(SMALL, workers)])) == DIRECT


def test_a_dask_backend_without_a_scheduler_is_refused() -> None:
    with pytest.raises(InputError, match="backend dask: expected a scheduler address, got none; add --scheduler"):
        list(sweep(SMALL, Workers(backend="dask")))


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(InputError, match="expected a joblib backend, got 'nope'; choose from loky"):
        list(sweep(SMALL, Workers(backend="nope")))


def test_a_missing_backend_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(MissingDependency, match="the Ray backend needs: pip install ray"):
        list(sweep(SMALL, Workers(backend="ray")))


def test_lossy_claims_are_run_on_smaller_trees_only() -> None:
    chunk = next(c for c in chunks("generic", 10) if c.nodes == 10)
    tallies = judge_chunk(chunk, [find("ratio"), find("autoregressive")])
    assert (tallies["ratio rule with draft softmax"].trees, tallies["autoregressive"].trees) == (0, chunk.problems)


def test_trees_over_the_path_budget_are_counted_and_left_out() -> None:
    chunk = next(c for c in chunks("generic", 5) if c.nodes == 5)
    tally = judge_chunk(chunk, [find("predraw everywhere")])["predraw everywhere"]
    assert tally.trees + tally.over_budget == chunk.problems
    assert (tally.trees, tally.over_budget) == (1, 8)  # the chain has 3^5 paths, every other shape over 4^5


def test_a_canonical_tally_has_no_counterexample() -> None:
    tally, top = Tally(), ceiling(C2)
    tally.add((2, "generic", 0, 0), Problem(C2), Finding(Verdict.CANONICAL, top, top, paths=3))
    assert tally.counterexample is None


def test_a_tally_keeps_the_smallest_tree_of_the_worst_verdict() -> None:
    tally, case = Tally(), Problem(C2)
    top = ceiling(C2)
    tally.add((2, "generic", 0, 0), case, Finding(Verdict.CANONICAL, top, top, paths=3))
    tally.add((5, "generic", 0, 0), case, Finding(Verdict.LOSSY, top, top, Fraction(1, 4), "five"))
    tally.add((3, "zeros", 0, 0), case, Finding(Verdict.LOSSY, top, top, Fraction(1, 8), "three"))
    tally.add((2, "zeros", 0, 0), case, Finding(Verdict.EXACT, top, top / 2, reason="two"))
    assert tally.verdict is Verdict.LOSSY
    assert tally.counterexample is not None
    assert tally.counterexample.finding.reason == "three"
    assert (tally.worst, tally.largest_regret) == (Fraction(1, 4), top / 2)
    assert (tally.low, tally.high, tally.trees, tally.paths) == (Fraction(1, 2), 1, 4, 3)


def test_the_readme_shows_every_verifier_with_its_claimed_verdict() -> None:
    lines = (Path(__file__).parent.parent / "README.md").read_text().splitlines()
    cells = [[cell.strip() for cell in line.strip("│ ").split("│")] for line in lines if line.startswith("│")]
    shown = {row[0]: row[5] for row in cells}
    assert list(shown) == [verifier.name for verifier in CATALOGUE]
    assert all(shown[verifier.name].startswith(verifier.claim.value) for verifier in CATALOGUE)
