"""The legend: what area, colour, edges and stubs mean, in as many lines as the picture's width asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tevtheory.draw.panels import short_number
from tevtheory.draw.render import Parts, width
from tevtheory.draw.style import radius, ramp, thickness
from tevtheory.draw.svg import element, words

LINE = 24.0
GAP = 26.0
_SWATCHES, _SWATCH = 15, 6.0


@dataclass(frozen=True)
class Item:
    """One entry of a legend, drawn around the height 0."""

    parts: tuple[str, ...]
    width: float


def legend(brightest: float, items: Sequence[str], room: float) -> tuple[list[str], float]:
    """The legend's elements, and its height; `items` are the words for area, edge and stub."""
    area, edge, stub = items
    parts: list[str] = []
    x, y = 0.0, LINE / 2
    for item in (_area(area), _ramp(brightest), _edge(edge), _stub(stub)):
        if x and x + item.width > room:
            x, y = 0.0, y + LINE
        parts.append(element("g", *item.parts, transform=f"translate({x:.1f} {y:.1f})"))
        x += item.width + GAP
    return parts, y + LINE / 2


def _line(text: str, x: float) -> tuple[str, float]:
    parts: Parts = [("note", text)]
    return words(parts, x, 3.5), x + width(parts)


def _area(text: str) -> Item:
    parts, x = [], 0.0
    for share in (1.0, 0.25, 0.05):
        size = radius(share)
        parts.append(element("circle", class_="node paper", cx=x + size, cy=0, r=size))
        label, end = _line(f"{share:g}", x + 2 * size + 3)
        parts.append(label)
        x = end + 8
    text_at, end = _line(text, x)
    return Item((*parts, text_at), end)


def _ramp(brightest: float) -> Item:
    start, x = _line("0 ", 0)
    parts = [start, *_swatches(x)]
    last, end = _line(f"{short_number(float(brightest))} exit mass (square-root scale)", x + _SWATCHES * _SWATCH + 6)
    return Item((*parts, last), end)


def _swatches(x: float) -> Iterator[str]:
    for i in range(_SWATCHES):
        colour = ramp((i / (_SWATCHES - 1)) ** 2)
        yield element("rect", x=x + i * _SWATCH, y=-6, width=_SWATCH + 0.3, height=12, fill=colour)


def _edge(text: str) -> Item:
    parts, x = [], 0.0
    for share in (1.0, 0.25):
        parts.append(element("path", class_="edge", d=f"M{x:.1f} 0h18", stroke_width=thickness(share)))
        label, end = _line(f"{share:g}", x + 22)
        parts.append(label)
        x = end + 8
    text_at, end = _line(text, x)
    return Item((*parts, text_at), end)


def _stub(text: str) -> Item:
    label, end = _line(text, 26)
    return Item((element("path", class_="stub", d="M0 0h20", stroke_width=thickness(0.5)), label), end)
