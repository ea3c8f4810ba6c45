"""What is checked on a GPU, and dry-run on a CPU: tape test, tree pass, samples against the exact law, throughput.

`gpu/scripts/device_check.sh` runs it without network; the target has random weights. The law is checked by a chi-squared
statistic over cells pooled to an expectation of at least 100, and by the mean length, both within six sigmas.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tevtheory.conformance.montecarlo.counts import Counts
from tevtheory.conformance.montecarlo.nulls import Null
from tevtheory.conformance.montecarlo.report import mean_length
from tevtheory.targets import TargetTree
from tevtheory.verdicts import Verdict
from tevtheory_gpu.agreement import disagreements, ragged_problems, tape_bits, tape_for
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.sampler import CountingSampler, TorchSampler
from tevtheory_gpu.tapes import CounterTape
from tevtheory_gpu.verifiers.catalogue import CATALOGUE, find

BITS, DEPTH = 4, 3
SIGMAS = 6.0
LOSSY = "cumulative walk acc 4/5"


@dataclass(frozen=True)
class Size:
    """How large the checks are."""

    device: str
    vocabulary: int
    nodes: int
    samples: int
    rows: int
    rounds: int


FULL = Size("cuda", 151_936, 256, 10_000_000_000, 2000, 5)
DRY = Size("cpu", 3000, 24, 300_000, 200, 3)


def main(arguments: Sequence[str], stand_ins: Sequence[str] = ()) -> int:
    """Run all checks, write the results, and return 0 if all passed."""
    parser = argparse.ArgumentParser(prog="device_check.sh", description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="small sizes, on the CPU")
    parser.add_argument("--samples", type=float, help="samples per verifier; default 1e10")
    parser.add_argument("--out", type=Path, default=Path("gpu/results/device-check.json"), help="where results go")
    options = parser.parse_args(arguments)
    size = DRY if options.dry_run else FULL
    if options.samples:
        size = Size(**{**vars(size), "samples": int(options.samples)})
    if size.device == "cuda" and not torch.cuda.is_available():
        sys.stderr.write("error: device: expected a CUDA GPU, got none; run with --dry-run\n")
        return 2
    results = _environment(size, arguments, stand_ins)
    for name, check in _checks(size):
        started = time.perf_counter()
        results[name] = check()
        results[name]["seconds"] = round(time.perf_counter() - started, 2)
        sys.stdout.write(f"{name}: {json.dumps(results[name])}\n")
        sys.stdout.flush()
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(results, indent=1) + "\n")  # what is done is kept
    passed = all(entry.get("passed", True) for entry in results.values() if isinstance(entry, dict))
    sys.stdout.write(f"{'all passed' if passed else 'FAILED'}; results in {options.out}\n")
    return 0 if passed else 1


def _environment(size: Size, arguments: Sequence[str], stand_ins: Sequence[str]) -> dict[str, Any]:
    name = torch.cuda.get_device_name() if size.device == "cuda" else platform.processor() or platform.machine()
    return {
        "date": time.strftime("%Y-%m-%d"),
        "device": name,
        "torch": torch.__version__,
        "command": " ".join(["gpu/scripts/device_check.sh", *arguments]),
        "stand_ins": list(stand_ins),
        "size": vars(size),
    }


def _checks(size: Size) -> list[tuple[str, Callable[[], dict[str, Any]]]]:
    tree: list[TargetTree] = []

    def made() -> TargetTree:
        if not tree:
            tree.append(_real_tree(size))
        return tree[0]

    return [
        ("philox", lambda: _philox(size)),
        ("tape test", lambda: _tape_test(size)),
        ("tree pass", lambda: _tree_pass(size)),
        *(
            (f"law of {name}", lambda name=name: _law(size, name, made(), True))
            for name in ("TEV", "predraw and follow")
        ),
        (f"law of {LOSSY}", lambda: _law(Size(**{**vars(size), "samples": size.samples // 10}), LOSSY, made(), False)),
        ("throughput", lambda: _throughput(size, made())),
    ]


def _philox(size: Size) -> dict[str, Any]:
    """The device's uniforms are the CPU's."""
    slot, rows = CATALOGUE[0].twin.slots[0], torch.arange(100_000)
    tape = CounterTape((123, 456), start=(1 << 35) + 7)
    there = tape.uniform(slot, rows.to(size.device) % 9, rows.to(size.device)).cpu()
    return {"passed": bool(torch.equal(tape.uniform(slot, rows % 9, rows), there)), "uniforms": len(rows)}


def _tape_test(size: Size) -> dict[str, Any]:
    """Rows that differ from the scalar verifiers, over tiers, number types and verifiers: none may."""
    problems = ragged_problems(60, 10, 5, BITS, depth=DEPTH, seed=3)
    compared, differ = 0, []
    for dtype in (torch.float64, torch.float32):
        forest = Forest.of(problems, dtype, size.device)
        for verifier in CATALOGUE:
            bits = tape_bits(verifier.twin.slots, BITS, DEPTH)
            for tier in ("midpoint",) if verifier.name == "TEV" else ("tie", "midpoint"):
                tape = tape_for(verifier.twin.slots, tier, size.rows, forest, bits, seed=4)  # type: ignore[arg-type]
                found = disagreements(verifier, problems, forest, tape, size.rows)
                compared += size.rows
                differ += [f"{verifier.name}, {tier}, {dtype}: {entry}" for entry in found[:2]]
    return {"passed": not differ, "rows": compared, "differ": differ}


def _tree_pass(size: Size) -> dict[str, Any]:
    """Logits in the tree against each path alone, float32 within 1e-4; bfloat16 is reported only."""
    from tevtheory.trees import DraftTree
    from tevtheory_gpu.targets import LanguageModel, TreePass, path_logits, tiny_target

    rng = np.random.default_rng(0)
    parents = [-1, *(int(rng.integers(v)) for v in range(1, 16))]
    tree = DraftTree(parents, [-1, *range(2, 17)])
    gaps = {}
    for dtype in (torch.float32, torch.bfloat16):
        model = LanguageModel.of("tiny", tiny_target(vocabulary=500).model.to(size.device, dtype))
        inside, prefix = TreePass(model, range(1, 40)).score(tree), list(range(1, 40))
        alone = torch.stack([path_logits(model, [*prefix, *tree.path(v)]) for v in range(tree.size)])
        gaps[str(dtype).removeprefix("torch.")] = float((inside - alone).abs().max())
    return {"passed": gaps["float32"] <= 1e-4, "largest logit difference": gaps}


def _real_tree(size: Size) -> TargetTree:
    """The largest flows of a random-weight language model with a real model's vocabulary."""
    from tevtheory.builders import opt_tree
    from tevtheory_gpu.drafters import TargetItself
    from tevtheory_gpu.targets import Sampling, TreePass, target_tree, tiny_target

    model = tiny_target(vocabulary=size.vocabulary, hidden=64)
    if size.device == "cuda":
        model = type(model).of(model.name, model.model.to(size.device))
    prefix, sampling = list(range(1, 30)), Sampling(temperature=0.5)
    tree = opt_tree(TargetItself(model, sampling).start(prefix), budget=size.nodes - 1, depth=8)
    return target_tree(TreePass(model, prefix), tree, sampling)


def _law(size: Size, name: str, target: TargetTree, exact: bool) -> dict[str, Any]:
    """Counts of so many samples against the canonical law; a lossy verifier must not pass."""
    forest = Forest.of([target], torch.float64, size.device)
    sampler = TorchSampler(find(name), forest)
    _ = sampler.plan
    started = time.perf_counter()
    codes, counts = CountingSampler(sampler).count(size.samples, np.random.default_rng(1))
    seconds = time.perf_counter() - started
    null, seen = Null.of(target), Counts(codes, counts)
    p, mean = null.outcomes.p, mean_length(null, seen)
    z = _chi_squared(codes, counts, p)
    length_z = (mean.length - mean.ceiling) / max(mean.standard_error, 1e-300)
    fits = abs(z) < SIGMAS and abs(length_z) < SIGMAS and not (p[codes] == 0).any()
    cells = {"cells": int((p > 0).sum()), "cells seen": len(codes)}
    measured = {"chi-squared in sigmas": round(z, 2), "mean length in sigmas": round(length_z, 2)}
    speed = {"samples": size.samples, "million/s": round(size.samples / seconds / 1e6, 2)}
    about = {"nodes": target.tree.size, "1 + coverage": round(null.ceiling, 4), **cells}
    return {"passed": fits == exact, "claimed exact": exact, **measured, **speed, **about}


def _chi_squared(codes: Any, counts: Any, p: Any) -> float:
    """How many sigmas the statistic is from its mean; cells are pooled in order of probability to 100 expected."""
    total = counts.sum()
    expected, seen = p * total, np.zeros(len(p))
    seen[codes] = counts
    order = np.argsort(-expected, kind="stable")
    hundreds = np.floor(np.cumsum(expected[order][::-1])[::-1] / 100).astype(np.int64)
    _, groups = np.unique(hundreds, return_inverse=True)
    pooled, counted = np.bincount(groups, expected[order]), np.bincount(groups, seen[order])
    kept = pooled >= 50
    expected, seen = np.append(pooled[kept], pooled[~kept].sum()), np.append(counted[kept], counted[~kept].sum())
    positive = expected > 0
    statistic = ((seen - expected)[positive] ** 2 / expected[positive]).sum()
    freedom = max(int(positive.sum()) - 1, 1)
    # Wilson and Hilferty: the cube root of chi-squared over its freedom is nearly normal.
    return float(((statistic / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / math.sqrt(2 / (9 * freedom)))


def _throughput(size: Size, target: TargetTree) -> dict[str, Any]:
    """Million verified samples a second, the median of interleaved rounds, per canonical verifier and number type."""
    at_once = max(size.samples // 1000, 100_000)
    runs = {}
    for dtype in (torch.float64, torch.float32):
        forest = Forest.of([target], dtype, size.device)
        for verifier in CATALOGUE:
            if verifier.twin.claim is Verdict.CANONICAL:
                runs[f"{verifier.name}, {str(dtype).removeprefix('torch.')}"] = TorchSampler(verifier, forest)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(size.rounds + 1):
        for name, sampler in runs.items():
            started = time.perf_counter()
            nodes, _ = sampler.outcomes(at_once, (turn, 1))
            nodes.sum().item()  # waits for the device
            if turn:
                seconds[name].append(time.perf_counter() - started)
    return {"million/s": {name: round(at_once / statistics.median(each) / 1e6, 2) for name, each in seconds.items()}}
