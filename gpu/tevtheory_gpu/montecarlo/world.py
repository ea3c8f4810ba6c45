"""Processes: one, or those that torchrun started; counts are added up over all of them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, distributed

from tevtheory.errors import InputError


@dataclass(frozen=True)
class World:
    """The processes of a run: this one's rank, and how many there are."""

    rank: int = 0
    size: int = 1

    @classmethod
    def join(cls, device: str) -> World:
        """Join the processes that torchrun started (gloo on CPUs, nccl on GPUs); alone where it started none.

        Raises InputError where the processes cannot reach each other.
        """
        size = int(os.environ.get("WORLD_SIZE", "1"))
        if size == 1:
            return cls()
        try:
            if device.startswith("cuda"):
                torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
            distributed.init_process_group("nccl" if device.startswith("cuda") else "gloo")
        except (ValueError, RuntimeError) as error:
            got = str(error).splitlines()[0]
            raise InputError(f"{size} processes", got, "torch.distributed", "start them with torchrun") from None
        return cls(distributed.get_rank(), size)

    def leave(self) -> None:
        """Say goodbye to the other processes."""
        if self.size > 1:
            distributed.destroy_process_group()

    @property
    def leads(self) -> bool:
        """Whether this process speaks and writes."""
        return self.rank == 0

    def share(self, value: Any) -> Any:
        """The first process's value, in all of them."""
        if self.size == 1:
            return value
        box = [value]
        distributed.broadcast_object_list(box, src=0)
        return box[0]

    def add_up(self, counts: Tensor) -> None:
        """Add up the counts of all processes, in place."""
        if self.size > 1:
            distributed.all_reduce(counts)
