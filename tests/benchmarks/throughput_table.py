"""Verified samples a second of the batched verifiers, on a 64-node tree over a real vocabulary.

    python -m tests.benchmarks.throughput_table [--nodes 64] [--vocabulary 49152] [--rows 1e6] [--rounds 5]

Medians of interleaved rounds, and ratios to predraw-and-follow in the same run; plans are made once per tree, before.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import numpy as np
import torch

from tevtheory.builders import oracle_tree
from tevtheory.rows import FloatRow
from tevtheory.targets import Target, TargetTree
from tevtheory.verdicts import Verdict
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.sampler import TorchSampler
from tevtheory_gpu.verifiers.catalogue import CATALOGUE


def language_like(vocabulary: int) -> Target:
    """Rows with one likely token, some rivals and a long tail, a function of the prefix."""

    def row(prefix: tuple[int, ...]) -> FloatRow:
        rng = np.random.default_rng([len(prefix), *prefix])
        logits = rng.normal(size=vocabulary) * 2.2 - np.log1p(rng.permutation(vocabulary)) * 0.3
        logits[rng.integers(vocabulary)] += 12
        weights = np.exp(logits - logits.max())
        return FloatRow(weights / weights.sum())

    return Target(vocabulary, row)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=64)
    parser.add_argument("--vocabulary", type=int, default=49_152)
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    target = language_like(options.vocabulary)
    tree = oracle_tree(target, options.nodes - 1)
    forest = Forest.of([TargetTree.of(tree, target)])
    exact = [entry for entry in CATALOGUE if entry.twin.claim is Verdict.CANONICAL]
    samplers = {entry.name: TorchSampler(entry, forest) for entry in exact}
    seconds: dict[str, list[float]] = {name: [] for name in samplers}
    for turn in range(options.rounds + 1):  # the first round makes the plans
        for name, sampler in samplers.items():
            started = time.perf_counter()
            sampler.outcomes(int(options.rows), (turn, 0))
            if turn:
                seconds[name].append(time.perf_counter() - started)
    medians = {name: statistics.median(each) for name, each in seconds.items()}
    sys.stdout.write(
        f"{tree.size} nodes, depth {tree.depth}, {options.vocabulary:,} tokens, {torch.get_num_threads()} threads\n"
    )
    for name, median in medians.items():
        ratio = medians["predraw and follow"] / median
        sys.stdout.write(f"{name:28s} {options.rows / median / 1e6:6.2f} million/s  {ratio:5.2f}\n")


if __name__ == "__main__":
    main()
