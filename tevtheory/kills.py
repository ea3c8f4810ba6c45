"""The kill table: which check finds which fault of the field.

`tevtheory.faults` holds data and programs and knows no judge; `tevtheory.conformance` judges and knows no fault. Here they
meet. A fault is killed by the first check that finds something; `without` switches checks off, and shows that none is idle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tevtheory.choices import Limits, Slot, TapeChooser, Verifier, enumerate_law
from tevtheory.conformance import CHAIN, Subject, judge_average, judge_emission, judge_on, over_chooser, over_generator
from tevtheory.conformance.contracts import CONTRACTS, chain
from tevtheory.errors import InputError
from tevtheory.faults import CONTROLS, FAULTS, Case, Control, Fault
from tevtheory.faults.cases import (
    Arrays,
    Batch,
    CoinSource,
    Draft,
    Emission,
    FixedTree,
    Lengths,
    Sessions,
    Tie,
    Walk,
)
from tevtheory.laws import Law
from tevtheory.verdicts import Verdict
from tevtheory.weights import show

if TYPE_CHECKING:
    from rich.table import Table

LIMITS = Limits(paths=10_000, draws=100)

CHECKS: dict[str, str] = {
    "law": "a local equality of the block law fails",
    "support": "a token of target mass 0 is emitted",
    "boundary": "it is emitted when a coin meets a threshold exactly",
    "outputs": "an empty block, or an id that is not in the vocabulary",
    "inputs": "an argument is changed by the call",
    "replay": "the same choices give another outcome",
    "draws": "a path never ends",
    "coin": "a uniform is not in [0, 1)",
    "average": "exact over the drafts, not given each",
    "ceiling": "blocks are longer than any exact rule's",
    "length": "blocks are shorter than the best exact rule's",
    "super-tree": "an added node shortens the expected block",
    "chain": "a tree with one child per node differs from the chain",
    "labels": "the law does not follow when tokens are renamed",
    "second call": "the second call's law differs from the first's",
    "batch": "a request's law depends on its neighbours",
    "tie": "the choice among equal largest weights differs (a convention, told apart from a wrong law)",
}
"""Every check that kills something, and what it sees."""


@dataclass(frozen=True)
class Found:
    """What one check says against a case."""

    check: str
    verdict: str
    detail: str


@dataclass(frozen=True)
class Kill:
    """A fault, and what killed it: the first check that found something; `check` is None for a survivor."""

    fault: Fault
    check: str | None
    verdict: str
    detail: str

    @property
    def killed(self) -> bool:
        """Whether some check found the fault."""
        return self.check is not None

    @property
    def expected(self) -> bool:
        """Whether the check that should find it did."""
        return self.check == self.fault.killed_by


@dataclass(frozen=True)
class Passed:
    """A control: the verdict it got, and whether it is the one it must get, with nothing found against it."""

    control: Control
    verdict: str
    passed: bool


def kill_table(without: frozenset[str] = frozenset(), faults: Sequence[Fault] = FAULTS) -> list[Kill]:
    """Judge every fault by every check that applies, but those in `without`.

    Raises InputError on a name that is no check.

    >>> kill_table(faults=FAULTS[:1])[0].detail
    'at node 0, path [], token 2 follows with 0, target 1/8'
    """
    if unknown := sorted(without - CHECKS.keys()):
        raise InputError("names of checks", unknown[0], "without", f"choose from {', '.join(CHECKS)}")
    return [_kill(fault, without) for fault in faults]


def _kill(fault: Fault, without: frozenset[str]) -> Kill:
    found = [entry for entry in findings(fault.case) if entry.check not in without]
    if not found:
        return Kill(fault, None, "SURVIVED", "")
    return Kill(fault, found[0].check, found[0].verdict, found[0].detail)


def controls_table(controls: Sequence[Control] = CONTROLS) -> list[Passed]:
    """Judge the rules that were reported as faults and are none.

    >>> all(entry.passed for entry in controls_table())
    True
    """
    return [_passed(control) for control in controls]


def _passed(control: Control) -> Passed:
    found = findings(control.case)
    case = control.case
    verdict = _judge(case).verdict if isinstance(case, FixedTree | Draft) else None
    text = found[0].verdict if found else "" if verdict is None else verdict.value
    return Passed(control, text, not found and verdict is control.verdict)


def findings(case: Case) -> list[Found]:
    """Everything the checks that apply to a case find; nothing for a right program."""
    return list(_LOOK[type(case)](case))


def _subject(walk: Walk) -> Any:
    return walk if isinstance(walk, Verifier) else over_chooser(walk)


def _judge(case: FixedTree | Emission | Draft | Arrays) -> Any:
    if isinstance(case, FixedTree):
        return judge_on(_subject(case.program), case.problem, limits=LIMITS)
    if isinstance(case, Arrays):
        return judge_on(over_generator(case.program, layout=CHAIN), case.problem, limits=LIMITS)
    if isinstance(case, Draft):
        return judge_average(case.program, case.target, LIMITS)
    return judge_emission(case.program, case.target, LIMITS)


def _look_at_law(case: Emission | Arrays) -> Iterator[Found]:
    finding = _judge(case)
    if not finding.verdict.is_exact:
        yield Found(finding.check, _words(finding), finding.reason)


def _words(finding: Any) -> str:
    lossy = finding.verdict is Verdict.LOSSY
    return f"LOSSY BY {show(finding.distance)}" if lossy else str(finding.verdict.value)


def _look_at_tree(case: FixedTree) -> Iterator[Found]:
    finding = _judge(case)
    if not finding.verdict.is_exact:
        yield Found(finding.check, _words(finding), finding.reason)
    if case.contract is not None:
        detail = _contract(case, case.contract)
        if detail:
            yield Found(case.contract, f"{finding.verdict.value}, but fails", detail)


def _contract(case: FixedTree, name: str) -> str | None:
    subject: Subject = over_chooser(case.program)
    if name == "chain":
        return chain(subject, over_chooser(case.twin), [case.problem], LIMITS)
    return CONTRACTS[name](subject, [case.problem], LIMITS)


def _look_at_draft(case: Draft) -> Iterator[Found]:
    finding = _judge(case)
    if finding.verdict is Verdict.ON_AVERAGE and case.given_draft:
        yield Found("average", finding.verdict.value, finding.reason)
    elif finding.verdict is not Verdict.ON_AVERAGE and not finding.verdict.is_exact:
        yield Found(finding.check, _words(finding), finding.reason)


def _law(program: Callable[[Any], Any]) -> Law[Any]:
    return enumerate_law(program, limits=LIMITS).law


def _look_at_lengths(case: Lengths) -> Iterator[Found]:
    length, best = (_law(case.run(program)).mean(int) for program in (case.program, case.twin))
    if length > best:
        yield Found("ceiling", "NOT EXACT", f"E[length] is {show(length)}, above {show(best)}")
    if length < best:
        yield Found("length", f"REGRET {show(best - length)}", f"E[length] is {show(length)}, not {show(best)}")


def _look_at_calls(case: Sessions) -> Iterator[Found]:
    laws = [_law(lambda chooser, n=n: case.call(case.program, chooser, n)) for n in (1, 2, 3)]  # type: ignore[misc]
    for call, (before, after) in enumerate(pairwise(laws), 2):
        if before != after:
            detail = f"call {call} has {after}, call {call - 1} {before}"
            yield Found("second call", "BROKEN CONTRACT", detail)
            return


def _look_at_batch(case: Batch) -> Iterator[Found]:
    whole = _law(case.run(case.program))
    for index, request in enumerate(case.requests):
        alone = _law(lambda chooser, request=request: case.program([request], chooser)[0])  # type: ignore[misc]
        within = whole.map(lambda tokens, index=index: tokens[index])  # type: ignore[misc]
        if alone != within:
            detail = f"request {index} has {within} in the batch, {alone} alone"
            yield Found("batch", f"LOSSY BY {show(alone.total_variation(within))}", detail)
            return


def _look_at_tie(case: Tie) -> Iterator[Found]:
    """Temperature 0: the first largest weight wins; a law that differs only among equal largest weights is a tie."""
    rows, tree = case.problem.rows, case.problem.tree
    for block, mass in _law(case.run(case.program)).items():
        for depth, token in enumerate(block):
            node = tree.find(block[:depth])
            row = rows[0 if node is None else node]
            winner = row.index(max(row))
            if token != winner:
                tied = row[token] == row[winner]
                what = f"shares the largest weight {show(row[winner])} with" if tied else "is less likely than"
                detail = f"after {list(block[:depth])}, token {token} {what} token {winner} (block mass {show(mass)})"
                yield Found("tie" if tied else "law", "TIE" if tied else "LOSSY", detail)
                return


def _look_at_coins(case: CoinSource) -> Iterator[Found]:
    slot = Slot("coin", per="round")
    try:
        TapeChooser(lambda _slot, _index: case.program()).coin(site=(slot, 0))
    except InputError as error:
        yield Found("coin", "BROKEN CONTRACT", str(error))


_LOOK: dict[type, Callable[[Any], Iterator[Found]]] = {
    FixedTree: _look_at_tree,
    Emission: _look_at_law,
    Arrays: _look_at_law,
    Draft: _look_at_draft,
    Lengths: _look_at_lengths,
    Sessions: _look_at_calls,
    Batch: _look_at_batch,
    Tie: _look_at_tie,
    CoinSource: _look_at_coins,
}


def kill_report(kills: Sequence[Kill]) -> Table:
    """The kill table for people: one line per fault."""
    from rich.markup import escape
    from rich.table import Table

    killed = sum(kill.killed for kill in kills)
    title = f"Faults of the field: {killed} of {len(kills)} killed"
    table = Table(title=title, title_justify="left")
    for column in ("#", "class", "fault", "killed by", "verdict", "counterexample"):
        table.add_column(column, overflow="fold")
    for kill in kills:
        check = kill.check or "[bold red]nothing[/]"
        cells = (kill.fault.id, kill.fault.kind, kill.fault.title)
        table.add_row(*map(escape, cells), check, escape(kill.verdict), escape(kill.detail))
    return table


__all__ = ["CHECKS", "Found", "Kill", "Passed", "controls_table", "findings", "kill_report", "kill_table"]
