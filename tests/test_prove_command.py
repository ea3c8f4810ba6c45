"""`tevtheory prove`, as a user would run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tevtheory import cli
from tevtheory.cli import main
from tevtheory.proofs_check.evidence import Evidence


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(["prove", *arguments])
    captured = capsys.readouterr()
    return int(left.value.code or 0), captured.out, captured.err


def test_the_scope_is_shown_and_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "evidence.json"
    status, out, _ = run(capsys, "--only", "scope", "--json", str(file))
    assert status == 0
    assert "scope" in out
    assert "Nothing failed." in out
    entries = json.loads(file.read_text())
    assert {entry["statement"] for entry in entries} == {"scope"}
    assert all(entry["sentence"] for entry in entries)


def test_a_failure_has_exit_status_one_and_a_missing_tool_is_no_pass(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [
        Evidence("ceiling", "smt", "failed", 0, "at the chain of 3 nodes", 0.1),
        Evidence("ceiling", "mechanised", "not run", 0, "coqc is not on the PATH", 0.0),
    ]
    monkeypatch.setattr(cli, "run", lambda *_: found)
    status, out, _ = run(capsys)
    assert status == 1
    assert "FAILED ceiling, smt: at the chain of 3 nodes" in out
    assert "not run, mechanised: coqc is not on the PATH" in out
    assert "Nothing failed" not in out


def test_an_unknown_statement_is_misuse(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "--only", "nope")
    assert status == 2
    assert "expected a statement or a kind of evidence, got 'nope'; choose from exit-sum" in err
