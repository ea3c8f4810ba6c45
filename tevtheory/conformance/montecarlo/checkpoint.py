"""Checkpoints: one npz file per run, replaced as a whole at every look."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tevtheory.conformance.montecarlo.bounds import NO_BOUND, Bound
from tevtheory.conformance.montecarlo.counts import NOTHING, Counts, Ints
from tevtheory.conformance.montecarlo.nulls import Null
from tevtheory.errors import InputError

_FORMAT = "tevtheory Monte Carlo checkpoint 1"
_ARRAYS = ("seen_codes", "seen_counts", "completed_codes", "completed_counts", "pairs", "places", "bound")


@dataclass(frozen=True, eq=False)
class State:
    """All that a run knows after a look: how many looks and blocks it took, the counts, and the best bound so far.

    `pairs` has shape (groups, groups), or (0, 0) where only counts are drawn.
    """

    looks: int
    blocks: int
    seen: Counts
    completed: Counts
    pairs: Ints
    bound: Bound

    @classmethod
    def start(cls, groups: int) -> State:
        """Nothing drawn yet."""
        return cls(0, 0, NOTHING, NOTHING, np.zeros((groups, groups), dtype=np.int64), NO_BOUND)


def fingerprint(null: Null) -> str:
    """SHA-256 of the tree and the rows.

    >>> from tevtheory.examples import C2
    >>> len(fingerprint(Null.of(C2)))
    64
    """
    tree = null.target.tree
    digest = hashlib.sha256(json.dumps([tree.parents, tree.tokens, null.vocabulary]).encode())
    digest.update(null.rows.p.tobytes())
    return digest.hexdigest()


def save(path: Path, state: State, run: dict[str, Any]) -> None:
    """Write a checkpoint so that a reader sees the old one or the new one, never half of it."""
    arrays = {
        "seen_codes": state.seen.codes,
        "seen_counts": state.seen.counts,
        "completed_codes": state.completed.codes,
        "completed_counts": state.completed.counts,
        "pairs": state.pairs,
        "places": np.array([state.looks, state.blocks, state.bound.samples], dtype=np.int64),
        "bound": np.array([state.bound.value]),
        "run": np.array(json.dumps({"format": _FORMAT, "bound": state.bound.name, **run})),
    }
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError("a folder to write in", str(error), f"checkpoint {path}", "choose another path") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            np.savez(stream, allow_pickle=False, **arrays)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def load(path: Path, run: dict[str, Any]) -> State:
    """Read the checkpoint of this very run; raises InputError on any other file, which stays as it is."""
    where = f"checkpoint {path}"
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            have = {name: arrays[name] for name in _ARRAYS}
            about = json.loads(str(arrays["run"]))
            state = _state(have, about)
    except (ValueError, OSError, EOFError, KeyError, TypeError, IndexError, zipfile.BadZipFile, zlib.error) as error:
        remedy = "choose another path, or remove the file yourself"
        raise InputError("a checkpoint written by montecarlo", str(error) or "another file", where, remedy) from None
    expected = {"format": _FORMAT, **run}
    differ = [f"{key} {about.get(key)!r}, not {value!r}" for key, value in expected.items() if about.get(key) != value]
    if differ:
        remedy = "continue with the same settings, or choose another path"
        raise InputError("the checkpoint of this run", "; ".join(differ), where, remedy)
    return state


def _state(have: dict[str, Any], about: dict[str, Any]) -> State:
    for name in _ARRAYS:
        if have[name].dtype != (np.float64 if name == "bound" else np.int64):
            raise ValueError(f"{name} has {have[name].dtype} entries")
    looks, blocks, samples = have["places"].tolist()
    (value,) = have["bound"].tolist()
    seen = Counts(have["seen_codes"], have["seen_counts"])
    completed = Counts(have["completed_codes"], have["completed_counts"])
    if seen.total != completed.total:
        raise ValueError("the counts do not agree")
    return State(looks, blocks, seen, completed, have["pairs"], Bound(value, str(about["bound"]), samples))
