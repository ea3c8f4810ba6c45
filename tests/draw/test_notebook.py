"""Trees, laws and reports show themselves in a notebook, and as tidy text in a terminal."""

from __future__ import annotations

import shutil
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import sympy

from tests.draw.pictures import model_like
from tests.meta.test_house import PACKAGE, ROOT, lint_imports
from tevtheory.conformance import judge
from tevtheory.conformance.montecarlo import montecarlo, sampler_of
from tevtheory.draw import law_table, report_page, report_picture, tree_picture
from tevtheory.examples import C2
from tevtheory.exitlaw import canonical_exit_law
from tevtheory.interop import ProblemFile
from tevtheory.laws import Law
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import DraftTree, Exit
from tevtheory.verifiers.catalogue import find

PROBE = """
import sys
import tevtheory as tev
tree = tev.DraftTree((-1, 0), (-1, 1))
target = tev.TargetTree(tree, [["1/3", "2/3"], ["1/2", "1/2"]])
assert "tevtheory.draw" not in sys.modules
print(target._repr_svg_()[:4], tev.canonical_exit_law(target)._repr_html_()[:11])
assert "matplotlib" not in sys.modules
"""


def test_a_user_who_imports_tevtheory_alone_sees_the_picture() -> None:
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    assert done.stdout == "<svg <div><table\n"


@pytest.mark.parametrize(
    "shown", [C2, C2.tree, Problem(C2), ProblemFile(Problem(C2))], ids=lambda each: type(each).__name__
)
def test_what_has_a_tree_shows_itself(shown: TargetTree) -> None:
    assert shown._repr_svg_() == tree_picture(shown).svg


def test_a_picture_shows_itself() -> None:
    assert tree_picture(C2)._repr_svg_() == tree_picture(C2).svg
    assert repr(tree_picture(C2)) == "<Picture: Exit law of a draft tree>"


def test_what_has_no_picture_shows_its_text() -> None:
    p = sympy.Symbol("p")
    assert TargetTree(DraftTree((-1,), (-1,)), [[p, 1 - p]])._repr_svg_() is None
    assert DraftTree((-1, *[0] * 20_000), (-1, *range(20_000)))._repr_svg_() is None


def test_a_law_shows_its_largest_masses() -> None:
    page = canonical_exit_law(C2)._repr_html_()
    cells = [cell.text or "".join(cell.itertext()) for cell in ET.fromstring(page or "").iter("td")]  # noqa: S314
    assert cells == ["node 0, token 1", "1/2", "", "node 2, token 0", "3/8", "", "node 1, token 0", "1/8", ""]


def test_a_law_on_its_tree_shows_blocks_and_what_it_left_out() -> None:
    page = law_table(canonical_exit_law(C2), C2, words=["a", "<b>"], top=2)
    rows = ["".join(row.itertext()) for row in ET.fromstring(page).iter("tr")]  # noqa: S314
    assert rows == ["blockprobability", "<b>1/2", "a <b> a3/8"]
    assert "… 1 more of smaller mass" in page
    assert "unresolved mass 1/4" in law_table(Law({"x": "3/4"}))


@pytest.mark.parametrize("token", ["<script>alert(1)</script>", "&", "]]>", "\n", '"><img src=x>'])
def test_outcomes_and_words_stay_text(token: str) -> None:
    for page in (
        law_table(Law({token: 1})),
        law_table(Law({(token,): 1})),
        law_table(canonical_exit_law(C2), C2, words=[token, "b"]),
    ):
        assert "<script" not in page
        assert "<img" not in page
        ET.fromstring(page)  # noqa: S314


def test_a_report_shows_verdict_counterexample_and_text() -> None:
    report = judge(find("ratio"), max_nodes=3)
    page = report._repr_html_() or ""
    assert page == report_page(report)
    assert "<strong>ratio rule with draft softmax: LOSSY BY 35/152</strong>" in page
    picture = b64decode(page.partition("base64,")[2].partition('"')[0]).decode()
    assert picture == report_picture(report).svg
    assert "E[length] 4/3, ceiling 7/6" in page
    assert "#D55E00" in page
    assert "#009E73" in report_page(judge(find("tev"), max_nodes=2))


def test_a_monte_carlo_report_shows_itself() -> None:
    report = montecarlo(sampler_of(find("tev"), Problem(C2)), C2, samples=200)
    page = report._repr_html_() or ""
    assert str(report).splitlines()[0].replace("<", "&lt;") in page
    assert "#009E73" in page


def test_texts_in_a_terminal_are_tidy() -> None:
    assert repr(C2) == "TargetTree([0 [1]], rows=[[1/2, 1/2], [1/4, 3/4], [1, 0]])"
    assert repr(model_like(64)) == "<TargetTree of 64 nodes, 400 tokens, float rows>"
    assert repr(judge(find("ratio"), max_nodes=3)) == "<Report ratio rule with draft softmax: LOSSY BY 35/152>"
    sampled = montecarlo(sampler_of(find("tev"), Problem(C2)), C2, samples=200)
    assert repr(sampled).startswith("<MonteCarloReport TEV: EXACT UP TO TV <= ")
    assert repr(C2.tree) == "DraftTree(parents=(-1, 0, 1), tokens=(-1, 0, 1))"
    assert repr(model_like(256).tree).startswith("<DraftTree of 256 nodes, depth ")
    assert repr(Problem(C2)) == f"Problem(target={C2!r}, proposals=None)"
    long = repr(canonical_exit_law(model_like(8)))
    assert long.startswith("Law({Exit(node=0, token=")
    assert long.endswith(f", ... {len(canonical_exit_law(model_like(8))) - 64:,} more}})")
    assert repr(Law({Exit(0, 1): "1/2"})) == "Law({Exit(node=0, token=1): 1/2}, unresolved=1/2)"


def test_a_low_room_that_imports_pictures_is_found(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "tevtheory")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    trees = tmp_path / "tevtheory" / "trees.py"
    lazy = "\ndef _svg() -> object:\n    from tevtheory.draw import tree_picture\n    return tree_picture\n"
    trees.write_text(trees.read_text() + lazy)
    assert "Arrows between the rooms BROKEN" in lint_imports(tmp_path).stdout
