"""The notebooks run, show what is committed, and keep their form.

`python -m tests.notebooks.write` runs them and writes their outputs.
"""

from __future__ import annotations

import ast
import copy
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.notebooks.conftest import PACKAGES

for package in PACKAGES:
    pytest.importorskip(package)

from tests.notebooks.execution import (  # noqa: E402  (it needs these packages)
    DRAWN,
    FOLDER,
    NOTEBOOKS,
    SVG,
    differences,
    executed,
    read,
    shown,
    tidied,
    words,
)

DATA = sorted((FOLDER / "data").glob("*.npz"))
OUTSIDE = {*sys.stdlib_module_names, "numpy", "matplotlib", "IPython"} - {"pickle"}
PRIVATE = re.compile(r"0x[0-9a-f]{6,}|/(?:home|root|tmp|Users)/|site-packages|\d\d:\d\d:\d\d")

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_the_seven_are_there() -> None:
    assert [path.name[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05", "06", "07"]


@every_notebook
def test_it_runs_and_shows_what_is_committed(path: Path, tmp_path: Path) -> None:
    assert list(differences(read(path), executed(path, tmp_path))) == []


def outputs(notebook: Any, kind: str, part: str = "") -> list[dict[str, Any]]:
    """Where a kind of output is: maps that hold it, so that it can be changed."""
    streams = [each for cell in code(notebook) for each in cell.outputs if each.output_type == "stream"]
    data = [each.data for cell in code(notebook) for each in cell.outputs if each.output_type != "stream"]
    found = [each for each in (streams if kind == "text" else data) if kind in each and part in each[kind]]
    assert found
    return found


def with_another_number(text: str, before: str) -> str:
    """The text with the first digit after some words changed."""
    start = text.index(before)
    at = next(i for i in range(start + len(before), len(text)) if text[i].isdigit())
    return f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"


@pytest.mark.parametrize(
    ("kind", "before"),
    [
        ("text", "coverage ="),
        ("text/html", "probability"),
        (SVG, "coverage"),
        (SVG, "E[length]"),
        (SVG, '<path d="M'),
        ("text/plain", "Chart size"),
    ],
)
def test_a_number_planted_in_an_output_is_found(kind: str, before: str) -> None:
    committed = read(NOTEBOOKS[0])
    fresh = copy.deepcopy(committed)
    output = outputs(fresh, kind, before)[0]
    output[kind] = with_another_number(output[kind], before)
    found = list(differences(committed, fresh))
    assert len(found) == 1
    assert (f"{kind}, character" if kind != "text" else "stdout, character") in found[0]


def test_under_another_matplotlib_the_texts_of_figures_are_compared() -> None:
    committed = read(NOTEBOOKS[0])
    other = copy.deepcopy(committed)
    other.metadata["matplotlib"] = "0.0"
    figure = outputs(other, SVG, DRAWN)[0]
    assert any("E[length]" in text for text in words(figure[SVG]))
    figure[SVG] = with_another_number(figure[SVG], '<path d="M')
    assert list(differences(committed, other)) == []
    figure[SVG] = with_another_number(figure[SVG], "E[length]")
    assert "expected the texts" in next(differences(committed, other))
    picture = outputs(other, SVG, "Exit law of a draft tree")[0]
    picture[SVG] = with_another_number(picture[SVG], "coverage")
    assert len(list(differences(committed, other))) == 2


def test_other_cells_sources_and_outputs_are_found() -> None:
    committed = read(NOTEBOOKS[0])
    source, lost, cells = (copy.deepcopy(committed) for _ in range(3))
    code(source)[0].source += "\n"
    code(lost)[-1].outputs = []
    del cells.cells[0]
    assert "another source" in next(differences(committed, source))
    assert SVG in next(differences(committed, lost))
    assert next(differences(committed, cells)) == "the cells are others"


@every_notebook
def test_the_committed_file_says_nothing_of_the_run(path: Path) -> None:
    notebook = read(path)
    assert {**notebook, "metadata": {}} == {**tidied(notebook), "metadata": {}}
    assert set(notebook.metadata) == {"kernelspec", "language_info", "matplotlib"}
    assert [cell.id for cell in notebook.cells] == [
        f"cell-{path.name[:2]}-{i + 1:02}" for i in range(len(notebook.cells))
    ]
    assert [cell.execution_count for cell in code(notebook)] == list(range(1, len(code(notebook)) + 1))
    for cell in code(notebook):
        for output in shown(cell):
            assert not set(output) & {"stderr", "error", "image/png"}
            assert [found for text in output.values() for found in PRIVATE.findall(text)] == []


@every_notebook
def test_its_form(path: Path) -> None:
    cells = read(path).cells
    assert 8 <= len(cells) <= 14
    heading = cells[0].source.partition("\n")[0]
    assert heading.startswith("# ")
    assert heading.endswith("?")
    assert cells[-1].cell_type == "markdown"
    assert "\n## What to try\n" in cells[-1].source
    assert [cell.id for cell in cells if cell.cell_type == "code" and len(cell.source.splitlines()) > 15] == []


def imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Modules, and the names taken from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def not_public(source: str) -> list[str]:
    """What a notebook uses that is not in the public interface, or not among the packages it may use."""
    tree, found = ast.parse(source), []
    for module, name in imports(tree):
        if module.partition(".")[0] in ("tevtheory", "tevtheory_gpu"):
            offered = getattr(importlib.import_module(module), "__all__", ())
            if (name or module) not in (*offered, "tevtheory"):
                found.append(f"{module}.{name}")
        elif module.partition(".")[0] not in OUTSIDE:
            found.append(module)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = node.value
            public = importlib.import_module("tevtheory").__all__
            if isinstance(owner, ast.Name) and owner.id == "tev" and node.attr not in public:
                found.append(f"tevtheory.{node.attr}")
            elif node.attr.startswith("_") and not node.attr.startswith("__"):
                found.append(node.attr)
    return found


@every_notebook
def test_it_uses_the_public_interface_only(path: Path) -> None:
    assert not_public("\n".join(cell.source for cell in code(read(path)))) == []


@pytest.mark.parametrize(
    "source",
    [
        "import torch",
        "import pickle",
        "from tevtheory.draw.chart import chart",
        "from tevtheory.conformance import nothing",
        "import tevtheory as tev\ntev.mpq",
        "law._masses",
    ],
)
def test_what_is_not_public_is_found(source: str) -> None:
    assert len(not_public(source)) == 1


def test_the_data_are_small_and_are_laws() -> None:
    assert [path.stem for path in DATA] == ["code", "dialogue", "maths"]
    assert sum(path.stat().st_size for path in DATA) < 1_000_000
    for path in DATA:
        with np.load(path, allow_pickle=False) as data:
            for kind in ("target", "draft"):
                ends = np.cumsum(data[f"{kind}_counts"])
                rows = np.split(data[f"{kind}_weights"].astype(float), ends[:-1])
                assert len(rows) == len(data[f"{kind}_paths"])
                assert min(map(len, rows)) >= 32
                for row in rows:
                    # One of the tokens that are not kept is never likelier than the 32nd of those that are.
                    rest = max(0.0, 1 - row.sum()) / (data["vocabulary"] - len(row))
                    assert row.sum() < 1 + 1e-6
                    assert rest <= np.sort(row)[-32] + 1e-6 / data["vocabulary"]
                assert set(data[f"{kind}_tokens"].tolist()) <= set(data["word_ids"].tolist())


@pytest.mark.weights
def test_the_data_are_what_the_model_says() -> None:
    pytest.importorskip("torch")
    from tevtheory_gpu.drafters import TargetItself
    from tevtheory_gpu.targets import is_cached, load_target, named_model

    if not is_cached(named_model("smollm2-135m")):
        pytest.skip("the weights are not in the cache: tevtheory models get smollm2-135m")
    model = load_target("smollm2-135m")
    for path in DATA:
        with np.load(path, allow_pickle=False) as data:
            text, answer = data["prompt"].tolist()
            draft = TargetItself(model).start([*model.encode_chat(text), *model.encode(answer)])
            (row,) = draft([()])
            kept = data["target_counts"][0]
            assert data["target_paths"][0].max() == -1
            asked = [row[token] / row.total() for token in data["target_tokens"][:kept].tolist()]
            assert abs(np.array(asked) - data["target_weights"][:kept]).max() < 1e-3
