"""The command line: `tevtheory verify`, `check`, `prove`, `faults`, `law`, and what other packages add.

Exit status: 0 all is as it should be, 1 it is not, 2 misuse, 3 inconclusive, 130 interrupted.
"""

from __future__ import annotations

import sys
import time
from importlib.metadata import entry_points
from json import dumps
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import tevtheory
from tevtheory import draw, pages, report
from tevtheory.conformance import Tally, judge
from tevtheory.conformance.loading import load_subject, load_target
from tevtheory.console import INCONCLUSIVE, INTERRUPTED, MISMATCH, MISUSE, console, split, write
from tevtheory.enumeration import Chunk
from tevtheory.errors import MissingDependency, TevError
from tevtheory.interop import read_problem, read_text, write_text
from tevtheory.kills import controls_table, kill_report, kill_table
from tevtheory.proofs_check.table import as_data, evidence_table, markdown_table, run, with_table
from tevtheory.sampling_command import SamplingOptions, sample_check
from tevtheory.sweep import Plan, Tallies, Workers, sweep
from tevtheory.verdicts import Verdict

_OPTIONAL = ("torch", "transformers", "gguf", "safetensors", "platformdirs", "tokenizers")
"""Packages of the extra "gpu", which commands of the torch half import when they are called."""


app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Is a tree speculative decoding verifier lossless, and how long could its blocks be?",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tevtheory {tevtheory.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    _version_wanted: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
def verify(  # noqa: PLR0913, PLR0917  (the options of the command)
    max_nodes: Annotated[int | None, typer.Option(help="Largest tree, root included. Default: per pattern.")] = None,
    patterns: Annotated[
        list[str] | None,
        typer.Option(help="Row patterns: generic, zeros, ordered, ties, one-hot, uniform. Default: all."),
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="A verifier's name, or a part that fits one only.")] = None,
    jobs: Annotated[int, typer.Option(help="Processes; -1 uses every core.")] = -1,
    backend: Annotated[str, typer.Option(help="joblib backend: loky, sequential, threading, dask or ray.")] = "loky",
    scheduler: Annotated[str | None, typer.Option(help="Address of the Dask scheduler or Ray head.")] = None,
    json: Annotated[Path | None, typer.Option(help="Also write the results to this file.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random rows and tokens.")] = 0,
) -> None:
    """Judge every verifier of the catalogue on every small tree, in exact arithmetic, against the sharp ceiling."""
    plan = Plan.default(max_nodes, split(patterns), split(only), seed)
    if json is not None:
        write_text(json, "{}\n")  # a path that cannot be written is found now, not after the sweep
    started = time.perf_counter()
    tallies, finished = _run(plan, Workers(jobs, backend, scheduler))
    seconds = time.perf_counter() - started
    screen = console()
    screen.print(report.verify_table(plan, tallies, screen.width))
    write(screen, report.counterexamples(tallies))
    if json is not None:
        write_text(json, report.verify_json(plan, tallies, finished, seconds))
    wrong = report.mismatches(tallies) if finished else []
    write(screen, report.verify_summary(plan, tallies, wrong, finished, seconds))
    if not finished:
        raise typer.Exit(INTERRUPTED)
    if wrong:
        raise typer.Exit(MISMATCH)


def _progress() -> Progress:
    """A bar on standard error with what is done and the time left; it leaves no trace."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console(stderr=True), transient=True)


def _run(plan: Plan, workers: Workers) -> tuple[Tallies, bool]:
    """Sweep with a progress bar; returns what is done, and whether that is all."""
    tallies: Tallies = {name: Tally() for name in plan.verifiers}
    work = plan.chunks()
    with _progress() as progress:
        task = progress.add_task("trees", total=sum(map(_weight, work)))
        try:
            for chunk, part in sweep(plan, workers):
                for name, tally in part.items():
                    tallies[name].merge(tally)
                progress.advance(task, _weight(chunk))
        except KeyboardInterrupt:
            return tallies, False
    return tallies, True


def _weight(chunk: Chunk) -> int:
    return chunk.problems


@app.command()
def law(
    file: Annotated[Path, typer.Argument(help="A problem: .json with fractions, or .npz with float rows.")],
    remaining: Annotated[int | None, typer.Option(help="Tokens that may still be emitted.")] = None,
    top: Annotated[int, typer.Option(help="Rows shown per table; the largest masses come first.")] = 40,
    svg: Annotated[Path | None, typer.Option(help="Also draw the tree with its exit law, as SVG.")] = None,
) -> None:
    """Print the ceiling, the canonical exit law, the length law and the loss ledger of one tree."""
    problem = read_problem(file)
    if svg is not None:
        draw.tree_picture(problem).write(svg)
    console().print(pages.law_page(problem, remaining, top), highlight=False)


@app.command()
def check(  # noqa: PLR0913, PLR0917  (the options of the command)
    target: Annotated[str, typer.Argument(help="The verifier: package.module:name or file.py:name.")],
    max_nodes: Annotated[
        int | None, typer.Option(help="Largest tree, root included. Default: 6; 4 where breakpoints are learned.")
    ] = None,
    patterns: Annotated[list[str] | None, typer.Option(help="Row patterns, as in verify. Default: by form.")] = None,
    chain: Annotated[str | None, typer.Option(help="The project's own chain verifier, to compare with.")] = None,
    seconds: Annotated[float, typer.Option(help="Time limit of one call.")] = 10.0,
    seed: Annotated[int, typer.Option(help="Seed of rows and tokens, or of the samples.")] = 0,
    json: Annotated[Path | None, typer.Option(help="Also write the report to this file.")] = None,
    problem: Annotated[Path | None, typer.Option(help="Monte Carlo: the tree, .json or .npz.")] = None,
    samples: Annotated[float | None, typer.Option(help="Monte Carlo: number of samples, such as 1e6.")] = None,
    alpha: Annotated[float, typer.Option(help="Monte Carlo: error rate, at any number of looks.")] = 1e-6,
    tv: Annotated[float | None, typer.Option(help="Monte Carlo: stop at this bound on total variation.")] = None,
    canonical: Annotated[
        bool, typer.Option(help="Monte Carlo: test for the canonical law, not only exactness.")
    ] = False,
    checkpoint: Annotated[Path | None, typer.Option(help="Monte Carlo: written at every look.")] = None,
    resume: Annotated[bool, typer.Option(help="Monte Carlo: go on from the checkpoint.")] = False,
    svg: Annotated[
        Path | None, typer.Option(help="Also draw the counterexample, or the tree with its faulty nodes, as SVG.")
    ] = None,
) -> None:
    """Judge YOUR verifier: exactly, on every small tree from the smallest up; or by Monte Carlo on one tree of any size.

    Exit status: 0 exact, 1 lossy or a fault, 2 misuse, 3 inconclusive. The report can be pasted in a thread.
    """
    if json is not None:
        write_text(json, "{}\n")
    if svg is not None:
        write_text(svg, draw.NOTHING.svg)
    page: RenderableType
    if samples is not None or problem is not None:
        options = SamplingOptions(samples, alpha, tv, canonical, seed, checkpoint, resume, svg)
        status, page, data = sample_check(load_target(target), problem, options, console(stderr=True))
    else:
        other = None if chain is None else load_subject(chain)
        with _progress() as progress:
            task = progress.add_task("trees")
            found = judge(
                load_subject(target),
                max_nodes=max_nodes,
                patterns=split(patterns),
                chain=other,
                seconds=seconds,
                seed=seed,
                on_tree=lambda done, there_are: progress.update(task, completed=done, total=there_are),
            )
        undecided = found.verdict is Verdict.INCONCLUSIVE
        status = 0 if found.is_exact else INCONCLUSIVE if undecided else MISMATCH
        page, data = pages.check_page(found), found.as_data()
        if svg is not None:
            draw.report_picture(found).write(svg)
    write(console(), page)
    if json is not None:
        write_text(json, dumps(data, indent=1) + "\n")
    if status:
        raise typer.Exit(status)


@app.command()
def prove(
    only: Annotated[list[str] | None, typer.Option(help="Statements or kinds of evidence. Default: all.")] = None,
    deep: Annotated[bool, typer.Option(help="Larger sizes.")] = False,
    json: Annotated[Path | None, typer.Option(help="Also write the evidence to this file.")] = None,
    markdown: Annotated[
        Path | None, typer.Option(help="Also replace the table in this document, between its evidence marks.")
    ] = None,
) -> None:
    """Gather the evidence for every claim of the theory: mechanised, symbolic, SMT, LP, exhaustive, by property.

    What a missing tool would show is "not run", never a pass. Exit status 0 only if nothing failed.
    """
    if json is not None:
        write_text(json, "{}\n")
    document = None if markdown is None else read_text(markdown)
    if document is not None:
        with_table(document, "", str(markdown))  # missing marks are found now, not after all the work
    results = run(split(only), deep)
    screen = console()
    screen.print(evidence_table(results))
    write(screen, report.evidence_summary(results))
    if json is not None:
        write_text(json, dumps(as_data(results), indent=1) + "\n")
    if markdown is not None and document is not None:
        write_text(markdown, with_table(document, markdown_table(results), str(markdown)))
    if any(entry.outcome == "failed" for entry in results):
        raise typer.Exit(MISMATCH)


@app.command()
def faults() -> None:
    """Print the kill table: the field's faults, shipped as faulty verifiers, and the check that finds each."""
    kills, controls = kill_table(), controls_table()
    screen = console()
    screen.print(kill_report(kills))
    alive = [kill.fault.id for kill in kills if not kill.expected]
    broken = [control.control.id for control in controls if not control.passed]
    write(screen, report.faults_summary(len(kills), alive, len(controls), broken))
    if alive or broken:
        raise typer.Exit(MISMATCH)


def _add_commands() -> None:
    """Add the commands of the other half, and of whoever else offers some under the same entry point."""
    for entry in entry_points(group="tevtheory.commands"):
        try:
            more: typer.Typer = entry.load()
        except Exception as error:  # whatever is wrong with a guest, the house stands
            typer.echo(f"warning: the commands of {entry.value} could not be loaded: {error!r}", err=True)
            continue
        app.registered_commands.extend(more.registered_commands)
        app.registered_groups.extend(more.registered_groups)


_add_commands()


def main(arguments: list[str] | None = None) -> None:
    """Entry point of the command; leaves through SystemExit."""
    try:
        try:
            app(args=arguments)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in _OPTIONAL:
                raise
            raise MissingDependency(f'this command needs {error.name}: pip install "tevtheory[gpu]"') from error
    except TevError as error:
        console(stderr=True).print(f"error: {error}", style="red", highlight=False, markup=False, soft_wrap=True)
        sys.exit(MISUSE)
