"""A stand-in for numpy.random.Generator under which plain Python and numpy verifiers run unmodified."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Literal, NoReturn

import numpy as np

from tevtheory.choices.sites import Chooser, Site, Slot
from tevtheory.errors import ContractError
from tevtheory.weights import ONE, exact_float

UNIFORM = Slot("random", per="round")
CHOICE = Slot("choice", per="round")
INTEGER = Slot("integers", per="round")


def _filled(size: Any, draw: Callable[[], Any]) -> Any:
    """An array of independent draws, in C order."""
    shape = np.empty(size).shape
    return np.array([draw() for _ in np.ndindex(shape)]).reshape(shape)


class ExactGenerator:
    """`random`, `choice` and `integers` of a numpy Generator, answered by a chooser; the rest is refused by name.

    `rows="rational"`: the verifier computes in rationals (numpy object arrays of them). `rows="float64"`: it computes in
    floats, coins compare exactly with floats, and `choice` takes numpy's own steps (cumulative sum, division by the last,
    search), so the law found is that of the float program; enumerate with floats=True.

    >>> from tevtheory.choices import enumerate_law
    >>> def verifier(rng):
    ...     return "hit" if rng.random() < 0.25 else int(rng.choice(3, p=[0.5, 0.0, 0.5]))
    >>> run = lambda chooser: verifier(ExactGenerator(chooser, rows="float64"))
    >>> enumerate_law(run, floats=True).law
    Law({'hit': 1/4, 0: 3/8, 2: 3/8})
    """

    def __init__(self, chooser: Chooser, rows: Literal["rational", "float64"] = "rational") -> None:
        self._chooser, self._rows = chooser, rows
        self._count = 0

    def _site(self, slot: Slot) -> Site:
        self._count += 1
        return slot, self._count - 1

    def random(self, size: int | tuple[int, ...] | None = None) -> Any:
        """A coin, or an object array of independent coins."""
        if size is None:
            return self._chooser.coin(site=self._site(UNIFORM))
        coins = np.empty(size, dtype=object)
        for index in np.ndindex(coins.shape):
            coins[index] = self._chooser.coin(site=self._site(UNIFORM))
        return coins

    def choice(self, a: Any, size: int | tuple[int, ...] | None = None, replace: bool = True, p: Any = None) -> Any:
        """One item of `a` (or of range(a)), or `size` independent ones, with probabilities p."""
        items: Any = range(a) if isinstance(a, (int, np.integer)) else a
        if size is not None:
            if not replace and np.prod(size) > 1:
                self._refuse("choice(..., replace=False) for more than one item")
            return _filled(size, lambda: self.choice(items, p=p))
        weights = [ONE] * len(items) if p is None else self._weights(p)
        if len(weights) != len(items):
            raise ContractError(f"choice got {len(weights)} probabilities for {len(items)} items")
        return items[self._chooser.choose(weights, site=self._site(CHOICE))]

    def _weights(self, p: Sequence[Any]) -> Sequence[Any]:
        if self._rows == "rational":
            return tuple(p)
        table = np.cumsum(np.asarray(p, dtype=np.float64))
        if table[-1]:  # without mass the chooser refuses it
            table /= table[-1]
        # The masses of numpy's search: differences of the rounded table, taken exactly.
        ends = [ONE * 0, *(exact_float(reached) for reached in table)]
        return [high - low for low, high in pairwise(ends)]

    def integers(self, low: int, high: int | None = None, size: Any = None, endpoint: bool = False) -> Any:
        """A uniform integer in [low, high), or [0, low); with endpoint=True the last value is included."""
        first, last = (0, low) if high is None else (low, high)
        count = int(last) - int(first) + int(endpoint)
        if count <= 0:
            raise ContractError(f"integers got an empty range: low={low}, high={high}")
        if size is not None:
            return _filled(size, lambda: self.integers(first, last, endpoint=endpoint))
        return int(first) + self._chooser.choose([ONE] * count, site=self._site(INTEGER))

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse(name)

    def _refuse(self, what: str) -> NoReturn:
        raise ContractError(f"Generator.{what} has no exact law here; use random, choice or integers")
