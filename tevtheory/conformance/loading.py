"""Finding a verifier by its address: "package.module:name" or "file.py:name"."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from tevtheory.choices import Verifier
from tevtheory.conformance.subjects import Subject, as_subject
from tevtheory.errors import InputError

WRAP = (
    "wrap it in over_chooser, over_generator, over_coins or over_uniforms (tevtheory.conformance), and name the result"
)


def load_target(text: str) -> object:
    """The object at "package.module:name" or "file.py:name"; the name may have dots.

    The current directory (for a file, the file's own) is on sys.path during the import only. Raises InputError where the
    text has another form, the module cannot be imported, or has no such name.

    >>> load_target("tevtheory.verifiers.catalogue:CATALOGUE")[0].name
    'predraw and follow'
    """
    source, _, name = text.rpartition(":")
    if not source or not name:
        remedy = "write it like package.module:verifier or folder/file.py:verifier"
        raise InputError("a module or file, a colon and a name", repr(text), "target", remedy)
    module = _load_file(source, text) if source.endswith(".py") else _load_module(source, text)
    return _named(module, name, text)


def load_subject(text: str) -> Subject:
    """The verifier at an address, ready to be judged; raises InputError for what is neither a Verifier nor a subject.

    >>> load_subject("tevtheory.verifiers.tev:TEV").name
    'TEV'
    """
    found = load_target(text)
    if not _can_be_judged(found):
        got = f"the {'class' if isinstance(found, type) else type(found).__name__} {text.rpartition(':')[2]}"
        raise InputError("a Verifier or a subject", got, _where(text), WRAP)
    return as_subject(found)


def _can_be_judged(value: object) -> bool:
    return not isinstance(value, type) and (isinstance(value, Verifier) or hasattr(value, "find_law"))


def _where(text: str) -> str:
    return f"target {text}"


def _load_module(name: str, text: str) -> ModuleType:
    with _first_on_path(Path.cwd()), _import_errors(text):
        return importlib.import_module(name)


def _load_file(source: str, text: str) -> ModuleType:
    """The module of a file; one that is already imported is not run again."""
    file = Path(source).resolve()
    if not file.is_file():
        raise InputError("a Python file", f"{source}, which is not there", _where(text), "correct the path")
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == str(file):
            return module
    with _first_on_path(file.parent), _import_errors(text):
        return _run_file(file)


def _run_file(file: Path) -> ModuleType:
    """Run a file under a name of its own, so that it hides no other module."""
    name = f"tevtheory_target_{file.stem}_{len(sys.modules)}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"no loader for {file}")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@contextmanager
def _import_errors(text: str) -> Iterator[None]:
    try:
        yield
    except (Exception, SystemExit) as error:
        got = f"{type(error).__name__}: {error}"
        remedy = "correct the address, start in the folder that holds it, or install what it imports"
        raise InputError("a module that can be imported", got, _where(text), remedy) from error


@contextmanager
def _first_on_path(folder: Path) -> Iterator[None]:
    entry = str(folder)
    sys.path.insert(0, entry)
    try:
        yield
    finally:
        if entry in sys.path:  # the module may have taken it out itself
            sys.path.remove(entry)


def _named(module: ModuleType, name: str, text: str) -> Any:
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            known = sorted(key for key, value in vars(module).items() if _can_be_judged(value))
            remedy = f"choose from {', '.join(known)}" if known else f"the module has no verifier; {WRAP}"
            raise InputError("a name in that module", repr(name), _where(text), remedy)
        found = getattr(found, part)
    return found
