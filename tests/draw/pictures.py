"""Trees to draw, and what a test reads back from an SVG: elements, texts and the boxes they fill."""

from __future__ import annotations

import heapq
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

import numpy as np

from tevtheory.rows import FloatRow
from tevtheory.targets import TargetTree
from tevtheory.trees import DraftTree

SVG = "{http://www.w3.org/2000/svg}"
WORDS = [
    " the",
    " of",
    "\n",
    " and",
    "<script>alert(1)</script>",
    "&amp;",
    " antidisestablishmentarianism",
    "語",
    "]]>",
]
WORDS += ["\t", "'s", '"', " model", "\u200b", "🙂", "e\u0301", "\u202e", "  ", "ing", "."]


def word(token: int) -> str:
    """Tokens as a real vocabulary has them, the awkward ones among them."""
    return WORDS[token % len(WORDS)] + ("" if token < len(WORDS) else str(token))


def model_like(nodes: int, seed: int = 0, vocabulary: int = 400) -> TargetTree:
    """Rows with few likely tokens and a long tail, and the tree of largest flow on them."""
    rng = np.random.default_rng(seed)

    def row() -> FloatRow:
        weights = np.exp(2.2 * np.maximum(0, rng.gumbel(size=vocabulary) - 1.5))
        return FloatRow(weights / weights.sum())

    parents, tokens, rows = [-1], [-1], [row()]
    ring = [(-p, 0, token) for token, p in rows[0].largest(12)]
    heapq.heapify(ring)
    while len(parents) < nodes:
        mass, parent, token = heapq.heappop(ring)
        parents.append(parent)
        tokens.append(token)
        rows.append(row())
        for child, p in rows[-1].largest(12):
            heapq.heappush(ring, (mass * p, len(parents) - 1, child))
    return TargetTree(DraftTree(parents, tokens), rows)


def read(svg: str) -> ET.Element:
    """The picture as XML; it must be well-formed."""
    return ET.fromstring(svg)  # noqa: S314  (our own picture)


def texts(svg: str) -> list[str]:
    """Every line of text."""
    return ["".join(line.itertext()) for line in read(svg).iter(f"{SVG}text")]


def nodes(svg: str) -> dict[int, ET.Element]:
    """The groups of the drawn nodes."""
    return {int(group.attrib["data-node"]): group for group in read(svg).iter(f"{SVG}g") if "data-node" in group.attrib}


def of_class(svg: str, kind: str) -> list[ET.Element]:
    """The elements of a class."""
    return [each for each in read(svg).iter() if kind in each.attrib.get("class", "").split()]


@dataclass(frozen=True)
class Box:
    """Where a line of text is, at most."""

    left: float
    top: float
    right: float
    bottom: float
    text: str

    def meets(self, other: Box) -> bool:
        apart = self.right <= other.left or other.right <= self.left
        return not (apart or self.bottom <= other.top or other.bottom <= self.top)


def font_sizes(svg: str) -> dict[str, float]:
    """The font sizes that the style sheet gives to classes; "" is every other text."""
    sheet = next(read(svg).iter(f"{SVG}style")).text or ""
    found = {"": float(re.findall(r"\.tev text\{font-size:([\d.]+)px", sheet)[0])}
    for names, size in re.findall(r"((?:\.tev \.\w+,?)+)\{font-size:([\d.]+)px", sheet):
        found.update(dict.fromkeys(re.findall(r"\.tev \.(\w+)", names), float(size)))
    return found


def boxes(svg: str) -> list[Box]:
    """The boxes of all lines of text, from the font sizes and the widest monospaced advance there is."""
    sizes = font_sizes(svg)
    return [_box(line, x, y, sizes) for line, x, y in _placed(read(svg), 0.0, 0.0) if "".join(line.itertext()).strip()]


def _placed(element: ET.Element, x: float, y: float) -> Iterator[tuple[ET.Element, float, float]]:
    if moved := re.match(r"translate\(([-\d.]+) ([-\d.]+)\)", element.attrib.get("transform", "")):
        x, y = x + float(moved[1]), y + float(moved[2])
    if element.tag == f"{SVG}text":
        yield element, x + float(element.attrib["x"]), y + float(element.attrib["y"])
    for child in element:
        yield from _placed(child, x, y)


def _box(line: ET.Element, x: float, y: float, sizes: dict[str, float]) -> Box:
    spans = [(sizes.get(span.attrib["class"], sizes[""]), span.text or "") for span in line]
    width = sum(size * 0.61 * sum(map(_cells, text)) for size, text in spans)
    tallest = max(size for size, _ in spans)
    return Box(x, y - 0.78 * tallest, x + width, y + 0.22 * tallest, "".join(text for _, text in spans))


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
