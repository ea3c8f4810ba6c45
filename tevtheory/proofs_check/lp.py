"""Producers of certificates, none of them trusted: the universal one, and scipy's HiGHS in floating point.

HiGHS is used twice: its optimum is compared with 1 + coverage within 1e-9 (it is float64), and its dual numbers are rounded
to small fractions and given to the exact checker, which accepts or refuses them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tevtheory.enumeration import Shape, rational, unlabelled_shapes
from tevtheory.enumeration.rows import full_rows, label, vocabulary_for, zero_pattern_rows, zero_patterns
from tevtheory.exitlaw import canonical_exit_law, ceiling, flow
from tevtheory.proofs_check.certificates import Certificate, Refused, check_certificate
from tevtheory.proofs_check.evidence import Refuted, demand
from tevtheory.targets import TargetTree
from tevtheory.weights import show

MODES = ("generic", "zeros", "exhausted")
TOLERANCE = 1e-9


def problem_in_mode(shape: Shape, mode: str, seed: int = 0) -> TargetTree:
    """A target on a shape: positive rows, or zero children, or rows that the children exhaust, as often as they fit."""
    rng = random.Random(f"{seed}/{mode}/{shape}")
    tree, size = label(shape, rng), vocabulary_for(shape)
    if mode == "generic":
        return TargetTree(tree, full_rows(tree, size, rng, rational))
    patterns = [marks for marks in zero_patterns(tree) if all(_fits(row, mode) for row in marks)]
    return TargetTree(tree, zero_pattern_rows(tree, rng.choice(patterns), size, rng, rational))


def _fits(marks: tuple[bool, ...], mode: str) -> bool:
    if len(marks) == 1:
        return True
    return not all(marks[:-1]) if mode == "zeros" else not marks[-1]


def problems(max_nodes: int) -> Iterator[TargetTree]:
    """Every shape in the three modes."""
    for nodes in range(1, max_nodes + 1):
        for shape in unlabelled_shapes(nodes):
            for mode in MODES:
                yield problem_in_mode(shape, mode)


def universal_certificate(target: TargetTree) -> Certificate:
    """The dual numbers mu = 1, y = 1, z = 0 with the canonical law.

    >>> from tevtheory.examples import C2
    >>> print(check_certificate(universal_certificate(C2)))
    15/8
    """
    law = {(end.node, end.token): show(mass) for end, mass in canonical_exit_law(target).items()}
    rows = tuple(tuple(show(p) for p in row) for row in target.rows)
    y = ("0", *["1"] * target.tree.budget)
    return Certificate(target.tree.parents, target.tree.tokens, rows, law, "1", y, show(ceiling(target)), unique=True)


Rows = tuple[Sequence[Sequence[Any]], Sequence[Any]]
"""Coefficients, row by row, and right-hand sides."""


def maximise(
    gains: Sequence[Any], equal: Rows, below: Rows = ((), ()), upper: float | None = None
) -> tuple[float, list[float]]:
    """The optimum and an optimal point of gains * x over 0 <= x <= upper, in float64 by HiGHS."""
    import numpy as np
    from scipy.optimize import linprog

    capped = {"A_ub": np.array(below[0], dtype=float), "b_ub": np.array(below[1], dtype=float)} if below[0] else {}
    found = linprog(
        -np.array(gains, dtype=float),
        A_eq=np.array(equal[0], dtype=float),
        b_eq=np.array(equal[1], dtype=float),
        bounds=(0, upper),
        method="highs",
        **capped,
    )
    if found.status != 0:
        raise Refuted(f"HiGHS: {found.message}")
    return -float(found.fun), list(map(float, found.x))


@dataclass(frozen=True)
class Solution:
    """What HiGHS says: the optimum, the law, and its dual numbers mu, y (per node) and z (per exit off the tree)."""

    optimum: float
    law: dict[tuple[int, int], float]
    mu: float
    y: tuple[float, ...]
    z: dict[tuple[int, int], float]


def solve(target: TargetTree) -> Solution:
    """Solve the linear program of a target tree with HiGHS."""
    import numpy as np
    from scipy.optimize import linprog

    tree, flows = target.tree, [float(mass) for mass in flow(target)]
    ends = [(v, x) for v in range(tree.size) for x in range(target.vocabulary)]
    gains = np.array([tree.depths[v] + 1.0 for v, _ in ends])
    rows, caps, off = [], [], []
    for u in range(1, tree.size):
        rows.append([float(u in tree.ancestors(v) or tree.child(v, x) == u) for v, x in ends])
        caps.append(flows[u])
    for i, (v, x) in enumerate(ends):
        if tree.child(v, x) is None:
            rows.append([float(i == j) for j in range(len(ends))])
            caps.append(flows[v] * float(target.rows[v][x]))
            off.append((v, x))
    found = linprog(-gains, A_ub=np.array(rows), b_ub=caps, A_eq=np.ones((1, len(ends))), b_eq=[1.0], method="highs")
    if found.status != 0:
        raise Refuted(f"HiGHS on {tree}: {found.message}")
    duals = [-float(number) for number in found.ineqlin.marginals]
    return Solution(
        -float(found.fun),
        dict(zip(ends, map(float, found.x), strict=True)),
        -float(found.eqlin.marginals[0]),
        (0.0, *duals[: tree.budget]),
        dict(zip(off, duals[tree.budget :], strict=True)),
    )


def rounded_certificate(target: TargetTree, solution: Solution) -> Certificate:
    """The canonical law with HiGHS's dual numbers, rounded to fractions of small denominator."""
    universal = universal_certificate(target)
    z = {end: _near(number) for end, number in solution.z.items() if _near(number) != "0"}
    y, mu = tuple(map(_near, solution.y)), _near(solution.mu)
    return Certificate(universal.parents, universal.tokens, universal.rows, universal.law, mu, y, universal.value, z)


def _near(number: float) -> str:
    return str(Fraction(number).limit_denominator(64))


def check_universal(max_nodes: int = 6, falsify: bool = False) -> int:
    """Check the universal certificate on every shape in the three modes; falsified, it claims y = 1/2 at the last node."""
    count = 0
    for target in problems(max_nodes):
        proof = universal_certificate(target)
        if falsify and target.tree.budget:
            proof = replace(proof, y=(*proof.y[:-1], "1/2"))
        try:
            check_certificate(proof)
        except Refused as refusal:
            raise Refuted(f"{target.tree}: {refusal}") from None
        count += 1
    return count


def check_with_highs(max_nodes: int = 5, falsify: bool = False) -> int:
    """HiGHS finds 1 + coverage and the canonical law, and its rounded dual numbers pass the exact checker."""
    count = 0
    for target in problems(max_nodes):
        solution, top = solve(target), float(ceiling(target)) + (1e-3 if falsify else 0)
        demand(abs(solution.optimum - top) <= TOLERANCE, f"{target.tree}: HiGHS has {solution.optimum}, not {top}")
        law: dict[Any, Any] = dict(canonical_exit_law(target))
        gap = max(abs(mass - float(law.get(end, 0))) for end, mass in solution.law.items())
        demand(gap <= TOLERANCE, f"{target.tree}: HiGHS has another law, {gap} away")
        try:
            check_certificate(rounded_certificate(target, solution))
        except Refused as refusal:
            raise Refuted(f"{target.tree}: the dual numbers of HiGHS are refused: {refusal}") from None
        count += 1
    return count
