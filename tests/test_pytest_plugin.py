"""The plugin's test ids, exit statuses, texts, options, marker and fixtures; and how a verifier is found by its address."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tevtheory.verifiers.catalogue
from tests.meta.test_import import ALLOWED, imported_by
from tevtheory.conformance.contracts import CONTRACTS
from tevtheory.conformance.loading import WRAP, load_subject, load_target
from tevtheory.errors import InputError

TEV = "tevtheory.verifiers.tev:TEV"
FILES = {
    # Odd tokens stop the walk, drafted or not: exact, and not the same for all labels.
    "odd": """
        from tevtheory.choices import Slot
        from tevtheory.conformance import over_chooser
        from tevtheory.trees import Exit
        from tevtheory.verdicts import Verdict

        TOKEN = Slot("token", per="node")

        def walk(problem, chooser):
            node = 0
            while True:
                token = chooser.choose(problem.rows[node], site=(TOKEN, node))
                child = problem.tree.child(node, token)
                if child is None or token % 2:
                    return Exit(node, token)
                node = child

        ODD = over_chooser(walk)
        CLAIMED = over_chooser(walk, claim=Verdict.CANONICAL)
    """,
    "lossy": """
        from tevtheory.choices import Slot
        from tevtheory.conformance import over_chooser
        from tevtheory.trees import Exit
        from tevtheory.verdicts import Verdict

        FIRST = over_chooser(lambda problem, chooser: Exit(0, 0), name="token 0", claim=Verdict.LOSSY)
        OUTSIDE = over_chooser(lambda problem, chooser: Exit(99, 0), name="outside")
    """,
}


@pytest.fixture(autouse=True)
def _verifiers(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(**FILES)


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    others = [f"-pno:{name}" for name in ("cacheprovider", "benchmark", "hypothesispytest", "xdist")]
    return pytester.runpytest_inprocess(*others, *arguments)


def outcomes(result: pytest.RunResult) -> dict[str, str]:
    """Outcome by test id, of a verbose run."""
    found = re.findall(r"^(\S+::.+?) (PASSED|FAILED|SKIPPED|ERROR)\b", result.stdout.str(), re.MULTILINE)
    return dict(found)


# The suite --------------------------------------------------------------------------------------------------------------


def test_every_check_is_a_test(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--tevtheory", TEV, "--tevtheory-max-nodes", "3", "-v")
    names = ["exact law", "claim", *CONTRACTS]
    expected = {f"tevtheory::{TEV}::{name}": "PASSED" for name in names}
    assert outcomes(result) == {**expected, f"tevtheory::{TEV}::batch": "SKIPPED"}  # TEV brings no batched form
    assert result.ret == 0


def test_without_a_claim_there_is_no_such_test_and_without_the_ceiling_no_super_tree(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--tevtheory", "odd:ODD", "--tevtheory-max-nodes", "3", "-v", "-rs")
    assert outcomes(result) == {
        "tevtheory::odd:ODD::exact law": "PASSED",
        "tevtheory::odd:ODD::second call": "PASSED",
        "tevtheory::odd:ODD::labels": "FAILED",
        "tevtheory::odd:ODD::super-tree": "SKIPPED",
        "tevtheory::odd:ODD::batch": "SKIPPED",
    }
    result.stdout.fnmatch_lines(["*for canonical verifiers only*"])


def test_a_broken_contract_is_told_with_the_report(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--tevtheory", "odd:ODD", "--tevtheory-max-nodes", "3", "-k", "labels")
    assert result.ret == 1
    result.stdout.re_match_lines(
        [
            r"_+ odd:ODD, labels _+",
            r"labels: FAIL \(on tree \[\d\] the law does not follow when token x is renamed x \+ 1 mod 3\)",
            r"walk: EXACT, REGRET up to 1, but fails: labels",
            r"  on the tree \[\d\] with rows",
            r"    after \[\]: [01], [01], [01]",
            r"    after \[1\]: [01], [01], [01]",
            r"  E\[length\] 1, ceiling 2",
            r"    of which 1 because the block may end on \[\d\]",
            r"  labels: FAIL \(.*\)",
            r"  [\d,]+ trees of up to 3 nodes \(generic, zeros, ties, one-hot; seed 0\), [\d,]+ paths, enumerated",
        ],
        consecutive=True,
    )


def test_a_verdict_that_is_not_the_claimed_one_fails(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--tevtheory", "odd:CLAIMED", "--tevtheory-max-nodes", "3", "-v")
    assert outcomes(result)["tevtheory::odd:CLAIMED::exact law"] == "PASSED"
    assert outcomes(result)["tevtheory::odd:CLAIMED::claim"] == "FAILED"
    result.stdout.fnmatch_lines(["claimed EXACT, CANONICAL, found EXACT, REGRET", "walk: EXACT, REGRET up to *"])


def test_a_better_verdict_may_be_due_to_small_trees(pytester: pytest.Pytester) -> None:
    target = "tevtheory.verifiers.short:EARLY_STOP"
    result = run(pytester, "--tevtheory", target, "--tevtheory-max-nodes", "1")
    hint = "claimed EXACT, REGRET, found EXACT, CANONICAL; perhaps the trees are too small to tell"
    result.stdout.fnmatch_lines([hint])
    assert result.ret == 1


def test_a_lossy_law_fails_with_its_counterexample_in_fractions(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--tevtheory", "lossy.py:FIRST", "-v")
    assert outcomes(result)["tevtheory::lossy.py:FIRST::exact law"] == "FAILED"
    assert outcomes(result)["tevtheory::lossy.py:FIRST::claim"] == "PASSED"
    result.stdout.re_match_lines(
        [
            r"token 0: LOSSY BY \d+/\d+, but fails: labels",
            r"  at node 0, path \[\], token 0 follows with 1, target \d+/\d+",
            r"  on the tree \[\] with rows",
            r"    after \[\]: \d+/\d+, \d+/\d+",
        ],
        consecutive=True,
    )
    assert "Traceback" not in result.stdout.str()


def test_the_contracts_of_a_broken_law_are_skipped(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--tevtheory", "lossy:OUTSIDE", "-v", "-rs")
    assert outcomes(result) == {"tevtheory::lossy:OUTSIDE::exact law": "FAILED"} | {
        f"tevtheory::lossy:OUTSIDE::{name}": "SKIPPED" for name in CONTRACTS
    }
    expected = ["outside: BROKEN CONTRACT", "  output: expected a node in 0..0, got 99"]
    result.stdout.fnmatch_lines(expected, consecutive=True)
    result.stdout.fnmatch_lines(["*the law is broken: see the test 'exact law'"])


def test_several_verifiers_and_other_tests_run_together(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_other="def test_other(): pass")
    result = run(pytester, *["--tevtheory", TEV] * 2, "--tevtheory", "odd:ODD", "--collect-only", "-q")
    ids = [line for line in result.stdout.lines if "::" in line]
    assert ids == [
        "test_other.py::test_other",
        *(f"tevtheory::{TEV}::{name}" for name in ["exact law", "claim", *CONTRACTS]),
        *(f"tevtheory::odd:ODD::{name}" for name in ["exact law", *CONTRACTS]),
    ]


@pytest.mark.parametrize(
    ("selection", "passed", "skipped"),
    [
        (["-m", "tevtheory"], 5, 1),
        (["-m", "not tevtheory"], 1, 0),
        (["-k", TEV], 5, 1),
        (["-k", "labels"], 1, 0),
        (["--deselect", f"tevtheory::{TEV}::claim"], 5, 1),
    ],
)
def test_tests_are_selected_as_ever(pytester: pytest.Pytester, selection: list[str], passed: int, skipped: int) -> None:
    pytester.makepyfile(test_other="def test_other(): pass")
    result = run(pytester, "--tevtheory", TEV, "--tevtheory-max-nodes", "2", "--strict-markers", *selection)
    result.assert_outcomes(passed=passed, skipped=skipped, deselected=7 - passed - skipped)


def test_a_passing_report_is_kept_for_those_who_ask(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--tevtheory", TEV, "--tevtheory-max-nodes", "2", "-rP")
    result.stdout.fnmatch_lines(["*tevtheory*", "TEV: EXACT, CANONICAL"])


def test_workers_of_xdist_run_the_suite(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess(
        "--tevtheory", TEV, "--tevtheory-max-nodes", "1", "-n1", "-pno:hypothesispytest"
    )
    result.assert_outcomes(passed=5, skipped=1)


# Addresses --------------------------------------------------------------------------------------------------------------


def test_an_address_that_leads_nowhere_ends_the_run(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--tevtheory", "nowhere:NAME")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            (
                "ERROR: target nowhere:NAME: expected a module that can be imported, got ModuleNotFoundError: No "
                "module named 'nowhere'; correct the address, start in the folder that holds it, or install what it imports"
            )
        ]
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "odd",
            (
                "target: expected a module or file, a colon and a name, got 'odd'; write it like package.module:verifier "
                "or folder/file.py:verifier"
            ),
        ),
        (":ODD", "target: expected a module or file, a colon and a name, got ':ODD'; *"),
        ("odd:", "target: expected a module or file, a colon and a name, got 'odd:'; *"),
        ("none.py:X", "target none.py:X: expected a Python file, got none.py, which is not there; correct the path"),
        (
            "odd:EVEN",
            "target odd:EVEN: expected a name in that module, got 'EVEN'; choose from CLAIMED, ODD",
        ),
        ("odd:ODD.nope", "target odd:ODD.nope: expected a name in that module, got 'ODD.nope'; choose from *"),
        ("json:X", f"target json:X: expected a name in that module, got 'X'; the module has no verifier; {WRAP}"),
        ("odd:walk", f"target odd:walk: expected a Verifier or a subject, got the function walk; {WRAP}"),
        ("odd:Slot", f"target odd:Slot: expected a Verifier or a subject, got the class Slot; {WRAP}"),
        (
            "tevtheory.conformance:ProgramSubject",
            "target *: expected a Verifier or a subject, got the class ProgramSubject; *",
        ),
        (
            "wrong:X",
            "target wrong:X: expected a module that can be imported, got SyntaxError: *; correct the address, *",
        ),
        ("leaves.py:X", "target leaves.py:X: expected a module that can be imported, got SystemExit: 3; *"),
    ],
)
def test_wrong_addresses_are_refused(pytester: pytest.Pytester, text: str, message: str) -> None:
    pytester.makepyfile(wrong="def", leaves="raise SystemExit(3)")
    with pytest.raises(InputError) as caught:
        load_subject(text)
    assert re.fullmatch(re.escape(message).replace(r"\*", ".*"), str(caught.value))


def test_the_remedy_for_a_plain_function_names_the_adapters() -> None:
    for adapter in ("over_chooser", "over_generator", "over_coins", "over_uniforms"):
        assert adapter in WRAP
        assert hasattr(tevtheory.conformance, adapter)


def test_a_file_is_run_once_and_finds_its_neighbours(pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("folder")
    (folder / "near.py").write_text("VALUE = 7\n")
    (folder / "holder.py").write_text("from near import VALUE\nclass Holder:\n    inner = [VALUE]\n")
    before = list(sys.path)
    found = load_target("folder/holder.py:Holder.inner")
    assert found == [7]
    assert load_target(f"{folder}/holder.py:Holder.inner") is found
    assert sys.path == before


def test_a_file_that_failed_is_run_again(pytester: pytest.Pytester) -> None:
    file = pytester.makepyfile(later="raise ValueError('not yet')")
    with pytest.raises(InputError, match="got ValueError: not yet"):
        load_target("later.py:VALUE")
    file.write_text("VALUE = 1\n")
    os.utime(file, (0, 0))  # the cached bytecode is that of another second
    assert load_target("later.py:VALUE") == 1


# Options ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ini", "option", "nodes"), [(None, None, 5), ("2", None, 2), (None, "3", 3), ("2", "1", 1)])
def test_the_size_comes_from_option_then_ini(
    pytester: pytest.Pytester, ini: str | None, option: str | None, nodes: int
) -> None:
    if ini is not None:
        pytester.makeini(f"[pytest]\ntevtheory_max_nodes = {ini}\n")
    size = [] if option is None else ["--tevtheory-max-nodes", option]
    pytester.makepyfile(
        f"""
        def test_size(judge_verifier):
            from tevtheory.verifiers.tev import TEV
            assert judge_verifier(TEV, patterns=["generic"]).max_nodes == {nodes}
        """
    )
    run(pytester, *size).assert_outcomes(passed=1)


@pytest.mark.parametrize("text", ["0", "-1", "three", "2.5"])
def test_a_wrong_size_is_refused(pytester: pytest.Pytester, text: str) -> None:
    remedy = f"expected a number of nodes >= 1, got '{text}'; give a small one, such as 5"
    result = run(pytester, f"--tevtheory-max-nodes={text}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --tevtheory-max-nodes: {remedy}"])
    pytester.makeini(f"[pytest]\ntevtheory_max_nodes = {text}\n")
    run(pytester).stderr.fnmatch_lines([f"ERROR: tevtheory_max_nodes: {remedy}"])


# Marker and fixtures ----------------------------------------------------------------------------------------------------


def test_the_closest_marker_and_then_the_call_decide(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from tevtheory.verifiers.tev import TEV

        pytestmark = pytest.mark.tevtheory(max_nodes=2, seed=7)

        @pytest.mark.tevtheory(max_nodes=3, patterns=["generic"])
        def test_options(judge_verifier, assert_exact, assert_canonical):
            for judged in (judge_verifier(TEV), assert_exact(TEV), assert_canonical(TEV)):
                assert (judged.max_nodes, judged.patterns, judged.seed) == (3, ("generic",), 7)
            assert judge_verifier(TEV, max_nodes=1).max_nodes == 1
        """
    )
    run(pytester, "--strict-markers").assert_outcomes(passed=1)


@pytest.mark.parametrize(("arguments", "got"), [("nodes=3", "nodes"), ("3", "3"), ("verifier=3", "verifier")])
def test_a_marker_with_an_unknown_option_is_refused(pytester: pytest.Pytester, arguments: str, got: str) -> None:
    pytester.makepyfile(
        f"""
        import pytest

        @pytest.mark.tevtheory({arguments})
        def test_options(judge_verifier):
            judge_verifier(None)
        """
    )
    result = run(pytester)
    result.assert_outcomes(failed=1)
    expected = f"expected options of judge by name, got {got}; choose from max_nodes, patterns, seed, "
    result.stdout.fnmatch_lines([f"*marker tevtheory of test_options: {expected}*"])


FAILING = """
    def test_{fixture}({fixture}):
        import odd, lossy
        {fixture}({verifier})
"""


@pytest.mark.parametrize(
    ("fixture", "verifier", "line"),
    [
        ("assert_exact", "lossy.FIRST", "token 0: LOSSY BY *"),
        ("assert_exact", "odd.ODD", "walk: EXACT, REGRET up to *, but fails: labels"),
        ("assert_canonical", "odd.ODD, contracts=False", "walk: EXACT, REGRET up to *"),
    ],
)
def test_an_assertion_fails_with_the_report_at_the_users_line(
    pytester: pytest.Pytester, fixture: str, verifier: str, line: str
) -> None:
    pytester.makepyfile(FAILING.format(fixture=fixture, verifier=verifier))
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f">*{fixture}({verifier})", f"E*NotExact: {line}"])
    assert "judge.py" not in result.stdout.str()
    assert "pytest_plugin.py" not in result.stdout.str()


def test_an_assertion_that_holds_gives_the_report(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_reports(assert_exact):
            import odd
            assert assert_exact(odd.ODD, contracts=False).is_exact
        """
    )
    run(pytester).assert_outcomes(passed=1)


# Lightness --------------------------------------------------------------------------------------------------------------

PYTEST = {"pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "attr", "exceptiongroup", "py"}


def test_the_plugin_loads_nothing_but_pytest() -> None:
    packages, _ = imported_by("import tevtheory.pytest_plugin")
    assert packages - PYTEST == {"tevtheory"}


def test_a_run_without_verifiers_loads_no_more(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import json, sys\ndef test_modules(): print(json.dumps(sorted(sys.modules)))")
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "tevtheory.pytest_plugin", "-q", "-s", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=pytester.path, env=environment, capture_output=True, text=True, check=True)
    modules = json.loads(
        next(line for line in done.stdout.splitlines() if line.startswith("[")).rpartition("]")[0] + "]"
    )
    assert {name for name in modules if name.startswith("tevtheory")} == {"tevtheory", "tevtheory.pytest_plugin"}
    assert not (ALLOWED - {"tevtheory"} | {"hypothesis"}) & set(modules)


def test_the_entry_point_is_registered() -> None:
    from importlib.metadata import entry_points

    (entry,) = [entry for entry in entry_points(group="pytest11") if entry.name == "tevtheory"]
    assert entry.value == "tevtheory.pytest_plugin"
    assert Path(entry.load().__file__ or "").name == "pytest_plugin.py"
