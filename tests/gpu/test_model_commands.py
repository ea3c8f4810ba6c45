"""`tevtheory models`: tidy output, errors of the house, and no torch before it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.gpu.test_target_packages import MODEL, copy, serve
from tevtheory.errors import InputError, MissingDependency
from tevtheory_gpu import model_commands
from tevtheory_gpu.model_commands import app
from tevtheory_gpu.targets import NamedModel, getting

RUN = CliRunner()


@pytest.fixture
def fake(cache: Path, monkeypatch: pytest.MonkeyPatch) -> NamedModel:
    """The catalogue has one model, from an index that works."""
    monkeypatch.setattr(model_commands, "MODELS", (MODEL,))
    monkeypatch.setattr(model_commands, "named_model", lambda _: MODEL)
    monkeypatch.setattr(model_commands, "get_model", lambda model, step: getting.get_model(model, serve, copy, step))
    return MODEL


def test_get_list_and_path(cache: Path, fake: NamedModel) -> None:
    assert RUN.invoke(app, ["list"]).output.split()[-6:] == ["fake", "none", "0", "MB", "8", "no"]
    folder = str(cache / "models" / "fake")
    assert RUN.invoke(app, ["get", "fake"]).stdout == f"fake is now in the cache; licence: none\n{folder}\n"
    assert RUN.invoke(app, ["get", "fake"]).stdout == f"fake was in the cache; licence: none\n{folder}\n"
    assert RUN.invoke(app, ["path", "fake"]).stdout == f"{folder}\n"
    assert RUN.invoke(app, ["list"]).output.split()[-1] == "yes"


def test_the_catalogue_is_listed_with_its_licences(cache: Path) -> None:
    lines = RUN.invoke(app, ["list"]).output.splitlines()
    assert lines[0].split() == ["name", "licence", "download", "context", "cached"]
    assert lines[1].split() == ["smollm2-135m", "Apache-2.0", "93", "MB", "8,192", "no"]
    assert all("none declared by the packages" in line for line in lines[2:])
    assert len(lines) == 4


def test_errors_reach_the_main_command(cache: Path) -> None:
    for command in (["get", "gpt"], ["path", "gpt"]):
        assert isinstance(RUN.invoke(app, command).exception, InputError)
    error = RUN.invoke(app, ["path"]).exception
    assert str(error) == (
        "smollm2-135m: expected a model in the cache, got nothing there; run: tevtheory models get smollm2-135m"
    )


def test_a_missing_package_is_found_before_the_download(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)
    error = RUN.invoke(app, ["get"]).exception
    assert isinstance(error, MissingDependency)
    assert 'pip install "tevtheory[gpu]"' in str(error)
    assert not cache.exists()


def imported(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_the_commands_load_no_torch() -> None:
    gpu = Path(model_commands.__file__).parent.parent
    start = f"sys.path.insert(0, {str(gpu)!r})\n"
    heavy = {"torch", "transformers", "gguf", "safetensors", "platformdirs"}
    assert not heavy & imported(f"{start}import tevtheory_gpu.model_commands")
    assert heavy & imported(f"{start}import tevtheory_gpu.targets.loading")
