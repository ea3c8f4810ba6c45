"""Predraw-and-follow, batched: draw at the nodes walked through, follow while the token is a child.

Draws have addresses, so what a predraw at every node would have drawn elsewhere need not be looked at: on the same tape
this is also "predraw everywhere", row by row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from tevtheory.verifiers import predraw_and_follow as scalar
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.inversion import Inversion, take
from tevtheory_gpu.tapes import BatchTape
from tevtheory_gpu.verifiers.batched import batched, descend


@dataclass(frozen=True, eq=False)
class Following:
    """The forest, and the sums of its rows."""

    forest: Forest
    rows: Inversion

    @classmethod
    def of(cls, forest: Forest) -> Following:
        """Sum up every row."""
        return cls(forest, Inversion.of(forest.rows))

    def walk(self, roots: Tensor, coin: Callable[[Tensor, Tensor, int], Tensor]) -> tuple[Tensor, Tensor]:
        """Draw a token by the coin of (nodes, rows, depth), and follow it while it is a child."""
        tokens = torch.empty_like(roots)

        def step(here: Tensor, rows: Tensor, depth: int) -> Tensor:
            drawn = self.rows.draw(here, coin(here, rows, depth))
            tokens.index_copy_(0, rows, drawn)
            return take(self.forest.child_of.reshape(-1), here * self.forest.vocabulary + drawn).to(torch.int64)

        return descend(roots, step), tokens


@batched(scalar.PREDRAW_AND_FOLLOW, Following.of)
def PREDRAW_AND_FOLLOW(plan: Following, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
    """One draw a level, at the address of the node that was reached."""
    local = plan.forest.local
    return plan.walk(roots, lambda here, rows, _: tape.uniform(scalar.TOKEN, local(here), rows))
