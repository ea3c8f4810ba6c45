"""The record of a generation: what each call drafted, could expect and gave."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

from tevtheory_gpu.decoding.stages import STAGES


class Stop(Enum):
    """Why a text ended."""

    END = "end of text"
    LENGTH = "length"
    CONTEXT = "context full"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Block:
    """One call: the tokens it gave, the nodes scored (root included), and 1 + coverage of what could still be emitted.

    `ceiling` is E[length] of a canonical verifier on this tree: nodes of end-of-text tokens do not count, and nothing
    beyond the last token that may be emitted does. `seconds` are per stage; `stop` says that, and why, it is the last.
    """

    tokens: tuple[int, ...]
    nodes: int
    depth: int
    ceiling: Any
    seconds: dict[str, float]
    stop: Stop | None = None
    text: str = ""


@dataclass(frozen=True)
class Difference:
    """The mean over calls of length - ceiling, and its standard error (None for fewer than two calls)."""

    mean: float
    error: float | None

    def __str__(self) -> str:
        return f"{self.mean:+.3f}" + ("" if self.error is None else f" ± {self.error:.3f}")


@dataclass(frozen=True)
class Generation:
    """A generated text: the prefix, one block or more, ties met at temperature 0, and the peak of memory in bytes."""

    prefix: tuple[int, ...]
    blocks: tuple[Block, ...]
    ties: int = 0
    peak_bytes: int | None = None

    @property
    def tokens(self) -> tuple[int, ...]:
        """The new tokens, the end of the text included."""
        return tuple(token for block in self.blocks for token in block.tokens)

    @property
    def stop(self) -> Stop:
        """Why the text ended; where the last block does not say, it was interrupted."""
        return self.blocks[-1].stop or Stop.INTERRUPTED

    @property
    def text(self) -> str:
        """The pieces of text together."""
        return "".join(block.text for block in self.blocks)

    @property
    def tokens_per_call(self) -> float:
        """All tokens over all calls."""
        return len(self.tokens) / len(self.blocks)

    @property
    def ceiling_per_call(self) -> float:
        """The mean of 1 + coverage over the calls."""
        return float(sum(block.ceiling for block in self.blocks)) / len(self.blocks)

    @property
    def difference(self) -> Difference:
        """Paired: length - ceiling of each call. Its expectation is 0 for a canonical verifier, -regret for an exact one.

        Given the past, each difference has mean 0, so that they are uncorrelated and the standard error is the usual one.
        """
        gaps = [len(block.tokens) - float(block.ceiling) for block in self.blocks]
        mean = sum(gaps) / len(gaps)
        if len(gaps) < 2:
            return Difference(mean, None)
        spread = sum((gap - mean) ** 2 for gap in gaps) / (len(gaps) - 1)
        return Difference(mean, math.sqrt(spread / len(gaps)))

    @property
    def stage_seconds(self) -> dict[str, float]:
        """Seconds per stage, all calls together."""
        return {stage: sum(block.seconds[stage] for block in self.blocks) for stage in STAGES}

    def as_data(self) -> dict[str, Any]:
        """Everything as plain data for JSON."""
        return {
            "prefix": list(self.prefix),
            "tokens": list(self.tokens),
            "text": self.text,
            "stop": self.stop.value,
            "calls": len(self.blocks),
            "tokens_per_call": self.tokens_per_call,
            "ceiling_per_call": self.ceiling_per_call,
            "difference": self.difference.mean,
            "difference_standard_error": self.difference.error,
            "ties": self.ties,
            "peak_bytes": self.peak_bytes,
            "seconds": self.stage_seconds,
            "blocks": [_block_data(block) for block in self.blocks],
        }


def _block_data(block: Block) -> dict[str, Any]:
    return {
        "tokens": list(block.tokens),
        "text": block.text,
        "nodes": block.nodes,
        "depth": block.depth,
        "ceiling": float(block.ceiling),
        "seconds": block.seconds,
    }
