"""The example repository, run with a real pytest process: the right verifier passes, the faulty one is refuted."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent / "examples" / "judge-your-verifier"
CHECKS = ("exact law", "claim", "second call", "labels", "super-tree")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "repository", ignore=shutil.ignore_patterns(".*", "__pycache__")))


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_right_verifier_passes_with_a_test_per_check(repository: Path) -> None:
    done = run(repository, "-v", "--tevtheory", "my_verifier:VERIFIER")
    passed = re.findall(r"^(\S+?::.+?) PASSED", done.stdout, re.MULTILINE)
    assert passed == [
        "test_my_verifier.py::test_my_verifier_is_canonical",
        "test_my_verifier.py::test_my_verifier_survives_zeros_and_exhausted_rows",
        "test_my_verifier.py::test_my_verifier_is_canonical_on_any_tree",
        "test_my_verifier.py::test_the_fault_is_found",
        *(f"tevtheory::my_verifier:VERIFIER::{check}" for check in CHECKS),
    ]
    assert done.returncode == 0


def test_the_faulty_verifier_fails_with_its_counterexample(repository: Path) -> None:
    done = run(repository, "--tevtheory", "my_faulty_verifier.py:VERIFIER", "-k", "my_faulty_verifier.py:VERIFIER")
    assert done.returncode == 1
    assert "FAILED tevtheory::my_faulty_verifier.py:VERIFIER::exact law" in done.stdout
    # The child's token is wrong by (1 - p) p: it was refused, and came back as the bonus.
    assert re.search(
        r"^my faulty verifier: LOSSY BY 5/36\n"
        r"  at node 0, path \[\], token 0 follows with 11/36, target 1/6\n"
        r"  on the tree \[0\] with rows\n"
        r"    after \[\]: 1/6, 3/8, 11/24\n",
        done.stdout,
        re.MULTILINE,
    )


def test_the_readme_names_what_is_there(repository: Path) -> None:
    text = (repository / "README.md").read_text()
    for name in ("my_verifier:VERIFIER", "my_faulty_verifier:VERIFIER"):
        assert f"--tevtheory {name}" in text
        assert (repository / f"{name.partition(':')[0]}.py").is_file()
