"""Bound and uniqueness as unsatisfiable linear formulas (z3), the flows free reals that only keep conservation.

A law over exits is free too, up to P(block starts with u) <= F(u) on all strings: what every exact law obeys, and what
every law obeys that a generator with memory makes exact. Unsatisfiable negation = proof for that shape and all
probabilities. Every node has two tokens off the tree, so that the bonus law has room to differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

from tevtheory.enumeration import Shape, unlabelled_shapes
from tevtheory.proofs_check.evidence import demand

_OFF = (0, 1)


@dataclass(frozen=True)
class System:
    """The variables of a shape and the constraints of the extendable laws on it."""

    depths: tuple[int, ...]
    flows: tuple[Any, ...]
    caps: tuple[tuple[Any, ...], ...]
    on: tuple[Any, ...]
    off: tuple[tuple[Any, ...], ...]
    constraints: tuple[Any, ...]

    @property
    def length(self) -> Any:
        """E[length] of the law."""
        left = [(self.depths[v] + 1) * mass for v, masses in enumerate(self.off) for mass in masses]
        return sum(left) + sum(self.depths[v] * mass for v, mass in enumerate(self.on) if v)


def system(shape: Shape, cap_bonus: bool = True) -> System:
    """The linear system of a shape; without `cap_bonus` the inequality is asked of tree nodes only."""
    import z3

    nodes = range(len(shape))
    depths = [0] * len(shape)
    for v in nodes[1:]:
        depths[v] = depths[shape[v]] + 1
    flows = [z3.RealVal(1), *(z3.Real(f"F{v}") for v in nodes[1:])]
    caps = [[z3.Real(f"c{v}_{x}") for x in _OFF] for v in nodes]
    on = [z3.RealVal(0), *(z3.Real(f"L{v}") for v in nodes[1:])]
    off = [[z3.Real(f"L{v}_{x}") for x in _OFF] for v in nodes]
    through = [sum(masses) for masses in off]
    for v in reversed(nodes[1:]):
        through[v] = through[v] + on[v]  # starts with v
        through[shape[v]] = through[shape[v]] + through[v]
    kids = [[c for c in nodes[1:] if shape[c] == v] for v in nodes]
    said = [through[0] == 1]
    said += [variable >= 0 for variable in chain(flows[1:], on[1:], *caps, *off)]
    said += [flows[v] == sum(flows[c] for c in kids[v]) + sum(caps[v]) for v in nodes]
    said += [through[v] <= flows[v] for v in nodes[1:]]
    if cap_bonus:
        said += [off[v][x] <= caps[v][x] for v in nodes for x in _OFF]
    return System(tuple(depths), tuple(flows), tuple(map(tuple, caps)), tuple(on), tuple(map(tuple, off)), tuple(said))


def _negations(statement: str, shape: Shape, falsify: bool) -> tuple[System, Any]:
    """The system, and the negated statement about it."""
    import z3

    posed = system(shape, cap_bonus=not (falsify and statement == "uniqueness"))
    top = sum(posed.flows)
    if statement == "uniqueness":
        nodes = range(len(shape))
        other = [posed.on[v] != 0 for v in nodes[1:]]
        other += [posed.off[v][x] != posed.caps[v][x] for v in nodes for x in _OFF]
        return posed, z3.And(posed.length == top, z3.Or(other))
    if statement == "dominance":
        return posed, z3.Or(list(_too_long(posed, shape, falsify)))
    return posed, posed.length > (top - posed.flows[-1] if falsify else top)


def _too_long(posed: System, shape: Shape, falsify: bool) -> Any:
    """P(length > k) > M_k, for some k."""
    for k in range(max(posed.depths) + 1):
        longer = [mass for v, masses in enumerate(posed.off) for mass in masses if posed.depths[v] >= k]
        longer += [posed.on[v] for v in range(1, len(shape)) if posed.depths[v] > k]
        reached = [mass for v, mass in enumerate(posed.flows) if posed.depths[v] == k]
        yield sum(longer) > sum(reached[: len(reached) - 1] if falsify else reached)


SMT_STATEMENTS = ("extendable-ceiling", "ceiling", "uniqueness", "dominance")


def prove_unsatisfiable(statement: str, max_nodes: int = 9, falsify: bool = False) -> int:
    """Prove a statement on every shape up to max_nodes; the control, the ceiling met, must be satisfiable on each.

    Gives the number of shapes, raises Refuted at the first failure.
    """
    import z3

    count = 0
    for nodes in range(1, max_nodes + 1):
        for shape in unlabelled_shapes(nodes):
            posed, negation = _negations(statement, shape, falsify)
            solver = z3.SolverFor("QF_LRA")
            solver.add(*posed.constraints)
            solver.push()
            solver.add(posed.length == sum(posed.flows), *(mass > 0 for mass in posed.flows[1:]))
            demand(solver.check() == z3.sat, f"{statement}: the ceiling cannot be met on {shape}")
            solver.pop()
            solver.add(negation)
            answer = solver.check()
            demand(answer == z3.unsat, f"{statement}: the negation is {answer} on {shape}")
            count += 1
    return count
