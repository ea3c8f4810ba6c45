"""`tevtheory montecarlo`: verifiers on draft trees of a real model, with error-controlled verdicts.

Exit status: 0 every verdict is as claimed, 1 one is not, 2 misuse, 3 inconclusive, 130 interrupted.
"""

from __future__ import annotations

import math
import resource
from contextlib import suppress
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from tevtheory.console import INCONCLUSIVE, INTERRUPTED, MISMATCH, console, split
from tevtheory.errors import InputError
from tevtheory.interop.files import write_text

if TYPE_CHECKING:
    from tevtheory.conformance.montecarlo import Look
    from tevtheory_gpu.montecarlo.campaign import Finding, Settings
    from tevtheory_gpu.montecarlo.cases import Case
    from tevtheory_gpu.montecarlo.making import Maker
    from tevtheory_gpu.montecarlo.prompts import Prompt
    from tevtheory_gpu.montecarlo.world import World

LOSSY_CONTROL = "cumulative walk acc 4/5"


def montecarlo(  # noqa: PLR0913, PLR0917  (the options of the command)
    target: Annotated[
        str, typer.Option(help="Named model, folder, .gguf, hub name; or tiny (random weights).")
    ] = "smollm2-135m",
    drafter: Annotated[str, typer.Option(help="early-exit:LAYERS, model:NAME or lookup:N.")] = "early-exit:29",
    builder: Annotated[
        str, typer.Option(help="DDTree, EAGLE-2, 'EAGLE-2, wide beam', OPT-Tree, Sequoia, full binary or oracle.")
    ] = "DDTree",
    budget: Annotated[int, typer.Option(help="Drafted tokens per tree.")] = 64,
    depth: Annotated[int, typer.Option(help="Largest depth of a tree.")] = 8,
    prompts: Annotated[
        Path | None, typer.Option(help='JSON lines {"prompt": ..., "name": ...}. Default: ten of our own.')
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Names or domains of prompts.")] = None,
    most: Annotated[int | None, typer.Option(help="At most so many prompts.")] = None,
    calls: Annotated[int, typer.Option(help="Trees per prompt: those of the first calls of a generation.")] = 1,
    temperature: Annotated[float, typer.Option(help="0 is greedy.")] = 1.0,
    top_k: Annotated[int | None, typer.Option()] = None,
    top_p: Annotated[float | None, typer.Option()] = None,
    min_p: Annotated[float | None, typer.Option()] = None,
    repetition_penalty: Annotated[float, typer.Option()] = 1.0,
    verifiers: Annotated[
        list[str] | None,
        typer.Option(help="Names, or parts that fit one only. Default: canonical ones and a lossy control."),
    ] = None,
    samples: Annotated[float, typer.Option(help="Mean number of samples per verifier and tree, such as 1e7.")] = 1e7,
    alpha: Annotated[float, typer.Option(help="Error rate of each verdict, at any number of looks.")] = 1e-6,
    tv: Annotated[float | None, typer.Option(help="Stop at this bound on total variation.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of all samples.")] = 0,
    streams: Annotated[
        int, typer.Option(help="Streams of samples, divided over processes; more than 1 draws counts only.")
    ] = 1,
    dtype: Annotated[str, typer.Option(help="Number type of the verifiers: float64 or float32.")] = "float64",
    device: Annotated[str, typer.Option(help="cpu or cuda, of model and verifiers.")] = "cpu",
    out: Annotated[Path | None, typer.Option(help="Folder for trees, checkpoints and results.json.")] = None,
    resume: Annotated[bool, typer.Option(help="Go on from what the folder holds.")] = False,
) -> None:
    """Judge verifiers on draft trees of a real model: e-process verdicts, bounds on total variation, faulty nodes by name.

    In several processes: torchrun --nproc-per-node N -m tevtheory montecarlo ...; samples are divided, counts added.
    """
    from tevtheory_gpu.montecarlo.campaign import Settings
    from tevtheory_gpu.montecarlo.prompts import PROMPTS, chosen, read_prompts
    from tevtheory_gpu.montecarlo.world import World
    from tevtheory_gpu.targets.processing import Sampling

    settings = Settings(_count(samples), alpha, tv, seed, _float_type(dtype), device, streams)
    sampling = Sampling(temperature, top_k, top_p, min_p, repetition_penalty)
    wanted = chosen(PROMPTS if prompts is None else read_prompts(prompts), split(only), most)
    judged = _verifiers(split(verifiers))
    if resume and out is None:
        raise InputError("a folder to go on from", "no --out", "--resume", "give the folder of the earlier run")
    world = World.join(device)
    try:
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
        origin = {"target": target, "drafter": drafter, "builder": builder, "budget": budget, "depth": depth}
        origin |= {"sampling": vars(sampling), "calls": calls, "seed": seed}
        run = _Run(world, settings, judged, out, resume, origin)
        status = run.all(lambda: _maker(origin, sampling, device, calls, seed), wanted)
    finally:
        world.leave()
    if status:
        raise typer.Exit(status)


class _Run:
    """One run of the command: makes the trees, judges, shows and writes."""

    def __init__(
        self, world: World, settings: Settings, verifiers: Any, out: Path | None, resume: bool, origin: dict[str, Any]
    ) -> None:
        self.world, self.settings, self.verifiers, self.out, self.resume = world, settings, verifiers, out, resume
        self.origin = origin
        self.show = console() if world.leads else Console(quiet=True)
        self.findings: list[Finding] = []

    def all(self, maker: Any, prompts: tuple[Prompt, ...]) -> int:
        """Judge every verifier on every prompt's trees; returns the exit status."""
        made: Maker | None = maker() if self.world.leads else None
        finished = False
        with suppress(KeyboardInterrupt):
            for prompt in prompts:
                found = made.cases(prompt, self.out, self.resume) if made is not None else None
                self._judge(self.world.share(found))
                self._write(finished=False)
            finished = True
        self._write(finished)
        self._close(finished)
        return self._status(finished)

    def _judge(self, cases: list[Case]) -> None:
        from tevtheory_gpu.montecarlo.campaign import campaign
        from tevtheory_gpu.montecarlo.report import case_table

        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        bar = console(stderr=True) if self.world.leads else self.show
        for case in cases:
            with Progress(*columns, console=bar, transient=True) as progress:
                task = progress.add_task(case.name, total=len(self.verifiers) * self.settings.samples)
                done = len(self.findings)

                def look(case: Case, name: str, now: Look, task: Any = task, first: int = done) -> None:
                    judged = len(self.findings) - first
                    text = f"{case.name}, {name}: {now.samples:.2g} samples, TV <= {now.bound.value:.1e}"
                    progress.update(task, completed=judged * self.settings.samples + now.samples, description=text)

                here = campaign([case], self.verifiers, self.settings, self.world, self.out, self.resume, look)
                self.findings.extend(here)
            self.show.print(case_table(self.findings[done:]), highlight=False)

    def _write(self, finished: bool) -> None:
        from tevtheory_gpu.montecarlo.report import as_data

        if self.out is not None and self.world.leads:
            notes = {"finished": finished, "peak_memory_bytes": _peak_memory(), "processes": self.world.size}
            data = as_data(self.findings, self.settings, self.origin, notes)
            write_text(self.out / "results.json", dumps(data, indent=1) + "\n")

    def _close(self, finished: bool) -> None:
        from tevtheory_gpu.montecarlo.report import summary_table

        self.show.print()
        self.show.print(summary_table(self.findings), highlight=False)
        wrong = [finding for finding in self.findings if not finding.expected]
        text = "Every verdict is as claimed." if not wrong else f"{len(wrong)} verdicts are not as claimed."
        text = (
            text
            if finished
            else f"Interrupted; {'go on with --resume.' if self.out else 'nothing was kept: give --out.'}"
        )
        self.show.print(f"{text} Peak memory {_peak_memory() / 2**30:.2f} GiB.", highlight=False)

    def _status(self, finished: bool) -> int:
        from tevtheory.conformance.montecarlo import Outcome

        if not finished:
            return INTERRUPTED
        wrong = [finding.report.verdict for finding in self.findings if not finding.expected]
        undecided = all(verdict is Outcome.INCONCLUSIVE for verdict in wrong)
        return 0 if not wrong else INCONCLUSIVE if undecided else MISMATCH


def _maker(origin: dict[str, Any], sampling: Any, device: str, calls: int, seed: int) -> Maker:
    """Load the target and the drafter; only the leading process does."""
    from tevtheory_gpu.decoding.model import Options, drafting_of
    from tevtheory_gpu.drafters import load_drafter
    from tevtheory_gpu.montecarlo.making import Maker
    from tevtheory_gpu.targets import load_target, tiny_target

    spec = origin["target"]
    model = tiny_target(vocabulary=1000) if spec == "tiny" else load_target(spec, "float32", device)
    options = Options(origin["builder"], sampling=sampling, budget=origin["budget"], depth=origin["depth"])
    drafting = drafting_of(model, load_drafter(origin["drafter"], model, sampling), options)
    return Maker(model, sampling, drafting, origin, calls, seed)


def _verifiers(names: list[str] | None) -> tuple[Any, ...]:
    from tevtheory.verdicts import Verdict
    from tevtheory_gpu.verifiers.catalogue import CATALOGUE, find

    if names:
        return tuple(find(name) for name in names)
    return (*(entry for entry in CATALOGUE if entry.twin.claim is Verdict.CANONICAL), find(LOSSY_CONTROL))


def _count(samples: float) -> int:
    if not samples >= 1 or not math.isfinite(samples):
        raise InputError("a number of samples >= 1", f"{samples:g}", "--samples", "write it like 1e7")
    return int(samples)


def _float_type(name: str) -> str:
    if name not in ("float64", "float32"):
        raise InputError("float64 or float32", repr(name), "--dtype", "verifiers decide in one of these")
    return name


def _peak_memory() -> int:
    """The largest resident size of this process, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
