"""The catalogue: every verifier, one line each, in the order of the table."""

from __future__ import annotations

from typing import Any

from tevtheory.choices import Verifier, one_named
from tevtheory.verifiers import (
    cumulative_thresholds,
    nested_intervals,
    per_path,
    predraw_and_follow,
    ratio,
    seed_synchronous,
    sequential_residual,
    short,
    tev,
    tev_walk,
    typical,
)

CATALOGUE: tuple[Verifier[Any], ...] = (
    predraw_and_follow.PREDRAW_AND_FOLLOW,
    predraw_and_follow.PREDRAW_EVERYWHERE,
    sequential_residual.IN_GIVEN_ORDER,
    sequential_residual.IN_REVERSED_ORDER,
    sequential_residual.BY_PROBABILITY,
    sequential_residual.IN_RANDOM_ORDER,
    tev.TEV,
    tev_walk.TEV_WALK,
    nested_intervals.NESTED_INTERVALS,
    seed_synchronous.SEED_SYNCHRONOUS,
    cumulative_thresholds.AT_ONE,
    short.AUTOREGRESSIVE,
    short.FIRST_PATH_ONLY,
    short.DEPTH_CAPPED,
    short.EARLY_STOP,
    typical.TYPICAL,
    cumulative_thresholds.ACC_BELOW_ONE,
    cumulative_thresholds.SINGLE_BELOW_ONE,
    ratio.RATIO_WITH_SOFTMAX,
    per_path.DRAW_PER_PATH,
)


def find(name: str) -> Verifier[Any]:
    """The verifier of that name, or of the only name that contains it; raises InputError otherwise.

    >>> find("tev's walk").name
    "TEV's walk"
    """
    return one_named(CATALOGUE, name)
