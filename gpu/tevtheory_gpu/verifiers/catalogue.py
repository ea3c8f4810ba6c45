"""All batched verifiers, in the order of the scalar catalogue."""

from __future__ import annotations

from typing import Any

from tevtheory.choices import one_named
from tevtheory_gpu.verifiers import (
    per_path,
    predraw_and_follow,
    seed_synchronous,
    sequential_residual,
    short,
    tev,
    thresholds,
    typical,
)
from tevtheory_gpu.verifiers.batched import BatchedVerifier

CATALOGUE: tuple[BatchedVerifier[Any], ...] = (
    predraw_and_follow.PREDRAW_AND_FOLLOW,
    sequential_residual.IN_GIVEN_ORDER,
    sequential_residual.IN_REVERSED_ORDER,
    sequential_residual.BY_PROBABILITY,
    tev.TEV,
    thresholds.TEV_WALK,
    thresholds.NESTED_INTERVALS,
    seed_synchronous.SEED_SYNCHRONOUS,
    thresholds.AT_ONE,
    short.AUTOREGRESSIVE,
    short.FIRST_PATH_ONLY,
    short.DEPTH_CAPPED,
    short.EARLY_STOP,
    typical.TYPICAL,
    thresholds.ACC_BELOW_ONE,
    thresholds.SINGLE_BELOW_ONE,
    sequential_residual.RATIO_WITH_SOFTMAX,
    per_path.DRAW_PER_PATH,
)


def find(name: str) -> BatchedVerifier[Any]:
    """The batched verifier of that name, or of the only name that contains it; raises InputError otherwise.

    >>> find("tev's walk").name
    "TEV's walk"
    """
    return one_named(CATALOGUE, name)
