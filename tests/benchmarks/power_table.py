"""Prints the false alarm rates and the power of the Monte Carlo engine.

python -m tests.benchmarks.power_table [--runs 15] [--null-runs 2000] [--most 1e9]
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable

import numpy as np

from tests.conformance.laws_to_sample import (
    CountsOf,
    accepting_less,
    canonical,
    dense_noise,
    large,
    moved,
    small,
    stopping,
    tempered,
    unmasked,
    without_tail,
    zipf_tree,
)
from tests.conformance.test_montecarlo_faults import alarms
from tevtheory.conformance.montecarlo import MonteCarloReport, Outcome, montecarlo
from tevtheory.conformance.montecarlo.battery import Claim
from tevtheory.conformance.montecarlo.counts import Floats
from tevtheory.conformance.montecarlo.nulls import Null
from tevtheory.rows import FloatRow
from tevtheory.targets import TargetTree

ALPHA = 1e-6


def low_node(null: Null) -> int:
    """The inner node whose flow is nearest to 1e-3."""
    inner = [v for v, children in enumerate(null.target.tree.children) if children]
    return min(inner, key=lambda v: abs(math.log(null.flow[v] / 1e-3)))


def in_bfloat16(null: Null) -> Floats:
    """The canonical law of rows rounded to 8 bits and divided by their sums."""
    bits = null.rows.p.astype(np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    rows = rounded.reshape(null.size, -1).astype(np.float64)
    return canonical(Null.of(TargetTree(null.target.tree, [FloatRow(row) for row in rows])))


FAULTS: dict[str, Callable[[Null], Floats]] = {
    "a1 move 1e-4 onto a 1e-3 cell": lambda null: moved(null, 1e-3, 1e-4)[0],
    "a2 move 1e-4 onto a 1e-6 cell": lambda null: moved(null, 1e-6, 1e-4)[0],
    "b  unmasked bonus row": unmasked,
    "c  acceptance x0.99": lambda null: accepting_less(null, 0.99),
    "c  acceptance x0.999": lambda null: accepting_less(null, 0.999),
    "c2 acceptance x0.9 at one node": lambda null: accepting_less(null, 0.9, low_node(null)),
    "d1 rows in bfloat16": in_bfloat16,
    "d2 outcomes < 2^-24 lost": without_tail,
    "e  bonus row at temperature 1.01": lambda null: tempered(null, 1.01),
    "f  dense +-2%": lambda null: dense_noise(null, 0.02),
}


def write(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def detection(reports: list[MonteCarloReport]) -> str:
    """Samples after which 80% of the runs have found the fault."""
    found = sorted(report.samples for report in reports if report.verdict is Outcome.FAULT)
    needed = math.ceil(0.8 * len(reports))
    return f"{found[needed - 1]:.1e}" if len(found) >= needed else f"{len(found)}/{len(reports)}"


def power(target: TargetTree, runs: int, most: int, only: str = "") -> None:
    null = Null.of(target)
    write(
        f"{null.size} nodes, V={null.vocabulary}, K={null.outcomes.cells:,}: samples for 80% detection, alpha={ALPHA}"
    )
    write(f"  {'fault':34}{'TV':>9}{'canonical':>11}{'exact':>11}  experts (canonical)")
    for name, fault in FAULTS.items():
        if not name.startswith(only):
            continue
        law = fault(null)
        if (law < 0).any() or float(np.abs(law - null.outcomes.p).sum()) == 0:
            continue  # there is no such cell in this tree
        row, experts = "", set[str]()
        claims: tuple[Claim, ...] = ("canonical", "exact")
        for claim in claims:
            reports = [montecarlo(CountsOf(law), target, samples=most, claim=claim, seed=s) for s in range(runs)]
            row += f"{detection(reports):>11}"
            if claim == "canonical":
                experts = {report.cause for report in reports if report.verdict is Outcome.FAULT}
        distance = 0.5 * float(np.abs(law - null.outcomes.p).sum())
        write(f"  {name:34}{distance:9.1e}{row}  {', '.join(sorted(experts))}")


def false_alarms(runs: int) -> None:
    null = Null.of(small())
    write(f"false alarms, {runs} runs of 40 looks between 1e2 and 1e6, 8 nodes, K=89")
    laws: dict[Claim, Floats] = {"canonical": canonical(null), "exact": stopping(null, 0.3)}
    for claim, law in laws.items():
        worst = alarms(claim, law, runs, seed=5)
        rates = ", ".join(f"{alpha}: {(worst >= -math.log(alpha)).mean():.4f}" for alpha in (0.2, 0.05, 0.01, 1e-3))
        write(f"  {claim:10} {rates}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--null-runs", type=int, default=2000)
    parser.add_argument("--most", type=float, default=1e9)
    given = parser.parse_args()
    false_alarms(given.null_runs)
    power(small(), given.runs, int(given.most))
    power(large(), given.runs, int(given.most))
    # Faults of acceptance weigh with the flow: a tree of as many outcomes that the target stays in longer.
    power(zipf_tree(24, 5000, steep=1.6), given.runs, int(given.most), only="c ")


if __name__ == "__main__":
    main()
