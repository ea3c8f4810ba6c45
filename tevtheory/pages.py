"""Pages about one tree: the exit law, and the report on one verifier with its counterexample drawn."""

from __future__ import annotations

import heapq
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from tevtheory.conformance import Report
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
from tevtheory.interop import ProblemFile
from tevtheory.targets import TargetTree
from tevtheory.trees import ROOT
from tevtheory.weights import show


def decimal(value: Any, digits: int = 4) -> str:
    """A number with a few significant digits."""
    return f"{float(value):.{digits}g}"


def plural(count: int, word: str) -> str:
    """A count with its word."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


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
    note = Text(f"... and {plural(hidden, 'node')} of smaller flow\n" if hidden else "", style="dim")
    return Group(drawn[ROOT], note)


def _number(value: Any) -> str:
    """A number as a fraction where that is short, else as a decimal."""
    text = show(value)
    return text if len(text) <= 16 else f"{decimal(value, 6)}"


def _with_decimal(value: Any) -> str:
    text = show(value)
    return f"{decimal(value, 6)}" if len(text) > 40 else f"{text} = {decimal(value, 6)}" if "/" in text else text


def _ceiling_text(target: TargetTree, remaining: int | None) -> Text:
    text = Text.assemble(
        ("Ceiling: E[length] <= ", "bold"),
        (_with_decimal(ceiling(target)), "bold green"),
        f" for every exact verifier (1 + coverage {_with_decimal(coverage(target))}; the bonus token counts).\n",
        "The canonical exit law attains it.\n",
    )
    if remaining is not None:
        text.append(f"With {plural(remaining, 'token')} left: {_with_decimal(truncated_ceiling(target, remaining))}\n")
    if target.discrepancy:
        text.append(f"Float rows are off 1 by up to {decimal(target.discrepancy)}; the target is row / total.\n")
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
    return Group(table, Text(f"... and {plural(hidden, 'block')} of smaller mass\n" if hidden else "", style="dim"))


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
