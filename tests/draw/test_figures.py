"""Figures: what is plotted is what the library computes, and texts from tokens stay text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.draw.pictures import read
from tevtheory.builders import best_first, marginals, oracle_tree
from tevtheory.conformance.exact import judge_on
from tevtheory.conformance.montecarlo import Look, montecarlo, sampler_of
from tevtheory.draw import coverage_figure, ledger_figure, length_figure, level_figure, looks_figure
from tevtheory.draw.chart import INK, SERIES, Chart, plain
from tevtheory.errors import InputError
from tevtheory.examples import C2
from tevtheory.exitlaw import coverage, level_masses, loss_ledger
from tevtheory.laws import Law
from tevtheory.targets import Problem, Target, TargetTree
from tevtheory.trees import DraftTree, Exit
from tevtheory.verifiers.catalogue import find

TARGET = Target.seeded(3, 4)
TREE = DraftTree((-1, 0, 0, 1, 1, 3, 2), (-1, 0, 1, 0, 2, 1, 0))
SMALL = TargetTree.of(TREE, TARGET)
DRAFT = marginals([TARGET.row([0] * i) for i in range(5)])


def heights(figure: Any) -> list[float]:
    return [bar.get_height() for bar in figure.axes[0].patches]


def curve(line: Any) -> list[float]:
    return list(line.get_ydata())


def labels(figure: Any, axes: int = 0) -> list[str]:
    return [text.get_text() for text in figure.axes[axes].get_legend().get_texts()]


def test_lengths_and_their_means() -> None:
    finding = judge_on(find("early stop"), Problem(C2))
    assert finding.law is not None
    figure = length_figure(C2, {"early": finding.law})
    assert heights(figure)[:3] == [0.5, 0.125, 0.375]
    assert labels(figure)[0] == "canonical: E[length] 1.875"
    assert [line.get_xdata()[0] for line in figure.axes[0].lines] == [1.875, float(finding.length)]  # type: ignore[index]


def test_level_masses_of_several_trees() -> None:
    figure = level_figure({"one": C2, "two": SMALL})
    curves = [curve(line) for line in figure.axes[0].lines]
    assert curves == [[float(mass) for mass in level_masses(target)] for target in (C2, SMALL)]
    assert labels(figure)[0] == "one: ceiling 1.875"
    assert len(level_figure(C2).axes[0].lines) == 1


def test_the_ledger_adds_up() -> None:
    ledger = loss_ledger(TREE, TARGET)
    figure = ledger_figure(ledger, words=["a", "$b$", "語"], top=1)
    widths = [bar.get_width() for bar in figure.axes[0].patches]  # type: ignore[attr-defined]
    assert sum(widths) == pytest.approx(float(ledger.loss), abs=1e-12)
    names = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert len(names) == len(widths) == 4
    assert names[1].endswith("more")
    read(figure._repr_svg_())


def test_coverage_of_builders_and_the_oracle() -> None:
    budgets = [4, 1, 2]
    figure = coverage_figure(
        TARGET,
        {"DDTree": lambda n: best_first(DRAFT, budget=n, depth=5), "best": lambda n: oracle_tree(TARGET, n)},
        budgets,
    )
    oracle, ddtree, best = (curve(line) for line in figure.axes[0].lines)
    assert oracle == pytest.approx(best, abs=1e-12)
    wanted = [coverage(TargetTree.of(best_first(DRAFT, budget=n, depth=5), TARGET)) for n in sorted(budgets)]
    assert ddtree == [float(each) for each in wanted]


def looks_of(name: str, samples: int, claim: Any = "exact") -> list[Look]:
    looks: list[Look] = []
    problem = Problem(SMALL, [["1/3"] * 3] * 7)
    montecarlo(sampler_of(find(name), problem), SMALL, samples=samples, claim=claim, on_look=looks.append)
    return looks


def test_looks_show_evidence_and_bound() -> None:
    looks = looks_of("tev", 5_000)
    figure = looks_figure(looks)
    upper, lower = figure.axes
    assert curve(lower.lines[0]) == [look.bound.value for look in looks]
    assert labels(figure)[0] == "all together"
    assert labels(figure)[-1] == "reject at 1 / 1e-06"
    assert upper.get_shared_x_axes().joined(upper, lower)


def test_infinite_evidence_is_drawn_at_the_edge() -> None:
    looks = looks_of("early stop", 1_000, "canonical")
    assert looks[-1].log_e["battery"] == float("inf")
    (battery, *_) = looks_figure(looks).axes[0].lines
    assert max(curve(battery)) >= 6
    assert looks_figure(looks).axes[0].get_title("left") == "Evidence against the claim (infinite: at the edge)"
    read(looks_figure(looks)._repr_svg_())


@pytest.mark.parametrize("text", ["$x$", "$", "a_b^c", "\\alpha", "語", "<script>", "\u0301"])
def test_text_in_figures_stays_text(text: str) -> None:
    figure = level_figure({text: C2})
    svg = figure._repr_svg_()
    assert "<script" not in svg
    read(svg)
    assert "\\u8a9e" in plain("語")


def test_figures_are_transparent_legible_on_both_backgrounds_and_deterministic() -> None:
    from tests.draw.test_trees import contrast

    for background in ("#ffffff", "#0d1117"):
        assert contrast(INK, background) >= 4.0
        assert all(contrast(colour, background) >= 2.0 for colour in SERIES)
    figure = length_figure(C2)
    assert isinstance(figure, Chart)
    assert list(figure.get_facecolor())[3] == 0
    assert figure._repr_svg_() == length_figure(C2)._repr_svg_()


def test_bad_input() -> None:
    with pytest.raises(InputError, match="looks figure: expected at least one look, got none; collect them"):
        looks_figure([])
    with pytest.raises(InputError, match="level figure: expected at least one target tree, got none"):
        level_figure({})
    with pytest.raises(InputError, match="coverage figure: expected budgets >= 1, got 0"):
        coverage_figure(TARGET, {}, [0, 2])
    with pytest.raises(InputError, match="coverage figure: expected budgets >= 1, got none"):
        coverage_figure(TARGET, {}, [])
    with pytest.raises(InputError, match=r"law: expected a node in 0\.\.2"):
        length_figure(C2, {"other": Law({Exit(7, 0): 1})})


def test_without_matplotlib_the_extra_is_named(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from tevtheory import draw\n"
        "from tevtheory.errors import MissingDependency\n"
        "try:\n    draw.length_figure\n"
        "except MissingDependency as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == 'figures need matplotlib: pip install "tevtheory[notebooks]"\n'


def test_the_room_knows_its_names() -> None:
    from tevtheory import draw

    assert all(getattr(draw, name) is not None for name in draw.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nope'"):
        _ = draw.nope
