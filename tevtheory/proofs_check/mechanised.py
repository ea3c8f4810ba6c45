"""The mechanised proofs in `coq/`: which theorem proves which statement, and one call of their script."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from tevtheory.proofs_check.evidence import Evidence

FOLDER = Path(__file__).parent / "coq"

THEOREMS: dict[str, tuple[str, ...]] = {
    "exit-sum": ("exit_sum1",),
    "coverage-identity": ("depth_coverage",),
    "ceiling": ("exact_ceiling", "canonical_attains"),
    "extendable-ceiling": ("ceiling", "canonical_extendable"),
    "dominance": ("level_dominance", "exact_extendable", "level_attained"),
    "uniqueness": ("canonical_unique", "exact_extendable"),
    "stopping-times": ("exact_iff_stopped", "exact_stopped", "stopped_exact", "stopped_sum1"),
    "polytope": ("exact_mixture", "mixture_exact", "vertex_iff", "exact_determined", "cut_one"),
    "regret-identity": ("regret_identity", "regret_exact"),
    "attainment/predraw-and-follow": ("predraw_canonical", "shared_depth_canonical"),
    "attainment/sequential-residual": ("sr_telescopes", "sr_any_order", "sr_bonus"),
    "attainment/tev": ("tev_canonical", "tev_bonus_sum1"),
    "attainment/tev-walk": ("depth_site", "coin_walk_box", "coin_walk_volume", "coin_walk_canonical"),
    "attainment/nested-intervals": (
        "nested_exit_at",
        "nested_length",
        "nested_unique",
        "nested_piece",
        "nested_total",
    ),
    "attainment/seed-synchronous": (
        "depth_site",
        "inverse_piece",
        "inverse_total",
        "seed_box_exact",
        "seed_off_tree",
        "seed_volume",
    ),
    "attainment/cumulative-thresholds": ("coin_walk_box", "coin_walk_volume", "coin_walk_canonical"),
    "length-law": ("length_law", "length_exit", "mean_levels"),
    "end-of-sequence": ("eos_ceiling", "eos_attained"),
    "oracle": ("oracle_closed", "top_optimal", "best_is_top"),
    "ledger": ("missed_wasted", "shares_ge0", "one_exit_above"),
    "one-ring": ("one_ring", "one_ring_tree"),
}
"""Per statement the theorems that together prove it, or its mathematical core."""

SECONDS = 600


def mechanised(statements: Iterable[str], folder: Path = FOLDER) -> Iterator[Evidence]:
    """Run the script once, and report each statement's theorems; without coqc or the script nothing is proved."""
    wanted = [name for name in statements if name in THEOREMS]
    if not wanted:
        return
    started = time.perf_counter()
    trouble = _run(folder)
    seconds = time.perf_counter() - started
    present = {
        name for file in folder.glob("*.v") for name in re.findall(r"^Theorem (\w+)", file.read_text(), re.MULTILINE)
    }
    for name in wanted:
        absent = [theorem for theorem in THEOREMS[name] if theorem not in present]
        if trouble is not None:
            outcome, what = trouble
            yield Evidence(name, "mechanised", "failed" if outcome else "not run", 0, what, seconds)
        elif absent:
            yield Evidence(name, "mechanised", "not run", 0, f"no theorem {absent[0]} in {folder.name}", seconds)
        else:
            theorems = THEOREMS[name]
            yield Evidence(name, "mechanised", "proved", len(theorems), f"Coq: {', '.join(theorems)}", seconds)


def _run(folder: Path) -> tuple[bool, str] | None:
    """None where the script succeeds; else whether it was run, and what was wrong."""
    script = folder / "check.sh"
    bash = shutil.which("bash")
    if shutil.which("coqc") is None:
        return False, "coqc is not on the PATH"
    if bash is None or not script.is_file():
        return False, "there is no coq/check.sh, or no bash"
    try:
        done = subprocess.run(  # noqa: S603  (a script of this package)
            [bash, str(script)], cwd=folder, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return False, f"check.sh took more than {SECONDS} s"
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        return True, f"check.sh gave {done.returncode}: {' '.join(last)}"
    return None
