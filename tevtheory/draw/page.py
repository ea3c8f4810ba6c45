"""Puts panels, headings, legend and notes on one sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tevtheory.draw.legend import legend
from tevtheory.draw.picture import Picture
from tevtheory.draw.render import Drawing, Grid, Parts, draw, width
from tevtheory.draw.style import MARGIN, sheet
from tevtheory.draw.svg import element, escaped, number, words
from tevtheory.draw.words import shortened
from tevtheory.errors import InputError

NARROWEST = 560.0
BETWEEN = 46.0
NOTE = 17.0
LONGEST_NOTE = 180


@dataclass(frozen=True)
class Sheet:
    """The texts of a picture: its heading, a line under it, one caption per panel, notes at the foot, legend words."""

    heading: str
    under: str = ""
    captions: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    legend: tuple[str, str, str] | None = None
    width: int | None = None


def compose(sheet_: Sheet, drawings: Sequence[Drawing] = ()) -> Picture:
    """The picture; its natural size is what the labels need, and `width` scales it."""
    body: list[str] = []
    wide = 0.0
    y = MARGIN + 14
    body.append(words([("head", sheet_.heading)], MARGIN, y))
    if sheet_.under:
        y += NOTE + 2
        body.append(words([("note", sheet_.under)], MARGIN, y))
    y += 12
    if drawings:
        parts, wide, high = _panels(sheet_, drawings)
        body.append(element("g", *parts, transform=f"translate({number(MARGIN)} {number(y)})"))
        y += high + 14
    lines: list[Parts] = [[(kind, shortened(text, LONGEST_NOTE))] for kind, text in sheet_.notes]
    texts: list[Parts] = [[("head", sheet_.heading)], [("note", sheet_.under)], *lines]
    room = max(NARROWEST, wide, *(width(line) for line in texts))
    if sheet_.legend is not None:
        parts, high = legend(max(each.brightest for each in drawings), sheet_.legend, room)
        body.append(element("g", *parts, transform=f"translate({number(MARGIN)} {number(y)})"))
        y += high
    for line in lines:
        y += NOTE
        body.append(words(line, MARGIN, y))
    return Picture(_sheet(sheet_, body, room + 2 * MARGIN, y + MARGIN), sheet_.heading)


def _panels(sheet_: Sheet, drawings: Sequence[Drawing]) -> tuple[list[str], float, float]:
    """The panels side by side, with their width and height."""
    grid = Grid.of(*drawings)
    top = NOTE + 6 if sheet_.captions else 0.0
    parts, x = [], 0.0
    for i, drawing in enumerate(drawings):
        caption: Parts = [("word", sheet_.captions[i])] if sheet_.captions else []
        drawn, wide = draw(drawing, grid)
        inner = element("g", *drawn, transform=f"translate(12 {number(top)})")
        heading = [words(caption, 0, 12)] if caption else []
        parts.append(element("g", *heading, inner, class_="panel", transform=f"translate({number(x)} 0)"))
        x += max(wide + 12, width(caption)) + BETWEEN
    return parts, x - BETWEEN, top + grid.height


def _sheet(sheet_: Sheet, body: Sequence[str], wide: float, high: float) -> str:
    shown = wide if sheet_.width is None else _checked(sheet_.width)
    title = element("title", escaped(sheet_.heading))
    paper = element("rect", class_="paper", width=wide, height=high, rx=6)
    drawn = element(
        "svg",
        title,
        element("style", sheet()),
        paper,
        *body,
        xmlns="http://www.w3.org/2000/svg",
        class_="tev",
        viewBox=f"0 0 {number(wide)} {number(high)}",
        width=shown,
        height=high * shown / wide,
        role="img",
        style="max-width:100%",  # and no height, which CairoSVG would take for nothing
    )
    return drawn + "\n"


def _checked(wide: Any) -> float:
    if isinstance(wide, bool) or not isinstance(wide, int) or wide < 100:
        raise InputError("a width of at least 100", repr(wide), "picture width", "give pixels as an integer, or None")
    return float(wide)
