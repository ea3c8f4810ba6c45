"""What the commands print: tables and pages for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

import tevtheory
from tevtheory.conformance import Counterexample, Tally
from tevtheory.enumeration import family
from tevtheory.interop import ProblemFile, problem_data
from tevtheory.pages import decimal, plural
from tevtheory.proofs_check.evidence import Evidence
from tevtheory.sweep import Plan, Tallies
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.catalogue import find
from tevtheory.weights import show

# tevtheory verify ----------------------------------------------------------------------------------------------------


WIDE = 140
"""From this many columns on, the table has room for every verifier's source."""


def verify_table(plan: Plan, tallies: Tallies, width: int = WIDE) -> Table:
    """One line per verifier; without the sources where the terminal is narrow."""
    table = Table(title="Every verifier on every small tree, in exact arithmetic", title_justify="left")
    table.add_column("verifier", no_wrap=True)
    if width >= WIDE:
        table.add_column("source", style="dim")
    table.add_column("trees", justify="right")
    table.add_column("left out", justify="right", style="dim")
    table.add_column("paths", justify="right")
    table.add_column("verdict")
    table.add_column(escape("E[length] / ceiling"), justify="right")
    for name in plan.verifiers:
        tally = tallies[name]
        table.add_row(
            escape(name),
            *([escape(find(name).source)] if width >= WIDE else []),
            f"{tally.trees:,}",
            f"{tally.over_budget:,}" if tally.over_budget else "",
            f"{tally.paths:,}",
            _verdict_text(name, tally),
            _span(tally),
        )
    return table


def _verdict_text(name: str, tally: Tally) -> Text:
    if tally.verdict is None:
        return Text("not run", style="dim")
    text = tally.verdict.value
    if tally.verdict is Verdict.LOSSY:
        text += f" BY up to {decimal(tally.worst, 6)}"
    elif tally.verdict is Verdict.EXACT:
        text += f" up to {decimal(tally.largest_regret)}"
    if tally.verdict is not find(name).claim:
        return Text(f"{text}; claimed {find(name).claim.value}", style="bold red")
    return Text(text, style="yellow" if tally.verdict is Verdict.LOSSY else "green")


def _span(tally: Tally) -> str:
    if tally.low is None:
        return ""
    return show(tally.low) if tally.low == tally.high else f"{decimal(tally.low)} .. {decimal(tally.high)}"


def counterexamples(tallies: Tallies) -> Group:
    """The smallest tree for every verdict that is not canonical, with its exact values."""
    lines: list[RenderableType] = []
    for name, tally in tallies.items():
        example = tally.counterexample
        if example is not None:
            lines.append(Text.assemble((f"{name}: ", "bold"), _example_text(example)))
    return Group(*([Text("Smallest trees", style="italic"), *lines, Text("")] if lines else []))


def _example_text(example: Counterexample) -> str:
    tree = example.problem.tree
    nodes, pattern, shape, number = example.address
    where = f"tree {tree} of {plural(nodes, 'node')} ({pattern} {nodes}/{shape}/{number})"
    finding = example.finding
    lengths = "" if finding.length is None else f"; E[length] {show(finding.length)}, ceiling {show(finding.ceiling)}"
    return f"{finding}, on {where}{lengths}" if finding.verdict is Verdict.EXACT else f"{finding}; {where}{lengths}"


def mismatches(tallies: Tallies) -> list[str]:
    """The verifiers whose verdict is not the claimed one."""
    return [name for name, tally in tallies.items() if tally.verdict is not find(name).claim]


def verify_summary(plan: Plan, tallies: Tallies, wrong: list[str], finished: bool, seconds: float) -> Text:
    """The last lines: what was covered, the budget, and whether the claims hold."""
    sizes = ", ".join(f"{name} to {nodes}" for name, nodes in plan.max_nodes.items())
    paths = sum(tally.paths for tally in tallies.values())
    text = Text(f"Row patterns (largest trees, in nodes): {sizes}; seed {plan.seed}.\n")
    if any(tally.over_budget for tally in tallies.values()):
        budgets = ", ".join(f"{name} {family(name).path_budget}" for name in plan.max_nodes)
        text.append(f"Left out: trees on which a program's paths multiply beyond the budget per tree ({budgets}).\n")
    text.append(f"{paths:,} paths in {seconds:.1f} s. ")
    if not finished:
        text.append("Interrupted: the table holds what was done.", style="bold yellow")
    elif wrong:
        text.append(f"NOT AS CLAIMED: {', '.join(wrong)}.", style="bold red")
        if any(find(name).claim is not Verdict.CANONICAL and tallies[name].verdict in _BETTER for name in wrong):
            text.append(" A better verdict than claimed may only mean that the trees were too small to tell.")
    else:
        text.append("Every verdict is the claimed one.", style="bold green")
    return text


_BETTER = (None, Verdict.CANONICAL, Verdict.EXACT)


def verify_json(plan: Plan, tallies: Tallies, finished: bool, seconds: float) -> str:
    """All results as JSON; exact numbers are strings."""
    data = {
        "tevtheory": tevtheory.__version__,
        "finished": finished,
        "seconds": round(seconds, 3),
        "seed": plan.seed,
        "path_budget": {name: family(name).path_budget for name in plan.max_nodes},
        "max_nodes": plan.max_nodes,
        "verifiers": [_tally_data(name, tally) for name, tally in tallies.items()],
    }
    return json.dumps(data, indent=1) + "\n"


def _tally_data(name: str, tally: Tally) -> dict[str, Any]:
    verifier = find(name)
    return {
        "name": name,
        "source": verifier.source,
        "claim": verifier.claim.value,
        "verdict": None if tally.verdict is None else tally.verdict.value,
        "as_claimed": tally.verdict is verifier.claim,
        "trees": tally.trees,
        "over_budget": tally.over_budget,
        "paths": tally.paths,
        "length_over_ceiling": None if tally.low is None else [show(tally.low), show(tally.high)],
        "largest_distance": show(tally.worst),
        "largest_regret": show(tally.largest_regret),
        "counterexample": None if tally.counterexample is None else _example_data(tally.counterexample),
    }


def _example_data(example: Counterexample) -> dict[str, Any]:
    finding, (nodes, pattern, shape, number) = example.finding, example.address
    return {
        "pattern": pattern,
        "nodes": nodes,
        "shape": shape,
        "number": number,
        "finding": str(finding),
        "length": None if finding.length is None else show(finding.length),
        "ceiling": show(finding.ceiling),
        "distance": show(finding.distance),
        "problem": problem_data(ProblemFile(example.problem)),
    }


# tevtheory prove and faults --------------------------------------------------------------------------------------------


def evidence_summary(results: Sequence[Evidence]) -> Text:
    """What failed, what was not run and why, or that all is well."""
    text = Text()
    failed = [entry for entry in results if entry.outcome == "failed"]
    reasons = dict.fromkeys(f"{entry.kind}: {entry.what}" for entry in results if entry.outcome == "not run")
    for reason in reasons:
        text.append(f"not run, {reason}\n", style="dim")
    for entry in failed:
        text.append(f"FAILED {entry.statement}, {entry.kind}: {entry.what}\n", style="bold red")
    if not failed:
        text.append("Nothing failed.", style="bold green")
    return text


def faults_summary(faults: int, alive: list[str], controls: int, broken: list[str]) -> Text:
    """Whether every fault is killed by its check, and every control passes."""
    text = Text(f"{faults - len(alive)} of {faults} faults killed by the check expected, ")
    text.append(f"{controls - len(broken)} of {controls} controls pass.\n")
    if alive or broken:
        text.append(f"NOT AS EXPECTED: {', '.join([*alive, *broken])}.", style="bold red")
    else:
        text.append("Run your own test-suite against them: tevtheory.faults.FAULTS.", style="bold green")
    return text
