"""Packages whose names are loaded when first used; a bare `import tevtheory` does it by itself, to load nothing more."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def lazily(package: str, home: Mapping[str, Sequence[str]]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package: `home` has the names by the module inside it that defines them.

    >>> load, _ = lazily("tevtheory", {"verdicts": ["Verdict"]})
    >>> load("Verdict").EXACT.value
    'EXACT, REGRET'
    """
    module_of = {name: module for module, names in home.items() for name in names}

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{module_of[name]}"), name)

    return load, lambda: [*vars(sys.modules[package]), *module_of]
