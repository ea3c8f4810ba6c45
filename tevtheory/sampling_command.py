"""The Monte Carlo mode of `tevtheory check`: one tree, with progress, checkpoint and resume."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from tevtheory.console import AS_IT_SHOULD_BE, INCONCLUSIVE, MISMATCH
from tevtheory.draw import report_picture
from tevtheory.errors import InputError
from tevtheory.interop import read_problem

if TYPE_CHECKING:
    from tevtheory.conformance.montecarlo import Look


@dataclass(frozen=True)
class SamplingOptions:
    """The options of a Monte Carlo check."""

    samples: float | None
    alpha: float = 1e-6
    tv: float | None = None
    canonical: bool = False
    seed: int = 0
    checkpoint: Path | None = None
    resume: bool = False
    svg: Path | None = None


def sample_check(
    verifier: Any, problem: Path | None, options: SamplingOptions, progress_on: Console
) -> tuple[int, Text, dict[str, Any]]:
    """Sample a verifier on the tree of a file; returns the exit status, the report, and its data."""
    from tevtheory.conformance.montecarlo import Outcome, montecarlo, sampler_of

    if problem is None or options.samples is None:
        missing = "no --problem" if problem is None else "no --samples"
        raise InputError("--problem FILE and --samples N", missing, "Monte Carlo check", "give both")
    if not options.samples >= 1 or not math.isfinite(options.samples):
        raise InputError("a number of samples >= 1", f"{options.samples:g}", "--samples", "write it like 1e6")
    file = read_problem(problem)
    case = file.problem
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=progress_on, transient=True) as progress:
        task = progress.add_task("sampling", total=options.samples)

        def show(look: Look) -> None:
            log_e = look.log_e["battery"] / math.log(10)
            text = f"{look.samples:.3g} samples, log10 e = {log_e:.1f}, TV <= {look.bound.value:.2g}"
            progress.update(task, completed=look.samples, description=text)

        found = montecarlo(
            sampler_of(verifier, case),
            case.target,
            samples=int(options.samples),
            alpha=options.alpha,
            tv=options.tv,
            seed=options.seed,
            claim="canonical" if options.canonical else "exact",
            checkpoint=options.checkpoint,
            resume=options.resume,
            on_look=show,
        )
    if options.svg is not None:
        report_picture(found, file).write(options.svg)
    decided = {Outcome.FAULT: MISMATCH, Outcome.EXACT_UP_TO: AS_IT_SHOULD_BE}
    status = decided.get(found.verdict, INCONCLUSIVE)
    style = {MISMATCH: "bold red", AS_IT_SHOULD_BE: "bold green", INCONCLUSIVE: "bold yellow"}[status]
    first, *rest = str(found).splitlines()
    return status, Text("\n").join([Text(first, style=style), *map(Text, rest)]), found.as_data()
