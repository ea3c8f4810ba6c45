"""Cases: a draft tree with the target's rows at every node, where it came from, and its files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tevtheory.draw import Picture, tree_picture
from tevtheory.errors import InputError
from tevtheory.exitlaw import ceiling
from tevtheory.interop.files import read_npz, write_npz, write_text
from tevtheory.targets import Problem, TargetTree


@dataclass(frozen=True, eq=False)
class Case:
    """A target tree to judge verifiers on.

    `origin` says how it was made, `words` are the texts of drafted and of likely tokens (empty without a tokenizer).
    """

    name: str
    domain: str
    target: TargetTree
    origin: Mapping[str, Any]
    words: Mapping[int, str] = field(default_factory=dict)

    @property
    def ceiling(self) -> float:
        """1 + coverage."""
        return float(ceiling(self.target))

    def path(self, node: int) -> str:
        """The text of the path to a node, or its tokens."""
        tokens = self.target.tree.path(node)
        return repr("".join(self.words[token] for token in tokens)) if self.words else str(list(tokens))

    def picture(self) -> Picture:
        """Its exit law as a picture."""
        return tree_picture(self.target, words=self.words or None, title=f"Exit law of a draft tree: {self.name}")

    def save(self, folder: Path) -> None:
        """Write NAME.npz (a problem file), NAME.svg (its picture) and NAME.json, each as a whole."""
        self.picture().write(folder / f"{self.name}.svg")
        write_npz(Problem(self.target), folder / f"{self.name}.npz")
        about = {"name": self.name, "domain": self.domain, "words": dict(self.words), "origin": dict(self.origin)}
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
        words = {int(token): text for token, text in about["words"].items()}
        return cls(name, about["domain"], target, origin, words)
