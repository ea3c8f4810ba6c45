"""Faults of kind S: they need two calls on the same buffers, or a batch of two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from tevtheory.choices import Chooser, verifier
from tevtheory.faults.cases import Arrays, Batch, Fault, FixedTree, Sessions
from tevtheory.faults.notation import (
    ACCEPT,
    BONUS,
    DRAFT,
    RACE,
    TOKEN,
    Block,
    blocks,
    excess,
    follow,
    problem,
    row_of,
    without,
)
from tevtheory.targets import Problem
from tevtheory.trees import ROOT, Exit
from tevtheory.verdicts import Verdict

Row = Sequence[Any]

# 17: zeroing in place ------------------------------------------------------------------------------------------------


def _chain(copies: bool) -> Callable[..., list[int]]:
    """One-hot acceptance along a chain of arrays; the refused token's mass is zeroed in a copy, or in place."""

    def call(tokens: Any, _: Any, rows: Any, rng: Any) -> list[int]:
        for position, token in enumerate(tokens):
            if rng.random() < rows[position, token]:
                continue
            left = rows[position].copy() if copies else rows[position]
            left[token] = left[token] * 0
            return [*map(int, tokens[:position]), int(rng.choice(len(left), p=left))]
        return [*map(int, tokens), int(rng.choice(rows.shape[1], p=rows[len(tokens)]))]

    return call


def _session(restores: bool) -> Callable[[], Callable[[Chooser, int], Block]]:
    """A chain (a) on a row of the session's own, zeroed at a for the residual after either answer."""

    def start() -> Callable[[Chooser, int], Block]:
        row = list(row_of("1/2 1/2"))

        def call(chooser: Chooser, number: int) -> Block:
            mass, accepted = row[0], chooser.flip(row[0], site=(ACCEPT, number))
            row[0] = mass * 0
            block = (0,) if accepted else (chooser.choose(tuple(row), site=(TOKEN, number)),)
            if restores:
                row[0] = mass
            return block

        return call

    return start


def _tables(problem: Problem) -> tuple[Problem, list[list[Any]]]:
    return problem, [list(row) for row in problem.rows]


@verifier(
    "zeroes its plan", source="vllm-ascend PR 2881", claim=Verdict.CANONICAL, slots=[ACCEPT, BONUS], prepare=_tables
)
def _ZEROES_ITS_PLAN(plan: tuple[Problem, list[list[Any]]], chooser: Chooser) -> Exit:
    """The one-hot rule on a chain, the refused token's mass zeroed in the plan that the next run reads."""
    (problem, rows), node = plan, ROOT
    for child in range(1, problem.tree.size):
        token = problem.tree.tokens[child]
        if not chooser.flip(rows[node][token], site=(ACCEPT, child)):
            rows[node][token] *= 0
            break
        node = child
    return Exit(node, chooser.choose(tuple(rows[node]), site=(BONUS, 0)))


# 19: noise that is never written ---------------------------------------------------------------------------------------


class Recovery(NamedTuple):
    """A request of row 19: the target row, the drafted token, and whether it brings a seed."""

    row: Row
    drafted: int
    seeded: bool


def _recover(writes: bool) -> Callable[[Sequence[Recovery], Chooser], Block]:
    """One-hot acceptance, recovery by argmax residual / noise; in a mixed batch the unseeded noise lands in a copy."""

    def step(requests: Sequence[Recovery], chooser: Chooser) -> Block:
        mixed = len({request.seeded for request in requests}) > 1
        block = []
        for index, request in enumerate(requests):
            left = without(request.row, request.drafted)
            if chooser.flip(request.row[request.drafted], site=(ACCEPT, index)):
                block.append(request.drafted)
            elif writes or request.seeded or not mixed:
                block.append(chooser.choose(left, site=(RACE, index)))
            else:
                block.append(left.index(max(left)))
        return tuple(block)

    return step


# 56: rows of another request -------------------------------------------------------------------------------------------


class Sampled(NamedTuple):
    """A request of row 56: the target row and the row its draft is sampled from."""

    row: Row
    proposal: Row


def _judged_by(other: int) -> Callable[[Sequence[Sampled], Chooser], Block]:
    """The ratio rule with q rows taken from the request `other` places on."""

    def step(requests: Sequence[Sampled], chooser: Chooser) -> Block:
        block = []
        for index, (row, proposal) in enumerate(requests):
            judged = requests[(index + other) % len(requests)].proposal
            token = chooser.choose(proposal, site=(DRAFT, index))
            if not chooser.flip(row[token], judged[token], site=(ACCEPT, index)):
                token = chooser.choose(excess(row, judged), site=(TOKEN, index))
            block.append(token)
        return tuple(block)

    return step


def side_by_side(first: Mapping[Block, Fraction], second: Mapping[Block, Fraction]) -> dict[Any, Fraction]:
    """The law of two independent requests in one batch.

    >>> side_by_side(blocks("a 1"), blocks("a 1/2, b 1/2"))
    {(0, 0): Fraction(1, 2), (0, 1): Fraction(1, 2)}
    """
    return {(*a, *b): left * right for a, left in first.items() for b, right in second.items()}


_HALVES = problem("a", "1/2 1/2", "0 1")
_MIXED = row_of("1/2 3/10 1/5")
_RECOVERED = blocks("a 1/2, b 3/10, c 1/5")
_FAIR = row_of("1/2 1/2")
_EVEN = blocks("a 1/2, b 1/2")
_ASCEND_17 = "vllm-project/vllm-ascend PR 2881"

STATE = (
    Fault(
        "17(i)",
        "the drafted token's mass is zeroed in the caller's array",
        _ASCEND_17,
        "S",
        Arrays(_chain(copies=False), _HALVES, _chain(copies=True)),
        blocks("ab 1/2, b 1/2"),
        blocks("ab 1/2, b 1/2"),  # the first call is right
        "inputs",
    ),
    Fault(
        "17(ii)",
        "zeroed in a buffer of its own and never restored",
        _ASCEND_17,
        "S",
        Sessions(_session(restores=False), _session(restores=True)),
        _EVEN,
        blocks("b 1"),
        "second call",
    ),
    Fault(
        "17(iii)",
        "zeroed in what was prepared once per tree",
        _ASCEND_17,
        "S",
        FixedTree(_ZEROES_ITS_PLAN, _HALVES, follow),
        blocks("ab 1/2, b 1/2"),
        blocks("ab 1/2, b 1/2"),  # on a fresh plan
        "replay",
    ),
    Fault(
        "19",
        "noise for unseeded rows is written into a copy",
        "vllm-project/vllm PR 10863, issue 11123",
        "S",
        Batch(_recover(writes=False), (Recovery(_MIXED, 0, True), Recovery(_MIXED, 0, False)), _recover(writes=True)),
        side_by_side(_RECOVERED, _RECOVERED),
        side_by_side(_RECOVERED, _EVEN),
        "batch",
    ),
    Fault(
        "56",
        "q rows are taken from another request",
        "vllm-project/vllm PR 41044, PR 44869; NVIDIA/TensorRT-LLM PR 12588",
        "S",
        Batch(_judged_by(1), (Sampled(_FAIR, row_of("1 0")), Sampled(_FAIR, row_of("1/4 3/4"))), _judged_by(0)),
        side_by_side(_EVEN, _EVEN),
        side_by_side(blocks("a 1"), blocks("a 1/8, b 7/8")),
        "batch",
    ),
)
