"""From a name to converted weights in the cache: download, check, convert, and rename into place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tevtheory_gpu.targets.cache import PROVENANCE, is_cached, model_folder, need, partial_folder, publish
from tevtheory_gpu.targets.named import NamedModel
from tevtheory_gpu.targets.packages import Download, Step, assemble, pip_download

Convert = Callable[[Path, Path, NamedModel], None]
"""Turns a GGUF file into a folder of safetensors, configuration and tokenizer."""


def get_model(
    model: NamedModel,
    download: Download = pip_download,
    convert: Convert | None = None,
    step: Step = lambda _: None,
) -> Path:
    """The folder of a named model's converted weights, made first where it is not cached.

    `step` is told what is being done. The downloaded file is removed after conversion. Raises InputError where the
    download fails or gives other bytes than the catalogue's, MissingDependency where the extra is not installed; the
    cache is then as it was before.
    """
    if is_cached(model):
        return model_folder(model)
    convert = convert or _conversion()  # a missing package is found before the download
    with partial_folder() as partial:
        gguf = assemble(model, partial, download, step)
        step("converting to safetensors")
        done = partial / "converted"
        done.mkdir()
        convert(gguf, done, model)
        (done / PROVENANCE).write_text(json.dumps(_provenance(model), indent=1) + "\n")
        return publish(done, model)


def _conversion() -> Convert:
    for module in ("torch", "transformers", "gguf", "safetensors"):
        need(module)
    from tevtheory_gpu.targets.conversion import convert

    return convert


def _provenance(model: NamedModel) -> dict[str, object]:
    return {
        "name": model.name,
        "sha256": model.sha256,
        "packages": [part.requirement for part in model.parts],
        "licence": model.licence,
    }
