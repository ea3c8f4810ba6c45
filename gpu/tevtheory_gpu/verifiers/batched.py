"""A batched verifier: a plan made once per forest, and a walk over a batch of rows of a tape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor

from tevtheory.choices import Slot, Verifier
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.inversion import Inversion, take
from tevtheory_gpu.tapes import BatchTape

Plan = TypeVar("Plan")


@dataclass(frozen=True)
class BatchedVerifier(Generic[Plan]):
    """The batched form of the scalar verifier `twin`.

    `prepare(forest)` makes the plan; `walk(plan, roots, tape)` gives flat exit nodes and bonus tokens, both (B,) int64.
    """

    twin: Verifier[Any]
    prepare: Callable[[Forest], Plan]
    walk: Callable[[Plan, Tensor, BatchTape], tuple[Tensor, Tensor]]

    @property
    def name(self) -> str:
        """The twin's name."""
        return self.twin.name

    def __call__(self, forest: Forest, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
        """Prepare and walk once."""
        return self.walk(self.prepare(forest), roots, tape)


def batched(
    twin: Verifier[Any], prepare: Callable[[Forest], Any]
) -> Callable[[Callable[[Any, Tensor, BatchTape], tuple[Tensor, Tensor]]], BatchedVerifier[Any]]:
    """Turn a walk into the batched form of a scalar verifier."""

    def wrap(walk: Callable[[Any, Tensor, BatchTape], tuple[Tensor, Tensor]]) -> BatchedVerifier[Any]:
        return BatchedVerifier(twin, prepare, walk)

    return wrap


def descend(roots: Tensor, step: Callable[[Tensor, Tensor, int], Tensor]) -> Tensor:
    """Go down level by level: `step(here, rows, depth)` gives the flat child of each walking row, -1 where it stops.

    Rows that have stopped are no longer touched. Returns the last node of every row.
    """
    node, here, depth = roots.clone(), roots, 0
    rows = torch.arange(len(roots), device=roots.device)
    while rows.numel():
        child = step(here, rows, depth)
        going = (child >= 0).nonzero().squeeze(1)
        rows, here = take(rows, going), take(child, going)
        node.index_copy_(0, rows, here)
        depth += 1
    return node


@dataclass(frozen=True, eq=False)
class Bonus:
    """Bonus draws from one table of rows, by inversion, or as a race where the tape has exponentials."""

    forest: Forest
    weights: Tensor
    table: Inversion

    @classmethod
    def of(cls, forest: Forest, weights: Tensor) -> Bonus:
        """Sum up the rows (T N, V) that bonus tokens come from."""
        return cls(forest, weights, Inversion.of(weights))

    def draw(self, nodes: Tensor, tape: BatchTape, slot: Slot, index: int = 0) -> Tensor:
        """One token per row from the row of its node."""
        rows = torch.arange(len(nodes), device=nodes.device)
        if slot.kind == "race":
            times = tape.exponentials(slot, index, rows)
            if times is not None:
                return (self.weights[nodes] / times.to(self.weights.dtype)).argmax(1)
        return self.table.draw(nodes, tape.uniform(slot, index, rows))


def ladder(children: Tensor, steps: Tensor) -> tuple[Tensor, Tensor]:
    """Rising thresholds of a node's children, closed by infinity, and the children, closed by -1: both (M, C + 1)."""
    steps = torch.where(children >= 0, steps, torch.inf)
    end = torch.full_like(steps[:, :1], torch.inf)
    return torch.cat([steps, end], 1), torch.cat([children, torch.full_like(children[:, :1], -1)], 1)


def climb(rungs: tuple[Tensor, Tensor], here: Tensor, marks: Tensor) -> Tensor:
    """The first child whose threshold is above the mark, or -1."""
    thresholds, children = rungs
    count = (take(thresholds, here) <= marks[:, None]).sum(1)
    return take(children.reshape(-1), here * children.shape[1] + count.clamp(max=children.shape[1] - 1))
