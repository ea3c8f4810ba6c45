"""The evidence that the torch half offers to `tevtheory prove`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tevtheory.proofs_check.checks import Check
from tevtheory.proofs_check.evidence import NotRun, Refuted
from tevtheory.proofs_check.statements import FAMILIES
from tevtheory.proofs_check.table import _offered, _result
from tevtheory_gpu import evidence
from tevtheory_gpu.evidence import CHECKS


def test_the_checks_are_offered_one_a_family() -> None:
    assert [check.statements for check in _offered()] == [(f"attainment/{family}",) for family in FAMILIES]


def test_without_weights_nothing_is_claimed(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evidence._case.cache_clear()
    with pytest.raises(NotRun, match="tevtheory models get smollm2-135m"):
        CHECKS[0].run(1000, False)
    assert _result(CHECKS[0], 1000)[:2] == ("not run", 0)


@pytest.mark.weights
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.statements[0])
def test_every_family_passes_on_a_real_tree_and_a_lossy_verifier_does_not(smollm2: Any, check: Check) -> None:
    assert check.run(20_000, False) > 10_000
    with pytest.raises(Refuted, match="FAULT"):
        check.run(200_000, True)
