"""One coin against rising thresholds: TEV's walk, the cumulative walk with its two knobs, and nested intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tevtheory.choices import Verifier
from tevtheory.verifiers import cumulative_thresholds as cumulative
from tevtheory.verifiers import nested_intervals as nested
from tevtheory.verifiers import tev_walk
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.inversion import Inversion, take
from tevtheory_gpu.tapes import BatchTape
from tevtheory_gpu.verifiers.batched import BatchedVerifier, Bonus, batched, climb, descend, ladder


@dataclass(frozen=True, eq=False)
class _Plan:
    """Per node the children's thresholds and the children; what a coin is multiplied by; and the bonus rows."""

    rungs: tuple[Tensor, Tensor]
    scale: Tensor
    bonus: Bonus


def _level_plan(forest: Forest) -> _Plan:
    running = forest.edges.cumsum(1)
    whole = running[:, -1] + forest.bonus.sum(1)
    return _Plan(ladder(forest.children, running), whole, Bonus.of(forest, forest.bonus))


@batched(tev_walk.TEV_WALK, _level_plan)
def TEV_WALK(plan: _Plan, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
    """One coin per level; a leaf draws none, and its ladder has only the way out."""
    leaf = plan.rungs[1][:, 0] < 0

    def step(here: Tensor, rows: Tensor, depth: int) -> Tensor:
        inner = (~take(leaf, here)).nonzero().squeeze(1)
        at = take(here, inner)
        coin = tape.uniform(tev_walk.LEVEL, depth, take(rows, inner)).to(plan.scale.dtype)
        return torch.full_like(here, -1).index_copy_(0, inner, climb(plan.rungs, at, coin * take(plan.scale, at)))

    node = descend(roots, step)
    return node, plan.bonus.draw(node, tape, tev_walk.BONUS)


def _knobs(twin: Verifier[Any], acc: float, single: float) -> BatchedVerifier[_Plan]:
    """The cumulative walk: coin * acc < running sum, or the child's own weight >= single."""

    def prepare(forest: Forest) -> _Plan:
        certain = (forest.children >= 0) & (forest.edges >= single)
        exhausted = ~(forest.bonus > 0).any(1)
        places = torch.arange(forest.edges.shape[1], device=forest.device)
        last = torch.where(forest.edges > 0, places, -1).amax(1)
        ends = (exhausted & (last >= 0)).nonzero().squeeze(1)
        certain[ends, last[ends]] = True
        # What is certain is above every coin, and so is all behind it: the ladder stays monotone.
        running = torch.where(certain, torch.inf, forest.edges.cumsum(1)).cummax(1).values
        scale = torch.full_like(running[:, 0], acc)
        return _Plan(ladder(forest.children, running), scale, Bonus.of(forest, forest.bonus))

    def walk(plan: _Plan, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
        local, leaf = plan.bonus.forest.local, plan.rungs[1][:, 0] < 0

        def step(here: Tensor, rows: Tensor, _: int) -> Tensor:
            inner = (~take(leaf, here)).nonzero().squeeze(1)
            at = take(here, inner)
            coin = tape.uniform(cumulative.NODE, local(at), take(rows, inner)).to(plan.scale.dtype)
            return torch.full_like(here, -1).index_copy_(0, inner, climb(plan.rungs, at, coin * take(plan.scale, at)))

        node = descend(roots, step)
        return node, plan.bonus.draw(node, tape, cumulative.BONUS)

    return BatchedVerifier(twin, prepare, walk)


AT_ONE = _knobs(cumulative.AT_ONE, 1.0, 1.0)
ACC_BELOW_ONE = _knobs(cumulative.ACC_BELOW_ONE, 0.8, 1.0)
SINGLE_BELOW_ONE = _knobs(cumulative.SINGLE_BELOW_ONE, 1.0, 0.3)


@dataclass(frozen=True, eq=False)
class _Intervals:
    """Per node the ends of the children's intervals and the children; and the ends of the bonus tokens' intervals."""

    rungs: tuple[Tensor, Tensor]
    tokens: Inversion


def _intervals(forest: Forest) -> _Intervals:
    total = forest.rows.sum(1)
    start, flow = torch.zeros_like(total), torch.ones_like(total)
    ends = torch.zeros_like(forest.edges)
    for depth in range(int(forest.depths.max()) + 1):
        level = (forest.valid & (forest.depths == depth)).nonzero().squeeze(1)
        end, unit = start[level], flow[level] / total[level]
        for k in range(ends.shape[1]):
            child = forest.children[level, k]
            there = child >= 0
            start[child[there]], flow[child[there]] = end[there], (unit * forest.edges[level, k])[there]
            end = end + torch.where(there, unit * forest.edges[level, k], 0)
            ends[level, k] = end
    unit = flow / total
    base = torch.where(forest.children[:, 0] >= 0, ends[:, -1], start)
    return _Intervals(ladder(forest.children, ends), Inversion.of(forest.bonus * unit[:, None], base))


@batched(nested.NESTED_INTERVALS, _intervals)
def NESTED_INTERVALS(plan: _Intervals, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
    """The deepest interval that holds the one uniform, and the bonus token whose interval holds it."""
    rows = torch.arange(len(roots), device=roots.device)
    uniform = tape.uniform(nested.BLOCK, 0, rows).to(plan.tokens.sums.dtype)
    node = descend(roots, lambda here, walking, _: climb(plan.rungs, here, take(uniform, walking)))
    return node, plan.tokens.first_above(node, uniform)
