"""From GGUF to a Hugging Face folder: de-quantise once, load quickly ever after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

from tevtheory.errors import InputError
from tevtheory_gpu.targets.named import NamedModel
from tevtheory_gpu.targets.offline import offline

_HEAD, _EMBEDDING = "lm_head.weight", "model.embed_tokens.weight"


@dataclass(frozen=True)
class Weights:
    """What a GGUF file holds: `tensors` by the model's own names in float32, the configuration and the tokenizer."""

    config: Any
    tensors: dict[str, Any]
    tokenizer: Any


def read_gguf(file: Path) -> Weights:
    """De-quantise a GGUF file; runs no code of the file's.

    Raises InputError where it is no GGUF file, its architecture is unknown, or a tensor is missing or misshapen.
    """
    where = str(file)
    try:
        with offline():
            config = AutoConfig.from_pretrained(file.parent, gguf_file=file.name, local_files_only=True)
            tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name, local_files_only=True)
            with torch.device("meta"):
                skeleton = AutoModelForCausalLM.from_config(config)
            # The loader of tensors, not from_pretrained: that one needs accelerate, and its model cannot be saved.
            tensors = load_gguf_checkpoint(str(file), return_tensors=True, model_to_load=skeleton)["tensors"]
    except (OSError, ValueError, KeyError, IndexError, NotImplementedError) as error:
        remedy = "give a GGUF file of a causal language model that transformers knows"
        raise InputError("a readable GGUF file", f"{type(error).__name__}: {error}", where, remedy) from error
    if hasattr(config, "quantization_config"):
        del config.quantization_config  # the tensors are no longer quantised
    config.architectures = [type(skeleton).__name__]
    _check_complete(tensors, skeleton, where)
    return Weights(config, tensors, tokenizer)


def _check_complete(tensors: dict[str, Any], skeleton: Any, where: str) -> None:
    wanted = {name: tuple(tensor.shape) for name, tensor in skeleton.state_dict().items()}
    if skeleton.config.tie_word_embeddings:
        wanted.pop(_HEAD, None)
    got = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    if wrong := sorted(name for name in wanted.keys() | got.keys() if wanted.get(name) != got.get(name)):
        name = wrong[0]
        expected = f"{name} of shape {wanted.get(name, 'no such tensor')}"
        raise InputError(expected, f"{got.get(name, 'none')}", where, "give a complete GGUF file of this architecture")


def retie(weights: Weights) -> None:
    """Use the head as the embedding too, in a model whose file holds the two at different precision."""
    if _HEAD in weights.tensors:
        weights.tensors[_EMBEDDING] = weights.tensors.pop(_HEAD)
    weights.config.tie_word_embeddings = True


def convert(gguf: Path, folder: Path, model: NamedModel) -> None:
    """Write safetensors, config.json and the tokenizer's files of a named model into an existing folder."""
    weights = read_gguf(gguf)
    if model.retied:
        retie(weights)
    number = getattr(torch, model.stored)
    tensors = {name: weights.tensors.pop(name).to(number).contiguous() for name in list(weights.tensors)}
    weights.config.dtype = number
    weights.config.name_or_path = model.name
    weights.config.save_pretrained(folder)
    weights.tokenizer.save_pretrained(folder)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
