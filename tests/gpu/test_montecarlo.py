"""Campaigns: verdicts on trees of a model, streams over processes, files that a run goes on from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tevtheory.cli import main
from tevtheory.conformance.montecarlo import Outcome
from tevtheory.errors import InputError
from tevtheory.rows import FloatRow
from tevtheory.targets import TargetTree
from tevtheory.trees import DraftTree
from tevtheory.verdicts import Verdict
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.montecarlo.campaign import Settings, campaign
from tevtheory_gpu.montecarlo.cases import Case
from tevtheory_gpu.montecarlo.prompts import PROMPTS, chosen, read_prompts
from tevtheory_gpu.sampler import ROWS, CountingSampler, TorchSampler
from tevtheory_gpu.verifiers import batched
from tevtheory_gpu.verifiers.batched import BatchedVerifier
from tevtheory_gpu.verifiers.catalogue import CATALOGUE, find

TREE = DraftTree((-1, 0, 0, 1, 1, 3), (-1, 3, 7, 1, 9, 3))
TINY = ["--target", "tiny", "--drafter", "early-exit:1", "--budget", "12", "--depth", "3", "--only", "dialogue"]


def target(vocabulary: int = 40) -> TargetTree:
    rng = np.random.default_rng(0)
    rows = np.exp(rng.normal(size=(TREE.size, vocabulary)) * 1.5)
    for v in range(1, TREE.size):  # children are likely, so that acceptance matters
        rows[TREE.parents[v], TREE.tokens[v]] += rows[TREE.parents[v]].sum() / 2
    return TargetTree(TREE, [FloatRow(row / row.sum()) for row in rows])


CASE = Case("toy", "tests", target(), {"made": "here"}, {3: "a", 7: "b", 1: "c", 9: "d"})
EXACT = [entry for entry in CATALOGUE if entry.twin.claim in (Verdict.CANONICAL, Verdict.EXACT)]
LOSSY = [entry for entry in CATALOGUE if entry.twin.claim is Verdict.LOSSY and "softmax" not in entry.name]


@pytest.mark.parametrize("verifier", [*EXACT, *LOSSY], ids=lambda entry: entry.name)
def test_verdicts_are_the_claimed_ones(verifier: BatchedVerifier[Any]) -> None:
    (finding,) = campaign([CASE], [verifier], Settings(200_000))
    assert finding.expected, str(finding.report)
    faulty = finding.report.verdict is Outcome.FAULT
    assert faulty == (verifier in LOSSY)
    if verifier.twin.claim is Verdict.CANONICAL:
        gap = finding.report.mean.length - CASE.ceiling
        assert abs(gap) < 5 * finding.report.mean.standard_error
    if verifier.twin.claim is Verdict.EXACT:
        assert finding.report.mean.length < CASE.ceiling - 5 * finding.report.mean.standard_error


def test_a_planted_fault_is_a_fault_with_its_node_named() -> None:
    def unmasked(forest: Forest) -> Any:
        plan = find("TEV").prepare(forest)
        return type(plan)(plan.exits, batched.Bonus.of(forest, forest.rows))

    tev = next(entry for entry in CATALOGUE if entry.name == "TEV")
    (finding,) = campaign([CASE], [BatchedVerifier(tev.twin, unmasked, tev.walk)], Settings(200_000))
    assert finding.report.verdict is Outcome.FAULT
    assert not finding.expected
    data = finding.as_data()
    assert data["expected"] is False
    assert data["report"]["faulty_tokens"]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_division_of_the_streams_gives_the_same_counts(dtype: str) -> None:
    forest = Forest.of([CASE.target], getattr(torch, dtype))
    sampler = TorchSampler(find("seed-synchronous"), forest)
    whole = CountingSampler(sampler, 4, range(4)).count(10_001, np.random.default_rng(1))
    parts = np.zeros(forest.nodes * forest.vocabulary, dtype=np.int64)
    for mine in ([0], [1, 2], [3]):
        codes, counts = CountingSampler(sampler, 4, mine).count(10_001, np.random.default_rng(1))
        parts[codes] += counts
    nodes, tokens = sampler.sample(10_001, np.random.default_rng(1))
    plain = np.bincount(nodes * forest.vocabulary + tokens, minlength=len(parts))
    assert np.array_equal(parts[whole[0]], whole[1])
    assert parts.sum() == 10_001
    assert np.array_equal(parts, plain)


def test_rows_at_a_time_and_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sampler = TorchSampler(find("residual in given"), Forest.of([CASE.target]))
    once = sampler.sample(5000, np.random.default_rng(2))
    monkeypatch.setitem(ROWS, "cpu", 333)
    again = sampler.sample(5000, np.random.default_rng(2))
    assert all(np.array_equal(a, b) for a, b in zip(once, again, strict=True))
    assert len(sampler.sample(0, np.random.default_rng(2))[0]) == 0


def test_a_case_is_read_back_and_another_origin_is_refused(tmp_path: Path) -> None:
    assert Case.load(tmp_path, "toy", CASE.origin) is None
    CASE.save(tmp_path)
    loaded = Case.load(tmp_path, "toy", CASE.origin)
    assert loaded is not None
    assert (loaded.target, loaded.words) == (CASE.target, CASE.words)
    with pytest.raises(InputError, match="expected trees of this very run, got another made"):
        Case.load(tmp_path, "toy", {"made": "elsewhere"})
    assert CASE.path(3) == "'ac'"


# ---- prompts


def test_there_are_ten_prompts_and_the_first_three_are_of_three_domains() -> None:
    assert len(PROMPTS) == 10
    assert len({prompt.domain for prompt in PROMPTS[:3]}) == 3
    assert [p.name for p in chosen(PROMPTS, ["code"], 2)] == ["merge-function", "best-customers"]
    with pytest.raises(InputError, match="expected the name or domain of a prompt, got 'poetry'"):
        chosen(PROMPTS, ["poetry"], None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected at least one prompt, got an empty file"),
        ("nonsense", "line 1: expected a JSON object"),
        ('{"text": "hi"}', 'expected an object with the text "prompt"'),
        ('{"prompt": "hi", "name": "../up"}', "expected a name of letters, digits"),
        ('{"prompt": "hi", "answer": 3}', 'expected a text as "answer"'),
        ('{"prompt": "a", "name": "x"}\n{"prompt": "b", "name": "x"}', "expected names that differ, got 'x' twice"),
    ],
)
def test_a_wrong_file_of_prompts_says_what_is_wrong(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_prompts(file)


def test_prompts_are_read_from_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"
    file.write_text('{"prompt": "one"}\n\n{"prompt": "two", "name": "second", "domain": "d", "answer": "So"}\n')
    first, second = read_prompts(file)
    assert (first.name, first.domain, first.text, first.answer) == ("prompt-1", "own", "one", "")
    assert (second.name, second.answer) == ("second", "So")


# ---- the command


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(["montecarlo", *arguments])
    captured = capsys.readouterr()
    return int(left.value.code or 0), captured.out, captured.err


def test_the_command_shows_verdicts_and_writes_them(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    options = [*TINY, "--most", "2", "--samples", "3e4", "--verifiers", "TEV's walk,residual in given", "--out"]
    status, out, _ = run(capsys, *options, str(tmp_path / "run"))
    assert status == 0
    assert out.count("EXACT UP TO TV <=") == 4
    assert "Every verdict is as claimed." in out
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    assert results["finished"]
    assert [entry["case"] for entry in results["findings"]] == ["greeting"] * 2 + ["recipe"] * 2
    assert {file.suffix for file in (tmp_path / "run").iterdir()} == {".npz", ".json", ".svg"}


def findings(folder: Path) -> Any:
    entries = json.loads((folder / "results.json").read_text())["findings"]
    for entry in entries:
        del entry["seconds"]
        del entry["report"]["note"]
    return entries


def test_a_run_goes_on_from_its_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    options = [*TINY, "--most", "1", "--samples", "2e4", "--verifiers", "nested,seed-synchronous", "--out"]
    assert run(capsys, *options, str(tmp_path / "whole"))[0] == 0
    half = tmp_path / "half"
    assert run(capsys, *[*options[:-3], "--verifiers", "nested", "--out"], str(half))[0] == 0
    before = (half / "greeting--nested-intervals.npz").stat().st_mtime_ns
    assert run(capsys, *options, str(half), "--resume")[0] == 0
    assert findings(half) == findings(tmp_path / "whole")
    assert (half / "greeting--nested-intervals.npz").stat().st_mtime_ns == before  # what was done is not done again
    status, _, err = run(capsys, *options, str(half), "--resume", "--budget", "11")
    assert status == 2
    assert "got another budget" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--resume"], "--resume: expected a folder to go on from, got no --out"),
        (["--samples", "0"], "--samples: expected a number of samples >= 1, got 0"),
        (["--dtype", "bfloat16"], "--dtype: expected float64 or float32"),
        (["--verifiers", "tev 9"], "expected the name of one verifier, got 'tev 9'"),
        (["--only", "poetry"], "expected the name or domain of a prompt"),
        (["--builder", "oak"], "builder: expected the name of one"),
        (["--drafter", "oracle-of-delphi"], "drafter: expected early-exit:LAYERS"),
        (["--temperature", "-1"], "sampling, temperature: expected temperature >= 0"),
        (["--target", "no-such-model"], "no-such-model"),
    ],
)
def test_misuse_has_exit_status_two_and_says_what_to_do(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    status, _, err = run(capsys, *TINY, *options)
    assert status == 2
    assert message in " ".join(err.split())


def test_two_processes_count_what_one_process_counts_over_the_same_streams(tmp_path: Path) -> None:
    options = [*TINY, "--most", "1", "--samples", "2e4", "--verifiers", "tev's walk,cumulative walk acc", "--out"]
    one, two = tmp_path / "one", tmp_path / "two"
    command = [sys.executable, "-m", "tevtheory", "montecarlo", *options, str(one), "--streams", "2"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run(command, check=True, env=environment, capture_output=True, timeout=300)
    spread = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "tevtheory"]
    done = subprocess.run(
        [*spread, "montecarlo", *options, str(two)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Every verdict is as claimed.") == 1  # one process speaks
    assert findings(one) == findings(two)
    assert json.loads((two / "results.json").read_text())["processes"] == 2


@pytest.mark.weights
def test_verdicts_on_a_tree_of_smollm2(smollm2: Any, capsys: pytest.CaptureFixture[str]) -> None:
    verifiers = "TEV's walk,predraw and follow,residual in given,cumulative walk acc"
    status, out, _ = run(capsys, "--only", "merge-function", "--samples", "1e5", "--verifiers", verifiers)
    assert status == 0, out
    assert out.count("EXACT UP TO TV <=") == 3
    assert out.count("FAULT") == 1
