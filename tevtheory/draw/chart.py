"""The one style of the figures; the only file that imports matplotlib."""

from __future__ import annotations

import functools
import io
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ticker import MaxNLocator

SERIES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
"""Okabe and Ito's colours without black and yellow, which one of the two backgrounds would swallow."""

LINES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P")
INK = "#767676"
"""A grey with a contrast of 4.5 to 1 on white and on black alike."""

STYLE: Any = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.framealpha": 0.0,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": INK,
    "grid.alpha": 0.25,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "font.family": ["DejaVu Sans"],
    "font.size": 11.0,
    "axes.titlesize": 12.0,
    "legend.fontsize": 10.0,
    "lines.linewidth": 2.0,
    "svg.hashsalt": "tevtheory",
    "svg.fonttype": "path",
}


class Chart(Figure):
    """A figure that shows itself as SVG; without pyplot, so that nothing is kept alive or shown twice."""

    def _repr_svg_(self) -> str:
        file = io.StringIO()
        with mpl.rc_context(STYLE):
            self.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        return file.getvalue()


def chart(height: float = 3.6, rows: int = 1) -> tuple[Chart, list[Axes]]:
    """A figure in the one style with some axes above each other, which share their x."""
    with mpl.rc_context(STYLE):
        figure = Chart(figsize=(7.2, height), layout="constrained")
        axes: Any = figure.subplots(rows, 1, sharex=True, squeeze=False)
    return figure, list(axes[:, 0])


def finish(axes: Axes, title: str, x: str, y: str) -> None:
    """Title, labels, and a legend where something is labelled."""
    axes.set_title(title, loc="left")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(framealpha=0.0, labelcolor=INK, fontsize=10)


def whole_numbers(axes: Axes) -> None:
    """Only whole numbers along x."""
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def look(i: int) -> dict[str, Any]:
    """Colour, dash and marker of the i-th curve: told apart without colour too.

    >>> look(0)["color"] == look(6)["color"]
    True
    """
    return {"color": SERIES[i % len(SERIES)], "linestyle": LINES[i % len(LINES)], "marker": MARKERS[i % len(MARKERS)]}


@functools.cache
def _font() -> Any:
    return get_font(findfont(FontProperties(family=["DejaVu Sans"])))


def plain(text: str) -> str:
    r"""Text that stays text: no mathematics, and no character that the font does not have.

    >>> print(plain("$x$"), plain("\u8a9e"))
    \$x\$ \u8a9e
    """
    known = "".join(c if _font().get_char_index(ord(c)) else c.encode("unicode_escape").decode() for c in text)
    return known.replace("$", r"\$")
