"""Colours, sizes and the style sheet of tree pictures.

Classes carry the colours, and a media query changes them on a dark screen: programs that know neither style variables nor
media queries (Inkscape, librsvg, CairoSVG) still show the light picture. Every picture paints its own paper, so that it
stays legible where the page around it is dark and the system is not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
ADVANCE = 0.61
"""Width of a cell in font sizes; no font of the list is wider."""

SIZES = {"word": 11.0, "p": 10.0, "note": 10.0, "head": 14.0}
"""Font size of a line by the class of its first part."""

STRIDE = 24.0
"""Height of a row. Two nodes below one parent have radii r and s with r^2 + s^2 <= R^2, so they never touch."""

RADIUS = 10.5
"""Radius of a node of flow 1."""

LEAST_RADIUS = 1.5
BEND = 22.0
"""Width of the curve from a node to its children's labels."""

WIDEST_EDGE = 5.0
MARGIN = 18.0

VIRIDIS = ("440154", "482878", "3e4989", "31688e", "26828e", "1f9e89", "35b779", "6ece58", "b5de2b", "fde725")
"""Stops of viridis: lightness grows evenly, for colour-blind readers too."""


@dataclass(frozen=True)
class Theme:
    """The colours of one background."""

    paper: str
    ink: str
    muted: str
    edge: str
    stub: str
    fault: str


LIGHT = Theme("#ffffff", "#1f2328", "#59636e", "#4f6f9f", "#a3abb4", "#b3400a")
DARK = Theme("#0d1117", "#e6edf3", "#9aa4ae", "#7d9ccc", "#626c77", "#ff9a5c")


def sheet() -> str:
    """The style sheet of a picture; every rule is bound to pictures of this package."""
    rules = (
        f".tev{{font-family:{FONT}}}",
        f".tev text{{font-size:{SIZES['word']:g}px;white-space:pre}}",
        f".tev .p,.tev .note{{font-size:{SIZES['p']:g}px}}",
        f".tev .head{{font-size:{SIZES['head']:g}px;font-weight:600}}",
        ".tev .word,.tev .bad{unicode-bidi:isolate}.tev .word{font-weight:500}.tev .bad{font-weight:700}",
        ".tev path,.tev .ring{fill:none}.tev .node{stroke-width:1}",
        ".tev .ring{stroke-width:2;stroke-dasharray:4 2}.tev .never{stroke-dasharray:1 3}",
    )
    return f"{''.join(rules)}{_colours(LIGHT)}@media (prefers-color-scheme:dark){{{_colours(DARK)}}}"


def _colours(theme: Theme) -> str:
    fills = {"paper": theme.paper, "word": theme.ink, "head": theme.ink, "p": theme.muted, "note": theme.muted}
    strokes = {"edge": theme.edge, "stub": theme.stub, "ring": theme.fault, "faulty": theme.fault, "node": theme.muted}
    rules = [f".tev .{name}{{fill:{colour}}}" for name, colour in fills.items()]
    rules += [f".tev .{name}{{stroke:{colour}}}" for name, colour in strokes.items()]
    return "".join([*rules, f".tev .bad{{fill:{theme.fault}}}", f".tev .bare{{fill:{theme.edge}}}"])


def ramp(share: float) -> str:
    """The colour of a share of the largest exit mass, in square-root steps: small masses differ too.

    >>> ramp(0), ramp(0.25), ramp(1)
    ('#440154', '#22908c', '#fde725')
    """
    place = min(max(share, 0.0), 1.0) ** 0.5 * (len(VIRIDIS) - 1)
    low = min(int(place), len(VIRIDIS) - 2)
    mixed = (
        round(
            int(VIRIDIS[low][i : i + 2], 16) * (low + 1 - place) + int(VIRIDIS[low + 1][i : i + 2], 16) * (place - low)
        )
        for i in (0, 2, 4)
    )
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def radius(share: float) -> float:
    """The radius of a node: its area is proportional to the share, down to a smallest dot."""
    return max(RADIUS * math.sqrt(max(share, 0.0)), LEAST_RADIUS)


def thickness(share: float) -> float:
    """The width of an edge of some probability."""
    return max(WIDEST_EDGE * share, 0.8)
