"""Typical acceptance, batched: the deepest likely node, whatever the draw would have been; lossy by design."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from tevtheory.verifiers import typical as scalar
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.tapes import BatchTape
from tevtheory_gpu.verifiers.batched import Bonus, batched


@dataclass(frozen=True, eq=False)
class _Plan:
    best: Tensor  # per tree, a flat node
    bonus: Bonus


def _prepare(forest: Forest) -> _Plan:
    epsilon, delta = float(scalar.EPSILON), float(scalar.DELTA)
    likely = (forest.rows * forest.rows).sum(1).mul(delta).clamp(max=epsilon)
    accepted, flow = forest.parents.lt(0) & forest.valid, torch.ones_like(likely)
    for depth in range(1, int(forest.depths.max()) + 1):
        level = ((forest.depths == depth) & forest.valid).nonzero().squeeze(1)
        parents = forest.parents[level]
        p = forest.rows[parents, forest.tokens[level]]
        flow[level] = flow[parents] * p
        accepted[level] = accepted[parents] & (p > likely[parents])
    # A flow is at most 1, so depth decides first; the first of equals wins.
    score = torch.where(accepted, 2.0 * forest.depths + flow, -1.0).reshape(len(forest.trees), -1)
    offsets = torch.arange(len(forest.trees), device=forest.device) * forest.nodes
    return _Plan(offsets + score.argmax(1), Bonus.of(forest, forest.rows))


@batched(scalar.TYPICAL, _prepare)
def TYPICAL(plan: _Plan, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
    """The accepted node needs no draw."""
    node = plan.best[roots // plan.bonus.forest.nodes]
    return node, plan.bonus.draw(node, tape, scalar.BONUS)
