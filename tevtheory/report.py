"""What the commands print: tables and pages for people, JSON for programs."""

from __future__ import annotations

import heapq
import json
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

import tevtheory
from tevtheory.conformance import Counterexample, Report, Tally
from tevtheory.enumeration import family
from tevtheory.exitlaw import (
    block_length_law,
    canonical_exit_law,
    ceiling,
    coverage,
    exit_masses,
    flow,
    length_variance,
    loss_ledger,
    one_ring_regret,
    truncated_ceiling,
)
from tevtheory.interop import ProblemFile, problem_data
from tevtheory.sweep import Plan, Tallies
from tevtheory.targets import TargetTree
from tevtheory.trees import ROOT
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.catalogue import find
from tevtheory.weights import show


def _decimal(value: Any, digits: int = 4) -> str:
    return f"{float(value):.{digits}g}"


def _plural(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


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
        text += f" BY up to {_decimal(tally.worst, 6)}"
    elif tally.verdict is Verdict.EXACT:
        text += f" up to {_decimal(tally.largest_regret)}"
    if tally.verdict is not find(name).claim:
        return Text(f"{text}; claimed {find(name).claim.value}", style="bold red")
    return Text(text, style="yellow" if tally.verdict is Verdict.LOSSY else "green")


def _span(tally: Tally) -> str:
    if tally.low is None:
        return ""
    return show(tally.low) if tally.low == tally.high else f"{_decimal(tally.low)} .. {_decimal(tally.high)}"


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
    where = f"tree {tree} of {_plural(nodes, 'node')} ({pattern} {nodes}/{shape}/{number})"
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


# tevtheory check ----------------------------------------------------------------------------------------------------


def check_page(found: Report) -> Group:
    """The report on one verifier, with its counterexample drawn."""
    style = "bold green" if found.is_exact else "bold red"
    first, *rest = str(found).splitlines()
    parts: list[RenderableType] = [Text(first, style=style)]
    if found.counterexample is not None:
        target = found.counterexample.problem.target
        parts.append(_tree_drawing(target, ProblemFile(found.counterexample.problem), top=40))
    parts.extend(Text(line) for line in rest)
    parts.append(Text("  checks: " + ", ".join(f"{check.name} {_word(check.passed)}" for check in found.checks)))
    return Group(*parts)


def _word(passed: bool | None) -> str:
    return {True: "passed", False: "FAILED", None: "not run"}[passed]


def faults_summary(faults: int, alive: list[str], controls: int, broken: list[str]) -> Text:
    """Whether every fault is killed by its check, and every control passes."""
    text = Text(f"{faults - len(alive)} of {faults} faults killed by the check expected, ")
    text.append(f"{controls - len(broken)} of {controls} controls pass.\n")
    if alive or broken:
        text.append(f"NOT AS EXPECTED: {', '.join([*alive, *broken])}.", style="bold red")
    else:
        text.append("Run your own test-suite against them: tevtheory.faults.FAULTS.", style="bold green")
    return text


# tevtheory law -------------------------------------------------------------------------------------------------------


def law_page(file: ProblemFile, remaining: int | None, top: int) -> Group:
    """Ceiling, exit law, length law and ledger of one tree."""
    target = file.problem.target
    removed = Text("")
    if file.end is not None:
        pruned = target.without_end(file.end)
        removed.append(f"End-of-sequence nodes removed: {target.tree.size - pruned.tree.size}.\n")
        target = pruned
    parts: list[RenderableType] = [removed] if removed.plain else []
    parts += [_tree_drawing(target, file, top), _ceiling_text(target, remaining), _exit_table(target, file, top)]
    parts += [_length_table(target), _ledger(target, file, top)]
    return Group(*parts)


def _tree_drawing(target: TargetTree, file: ProblemFile, top: int) -> RenderableType:
    """The tree with target probability, flow and exit mass per node; large trees show their largest flows."""
    flows, exits = flow(target), exit_masses(target)
    shown = sorted(range(target.tree.size), key=lambda v: (-float(flows[v]), v))[: max(top, 1)]
    drawn: dict[int, Tree] = {}
    for v in sorted({*shown, *(up for w in shown for up in target.tree.ancestors(w))}):
        label = Text.assemble(
            (file.name(target.tree.tokens[v]) if v else "(root)", "bold"),
            f"  p {_number(target.edge(v))}" if v else "",
            f"  flow {_number(flows[v])}  exit {_number(exits[v])}",
        )
        drawn[v] = Tree(label) if v == ROOT else drawn[target.tree.parents[v]].add(label)
    hidden = target.tree.size - len(drawn)
    note = Text(f"... and {_plural(hidden, 'node')} of smaller flow\n" if hidden else "", style="dim")
    return Group(drawn[ROOT], note)


def _number(value: Any) -> str:
    """A number as a fraction where that is short, else as a decimal."""
    text = show(value)
    return text if len(text) <= 16 else f"{_decimal(value, 6)}"


def _with_decimal(value: Any) -> str:
    text = show(value)
    return f"{_decimal(value, 6)}" if len(text) > 40 else f"{text} = {_decimal(value, 6)}" if "/" in text else text


def _ceiling_text(target: TargetTree, remaining: int | None) -> Text:
    text = Text.assemble(
        ("Ceiling: E[length] <= ", "bold"),
        (_with_decimal(ceiling(target)), "bold green"),
        f" for every exact verifier (1 + coverage {_with_decimal(coverage(target))}; the bonus token counts).\n",
        "The canonical exit law attains it.\n",
    )
    if remaining is not None:
        text.append(f"With {_plural(remaining, 'token')} left: {_with_decimal(truncated_ceiling(target, remaining))}\n")
    if target.discrepancy:
        text.append(f"Float rows are off 1 by up to {_decimal(target.discrepancy)}; the target is row / total.\n")
    return text


def _exit_table(target: TargetTree, file: ProblemFile, top: int) -> RenderableType:
    law = canonical_exit_law(target)
    table = Table(title="Canonical exit law", title_justify="left")
    for column in ("accepted path", "bonus", "block"):
        table.add_column(column)
    table.add_column("probability", justify="right")
    entries = list(law.items())
    if len(entries) > top:
        entries = heapq.nlargest(top, entries, key=lambda entry: float(entry[1]))
    else:
        entries.sort(key=lambda entry: (target.tree.depths[entry[0].node], entry[0]))
    for (node, token), mass in entries:
        path = target.tree.path(node)
        block = file.string((*path, token))
        table.add_row(escape(file.string(path)), escape(file.name(token)), escape(block), _number(mass))
    hidden = len(law) - len(entries)
    return Group(table, Text(f"... and {_plural(hidden, 'block')} of smaller mass\n" if hidden else "", style="dim"))


def _length_table(target: TargetTree) -> RenderableType:
    table = Table(title="Block length", title_justify="left")
    table.add_column("length", justify="right")
    table.add_column("probability", justify="right")
    for length, mass in block_length_law(target).items():
        table.add_row(str(length), _number(mass))
    return Group(table, Text(f"variance {_with_decimal(length_variance(target))}\n"))


def _ledger(target: TargetTree, file: ProblemFile, top: int) -> RenderableType:
    text = Text.assemble(("Loss ledger\n", "italic"))
    text.append(f"one-ring regret {_with_decimal(one_ring_regret(target))}: what the best tree of this budget within")
    text.append(" one step of this one would gain\n")
    if file.off_tree is None:
        text.append(
            'the loss against the oracle tree needs rows off the tree: add "off_tree" to the file\n', style="dim"
        )
        return text
    ledger = loss_ledger(target.tree, file.off_tree)
    text.append(f"oracle coverage {_with_decimal(ledger.oracle_coverage)}, loss {_with_decimal(ledger.loss)}")
    text.append(f" = missed {_with_decimal(sum(ledger.missed.values()))}")
    text.append(f" + wasted {_with_decimal(sum(ledger.wasted.values()))}\n")
    if ledger.threshold is not None:
        text.append(f"against the oracle's smallest flow {_number(ledger.threshold)}:\n")
    for what, shares in (("missed", ledger.missed), ("wasted", ledger.wasted)):
        for path, share in sorted(shares.items(), key=lambda entry: -float(entry[1]))[:top]:
            through = ledger.threshold + share if what == "missed" else ledger.threshold - share
            text.append(f"  {what} {file.string(path)}: flow {_number(through)}, share {_number(share)}\n")
    for node, mass in ledger.by_exit.items():
        text.append(f"  missed flow below the exit at {file.string(target.tree.path(node))}: {_number(mass)}\n")
    return text
