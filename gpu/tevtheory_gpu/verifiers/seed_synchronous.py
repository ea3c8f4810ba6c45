"""Seed-synchronous TEV, batched: inverse CDF with one uniform per depth, for all nodes of that depth.

An edge is hit iff its depth's uniform falls in the child token's piece of the row, which is to say that inversion gives the
child's token: the walk is that of predraw-and-follow, with coins at depths.
"""

from __future__ import annotations

from torch import Tensor

from tevtheory.verifiers import seed_synchronous as scalar
from tevtheory_gpu.tapes import BatchTape
from tevtheory_gpu.verifiers.batched import batched
from tevtheory_gpu.verifiers.predraw_and_follow import Following


@batched(scalar.SEED_SYNCHRONOUS, Following.of)
def SEED_SYNCHRONOUS(plan: Following, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
    """One uniform per depth serves all nodes of that depth."""
    return plan.walk(roots, lambda _, rows, depth: tape.uniform(scalar.POSITION, depth, rows))
