"""The commands, run as a user would: their output, exit status and files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tevtheory import cli
from tevtheory.choices import Verifier
from tevtheory.cli import main
from tevtheory.enumeration import Chunk
from tevtheory.faults import CONTROLS, FAULTS
from tevtheory.kills import kill_table
from tevtheory.sweep import Plan, Tallies, Workers, run_chunk
from tevtheory.verdicts import Verdict
from tevtheory.verifiers import catalogue

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "c2.json"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    captured = capsys.readouterr()
    return int(left.value.code or 0), captured.out, captured.err


def test_law_prints_the_blocks_of_the_worked_example(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "law", str(EXAMPLE))
    assert status == 0
    rows = [[cell.strip() for cell in line.strip("│ ").split("│")] for line in out.splitlines() if "│" in line]
    assert ["(root)", "b", "b", "1/2"] in rows
    assert ["a", "a", "a a", "1/8"] in rows
    assert ["a b", "a", "a b a", "3/8"] in rows
    assert "Ceiling: E[length] <= 15/8 = 1.875" in out
    assert "variance 55/64" in out
    assert "oracle coverage 1, loss 1/8" in out


def test_law_counts_remaining_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "law", str(EXAMPLE), "--remaining", "2")
    assert (status, "With 2 tokens left: 3/2" in out) == (0, True)


def test_law_shows_the_largest_masses_of_a_large_tree_and_says_what_is_hidden(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, _ = run(capsys, "law", str(EXAMPLE), "--top", "1")
    assert status == 0
    assert "... and 2 nodes of smaller flow" in out
    assert "... and 2 blocks of smaller mass" in out


def test_law_removes_end_of_sequence_nodes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(EXAMPLE.read_text())
    file = tmp_path / "ended.json"
    file.write_text(json.dumps({**data, "end": "b"}))
    status, out, _ = run(capsys, "law", str(file))
    assert status == 0
    assert "End-of-sequence nodes removed: 1." in out
    assert "E[length] <= 3/2" in out


def test_law_escapes_what_comes_from_tokens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "names.json"
    row = {"[bold]x[/bold]": "1/2", "[/]": "1/4", ":v:": "1/4"}
    nodes = [{"row": row}, {"parent": 0, "token": "[/]", "row": row}]
    file.write_text(json.dumps({"vocabulary": list(row), "nodes": nodes}))
    status, out, _ = run(capsys, "law", str(file))
    assert status == 0
    assert "[bold]x[/bold]" in out
    assert "[/] [bold]x[/bold]" in out
    assert "[/] :v:" in out


def node(**keys: object) -> dict[str, object]:
    return {"row": ["1/2", "1/2"], **keys}


BAD_FILES = {
    "cycle": ([node(), node(parent=2, token=0), node(parent=1, token=0)], "expected a tree, got the cycle 1 -> 2 -> 1"),
    "parent after child": (
        [node(), node(parent=2, token=0), node(parent=0, token=0)],
        "a parent before its child (0..0)",
    ),
    "duplicate siblings": ([node(), node(parent=0, token=1), node(parent=0, token=1)], "token 1 twice under node 0"),
    "foreign token": ([node(), node(parent=0, token=2)], "expected a token in 0..1, got 2"),
    "short row": ([{"row": ["1/2", "1/4"]}], "expected a sum of exactly 1, got 3/4 (1/4 too little)"),
    "long row": ([{"row": ["1/2", "3/4"]}], "got 5/4 (1/4 too much)"),
    "negative": ([{"row": ["-1/2", "3/2"]}], "entry 0: expected a number >= 0, got -1/2"),
    "NaN": ([{"row": [float("nan"), 1.0]}], "entry 0: expected a number >= 0, got nan"),
    "mixed": ([{"row": ["1/2", 0.5]}], "expected numbers of one type, got exact ('1/2') and float (0.5)"),
    "mixed rows": (
        [node(), {"parent": 0, "token": 0, "row": [0.5, 0.5]}],
        "floats at node 1 and exact numbers at node 0",
    ),
    "word for a number": ([{"row": ["half", "1/2"]}], "expected a fraction, got the text 'half'"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_misuse_and_says_what_where_and_how(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nodes, message = BAD_FILES[name]
    file = tmp_path / "bad.json"
    file.write_text(json.dumps({"vocabulary": 2, "nodes": nodes}))
    status, out, err = run(capsys, "law", str(file))
    assert (status, out) == (2, "")
    assert message in err
    assert err.startswith("error: ")
    assert "; " in err  # what to do


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["law", "nothing-there.json"], "nothing-there.json: expected a file, got nothing there"),
        (["law", str(ROOT / "pyproject.toml")], "expected a .json or .npz file"),
        (["verify", "--only", "nope"], "expected the name of one verifier, got 'nope'"),
        (["verify", "--patterns", "nope"], "expected a row pattern, got 'nope'"),
        (["verify", "--max-nodes", "0"], "expected at least 1 node, got 0"),
        (["verify", "--max-nodes", "x"], "Invalid value for '--max-nodes'"),
        (["verify", "--backend", "nope"], "expected a joblib backend"),
        (["verify", "--max-nodes", "2", "--json", "no/such/folder/out.json"], "expected a folder to write in"),
        (["verify", "--nope"], "No such option"),
        (["nope"], "No such command"),
    ],
)
def test_misuse_has_exit_status_two(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, *arguments)
    assert status == 2
    assert message in " ".join(err.replace("│", " ").split())


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version")[:2] == (0, "tevtheory 0.1.0\n")
    status, out, _ = run(capsys, "verify", "--help")
    assert status == 0
    for option in ("--max-nodes", "--patterns", "--only", "--jobs", "--json", "--seed", "--backend", "--scheduler"):
        assert option in out


def test_verify_prints_the_table_and_writes_the_same_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "out.json"
    arguments = ["verify", "--max-nodes", "4", "--patterns", "generic,one-hot", "--jobs", "1", "--json", str(file)]
    status, out, _ = run(capsys, *arguments)
    assert status == 0
    assert "Every verdict is the claimed one." in out
    data = json.loads(file.read_text())
    assert data["finished"] is True
    assert data["max_nodes"] == {"generic": 4, "one-hot": 4}
    for entry in data["verifiers"]:
        assert entry["as_claimed"] is True
        cells = [[cell.strip() for cell in line.strip("│ ").split("│")] for line in out.splitlines() if "│" in line]
        (row,) = [row for row in cells if row[0] == entry["name"]]
        assert row[2] == f"{entry['trees']:,}"
        assert row[4] == f"{entry['paths']:,}"
        assert row[5].startswith(entry["verdict"])
        if entry["verdict"] == Verdict.LOSSY.value:
            assert entry["counterexample"]["nodes"] <= 3
            assert entry["counterexample"]["finding"] in out


def test_the_counterexample_in_the_json_is_a_problem_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "out.json"
    run(capsys, "verify", "--max-nodes", "3", "--only", "ratio", "--jobs", "1", "--json", str(file))
    (entry,) = json.loads(file.read_text())["verifiers"]
    problem = tmp_path / "problem.json"
    problem.write_text(json.dumps(entry["counterexample"]["problem"]))
    status, out, _ = run(capsys, "law", str(problem))
    assert (status, entry["counterexample"]["ceiling"] in out) == (0, True)


def test_a_verdict_other_than_the_claim_has_exit_status_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    liar = catalogue.find("autoregressive")
    liar = Verifier(liar.name, liar.walk, liar.slots, liar.source, Verdict.CANONICAL, liar.prepare)
    monkeypatch.setattr(catalogue, "CATALOGUE", (liar,))
    arguments = ["verify", "--only", "autoregressive", "--max-nodes", "3", "--backend", "sequential"]
    status, out, _ = run(capsys, *arguments)
    assert status == 1
    assert "EXACT, REGRET up to" in out
    assert "claimed EXACT, CANONICAL" in out
    assert "NOT AS CLAIMED: autoregressive." in out


def test_trees_too_small_for_a_counterexample_are_not_a_pass(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "verify", "--only", "ratio", "--max-nodes", "1", "--jobs", "1")
    assert status == 1
    assert "A better verdict than claimed may only mean that the trees were too small to tell." in out


def hearing() -> None:
    """Jobs that a shell runs in the background ignore the signal, and so would what they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_prints_what_is_done_and_exits_130(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    command = [sys.executable, "-m", "tevtheory", "verify", "--json", str(file), "--jobs", "2"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hearing,  # noqa: PLW1509  (no threads here)
    ) as process:
        time.sleep(6)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted: the table holds what was done." in out
    assert "Traceback" not in err
    assert json.loads(file.read_text())["finished"] is False


def test_an_interrupted_sweep_keeps_the_chunks_that_are_done(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(plan: Plan, _: Workers) -> Iterator[tuple[Chunk, Tallies]]:
        for chunk in plan.chunks()[:2]:
            yield chunk, run_chunk(chunk, plan)
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "sweep", interrupted)
    file = tmp_path / "out.json"
    status, out, _ = run(capsys, "verify", "--max-nodes", "4", "--only", "nested", "--json", str(file))
    assert status == 130
    assert "Interrupted" in out
    (entry,) = json.loads(file.read_text())["verifiers"]
    assert (entry["trees"], entry["verdict"]) == (2, "EXACT, CANONICAL")


def test_the_same_seed_gives_the_same_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = []
    for i, (seed, jobs) in enumerate([("5", "1"), ("5", "2"), ("6", "1")]):
        file = tmp_path / f"{i}.json"
        run(capsys, "verify", "--max-nodes", "4", "--seed", seed, "--jobs", jobs, "--json", str(file))
        tables.append(json.loads(file.read_text())["verifiers"])
    assert tables[0] == tables[1] != tables[2]


def test_faults_prints_the_kill_table(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "faults")
    assert status == 0
    assert f"{len(FAULTS)} of {len(FAULTS)} faults killed by the check expected, {len(CONTROLS)} of" in out
    for fault in FAULTS:
        assert f"│ {fault.id} " in out


def test_a_surviving_fault_has_exit_status_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "kill_table", lambda: kill_table(without=frozenset({"labels"})))
    status, out, _ = run(capsys, "faults")
    assert status == 1
    assert "NOT AS EXPECTED: " in out


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def without(name: str) -> Callable[..., None]:
        def called(**_: object) -> None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

        return called

    monkeypatch.setattr(cli, "app", without("torch"))
    with pytest.raises(SystemExit) as left:
        main(["montecarlo"])
    assert left.value.code == 2
    assert 'pip install "tevtheory[gpu]"' in capsys.readouterr().err
    monkeypatch.setattr(cli, "app", without("something_of_our_own"))
    with pytest.raises(ModuleNotFoundError):
        main(["montecarlo"])


def test_commands_that_cannot_be_loaded_leave_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = EntryPoint("guest", "no_such_package.commands:app", "tevtheory.commands")
    monkeypatch.setattr(cli, "entry_points", lambda **_: [broken])
    before = len(cli.app.registered_commands)
    cli._add_commands()
    assert len(cli.app.registered_commands) == before
    assert "the commands of no_such_package.commands:app could not be loaded" in capsys.readouterr().err
