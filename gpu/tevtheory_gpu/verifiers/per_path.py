"""Independent draws per candidate path, batched: Medusa's nucleus rule, lossy."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from tevtheory.verifiers import per_path as scalar
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.tapes import BatchTape
from tevtheory_gpu.verifiers.batched import Bonus, batched


@dataclass(frozen=True, eq=False)
class _Plan:
    paths: Tensor  # (T, leaves, depth) flat nodes, -1 behind the last
    edges: Tensor
    totals: Tensor
    bonus: Bonus


def _prepare(forest: Forest) -> _Plan:
    lists = []
    for t, tree in enumerate(forest.trees):
        leaves = [v for v in range(tree.size) if not tree.children[v]]
        lists.append([[u + t * forest.nodes for u in list(tree.ancestors(leaf))[-2::-1]] for leaf in leaves])
    wide, deep = max(map(len, lists)), max(1, *(len(path) for paths in lists for path in paths), 1)
    paths = torch.full((len(lists), wide, deep), -1)
    for t, entries in enumerate(lists):
        for i, path in enumerate(entries):
            paths[t, i, : len(path)] = torch.tensor(path, dtype=torch.int64)
    edges = torch.zeros_like(forest.rows[:, 0])
    below = forest.parents >= 0
    edges[below] = forest.rows[forest.parents[below], forest.tokens[below]]
    return _Plan(paths.to(forest.device), edges, forest.rows.sum(1), Bonus.of(forest, forest.rows))


@batched(scalar.DRAW_PER_PATH, _prepare)
def DRAW_PER_PATH(plan: _Plan, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
    """Match each path against its own draws; the draws of a row are numbered as it makes them."""
    forest = plan.bonus.forest
    best, used, trees = roots.clone(), torch.zeros_like(roots), roots // forest.nodes
    for path in range(plan.paths.shape[1]):
        here, rows = roots, torch.arange(len(roots), device=roots.device)
        reached = roots.clone()
        for depth in range(plan.paths.shape[2]):
            child = plan.paths[trees[rows], path, depth]
            rows, here, child = rows[child >= 0], here[child >= 0], child[child >= 0]
            coin = tape.uniform(scalar.MATCH, used[rows], rows).to(plan.edges.dtype)
            used[rows] += 1
            matches = coin * plan.totals[here] < plan.edges[child]
            rows, here = rows[matches], child[matches]
            reached[rows] = here
        best = torch.where(forest.depths[reached] > forest.depths[best], reached, best)
    return best, plan.bonus.draw(best, tape, scalar.BONUS)
