"""The compiler of the inner loops: numba, which only Monte Carlo needs."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TypeVar, cast

from tevtheory.errors import MissingDependency

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile a function of numbers and arrays to machine code, cached on disk; raises MissingDependency.

    >>> compiled(lambda x: x + 1)(2)
    3
    """
    try:
        numba = importlib.import_module("numba")
    except ImportError as error:
        raise MissingDependency('Monte Carlo needs numba: pip install "tevtheory[montecarlo]"') from error
    # A lambda has no file of its own to be cached beside.
    return cast(F, numba.njit(cache=function.__name__ != "<lambda>", nogil=True)(function))
