"""Drafters: what proposes the next tokens; the builders of `tevtheory.builders` make draft trees of it.

Names are loaded when first used, so that specifications can be read where torch is not installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tevtheory_gpu.lazy import lazily

if TYPE_CHECKING:
    from tevtheory_gpu.drafters.drafter import Drafter, MarginalDrafter, along_greedy_path
    from tevtheory_gpu.drafters.model_drafter import EarlyExit, ModelDrafter, SmallModel, TargetItself
    from tevtheory_gpu.drafters.path_pass import PathPass
    from tevtheory_gpu.drafters.prompt_lookup import PromptLookup
    from tevtheory_gpu.drafters.spec import DrafterSpec, load_drafter, read_spec
    from tevtheory_gpu.drafters.trees import TreeDrafting, check_budget, find_builder

_HOME = {
    "drafter": ["Drafter", "MarginalDrafter", "along_greedy_path"],
    "model_drafter": ["EarlyExit", "ModelDrafter", "SmallModel", "TargetItself"],
    "path_pass": ["PathPass"],
    "prompt_lookup": ["PromptLookup"],
    "spec": ["DrafterSpec", "load_drafter", "read_spec"],
    "trees": ["TreeDrafting", "check_budget", "find_builder"],
}

__all__ = [
    "Drafter",
    "DrafterSpec",
    "EarlyExit",
    "MarginalDrafter",
    "ModelDrafter",
    "PathPass",
    "PromptLookup",
    "SmallModel",
    "TargetItself",
    "TreeDrafting",
    "along_greedy_path",
    "check_budget",
    "find_builder",
    "load_drafter",
    "read_spec",
]

__getattr__, __dir__ = lazily(__name__, _HOME)
