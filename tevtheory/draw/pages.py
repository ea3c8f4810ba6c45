"""Laws and reports as pieces of HTML, in the colours of the page around them."""

from __future__ import annotations

import heapq
from base64 import b64encode
from typing import TYPE_CHECKING, Any

from tevtheory.conformance import Report
from tevtheory.draw.panels import short_number
from tevtheory.draw.picture import Picture
from tevtheory.draw.reports import report_picture
from tevtheory.draw.svg import element, escaped
from tevtheory.draw.words import Lexicon, Words, visible
from tevtheory.exitlaw.exactness import check_support
from tevtheory.laws import Law
from tevtheory.targets import TargetTree
from tevtheory.trees import Exit
from tevtheory.weights import brief

if TYPE_CHECKING:
    from tevtheory.conformance.montecarlo import MonteCarloReport

MOST_ROWS = 20
BAR = 120.0
COLOURS = {True: "#009E73", False: "#D55E00", None: "#767676"}
_CELL = "text-align:left;padding:2px 10px"


def law_table(
    law: Law[Any], target: TargetTree | None = None, *, words: Words | None = None, top: int = MOST_ROWS
) -> str:
    """A law as an HTML table with bars, the largest masses first; on a target tree, exits are written as blocks.

    Raises InputError where the law is not one over the exits of the given tree.

    >>> law_table(Law({"<b>": "3/4", "c": "1/4"})).count("<tr>"), "&lt;b&gt;" in law_table(Law({"<b>": 1}))
    (3, True)
    """
    if target is not None:
        check_support(law, target)
    shown = heapq.nlargest(top, law.items(), key=lambda entry: float(entry[1]))
    largest = float(shown[0][1]) if shown else 1.0
    lexicon = Lexicon(words)
    rows = [_row(_outcome(outcome, target, lexicon), mass, largest) for outcome, mass in shown]
    what = "block" if target is not None else "outcome"
    head = element("tr", *(element("th", text, style=_CELL) for text in (what, "probability", "")))
    foot = _foot(law, len(law) - len(shown))
    return element("div", element("table", element("thead", head), element("tbody", *rows)), *foot)


def _row(outcome: str, mass: Any, largest: float) -> str:
    bar = f"height:10px;width:{BAR * float(mass) / largest:.0f}px;background:#0072B2"
    cells = (element("code", escaped(outcome)), escaped(brief(mass)), element("div", "", style=bar))
    return element("tr", *(element("td", cell, style=_CELL) for cell in cells))


def _outcome(outcome: Any, target: TargetTree | None, lexicon: Lexicon) -> str:
    if target is not None:
        tokens = (*target.tree.path(outcome[0]), outcome[1])
        return " ".join(lexicon.full(token) for token in tokens)
    if isinstance(outcome, Exit):
        return f"node {outcome.node}, token {lexicon.full(outcome.token)}"
    return visible(outcome) if isinstance(outcome, str) else repr(outcome)


def _foot(law: Law[Any], hidden: int) -> list[str]:
    """What the table does not show."""
    lines = [f"… {hidden:,} more of smaller mass"] if hidden else []
    if law.is_exact and law.unresolved:
        lines.append(f"unresolved mass {short_number(law.unresolved)}")
    return [element("p", escaped("; ".join(lines)))] if lines else []


def report_page(report: Report | MonteCarloReport) -> str:
    """A report as HTML: the verdict, the counterexample drawn, and the text that can be pasted.

    >>> from tevtheory.conformance import judge
    >>> from tevtheory.verifiers.catalogue import find
    >>> report_page(judge(find("ratio"), max_nodes=3)).count("<img")
    1
    """
    good = report.is_exact if isinstance(report, Report) else _good(report)
    heading, *rest = str(report).splitlines()
    parts = [element("strong", escaped(heading))]
    if isinstance(report, Report) and report.counterexample is not None:
        parts.append(element("div", _image(report_picture(report))))
    parts.append(element("pre", "\n".join(escaped(line) for line in rest), style="background:none;color:inherit"))
    return element("div", *parts, style=f"border-left:4px solid {COLOURS[good]};padding-left:12px")


def _good(report: MonteCarloReport) -> bool | None:
    """Whether a Monte Carlo verdict is good; None where it is open."""
    return {"FAULT": False, "EXACT UP TO TV": True}.get(report.verdict.value)


def _image(picture: Picture) -> str:
    """The picture as an image of its own: its style sheet reaches nothing around it."""
    data = b64encode(picture.svg.encode()).decode()
    return f'<img alt="{escaped(picture.heading)}" src="data:image/svg+xml;base64,{data}">'
