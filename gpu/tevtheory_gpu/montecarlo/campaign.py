"""A campaign: every verifier on every case, judged by the core's e-process and bounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from tevtheory.conformance.montecarlo import Look, MonteCarloReport, Outcome, montecarlo
from tevtheory.conformance.montecarlo.nulls import Null
from tevtheory.verdicts import Verdict
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.montecarlo.cases import Case
from tevtheory_gpu.montecarlo.world import World
from tevtheory_gpu.sampler import CountingSampler, TorchSampler
from tevtheory_gpu.verifiers.batched import BatchedVerifier


@dataclass(frozen=True)
class Settings:
    """What is asked of every verifier on every tree; `streams` divide the samples, over processes or not."""

    samples: int
    alpha: float = 1e-6
    tv: float | None = None
    seed: int = 0
    dtype: str = "float64"
    device: str = "cpu"
    streams: int = 1


@dataclass(frozen=True)
class Finding:
    """The verdict on one verifier on one tree, and whether it is what the verifier claims."""

    case: Case
    verifier: str
    claim: Verdict
    report: MonteCarloReport
    seconds: float

    @property
    def expected(self) -> bool:
        """A verifier that claims to be exact is not at fault, and one that claims to be lossy is."""
        lossy = self.claim is Verdict.LOSSY
        return self.report.verdict is (Outcome.FAULT if lossy else Outcome.EXACT_UP_TO)

    def as_data(self) -> dict[str, Any]:
        """The finding as JSON-ready data."""
        about = {"case": self.case.name, "domain": self.case.domain, "verifier": self.verifier}
        claimed = {"claim": self.claim.value, "expected": self.expected, "seconds": round(self.seconds, 3)}
        nodes = [self.case.path(fault.node) for fault in self.report.faulty_nodes]
        return {
            **about,
            **claimed,
            "ceiling": self.case.ceiling,
            "faulty_paths": nodes,
            "report": self.report.as_data(),
        }


def campaign(  # noqa: PLR0913, PLR0917  (its parts are independent of each other)
    cases: Iterable[Case],
    verifiers: Sequence[BatchedVerifier[Any]],
    settings: Settings,
    world: World | None = None,
    checkpoints: Path | None = None,
    resume: bool = False,
    on_look: Callable[[Case, str, Look], None] | None = None,
) -> Iterator[Finding]:
    """Judge every verifier on every case; one finding after another.

    In several processes each draws its share of the streams, and all look at the same counts. Checkpoints are named
    CASE--VERIFIER.npz.
    """
    world = world or World()
    for case in cases:
        null = Null.of(case.target)
        forest = Forest.of([case.target], getattr(torch, settings.dtype), settings.device)
        for verifier in verifiers:
            look = None if on_look is None else partial(on_look, case, verifier.name)
            path = None if checkpoints is None else checkpoints / _file(case, verifier, world)
            started = time.perf_counter()
            report = montecarlo(
                sampler_for(TorchSampler(verifier, forest), settings, world),
                null,
                samples=settings.samples,
                alpha=settings.alpha,
                tv=settings.tv,
                seed=settings.seed,
                claim="canonical" if verifier.twin.claim is Verdict.CANONICAL else "exact",
                checkpoint=path,
                resume=resume,
                on_look=look,
            )
            yield Finding(case, verifier.name, verifier.twin.claim, report, time.perf_counter() - started)


def sampler_for(sampler: TorchSampler, settings: Settings, world: World) -> TorchSampler | CountingSampler:
    """Draws in order where there is one stream on a CPU, so that dependence can be tested; counts elsewhere."""
    streams = max(settings.streams, world.size)
    if streams == 1 and settings.device == "cpu":
        return sampler
    mine = range(streams * world.rank // world.size, streams * (world.rank + 1) // world.size)
    return CountingSampler(sampler, streams, mine, world.add_up)


def _file(case: Case, verifier: BatchedVerifier[Any], world: World) -> str:
    kept = "".join(letter if letter.isalnum() else "-" for letter in verifier.name)
    return f"{case.name}--{kept}{'' if world.leads else f'.rank{world.rank}'}.npz"
