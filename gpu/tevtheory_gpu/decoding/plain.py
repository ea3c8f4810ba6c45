"""Plain decoding, one token a call: what tree decoding is compared with."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np

from tevtheory.rows import FloatRow, Row
from tevtheory.trees import ROOT, DraftTree, Exit
from tevtheory_gpu.decoding.loop import Limits
from tevtheory_gpu.decoding.runs import Run

_ROOT_ALONE = DraftTree((-1,), (-1,))


def plain_decode(run: Run, uniforms: Callable[[int], Any], limits: Limits) -> tuple[int, ...]:
    """Inverse-CDF sampling in vocabulary order: the token at an absolute position is drawn with that position's uniform.

    At temperature 0 rows are one-hot, so it is greedy decoding and the uniforms do not matter.

    >>> from tevtheory.targets import Target
    >>> from tevtheory_gpu.decoding.runs import ToyRun
    >>> run = ToyRun(Target.context_free(["1/4", "1/2", "1/4"]))
    >>> plain_decode(run, [0.0, 0.25, 0.5, 0.75].__getitem__, Limits(tokens=10, ends=(2,)))
    (0, 1, 1, 2)
    """
    start = len(run.prefix)
    for position in range(start, start + limits.left(start)):
        (row,) = run.target_tree(_ROOT_ALONE).rows
        token = inverse(row, uniforms(position))
        run.commit(Exit(ROOT, token))
        if token in limits.ends:
            break
    return run.prefix[start:]


def inverse(row: Row, uniform: Any) -> int:
    """The first k with u c[last] < c[k], c the left-to-right sums of the row, else the last token of positive weight."""
    if isinstance(row, FloatRow):
        sums = np.cumsum(row.vector)
        k = int(np.searchsorted(sums, uniform * sums[-1], side="right"))
        return min(k, int(np.flatnonzero(row.vector)[-1]))
    exact = list(accumulate(row))
    above = (k for k, reached in enumerate(exact) if uniform * exact[-1] < reached)
    return next(above, max(k for k, weight in enumerate(row) if weight))
