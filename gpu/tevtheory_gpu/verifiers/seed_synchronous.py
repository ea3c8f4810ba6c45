"""Seed-synchronous TEV, batched: an edge is hit iff its depth's uniform falls in the child token's piece of the row."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from tevtheory.verifiers import seed_synchronous as scalar
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.inversion import Inversion
from tevtheory_gpu.tapes import BatchTape
from tevtheory_gpu.verifiers.batched import batched, descend


@dataclass(frozen=True, eq=False)
class _Plan:
    forest: Forest
    rows: Inversion
    lows: Tensor
    highs: Tensor


def _prepare(forest: Forest) -> _Plan:
    rows, there = Inversion.of(forest.rows), forest.children >= 0
    tokens = torch.where(there, forest.tokens[forest.children], 0)
    before = torch.where(tokens > 0, rows.sums.gather(1, (tokens - 1).clamp(min=0)), 0)
    # Where there is no child the piece is empty: no mark is hit.
    highs = torch.where(there, rows.sums.gather(1, tokens), -1)
    return _Plan(forest, rows, before, highs)


@batched(scalar.SEED_SYNCHRONOUS, _prepare)
def SEED_SYNCHRONOUS(plan: _Plan, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
    """One uniform per depth serves all nodes of that depth."""
    last = torch.empty(len(roots), dtype=torch.float64, device=roots.device)

    def step(here: Tensor, rows: Tensor, depth: int) -> Tensor:
        uniform = tape.uniform(scalar.POSITION, depth, rows)
        last[rows] = uniform
        mark = (uniform.to(plan.lows.dtype) * plan.rows.sums[here, -1])[:, None]
        hit = (plan.lows[here] <= mark) & (mark < plan.highs[here])
        child = plan.forest.children[here].gather(1, hit.to(torch.int8).argmax(1, keepdim=True)).squeeze(1)
        return torch.where(hit.any(1), child, -1)

    node = descend(roots, step)
    return node, plan.rows.draw(node, last)
