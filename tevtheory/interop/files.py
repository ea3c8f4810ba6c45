"""Problems in files: JSON that people can write, and npz for rows of real models.

JSON, with fractions as strings::

    {
      "vocabulary": ["a", "b"],
      "nodes": [
        {"row": {"a": "1/2", "b": "1/2"}},
        {"parent": 0, "token": "a", "row": {"a": "1/4", "b": "3/4"}},
        {"parent": 1, "token": "b", "row": {"a": 1}}
      ]
    }

`vocabulary` is a list of names, or a number of tokens (then tokens are ids and rows are lists). A row left out of a map is
0. Optional: `proposal` beside `row`; `end`, the end-of-sequence token; `off_tree`, rows after other prefixes, as
`{"after": ["a", "a"], "row": ...}`, one without `after` being the row after all others.
"""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tevtheory.errors import InputError
from tevtheory.rows import FloatRow, Row, float_vector
from tevtheory.shown import ShownAsPicture
from tevtheory.targets import Problem, Target, TargetTree
from tevtheory.trees import ROOT, DraftTree
from tevtheory.weights import ZERO, Kind, mpq, show

_TOP = {"vocabulary", "nodes", "end", "off_tree", "comment"}
_NODE = {"parent", "token", "row", "proposal"}


@dataclass(frozen=True)
class ProblemFile(ShownAsPicture):
    """A problem read from a file, with what only files have.

    `names` are the tokens' names (None: plain ids), `end` the end-of-sequence token, `off_tree` the target with rows off
    the tree (None: the file gives none).
    """

    problem: Problem
    names: tuple[str, ...] | None = None
    end: int | None = None
    off_tree: Target | None = None

    def name(self, token: int) -> str:
        """The name of a token."""
        return str(token) if self.names is None else self.names[token]

    def string(self, tokens: Sequence[int]) -> str:
        """The names of several tokens, joined by blanks; "(root)" for none."""
        return " ".join(self.name(token) for token in tokens) or "(root)"


def read_problem(path: str | os.PathLike[str]) -> ProblemFile:
    """Read a .json or .npz file; raises InputError that says where the file is wrong."""
    file = Path(path)
    if not file.is_file():
        raise InputError("a file", "a folder" if file.is_dir() else "nothing there", str(file), "check the path")
    if file.suffix == ".npz":
        return ProblemFile(read_npz(file))
    if file.suffix == ".json":
        return _read_json(file)
    raise InputError("a .json or .npz file", file.name, str(file), "see tevtheory.interop.files for the formats")


def _read_json(file: Path) -> ProblemFile:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError("JSON text", str(error), str(file), "correct the file") from None
    return parse_problem(data, str(file))


def parse_problem(data: Any, where: str = "problem") -> ProblemFile:
    """Read a problem from plain data, as JSON gives it.

    >>> chain = {"vocabulary": ["a", "b"], "nodes": [{"row": {"a": "1/3", "b": "2/3"}}]}
    >>> parse_problem(chain).name(1)
    'b'
    """
    _check_keys(data, _TOP, {"vocabulary", "nodes"}, where)
    words = _Vocabulary.read(data["vocabulary"], where)
    nodes = data["nodes"]
    if not isinstance(nodes, list) or not nodes:
        raise InputError(
            "a list of nodes, the root first", repr(nodes)[:60], f"{where}, nodes", "give the root at least"
        )
    for v, node in enumerate(nodes):
        _check_keys(node, _NODE, {"row"} | ({"parent", "token"} if v else set()), f"{where}, node {v}")
    parents = [-1, *(node["parent"] for node in nodes[1:])]
    tokens = [-1, *(words.token(node["token"], f"{where}, node {v}") for v, node in enumerate(nodes[1:], 1))]
    tree = DraftTree(parents, tokens)
    target = TargetTree(tree, [words.row(node["row"], f"{where}, row of node {v}") for v, node in enumerate(nodes)])
    proposals = None
    if any("proposal" in node for node in nodes):
        uniform = [1 / words.size if target.kind is Kind.FLOAT else mpq(1, words.size)] * words.size
        proposals = [
            words.row(node["proposal"], f"{where}, proposal of node {v}") if "proposal" in node else uniform
            for v, node in enumerate(nodes)
        ]
    end = words.token(data["end"], f"{where}, end") if "end" in data else None
    return ProblemFile(Problem(target, proposals), words.names, end, _off_tree(data, target, words, where))


@dataclass(frozen=True)
class _Vocabulary:
    size: int
    names: tuple[str, ...] | None

    @classmethod
    def read(cls, given: Any, where: str) -> _Vocabulary:
        if isinstance(given, int) and not isinstance(given, bool) and given > 0:
            return cls(given, None)
        is_names = isinstance(given, list) and given and all(isinstance(name, str) for name in given)
        if not is_names or len(set(given)) != len(given):
            remedy = 'write ["a", "b"] or 2'
            raise InputError("distinct names, or a number of tokens", repr(given)[:60], f"{where}, vocabulary", remedy)
        return cls(len(given), tuple(given))

    def token(self, given: Any, where: str) -> int:
        if self.names is not None and isinstance(given, str):
            if given in self.names:
                return self.names.index(given)
        elif self.names is None and isinstance(given, int) and not isinstance(given, bool) and 0 <= given < self.size:
            return given
        known = f"one of {list(self.names)}" if self.names else f"a token in 0..{self.size - 1}"
        raise InputError(known, repr(given), where, "use the vocabulary's tokens")

    def row(self, given: Any, where: str) -> list[Any]:
        if isinstance(given, Mapping):
            weights = {self.token(_key(name, self.names), where): weight for name, weight in given.items()}
            floats = any(isinstance(weight, float) for weight in weights.values())
            return [weights.get(token, 0.0 if floats else ZERO) for token in range(self.size)]
        if isinstance(given, list) and len(given) == self.size:
            return given
        got = f"{len(given)} entries" if isinstance(given, list) else repr(given)[:60]
        raise InputError(f"a map of weights, or a list of {self.size}", got, where, "give one weight per token")


def _key(name: str, names: tuple[str, ...] | None) -> Any:
    """JSON keys are text; without names they are ids, each written in one way only."""
    is_id = names is None and name.isascii() and name.isdigit() and len(name) < 19 and str(int(name)) == name
    return int(name) if is_id else name


def _check_keys(data: Any, allowed: set[str], needed: set[str], where: str) -> None:
    if not isinstance(data, dict):
        raise InputError(f"a map with {', '.join(sorted(needed))}", repr(data)[:60], where, "see the format")
    unknown, missing = sorted(set(data) - allowed), sorted(needed - set(data))
    if unknown or missing:
        got = " and ".join([*(f"unknown {key!r}" for key in unknown), *(f"no {key!r}" for key in missing)])
        raise InputError(f"the keys {', '.join(sorted(allowed))}", got, where, "correct the keys")


def _off_tree(data: Any, target: TargetTree, words: _Vocabulary, where: str) -> Target | None:
    if "off_tree" not in data:
        return None
    rows: dict[tuple[int, ...], Any] = {target.tree.path(v): row for v, row in enumerate(target.rows)}
    otherwise = None
    if not isinstance(data["off_tree"], list):
        got = repr(data["off_tree"])[:60]
        raise InputError("a list of rows", got, f"{where}, off_tree", 'write [{"row": ...}]')
    for i, entry in enumerate(data["off_tree"]):
        place = f"{where}, off_tree {i}"
        _check_keys(entry, {"after", "row"}, {"row"}, place)
        row = words.row(entry["row"], place)
        after = _prefix(entry, words, place)
        if (otherwise is not None) if after is None else (after in rows):
            raise InputError("one row per prefix", "a second one", place, "remove one of them")
        if after is None:
            otherwise = row
        else:
            rows[after] = row
    return Target.table(rows, otherwise)


def _prefix(entry: dict[str, Any], words: _Vocabulary, place: str) -> tuple[int, ...] | None:
    """The tokens an off-tree row comes after; None for the row after all others."""
    if "after" not in entry:
        return None
    if not isinstance(entry["after"], list):
        raise InputError("a list of tokens", repr(entry["after"]), place, "use the vocabulary's tokens")
    return tuple(words.token(name, place) for name in entry["after"])


def problem_data(file: ProblemFile) -> dict[str, Any]:
    """The plain data of a problem, ready for JSON: exact numbers as strings, floats as numbers."""
    problem, tree = file.problem, file.problem.tree
    _refuse_symbols(problem)
    nodes = []
    for v in range(tree.size):
        place: dict[str, Any] = {} if v == ROOT else {"parent": tree.parents[v], "token": _word(file, tree.tokens[v])}
        place["row"] = _row_data(file, problem.rows[v])
        if problem.proposals is not None:
            place["proposal"] = _row_data(file, problem.proposals[v])
        nodes.append(place)
    words = list(file.names) if file.names is not None else problem.target.vocabulary
    data = {"vocabulary": words, "nodes": nodes}
    return data if file.end is None else {**data, "end": _word(file, file.end)}


def _refuse_symbols(problem: Problem) -> None:
    if problem.target.kind is Kind.SYMBOLIC:
        remedy = "put numbers in for the symbols"
        raise InputError("exact or float rows", "symbolic ones", "problem", remedy)


def _word(file: ProblemFile, token: int) -> str | int:
    return token if file.names is None else file.names[token]


def _row_data(file: ProblemFile, row: Row) -> Any:
    weights = list(row) if isinstance(row, FloatRow) else [show(weight) for weight in row]
    return weights if file.names is None else dict(zip(file.names, weights, strict=True))


def write_problem(file: ProblemFile, path: str | os.PathLike[str]) -> None:
    """Write a problem as JSON, atomically; rows off the tree are a function and are not written."""
    write_text(path, json.dumps(problem_data(file), indent=1) + "\n")


def read_npz(path: str | os.PathLike[str]) -> Problem:
    """Read arrays `parents` (N), `tokens` (N), `rows` (N, V) of floats, and optional `proposals` (N, V)."""
    needed = ("parents", "tokens", "rows")
    try:
        with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            have = {name: np.asarray(arrays[name]) for name in arrays.files}
            numbers = all(array.dtype.kind in "iuf" for array in have.values())
    except (ValueError, OSError, EOFError, AttributeError, TypeError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError("an npz file of numbers", str(error), str(path), "write it with numpy.savez") from None
    if not numbers:
        raise InputError("an npz file of numbers", "other data", str(path), "write it with numpy.savez")
    if missing := [name for name in needed if name not in have]:
        raise InputError(f"arrays {', '.join(needed)}", f"no {', '.join(missing)}", str(path), "add the arrays")
    for name in ("rows", "proposals"):
        if name in have and have[name].ndim != 2:
            got = f"shape {have[name].shape}"
            raise InputError("an array of shape (N, V)", got, f"{path}, {name}", "give one row per node")
    tree = DraftTree(have["parents"].tolist(), have["tokens"].tolist())
    return Problem(TargetTree(tree, list(have["rows"])), list(have["proposals"]) if "proposals" in have else None)


def write_npz(problem: Problem, path: str | os.PathLike[str]) -> None:
    """Write a problem as npz, atomically; exact rows become float64."""
    _refuse_symbols(problem)
    arrays = {"parents": np.array(problem.tree.parents), "tokens": np.array(problem.tree.tokens)}
    arrays["rows"] = np.array([float_vector(row) for row in problem.rows])
    if problem.proposals is not None:
        arrays["proposals"] = np.array([float_vector(row) for row in problem.proposals])
    with _replacing(path) as temporary, temporary.open("wb") as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]  # numpy before 2.1 would store allow_pickle as an array


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a text file; raises InputError where it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("a text file in UTF-8", str(error), str(path), "check the path") from None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file so that a reader sees the old one or the new one, never half of it."""
    with _replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


class _replacing:  # noqa: N801  (reads like the built-in context managers)
    """A temporary file beside a path, moved onto it when the block ends well."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._given = Path(path)
        self._path = self._given.resolve()  # a link stays a link

    def __enter__(self) -> Path:
        if self._path.is_dir():
            raise InputError("a path to write to", "a folder", str(self._given), "choose another path")
        try:
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
        except OSError as error:
            raise InputError("a folder to write in", str(error), str(self._given), "choose another path") from None
        os.fchmod(handle, self._mode())
        os.close(handle)
        self._temporary = Path(name)
        return self._temporary

    def _mode(self) -> int:
        """The old file's permissions, or those of any new file."""
        if self._path.exists():
            return self._path.stat().st_mode & 0o777
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._temporary.replace(self._path)
        except OSError as error:
            raise InputError("a path to write to", str(error), str(self._given), "choose another path") from None
        finally:
            self._temporary.unlink(missing_ok=True)
