"""Inversion at scale: the first k with mark < c[k], for many rows of sums at once.

The decision is the scalar chooser's (`tevtheory.choices.drawing`). Sums are made once per tree and shared by all samples; a
guide table (Chen and Asau, 1974) narrows each search to the few tokens of its bucket.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

BUCKETS = 4096
"""Marks of a guide, less one."""

FEW = 4096
"""Fewer draws at once than this go without a guide."""


def take(table: Tensor, places: Tensor) -> Tensor:
    """Entries, or rows, of a table: several times as fast on a CPU as indexing."""
    return table.index_select(0, places)


@dataclass(frozen=True, eq=False)
class Inversion:
    """Left-to-right sums of rows: `sums` (M, V); `base` (M,) what they start from; `last` (M,) the last positive index."""

    sums: Tensor
    base: Tensor
    last: Tensor

    @classmethod
    def of(cls, weights: Tensor, base: Tensor | None = None) -> Inversion:
        """Sum up the weights of every row, from `base` on; padding (NaN) becomes rows without mass."""
        weights = weights.nan_to_num(nan=0.0)
        if base is None:
            base, sums = torch.zeros_like(weights[:, 0]), weights.cumsum(1)
        else:
            sums = torch.cat([base[:, None], weights], 1).cumsum(1)[:, 1:].contiguous()
        from_the_end = (weights > 0).flip(1).to(torch.int8).argmax(1)
        return cls(sums, base, weights.shape[1] - 1 - from_the_end)

    @cached_property
    def guide(self) -> Tensor:
        """How many sums are not above each of K + 1 equidistant marks: shape (M (K + 1),), int32."""
        marks = torch.linspace(0, 1, BUCKETS + 1, dtype=torch.float64, device=self.sums.device)
        span = (self.totals - self.base).to(torch.float64)
        ruler = (self.base[:, None] + span[:, None] * marks).to(self.sums.dtype)
        return torch.searchsorted(self.sums, ruler.contiguous(), right=True, out_int32=True).reshape(-1)

    @cached_property
    def totals(self) -> Tensor:
        """The last sum of every row: shape (M,)."""
        return self.sums[:, -1].contiguous()

    def draw(self, rows: Tensor, uniforms: Tensor) -> Tensor:
        """An index per entry, in proportion to the weights: the first k with u c[last] < c[k], else the last positive.

        >>> weights = torch.tensor([[0.25, 0.0, 0.5, 0.25, 0.0]], dtype=torch.float64)
        >>> uniforms = torch.tensor([0.0, 0.25, 0.75, 0.9999], dtype=torch.float64)
        >>> Inversion.of(weights).draw(torch.zeros(4, dtype=torch.int64), uniforms).tolist()
        [0, 2, 3, 3]
        """
        # Rounding is monotone, so u c[last] lies between the marks of the bucket that holds u.
        place = (uniforms * BUCKETS).to(torch.int64)
        return self._between(rows, uniforms.to(self.sums.dtype) * take(self.totals, rows), place, place + 1)

    def first_above(self, rows: Tensor, marks: Tensor) -> Tensor:
        """The first k with mark < c[k], else the last positive index; rows and marks (n,)."""
        span = take(self.totals - self.base, rows)
        place = ((marks - take(self.base, rows)) / span * BUCKETS).nan_to_num(nan=0.0).to(torch.int64)
        # One bucket to either side absorbs the rounding of the division; the sums decide.
        return self._between(rows, marks, (place - 1).clamp(0, BUCKETS), (place + 2).clamp(0, BUCKETS))

    def _between(self, rows: Tensor, marks: Tensor, first: Tensor, end: Tensor) -> Tensor:
        """Bisect all searches at once between two marks of the guide, leaving those that are done."""
        if len(rows) < FEW:  # a guide would cost more than it saves
            low, high = torch.zeros_like(rows), torch.full_like(rows, self.sums.shape[1])
        else:
            at = rows * (BUCKETS + 1)
            low, high = (take(self.guide, at + mark).to(torch.int64) for mark in (first, end))
        sums, found = self.sums.reshape(-1), low.clone()
        going = (low < high).nonzero().squeeze(1)
        offsets = take(rows, going) * self.sums.shape[1]
        marks, low, high = take(marks, going), take(low, going), take(high, going)
        while going.numel():
            middle = (low + high) >> 1
            up = take(sums, offsets + middle) <= marks
            low, high = torch.where(up, middle + 1, low), torch.where(up, high, middle)
            found.index_copy_(0, going, low)
            kept = (low < high).nonzero().squeeze(1)
            going, offsets, marks, low, high = (take(part, kept) for part in (going, offsets, marks, low, high))
        return torch.minimum(found, take(self.last, rows))
