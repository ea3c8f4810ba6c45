"""Where the time and the memory go."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch

STAGES = ("draft", "target", "verify", "commit")


class Clock:
    """Seconds per stage of one call; a CUDA device is waited for at both ends of a stage.

    >>> clock = Clock("cpu")
    >>> with clock.stage("draft"):
    ...     pass
    >>> list(clock.seconds), clock.seconds["target"]
    (['draft', 'target', 'verify', 'commit'], 0.0)
    """

    def __init__(self, device: str = "cpu") -> None:
        self._device = torch.device(device)
        self.seconds = dict.fromkeys(STAGES, 0.0)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of a block of code to a stage."""
        self._wait()
        started = time.perf_counter()
        yield
        self._wait()
        self.seconds[name] += time.perf_counter() - started

    def _wait(self) -> None:
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)


def reset_peak(device: str) -> None:
    """Begin to measure the peak of a CUDA device; a process's own peak cannot be reset."""
    if torch.device(device).type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)


def peak_memory(device: str) -> int | None:
    """Peak bytes: allocated on a CUDA device, resident in this process on a CPU; None where the system does not say."""
    if torch.device(device).type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
