from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from tevtheory.errors import InputError
from tevtheory.examples import C2
from tevtheory.exitlaw import ceiling
from tevtheory.proofs_check import STATEMENTS, Certificate, Refused, as_data, check_certificate, evidence_table
from tevtheory.proofs_check.checks import CHECKS, Check
from tevtheory.proofs_check.evidence import KINDS, Evidence, Refuted
from tevtheory.proofs_check.exhaustive import members
from tevtheory.proofs_check.lp import problems, rounded_certificate, solve, universal_certificate
from tevtheory.proofs_check.mechanised import THEOREMS, mechanised
from tevtheory.proofs_check.random_checks import sampled
from tevtheory.proofs_check.statements import FAMILIES, statement
from tevtheory.proofs_check.table import QUICK, collect
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.catalogue import CATALOGUE
from tevtheory.weights import exact

ROOT = Path(__file__).parent.parent.parent
BY_MACHINE = [kind for kind in KINDS if kind != "mechanised"]


def named(check: Check) -> str:
    return f"{check.kind}-{check.statements[0]}-{check.what[:5]}"


@pytest.mark.parametrize("check", CHECKS, ids=named)
def test_every_check_passes_at_small_size(check: Check) -> None:
    assert check.run(check.sizes[QUICK], False) > 0


@pytest.mark.parametrize("check", CHECKS, ids=named)
def test_every_falsified_check_is_refused(check: Check) -> None:
    with pytest.raises(Refuted):
        check.run(max(check.sizes[QUICK], 4), True)


def test_the_table_of_a_quick_run_has_evidence_for_every_statement() -> None:
    # What other packages offer may lack what it needs; it is tested where it is made.
    results = [entry for entry in collect(BY_MACHINE, QUICK) if entry.outcome != "not run"]
    assert {entry.outcome for entry in results} == {"proved", "checked"}
    assert {entry.statement for entry in results} == {entry.id for entry in STATEMENTS}
    assert {entry.kind for entry in results} == set(BY_MACHINE)
    assert all(entry.count > 0 for entry in results)
    console = Console(width=250)
    with console.capture() as capture:
        console.print(evidence_table(results))
    assert len(re.findall(r"(proved|checked) \d", capture.get())) == len(results)


MAIN = {"exit-sum", "coverage-identity", "ceiling", "uniqueness", *(f"attainment/{family}" for family in FAMILIES)}


def test_every_statement_has_three_kinds_of_evidence_and_the_main_ones_five() -> None:
    for entry in STATEMENTS:
        kinds = {check.kind for check in CHECKS if entry.id in check.statements}
        kinds |= {"mechanised"} if entry.id in THEOREMS else set()
        assert len(kinds) >= (5 if entry.id in MAIN else 3), (entry.id, kinds)


def test_data_carry_the_sentence() -> None:
    entry = Evidence("exit-sum", "symbolic", "proved", 3, "said", 0.5)
    assert as_data([entry]) == [
        {
            "statement": "exit-sum",
            "kind": "symbolic",
            "outcome": "proved",
            "count": 3,
            "what": "said",
            "seconds": 0.5,
            "sentence": "The exit masses sum to 1.",
        }
    ]


def test_statements_name_files_that_exist_and_are_named_once() -> None:
    assert len({entry.id for entry in STATEMENTS}) == len(STATEMENTS)
    for entry in STATEMENTS:
        assert all((ROOT / file).is_file() for file in entry.claimed_in)
        assert statement(entry.id) is entry
    with pytest.raises(InputError, match="statements: expected the id of a statement, got 'nope'"):
        statement("nope")


def test_every_canonical_verifier_is_in_one_family() -> None:
    canonical = [entry.name for entry in CATALOGUE if entry.claim is Verdict.CANONICAL]
    assert sorted(entry.name for family in FAMILIES for entry in members(family)) == sorted(canonical)


def test_only_names_statements_groups_and_kinds() -> None:
    found = list(collect(["attainment", "exhaustive"], QUICK))
    assert {entry.statement for entry in found} == {f"attainment/{family}" for family in FAMILIES}
    assert {entry.kind for entry in found} == {"exhaustive"}
    assert [entry.kind for entry in collect(["end-of-sequence", "smt"], QUICK)] == []
    with pytest.raises(InputError, match="only: expected a statement or a kind of evidence, got 'nope'"):
        list(collect(["nope"], QUICK))


@pytest.mark.parametrize(("package", "kind"), [("flint", "symbolic"), ("z3", "smt"), ("scipy", "lp")])
def test_a_missing_tool_is_not_run(package: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    results = [entry for entry in collect([kind], QUICK) if "passes the exact checker, generic" not in entry.what]
    assert {entry.outcome for entry in results} == {"not run"}
    assert {(entry.count, entry.what) for entry in results} == {(0, f"the package {package} is not installed")}
    console = Console(width=250)
    with console.capture() as capture:
        console.print(evidence_table(results))
    assert "not run" in capture.get()
    assert "proved" not in capture.get()


def test_a_failed_or_broken_check_is_shown_as_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    check = next(entry for entry in CHECKS if (entry.statements, entry.kind) == (("oracle",), "exhaustive"))

    def breaks(size: int, falsify: bool) -> int:
        raise ZeroDivisionError("planted")

    for run, what in (
        (lambda size, _: check.run(size, True), "largest"),
        (lambda *_: 0, "no instance"),
        (breaks, "ZeroDivisionError: planted"),
    ):
        monkeypatch.setattr("tevtheory.proofs_check.checks.CHECKS", (replace(check, run=run),))
        (entry,) = collect(["oracle", "exhaustive"], QUICK)
        assert (entry.outcome, entry.count) == ("failed", 0)
        assert what in entry.what


# Certificates


def test_the_universal_certificate_proves_the_ceiling() -> None:
    for target in problems(5):
        assert check_certificate(universal_certificate(target)) == ceiling(target)


def test_the_checker_loads_no_solver_and_no_producer() -> None:
    program = "import sys, tevtheory.proofs_check.certificates; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    tops = {name.partition(".")[0] for name in loaded}
    assert not tops & {"scipy", "z3", "flint", "sympy", "rich"}
    assert not {name for name in loaded if name.startswith("tevtheory.exitlaw")}
    assert "tevtheory.proofs_check.lp" not in loaded


GOOD = universal_certificate(C2)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda c: replace(c, value="2"), r"the law has E\[length\] 15/8, not 2"),
        (lambda c: replace(c, mu="2"), "the dual numbers have the value 23/8, not 15/8"),
        (lambda c: replace(c, mu="1/2"), "the dual constraint of exit .* fails by 1/2"),
        (lambda c: replace(c, y=("0", "1", "0")), r"the dual constraint of exit \(2, 0\) fails by 1"),
        (lambda c: replace(c, y=("0", "-1", "3")), "a negative dual number"),
        (lambda c: replace(c, y=("1", "1", "1")), "the root has no dual number"),
        (lambda c: replace(c, y=("0", "1")), "one entry per node"),
        (lambda c: replace(c, z={(0, 0): "1"}), "z is for exits off the tree"),
        (lambda c: replace(c, z={(0, 1): "1"}), "the dual numbers have the value 19/8"),
        (lambda c: replace(c, law={**c.law, (0, 1): "3/4", (2, 0): "1/8"}), r"exit \(0, 1\) has 3/4, above 1/2"),
        (lambda c: replace(c, law={**c.law, (0, 1): "1/4"}), "the masses do not sum to 1"),
        (lambda c: replace(c, law={**c.law, (0, 1): "-1/2", (0, 0): "1"}), "a negative mass"),
        (lambda c: replace(c, law={(2, 0): "1"}), "P.block starts with node 1. is 1, above its flow 1/2"),
        (lambda c: replace(c, law={**c.law, (7, 0): "0"}), "an exit that this tree does not have"),
        (lambda c: replace(c, law={(0, 1): "1/2", (0, 0): "1/2"}), r"the law has E\[length\] 1, not 15/8"),
        (lambda c: replace(c, rows=(("1/2", "1/3"), *c.rows[1:])), "row 0 is no law"),
        (lambda c: replace(c, parents=(-1, 0, 2)), "node 2 must come after its parent"),
        (lambda c: replace(c, parents=(0, 0, 1)), "node 0 must be the root"),
        (lambda c: replace(c, parents=(-1, 0, 0), tokens=(-1, 0, 0)), "node 2 is the second child of token 0"),
        (lambda c: replace(c, tokens=(-1, 0, 2)), "node 2 has the unknown token 2"),
    ],
)
def test_a_tampered_certificate_is_refused(change: Callable[[Certificate], Certificate], reason: str) -> None:
    assert check_certificate(GOOD) == ceiling(C2)
    with pytest.raises(Refused, match=reason):
        check_certificate(change(GOOD))


def test_a_certificate_that_does_not_prove_uniqueness_may_not_claim_it() -> None:
    rows = (("1/2", "1/2"), ("1", "0"))
    law = {(0, 1): "1/2", (1, 0): "1/2"}
    loose = Certificate((-1, 0), (-1, 0), rows, law, "2", ("0", "0"), "3/2", {})
    with pytest.raises(Refused, match="the dual numbers have the value 2, not 3/2"):
        check_certificate(loose)
    duals = Certificate((-1, 0), (-1, 0), rows, law, "1", ("0", "0"), "3/2", {(1, 0): "1", (1, 1): "1"})
    assert check_certificate(duals) == exact("3/2")
    with pytest.raises(Refused, match="an optimal block may end on a child of node 0"):
        check_certificate(replace(duals, unique=True))


def test_the_rounded_dual_numbers_of_highs_prove_the_ceiling() -> None:
    for target in problems(4):
        assert check_certificate(rounded_certificate(target, solve(target))) == ceiling(target)


# Mechanised


def test_without_coqc_nothing_is_mechanised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    results = list(collect(["mechanised"], QUICK))
    assert {entry.statement for entry in results} == set(THEOREMS)
    assert {(entry.outcome, entry.count, entry.what) for entry in results} == {
        ("not run", 0, "coqc is not on the PATH")
    }


@pytest.mark.parametrize(
    ("script", "source", "outcome", "what"),
    [
        (None, "", "not run", "there is no coq/check.sh, or no bash"),
        ("exit 0", "Theorem exit_sum1 : True.", "proved", "Coq: exit_sum1"),
        ("exit 0", "Theorem other : True.", "not run", "no theorem exit_sum1"),
        ("echo broken >&2; exit 3", "Theorem exit_sum1 : True.", "failed", "check.sh gave 3: broken"),
    ],
)
def test_the_script_decides(
    script: str | None, source: str, outcome: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tevtheory.proofs_check.mechanised.shutil.which", lambda name: f"/bin/{name}")
    (tmp_path / "exitlaw.v").write_text(source)
    if script is not None:
        (tmp_path / "check.sh").write_text(script)
    (entry,) = mechanised(["exit-sum", "scope"], tmp_path)
    assert entry.outcome == outcome
    assert what in entry.what


def test_sampling_alone_sees_a_short_verifier() -> None:
    with pytest.raises(Refuted, match="early stop"):
        sampled("tev", 500, falsify=True)
