"""The report of a Monte Carlo run: three verdicts, and what each rests on."""

from __future__ import annotations

import enum
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tevtheory.conformance.montecarlo.battery import Battery, Evidence
from tevtheory.conformance.montecarlo.bounds import Bound
from tevtheory.conformance.montecarlo.counts import Counts
from tevtheory.conformance.montecarlo.evalues import half_width
from tevtheory.conformance.montecarlo.nulls import Null
from tevtheory.shown import ShownAsPage

NAMED = 20


class Outcome(enum.Enum):
    """What a Monte Carlo run says of a sampler."""

    FAULT = "FAULT"
    EXACT_UP_TO = "EXACT UP TO TV"
    INCONCLUSIVE = "INCONCLUSIVE"


@dataclass(frozen=True)
class NodeFault:
    """A node whose own e-value refutes the claim: the next tokens there do not follow the target's row."""

    node: int
    path: tuple[int, ...]
    log_e: float
    samples: int

    def __str__(self) -> str:
        return f"node {self.node}, path {list(self.path)}: log10 e = {_tenth(self.log_e)} on {self.samples} blocks"


@dataclass(frozen=True)
class TokenFault:
    """A token at a node whose own e-value refutes the claim.

    For the claim "exact" the probabilities are those of the token after the node; for "canonical" those of the exit.
    """

    node: int
    token: int
    empirical: float
    target: float
    log_e: float

    def __str__(self) -> str:
        return f"node {self.node}, token {self.token}: {self.empirical:.3e}, target {self.target:.3e}"


@dataclass(frozen=True)
class Mean:
    """The mean block length, its standard error, and the ceiling."""

    length: float
    standard_error: float
    ceiling: float

    def __str__(self) -> str:
        return f"E[length] = {self.length:.4f} +- {self.standard_error:.1e}, ceiling {self.ceiling:.4f}"


@dataclass(frozen=True)
class MonteCarloReport(ShownAsPage):
    """The verdict on a sampler, and what it rests on.

    `log_e` are natural logarithms by expert ("battery" is their average); `samples` is how many were drawn; `tv` the
    total variation asked for (None: whatever was reached); `bound` the best bound so far; faults name at most 20 nodes
    and 20 tokens. `branch` is the least certain acceptance: node, and the half width of its confidence interval.
    """

    verdict: Outcome
    claim: str
    sampler: str
    samples: int
    looks: int
    cells: int
    alpha: float
    tv: float | None
    log_e: dict[str, float]
    bound: Bound
    mean: Mean
    branch: tuple[int, float] | None
    faulty_nodes: tuple[NodeFault, ...] = ()
    faulty_tokens: tuple[TokenFault, ...] = ()
    note: str = ""

    @property
    def cause(self) -> str:
        """The expert with the largest e-value."""
        experts = {name: value for name, value in self.log_e.items() if name != "battery"}
        name: str = max(experts, key=lambda each: experts[each])
        return name

    def __repr__(self) -> str:
        return f"<MonteCarloReport {self.sampler}: {self._headline()}, {self.samples:,} samples>"

    def __str__(self) -> str:
        lines = [f"{self._headline()}: n={self.samples:.3g} samples, K={self.cells:,}; {self._evidence()}"]
        lines.extend(f"  {fault}" for fault in (*self.faulty_tokens[:5], *self.faulty_nodes[:5]))
        lines.append(f"  {self.mean}; claim {self.claim!r}, on this fixed tree")
        return "\n".join([*lines, *([f"  {self.note}"] if self.note else [])])

    def _headline(self) -> str:
        word = str(self.verdict.value)
        if self.verdict is Outcome.EXACT_UP_TO:
            return f"{word} <= {self.tv or self.bound.value:.2e} AT 1 - {self.alpha:g}"
        return word

    def _evidence(self) -> str:
        against = f"log10 e = {_tenth(self.log_e['battery'])} (reject at {-math.log10(self.alpha):.2g})"
        if self.verdict is Outcome.FAULT:
            return f"{against}, seen by {self.cause!r}"
        law = f"TV(completed law, canonical law) <= {self.bound} at 1 - {self.alpha:g}"
        if self.branch is None:
            return f"{law}; {against}"
        node, width = self.branch
        return f"{law}; every P(reach c | reach v) within +-{width:.1e} (worst: node {node}); {against}"

    def as_data(self) -> dict[str, Any]:
        """The report as JSON-ready data; an infinite logarithm becomes the text "inf"."""
        data = asdict(self)
        data["verdict"], data["cause"] = self.verdict.value, self.cause
        return dict(_plain(data))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def _tenth(log_e: float) -> str:
    return f"{log_e / math.log(10):.1f}"


def mean_length(null: Null, seen: Counts) -> Mean:
    """The mean block length over all outcomes, bonus included."""
    exits, total = null.exits(seen), seen.total
    if total == 0:
        return Mean(math.nan, math.inf, null.ceiling)
    mean = float(exits @ null.lengths) / total
    variance = float(exits @ (null.lengths - mean) ** 2) / total
    return Mean(mean, math.sqrt(variance / total), null.ceiling)


def faulty_nodes(battery: Battery, seen: Counts, alpha: float) -> tuple[NodeFault, ...]:
    """The nodes whose own e-value is at least m / alpha, m the number of nodes; the largest first.

    The error rate holds for all nodes and all looks together.
    """
    following, totals = battery.null.next_tokens(seen)
    if np.any(battery.null.rows.p[following.codes] == 0):
        return ()  # a token of probability 0 is named instead
    logs, nodes = battery.node_log_e(seen)
    found = [int(v) for v in np.argsort(-logs, kind="stable") if logs[v] >= math.log(nodes / alpha)]
    path = battery.null.target.tree.path
    return tuple(NodeFault(v, path(v), float(logs[v]), int(totals[v])) for v in found[:NAMED])


def faulty_tokens(battery: Battery, seen: Counts, alpha: float) -> tuple[TokenFault, ...]:
    """The cells that should never come, or whose own e-value is at least K / alpha; the largest first."""
    found, totals = battery.counted(seen)
    p = battery.tables.p
    never = p[found.codes] == 0
    if never.any():
        order = np.argsort(-found.counts[never], kind="stable")
        codes, logs = found.codes[never][order], np.full(len(order), np.inf)
    else:
        codes, logs = battery.strongest(found, totals)
        order = np.argsort(-logs, kind="stable")
        order = order[logs[order] >= math.log(battery.tables.cells / alpha)]
        codes, logs = codes[order], logs[order]
    codes, width = codes[:NAMED], battery.null.vocabulary
    of = totals[codes // battery.tables.width]
    rows = zip(codes.tolist(), (found.at(codes) / of).tolist(), p[codes].tolist(), logs.tolist(), strict=False)
    return tuple(TokenFault(code // width, code % width, seen_p, asked, log) for code, seen_p, asked, log in rows)


def worst_branch(null: Null, seen: Counts, alpha: float) -> tuple[int, float] | None:
    """The node c whose P(reach c | reach its parent) is least certain, and the half width of its interval."""
    if null.size == 1:
        return None
    following, totals = null.next_tokens(seen)
    children, level = following.at(null.child_codes), math.log((null.size - 1) / alpha)
    parents = null.target.tree.parents
    widths = [half_width(int(children[c - 1]), int(totals[parents[c]]), level) for c in range(1, null.size)]
    worst = int(np.argmax(widths))
    return worst + 1, widths[worst]


def evidence_data(evidence: Evidence) -> dict[str, float]:
    """Ln e-values by expert, the battery's average among them."""
    return {**{name: float(value) for name, value in evidence.experts.items()}, "battery": float(evidence.log_e)}
