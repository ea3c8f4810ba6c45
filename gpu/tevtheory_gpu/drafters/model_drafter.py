"""Drafters that are language models: the target's first layers, a smaller model, or the target itself."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch.nn import ModuleList

from tevtheory.builders import Draft
from tevtheory.errors import InputError
from tevtheory.rows import FloatRow, Row
from tevtheory.targets import Prefix
from tevtheory_gpu.drafters.path_pass import PathPass
from tevtheory_gpu.targets import LanguageModel, Sampling, same_tokenizer


class ModelDrafter:
    """A language model as a drafter, its logits processed as the target's are.

    Temperature 0 is read as temperature 1: the order of the model's tokens stays the same, and its second choices remain
    worth drafting. Rows have `vocabulary` entries, whatever the width of the model's logits. The cache is kept between
    calls.

    >>> from tevtheory_gpu.targets import tiny_target
    >>> draft = ModelDrafter(tiny_target(vocabulary=10)).start([1, 2, 3])
    >>> len(draft([()])[0]), len(draft([(4,), (5,)]))
    (10, 2)
    """

    def __init__(self, model: LanguageModel, sampling: Sampling = Sampling(), vocabulary: int | None = None) -> None:
        self.model, self.sampling, self.vocabulary = model, sampling, vocabulary or model.vocabulary
        self._run = PathPass(model)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def start(self, prefix_ids: Sequence[int]) -> Draft:
        """The draft after a prefix: one forward per level, over that level's paths only."""
        self._run.restart(prefix_ids)
        return self._rows

    def _rows(self, paths: Sequence[Prefix]) -> Sequence[Row]:
        logits = self._run.logits(paths)[:, : self.vocabulary]
        ids = torch.tensor([[*self._run.prefix, *path] for path in paths], device=logits.device)
        rows = torch.softmax(self._processed(ids, logits).double(), dim=-1)
        padded = torch.nn.functional.pad(rows, (0, self.vocabulary - rows.shape[1]))
        return [FloatRow(row) for row in padded.cpu().numpy()]

    def _processed(self, ids: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = self.sampling.processors()(ids, logits)
        return scores


class EarlyExit(ModelDrafter):
    """The target's own first layers, final norm and head (a logit lens); nothing is trained and no weight is copied.

    Raises InputError unless 1 <= layers < the target's number of layers, and on models that keep their layers elsewhere
    than Llama does.

    >>> from tevtheory_gpu.targets import tiny_target
    >>> EarlyExit(tiny_target(layers=3), 2).name
    'early exit after layer 2 of 3'
    """

    def __init__(self, target: LanguageModel, layers: int, sampling: Sampling = Sampling()) -> None:
        super().__init__(first_layers(target, layers), sampling)


class SmallModel(ModelDrafter):
    """A smaller model that reads and writes the target's token ids; raises InputError where it does not."""

    def __init__(self, target: LanguageModel, drafter: LanguageModel, sampling: Sampling = Sampling()) -> None:
        same_tokenizer(target, drafter)
        super().__init__(drafter, sampling, target.vocabulary)


class TargetItself(ModelDrafter):
    """The target as its own drafter: its processed rows, those of temperature 0 included, for the oracle tree."""

    def _processed(self, ids: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
        scores = super()._processed(ids, logits)
        if self.sampling.temperature:
            return scores
        lowest = scores.argmax(-1, keepdim=True)
        return torch.full_like(scores, -torch.inf).scatter(-1, lowest, 0.0)


def first_layers(target: LanguageModel, layers: int) -> LanguageModel:
    """The model that ends after some layers; it shares the target's modules."""
    stack = getattr(getattr(target.model, "model", None), "layers", None)
    if not isinstance(stack, ModuleList):
        remedy = "use another drafter, such as lookup:3"
        raise InputError("layers at model.layers, as in Llama", "none", f"early exit of {target.name}", remedy)
    if not 1 <= layers < len(stack):
        remedy = "a drafter leaves out at least one layer"
        raise InputError(f"layers in 1..{len(stack) - 1}", str(layers), f"early exit of {target.name}", remedy)
    config = copy.deepcopy(target.model.config)
    config.num_hidden_layers = layers
    if kinds := getattr(config, "layer_types", None):
        config.layer_types = list(kinds)[:layers]
    inner = _twin(target.model.model, config, layers=ModuleList(list(stack)[:layers]))
    whole = _twin(target.model, config, model=inner)
    return replace(target, name=f"early exit after layer {layers} of {len(stack)}", model=whole)


def _twin(module: Any, config: Any, **modules: Any) -> Any:
    """A shallow copy of a module with another configuration and some other submodules."""
    twin = copy.copy(module)
    twin.__dict__["_modules"] = {**module._modules, **modules}
    twin.__dict__["config"] = config
    return twin
