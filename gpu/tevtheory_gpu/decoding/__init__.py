"""Decoding: draft a tree, score it, verify it, commit the block, until the text ends.

Names are loaded when first used, so that the command can be listed where torch is not installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tevtheory_gpu.lazy import lazily

if TYPE_CHECKING:
    from tevtheory_gpu.decoding.deciding import Decide, Turn, by_batched, by_scalar, uniform_at
    from tevtheory_gpu.decoding.generation import Block, Generation, Stop
    from tevtheory_gpu.decoding.loop import Drafting, Limits, decode, pruned
    from tevtheory_gpu.decoding.model import Options, generate
    from tevtheory_gpu.decoding.plain import plain_decode
    from tevtheory_gpu.decoding.runs import ModelRun, Run, ToyRun
    from tevtheory_gpu.decoding.stages import Clock, peak_memory
    from tevtheory_gpu.decoding.text import TextStream

_HOME = {
    "deciding": ["Decide", "Turn", "by_batched", "by_scalar", "uniform_at"],
    "generation": ["Block", "Generation", "Stop"],
    "loop": ["Drafting", "Limits", "decode", "pruned"],
    "model": ["Options", "generate"],
    "plain": ["plain_decode"],
    "runs": ["ModelRun", "Run", "ToyRun"],
    "stages": ["Clock", "peak_memory"],
    "text": ["TextStream"],
}

__all__ = [
    "Block",
    "Clock",
    "Decide",
    "Drafting",
    "Generation",
    "Limits",
    "ModelRun",
    "Options",
    "Run",
    "Stop",
    "TextStream",
    "ToyRun",
    "Turn",
    "by_batched",
    "by_scalar",
    "decode",
    "generate",
    "peak_memory",
    "plain_decode",
    "pruned",
    "uniform_at",
]

__getattr__, __dir__ = lazily(__name__, _HOME)
