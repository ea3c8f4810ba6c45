"""Run the device checks where gmpy2 and numba may be missing: plain stand-ins serve, as nothing hot needs them on a GPU."""

from __future__ import annotations

import sys
from fractions import Fraction
from importlib.util import find_spec
from types import ModuleType


class _Other:
    """A number type that no value here has."""

    def __init__(self, value: int) -> None:
        self.value = value


def stand_in() -> list[str]:
    """Give fractions for gmpy2 and plain Python for numba where they are missing; returns what was replaced."""
    missing = [name for name in ("gmpy2", "numba") if find_spec(name) is None]
    if "gmpy2" in missing:
        gmpy2 = ModuleType("gmpy2")
        gmpy2.mpq, gmpy2.mpz, gmpy2.mpfr = Fraction, _Other, type("mpfr", (_Other,), {})  # type: ignore[attr-defined]
        sys.modules["gmpy2"] = gmpy2
    if "numba" in missing:
        numba = ModuleType("numba")
        numba.njit = lambda **_: lambda function: function  # type: ignore[attr-defined]
        sys.modules["numba"] = numba
    return missing


if __name__ == "__main__":
    replaced = stand_in()
    from tevtheory_gpu.device_check import main

    for name in replaced:  # other packages that would ask the stand-ins for more find none
        del sys.modules[name]
    sys.exit(main(sys.argv[1:], replaced))
