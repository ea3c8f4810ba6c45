"""Who decides: a verifier together with its randomness, fresh at every call, or bound to absolute positions.

Most verifiers draw anew at every call: the addresses of call c are those of row c of an endless tape. Seed-synchronous TEV
draws at positions of the text: depth d of a call whose block begins at position s reads the uniform of s + d, so that the
text is that of plain sampling with the same uniforms, whatever the trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from tevtheory.choices import Chooser, Coin, Site, Slot, Verifier
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import Exit
from tevtheory.verifiers.seed_synchronous import POSITION
from tevtheory_gpu.decoding.tensor_rows import matrix_of
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.tapes import CounterTape
from tevtheory_gpu.verifiers.batched import BatchedVerifier

_WORD = 1 << 32
_CALL = 1 << 20
"""No call of a scalar verifier draws at an index as large as this."""


@dataclass(frozen=True)
class Turn:
    """Which call this is, from 0, and the absolute position of the first token of its block."""

    call: int
    position: int


Decide = Callable[[TargetTree, Turn], Exit]
"""Chooses the exit of one call."""


@dataclass(frozen=True)
class ShiftedTape:
    """A tape whose indices begin at `shift`."""

    tape: CounterTape
    shift: int

    def uniform(self, slot: Slot, index: int | torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """The uniform at index + shift."""
        return self.tape.uniform(slot, index + self.shift, rows)

    def exponentials(self, slot: Slot, index: int, rows: torch.Tensor) -> torch.Tensor | None:
        """A race is drawn from one uniform."""
        return self.tape.exponentials(slot, index, rows)


def key_of(seed: int) -> tuple[int, int]:
    """The two words of a tape's key.

    >>> key_of(2**32 + 5)
    (5, 1)
    """
    return seed % _WORD, seed // _WORD % _WORD


def by_batched(verifier: BatchedVerifier[Any], seed: int, device: str = "cpu") -> Decide:
    """Decide by the batched form of a verifier, a batch of one, on a counter-based tape with this seed.

    >>> from tevtheory.examples import C2
    >>> from tevtheory_gpu.verifiers.catalogue import find
    >>> by_batched(find("tev's walk"), seed=0)(C2, Turn(0, 0))
    Exit(node=2, token=0)
    """

    def decide(target: TargetTree, turn: Turn) -> Exit:
        forest = Forest.from_rows([target.tree], matrix_of(target.rows).to(device)[None])
        tape = tape_of(verifier.twin, seed, turn)
        nodes, tokens = verifier(forest, forest.roots(1), tape)
        return Exit(int(nodes[0]), int(tokens[0]))

    return decide


def tape_of(verifier: Verifier[Any], seed: int, turn: Turn) -> CounterTape | ShiftedTape:
    """The tape that a verifier reads at a call: a row of its own, or the one row of positions."""
    if POSITION in verifier.slots:
        return ShiftedTape(CounterTape(key_of(seed)), turn.position)
    return CounterTape(key_of(seed), start=turn.call)


def uniform_at(seed: int) -> Callable[[int], float]:
    """The uniform of an absolute position: plain sampling with it gives the text of seed-synchronous TEV.

    >>> uniform_at(1)(5) == uniform_at(1)(5), uniform_at(1)(5) == uniform_at(2)(5)
    (True, False)
    """
    tape, row = CounterTape(key_of(seed)), torch.zeros(1, dtype=torch.int64)
    return lambda position: float(tape.uniform(POSITION, position, row)[0])


def by_scalar(verifier: Verifier[Any], chooser: Chooser) -> Decide:
    """Decide by the program itself, one chooser for the whole generation; an enumerating one gives the text's exact law.

    >>> import numpy as np
    >>> from tevtheory.choices import SamplingChooser
    >>> from tevtheory.examples import C2
    >>> from tevtheory.verifiers.catalogue import find
    >>> by_scalar(find("predraw and"), SamplingChooser(np.random.default_rng(0)))(C2, Turn(0, 0))
    Exit(node=0, token=1)
    """

    def decide(target: TargetTree, turn: Turn) -> Exit:
        shift = turn.position if POSITION in verifier.slots else turn.call * _CALL
        return verifier(Problem(target), Shifted(chooser, shift))

    return decide


@dataclass(frozen=True)
class Shifted:
    """A chooser whose indices begin at `shift`: no two calls of a generation draw at one site."""

    chooser: Chooser
    shift: int

    def flip(self, part: Any, of: Any = 1, *, site: Site) -> bool:
        """See Chooser."""
        return self.chooser.flip(part, of, site=self._moved(site))

    def choose(self, weights: Sequence[Any], *, site: Site) -> int:
        """See Chooser."""
        return self.chooser.choose(weights, site=self._moved(site))

    def coin(self, *, site: Site) -> Coin:
        """See Chooser."""
        return self.chooser.coin(site=self._moved(site))

    def _moved(self, site: Site) -> Site:
        return site[0], site[1] + self.shift
