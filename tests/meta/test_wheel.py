"""The wheel holds the package, and nothing of the checkout is needed to use it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    return built


def test_the_wheel_holds_the_package_its_marker_and_its_licence(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    packaged = {name for name in names if name.startswith(("tevtheory/", "tevtheory_gpu/"))}
    kept = {".py", ".v", ".sh", ".txt", ".md", ".typed"}
    source = set()
    for package in (ROOT / "tevtheory", ROOT / "gpu" / "tevtheory_gpu"):
        files = [file for file in package.rglob("*") if file.suffix in kept or file.name == "_CoqProject"]
        source |= {str(file.relative_to(package.parent)) for file in files}
    assert packaged == source
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_wheel_works_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    environment = {**os.environ, "PYTHONPATH": str(site)}
    where = "import tevtheory; print(tevtheory.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", where], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert Path(done.stdout.strip()).is_relative_to(site)
    command = [sys.executable, "-m", "tevtheory", "verify", "--max-nodes", "3", "--jobs", "1"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert "Every verdict is the claimed one." in done.stdout
