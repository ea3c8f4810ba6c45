"""The battery: an average of e-values, each blind where another sees.

| expert | table | what it sees |
|---|---|---|
| support | anything the target never writes | zero-probability tokens; for the claim "canonical" an in-tree bonus |
| tables | outcomes (next tokens at each node), single and pooled | dense faults, temperature, lost tails |
| cells | one cell against the rest | mass moved between two tokens |
| nodes | per node, averaged | one wrong acceptance |
| all nodes | per node, multiplied | a factor common to all nodes |
| dependence | neighbouring outcomes | blocks that share random numbers |

An average of e-processes with fixed weights is an e-process, so the battery may be looked at any number of times. For the
claim "exact" the tables hold the next tokens at each node: whatever stopping rule the verifier uses, these follow the
target's row, token by token. For the claim "canonical" the outcomes as a whole follow one known law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from tevtheory.conformance.montecarlo.counts import Counts, Floats, Ints, log_mean_exp
from tevtheory.conformance.montecarlo.evalues import CONCENTRATIONS, RELATIVE_SIZES, cells_log_e, tables_log_e
from tevtheory.conformance.montecarlo.nulls import GROUPS, Null, Tables

Claim = Literal["exact", "canonical"]
CANDIDATES = 1000


@dataclass(frozen=True, eq=False)
class Evidence:
    """What one look says: ln e-value of every expert and of their average; inf where the support is left."""

    experts: dict[str, float]
    log_e: float


@dataclass(frozen=True, eq=False)
class Battery:
    """The experts for one claim on one target tree.

    >>> from tevtheory.examples import C2
    >>> battery = Battery(Null.of(C2), "canonical")
    >>> evidence = battery.evidence(Counts.of([1, 1, 2, 4]))
    >>> evidence.log_e < 0, battery.evidence(Counts.of([0])).experts
    (True, {'support': inf})
    """

    null: Null
    claim: Claim

    @property
    def tables(self) -> Tables:
        """The tables whose cells may be at fault: outcomes, or next tokens at each node."""
        return self.null.outcomes if self.claim == "canonical" else self.null.rows

    def counted(self, seen: Counts) -> tuple[Counts, Ints]:
        """The counts that belong to `tables`, and the tables' totals."""
        if self.claim == "canonical":
            return seen, np.array([seen.total])
        return self.null.next_tokens(seen)

    def evidence(self, seen: Counts, pairs: Ints | None = None) -> Evidence:
        """Weigh the counts of outcomes and, where there are any, the pairs of neighbouring groups."""
        found, totals = self.counted(seen)
        if np.any(self.tables.p[found.codes] == 0):
            return Evidence({"support": np.inf}, np.inf)
        experts = self._outcomes(seen) if self.claim == "canonical" else self._next_tokens(found, totals)
        best = self.strongest(found, totals)[1]
        # The cells left out count as 0: the average can only fall, so the error rate holds.
        experts["cells"] = log_mean_exp(best) + math.log(len(best) / self.tables.cells)
        if pairs is not None:
            experts["dependence"] = self.dependence(pairs)
        return Evidence(experts, log_mean_exp(experts.values()))

    def _outcomes(self, seen: Counts) -> dict[str, float]:
        table, totals = self.null.outcomes, np.array([seen.total])
        logs = [log_mean_exp(table.log_e(seen, totals, top)) for top in table.resolutions]
        branches = self.null.branches_log_e(*self.null.next_tokens(seen))[self._inner]
        return {
            "tables": log_mean_exp(logs),
            "nodes": log_mean_exp(branches) if len(branches) else 0.0,
            "all nodes": log_mean_exp(branches.sum(axis=0)),
        }

    def _next_tokens(self, following: Counts, totals: Ints) -> dict[str, float]:
        logs = self._by_node(following, totals)[:, self._reachable]
        return {"nodes": log_mean_exp(logs), "all nodes": log_mean_exp(logs.sum(axis=1))}

    def _by_node(self, following: Counts, totals: Ints) -> Floats:
        """Ln E of every node's tables: shape (tables, N, concentrations); half of the tables are the branches."""
        rows = self.null.rows
        logs = [rows.log_e(following, totals, top) for top in rows.resolutions]
        branches = self.null.branches_log_e(following, totals)
        return np.array([*logs, *[branches] * len(logs)])

    @cached_property
    def _reachable(self) -> Ints:
        return np.flatnonzero(self.null.flow > 0)

    @cached_property
    def _inner(self) -> Ints:
        inner = [v for v, children in enumerate(self.null.target.tree.children) if children]
        return np.array([v for v in inner if self.null.flow[v] > 0], dtype=np.int64)

    @cached_property
    def _likely(self) -> Ints:
        """The codes of the most probable cells: they are candidates even while they have no count."""
        p = self.tables.p
        few = min(CANDIDATES, len(p))
        top = np.argpartition(-p, few - 1)[:few]
        return np.sort(top[p[top] > 0])

    def strongest(self, found: Counts, totals: Ints) -> tuple[Ints, Floats]:
        """The cells that are farthest from their expectation, in standard deviations: codes and ln e-values."""
        codes = np.concatenate([found.codes, np.setdiff1d(self._likely, found.codes, assume_unique=True)])
        counts = np.concatenate([found.counts, np.zeros(len(codes) - len(found.codes), dtype=np.int64)])
        p, of = self.tables.p[codes], totals[codes // self.tables.width]
        with np.errstate(divide="ignore", invalid="ignore"):
            far = np.nan_to_num(np.abs(counts - of * p) / np.sqrt(of * p * (1 - p)), nan=0.0)
        if len(codes) > CANDIDATES:
            kept = np.argpartition(-far, CANDIDATES - 1)[:CANDIDATES]
            codes, counts, p, of = codes[kept], counts[kept], p[kept], of[kept]
        return codes, cells_log_e(counts, of, p, RELATIVE_SIZES)

    def node_log_e(self, seen: Counts) -> tuple[Floats, int]:
        """The ln e-value at every node, and how many nodes there are to choose from."""
        logs = self._by_node(*self.null.next_tokens(seen))
        return np.array([log_mean_exp(logs[:, v]) for v in range(self.null.size)]), len(self._reachable)

    def dependence(self, pairs: Ints) -> float:
        """The ln e-value of the pairs: after every group, the next outcome follows the law of all outcomes."""
        starts = np.arange(GROUPS + 1) * GROUPS
        p = np.tile(self.null.group_p, GROUPS)
        if np.any(pairs.ravel()[p == 0] > 0):
            return 0.0  # the completed outcomes leave the support: that is the support expert's to say
        logs = tables_log_e(starts, pairs.ravel(), p, pairs.sum(axis=1), CONCENTRATIONS)
        return log_mean_exp(logs.sum(axis=0))
