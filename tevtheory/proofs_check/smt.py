"""Statements as unsatisfiable linear formulas (z3), the flows free reals that only keep conservation.

Where the statement is about more than the canonical law, a law over exits is free too, up to P(block starts with u) <= F(u)
on all strings: what every exact law obeys, and what every law obeys that a generator with memory makes exact.
Unsatisfiable negation = proof for that shape and all probabilities. Every node has two tokens off the tree, so that the
bonus law has room to differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
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


def canonical_system(shape: Shape) -> System:
    """The flows and caps of a shape with the canonical law, whose masses are the caps."""
    import z3

    nodes = range(len(shape))
    depths = [0] * len(shape)
    for v in nodes[1:]:
        depths[v] = depths[shape[v]] + 1
    flows = (z3.RealVal(1), *(z3.Real(f"F{v}") for v in nodes[1:]))
    caps = tuple(tuple(z3.Real(f"c{v}_{x}") for x in _OFF) for v in nodes)
    said = [variable >= 0 for variable in chain(flows[1:], *caps)]
    said += [flows[v] == sum(flows[c] for c in nodes[1:] if shape[c] == v) + sum(caps[v]) for v in nodes]
    return System(tuple(depths), flows, caps, (z3.RealVal(0),) * len(shape), caps, tuple(said))


def system(shape: Shape, cap_bonus: bool = True) -> System:
    """The linear system of a shape; without `cap_bonus` the inequality is asked of tree nodes only."""
    import z3

    nodes, plain = range(len(shape)), canonical_system(shape)
    on = [z3.RealVal(0), *(z3.Real(f"L{v}") for v in nodes[1:])]
    off = [[z3.Real(f"L{v}_{x}") for x in _OFF] for v in nodes]
    through = [sum(masses) for masses in off]
    for v in reversed(nodes[1:]):
        through[v] = through[v] + on[v]  # starts with v
        through[shape[v]] = through[shape[v]] + through[v]
    said = [*plain.constraints, through[0] == 1]
    said += [variable >= 0 for variable in chain(on[1:], *off)]
    said += [through[v] <= plain.flows[v] for v in nodes[1:]]
    if cap_bonus:
        said += [off[v][x] <= plain.caps[v][x] for v in nodes for x in _OFF]
    return replace(plain, on=tuple(on), off=tuple(map(tuple, off)), constraints=tuple(said))


def _negations(statement: str, shape: Shape, falsify: bool) -> tuple[System, Any]:
    """The system, and the negated statement about it."""
    import z3

    if statement in _CANONICAL:
        posed = canonical_system(shape)
        return posed, z3.Or(list(_CANONICAL[statement](posed, falsify)))
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


def _exit_sum(posed: System, falsify: bool) -> Iterator[Any]:
    yield sum(chain.from_iterable(posed.off[int(falsify) :])) != 1


def _coverage_identity(posed: System, falsify: bool) -> Iterator[Any]:
    exits = zip(posed.depths, posed.off, strict=True)
    yield sum((depth + int(falsify)) * sum(masses) for depth, masses in exits) != sum(posed.flows) - 1


def _length_law(posed: System, falsify: bool) -> Iterator[Any]:
    """The exit mass at depth k is not M_k - M_{k+1}, for some k."""
    levels = range(max(posed.depths) + 2)
    reached = [sum(mass for v, mass in enumerate(posed.flows) if posed.depths[v] == k) for k in levels]
    for k in levels[:-1]:
        left = [sum(masses) for v, masses in enumerate(posed.off) if posed.depths[v] == k]
        yield sum(left) != reached[k] - (0 if falsify else reached[k + 1])


_CANONICAL = {"exit-sum": _exit_sum, "coverage-identity": _coverage_identity, "length-law": _length_law}
"""Statements about the canonical law alone."""

SMT_STATEMENTS = ("extendable-ceiling", "ceiling", "uniqueness", "dominance", *_CANONICAL)


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
