"""Runs notebooks in fresh kernels, and says where their outputs differ from the committed ones."""

from __future__ import annotations

import copy
import importlib.metadata
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FORMAT: Any = nbformat
"""Its functions have no types."""

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SVG, DRAWN = "image/svg+xml", '<g id="figure_1">'
"""How a figure of matplotlib can be told from the pictures that tevtheory writes itself."""


def read(path: Path) -> Any:
    return FORMAT.read(path, as_version=4)


def write(notebook: Any, path: Path) -> None:
    FORMAT.validate(notebook)
    path.write_text(FORMAT.writes(notebook) + "\n", encoding="utf-8")


def executed(path: Path, home: Path) -> Any:
    """The notebook run from top to bottom in a kernel that reads no settings of the user's."""
    notebook = read(path)
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        extra_arguments=["--log-level=ERROR"],
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    env = {**os.environ, "IPYTHONDIR": str(home), "OMP_NUM_THREADS": "1"}
    client.execute(env=env)
    return tidied(notebook)


def tidied(notebook: Any) -> Any:
    """The notebook without anything that says when, where or on what it was run, but for matplotlib's version."""
    tidy = copy.deepcopy(notebook)
    tidy.metadata = FORMAT.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "matplotlib": importlib.metadata.version("matplotlib"),
        }
    )
    for cell in tidy.cells:
        cell.metadata = FORMAT.from_dict({})
        for output in cell.get("outputs", ()):
            if "metadata" in output:
                output.metadata = FORMAT.from_dict({})
    return tidy


def shown(cell: Any) -> list[dict[str, str]]:
    """What a cell shows, output by output: texts by media type."""
    found = []
    for output in cell.get("outputs", ()):
        if output.output_type == "stream":
            found.append({output.name: str(output.text)})
        elif output.output_type == "error":
            found.append({"error": f"{output.ename}: {output.evalue}"})
        else:
            found.append({kind: str(text) for kind, text in output.data.items()})
    return found


def words(figure: str) -> list[str]:
    """The texts in a figure of matplotlib, which draws letters as outlines and notes the text beside them."""
    return re.findall(r"<!-- (.*?) -->", figure)


def differences(committed: Any, fresh: Any) -> Iterator[str]:
    """Where the two differ: sources, number of outputs, media types, and every output character by character.

    Figures of matplotlib differ in details between its versions: under another version than the one that wrote the
    committed ones, their texts are compared, not their lines.
    """
    same = committed.metadata.get("matplotlib") == fresh.metadata.get("matplotlib")
    if [cell.id for cell in committed.cells] != [cell.id for cell in fresh.cells]:
        yield "the cells are others"
        return
    for old, new in zip(committed.cells, fresh.cells, strict=True):
        if old.source != new.source:
            yield f"cell {old.id}: another source"
        before, after = shown(old), shown(new)
        if [set(each) for each in before] != [set(each) for each in after]:
            yield f"cell {old.id}: expected {[sorted(each) for each in before]}, got {[sorted(each) for each in after]}"
            continue
        for one, two in zip(before, after, strict=True):
            yield from (f"cell {old.id}: {line}" for kind in one for line in _differ(kind, one[kind], two[kind], same))


def _differ(kind: str, expected: str, got: str, same_matplotlib: bool) -> Iterator[str]:
    if kind == SVG and DRAWN in expected and not same_matplotlib:
        if words(expected) != words(got):
            yield f"{kind}: expected the texts {words(expected)}, got {words(got)}"
    elif expected != got:
        at = next(
            (i for i, (a, b) in enumerate(zip(expected, got, strict=False)) if a != b), min(len(expected), len(got))
        )
        start = max(at - 30, 0)
        yield f"{kind}, character {at}: expected {expected[start : at + 40]!r}, got {got[start : at + 40]!r}"
