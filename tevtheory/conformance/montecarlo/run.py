"""Monte Carlo conformance: draw, look, and stop as soon as the verdict is clear."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, get_args

import numpy as np

from tevtheory.conformance.montecarlo.battery import Battery, Claim, Evidence
from tevtheory.conformance.montecarlo.bounds import Bound, look_share, tv_bound
from tevtheory.conformance.montecarlo.checkpoint import State, fingerprint, load, save
from tevtheory.conformance.montecarlo.counts import NOTHING, Counts, pair_counts
from tevtheory.conformance.montecarlo.nulls import GROUPS, Null
from tevtheory.conformance.montecarlo.report import (
    MonteCarloReport,
    Outcome,
    evidence_data,
    faulty_nodes,
    faulty_tokens,
    mean_length,
    worst_branch,
)
from tevtheory.conformance.montecarlo.sampling import (
    CountSampler,
    Sampler,
    complete,
    complete_counts,
    draw,
    draw_counts,
    name_of,
)
from tevtheory.errors import InputError
from tevtheory.targets import TargetTree

FIRST_LOOK = 100
BLOCK = 1_000_000
_SAMPLES, _COMPLETION, _SIZES = 0, 1, 2  # streams of random numbers


@dataclass(frozen=True)
class Look:
    """One look: its number, the samples so far, ln e-values by expert, and the best bound so far."""

    number: int
    samples: int
    log_e: dict[str, float]
    bound: Bound


def montecarlo(  # noqa: PLR0913  (the entry of the package: its options are its documentation)
    sampler: Sampler | CountSampler,
    target: TargetTree | Null,
    *,
    samples: int,
    alpha: float = 1e-6,
    tv: float | None = None,
    seed: int = 0,
    claim: Claim = "exact",
    checkpoint: str | PathLike[str] | None = None,
    resume: bool = False,
    on_look: Callable[[Look], None] | None = None,
) -> MonteCarloReport:
    """Test whether a sampler of outcomes keeps the target's law on this tree.

    `samples` is the mean number of samples at the last look (the numbers are Poisson distributed). With probability at
    least 1 - alpha an exact sampler is never called a FAULT, and with probability at least 1 - alpha the bound on the
    total variation holds; the run stops at a fault, or when the bound is at most `tv`. With no `tv` the verdict gives
    the bound that was reached. A `Null` in place of the target tree spares several runs on one tree its arrays.
    Everything depends on `seed` and the sampler only. A checkpoint is written at every look; with `resume` a run
    continues from it. Raises InputError on wrong samples, wrong settings, or a foreign checkpoint.

    >>> from tevtheory.examples import C2
    >>> class Greedy:
    ...     def sample(self, size, rng):
    ...         return np.full(size, 2), np.zeros(size, dtype=np.int64)
    >>> report = montecarlo(Greedy(), C2, samples=1000)
    >>> report.verdict.value, [fault.node for fault in report.faulty_nodes]
    ('FAULT', [0, 1])
    """
    _check(samples, alpha, tv, seed, claim)
    null = target if isinstance(target, Null) else Null.of(target)
    run = _Run(sampler, Battery(null, claim), look_grid(samples), alpha, tv, seed)
    about = {
        "sampler": name_of(sampler),
        "claim": claim,
        "alpha": alpha,
        "samples": samples,
        "seed": seed,
        "target": fingerprint(null),
    }
    path = None if checkpoint is None else Path(checkpoint).resolve()
    stored = load(path, about) if path is not None and path.exists() else None  # whatever lies there is not lost
    state = stored if stored is not None and resume else run.start
    evidence = run.evidence(state)
    while not run.stops(state, evidence):
        state = run.advance(state)
        evidence = run.evidence(state)
        if path is not None:
            save(path, state, about)
        if on_look is not None:
            on_look(Look(state.looks, state.seen.total, evidence_data(evidence), state.bound))
    return run.report(state, evidence)


def look_grid(samples: int) -> tuple[int, ...]:
    """Mean numbers of samples at the looks: four per factor of ten from 100 on, and the last.

    >>> look_grid(1000)
    (100, 178, 316, 562, 1000)
    """
    grid, step = [], 0
    while (size := round(FIRST_LOOK * 10 ** (step / 4))) < samples:
        grid.append(size)
        step += 1
    return (*grid, samples)


def _check(samples: int, alpha: float, tv: float | None, seed: int, claim: Any) -> None:
    if samples < 1:
        raise InputError("samples >= 1", str(samples), "montecarlo", "draw at least one sample")
    if not 0 < alpha < 1:
        raise InputError("0 < alpha < 1", str(alpha), "montecarlo", "give a small error probability such as 1e-6")
    if tv is not None and not 0 < tv < 1:
        raise InputError("0 < tv < 1", str(tv), "montecarlo", "give a total variation to certify, or None")
    if seed < 0:
        raise InputError("a seed >= 0", str(seed), "montecarlo", "give a natural number")
    if claim not in get_args(Claim):
        raise InputError('the claim "exact" or "canonical"', repr(claim), "montecarlo", "choose one of the two")


@dataclass(frozen=True, eq=False)
class _Run:
    """The settings of a run and its steps."""

    sampler: Sampler | CountSampler
    battery: Battery
    grid: tuple[int, ...]
    alpha: float
    tv: float | None
    seed: int

    @property
    def only_counts(self) -> bool:
        return isinstance(self.sampler, CountSampler)

    @property
    def start(self) -> State:
        return State.start(0 if self.only_counts else GROUPS)

    def evidence(self, state: State) -> Evidence:
        return self.battery.evidence(state.seen, state.pairs if state.pairs.size else None)

    def rejects(self, evidence: Evidence) -> bool:
        return evidence.log_e >= -math.log(self.alpha)

    def stops(self, state: State, evidence: Evidence) -> bool:
        reached = self.tv is not None and state.bound.value <= self.tv
        return self.rejects(evidence) or reached or state.looks == len(self.grid)

    def advance(self, state: State) -> State:
        """Draw up to the next look, and take the bound there."""
        before = self.grid[state.looks - 1] if state.looks else 0
        mean = self.grid[state.looks]
        size = int(self._rng(state.looks, _SIZES).poisson(mean - before))
        state = self._grown(state, size)
        share = self.alpha * look_share(state.looks)
        bound = tv_bound(self.battery.null, state.completed, mean, share)
        return replace(state, looks=state.looks + 1, bound=min(state.bound, bound, key=lambda each: each.value))

    def _rng(self, number: int, stream: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, number, stream])

    def _grown(self, state: State, size: int) -> State:
        sampler, null = self.sampler, self.battery.null
        seen, completed, pairs, block = NOTHING, NOTHING, state.pairs, state.blocks
        if isinstance(sampler, CountSampler):
            seen = draw_counts(sampler, null, size, self._rng(block, _SAMPLES))
            completed = complete_counts(null, seen, self._rng(block, _COMPLETION))
            block += 1
        else:
            for start in range(0, size, BLOCK):
                codes = draw(sampler, null, min(BLOCK, size - start), self._rng(block, _SAMPLES))
                ends = complete(null, codes, self._rng(block, _COMPLETION))
                seen, completed = seen.plus(Counts.of(codes)), completed.plus(Counts.of(ends))
                pairs = pairs + pair_counts(null.groups[ends], GROUPS)
                block += 1
        seen, completed = state.seen.plus(seen), state.completed.plus(completed)
        return replace(state, blocks=block, seen=seen, completed=completed, pairs=pairs)

    def report(self, state: State, evidence: Evidence) -> MonteCarloReport:
        null, faults = self.battery.null, self.rejects(evidence)
        share = self.alpha / 2  # nodes and tokens are named at a joint error rate of alpha
        return MonteCarloReport(
            verdict=self._verdict(state, faults),
            claim=self.battery.claim,
            sampler=name_of(self.sampler),
            samples=state.seen.total,
            looks=state.looks,
            cells=null.outcomes.cells,
            alpha=self.alpha,
            tv=self.tv,
            log_e=evidence_data(evidence),
            bound=state.bound,
            mean=mean_length(null, state.seen),
            branch=worst_branch(null, state.seen, self.alpha),
            faulty_nodes=faulty_nodes(self.battery, state.seen, share) if faults else (),
            faulty_tokens=faulty_tokens(self.battery, state.seen, share) if faults else (),
            note="dependence was not tested: the sampler gives counts only" if self.only_counts else "",
        )

    def _verdict(self, state: State, faults: bool) -> Outcome:
        if faults:
            return Outcome.FAULT
        value = state.bound.value
        bounded = value < 1 if self.tv is None else value <= self.tv
        return Outcome.EXACT_UP_TO if bounded else Outcome.INCONCLUSIVE
