"""Samplers from verifiers: one outcome at a time from a program, or whole arrays from a batched black box."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tevtheory.choices import Chooser, SamplingChooser
from tevtheory.conformance.layouts import PROBLEM, Layout, Numbers
from tevtheory.conformance.montecarlo.counts import Ints
from tevtheory.conformance.montecarlo.sampling import CountSampler, Sampler
from tevtheory.conformance.subjects import ProgramSubject, as_subject, name_of
from tevtheory.errors import InputError
from tevtheory.targets import Problem
from tevtheory.trees import Exit
from tevtheory.verdicts import Verdict


@dataclass(frozen=True)
class ChooserSampler:
    """Samples a verifier, or a subject whose law could be enumerated, on one problem: slow, but it runs any of them.

    >>> from tevtheory.conformance.montecarlo.run import montecarlo
    >>> from tevtheory.examples import C2
    >>> from tevtheory.verifiers.catalogue import find
    >>> report = montecarlo(ChooserSampler(find("early stop"), Problem(C2)), C2, samples=300, claim="canonical")
    >>> print(str(report).splitlines()[0])
    FAULT: n=... samples, K=3; log10 e = inf (reject at 6), seen by 'support'
    """

    verifier: Any
    problem: Problem

    @cached_property
    def _subject(self) -> ProgramSubject:
        subject = as_subject(self.verifier)
        if not isinstance(subject, ProgramSubject):
            remedy = "bring it as a batched black box (tevtheory.conformance.montecarlo.batched)"
            raise InputError("a verifier that can be sampled", repr(subject), "sampler", remedy)
        return subject

    @property
    def name(self) -> str:
        """The verifier's name."""
        return self._subject.name

    @cached_property
    def _run(self) -> Callable[[Chooser], Exit]:
        return self._subject.start(self.problem)

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Run the verifier `size` times: exit nodes and bonus tokens."""
        ends = np.empty((size, 2), dtype=np.int64)
        for i in range(size):
            ends[i] = self._run(SamplingChooser(rng, self._subject.slots))
        return ends[:, 0], ends[:, 1]


@dataclass(frozen=True)
class BatchedSubject:
    """A batched black box: function(*arguments of the layout, size, seed) -> (last accepted nodes, bonus tokens).

    The nodes have shape (size,), or (size, depth + 1) for accepted paths from node 0 padded with -1; tokens have shape
    (size,). It can be sampled, not enumerated.
    """

    name: str
    function: Callable[..., Any]
    layout: Layout = PROBLEM
    numbers: Numbers = "float64"
    claim: Verdict | None = None

    def sampler(self, problem: Problem) -> Sampler:
        """The sampler of this black box on one problem."""
        return _BatchedSampler(self, problem)


@dataclass(frozen=True)
class _BatchedSampler:
    subject: BatchedSubject
    problem: Problem

    @property
    def name(self) -> str:
        return self.subject.name

    @cached_property
    def _arguments(self) -> tuple[Any, ...]:
        return self.subject.layout.arguments(self.problem, self.subject.numbers)

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        seed = int(rng.integers(2**63))
        output = self.subject.function(*self._arguments, size, seed)
        if not isinstance(output, (tuple, list)) or len(output) != 2:
            expected = "(nodes or paths, bonus tokens) from the black box"
            raise InputError(expected, repr(output)[:60], f"sampler {self.name}", "return two integer arrays")
        nodes, tokens = np.asarray(output[0]), np.asarray(output[1])
        if nodes.ndim == 2 and nodes.shape[0] == size and nodes.shape[1] > 0:
            last = np.maximum((nodes >= 0).cumprod(axis=1).sum(axis=1) - 1, 0)
            nodes = nodes[np.arange(size), last]
        return nodes, tokens


def batched(
    function: Callable[..., Any],
    *,
    layout: Layout = PROBLEM,
    rows: Numbers = "float64",
    name: str | None = None,
    claim: Verdict | None = None,
) -> BatchedSubject:
    """A batched black box, seeded: function(*arguments, size, seed) -> (nodes or padded paths, bonus tokens)."""
    return BatchedSubject(name_of(function, name), function, layout, rows, claim)


def sampler_of(given: Any, problem: Problem) -> Sampler | CountSampler:
    """The sampler of a batched black box, or of anything else that can be judged."""
    return given.sampler(problem) if isinstance(given, BatchedSubject) else ChooserSampler(given, problem)
