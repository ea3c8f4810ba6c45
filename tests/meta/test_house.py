"""The shape of the house is held by machine, and the machine is tested."""

from __future__ import annotations

import ast
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tevtheory

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "tevtheory"
FILES = sorted([*PACKAGE.rglob("*.py"), *(ROOT / "gpu" / "tevtheory_gpu").rglob("*.py")])
BIN = Path(sys.executable).parent

# What was allowed when it was written; lower these when a file shrinks.
LONGEST_FILE = 340
MEDIAN_FUNCTION = 10


def functions() -> Iterator[tuple[Path, ast.FunctionDef]]:
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef):
                yield file, node


def body_lines(node: ast.FunctionDef) -> int:
    """Lines of a function without its docstring."""
    first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
    return (node.end_lineno or 0) - first.lineno + 1


def test_files_and_functions_stay_small() -> None:
    assert [file.name for file in FILES if len(file.read_text().splitlines()) > LONGEST_FILE] == []
    assert statistics.median(body_lines(node) for _, node in functions()) <= MEDIAN_FUNCTION


def test_there_is_no_room_for_everything() -> None:
    assert [file for file in FILES if file.stem in ("utils", "util", "helpers", "common", "misc")] == []


def test_every_public_name_is_lazily_importable_and_described() -> None:
    for name in tevtheory.__all__:
        assert getattr(tevtheory, name).__doc__
    assert set(tevtheory.__all__) <= set(dir(tevtheory))
    with pytest.raises(AttributeError, match="module 'tevtheory' has no attribute 'nope'"):
        _ = tevtheory.nope


def test_public_functions_show_an_example_that_is_run() -> None:
    rooms = ("exitlaw", "builders", "interop/layouts.py", "interop/graphs.py", "enumeration/shapes.py")
    bare = []
    for file, node in functions():
        inside = file.is_relative_to(PACKAGE) and str(file.relative_to(PACKAGE)).startswith(rooms)
        public = not node.name.startswith("_") and node.col_offset == 0
        if inside and public and ">>>" not in (ast.get_docstring(node) or ""):
            bare.append(node.name)
    assert sorted(bare) == []


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(BIN / "lint-imports"), "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("file", "arrow", "broken"),
    [
        ("trees.py", "import tevtheory.targets", "Arrows between the rooms"),
        ("exitlaw/flow.py", "import tevtheory.choices", "Closed forms draw nothing"),
        ("exitlaw/flow.py", "import tevtheory.verifiers", "Arrows between the rooms"),
        ("conformance/exact.py", "import tevtheory.verifiers", "Conformance judges verifiers without knowing any"),
        ("verifiers/tev.py", "import tevtheory.interop", "Verifiers see a problem and a chooser only"),
        ("laws.py", "import scipy", "The core imports no torch and no solver"),
    ],
)
def test_a_forbidden_arrow_is_found(file: str, arrow: str, broken: str, tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "tevtheory")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    target = tmp_path / "tevtheory" / file
    target.write_text(f"{target.read_text()}\n{arrow}\n")
    done = lint_imports(tmp_path)
    assert done.returncode == 1
    assert f"{broken} BROKEN" in done.stdout


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("numpy.allclose(1, 1)", "TID251"),
        ("1 == 1", "B015"),
        ("import pickle", "TID251"),
        ("print(1)", "T201"),
    ],
)
def test_a_banned_habit_is_found(line: str, code: str) -> None:
    command = [
        str(BIN / "ruff"),
        "check",
        "--stdin-filename",
        "tevtheory/planted.py",
        "--output-format",
        "concise",
        "-",
    ]
    source = f'"""Planted."""\n\nimport numpy\n\n{line}\n'
    done = subprocess.run(command, cwd=ROOT, input=source, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.search(rf"{code}\b", done.stdout)


def test_continuous_integration_runs_what_a_reviewer_runs() -> None:
    assert "make test" in (ROOT / ".ci" / "run").read_text()
    makefile = (ROOT / "Makefile").read_text()
    for tool in ("ruff check", "ruff format --check", "mypy", "lint-imports", "pytest"):
        assert tool in makefile
