"""Certificates of the ceiling: plain numbers, and a checker that trusts nobody and solves nothing.

The linear program: maximise E[length] over laws L of exits, with sum L = 1 [mu], P(block starts with u) <= F(u) on tree
nodes u [y_u] and L(v, x) <= F(v) p(x | v) on tokens x off the tree [z_vx]. Weak duality: a law that obeys these and numbers
mu, y >= 0, z >= 0 with
  mu + sum of y over the nodes of path(v) + z_vx >= length, for every exit (v, x) off the tree,
  mu + sum of y over the nodes of path(c)        >= length, for every exit that lands on a node c,
whose two values agree, prove each other optimal. mu = 1, y = 1, z = 0 does it on every tree, for all probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import starmap
from typing import Any

from gmpy2 import mpq

Number = Any
Ends = Mapping[tuple[int, int], str]


class Refused(ValueError):
    """A certificate that does not prove what it says."""


@dataclass(frozen=True)
class Certificate:
    """A tree with the target's rows, a law, dual numbers and the value both are said to have; numbers as text, "3/4".

    `law` and `z` are by (node, token); what is not listed is 0. `y` has one number per node, the root's being "0".
    `unique` claims that no other law has the value.
    """

    parents: tuple[int, ...]
    tokens: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    law: Ends
    mu: str
    y: tuple[str, ...]
    value: str
    z: Ends = field(default_factory=dict)
    unique: bool = False


def check_certificate(certificate: Certificate) -> Number:
    """The value that the certificate proves to be the largest E[length]; raises Refused with the reason where it fails.

    >>> root = Certificate((-1,), (-1,), (("1/3", "2/3"),), {(0, 0): "1/3", (0, 1): "2/3"}, "1", ("0",), "1", unique=True)
    >>> print(check_certificate(root))
    1
    """
    proof = _read(certificate)
    _check_rows(proof)
    _check_law(proof)
    slacks = _dual_slacks(proof)
    value, primal, dual = mpq(certificate.value), _primal_value(proof), _dual_value(proof)
    _require(primal == value, f"the law has E[length] {primal}, not {value}")
    _require(dual == value, f"the dual numbers have the value {dual}, not {value}")
    _check_slackness(proof, slacks)
    if certificate.unique:
        _check_unique(proof, slacks)
    return value


@dataclass(frozen=True)
class _Proof:
    """A certificate in rationals, with what follows from tree and rows."""

    parents: tuple[int, ...]
    depths: tuple[int, ...]
    kids: tuple[dict[int, int], ...]
    rows: tuple[tuple[Number, ...], ...]
    flows: tuple[Number, ...]
    law: dict[tuple[int, int], Number]
    starts: tuple[Number, ...]
    mu: Number
    y: tuple[Number, ...]
    z: dict[tuple[int, int], Number]

    def ends(self) -> list[tuple[int, int]]:
        return [(v, x) for v, row in enumerate(self.rows) for x in range(len(row))]

    def cap(self, v: int, x: int) -> Number:
        return self.flows[v] * self.rows[v][x]


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise Refused(reason)


def _read(given: Certificate) -> _Proof:
    size = len(given.parents)
    lengths = {len(given.tokens), len(given.rows), len(given.y)}
    _require(size > 0 and lengths == {size}, "parents, tokens, rows and y must have one entry per node")
    _require(given.parents[0] == -1, "node 0 must be the root")
    rows = tuple(tuple(map(mpq, row)) for row in given.rows)
    depths, flows = [0] * size, [mpq(1)] * size
    kids: list[dict[int, int]] = [{} for _ in range(size)]
    for v in range(1, size):
        parent, token = given.parents[v], given.tokens[v]
        _require(0 <= parent < v, f"node {v} must come after its parent")
        _require(0 <= token < len(rows[parent]), f"node {v} has the unknown token {token}")
        _require(token not in kids[parent], f"node {v} is the second child of token {token}")
        kids[parent][token] = v
        depths[v], flows[v] = depths[parent] + 1, flows[parent] * rows[parent][token]
    law = {end: mpq(mass) for end, mass in given.law.items()}
    z = {end: mpq(number) for end, number in given.z.items()}
    known = {(v, x) for v, row in enumerate(rows) for x in range(len(row))}
    _require(law.keys() | z.keys() <= known, "an exit that this tree does not have")
    starts = _starts(given.parents, kids, law)
    y = tuple(map(mpq, given.y))
    return _Proof(
        given.parents, tuple(depths), tuple(kids), rows, tuple(flows), law, starts, mpq(given.mu), y, z
    )  # fmt: skip


def _starts(
    parents: tuple[int, ...], kids: list[dict[int, int]], law: dict[tuple[int, int], Number]
) -> tuple[Number, ...]:
    """P(block starts with v): it passes through v or ends there."""
    starts = [mpq(0)] * len(parents)
    for (v, x), mass in law.items():
        landed = kids[v].get(x, v)
        starts[landed] += mass
    for v in range(len(parents) - 1, 0, -1):
        starts[parents[v]] += starts[v]
    return tuple(starts)


def _check_rows(proof: _Proof) -> None:
    for v, row in enumerate(proof.rows):
        _require(all(p >= 0 for p in row) and sum(row) == 1, f"row {v} is no law")


def _check_law(proof: _Proof) -> None:
    """Primal feasibility."""
    _require(all(mass >= 0 for mass in proof.law.values()), "a negative mass")
    _require(sum(proof.law.values()) == 1, "the masses do not sum to 1")
    for v, (start, through) in enumerate(zip(proof.starts, proof.flows, strict=True)):
        _require(start <= through, f"P(block starts with node {v}) is {start}, above its flow {through}")
    for (v, x), mass in proof.law.items():
        if x not in proof.kids[v]:
            _require(mass <= proof.cap(v, x), f"exit {(v, x)} has {mass}, above {proof.cap(v, x)}")


def _dual_slacks(proof: _Proof) -> dict[tuple[int, int], Number]:
    """Dual feasibility; gives the slack of every exit's constraint."""
    _require(all(number >= 0 for number in (*proof.y, *proof.z.values())), "a negative dual number")
    _require(all(x not in proof.kids[v] for v, x in proof.z), "z is for exits off the tree")
    _require(proof.y[0] == 0, "the root has no dual number")
    paid = [proof.mu] * len(proof.parents)
    for v in range(1, len(paid)):
        paid[v] = paid[proof.parents[v]] + proof.y[v]
    slacks = {}
    for v, x in proof.ends():
        landed = proof.kids[v].get(x)
        got = paid[v] + proof.z.get((v, x), mpq(0)) if landed is None else paid[landed]
        slacks[v, x] = got - (proof.depths[v] + 1)
        _require(slacks[v, x] >= 0, f"the dual constraint of exit {(v, x)} fails by {-slacks[v, x]}")
    return slacks


def _primal_value(proof: _Proof) -> Number:
    return sum((proof.depths[v] + 1) * mass for (v, _), mass in proof.law.items())


def _dual_value(proof: _Proof) -> Number:
    nodes = sum(y * mass for y, mass in zip(proof.y, proof.flows, strict=True))
    return proof.mu + nodes + sum(z * cap for z, cap in zip(proof.z.values(), starmap(proof.cap, proof.z), strict=True))


def _check_slackness(proof: _Proof, slacks: dict[tuple[int, int], Number]) -> None:
    """Complementary slackness: implied by equal values, and checked on its own."""
    _require(all(mass == 0 or slacks[end] == 0 for end, mass in proof.law.items()), "mass on an exit with slack")
    loose = [v for v, y in enumerate(proof.y) if y > 0 and proof.starts[v] != proof.flows[v]]
    _require(not loose, f"node {loose[:1]} has y > 0 and is not met")
    _require(all(z == 0 or proof.law.get(end, 0) == proof.cap(*end) for end, z in proof.z.items()), "z > 0 below a cap")


def _check_unique(proof: _Proof, slacks: dict[tuple[int, int], Number]) -> None:
    """Every optimal law is this one.

    y_u > 0 makes P(block starts with u) = F(u) in every optimal law, slack > 0 on the tree makes its mass there 0, so the
    exits at v hold F(v) minus the children's flow: the sum of their caps, which they then all reach. Nodes of flow 0 have
    mass 0 in any law.
    """
    for v, row in enumerate(proof.rows):
        if proof.flows[v] == 0:
            continue
        _require(v == 0 or proof.y[v] > 0, f"node {v} may be met less often")
        _require(all(slacks[v, x] > 0 for x in proof.kids[v]), f"an optimal block may end on a child of node {v}")
        left = proof.flows[v] - sum(proof.flows[child] for child in proof.kids[v].values())
        caps = {x: proof.cap(v, x) for x in range(len(row)) if x not in proof.kids[v]}
        _require(sum(caps.values()) == left, f"the caps at node {v} leave room")
        _require(all(proof.law.get((v, x), 0) == cap for x, cap in caps.items()), f"node {v} is below a cap")
