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
from tevtheory_gpu.inversion import take
from tevtheory_gpu.tapes import BatchTape
from tevtheory_gpu.verifiers.batched import BatchedVerifier, Bonus


@dataclass(frozen=True, eq=False)
class _Plan:
    """All flips of a forest as one machine: flip s tests whether u * left[s] < part[s], u drawn at the site of a child.

    `accept[s]` and `refuse[s]` are the flips that follow, or -1 - v where the walk ends at the flat node v; `first` (T N,)
    is where the walk of each node begins, in the same code.
    """

    site: Tensor
    part: Tensor
    left: Tensor
    accept: Tensor
    refuse: Tensor
    first: Tensor
    bonus: Bonus

    @classmethod
    def of(cls, children: Tensor, parts: Tensor, lefts: Tensor, bonus: Bonus) -> _Plan:
        """Line up the trials of every node, given as rows padded with -1; flip s = v C + k is the k-th at node v."""
        nodes, width = children.shape
        end = -1 - torch.arange(nodes, device=children.device)
        flips = torch.arange(nodes * width, device=children.device).reshape(nodes, width)
        there = children >= 0
        first = torch.where(there[:, 0], flips[:, 0], end)
        later = torch.cat([torch.where(there[:, 1:], flips[:, 1:], end[:, None]), end[:, None]], 1)
        accept = first[children.clamp(min=0)]
        flat = [entry.reshape(-1) for entry in (bonus.forest.local(children), parts, lefts, accept, later)]
        return cls(flat[0], flat[1], flat[2], flat[3], flat[4], first, bonus)


def _walk(plan: _Plan, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
    """Every row makes its next flip at once, wherever it is; those whose walk has ended are left out."""
    state = take(plan.first, roots)
    rows = (state >= 0).nonzero().squeeze(1)
    now = take(state, rows)
    while rows.numel():
        coin = tape.uniform(scalar.ACCEPT, take(plan.site, now), rows).to(plan.part.dtype)
        accepted = coin * take(plan.left, now) < take(plan.part, now)
        now = torch.where(accepted, take(plan.accept, now), take(plan.refuse, now))
        state.index_copy_(0, rows, now)
        going = (now >= 0).nonzero().squeeze(1)
        rows, now = take(rows, going), take(now, going)
    node = -1 - state
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
    return _Plan.of(children, parts, lefts, Bonus.of(forest, forest.bonus))


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
    return _Plan.of(children, parts, lefts, Bonus.of(forest, row))


RATIO_WITH_SOFTMAX: BatchedVerifier[_Plan] = BatchedVerifier(ratio.RATIO_WITH_SOFTMAX, _ratios, _walk)
