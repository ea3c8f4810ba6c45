"""What is known of one verifier after many trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tevtheory.conformance.exact import Finding
from tevtheory.targets import Problem
from tevtheory.verdicts import Verdict

Address = tuple[int, str, int, int]
"""Nodes, family, shape number, number within the shape: sorts small trees first."""


@dataclass(frozen=True)
class Counterexample:
    """A tree on which a verdict was reached, and what was found there."""

    address: Address
    problem: Problem
    finding: Finding


@dataclass
class Tally:
    """What is known of one verifier: merges with the tally of any other chunk, in any order.

    `over_budget` counts the trees left out because their paths would multiply beyond the plan's budget;
    `low` and `high` span E[length] / ceiling; `worst` is the largest distance of a lossy law.
    """

    trees: int = 0
    paths: int = 0
    over_budget: int = 0
    low: Any = None
    high: Any = None
    worst: Any = 0
    largest_regret: Any = 0
    firsts: dict[Verdict, Counterexample] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict | None:
        """The worst verdict met; None before any tree."""
        return max(self.firsts, key=lambda verdict: verdict.rank, default=None)

    @property
    def counterexample(self) -> Counterexample | None:
        """The smallest tree with the worst verdict; None where that verdict is canonical."""
        worst = self.verdict
        return None if worst in (None, Verdict.CANONICAL) else self.firsts[worst]

    def add(self, address: Address, problem: Problem, finding: Finding) -> None:
        """Count one tree."""
        self.trees += 1
        self.paths += finding.paths
        if finding.length is not None:
            ratio = finding.length / finding.ceiling
            self._span(ratio, ratio)
            self.worst = max(self.worst, finding.distance)
            if finding.verdict is Verdict.EXACT:
                self.largest_regret = max(self.largest_regret, finding.regret)
        self._first(Counterexample(address, problem, finding))

    def merge(self, other: Tally) -> None:
        """Count everything another tally has counted."""
        self.trees += other.trees
        self.paths += other.paths
        self.over_budget += other.over_budget
        if other.low is not None:
            self._span(other.low, other.high)
        self.worst = max(self.worst, other.worst)
        self.largest_regret = max(self.largest_regret, other.largest_regret)
        for example in other.firsts.values():
            self._first(example)

    def _span(self, low: Any, high: Any) -> None:
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)

    def _first(self, example: Counterexample) -> None:
        known = self.firsts.get(example.finding.verdict)
        if known is None or example.address < known.address:
            self.firsts[example.finding.verdict] = example
