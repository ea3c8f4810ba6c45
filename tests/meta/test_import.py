"""`import tevtheory` is light: the pytest plugin will load it in every pytest run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ALLOWED = {"numpy", "gmpy2", "tevtheory"}
SECONDS = 0.3

PROBE = """
import json, sys, time
before = set(sys.modules)
started = time.perf_counter()
{statement}
seconds = time.perf_counter() - started
tops = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(json.dumps([sorted(tops - set(sys.stdlib_module_names)), seconds]))
"""


def imported_by(statement: str, folder: Path | None = None) -> tuple[set[str], float]:
    """The third-party packages that a statement loads in a fresh interpreter, and its seconds (the best of five)."""
    path = [] if folder is None else [f"import sys; sys.path.insert(0, {str(folder)!r})\n"]
    program = "".join(path) + PROBE.format(statement=statement)
    runs = []
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        runs.append(json.loads(done.stdout))
    return set(runs[0][0]), min(seconds for _, seconds in runs)


def test_a_bare_import_loads_numpy_and_gmpy2_at_most_and_is_quick() -> None:
    packages, seconds = imported_by("import tevtheory")
    assert packages <= ALLOWED
    assert seconds < SECONDS


def test_using_every_public_name_loads_no_more() -> None:
    packages, _ = imported_by("import tevtheory\nfor name in tevtheory.__all__: getattr(tevtheory, name)")
    assert packages == ALLOWED


def test_the_probe_sees_a_heavy_import(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text("import networkx\n")
    packages, _ = imported_by("import planted", tmp_path)
    assert "networkx" in packages
    assert not packages <= ALLOWED


def test_the_probe_sees_a_slow_import(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(f"import time\ntime.sleep({SECONDS})\n")
    _, seconds = imported_by("import planted", tmp_path)
    assert not seconds < SECONDS
