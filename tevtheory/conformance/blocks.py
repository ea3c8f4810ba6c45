"""Judge whole emissions: blocks as token strings, averages over random drafts, several blocks in a row.

Where there is no one tree (the draft is random, or the target has memory that a second block must respect), a program is
judged by the strings it emits. Theorem: a law of strings of total mass 1, each continued with the target, keeps the
target's law iff P(starts with sx) = p(x | s) P(strictly extends s) for every string s and token x.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from tevtheory.choices import Limits, enumerate_law
from tevtheory.errors import ContractError
from tevtheory.laws import Law
from tevtheory.targets import Target
from tevtheory.verdicts import Verdict
from tevtheory.weights import ZERO, brief, show

Block = tuple[int, ...]


@dataclass(frozen=True)
class BlockFinding:
    """The verdict on a law of emitted strings.

    `length` is the expected number of emitted tokens, `distance` the total variation between the law, continued with the
    target, and the target; `reason` the counterexample; `check` what found it.
    """

    verdict: Verdict
    length: Any = None
    distance: Any = ZERO
    reason: str = ""
    paths: int = 0
    check: str = "law"

    def __str__(self) -> str:
        by = f" BY {show(self.distance)}" if self.verdict is Verdict.LOSSY else ""
        return f"{self.verdict.value}{by}{f': {self.reason}' if self.reason else ''}"


@dataclass
class _Node:
    """What is known of one string: the mass of blocks that start with it, and of those that end on it."""

    starts: Any = ZERO
    ends: Any = ZERO


def _trie(law: Law[Block]) -> dict[Block, _Node]:
    nodes: dict[Block, _Node] = {}
    for block, mass in law.items():
        for k in range(len(block) + 1):
            nodes.setdefault(block[:k], _Node()).starts += mass
        nodes[block].ends += mass
    return dict(sorted(nodes.items(), key=lambda entry: (len(entry[0]), entry[0])))


def judge_blocks(law: Law[Block], target: Target, paths: int = 0) -> BlockFinding:
    """Judge a law of emitted strings against a target with any memory.

    >>> fair = Target.context_free(["1/2", "1/2"])
    >>> print(judge_blocks(Law({(0,): "1/2", (1, 0): "1/2"}), fair))
    LOSSY BY 1/4: after [1], token 0 follows with 1, target 1/2
    """
    for block in law:
        wrong = [token for token in block if not 0 <= token < target.vocabulary]
        if wrong or not block:
            reason = f"token {wrong[0]} is not in the vocabulary" if wrong else "an empty block is emitted"
            return BlockFinding(Verdict.BROKEN, reason=reason, paths=paths, check="outputs")
    if law.total != 1:
        reason = f"the law has total mass {show(law.total)}, not 1"
        return BlockFinding(Verdict.BROKEN, reason=reason, paths=paths, check="mass")
    nodes, length = _trie(law), law.mean(len)
    reason, check = _first_violation(nodes, target)
    if not reason:
        return BlockFinding(Verdict.EXACT, length, paths=paths)
    return BlockFinding(Verdict.LOSSY, length, _distance(nodes, target), reason, paths, check)


def _first_violation(nodes: dict[Block, _Node], target: Target) -> tuple[str, str]:
    for s, node in nodes.items():
        extends = node.starts - node.ends
        if extends == 0:
            continue
        row = target.row(s)
        for x in range(target.vocabulary):
            child = nodes.get((*s, x))
            starts = ZERO if child is None else child.starts
            if starts != row[x] * extends:
                got = f"after {list(s)}, token {x} follows with {show(starts / extends)}, target {show(row[x])}"
                return got, "support" if row[x] == 0 else "law"
    return "", "law"


def _distance(nodes: dict[Block, _Node], target: Target) -> Any:
    """Total variation of the continued law from the target's, on strings as long as the longest block.

    Off the trie both laws continue with the same rows, so the first string off it decides.
    """
    gap, horizon = ZERO, max(map(len, nodes))
    completed: dict[Block, tuple[Any, Any]] = {(): (ZERO + 1, ZERO + 1)}
    for s, node in nodes.items():
        mass, truth = completed[s]
        if len(s) == horizon:
            gap += abs(mass - truth)
            continue
        free = mass - (node.starts - node.ends)  # mass that runs through s as a continuation
        for x, p in enumerate(target.row(s)):
            child = nodes.get((*s, x))
            grown = free * p + (ZERO if child is None else child.starts)
            if child is None:
                gap += abs(grown - truth * p)
            else:
                completed[(*s, x)] = grown, truth * p
    return gap / 2


def judge_emission(
    program: Callable[[Any], Block], target: Target, limits: Limits = Limits(paths=100_000)
) -> BlockFinding:
    """Judge a program chooser -> emitted tokens (one block, or several in a row) against a target with memory."""
    found, broken = _enumerated(program, limits)
    return broken or judge_blocks(found.law, target, found.paths)


def judge_average(
    program: Callable[[Any], tuple[Hashable, Block]], target: Target, limits: Limits = Limits(paths=100_000)
) -> BlockFinding:
    """Judge a program that drafts and verifies: chooser -> (what was drafted, emitted tokens).

    EXACT: exact given every draft. EXACT ON AVERAGE ONLY: exact after averaging over the drafts, but not given each.

    >>> from tevtheory.choices import Slot
    >>> draft, keep, redo = (Slot(name, per="round") for name in ("draft", "keep", "redo"))
    >>> fair = Target.context_free(["1/2", "1/2"])
    >>> def always_accept(chooser):  # the drafter is the target: on average right, given the draft not
    ...     token = chooser.choose([1, 1], site=(draft, 0))
    ...     return token, (token, chooser.choose([1, 1], site=(redo, 0)))
    >>> print(judge_average(always_accept, fair))
    EXACT ON AVERAGE ONLY: given draft 0, after [], token 0 follows with 1, target 1/2
    """
    found, broken = _enumerated(program, limits)
    if broken is not None:
        return broken
    whole = judge_blocks(found.law.map(lambda pair: pair[1]), target, found.paths)
    if whole.verdict is not Verdict.EXACT:
        return whole
    drafts: dict[Hashable, dict[Block, Any]] = {}
    for (drafted, block), mass in found.law.items():
        drafts.setdefault(drafted, {})[block] = mass
    for drafted, masses in drafts.items():
        total = sum(masses.values())
        given = judge_blocks(Law.trusted({block: mass / total for block, mass in masses.items()}), target)
        if given.verdict is not Verdict.EXACT:
            reason = f"given draft {drafted!r}, {given.reason}"
            return BlockFinding(Verdict.ON_AVERAGE, whole.length, ZERO, reason, found.paths)
    return whole


def _enumerated(program: Callable[[Any], Any], limits: Limits) -> tuple[Any, BlockFinding | None]:
    try:
        found = enumerate_law(program, limits=limits, boundary=True)
    except ContractError as error:
        return None, BlockFinding(Verdict.BROKEN, reason=str(error), check=error.check)
    except Exception as error:  # whatever the program raises is a finding about it
        return None, BlockFinding(Verdict.BROKEN, reason=f"raised {type(error).__name__}: {error}", check="exception")
    if found.cut is not None:
        reason = f"{found.cut}; mass {brief(found.law.unresolved)} is unresolved"
        verdict = Verdict.BROKEN if found.endless else Verdict.INCONCLUSIVE
        return found, BlockFinding(verdict, reason=reason, paths=found.paths, check="draws")
    return found, None
