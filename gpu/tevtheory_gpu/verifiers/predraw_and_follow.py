"""Predraw-and-follow, batched: draw at the nodes walked through, follow while the token is a child.

Draws have addresses, so what a predraw at every node would have drawn elsewhere need not be looked at: on the same tape
this is also "predraw everywhere", row by row.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from tevtheory.verifiers import predraw_and_follow as scalar
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.inversion import Inversion
from tevtheory_gpu.tapes import BatchTape
from tevtheory_gpu.verifiers.batched import batched, descend


@dataclass(frozen=True, eq=False)
class _Plan:
    forest: Forest
    rows: Inversion


def _prepare(forest: Forest) -> _Plan:
    return _Plan(forest, Inversion.of(forest.rows))


@batched(scalar.PREDRAW_AND_FOLLOW, _prepare)
def PREDRAW_AND_FOLLOW(plan: _Plan, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
    """One draw a level, from the row of the node that was reached."""
    tokens = torch.empty_like(roots)

    def step(here: Tensor, rows: Tensor, _: int) -> Tensor:
        drawn = plan.rows.draw(here, tape.uniform(scalar.TOKEN, plan.forest.local(here), rows))
        tokens[rows] = drawn
        return plan.forest.child_of[here, drawn].to(torch.int64)

    return descend(roots, step), tokens
