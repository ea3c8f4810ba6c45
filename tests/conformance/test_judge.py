"""judge, its checks beside the law, and what the report says."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest

from tests.conformance.subjects_at_hand import chain as chain_verifier
from tests.conformance.subjects_at_hand import follow
from tevtheory.choices import Chooser, Limits, Slot, enumerate_law
from tevtheory.conformance import (
    CHAIN,
    CHILD_MAPS,
    NotExact,
    ProgramSubject,
    Report,
    assert_canonical,
    assert_exact,
    judge,
    over_chooser,
    over_generator,
)
from tevtheory.conformance.contracts import second_call
from tevtheory.errors import InputError
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import DraftTree, Exit
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.catalogue import CATALOGUE, find

TOKEN = Slot("token", per="node")


def failed(report: Report) -> dict[str, str]:
    return {check.name: check.detail for check in report.checks if check.passed is False}


@pytest.mark.parametrize("verifier", CATALOGUE, ids=lambda verifier: verifier.name)
def test_assertions_follow_the_claim(verifier: Any) -> None:
    options: dict[str, Any] = {"max_nodes": 4, "patterns": ("generic",), "contracts": False}
    if verifier.claim.is_exact:
        assert assert_exact(verifier, **options).verdict is verifier.claim
    else:
        with pytest.raises(NotExact, match=f"{verifier.name}: LOSSY BY"):
            assert_exact(verifier, **options)
    if verifier.claim is Verdict.CANONICAL:
        assert_canonical(verifier, **options)
    else:
        with pytest.raises(NotExact):
            assert_canonical(verifier, **options)


def test_judging_stops_at_the_smallest_counterexample_unless_told_to_go_on() -> None:
    first, whole = judge(find("ratio"), max_nodes=4), judge(find("ratio"), max_nodes=4, keep_going=True)
    assert first.tally.trees < whole.tally.trees
    assert first.counterexample == whole.counterexample
    assert first.counterexample is not None
    assert first.counterexample.problem.tree.size == 2


def test_the_report_carries_tree_rows_and_both_exact_values() -> None:
    text = str(judge(find("ratio"), max_nodes=3))
    assert text.startswith("ratio rule with draft softmax: LOSSY BY 35/152\n")
    assert "at node 0, path [], token 0 follows with 1/3, target 1/6" in text
    assert "on the tree [0] with rows" in text
    assert "after []: 1/6, 3/8, 11/24" in text
    assert "E[length] 4/3, ceiling 7/6" in text
    assert re.search(r"trees of up to 3 nodes \(generic, zeros, ties, one-hot; seed 0\)", text)


def test_the_report_of_a_short_verifier_explains_its_regret_by_string() -> None:
    report = judge(find("early stop"), max_nodes=3)
    assert report.counterexample is not None
    finding = report.counterexample.finding
    assert sum(finding.costs.values()) == finding.regret > 0
    assert "because the block may end on [0]" in str(report)


def test_the_data_of_a_report_is_json() -> None:
    for name in ("ratio", "nested", "early stop"):
        data = json.loads(json.dumps(judge(find(name), max_nodes=3).as_data()))
        assert data["name"] == find(name).name
        assert (data["counterexample"] is None) == (name == "nested")


def test_all_checks_run_for_a_canonical_verifier() -> None:
    report = judge(find("TEV's walk"), max_nodes=3)
    assert [(check.name, check.passed) for check in report.checks] == [
        ("second call", True),
        ("labels", True),
        ("super-tree", True),
        ("batch", None),
    ]


def anew(start: Any) -> Any:
    """Fresh buffers for every single run, which hides what a run leaves behind."""

    def restarted(problem: Problem) -> Any:
        def run(chooser: Chooser) -> Exit:
            end: Exit = start(problem)(chooser)
            return end

        return run

    return restarted


class Remembering:
    """Right on the first call; afterwards it emits the token of the call before (uniforms that are never refreshed)."""

    def __init__(self) -> None:
        self.last: int | None = None

    def __call__(self, problem: Problem, chooser: Chooser) -> Exit:
        token = chooser.choose(problem.rows[0], site=(TOKEN, 0))
        before, self.last = self.last, token
        return Exit(0, token if before is None else before)


def test_state_between_calls_is_found() -> None:
    def start(problem: Problem) -> Any:
        memory = Remembering()

        def run(chooser: Chooser) -> Exit:
            return memory(problem, chooser)

        return run

    report = judge(ProgramSubject("remembering", anew(start)), max_nodes=2)
    assert report.verdict is Verdict.EXACT  # fresh state for every run hides it
    report = judge(ProgramSubject("remembering", start), max_nodes=2)
    assert report.verdict is Verdict.BROKEN
    assert report.counterexample is not None
    assert report.counterexample.finding.check == "replay"


def test_a_second_call_on_spent_buffers_is_found() -> None:
    """The first call of a round is right; it leaves its row rotated for the next call on the same buffers."""

    def start(problem: Problem) -> Any:
        row = list(problem.rows[0])

        def run(chooser: Chooser) -> Exit:
            token = chooser.choose(tuple(row), site=(TOKEN, 0))
            row.append(row.pop(0))
            return Exit(0, token)

        return run

    subject = ProgramSubject("spent", start)
    assert judge(ProgramSubject("spent", anew(start)), max_nodes=2).is_exact
    case = Problem(TargetTree(DraftTree((-1,), (-1,)), [["1/3", "2/3"]]))
    fresh: Any = _Fresh(subject)
    detail = second_call(fresh, [case], Limits())
    assert detail == "on tree [] the second call's law differs from the first's, total variation 1/3"


class _Fresh:
    """A subject whose first call always finds fresh buffers, as a single call in production does."""

    tolerance = 0

    def __init__(self, subject: ProgramSubject) -> None:
        self._subject = subject

    def find_law(self, problem: Problem, limits: Limits, calls: int = 1) -> Any:
        if calls == 1:
            return enumerate_law(anew(self._subject.start)(problem))
        return self._subject.find_law(problem, limits, calls)


def test_a_verifier_that_reads_token_ids_is_found_by_renaming() -> None:
    def favours_token_zero(problem: Problem, chooser: Chooser) -> Exit:
        """Stops early where token 0 was drafted: exact, but not equivariant."""
        token = chooser.choose(problem.rows[0], site=(TOKEN, 0))
        child = problem.tree.child(0, token)
        if child is None or token == 0:
            return Exit(0, token)
        return Exit(child, chooser.choose(problem.rows[child], site=(TOKEN, child)))

    report = judge(over_chooser(favours_token_zero), max_nodes=3)
    assert report.verdict is Verdict.EXACT
    assert set(failed(report)) == {"labels"}
    assert "the law does not follow when token x is renamed" in failed(report)["labels"]
    assert not report.is_exact
    with pytest.raises(NotExact, match="but fails: labels"):
        assert_exact(over_chooser(favours_token_zero), max_nodes=3)


def test_a_sibling_that_shortens_the_block_is_found() -> None:
    def gives_up_on_branches(problem: Problem, chooser: Chooser) -> Exit:
        tree = problem.tree
        branching = any(len(children) > 1 for children in tree.children)
        name = "autoregressive" if branching else "predraw and follow"
        return find(name).walk(problem, chooser)

    report = judge(over_chooser(gives_up_on_branches, claim=Verdict.CANONICAL), max_nodes=3, patterns=("generic",))
    assert report.verdict is Verdict.EXACT
    assert set(failed(report)) == {"super-tree"}
    assert "on its super-tree" in failed(report)["super-tree"]


def test_a_tree_verifier_is_compared_with_the_projects_chain_verifier() -> None:
    own = over_generator(chain_verifier, layout=CHAIN)
    agrees = judge(over_generator(follow, layout=CHILD_MAPS), max_nodes=3, chain=own)
    assert failed(agrees) == {}
    differs = judge(find("early stop"), max_nodes=3, chain=own)
    assert set(failed(differs)) == {"chain"}
    assert "away from the chain verifier's" in failed(differs)["chain"]


def test_a_call_that_never_returns_is_a_finding() -> None:
    def endless(problem: Problem, chooser: Chooser) -> Exit:
        while True:
            time.sleep(0.01)

    report = judge(over_chooser(endless), seconds=0.2)
    assert report.verdict is Verdict.BROKEN
    assert report.counterexample is not None
    finding = report.counterexample.finding
    assert (finding.check, finding.reason) == ("time", "a call did not return within 0.2 s")


def test_a_verifier_that_catches_everything_does_not_outlive_the_limit() -> None:
    def stubborn(problem: Problem, chooser: Chooser) -> Exit:
        while True:
            try:
                time.sleep(0.01)
            except Exception:  # noqa: S112  (as bad as code can be)
                continue

    assert judge(over_chooser(stubborn), seconds=0.2).verdict is Verdict.BROKEN


def test_wrong_patterns_are_refused() -> None:
    with pytest.raises(InputError, match="expected a row pattern, got 'nope'"):
        judge(find("TEV's walk"), patterns=("nope",))


def test_a_batch_whose_requests_have_their_own_laws_passes() -> None:
    def together(requests: Any, rng: Any) -> Any:
        return [follow(rows, parents, child_maps, rng) for rows, parents, child_maps in requests]

    report = judge(over_generator(follow, layout=CHILD_MAPS, batch=together), max_nodes=3)
    assert {check.name: check.passed for check in report.checks}["batch"] is True


def test_rows_of_another_request_are_found() -> None:
    def swapped(requests: Any, rng: Any) -> Any:
        (first, *tree), (second, parents, child_maps) = requests
        other = second if first.shape == second.shape else first
        return [follow(other, tree[0], tree[1], rng), follow(second, parents, child_maps, rng)]

    report = judge(over_generator(follow, layout=CHILD_MAPS, batch=swapped), max_nodes=3)
    assert set(failed(report)) == {"batch"}
    assert "request 0's law is" in failed(report)["batch"]


def test_a_batch_that_loses_a_request_is_found() -> None:
    report = judge(over_generator(follow, layout=CHILD_MAPS, batch=lambda *_: []), max_nodes=2)
    assert failed(report) == {"batch": "output: expected 2 outputs for a batch of 2, got []"}


def test_a_batch_that_fails_is_found() -> None:
    report = judge(over_generator(follow, layout=CHILD_MAPS, batch=lambda *_: 1 / 0), max_nodes=2)  # type: ignore[arg-type]
    assert failed(report) == {"batch": "the verifier raised ZeroDivisionError: division by zero"}


def test_without_a_batched_form_the_check_is_not_run() -> None:
    report = judge(find("TEV's walk"), max_nodes=2)
    assert {check.name: check.passed for check in report.checks}["batch"] is None


def test_progress_is_reported_tree_by_tree() -> None:
    seen: list[tuple[int, int]] = []
    report = judge(find("TEV's walk"), max_nodes=3, on_tree=lambda done, there_are: seen.append((done, there_are)))
    assert seen == [(k, report.tally.trees) for k in range(1, report.tally.trees + 1)]
