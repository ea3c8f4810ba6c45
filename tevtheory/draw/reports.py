"""Pictures of verdicts: a report with its counterexample, a Monte Carlo report with its faulty nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tevtheory.conformance import Counterexample, Report
from tevtheory.draw.page import Sheet, compose
from tevtheory.draw.picture import Picture
from tevtheory.draw.render import Mark
from tevtheory.draw.trees import comparison_picture, tree_picture
from tevtheory.draw.words import Words
from tevtheory.interop import ProblemFile
from tevtheory.targets import Problem, TargetTree

if TYPE_CHECKING:
    from tevtheory.conformance.montecarlo import MonteCarloReport

MOST_MARKS = 5
NOTHING = compose(Sheet("Not finished"))
"""What stands in a file until the picture is made."""


def report_picture(
    report: Report | MonteCarloReport,
    target: TargetTree | Problem | ProblemFile | None = None,
    *,
    words: Words | None = None,
    width: int | None = None,
) -> Picture:
    """A verdict as a picture.

    An exact report shows its counterexample, the verifier's law beside the canonical one; where there is none, or no law
    was found, its text. A Monte Carlo report needs the `target` it was made on to mark the faulty nodes and tokens there.
    Raises InputError where the report names nodes that the target has not.

    >>> from tevtheory.conformance import judge
    >>> from tevtheory.verifiers.catalogue import find
    >>> report_picture(judge(find("ratio"), max_nodes=3))
    <Picture: ratio rule with draft softmax: LOSSY BY 35/152>
    """
    heading = str(report).splitlines()[0]
    if isinstance(report, Report):
        example = report.counterexample
        return _card(report, width) if example is None else _example(example, report.name, heading, words, width)
    if target is None:
        return _card(report, width)
    if isinstance(target, ProblemFile):  # node numbers are those of the tree that was sampled
        words = target.names if words is None else words
        target = target.problem
    marks = montecarlo_marks(report)
    title = heading.partition(": n=")[0]
    return tree_picture(target, words=words, width=width, marks=marks, title=f"{report.sampler}: {title}")


def montecarlo_marks(report: MonteCarloReport) -> tuple[Mark, ...]:
    """The nodes and tokens that a Monte Carlo report calls faulty, the strongest first, five of each at most."""
    tokens = (
        Mark(fault.node, fault.token, f"seen with {fault.empirical:.3g}, target {fault.target:.3g}")
        for fault in report.faulty_tokens[:MOST_MARKS]
    )
    nodes = (Mark(fault.node, None, str(fault).partition(": ")[2]) for fault in report.faulty_nodes[:MOST_MARKS])
    return (*tokens, *nodes)


def _example(example: Counterexample, name: str, heading: str, words: Words | None, width: int | None) -> Picture:
    """The counterexample: two laws where the verifier has one, else its tree with the reason."""
    finding = example.finding
    if finding.law is None:
        marks = [Mark(0, None, finding.reason)]
        return tree_picture(example.problem, words=words, width=width, title=heading, marks=marks)
    return comparison_picture(
        example.problem,
        finding.law,
        name=name,
        words=words,
        width=width,
        title=heading,
        violation=finding.violation,
    )


def _card(report: Report | MonteCarloReport, width: int | None) -> Picture:
    """The text alone."""
    heading, *rest = str(report).splitlines()
    return compose(Sheet(heading, notes=tuple(("note", line.strip()) for line in rest), width=width))
