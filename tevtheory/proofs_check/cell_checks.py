"""Statements on whole cells of probabilities: the programs themselves run on rational functions.

Theorem (cell): what a program computes with additions, products, quotients and comparisons is one rational function of the
probabilities as long as the comparisons come out alike; so an identity of these functions holds for all of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from itertools import pairwise, permutations, product
from typing import Any

from tevtheory.choices import Verifier
from tevtheory.enumeration.rows import row_of
from tevtheory.exitlaw import canonical_exit_law
from tevtheory.proofs_check import best_trees
from tevtheory.proofs_check.cells import Cell, around, law_on_cell, source_around
from tevtheory.proofs_check.evidence import demand
from tevtheory.proofs_check.exhaustive import problems, runs
from tevtheory.proofs_check.law_checks import LAW_CHECKS, stopping_law
from tevtheory.proofs_check.lp import problems as lp_problems
from tevtheory.proofs_check.scope import (
    ACCEPT,
    BONUS,
    DRAFT,
    Rows,
    averaged_ceiling,
    blocks_of,
    follows_target,
    in_blocks,
    inclusion_bound,
    token_by_token,
)
from tevtheory.targets import Problem, Target, TargetTree
from tevtheory.trees import DraftTree
from tevtheory.verifiers.sequential_residual import BY_PROBABILITY
from tevtheory.weights import mpq

SORTING = (BY_PROBABILITY.name,)
"""Verifiers whose preparation puts children in order of probability: each order is tried, and the walk must not care."""


def attainment(family: str, generic: int, zeros: int, falsify: bool = False) -> int:
    """The law of every canonical verifier of a family, run on all rows with the same zeros at once.

    No comparison of a walk may depend on the probabilities. Falsified, a verifier that stops early takes their place.
    """
    count = 0
    for verifier, problem in runs(family, problems(generic, zeros), falsify):
        sorts = verifier.name in SORTING
        for target in _orders(problem.target) if sorts else [problem.target]:
            _on_cell(verifier, target, sorts)
            count += 1
    return count


def _on_cell(verifier: Verifier[Any], point: TargetTree, sorts: bool) -> None:
    cell, target, _ = around(point)
    plan = verifier.prepare(Problem(target))
    cell.whole = cell.whole or sorts
    found = law_on_cell(lambda chooser: verifier.walk(plan, chooser), verifier.slots)
    demand(found == canonical_exit_law(target), f"{verifier.name} on {target.tree}")
    demand(cell.whole, f"{verifier.name} decides by the probabilities on {target.tree}")


def _orders(target: TargetTree) -> Iterator[TargetTree]:
    """The target's zeros, and for every order of each node's children of positive probability rows in that order."""
    options = []
    for row, children in zip(target.rows, target.tree.child_maps, strict=True):
        tokens = [token for token in children if row[token] > 0]
        ranks = (dict(zip(order, range(1, len(order) + 1), strict=True)) for order in permutations(tokens))
        options.append([row_of([rank.get(x, int(weight > 0)) for x, weight in enumerate(row)]) for rank in ranks])
    yield from (TargetTree(target.tree, rows) for rows in product(*options))


def about_laws(statement: str, max_nodes: int, falsify: bool = False) -> int:
    """A statement about single laws on every stopped target: symbols for the rows and for the stops other than 0 and 1.

    But for the mixture, which takes the least of some stops, no comparison may depend on the probabilities.
    """
    count = 0
    for point in lp_problems(max_nodes):
        for where in _stoppings(point.tree):
            rng = random.Random(f"{point.tree}/{where}")
            cell, target, inside = around(point, [mpq(rng.randint(1, 996), 997) for _ in range(where.count(None))])
            upcoming = iter(inside)
            law = stopping_law(target, [next(upcoming) if stop is None else stop for stop in where])
            LAW_CHECKS[statement](law, target, falsify)
            demand(cell.whole or statement == "polytope", f"{statement} hangs on the probabilities on {target.tree}")
            count += 1
    return count


def _stoppings(tree: DraftTree) -> Iterator[tuple[Any, ...]]:
    """Per node a stop of 0, inside (None) or 1; the root does not stop, and below a stop of 1 nothing is asked."""
    for stops in product((mpq(0), None, mpq(1)), repeat=tree.budget):
        where = (mpq(0), *stops)
        if not any(where[v] != 0 and where[u] == 1 for v in range(1, tree.size) for u in tree.ancestors(v) if u != v):
            yield where


def about_best_trees(statement: str, max_nodes: int, falsify: bool = False) -> int:
    """Oracle, ledger or one-ring regret on the cells around targets with memory, against all trees."""
    check = {"oracle": best_trees.oracle, "ledger": best_trees.ledger, "one-ring": best_trees.one_ring}[statement]
    return check(max_nodes, falsify, (source_around(Target(3, partial(_untied, seed)), max_nodes) for seed in range(3)))


def _untied(seed: int, prefix: tuple[int, ...]) -> list[Any]:
    """A row of different weights, so that no order of strings hangs on a border of its cell."""
    return [mpq(weight, 100) for weight in random.Random(f"untied/{seed}/{prefix}").choice(_UNTIED)]


_UNTIED = [(a, b, 100 - a - b) for a in range(1, 99) for b in range(1, 100 - a) if len({a, b, 100 - a - b}) == 3]

_CORNERS = ((0, 0), (0, 1), (1, 1), (1, 0), (0, 0))
_INSIDE = (mpq(1, 7), mpq(2, 7), mpq(4, 7))


def scope(depth: int, falsify: bool = False) -> int:
    """Two tokens, all p and q: both rules are exact on average, above the averaged ceiling, and blocks are the bound.

    The lines p = q and p + q = 1 cut the square into four triangles, each a cell; no comparison may change inside.
    Falsified, blocks must be strictly longer than token by token.
    """
    count = 0
    for corners in pairwise(_CORNERS):
        for k in range(1, depth + 1):
            cell = Cell([_INSIDE])
            _on_triangle(_rows_of(cell, corners), k, falsify)
            demand(cell.whole, f"a comparison changes inside the triangle at {corners}")
            count += 1
    return count


def _rows_of(cell: Cell, corners: Any) -> Rows:
    """The target's and the drafter's rows, with (p, q) in the triangle of two corners and the middle of the square."""
    near, far, middle = cell.rows[0]
    p, q = (near * a + far * b + middle / 2 for a, b in zip(*corners, strict=True))
    return (p, 1 - p), (q, 1 - q)


def _on_triangle(rows: Rows, depth: int, falsify: bool) -> None:
    lengths = []
    for program in (token_by_token(depth, rows), in_blocks(depth, rows)):
        blocks = blocks_of(law_on_cell(program, [DRAFT, ACCEPT, BONUS]))
        demand(follows_target(blocks, depth + 1, rows[0]), f"not exact on average at depth {depth}")
        lengths.append(blocks.mean(len))
    single, block = lengths
    demand(single > averaged_ceiling(depth, rows), f"E[length] {single} within the averaged ceiling")
    demand(block == inclusion_bound(depth, rows), f"blocks of {block} miss the bound")
    demand(block > single if falsify else block >= single, f"blocks of {block}, token by token {single}")
