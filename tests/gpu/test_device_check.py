"""The device checks, dry-run on the CPU: they pass, say what they did, and fail where a verifier is wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tevtheory.choices import Slot
from tevtheory_gpu import device_check
from tevtheory_gpu.device_check import DRY, main
from tevtheory_gpu.tapes import ArrayTape


def test_a_dry_run_passes_and_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "results.json"
    assert main(["--dry-run", "--samples", "1e5", "--out", str(out)]) == 0
    assert "all passed" in capsys.readouterr().out
    results = json.loads(out.read_text())
    assert {
        "date",
        "device",
        "command",
        "philox",
        "tape test",
        "tree pass",
        "law of TEV",
        "throughput",
    } <= results.keys()
    assert all(entry["passed"] for entry in results.values() if isinstance(entry, dict) and "passed" in entry)
    assert results["law of cumulative walk acc 4/5"]["claimed exact"] is False


def one_address(self: ArrayTape, slot: Slot, index: int | torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """A faulty tape: every draw at a slot is the first one."""
    return self._column(slot)[rows, 0]


def test_a_wrong_verifier_fails_its_check(monkeypatch: pytest.MonkeyPatch) -> None:
    small = replace(DRY, samples=100_000)
    target = device_check._real_tree(small)
    assert device_check._law(small, "TEV", target, True)["passed"]
    assert not device_check._law(small, device_check.LOSSY, target, True)["passed"]
    assert not device_check._law(small, "TEV", target, False)["passed"]
    monkeypatch.setattr(ArrayTape, "uniform", one_address)
    found: Any = device_check._tape_test(replace(DRY, rows=50))
    assert not found["passed"]
    assert found["differ"]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "run with --dry-run" in capsys.readouterr().err
