"""Prints what the benchmarks measured, beside pytest-benchmark's own table."""

from __future__ import annotations

import statistics
from typing import Any


def pytest_terminal_summary(terminalreporter: Any, config: Any) -> None:
    session = getattr(config, "_benchmarksession", None)
    for key in ("paths/s", "Fraction/mpq"):
        found = [(b.name, b.extra_info[key]) for b in getattr(session, "benchmarks", []) if key in b.extra_info]
        if found:
            terminalreporter.section(f"{key}, one core, all guards on")
            for name, value in found:
                terminalreporter.write_line(f"{value:>12,}  {name.partition('[')[2].rstrip(']')}")
            terminalreporter.write_line(f"{statistics.median(value for _, value in found):>12,}  median")
