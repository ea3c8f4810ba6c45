"""Drafters by name: "early-exit:6", "model:NAME", "lookup:3"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tevtheory.errors import InputError

if TYPE_CHECKING:
    from tevtheory_gpu.drafters.drafter import Drafter
    from tevtheory_gpu.targets import LanguageModel, Sampling

_FORMS = "early-exit:LAYERS, model:NAME or lookup:N"


@dataclass(frozen=True)
class DrafterSpec:
    """What a drafter's name says: its kind and a number, or the name of a model."""

    kind: Literal["early-exit", "model", "lookup"]
    number: int = 0
    model: str = ""


def read_spec(text: str) -> DrafterSpec:
    """Read a drafter's name; raises InputError where it has no such form.

    >>> read_spec("early-exit:6")
    DrafterSpec(kind='early-exit', number=6, model='')
    """
    kind, _, rest = text.partition(":")
    if kind == "model" and rest:
        return DrafterSpec("model", model=rest)
    if kind in ("early-exit", "lookup") and rest.isdecimal() and int(rest) >= 1:
        return DrafterSpec("early-exit" if kind == "early-exit" else "lookup", int(rest))
    raise InputError(_FORMS, repr(text), "drafter", "write for example lookup:3")


def load_drafter(text: str, target: LanguageModel, sampling: Sampling) -> Drafter:
    """The drafter of that name for a target; another model is loaded in the target's number type, on its device."""
    from tevtheory_gpu.drafters.model_drafter import EarlyExit, SmallModel
    from tevtheory_gpu.drafters.prompt_lookup import PromptLookup
    from tevtheory_gpu.targets import load_target

    spec = read_spec(text)
    if spec.kind == "lookup":
        return PromptLookup(target.vocabulary, spec.number)
    if spec.kind == "early-exit":
        return EarlyExit(target, spec.number, sampling)
    return SmallModel(target, load_target(spec.model, target.dtype, target.device), sampling)
