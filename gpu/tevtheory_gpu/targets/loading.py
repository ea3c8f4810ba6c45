"""Loading a target: a named model, a folder, a GGUF file, or a name on the hub."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

from tevtheory.errors import InputError
from tevtheory_gpu.targets import memory
from tevtheory_gpu.targets.cache import is_cached, model_folder
from tevtheory_gpu.targets.language_model import LanguageModel
from tevtheory_gpu.targets.named import MODELS
from tevtheory_gpu.targets.offline import offline

_TYPES = ("float32", "bfloat16", "float16", "float64")
_SMALLER = "take a smaller model, or dtype bfloat16"


def load_target(spec: str, dtype: str = "float32", device: str = "cpu") -> LanguageModel:
    """Load a language model; no code that comes with weights is run, and pickled weights are refused.

    `spec` is a named model that is in the cache (`tevtheory models get NAME`), a local Hugging Face folder, a .gguf file,
    or a hub name such as owner/model where there is a network. Raises InputError where it is none of these, cannot be
    read, or does not fit in memory.
    """
    if dtype not in _TYPES:
        raise InputError(f"one of {', '.join(_TYPES)}", repr(dtype), "dtype", "lossless tests need float32")
    _check_device(device)
    path = Path(spec).expanduser()
    if (named := next((model for model in MODELS if model.name == spec), None)) is not None:
        if not is_cached(named):
            raise InputError("a model in the cache", "nothing there", spec, f"run: tevtheory models get {spec}")
        model, tokenizer = _from_folder(model_folder(named), dtype, device)
    elif path.is_dir():
        model, tokenizer = _from_folder(path, dtype, device)
    elif path.is_file() and path.suffix == ".gguf":
        model, tokenizer = _from_gguf(path, dtype, device)
    elif re.fullmatch(r"[\w-][\w.-]*/[\w.-]+", spec) and path.suffix != ".gguf":
        model, tokenizer = _pretrained(spec, dtype, local=False)
    else:
        names = ", ".join(model.name for model in MODELS)
        expected = f"a named model ({names}), a folder, a .gguf file or a hub name owner/model"
        raise InputError(expected, repr(spec), "target", "check the spelling and the path")
    with memory.told(f"{spec} on {device}", _held(model), _SMALLER):
        return LanguageModel.of(spec, model.to(device), tokenizer)


def _check_device(device: str) -> None:
    try:
        kind = torch.device(device).type
    except RuntimeError as error:
        raise InputError("a device such as cpu or cuda:0", repr(device), "device", "correct it") from error
    if kind == "cuda" and not torch.cuda.is_available():
        raise InputError("a CUDA device", "none on this machine", f"device {device!r}", "use device cpu")


def _held(model: Any) -> int:
    return sum(parameter.numel() * parameter.element_size() for parameter in model.parameters())


def _from_folder(folder: Path, dtype: str, device: str) -> tuple[Any, Any]:
    where, wanted = str(folder), memory.weight_bytes(folder, dtype)
    memory.check_room(where, wanted, device, _SMALLER)
    with offline(), _no_bar(), memory.told(where, wanted, _SMALLER):
        return _pretrained(where, dtype, local=True)


@contextlib.contextmanager
def _no_bar() -> Iterator[None]:
    """Loading from a disk takes a second and needs no progress bar."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _pretrained(source: str, dtype: str, local: bool) -> tuple[Any, Any]:
    alike = {"trust_remote_code": False, "local_files_only": local}
    try:
        tokenizer = None
        if not local or _has_tokenizer(Path(source)):
            tokenizer = AutoTokenizer.from_pretrained(source, **alike)
        number = getattr(torch, dtype)
        model = AutoModelForCausalLM.from_pretrained(source, dtype=number, use_safetensors=True, **alike)
    except (OSError, ValueError, KeyError) as error:
        remedy = "check the folder's config.json and safetensors" if local else "check the name and the network"
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError("a causal language model in safetensors", said, source, remedy) from error
    return model, tokenizer


def _has_tokenizer(folder: Path) -> bool:
    return any((folder / name).exists() for name in ("tokenizer.json", "tokenizer_config.json", "tokenizer.model"))


def _from_gguf(file: Path, dtype: str, device: str) -> tuple[Any, Any]:
    from tevtheory_gpu.targets.conversion import read_gguf

    weights = read_gguf(file)
    number = getattr(torch, dtype)
    wanted = sum(tensor.numel() for tensor in weights.tensors.values()) * number.itemsize
    memory.check_room(str(file), wanted, device, _SMALLER)
    with memory.told(str(file), wanted, _SMALLER):
        model = AutoModelForCausalLM.from_config(weights.config, dtype=number)
        tensors = {name: weights.tensors.pop(name).to(number) for name in list(weights.tensors)}
        model.load_state_dict(tensors, strict=False, assign=True)  # complete: read_gguf has checked
        model.tie_weights()
    return model, weights.tokenizer
