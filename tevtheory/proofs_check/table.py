"""Run the evidence that is available, and show it: statement by kind."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tevtheory.errors import InputError
from tevtheory.proofs_check.evidence import KINDS, Evidence, NotRun, Outcome, Refuted
from tevtheory.proofs_check.statements import STATEMENTS

if TYPE_CHECKING:
    from rich.table import Table

    from tevtheory.proofs_check.checks import Check

QUICK, DEFAULT, DEEP = range(3)


def run(only: Sequence[str] | None = None, deep: bool = False) -> list[Evidence]:
    """All evidence, or that for some statements and kinds (by id, "attainment" for the whole group, or kind).

    A missing tool gives "not run" with the reason. Raises InputError for a name that is neither statement nor kind.

    >>> [(entry.kind, entry.outcome, entry.count) for entry in run(["scope"]) if entry.kind == "exhaustive"]
    [('exhaustive', 'checked', 10)]
    """
    return list(collect(only, DEEP if deep else DEFAULT))


def collect(only: Sequence[str] | None = None, size: int = DEFAULT) -> Iterator[Evidence]:
    """The evidence one by one, at a quick, default or deep size."""
    from tevtheory.proofs_check.checks import CHECKS
    from tevtheory.proofs_check.mechanised import THEOREMS, mechanised

    statements, kinds = _chosen(only)
    for check in (*CHECKS, *_offered()):
        about = [name for name in check.statements if name in statements]
        if about and check.kind in kinds:
            yield from _evidence(check, about, size)
    if "mechanised" in kinds:
        yield from mechanised([name for name in THEOREMS if name in statements])


def _offered() -> Iterator[Check]:
    """The checks that other packages offer."""
    for entry in entry_points(group="tevtheory.checks"):
        yield from entry.load()


def _chosen(only: Sequence[str] | None) -> tuple[set[str], set[str]]:
    """The statements and kinds that are asked for; where only one sort is named, all of the other."""
    names = [entry.id for entry in STATEMENTS]
    statements, kinds = set[str](), set[str]()
    for word in only or ():
        found = {name for name in names if word in (name, name.partition("/")[0])}
        if not found and word not in KINDS:
            choices = ", ".join([*names, *KINDS])
            raise InputError("a statement or a kind of evidence", repr(word), "only", f"choose from {choices}")
        statements |= found
        kinds |= {word} & set(KINDS)
    return statements or set(names), kinds or set(KINDS)


def _evidence(check: Check, about: Sequence[str], size: int) -> Iterator[Evidence]:
    started = time.perf_counter()
    outcome, count, what = _result(check, check.sizes[size])
    seconds = time.perf_counter() - started
    yield from (Evidence(name, check.kind, outcome, count, what, seconds) for name in about)


def _result(check: Check, size: int) -> tuple[Outcome, int, str]:
    missing = [package for package in check.needs if find_spec(package) is None]
    if missing:
        return "not run", 0, f"the package {missing[0]} is not installed"
    try:
        count = check.run(size, False)
    except Refuted as refuted:
        return "failed", 0, str(refuted)
    except (ImportError, NotRun) as error:
        return "not run", 0, str(error)
    except Exception as error:  # a check that breaks is no evidence, and must not hide the others
        return "failed", 0, f"{type(error).__name__}: {error}"
    what = check.what.replace("{n}", f"{size:,}")
    return (check.passed, count, what) if count else ("failed", 0, f"no instance: {what}")


_STYLES: dict[Outcome, str] = {"proved": "green", "checked": "cyan", "failed": "bold red", "not run": "dim"}


def evidence_table(results: Sequence[Evidence]) -> Table:
    """Statements by kinds: outcome, number of instances, seconds."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="Evidence, statement by statement", title_justify="left")
    table.add_column("statement", no_wrap=True)
    shown = [kind for kind in KINDS if any(entry.kind == kind for entry in results)]
    for kind in shown:
        table.add_column(kind, justify="right")
    for each in STATEMENTS:
        cells = [[entry for entry in results if (entry.statement, entry.kind) == (each.id, kind)] for kind in shown]
        if any(cells):
            table.add_row(escape(each.id), *("\n".join(map(_cell, entries)) for entries in cells))
    return table


def _cell(entry: Evidence) -> str:
    style = _STYLES[entry.outcome]
    if entry.outcome in ("failed", "not run"):
        return f"[{style}]{entry.outcome}[/]"
    return f"[{style}]{entry.outcome}[/] {entry.count:,} {entry.seconds:.1f}s"


MARKS = ("<!-- evidence -->", "<!-- end of evidence -->")
"""Between these lines a document holds the table."""


def markdown_table(results: Sequence[Evidence]) -> str:
    """Statements by kinds in Markdown, without times; a mechanised count is that of theorems."""
    lines = ["| statement | " + " | ".join(KINDS) + " |", "|---" * (len(KINDS) + 1) + "|"]
    for each in STATEMENTS:
        cells = [[entry for entry in results if (entry.statement, entry.kind) == (each.id, kind)] for kind in KINDS]
        words = [", ".join(_words(entry) for entry in entries if entry.outcome != "not run") for entries in cells]
        lines.append(f"| {each.id} | " + " | ".join(words) + " |")
    return "\n".join(lines) + "\n"


def _words(entry: Evidence) -> str:
    return entry.outcome if entry.outcome == "failed" else f"{entry.outcome} {entry.count:,}"


def with_table(text: str, table: str, where: str) -> str:
    """A document with its table replaced; raises InputError where the marks are missing."""
    before, opening, rest = text.partition(MARKS[0])
    _, closing, after = rest.partition(MARKS[1])
    if not (opening and closing):
        raise InputError(f"the lines {MARKS[0]} and {MARKS[1]}", "none", where, "add them where the table belongs")
    return f"{before}{opening}\n{table}{closing}{after}"


def as_data(results: Sequence[Evidence]) -> list[dict[str, Any]]:
    """The evidence as plain data, each with the sentence of its statement."""
    sentences = {entry.id: entry.sentence for entry in STATEMENTS}
    return [{**asdict(entry), "sentence": sentences[entry.statement]} for entry in results]
