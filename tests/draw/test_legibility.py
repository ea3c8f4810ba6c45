"""A picture can be read: no label lies on another or outside the sheet, at 8, 64 and 1,024 nodes."""

from __future__ import annotations

import random
import re
from itertools import combinations

import pytest

from tests.draw.pictures import Box, boxes, model_like, nodes, read, texts, word
from tests.trees_at_hand import random_exact_law
from tevtheory.draw import comparison_picture, tree_picture
from tevtheory.exitlaw import flow
from tevtheory.laws import Law
from tevtheory.targets import Target, TargetTree
from tevtheory.trees import DraftTree, Exit


def overlaps(svg: str) -> list[tuple[Box, Box]]:
    return [(one, other) for one, other in combinations(boxes(svg), 2) if one.meets(other)]


def outside(svg: str) -> list[Box]:
    _, _, width, height = map(float, read(svg).attrib["viewBox"].split())
    return [box for box in boxes(svg) if box.left < 0 or box.top < 0 or box.right > width or box.bottom > height]


@pytest.mark.parametrize("size", [1, 2, 8, 64, 1024])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_two_labels_overlap(size: int, seed: int) -> None:
    svg = tree_picture(model_like(size, seed), words=word).svg
    assert overlaps(svg) == []
    assert outside(svg) == []


def test_no_two_labels_overlap_in_a_comparison() -> None:
    target = TargetTree.of(DraftTree((-1, 0, 0, 1, 1, 2, 3), (-1, 0, 1, 2, 0, 2, 1)), Target.seeded(3, 1))
    law = random_exact_law(target, random.Random(3))
    wrong = Law({Exit(0, 2): "1/2", Exit(6, 0): "1/4", Exit(3, 1): "1/4"})
    for each in (law, wrong):
        svg = comparison_picture(target, each, words=word, name="a verifier with a long name").svg
        assert overlaps(svg) == []
        assert outside(svg) == []


def test_the_check_sees_an_overlap_and_a_label_outside() -> None:
    svg = tree_picture(model_like(64), words=word).svg
    moved = svg.replace('y="', 'y="0" data-y="')  # every label at the top of its group
    assert overlaps(moved)
    assert outside(re.sub('viewBox="[^"]*"', 'viewBox="0 0 600 600"', svg))


def test_64_nodes_are_all_drawn() -> None:
    svg = tree_picture(model_like(64), words=word).svg
    assert len(nodes(svg)) == 64
    assert len(svg) < 120_000


def test_1024_nodes_say_what_is_left_out_and_stay_small() -> None:
    target = model_like(1024)
    svg = tree_picture(target, words=word).svg
    drawn = nodes(svg)
    assert len(drawn) == 96
    hidden = sum(mass for v, mass in enumerate(flow(target)) if v not in drawn)
    assert any(line.startswith(f"… 928 more nodes with flow {hidden:.2g} in all") for line in texts(svg))
    assert any("more stubs with exit mass" in line for line in texts(svg))
    assert len(svg) < 200_000
