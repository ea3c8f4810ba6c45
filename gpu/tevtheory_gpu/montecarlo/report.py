"""What `tevtheory montecarlo` shows: one table per tree, a summary over trees, and JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tevtheory.conformance.montecarlo import Outcome
from tevtheory_gpu.montecarlo.campaign import Finding, Settings
from tevtheory_gpu.montecarlo.cases import Case

_STYLES = {Outcome.FAULT: "bold red", Outcome.EXACT_UP_TO: "bold green", Outcome.INCONCLUSIVE: "bold yellow"}


def case_line(case: Case) -> Text:
    """One line about a tree."""
    tree = case.target.tree
    what = f"{case.name} ({case.domain}): {tree.budget} drafted tokens, depth {tree.depth}, 1 + coverage {case.ceiling:.4f}"
    return Text(what, style="bold")


def case_table(findings: Sequence[Finding]) -> Group:
    """The verdicts on one tree."""
    table = Table(box=None, pad_edge=False)
    for name in ("verifier", "claim", "verdict"):
        table.add_column(name)
    for name in ("samples", "mean length - (1 + coverage)", "log10 e", "million/s"):
        table.add_column(name, justify="right")
    for finding in findings:
        table.add_row(*_cells(finding), style="" if finding.expected else "reverse")
    notes = [line for finding in findings for line in _faults(finding)]
    return Group(case_line(findings[0].case), table, *map(Text, notes))


def _cells(finding: Finding) -> tuple[RenderableType, ...]:
    report = finding.report
    mean = report.mean
    log_e = report.log_e["battery"] / math.log(10)
    return (
        escape(finding.verifier),
        finding.claim.value,
        Text(verdict(finding), style=_STYLES[report.verdict]),
        f"{report.samples:,}",
        f"{mean.length - mean.ceiling:+.5f} +- {mean.standard_error:.5f}",
        "inf" if math.isinf(log_e) else f"{log_e:.1f}",
        f"{report.samples / finding.seconds / 1e6:.2f}",
    )


def verdict(finding: Finding) -> str:
    """The verdict in the words of the core."""
    report = finding.report
    if report.verdict is Outcome.EXACT_UP_TO:
        return f"EXACT UP TO TV <= {report.tv or report.bound.value:.1e} AT 1 - {report.alpha:g}"
    return f"FAULT (e >= 1 / {report.alpha:g})" if report.verdict is Outcome.FAULT else report.verdict.value


def _faults(finding: Finding) -> list[str]:
    nodes, tokens = finding.report.faulty_nodes[:3], finding.report.faulty_tokens[:3]
    lines = [f"  {finding.verifier}: {fault} = {finding.case.path(fault.node)}" for fault in nodes]
    return lines + [f"  {finding.verifier}: {fault}, after {finding.case.path(fault.node)}" for fault in tokens]


def summary_table(findings: Sequence[Finding]) -> Table:
    """One line per verifier over all trees."""
    table = Table(title="Over all trees", title_justify="left")
    table.add_column("verifier")
    for name in (
        "trees",
        "as claimed",
        "faults",
        "worst TV bound",
        "length gap, worst in s.e.",
        "samples",
        "million/s",
    ):
        table.add_column(name, justify="right")
    for name in dict.fromkeys(finding.verifier for finding in findings):
        table.add_row(escape(name), *_summary([finding for finding in findings if finding.verifier == name]))
    return table


def _summary(findings: Sequence[Finding]) -> tuple[str, ...]:
    reports = [finding.report for finding in findings]
    faults = sum(report.verdict is Outcome.FAULT for report in reports)
    gaps = [(r.mean.length - r.mean.ceiling) / r.mean.standard_error if r.mean.standard_error else 0.0 for r in reports]
    bounds = [report.bound.value for report in reports if report.verdict is not Outcome.FAULT]
    samples, seconds = sum(r.samples for r in reports), sum(f.seconds for f in findings)
    return (
        f"{len(findings)}",
        f"{sum(finding.expected for finding in findings)}",
        f"{faults}",
        f"{max(bounds):.1e}" if bounds else "",
        f"{max(gaps, key=abs):+.1f}",
        f"{samples:,}",
        f"{samples / seconds / 1e6:.2f}",
    )


def as_data(
    findings: Sequence[Finding], settings: Settings, origin: dict[str, Any], notes: dict[str, Any]
) -> dict[str, Any]:
    """All findings as JSON-ready data, with the settings and what was measured on the way."""
    return {
        "format": "tevtheory Monte Carlo campaign 1",
        "settings": vars(settings),
        "origin": origin,
        **notes,
        "findings": [finding.as_data() for finding in findings],
    }
