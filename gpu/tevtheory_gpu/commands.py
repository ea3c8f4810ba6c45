"""The commands of the torch half, added to the one `tevtheory` command; nothing here imports torch."""

from __future__ import annotations

import os

import typer

from tevtheory_gpu.generate_command import generate
from tevtheory_gpu.model_commands import app as models
from tevtheory_gpu.montecarlo_command import montecarlo

# Before torch is loaded: threads that spin while they wait slow each other down tenfold where cores are shared.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

app = typer.Typer()
app.command()(montecarlo)
app.command()(generate)
app.add_typer(models, name="models")
