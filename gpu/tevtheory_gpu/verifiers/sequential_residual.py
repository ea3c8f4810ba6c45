"""Children tested one after another: the batched form of sequential residual and of the ratio rule.

Both flip at the slots "accept" (by child) and draw at "bonus"; they differ in the numbers of the plan only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tevtheory.choices import Verifier
from tevtheory.errors import InputError
from tevtheory.verifiers import ratio
from tevtheory.verifiers import sequential_residual as scalar
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.tapes import BatchTape
from tevtheory_gpu.verifiers.batched import BatchedVerifier, Bonus, descend


@dataclass(frozen=True, eq=False)
class _Plan:
    """Per node and trial: the flat child (-1 behind the last), and the two numbers of its flip; and the bonus rows."""

    children: Tensor
    parts: Tensor
    lefts: Tensor
    bonus: Bonus


def _walk(plan: _Plan, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
    """Flip for child after child; only rows that have accepted none yet go on."""
    forest = plan.bonus.forest

    def step(here: Tensor, rows: Tensor, _: int) -> Tensor:
        taken = torch.full_like(here, -1)
        waiting = torch.arange(len(here), device=here.device)
        for k in range(plan.children.shape[1]):
            child = plan.children[here[waiting], k]
            waiting, child = waiting[child >= 0], child[child >= 0]
            if not waiting.numel():
                break
            at = here[waiting]
            coin = tape.uniform(scalar.ACCEPT, forest.local(child), rows[waiting]).to(plan.parts.dtype)
            accepted = coin * plan.lefts[at, k] < plan.parts[at, k]
            taken[waiting[accepted]] = child[accepted]
            waiting = waiting[~accepted]
        return taken

    node = descend(roots, step)
    return node, plan.bonus.draw(node, tape, scalar.BONUS)


def _residual(forest: Forest, order: Callable[[Forest], Tensor]) -> _Plan:
    """Each child against the mass its predecessors left; the last positive child is certain where no mass is left."""
    places = order(forest)
    children, parts = forest.children.gather(1, places), forest.edges.gather(1, places)
    left, lefts = forest.rows.sum(1), torch.empty_like(parts)
    for k in range(parts.shape[1]):  # one by one, as the scalar verifier subtracts
        lefts[:, k] = left
        left = left - parts[:, k]
    exhausted = ~(forest.bonus > 0).any(1)
    last = torch.where(parts > 0, torch.arange(parts.shape[1], device=parts.device), -1).amax(1)
    certain = (exhausted & (last >= 0)).nonzero().squeeze(1)
    lefts[certain, last[certain]] = parts[certain, last[certain]]
    return _Plan(children, parts, lefts, Bonus.of(forest, forest.bonus))


def _given(forest: Forest) -> Tensor:
    return torch.arange(forest.children.shape[1], device=forest.device).expand_as(forest.children)


def _reversed(forest: Forest) -> Tensor:
    counts = (forest.children >= 0).sum(1, keepdim=True)
    places = _given(forest)
    return torch.where(places < counts, counts - 1 - places, places)


def _by_probability(forest: Forest) -> Tensor:
    keys = torch.where(forest.children >= 0, forest.edges, -1)
    return keys.argsort(dim=1, descending=True, stable=True)


def _in_order(twin: Verifier[Any], order: Callable[[Forest], Tensor]) -> BatchedVerifier[_Plan]:
    return BatchedVerifier(twin, lambda forest: _residual(forest, order), _walk)


IN_GIVEN_ORDER = _in_order(scalar.IN_GIVEN_ORDER, _given)
IN_REVERSED_ORDER = _in_order(scalar.IN_REVERSED_ORDER, _reversed)
BY_PROBABILITY = _in_order(scalar.BY_PROBABILITY, _by_probability)


def _ratios(forest: Forest) -> _Plan:
    """Each child with p / q; on refusal the row becomes its normalised excess over the proposal."""
    if forest.proposals is None:
        raise InputError("proposal rows", "none", "forest", "this verifier needs the drafter's probabilities")
    children, every = forest.children, torch.arange(len(forest.parents), device=forest.device)
    row, parts, lefts = forest.rows.clone(), torch.zeros_like(forest.edges), torch.zeros_like(forest.edges)
    for k in range(children.shape[1]):
        there = children[:, k] >= 0
        nodes, tokens = every[there], forest.tokens[children[there, k]]
        parts[nodes, k], lefts[nodes, k] = row[nodes, tokens], forest.proposals[nodes, tokens]
        excess = (row[nodes] - forest.proposals[nodes]).clamp(min=0)
        row[nodes] = excess / excess.sum(1, keepdim=True)
    return _Plan(children, parts, lefts, Bonus.of(forest, row))


RATIO_WITH_SOFTMAX: BatchedVerifier[_Plan] = BatchedVerifier(ratio.RATIO_WITH_SOFTMAX, _ratios, _walk)
