"""Samplers for Monte Carlo conformance from batched verifiers: one tree, shared by millions of rows of uniforms."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tevtheory_gpu.forest import Forest
from tevtheory_gpu.tapes import CounterTape
from tevtheory_gpu.verifiers.batched import BatchedVerifier

Ints = npt.NDArray[np.int64]

ROWS = {"cpu": 1 << 17, "cuda": 1 << 22}
"""Rows at a time: few enough for the caches of a CPU, enough to keep a GPU busy."""

_COUNTED = 1 << 22


@dataclass(frozen=True, eq=False)
class TorchSampler:
    """Draws exits of a batched verifier on the first tree of a forest; implements the core's `Sampler`.

    All randomness comes from the generator, which gives the key of a counter-based tape.
    """

    verifier: BatchedVerifier[Any]
    forest: Forest

    @property
    def name(self) -> str:
        """The verifier's name."""
        return self.verifier.name

    @cached_property
    def plan(self) -> Any:
        """What the verifier works out once per tree."""
        return self.verifier.prepare(self.forest)

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Exit nodes and bonus tokens of `size` rows."""
        nodes, tokens = self.outcomes(size, key_from(rng))
        return nodes.cpu().numpy(), tokens.cpu().numpy()

    def outcomes(self, size: int, key: tuple[int, int], start: int = 0) -> tuple[Tensor, Tensor]:
        """The outcomes of rows start .. start + size - 1 of the tape with that key, on the forest's device."""
        at_once = ROWS.get(self.forest.device.type, ROWS["cuda"])
        starts = range(start, start + size, at_once)
        sizes = [min(at_once, start + size - first) for first in starts]
        tapes = [CounterTape(key, first) for first in starts]
        many = len(tapes) > 1 and self.forest.device.type == "cpu"
        parts = list((_pool().map if many else map)(self._walk, sizes, tapes))
        if not parts:
            nothing = torch.zeros(0, dtype=torch.int64, device=self.forest.device)
            return nothing, nothing
        return torch.cat([nodes for nodes, _ in parts]), torch.cat([tokens for _, tokens in parts])

    def _walk(self, size: int, tape: CounterTape) -> tuple[Tensor, Tensor]:
        roots = torch.zeros(size, dtype=torch.int64, device=self.forest.device)
        return self.verifier.walk(self.plan, roots, tape)


@cache
def _pool() -> ThreadPoolExecutor:
    """One thread a core, each of which runs its own rows: no operation is itself worth splitting."""
    return ThreadPoolExecutor(torch.get_num_threads(), initializer=torch.set_num_threads, initargs=(1,))


@dataclass(frozen=True, eq=False)
class CountingSampler:
    """The same, but counted where it was drawn; implements the core's `CountSampler`.

    The samples are split evenly over `streams`, numbered ranges of one tape; `mine` are those drawn here, and `gather`
    adds up the counts of all processes. Any division of the streams over processes gives the same counts.
    """

    sampler: TorchSampler
    streams: int = 1
    mine: Sequence[int] = (0,)
    gather: Any = None

    @property
    def name(self) -> str:
        """The verifier's name."""
        return self.sampler.name

    def count(self, size: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Distinct codes node * V + token, and their counts over all processes."""
        key, forest = key_from(rng), self.sampler.forest
        counts = torch.zeros(forest.nodes * forest.vocabulary, dtype=torch.int64, device=forest.device)
        for stream in self.mine:
            first, end = (size * part // self.streams for part in (stream, stream + 1))
            for start in range(first, end, _COUNTED):
                nodes, tokens = self.sampler.outcomes(min(_COUNTED, end - start), key, start)
                counts += torch.bincount(nodes * forest.vocabulary + tokens, minlength=len(counts))
        if self.gather is not None:
            self.gather(counts)
        codes = counts.nonzero().squeeze(1)
        return codes.cpu().numpy(), counts[codes].cpu().numpy()


def key_from(rng: np.random.Generator) -> tuple[int, int]:
    """A key of two 32-bit words."""
    first, second = rng.integers(1 << 32, size=2)
    return int(first), int(second)
