"""Linear programs for the shape of the exact laws and for best trees: exact dual proofs, and HiGHS as a second opinion.

Theorem (vertices): on exact laws, with d(u) = P(block = u) / F(u) and c(u) = number of nodes of an antichain A at or below
u, less 1 off A, the sum of c(u) d(u) is at most |A|, since each path sum of d is at most 1; only the canonical law of the
subtree that stops at A reaches it.
Theorem (closure): the sum of F x over 0 <= x <= 1, sum x = n, x(child) <= x(parent) is at most n theta + sum of
(F - theta)+, for every theta; theta = the n-th largest flow proves the oracle.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from tevtheory.builders import oracle_tree
from tevtheory.exitlaw import coverage, flow, one_ring_regret
from tevtheory.laws import Law
from tevtheory.proofs_check.best_trees import Path
from tevtheory.proofs_check.closed_sets import DEPTHS, flows_within, random_source, random_tree, ring, strings_to
from tevtheory.proofs_check.evidence import demand
from tevtheory.proofs_check.law_checks import positive_nodes, subtree_law
from tevtheory.proofs_check.lp import TOLERANCE, maximise, problems
from tevtheory.proofs_check.polytopes import antichains, local_equalities
from tevtheory.targets import Target, TargetTree
from tevtheory.trees import DraftTree, Exit


def vertices(max_nodes: int, falsify: bool = False) -> int:
    """Each subtree's canonical law as the only maximiser of a linear objective; falsified, nothing is taken off A."""
    count = 0
    for problem in problems(max_nodes):
        target = problem.restricted(positive_nodes(problem))
        for kept in antichains(target.tree):
            cut = [v for v in range(1, target.tree.size) if v not in kept and target.tree.parents[v] in kept]
            _vertex(target, cut, subtree_law(target, kept), falsify)
            count += 1
    return count


def _vertex(target: TargetTree, cut: Sequence[int], law: Law[Exit], falsify: bool) -> None:
    tree, flows = target.tree, flow(target)
    paid = [sum(u in tree.ancestors(a) for a in cut) for u in range(tree.size)]
    gains = [paid[u] - int(u not in cut and not falsify) for u in range(tree.size)]
    loose = all(paid[u] > gains[u] for u in range(1, tree.size) if u not in cut)
    demand(loose, f"other laws than that of antichain {cut} on {tree} may be best")
    rates = {Exit(tree.parents[u], tree.tokens[u]): gains[u] / flows[u] for u in range(1, tree.size)}
    reached = law.mean(lambda end: rates.get(end, 0))
    demand(reached == len(cut), f"the law of antichain {cut} has {reached} on {tree}")
    _second_opinion(target, rates, law, len(cut))


def _second_opinion(target: TargetTree, rates: Mapping[Exit, Any], law: Law[Exit], best: int) -> None:
    """HiGHS over all laws that obey the local equalities, which know nothing of d."""
    ends, rows = local_equalities(target)
    equal = ([*rows, [1] * len(ends)], [0] * len(rows) + [1])
    optimum, found = maximise([rates.get(end, 0) for end in ends], equal=equal)
    gap = max(abs(mass - float(law[end])) for end, mass in zip(ends, found, strict=True))
    demand(abs(optimum - best) <= TOLERANCE, f"HiGHS has {optimum}, not {best} on {target.tree}")
    demand(gap <= TOLERANCE, f"HiGHS has another law, {gap} away, on {target.tree}")


def best_trees(statement: str, instances: int, falsify: bool = False) -> int:
    """The oracle, or the best tree within one step, as the closure program's optimum; falsified, with a larger theta."""
    for seed in range(instances):
        name = f"closure/{seed}"
        rng, target = random.Random(name), random_source(name, 2 + seed % 2)
        tree = random_tree(rng, target.vocabulary, rng.randint(4, 12), DEPTHS[target.vocabulary])
        flows, best = (_oracle if statement == "oracle" else _one_ring)(tree, target)
        theta = sorted(flows.values(), reverse=True)[tree.budget - 1 - int(falsify)]
        bound = tree.budget * theta + sum(max(mass - theta, 0) for mass in flows.values())
        demand(bound == best, f"theta {theta} proves {bound}, not {best}, within one step of {tree}")
        optimum = _closure_optimum(flows, tree.budget)
        demand(abs(optimum - float(best)) <= TOLERANCE, f"HiGHS has {optimum}, not {best}, within one step of {tree}")
    return instances


def _oracle(tree: DraftTree, target: Target) -> tuple[dict[Path, Any], Any]:
    depth = DEPTHS[target.vocabulary]
    flows = flows_within(target, strings_to(depth, target.vocabulary))
    return flows, coverage(TargetTree.of(oracle_tree(target, tree.budget, depth), target))


def _one_ring(tree: DraftTree, target: Target) -> tuple[dict[Path, Any], Any]:
    here = TargetTree.of(tree, target)
    return flows_within(target, ring(tree, target.vocabulary)), one_ring_regret(here) + coverage(here)


def _closure_optimum(flows: Mapping[Path, Any], budget: int) -> float:
    places = {path: i for i, path in enumerate(flows)}
    rows = []
    for path, at in places.items():
        if len(path) > 1:
            row = [0] * len(flows)
            row[at], row[places[path[:-1]]] = 1, -1
            rows.append(row)
    equal = ([[1] * len(flows)], [budget])
    return maximise(list(flows.values()), equal=equal, below=(rows, [0] * len(rows)), upper=1)[0]
