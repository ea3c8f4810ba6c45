"""Exact but short, batched: predraw-and-follow that ends some blocks on a child that was drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from tevtheory.choices import Verifier
from tevtheory.verifiers import short as scalar
from tevtheory_gpu.inversion import take
from tevtheory_gpu.tapes import BatchTape
from tevtheory_gpu.verifiers.batched import BatchedVerifier
from tevtheory_gpu.verifiers.predraw_and_follow import Following

Enters = Callable[[Following, BatchTape, Tensor, Tensor, Tensor], Tensor]
"""Which of (plan, tape, nodes, children, rows) go on."""


def _short(twin: Verifier[Any], enters: Enters) -> BatchedVerifier[Following]:
    def walk(plan: Following, roots: Tensor, tape: BatchTape) -> tuple[Tensor, Tensor]:
        local = plan.forest.local
        return plan.walk(
            roots,
            lambda here, rows, _: tape.uniform(scalar.TOKEN, local(here), rows),
            lambda here, child, rows: enters(plan, tape, here, child, rows),
        )

    return BatchedVerifier(twin, Following.of, walk)


def _never(_: Following, __: BatchTape, here: Tensor, ___: Tensor, ____: Tensor) -> Tensor:
    return torch.zeros_like(here, dtype=torch.bool)


def _first_only(plan: Following, _: BatchTape, here: Tensor, child: Tensor, __: Tensor) -> Tensor:
    return take(plan.forest.children[:, 0], here) == child


def _above_the_cap(plan: Following, _: BatchTape, here: Tensor, __: Tensor, ___: Tensor) -> Tensor:
    return take(plan.forest.depths, here) < scalar.DEPTH_CAP


def _unless_stopped(plan: Following, tape: BatchTape, _: Tensor, child: Tensor, rows: Tensor) -> Tensor:
    return tape.uniform(scalar.STOP, plan.forest.local(child), rows) * scalar.STOP_ONE_IN >= 1


AUTOREGRESSIVE = _short(scalar.AUTOREGRESSIVE, _never)
FIRST_PATH_ONLY = _short(scalar.FIRST_PATH_ONLY, _first_only)
DEPTH_CAPPED = _short(scalar.DEPTH_CAPPED, _above_the_cap)
EARLY_STOP = _short(scalar.EARLY_STOP, _unless_stopped)
