"""Trees, targets and brute force that several tests share."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from tevtheory.enumeration import draft_trees
from tevtheory.laws import Law
from tevtheory.targets import Target, TargetTree
from tevtheory.trees import DraftTree, Exit
from tevtheory.weights import fraction

VOCABULARY = 3


def small_trees(max_nodes: int = 4, vocabulary: int = VOCABULARY) -> list[DraftTree]:
    return [tree for nodes in range(1, max_nodes + 1) for tree in draft_trees(nodes, vocabulary)]


def on(tree: DraftTree, seed: int = 0) -> TargetTree:
    return TargetTree.of(tree, Target.seeded(VOCABULARY, seed))


def with_zeros(tree: DraftTree, seed: int) -> TargetTree:
    """Rows of small random integers, zeros and exhausted rows among them."""
    rng = random.Random(f"zeros/{seed}/{tree}")
    rows = []
    for _ in range(tree.size):
        weights = [0]
        while not any(weights):
            weights = [rng.choice([0, 0, 1, 2, 5]) for _ in range(VOCABULARY)]
        rows.append([Fraction(weight, sum(weights)) for weight in weights])
    return TargetTree(tree, rows)


def targets(max_nodes: int = 4) -> list[TargetTree]:
    trees = small_trees(max_nodes)
    return [on(tree) for tree in trees] + [with_zeros(tree, seed) for tree in trees for seed in range(3)]


def continuations(target: TargetTree) -> Iterator[tuple[Exit, Fraction]]:
    """Every string of tokens at which the target leaves the tree, by writing out all strings of full length."""
    tree, seen = target.tree, set[Exit]()
    for string in product(range(target.vocabulary), repeat=tree.depth + 1):
        node, mass = 0, Fraction(1)
        for token in string:
            mass *= fraction(target.rows[node][token])
            child = tree.child(node, token)
            if child is None:
                end = Exit(node, token)
                if end not in seen and mass:
                    seen.add(end)
                    yield end, mass
                break
            node = child


def brute_canonical(target: TargetTree) -> Law[Exit]:
    return Law(dict(continuations(target)))


def brute_mean_length(law: Law[Exit], tree: DraftTree) -> Fraction:
    return sum((mass * (len(tree.path(end.node)) + 1) for end, mass in law.fractions().items()), start=Fraction(0))


def random_exact_law(target: TargetTree, rng: random.Random) -> Law[Exit]:
    """A randomised stopping time: at every in-tree string stop with a random probability of its own."""
    tree, masses = target.tree, dict[Exit, Fraction]()
    alive = {0: Fraction(1)}
    for node in range(tree.size):
        for token in range(target.vocabulary):
            through = alive.get(node, Fraction(0)) * fraction(target.rows[node][token])
            child = tree.child(node, token)
            stop = Fraction(rng.choice([0, 0, 1, 1, 3]), 3) if child is not None else Fraction(1)
            if through * stop:
                masses[Exit(node, token)] = through * stop
            if child is not None:
                alive[child] = through * (1 - stop)
    return Law(masses)
