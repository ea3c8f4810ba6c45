"""Cases: a draft tree with the target's rows at every node, where it came from, and its files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tevtheory.errors import InputError
from tevtheory.exitlaw import ceiling
from tevtheory.interop.files import read_npz, write_npz, write_text
from tevtheory.targets import Problem, TargetTree


@dataclass(frozen=True, eq=False)
class Case:
    """A target tree to judge verifiers on.

    `origin` says how it was made, `words` is the text of each node's token ("" at the root; empty without a tokenizer).
    """

    name: str
    domain: str
    target: TargetTree
    origin: Mapping[str, Any]
    words: tuple[str, ...] = ()

    @property
    def ceiling(self) -> float:
        """1 + coverage."""
        return float(ceiling(self.target))

    def path(self, node: int) -> str:
        """The text of the path to a node, or its tokens."""
        ancestors = list(self.target.tree.ancestors(node))[-2::-1]
        if not self.words:
            return str(list(self.target.tree.path(node)))
        return repr("".join(self.words[v] for v in ancestors))

    def save(self, folder: Path) -> None:
        """Write NAME.npz (a problem file) and NAME.json, each as a whole."""
        write_npz(Problem(self.target), folder / f"{self.name}.npz")
        about = {"name": self.name, "domain": self.domain, "words": self.words, "origin": dict(self.origin)}
        write_text(folder / f"{self.name}.json", json.dumps(about, indent=1) + "\n")

    @classmethod
    def load(cls, folder: Path, name: str, origin: Mapping[str, Any]) -> Case | None:
        """Read a case that was made in the same way; None where there is none; raises InputError on another one."""
        file = folder / f"{name}.json"
        if not file.exists():
            return None
        about = json.loads(file.read_text(encoding="utf-8"))
        if about["origin"] != json.loads(json.dumps(dict(origin))):
            differ = [key for key in origin if about["origin"].get(key) != json.loads(json.dumps(origin[key]))]
            got = f"another {', '.join(differ) or 'origin'}"
            raise InputError("trees of this very run", got, str(file), "use the same options, or another folder")
        target = read_npz(folder / f"{name}.npz").target
        return cls(name, about["domain"], target, origin, tuple(about["words"]))
