"""What a fault is made of: a faulty program, its right twin, and what a checker may look at.

Every case has a `program` and a `twin`; `run(program)` makes either a function of a chooser whose enumerated law is the
fault's `faulty` or `right` law. How a case is judged is written elsewhere (`tevtheory.kills`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from tevtheory.choices import Chooser, ExactGenerator
from tevtheory.faults.notation import Block, block_of
from tevtheory.targets import Problem, Target
from tevtheory.trees import Exit
from tevtheory.verdicts import Verdict

Outcome = Hashable
Walk = Callable[[Problem, Chooser], Exit]
Emit = Callable[[Chooser], Block]
Kind = Literal["LT", "LD", "A", "N", "S", "P"]


@dataclass(frozen=True)
class FixedTree:
    """A verifier on one fixed tree; `contract` names a check between two trees or labellings that it must also keep."""

    program: Walk
    problem: Problem
    twin: Walk
    contract: Literal["labels", "super-tree", "chain"] | None = None

    def run(self, program: Walk) -> Callable[[Chooser], Outcome]:
        """The emitted block."""
        return lambda chooser: block_of(self.problem, program(self.problem, chooser))


@dataclass(frozen=True)
class Emission:
    """A program that emits tokens, one block or several, against a target that may remember the whole prefix."""

    program: Emit
    target: Target
    twin: Emit

    def run(self, program: Emit) -> Callable[[Chooser], Outcome]:
        """The emitted tokens."""
        return program


@dataclass(frozen=True)
class Draft:
    """A program that drafts and verifies: chooser -> (draft, block); `given_draft`: it must be exact given every draft."""

    program: Callable[[Chooser], tuple[Hashable, Block]]
    target: Target
    twin: Callable[[Chooser], tuple[Hashable, Block]]
    given_draft: bool = False

    def run(self, program: Callable[[Chooser], tuple[Hashable, Block]]) -> Callable[[Chooser], Outcome]:
        """The emitted block, averaged over the draft; the draft and the block where exactness given it is at stake."""
        return program if self.given_draft else lambda chooser: program(chooser)[1]


@dataclass(frozen=True)
class Lengths:
    """A serving log: only the lengths of blocks are seen, to be held against those of the best rule (the twin)."""

    program: Emit
    target: Target
    twin: Emit

    def run(self, program: Emit) -> Callable[[Chooser], Outcome]:
        """The block's length, bonus included."""
        return lambda chooser: len(program(chooser))


@dataclass(frozen=True)
class Arrays:
    """Numpy code (draft ids, draft rows or None, target rows, rng) -> tokens along a chain, run unmodified."""

    program: Callable[..., Sequence[int]]
    problem: Problem
    twin: Callable[..., Sequence[int]]

    def run(self, program: Callable[..., Sequence[int]]) -> Callable[[Chooser], Outcome]:
        """The emitted tokens of one call on fresh arrays."""
        tokens, rows = np.array(self.problem.tree.tokens[1:]), self.problem.rows

        def once(chooser: Chooser) -> Block:
            table = np.array([list(row) for row in rows], dtype=object)
            return tuple(program(tokens, None, table, ExactGenerator(chooser)))

        return once


@dataclass(frozen=True)
class Sessions:
    """A verifier with buffers of its own: `program()` opens a session, a function of (chooser, call)."""

    program: Callable[[], Callable[[Chooser, int], Block]]
    twin: Callable[[], Callable[[Chooser, int], Block]]

    def run(self, program: Callable[[], Callable[[Chooser, int], Block]]) -> Callable[[Chooser], Outcome]:
        """What the second call on a session emits."""
        return lambda chooser: self.call(program, chooser, calls=2)

    @staticmethod
    def call(program: Callable[[], Callable[[Chooser, int], Block]], chooser: Chooser, calls: int) -> Block:
        """What the last of several calls on one fresh session emits."""
        session = program()
        return [session(chooser, call) for call in range(calls)][-1]


@dataclass(frozen=True)
class Batch:
    """A verifier of a batch: (requests, chooser) -> one emitted token per request."""

    program: Callable[[Sequence[Any], Chooser], Block]
    requests: tuple[Any, ...]
    twin: Callable[[Sequence[Any], Chooser], Block]

    def run(self, program: Callable[[Sequence[Any], Chooser], Block]) -> Callable[[Chooser], Outcome]:
        """The tokens of all requests in one batch."""
        return lambda chooser: program(self.requests, chooser)


@dataclass(frozen=True)
class Tie:
    """A verifier at temperature 0 on rows whose largest weight is shared: which token wins is a convention."""

    program: Walk
    problem: Problem
    twin: Walk

    def run(self, program: Walk) -> Callable[[Chooser], Outcome]:
        """The emitted block."""
        return lambda chooser: block_of(self.problem, program(self.problem, chooser))


@dataclass(frozen=True)
class CoinSource:
    """A source of coins, as what it returns for its largest state; `draw` is the inverse CDF that is given that coin."""

    program: Callable[[], float]
    draw: Callable[[float], Block]
    twin: Callable[[], float]

    def run(self, program: Callable[[], float]) -> Callable[[Chooser], Outcome]:
        """The token drawn with the largest coin."""
        return lambda _: self.draw(program())


Case = FixedTree | Emission | Draft | Lengths | Arrays | Sessions | Batch | Tie | CoinSource


@dataclass(frozen=True)
class Fault:
    """A fault of the field: `id` counts as in the list of faults, `seen_in` cites the public tracker, `kind` its class.

    `right` and `faulty` are the exact laws of `case.run(case.twin)` and `case.run(case.program)`; `killed_by` names the
    check that must find the fault. Kinds: LT law wrong on a fixed tree, LD only over the draft's randomness, A exact but
    short, N boundary or tie, S two calls or a batch, P plumbing around the step.
    """

    id: str
    title: str
    seen_in: str
    kind: Kind
    case: Case
    right: Mapping[Any, Fraction]
    faulty: Mapping[Any, Fraction]
    killed_by: str

    @property
    def repaired(self) -> Case:
        """The case with its right twin in place of the faulty program."""
        return replace(self.case, program=self.case.twin)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Control:
    """A rule that was reported as a fault and is none: it must get `verdict`, and its law is `right`."""

    id: str
    title: str
    seen_in: str
    case: Case
    right: Mapping[Any, Fraction]
    verdict: Verdict
