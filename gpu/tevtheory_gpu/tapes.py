"""Tapes for batches: a uniform is a function of (row, slot, index), read from an array or worked out by a counter.

A batched verifier asks at the addresses of the scalar one (`tevtheory.verifiers`), so that row b of a batch must equal the
scalar verifier on tape b. At scale nothing is stored: Philox 4x32-10 (Salmon et al., SC'11) turns an address into two
uniforms of 53 bits.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tevtheory.choices import Slot
from tevtheory.conformance.montecarlo.compiled import compiled
from tevtheory.errors import InputError

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_LOW = 0xFFFFFFFF
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10


class BatchTape(Protocol):
    """Uniforms for rows of a batch: `rows` (n,) int64 says which rows ask, `index` is one for all or (n,) int64."""

    def uniform(self, slot: Slot, index: int | Tensor, rows: Tensor) -> Tensor:
        """Uniforms on [0, 1): shape (n,), float64."""

    def exponentials(self, slot: Slot, index: int, rows: Tensor) -> Tensor | None:
        """Standard exponentials for a race: shape (n, V); None where a race is drawn from one uniform instead."""


@dataclass(frozen=True)
class ArrayTape:
    """A tape from tensors by slot name: `columns[name]` has shape (B, indices), for a race (B, indices, V).

    >>> tape = ArrayTape({"token": torch.tensor([[0.25, 0.75], [0.5, 0.0]], dtype=torch.float64)})
    >>> tape.uniform(Slot("token", per="node"), 1, torch.tensor([0, 1])).tolist()
    [0.75, 0.0]
    """

    columns: Mapping[str, Tensor]

    def uniform(self, slot: Slot, index: int | Tensor, rows: Tensor) -> Tensor:
        return self._column(slot)[rows, index]

    def exponentials(self, slot: Slot, index: int, rows: Tensor) -> Tensor | None:
        return self._column(slot)[rows, index]

    def _column(self, slot: Slot) -> Tensor:
        if slot.name not in self.columns:
            have = ", ".join(self.columns) or "no slot"
            raise InputError(f"draws at the slot {slot.name!r}", f"a tape of {have}", "tape", "add that column")
        return self.columns[slot.name]


@dataclass(frozen=True)
class CounterTape:
    """A tape without memory: row b of it is row `start` + b of the endless tape with this key (two 32-bit words).

    The address (row, slot, index) is the Philox counter. A race is drawn from one uniform by inversion: the same law, but
    V times fewer random numbers.
    """

    key: tuple[int, int]
    start: int = 0

    def uniform(self, slot: Slot, index: int | Tensor, rows: Tensor) -> Tensor:
        place, number = rows + self.start, zlib.crc32(slot.name.encode())
        at = index if isinstance(index, Tensor) else torch.full_like(rows, index)
        if rows.device.type == "cpu":
            return torch.from_numpy(_uniforms(place.numpy(), number, at.numpy(), *self.key))
        high, low, _, _ = philox((place & _LOW, place >> 32, torch.full_like(rows, number), at), self.key)
        return _to_uniform(high, low)

    def exponentials(self, slot: Slot, index: int, rows: Tensor) -> Tensor | None:  # noqa: ARG002  (the protocol's)
        return None


def _to_uniform(high: Tensor, low: Tensor) -> Tensor:
    """The upper 53 of 64 bits: at most 1 - 2^-53, and every multiple of 2^-53 equally likely."""
    return ((high << 21) + (low >> 11)).to(torch.float64) * 2.0**-53


@compiled
def _uniforms(rows: Ints, slot: int, indices: Ints, first: int, second: int) -> Floats:
    """`philox` and `_to_uniform` for a CPU, one address after another: ten times as fast."""
    out = np.empty(len(rows))
    low = np.uint64(0xFFFFFFFF)
    half, up, down = np.uint64(32), np.uint64(21), np.uint64(11)
    for i in range(len(rows)):
        a, b = np.uint64(rows[i]) & low, np.uint64(rows[i]) >> half
        c, d = np.uint64(slot), np.uint64(indices[i])
        k, m = np.uint64(first), np.uint64(second)
        for _ in range(_ROUNDS):
            left, right = a * np.uint64(0xD2511F53), c * np.uint64(0xCD9E8D57)
            a, b, c, d = (right >> half) ^ b ^ k, right & low, (left >> half) ^ d ^ m, left & low
            k, m = (k + np.uint64(0x9E3779B9)) & low, (m + np.uint64(0xBB67AE85)) & low
        out[i] = np.float64((a << up) + (b >> down)) * 2.0**-53
    return out


Words = tuple[Any, Any, Any, Any]


def philox(counter: Words, key: tuple[int, int]) -> Words:
    """Philox 4x32-10: four 32-bit words from a counter and a key; the words are int64 tensors of one shape.

    >>> zero = torch.zeros(1, dtype=torch.int64)
    >>> [f"{int(word):08x}" for word in philox((zero, zero, zero, zero), (0, 0))]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    a, b, c, d = counter
    first, second = key
    for _ in range(_ROUNDS):
        left, right = a * _MULTIPLIERS[0], c * _MULTIPLIERS[1]
        # int64 products wrap, and >> keeps the sign: the mask takes what a logical shift would.
        a, b = ((right >> 32) & _LOW) ^ b ^ first, right & _LOW
        c, d = ((left >> 32) & _LOW) ^ d ^ second, left & _LOW
        first, second = (first + _WEYL[0]) & _LOW, (second + _WEYL[1]) & _LOW
    return a, b, c, d
