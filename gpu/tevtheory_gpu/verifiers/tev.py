"""TEV, batched: one exit and one bonus decision per row.

All nodes are worked out at once, in log space: log F = ancestors x log p(edge), and log e = log F + log p(outside) with
a masked log-sum-exp, never as 1 - sum (theory of exit laws, level-parallel TEV). The result is exactly -inf where the
children exhaust a row.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from tevtheory.verifiers import tev as scalar
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.inversion import Inversion
from tevtheory_gpu.tapes import BatchTape
from tevtheory_gpu.verifiers.batched import Bonus, batched


@dataclass(frozen=True, eq=False)
class _Plan:
    exits: Inversion  # per tree
    bonus: Bonus


def log_exits(forest: Forest) -> Tensor:
    """The logarithm of every node's exit mass: shape (T N,), -inf at padding."""
    logs = forest.rows.log()
    whole = logs.logsumexp(1)
    outside = forest.bonus.log().logsumexp(1)
    below = forest.parents >= 0
    parents = forest.parents[below]
    flow = torch.zeros_like(whole)
    flow[below] = logs[parents, forest.tokens[below]] - whole[parents]
    edges, depths = flow.clone(), forest.depths
    for depth in range(1, int(depths.max()) + 1):  # level by level: all nodes of a depth at once
        level = (depths == depth) & below
        flow[level] = flow[forest.parents[level]] + edges[level]
    return torch.where(forest.valid, flow + outside - whole, -torch.inf)


def _prepare(forest: Forest) -> _Plan:
    masses = log_exits(forest).exp().reshape(len(forest.trees), forest.nodes)
    return _Plan(Inversion.of(masses), Bonus.of(forest, forest.bonus))


@batched(scalar.TEV, _prepare)
def TEV(plan: _Plan, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
    """One exit, one bonus."""
    rows = torch.arange(len(roots), device=roots.device)
    trees = roots // plan.bonus.forest.nodes
    node = roots + plan.exits.draw(trees, tape.uniform(scalar.EXIT, 0, rows))
    return node, plan.bonus.draw(node, tape, scalar.BONUS)
