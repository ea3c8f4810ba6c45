"""A sampler of a law that is known: to try the test itself, or to ask what it would see of a given fault."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tevtheory.conformance.montecarlo.counts import Floats, Ints
from tevtheory.conformance.montecarlo.sampling import spread
from tevtheory.laws import Law
from tevtheory.targets import TargetTree
from tevtheory.trees import Exit


@dataclass(frozen=True, eq=False)
class LawSampler:
    """Draws counts of the exits of a law on a target tree, so many at once that 1e9 take no time.

    >>> from tevtheory.examples import C2
    >>> sampler = LawSampler(Law({Exit(0, 1): 1}), C2)
    >>> [part.tolist() for part in sampler.count(5, np.random.default_rng(0))]
    [[1], [5]]
    """

    law: Law[Exit]
    target: TargetTree
    name: str = "law"

    @cached_property
    def _table(self) -> tuple[Ints, Floats]:
        codes = [end.node * self.target.vocabulary + end.token for end in self.law]
        return np.array(codes, dtype=np.int64), np.array([float(self.law[end]) for end in self.law])

    def count(self, size: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Distinct codes node * vocabulary + token, and their counts."""
        codes, p = self._table
        counts = spread(p, size, rng)
        return codes[counts > 0], counts[counts > 0]
