"""Predraw-and-follow, batched: draw at the nodes walked through, follow while the token is a child."""

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


@batched(scalar.PREDRAW_EVERYWHERE, _prepare)
def PREDRAW_EVERYWHERE(plan: _Plan, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
    """A draw at every node, and the walk through what was drawn: what DDTree's code does."""
    forest, every = plan.forest, torch.arange(len(roots), device=roots.device)
    drawn = torch.empty(len(roots), forest.nodes, dtype=torch.int64, device=roots.device)
    for v in range(forest.nodes):
        here = roots + v
        there = forest.valid[here].nonzero().squeeze(1)
        drawn[there, v] = plan.rows.draw(here[there], tape.uniform(scalar.TOKEN, v, every[there]))

    def step(here: Tensor, rows: Tensor, _: int) -> Tensor:
        return forest.child_of[here, drawn[rows, forest.local(here)]].to(torch.int64)

    node = descend(roots, step)
    return node, drawn[every, forest.local(node)]
