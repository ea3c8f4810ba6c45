"""The canonical law beside another: numbers, the violating node and token, verdicts as pictures."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from tests.draw.pictures import model_like, nodes, of_class, read, texts
from tevtheory.conformance import judge, over_chooser
from tevtheory.conformance.loading import load_subject
from tevtheory.conformance.montecarlo import montecarlo, sampler_of
from tevtheory.draw import comparison_picture, report_picture
from tevtheory.draw.panels import law_panel
from tevtheory.draw.style import ramp
from tevtheory.examples import C2
from tevtheory.exitlaw import canonical_exit_law
from tevtheory.laws import Law
from tevtheory.targets import Problem, Target, TargetTree
from tevtheory.trees import DraftTree, Exit
from tevtheory.verifiers.catalogue import find

WRONG = Law({Exit(0, 1): "3/4", Exit(1, 0): "1/4"})
STOP = Law({Exit(0, 0): "1/2", Exit(0, 1): "1/2"})
SMALL = TargetTree.of(DraftTree((-1, 0, 0, 1), (-1, 0, 1, 2)), Target.seeded(3, 4))
EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "judge-your-verifier"


def panels(svg: str) -> list[str]:
    """The two panels, as pictures of their own."""
    from xml.etree import ElementTree as ET

    found = [ET.tostring(each, encoding="unicode") for each in of_class(svg, "panel")]
    assert len(found) == 2
    return found


def test_the_violating_node_and_token_are_marked_on_both_sides() -> None:
    svg = comparison_picture(C2, WRONG, words=["a", "b"]).svg
    assert "✗ node 0, path (root), token a follows with 1/4, target 1/2; lossy by 3/8" in texts(svg)
    left, right = (texts(panel) for panel in panels(svg))
    assert "✗ a 1/2" in left
    assert "✗ a 1/4" in right
    assert len(of_class(svg, "ring")) == 2
    assert {"canonical: E[length] 15/8, the ceiling", "this law: E[length] 5/4"} <= set(texts(svg))


def test_a_bonus_that_is_a_child_is_told() -> None:
    lines = texts(comparison_picture(C2, STOP, words=["a", "b"]).svg)
    assert "a 1/2 (a child)  b 1/2" in lines
    assert "exact: every local equality holds; regret 7/8" in lines
    assert of_class(comparison_picture(C2, STOP).svg, "bad") == []


def test_a_law_panel_has_the_law_s_numbers() -> None:
    panel = law_panel(STOP, C2)
    assert [Fraction(str(mass)) for mass in panel.sizes] == [1, 0, 0]
    assert [Fraction(str(mass)) for mass in panel.exits] == [1, 0, 0]
    assert Fraction(str(panel.edges[1])) == Fraction(1, 2)  # the block goes on with a, and ends on it


def test_the_canonical_law_gives_two_panels_alike() -> None:
    left, right = panels(comparison_picture(SMALL, canonical_exit_law(SMALL), name="canonical").svg)
    assert texts(left)[1:] == texts(right)[1:]
    assert [each[0].attrib for each in nodes(left).values()] == [each[0].attrib for each in nodes(right).values()]


def test_colours_are_each_panel_s_own_exit_masses_and_never_missing() -> None:
    _, right = panels(comparison_picture(C2, WRONG).svg)
    fills = [group[0].attrib["fill"] for group in nodes(right).values()]
    assert fills == [ramp(1), ramp(1 / 3), ramp(0)]
    assert len(of_class(right, "never")) == 1  # the edge that this law never takes


def test_a_law_short_of_mass_says_so() -> None:
    lines = texts(comparison_picture(C2, Law({Exit(0, 1): "1/2"})).svg)
    assert "✗ the law has total mass 1/2, not 1" in lines


def test_rounding_of_floats_is_no_violation() -> None:
    target = model_like(8, vocabulary=50)
    lines = texts(comparison_picture(target, canonical_exit_law(target)).svg)
    assert any(line.startswith("exact: every local equality holds") for line in lines)


def test_a_report_shows_its_counterexample() -> None:
    report = judge(load_subject(f"{EXAMPLES}/my_faulty_verifier.py:VERIFIER"))
    svg = report_picture(report).svg
    assert texts(svg)[0] == "my faulty verifier: LOSSY BY 5/36"
    assert any("token 0 follows with 11/36, target 1/6; lossy by 5/36" in line for line in texts(svg))
    assert len(of_class(svg, "ring")) == 2


def test_a_report_with_regret_shows_where_blocks_end_inside() -> None:
    svg = report_picture(judge(find("early stop"), max_nodes=3)).svg
    assert any("(a child)" in line for line in texts(svg))


def test_a_report_without_a_law_shows_the_tree_and_the_reason() -> None:
    def broken(problem: Problem, chooser: object) -> Exit:
        raise ValueError("<oops>")

    svg = report_picture(judge(over_chooser(broken), max_nodes=2, contracts=False)).svg
    assert any("the verifier raised ValueError: <oops>" in line for line in texts(svg))
    assert of_class(svg, "panel")


def test_a_canonical_report_is_its_text() -> None:
    report = judge(find("tev"), max_nodes=2)
    svg = report_picture(report).svg
    assert texts(svg) == [line.strip() for line in str(report).splitlines()]
    assert of_class(svg, "panel") == []


def test_a_monte_carlo_report_marks_what_is_faulty() -> None:
    problem = Problem(SMALL, [["1/3"] * 3] * 4)
    report = montecarlo(sampler_of(find("ratio"), problem), SMALL, samples=10_000)
    svg = report_picture(report, SMALL, words=["a", "b", "c"]).svg
    named = {fault.node for fault in report.faulty_nodes} | {fault.node for fault in report.faulty_tokens}
    assert {v for v, group in nodes(svg).items() if len(group) == 2} == named
    assert texts(svg)[0].endswith(": FAULT")
    assert any(f"target {report.faulty_tokens[0].target:.3g}" in line for line in texts(svg))
    assert texts(report_picture(report).svg)[0] == str(report).splitlines()[0]


def test_a_planted_change_of_a_law_changes_the_picture() -> None:
    one = comparison_picture(C2, WRONG).svg
    other = comparison_picture(C2, Law({Exit(0, 1): "1/2", Exit(1, 0): "1/2"})).svg
    assert read(one) is not None
    assert one != other
    assert "✗ node 1, path 0, token 0 follows with 1, target 1/4; lossy by 3/8" in texts(other)


@pytest.mark.parametrize("name", ["<script>", "a & b", "\n"])
def test_names_stay_text(name: str) -> None:
    svg = comparison_picture(C2, WRONG, name=name).svg
    assert "<script" not in svg
    assert len(panels(svg)) == 2
