"""The cache of converted models: one folder a model, which appears whole or not at all."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tevtheory.errors import InputError, MissingDependency
from tevtheory_gpu.targets.named import NamedModel

VARIABLE = "TEVTHEORY_CACHE"
PROVENANCE = "tevtheory.json"
_PARTIAL = ".partial-"
_DAY = 86_400


def need(module: str) -> Any:
    """Import an optional package; raises MissingDependency that says how to install it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise MissingDependency(f'{error.name} is not installed; pip install "tevtheory[gpu]"') from error


def cache_folder() -> Path:
    """Where models are kept: the environment variable TEVTHEORY_CACHE, or the user's cache folder."""
    if given := os.environ.get(VARIABLE):
        return Path(given)
    return Path(need("platformdirs").user_cache_dir("tevtheory"))


def model_folder(model: NamedModel) -> Path:
    """The folder of a named model's converted weights, cached or not."""
    return cache_folder() / "models" / model.name


def is_cached(model: NamedModel) -> bool:
    """Whether the converted weights are there, from the very file that the catalogue names."""
    try:
        found = json.loads((model_folder(model) / PROVENANCE).read_text())
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("sha256") == model.sha256


@contextmanager
def partial_folder() -> Iterator[Path]:
    """A folder inside the cache that is gone afterwards, whatever happens; what a killed process left is swept up."""
    models = cache_folder() / "models"
    try:
        models.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        remedy = f"set {VARIABLE} to a folder that can be written"
        raise InputError("a cache folder", f"{error}", str(models), remedy) from error
    for left in models.glob(f"{_PARTIAL}*"):
        if time.time() - left.stat().st_mtime > _DAY:
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=_PARTIAL, dir=models) as folder:
        yield Path(folder)


def publish(folder: Path, model: NamedModel) -> Path:
    """Rename a finished folder to its place in the cache; another process that was quicker has done the same work."""
    place = model_folder(model)
    if place.exists() and not is_cached(model):  # from an older catalogue
        shutil.rmtree(place)
    try:
        os.replace(folder, place)
    except OSError:
        if not is_cached(model):
            raise
    return place
