"""Pictures of trees: structure, labels, marks, escaping, what is left out."""

from __future__ import annotations

import math
import re

import pytest

from tests.draw.pictures import SVG, WORDS, model_like, nodes, of_class, read, texts, word
from tevtheory.draw import Mark, tree_picture
from tevtheory.draw.style import RADIUS, ramp
from tevtheory.examples import C2
from tevtheory.exitlaw import exit_masses, flow
from tevtheory.interop import ProblemFile, parse_problem
from tevtheory.targets import Problem, Target, TargetTree
from tevtheory.trees import DraftTree

WIDE = TargetTree.of(DraftTree((-1, 0, 0, 1, 1), (-1, 0, 1, 2, 0)), Target.seeded(4, 1))


def radii(svg: str) -> dict[int, float]:
    return {v: float(group[0].attrib["r"]) for v, group in nodes(svg).items()}


def test_every_node_every_edge_and_every_missing_mass_is_drawn() -> None:
    svg = tree_picture(WIDE).svg
    assert sorted(nodes(svg)) == [0, 1, 2, 3, 4]
    panel = next(each for each in read(svg).iter(f"{SVG}g") if each.attrib.get("class") == "panel")
    kinds = [path.attrib["class"] for path in panel.iter(f"{SVG}path")]
    assert (kinds.count("edge"), kinds.count("stub")) == (4, 5)


def test_labels_give_token_and_probability() -> None:
    lines = texts(tree_picture(C2, words=["a", "b"]).svg)
    assert lines[:2] == ["Exit law of a draft tree", "3 nodes, depth 2; ceiling 15/8 = 1 + coverage 7/8"]
    assert {"a 1/2", "b 3/4", "1/2: b 1/2", "1/4: a 1/4", "a 1"} <= set(lines)


def test_area_is_the_flow_and_colour_the_exit_mass() -> None:
    svg = tree_picture(WIDE).svg
    flows, exits = flow(WIDE), exit_masses(WIDE)
    for v, radius in radii(svg).items():
        assert radius == pytest.approx(RADIUS * math.sqrt(float(flows[v])), abs=0.006)
        assert nodes(svg)[v][0].attrib["fill"] == ramp(float(exits[v] / max(exits)))


def test_edges_are_as_wide_as_they_are_likely() -> None:
    edges = of_class(tree_picture(C2).svg, "edge")
    thin, thick = (float(edge.attrib["stroke-width"]) for edge in edges[:2])
    assert thick == pytest.approx(1.5 * thin)


def test_the_likeliest_missing_tokens_are_named() -> None:
    row = ["1/10", "2/10", "3/10", "4/10"]
    picture = tree_picture(TargetTree(DraftTree((-1,), (-1,)), [row]), words=["a", "b", "c", "d"], missing=2)
    assert "d 2/5  c 3/10" in texts(picture.svg)


def test_what_comes_from_tokens_stays_text() -> None:
    target = TargetTree(DraftTree((-1, *[0] * 19), (-1, *range(19))), [[1 / 20] * 20] * 20)
    svg = tree_picture(target, words=WORDS).svg
    assert "<script" not in svg
    assert "]]>" not in svg
    lines = " ".join(texts(svg))
    for seen in ("<script…", "␣the", "\\n", "&amp;", "]]>", "\\t", "\\u200b", "\\u202e", "␣␣", "␣antidi…ianism"):
        assert seen in lines
    titles = [node[0][0].text or "" for node in nodes(svg).values()]
    assert any("<script>alert(1)</script>" in title for title in titles)  # the hover text has the whole token
    assert not re.search(r"[\u200b\u202e\x00-\x09\x0b-\x1f]", svg)


def test_what_comes_from_titles_and_marks_stays_text() -> None:
    svg = tree_picture(C2, marks=[Mark(1, None, "<b>&\x00")], title='</title><script>"').svg
    assert "<script" not in svg
    assert "✗ node 1, path 0: <b>&\\x00" in texts(svg)
    assert texts(svg)[0] == '</title><script>"'


def test_marks_are_told_apart_without_colour() -> None:
    svg = tree_picture(C2, words=["a", "b"], marks=[Mark(0), Mark(0, 0), Mark(1, 0, "too often")]).svg
    assert {v for v, group in nodes(svg).items() if len(group) == 2} == {0, 1}
    assert {"✗ a 1/2", "1/4: ✗ a 1/4", "✗ node 1, path a, token a: too often"} <= set(texts(svg))
    assert [line.text for line in of_class(svg, "bad")][:2] == ["✗ a", "✗ a"]
    assert len(of_class(svg, "faulty")) == 1


def test_a_marked_token_is_shown_however_unlikely() -> None:
    target = TargetTree(DraftTree((-1,), (-1,)), [["1/2", "1/4", "1/8", "1/8"]])
    lines = texts(tree_picture(target, missing=1, marks=[Mark(0, 3)]).svg)
    assert "0 1/2  ✗ 3 1/8" in lines


def test_a_picture_says_what_it_left_out() -> None:
    target = model_like(64)
    picture = tree_picture(target, words=word, max_nodes=10)
    drawn = set(nodes(picture.svg))
    assert len(drawn) == 10
    flows = flow(target)
    assert min(flows[v] for v in drawn) >= max(flows[v] for v in range(64) if v not in drawn)
    hidden = sum(flows[v] for v in range(64) if v not in drawn)
    assert f"… 54 more nodes with flow {hidden:.2g} in all not drawn: those of largest flow are" in texts(picture.svg)
    more = [int(found) for line in texts(picture.svg) for found in re.findall(r"\+(\d+) more", line)]
    assert sum(more) == 54


def test_a_marked_node_is_drawn_with_its_ancestors_however_small() -> None:
    target = model_like(64)
    svg = tree_picture(target, max_nodes=5, marks=[Mark(63)]).svg
    assert set(target.tree.ancestors(63)) <= set(nodes(svg))


def test_missing_mass_of_children_not_drawn_is_not_missing() -> None:
    lines = texts(tree_picture(WIDE, max_nodes=1).svg)
    missing = float(WIDE.exit_probability(0))
    assert any(line.startswith(f"{missing:.2g}: ") and line.endswith(" +4 more") for line in lines)


def test_a_draft_tree_alone_has_its_tokens() -> None:
    svg = tree_picture(WIDE.tree, words={0: "a", 1: "b"}).svg
    assert texts(svg) == ["Draft tree", "5 nodes, depth 2", "a", "b", "⟨2⟩", "a"]
    assert set(radii(svg).values()) == {3.5}


def test_files_give_names_and_lose_what_comes_after_the_end() -> None:
    data = {"vocabulary": ["x", "</s>"], "end": "</s>"}
    row = {"x": "1/2", "</s>": "1/2"}
    kids = [{"parent": 0, "token": "</s>", "row": row}, {"parent": 0, "token": "x", "row": row}]
    file = parse_problem({**data, "nodes": [{"row": row}, *kids]})
    lines = texts(tree_picture(file).svg)
    assert "End-of-sequence nodes removed: 1." in lines
    assert "1/2: </s> 1/2" in lines
    assert len(nodes(tree_picture(file.problem).svg)) == 3
    assert tree_picture(ProblemFile(Problem(C2))).svg == tree_picture(C2).svg


def test_both_backgrounds_have_their_colours() -> None:
    svg = tree_picture(C2).svg
    sheet = next(read(svg).iter(f"{SVG}style")).text or ""
    light, dark = sheet.split("@media (prefers-color-scheme:dark)")
    for kind in ("paper", "word", "p", "note", "head", "bad"):
        (one,) = re.findall(rf"\.tev \.{kind}\{{fill:(#\w+)\}}", light)
        (other,) = re.findall(rf"\.tev \.{kind}\{{fill:(#\w+)\}}", dark)
        assert one != other
    assert len(of_class(svg, "paper")) == 1 + 3  # the sheet, and the legend's three circles


def contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_has_the_contrast_that_accessibility_asks_for() -> None:
    from tevtheory.draw.style import DARK, LIGHT

    for theme in (LIGHT, DARK):
        for colour in (theme.ink, theme.muted, theme.fault):
            assert contrast(colour, theme.paper) >= 4.5


def test_the_ramp_grows_lighter_all_the_way() -> None:
    shades = [contrast(ramp((i / 50) ** 2), "#000000") for i in range(51)]
    assert shades == sorted(shades)


def test_width_scales_the_picture_and_the_same_input_gives_the_same_bytes() -> None:
    natural, scaled = (read(tree_picture(C2, width=width).svg).attrib for width in (None, 300))
    assert natural["viewBox"] == scaled["viewBox"]
    assert scaled["width"] == "300"
    assert tree_picture(model_like(64), words=word).svg == tree_picture(model_like(64), words=word).svg


def test_a_deep_chain_needs_no_recursion() -> None:
    size = 3000
    tree = DraftTree(range(-1, size - 1), (-1, *[0] * (size - 1)))
    svg = tree_picture(TargetTree(tree, [[1.0, 0.0]] * size), max_nodes=size).svg
    assert len(nodes(svg)) == size


def test_one_node_left_out_is_one_node() -> None:
    assert any(line.startswith("… 1 more node with flow") for line in texts(tree_picture(WIDE, max_nodes=4).svg))
