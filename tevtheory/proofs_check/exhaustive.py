"""Statements by enumeration on small trees, in exact arithmetic.

Each function gives the number of instances and raises Refuted at the first on which the statement (or, with `falsify`, its
planted near miss) is false.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from tevtheory.choices import Limits, Verifier, enumerate_law
from tevtheory.enumeration import chunks, draft_trees, unlabelled_shapes
from tevtheory.exitlaw import (
    block_length_law,
    canonical_exit_law,
    ceiling,
    ceiling_with_end,
    coverage,
    exit_masses,
    expected_length,
    first_excess,
    first_violation,
)
from tevtheory.laws import Law
from tevtheory.proofs_check.evidence import demand
from tevtheory.proofs_check.law_checks import LAW_CHECKS, positive_nodes, stopping_law, subtree_law
from tevtheory.proofs_check.polytopes import affine_dimension, antichains, vertices
from tevtheory.proofs_check.statements import FAMILIES
from tevtheory.targets import Problem, Target, TargetTree
from tevtheory.trees import ROOT, DraftTree, Exit
from tevtheory.verdicts import Verdict
from tevtheory.verifiers.catalogue import CATALOGUE, find
from tevtheory.weights import mpq

_STOPS = (mpq(0), mpq(1, 3), mpq(1))


def problems(generic: int, zeros: int) -> Iterator[Problem]:
    """Generic rows on all shapes up to `generic` nodes, and every choice of zero and exhausted rows up to `zeros`."""
    for name, nodes in (("generic", generic), ("zeros", zeros)):
        for chunk in chunks(name, nodes):
            yield from (problem for _, problem in chunk.generate(0))


def _targets(max_nodes: int) -> Iterator[TargetTree]:
    yield from (problem.target for problem in problems(max_nodes, max_nodes - 1))


def exact_laws(target: TargetTree) -> Iterator[Law[Exit]]:
    """The canonical law of every rooted subtree, and the stopped target for stops 0, 1/3 or 1 at every node."""
    for kept in antichains(target.tree):
        yield subtree_law(target, kept)
    for stops in product(_STOPS, repeat=target.tree.budget):
        yield stopping_law(target, (0, *stops))


def about_laws(statement: str, max_nodes: int, falsify: bool) -> int:
    """A statement about single laws, on all of `exact_laws`."""
    count = 0
    for target in _targets(max_nodes):
        for law in exact_laws(target):
            LAW_CHECKS[statement](law, target, falsify)
            count += 1
    return count


def polytope(max_nodes: int, falsify: bool = False) -> int:
    """Vertices by solving every basis, against antichains; the dimension as a rank; and the mixtures of `about_laws`."""
    count = 0
    for nodes in range(1, max_nodes + 2):
        for shape in unlabelled_shapes(nodes):
            tree = next(iter(_plain(shape)))
            cuts = {tuple(int(_cut_at(tree, kept, v)) for v in range(1, nodes)) for kept in antichains(tree)}
            cuts = {cut for cut in cuts if sum(cut) <= 1} if falsify else cuts
            demand(vertices(tree) == cuts, f"{tree} has other vertices than its antichains")
            count += 1
    for target in _targets(max_nodes):
        wanted, got = len(positive_nodes(target)) - 1, affine_dimension(target)
        demand(got == wanted, f"dimension {got}, not {wanted}, on {target.tree}")
        count += 1
    return count + about_laws("polytope", max_nodes, falsify)


def _plain(shape: tuple[int, ...]) -> Iterator[DraftTree]:
    fans = [sum(parent == shape[v] for parent in shape[1:v]) for v in range(len(shape))]
    yield DraftTree(shape, (-1, *fans[1:]))


def _cut_at(tree: DraftTree, kept: tuple[int, ...], v: int) -> bool:
    return v not in kept and tree.parents[v] in kept


def identities(statement: str, max_nodes: int, falsify: bool) -> int:
    """Exit sum and coverage identity on rows with zeros, where symbols say nothing new but the code could."""
    count = 0
    for target in _targets(max_nodes):
        exits, off = exit_masses(target), int(falsify)
        if statement == "exit-sum":
            demand(sum(exits[off:]) == 1, f"exit masses {exits} on {target.tree}")
        else:
            mean = sum((depth + off) * mass for depth, mass in zip(target.tree.depths, exits, strict=True))
            demand(mean == coverage(target), f"mean depth {mean} on {target.tree}")
        count += 1
    return count


def _written_out(target: TargetTree, end: int | None = None) -> Law[int]:
    """The length of the block that follows the target out of the tree, or up to `end`, string by string."""
    masses: dict[int, Any] = {}
    stack = [(ROOT, target.one, 0)]
    while stack:
        node, mass, length = stack.pop()
        for token, weight in enumerate(target.rows[node]):
            child = target.tree.child(node, token)
            if child is not None and token != end:
                stack.append((child, mass * weight, length + 1))
            elif mass * weight:
                masses[length + 1] = masses.get(length + 1, 0) + mass * weight
    return Law.trusted(masses)


def length_law(max_nodes: int, falsify: bool = False) -> int:
    """The length law against all strings written out."""
    count = 0
    for target in _targets(max_nodes):
        written = _written_out(target).map(lambda length: length + int(falsify))
        demand(block_length_law(target) == written, f"another length law on {target.tree}")
        count += 1
    return count


def end_of_sequence(max_nodes: int, falsify: bool = False) -> int:
    """The ceiling with every token as end of sequence, against all strings written out."""
    count = 0
    for target in _targets(max_nodes):
        for end in range(target.vocabulary):
            written = _written_out(target, end).mean(lambda length: length)
            said = ceiling(target) if falsify else ceiling_with_end(target, end)
            demand(said == written, f"end {end}: said {said}, written out {written} on {target.tree}")
            count += 1
    return count


def extendable_ceiling(max_nodes: int, falsify: bool = False) -> int:
    """Every rule that looks ahead: a stop for each string of full length. Falsified: all of them are exact."""
    count = 0
    for nodes in range(1, max_nodes + 1):
        for tree in draft_trees(nodes, 2):
            target = TargetTree.of(tree, Target.seeded(2))
            canonical, top = canonical_exit_law(target), ceiling(target)
            for law in _anticipating_laws(target):
                demand(first_excess(law, target) is None, f"{first_excess(law, target)} on {tree}")
                length = expected_length(law, target)
                demand(length < top or (law == canonical and length == top), f"E[length] {length} on {tree}")
                demand(not falsify or first_violation(law, target) is None, f"{law} is not exact on {tree}")
                count += 1
    return count


def _anticipating_laws(target: TargetTree) -> Iterator[Law[Exit]]:
    source = Target.seeded(2)
    walks = []
    for string in product(range(2), repeat=target.tree.depth + 1):
        node, mass, ends = ROOT, mpq(1), list[Exit]()
        for i, token in enumerate(string):
            mass *= source.row(string[:i])[token]
            if node >= 0:
                ends.append(Exit(node, token))
                node = target.tree.child_maps[node].get(token, -1)
        walks.append([(end, mass) for end in ends])
    for picks in product(*walks):
        masses: dict[Exit, Any] = {}
        for end, mass in picks:
            masses[end] = masses.get(end, 0) + mass
        yield Law.trusted(masses)


def attainment(family: str, generic: int, zeros: int, falsify: bool = False) -> int:
    """The law of every canonical verifier of a family, enumerated; falsified, one that stops early takes its place."""
    count = 0
    for verifier, problem in runs(family, problems(generic, zeros), falsify):
        demand(
            enumerated(verifier, problem) == canonical_exit_law(problem.target), f"{verifier.name} on {problem.tree}"
        )
        count += 1
    return count


def runs(family: str, tried: Iterable[Problem], falsify: bool) -> Iterator[tuple[Verifier[Any], Problem]]:
    """Each problem with each canonical verifier of a family that has at most 200 paths, or with one that stops early."""
    verifiers = [find("early stop")] if falsify else members(family)
    for problem in tried:
        for verifier in verifiers:
            if verifier.path_bound is None or verifier.path_bound(problem) <= 200:
                yield verifier, problem


def enumerated(verifier: Verifier[Any], problem: Problem) -> Law[Exit]:
    """The whole law of a verifier on a problem."""
    plan = verifier.prepare(problem)
    found = enumerate_law(
        lambda chooser: verifier.walk(plan, chooser), slots=verifier.slots, limits=Limits(paths=100_000)
    )
    demand(found.cut is None, f"{verifier.name}: {found.cut} on {problem.tree}")
    return found.law


def members(family: str) -> list[Verifier[Any]]:
    """The catalogue's verifiers of a family that claim the canonical law."""
    module = f"tevtheory.verifiers.{FAMILIES[family]}"
    return [entry for entry in CATALOGUE if entry.claim is Verdict.CANONICAL and entry.walk.__module__ == module]
