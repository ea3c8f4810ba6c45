"""`tevtheory law --svg` and `tevtheory check --svg`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.draw.pictures import nodes, of_class, texts
from tevtheory.cli import main
from tevtheory.draw import tree_picture
from tevtheory.interop import read_problem

ROOT = Path(__file__).parent.parent.parent
C2 = ROOT / "examples" / "c2.json"
EXAMPLES = ROOT / "examples" / "judge-your-verifier"


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(each) for each in arguments])
    return int(left.value.code or 0)


def test_law_draws_the_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("law", C2, "--svg", tmp_path / "c2.svg") == 0
    svg = (tmp_path / "c2.svg").read_text(encoding="utf-8")
    assert svg == tree_picture(read_problem(C2)).svg
    assert {"a 1/2", "b 3/4"} <= set(texts(svg))
    assert "Ceiling" in capsys.readouterr().out


def test_check_draws_the_counterexample(tmp_path: Path) -> None:
    out = tmp_path / "out.svg"
    assert run("check", f"{EXAMPLES}/my_faulty_verifier.py:VERIFIER", "--svg", out) == 1
    svg = out.read_text(encoding="utf-8")
    assert texts(svg)[0] == "my faulty verifier: LOSSY BY 5/36"
    assert len(of_class(svg, "panel")) == 2


def test_check_of_a_right_verifier_says_so_in_the_picture(tmp_path: Path) -> None:
    out = tmp_path / "out.svg"
    out.write_text("an older picture")
    assert run("check", f"{EXAMPLES}/my_verifier.py:VERIFIER", "--max-nodes", "2", "--svg", out) == 0
    assert texts(out.read_text(encoding="utf-8"))[0] == "my verifier: EXACT, CANONICAL"


def test_check_by_monte_carlo_draws_the_tree_with_its_faults(tmp_path: Path) -> None:
    out, module = tmp_path / "out.svg", tmp_path / "wrong.py"
    module.write_text(
        "import numpy as np\n"
        "from tevtheory.conformance import CHILD_MAPS\n"
        "from tevtheory.conformance.montecarlo import batched\n"
        "def longest(rows, parents, child_maps, size, seed):\n"
        "    return np.full(size, len(rows) - 1), np.zeros(size, dtype=np.int64)\n"
        "WRONG = batched(longest, layout=CHILD_MAPS)\n"
    )
    assert run("check", f"{module}:WRONG", "--problem", C2, "--samples", "1e3", "--svg", out) == 1
    svg = out.read_text(encoding="utf-8")
    assert {v for v, group in nodes(svg).items() if len(group) == 2} >= {0, 1}
    assert any(line.startswith("✗ node 0, path (root), token") for line in texts(svg))


def test_an_unfinished_check_leaves_no_older_picture(tmp_path: Path) -> None:
    out = tmp_path / "out.svg"
    out.write_text("an older picture")
    assert run("check", "no.such:VERIFIER", "--svg", out) == 2
    assert texts(out.read_text(encoding="utf-8"))[0] == "Not finished"


def test_a_path_that_cannot_be_written_is_misuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("law", C2, "--svg", tmp_path) == 2
    assert "expected a path to write to, got a folder" in capsys.readouterr().err
    assert run("check", f"{EXAMPLES}/my_verifier.py:VERIFIER", "--svg", tmp_path / "no" / "a.svg") == 2


def test_pictures_are_written_as_a_whole(tmp_path: Path) -> None:
    assert run("law", C2, "--svg", tmp_path / "c2.svg") == 0
    assert [each.name for each in tmp_path.iterdir()] == ["c2.svg"]
