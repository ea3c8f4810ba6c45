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

    def walk(
        self,
        roots: Tensor,
        coin: Callable[[Tensor, Tensor, int], Tensor],
        enters: Callable[[Tensor, Tensor, Tensor], Tensor] | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Draw a token by the coin of (nodes, rows, depth), and follow it while it is a child.

        `enters` may end a block on a child that was drawn: which of (nodes, children, rows) go on.
        """
        tokens = torch.empty_like(roots)

        def step(here: Tensor, rows: Tensor, depth: int) -> Tensor:
            drawn = self.rows.draw(here, coin(here, rows, depth))
            tokens.index_copy_(0, rows, drawn)
            child = take(self.forest.child_of.reshape(-1), here * self.forest.vocabulary + drawn).to(torch.int64)
            if enters is not None:
                drafted = (child >= 0).nonzero().squeeze(1)
                below = take(child, drafted)
                goes_on = enters(take(here, drafted), below, take(rows, drafted))
                child.index_copy_(0, drafted, torch.where(goes_on, below, -1))
            return child

        return descend(roots, step), tokens


@batched(scalar.PREDRAW_AND_FOLLOW, Following.of)
def PREDRAW_AND_FOLLOW(plan: Following, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
    """One draw a level, at the address of the node that was reached."""
    local = plan.forest.local
    return plan.walk(roots, lambda here, rows, _: tape.uniform(scalar.TOKEN, local(here), rows))
