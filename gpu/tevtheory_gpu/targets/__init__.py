"""Target models: named weights and their cache, loading, the tree pass, and processed rows.

Names are loaded when first used, so that the catalogue of named models can be read where torch is not installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tevtheory_gpu.lazy import lazily

if TYPE_CHECKING:
    from tevtheory_gpu.targets.cache import cache_folder, is_cached
    from tevtheory_gpu.targets.getting import get_model
    from tevtheory_gpu.targets.language_model import LanguageModel, same_tokenizer, tiny_target
    from tevtheory_gpu.targets.loading import load_target
    from tevtheory_gpu.targets.named import MODELS, NamedModel, named_model
    from tevtheory_gpu.targets.processing import Sampling, float64_rows, target_tree
    from tevtheory_gpu.targets.tree_pass import TreePass, path_logits

_HOME = {
    "cache": ["cache_folder", "is_cached"],
    "getting": ["get_model"],
    "language_model": ["LanguageModel", "same_tokenizer", "tiny_target"],
    "loading": ["load_target"],
    "named": ["MODELS", "NamedModel", "named_model"],
    "processing": ["Sampling", "float64_rows", "target_tree"],
    "tree_pass": ["TreePass", "path_logits"],
}

__all__ = [
    "MODELS",
    "LanguageModel",
    "NamedModel",
    "Sampling",
    "TreePass",
    "cache_folder",
    "float64_rows",
    "get_model",
    "is_cached",
    "load_target",
    "named_model",
    "path_logits",
    "same_tokenizer",
    "target_tree",
    "tiny_target",
]

__getattr__, __dir__ = lazily(__name__, _HOME)
