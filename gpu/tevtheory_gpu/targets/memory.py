"""Errors for memory that runs out: they say how much was wanted."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from tevtheory.errors import InputError

_WIDTHS = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2, "I16": 2}
_SAID = ("out of memory", "not enough memory", "can't allocate memory", "cannot allocate memory")


@contextmanager
def told(where: str, wanted: int, remedy: str) -> Iterator[None]:
    """Turn an allocator's error into one that says how many bytes the whole job wanted."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:  # torch's own out-of-memory error is a RuntimeError
        if isinstance(error, RuntimeError) and not any(text in str(error).lower() for text in _SAID):
            raise
        raise InputError(f"about {in_words(wanted)} of memory", "less than that free", where, remedy) from error


def check_room(where: str, wanted: int, device: str, remedy: str) -> None:
    """Refuse what can never fit; a kernel that overcommits would end the process without a word."""
    there_is = room(device)
    if there_is is not None and wanted > there_is:
        raise InputError(f"about {in_words(wanted)} of memory", f"{in_words(there_is)} in all", where, remedy)


def room(device: str) -> int | None:
    """Bytes of memory that a device has in all; None where the system does not say."""
    if torch.device(device).type == "cuda":
        return int(torch.cuda.mem_get_info(device)[1])
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def in_words(count: float) -> str:
    """A number of bytes as text.

    >>> in_words(3 * 2**29), in_words(1000)
    ('1.5 GiB', '1.0 KiB')
    """
    for unit in ("KiB", "MiB", "GiB"):
        count /= 1024
        if count < 1000 or unit == "GiB":
            break
    return f"{count:,.1f} {unit}"


def weight_bytes(folder: Path, dtype: str) -> int:
    """Bytes that the weights of a folder need in a number type, from the headers of its safetensors files."""
    width = torch.empty(0, dtype=getattr(torch, dtype)).element_size()
    return sum(_bytes(file, width) for file in folder.glob("*.safetensors"))


def _bytes(file: Path, width: int) -> int:
    with file.open("rb") as source:
        header = json.loads(source.read(int.from_bytes(source.read(8), "little")))
    tensors = [entry for name, entry in header.items() if name != "__metadata__"]
    return sum(
        (entry["data_offsets"][1] - entry["data_offsets"][0]) * width // _WIDTHS.get(entry["dtype"], 1)
        for entry in tensors
    )
