"""Statements on seeded random instances beyond the enumerated sizes, and verifiers by sampling."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tevtheory.conformance.montecarlo import ChooserSampler, Outcome, montecarlo
from tevtheory.enumeration import rational
from tevtheory.enumeration.rows import label, row_of, vocabulary_for
from tevtheory.laws import Law
from tevtheory.proofs_check.evidence import demand
from tevtheory.proofs_check.exhaustive import members
from tevtheory.proofs_check.law_checks import LAW_CHECKS, stopping_law
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import Exit
from tevtheory.verifiers.catalogue import find
from tevtheory.weights import mpq


def random_target(rng: random.Random, nodes: int) -> TargetTree:
    """A random recursive tree with random rows; a quarter of the weights are 0."""
    parents: tuple[int, ...] = (-1, *(rng.randrange(v) for v in range(1, nodes)))
    tree, rows = label(parents, rng), []
    for _ in range(nodes):
        support = [rng.random() < 3 / 4 for _ in range(vocabulary_for(parents))]
        support[rng.randrange(len(support))] = True
        rows.append(row_of(rational(support, rng)))
    return TargetTree(tree, rows)


def random_laws(instances: int) -> Iterator[tuple[Law[Exit], TargetTree]]:
    """Stopped targets on random trees of 8 to 30 nodes; every fourth does not stop, which is the canonical law."""
    for seed in range(instances):
        rng = random.Random(f"random law/{seed}")
        target = random_target(rng, rng.randint(8, 30))
        stops = [mpq(rng.choice((0, 0, 1, 2, 3)), 3) if seed % 4 else mpq(0) for _ in range(target.tree.size)]
        yield stopping_law(target, stops), target


def about_random_laws(statement: str, instances: int, falsify: bool = False) -> int:
    """A statement about single laws on random laws."""
    for law, target in random_laws(instances):
        LAW_CHECKS[statement](law, target, falsify)
    return instances


def sampled(family: str, samples: int, falsify: bool = False) -> int:
    """An e-process on samples of each canonical verifier of a family never calls a fault at 1e-6, and bounds the distance.

    The only check that runs the verifiers with real randomness; it can miss small faults. Gives the number of samples.
    """
    count = 0
    rng = random.Random("sampled")
    target = random_target(rng, 6)
    problem = Problem(target)
    verifiers: list[Any] = [find("early stop")] if falsify else members(family)
    for verifier in verifiers:
        found = montecarlo(ChooserSampler(verifier, problem), target, samples=samples, claim="canonical")
        demand(found.verdict is not Outcome.FAULT, f"{verifier.name}: {str(found).splitlines()[0]}")
        count += found.samples
    return count
