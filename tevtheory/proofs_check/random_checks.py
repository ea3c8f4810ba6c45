"""Statements on seeded random instances beyond the enumerated sizes, and verifiers by sampling."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from tevtheory.conformance.montecarlo import ChooserSampler, Outcome, montecarlo
from tevtheory.enumeration import rational
from tevtheory.enumeration.rows import label, row_of, vocabulary_for
from tevtheory.exitlaw import (
    block_length_law,
    canonical_exit_law,
    ceiling,
    ceiling_with_end,
    coverage,
    expected_length,
    first_violation,
)
from tevtheory.laws import Law
from tevtheory.proofs_check.evidence import demand
from tevtheory.proofs_check.exhaustive import enumerated, members, runs
from tevtheory.proofs_check.law_checks import LAW_CHECKS, stopping_law
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import ROOT, Exit
from tevtheory.verifiers.catalogue import find
from tevtheory.weights import mpq


def random_target(rng: random.Random, nodes: int, exhausted: bool = False) -> TargetTree:
    """A random recursive tree with random rows; a quarter of the weights are 0.

    With `exhausted` the children hold all mass at a quarter of the nodes that have some.
    """
    parents: tuple[int, ...] = (-1, *(rng.randrange(v) for v in range(1, nodes)))
    tree, rows = label(parents, rng), []
    for v in range(nodes):
        children = tree.child_maps[v] if exhausted and rng.random() < 1 / 4 else {}
        open_to = list(children) or range(vocabulary_for(parents))
        support = [x in open_to and rng.random() < 3 / 4 for x in range(vocabulary_for(parents))]
        support[rng.choice(open_to)] = True
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


def random_targets(instances: int) -> Iterator[TargetTree]:
    """Targets on random trees of 8 to 30 nodes, with zeros and with nodes whose children hold all mass."""
    for seed in range(instances):
        rng = random.Random(f"random target/{seed}")
        yield random_target(rng, rng.randint(8, 30), exhausted=True)


def _exit_sum(target: TargetTree, falsify: bool) -> None:
    """By draws: the canonical law's masses, not the exit masses, and without one exit when falsified."""
    masses = list(canonical_exit_law(target).values())
    total = sum(masses[int(falsify) :])
    demand(total == 1, f"the exits hold {total} on {target.tree}")


def _coverage_identity(target: TargetTree, falsify: bool) -> None:
    """The mean depth of the exit, from the leaves up and by the law."""
    below = [target.one * 0] * target.tree.size
    for v in range(target.tree.size - 1, 0, -1):
        below[target.tree.parents[v]] += target.edge(v) * (below[v] + 1)
    mean = canonical_exit_law(target).mean(lambda end: target.tree.depths[end.node] + int(falsify))
    demand(mean == below[ROOT] == coverage(target), f"mean depth {mean}, recursion {below[ROOT]} on {target.tree}")


def _length_law(target: TargetTree, falsify: bool) -> None:
    """The law of the length below a node is its exit mass at 1, and the children's laws one later."""
    tree = target.tree
    below = [[target.exit_probability(v), *[target.one * 0] * (tree.depth + 1)] for v in range(tree.size)]
    for v in range(tree.size - 1, 0, -1):
        above, p = below[tree.parents[v]], target.edge(v)
        for length, mass in enumerate(below[v][:-1]):
            above[length + 1] += p * mass
    law = {length + int(not falsify): mass for length, mass in enumerate(below[ROOT]) if mass}
    demand(block_length_law(target) == Law.trusted(law), f"another length law than {law} on {target.tree}")


def _end_of_sequence(target: TargetTree, falsify: bool) -> None:
    """The mean length below a node is 1 and, for each child that is no end, its own in proportion; for every end token."""
    tree = target.tree
    for end in range(target.vocabulary):
        below = [target.one] * tree.size
        for v in range(tree.size - 1, 0, -1):
            if tree.tokens[v] != end:
                below[tree.parents[v]] += target.edge(v) * below[v]
        said = ceiling(target) if falsify else ceiling_with_end(target, end)
        cut = ceiling(target.without_end(end))
        demand(said == below[ROOT] == cut, f"end {end}: said {said}, recursion {below[ROOT]} on {tree}")


TARGET_CHECKS: dict[str, Callable[[TargetTree, bool], None]] = {
    "exit-sum": _exit_sum,
    "coverage-identity": _coverage_identity,
    "length-law": _length_law,
    "end-of-sequence": _end_of_sequence,
}


def about_random_targets(statement: str, instances: int, falsify: bool = False) -> int:
    """A statement about single targets on random trees, against a recursion from the leaves up."""
    for target in random_targets(instances):
        TARGET_CHECKS[statement](target, falsify)
    return instances


def attainment(family: str, instances: int, falsify: bool = False) -> int:
    """The enumerated law of each canonical verifier is exact and as long as the ceiling, on random trees of 8 to 12 nodes.

    No canonical law is computed: by uniqueness there is no other such law.
    """
    count = 0
    rngs = (random.Random(f"random problem/{seed}") for seed in range(instances))
    tried = (Problem(random_target(rng, rng.randint(8, 12), exhausted=True)) for rng in rngs)
    for verifier, problem in runs(family, tried, falsify):
        law, target = enumerated(verifier, problem), problem.target
        demand(
            first_violation(law, target) is None, f"{verifier.name}: {first_violation(law, target)} on {target.tree}"
        )
        length = expected_length(law, target)
        demand(length == ceiling(target), f"{verifier.name}: E[length] {length} on {target.tree}")
        count += 1
    return count


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
