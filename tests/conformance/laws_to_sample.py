"""Laws of outcomes as dense vectors by code, planted faults among them, and samplers that draw from them quickly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tevtheory.conformance.montecarlo.counts import Floats, Ints
from tevtheory.conformance.montecarlo.nulls import Null
from tevtheory.conformance.montecarlo.sampling import spread
from tevtheory.rows import FloatRow
from tevtheory.targets import TargetTree
from tevtheory.trees import DraftTree


@dataclass(frozen=True, eq=False)
class LawSampler:
    """Draws outcomes one by one."""

    law: Floats
    vocabulary: int
    name: str = "law"

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        codes = self.codes(rng.random(size))
        return codes // self.vocabulary, codes % self.vocabulary

    def codes(self, uniforms: Floats) -> Ints:
        possible = np.flatnonzero(self.law)
        reached = np.cumsum(self.law[possible])
        place = np.searchsorted(reached, uniforms * reached[-1], side="right")
        return np.asarray(possible[np.minimum(place, len(possible) - 1)])


@dataclass(frozen=True, eq=False)
class SharedUniforms(LawSampler):
    """Two neighbours share one uniform: the right marginal law, dependent blocks."""

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        codes = self.codes(np.repeat(rng.random(size // 2 + 1), 2)[:size])
        return codes // self.vocabulary, codes % self.vocabulary


@dataclass(frozen=True, eq=False)
class CountsOf:
    """Draws counts of outcomes at once, for large numbers of samples."""

    law: Floats
    name: str = "counts"

    def count(self, size: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        counts = spread(self.law, size, rng)
        return np.flatnonzero(counts), counts[counts > 0]


def zipf_tree(nodes: int, vocabulary: int, seed: int = 1, children: int = 3, steep: float = 1.2) -> TargetTree:
    """Zipf-like rows in random order; every node's children are its most probable tokens."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(nodes):
        weights = 1 / (np.arange(vocabulary) + 2.0) ** steep * np.exp(rng.normal(size=vocabulary))
        rng.shuffle(weights)
        rows.append(FloatRow(weights / weights.sum()))
    parents = [-1] + [(v - 1) // children for v in range(1, nodes)]
    likely = [np.argsort(-row.vector) for row in rows]
    tokens = [-1] + [int(likely[parents[v]][(v - 1) % children]) for v in range(1, nodes)]
    return TargetTree(DraftTree(parents, tokens), rows)


def canonical(null: Null) -> Floats:
    return null.outcomes.p.copy()


def bonus_rows(null: Null) -> Floats:
    """The rows without their children, (N, V), each divided by its sum (zeros where nothing is left)."""
    rows = null.rows.p.copy()
    rows[null.child_codes] = 0
    rows = rows.reshape(null.size, -1)
    sums = rows.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(rows, sums, out=np.zeros_like(rows), where=sums > 0))


def walked(null: Null, factor: Floats, bonus: Floats) -> Floats:
    """Reach child c with factor[c] times the target's probability; where no child is taken, draw from `bonus`."""
    flow, law = np.ones(null.size), np.zeros((null.size, null.vocabulary))
    taken = np.zeros(null.size)
    for c in range(1, null.size):
        parent = null.target.tree.parents[c]
        part = factor[c] * null.rows.p[null.child_codes[c - 1]]
        flow[c] = flow[parent] * part
        taken[parent] += part
    for v in range(null.size):
        law[v] = flow[v] * (1 - taken[v]) * bonus[v]
    return law.ravel()


def accepting_less(null: Null, factor: float, node: int | None = None) -> Floats:
    """Acceptance times a factor, everywhere or of the children of one node."""
    factors = np.ones(null.size)
    for c in range(1, null.size):
        if node is None or null.target.tree.parents[c] == node:
            factors[c] = factor
    return walked(null, factors, bonus_rows(null))


def unmasked(null: Null) -> Floats:
    """The bonus comes from the whole row, children included."""
    return walked(null, np.ones(null.size), null.rows.p.reshape(null.size, -1))


def tempered(null: Null, temperature: float) -> Floats:
    """The bonus row at another temperature."""
    bonus = bonus_rows(null) ** (1 / temperature)
    return walked(null, np.ones(null.size), bonus / bonus.sum(axis=1, keepdims=True))


def without_tail(null: Null, least: float = 2.0**-24) -> Floats:
    law = canonical(null)
    law[law < least] = 0
    return np.asarray(law / law.sum())


def moved(null: Null, onto: float, mass: float) -> tuple[Floats, int]:
    """Mass moved from the most probable outcome onto the one whose probability is nearest to `onto`; and its code."""
    law = canonical(null)
    code = int(np.argmin(np.abs(np.log(np.maximum(law, 1e-300) / onto))))
    law[int(np.argmax(law))] -= mass
    law[code] += mass
    return law, code


def dense_noise(null: Null, size: float, seed: int = 0) -> Floats:
    """Every outcome off by +-size, at random."""
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], len(null.outcomes.p))
    law = null.outcomes.p * (1 + size * signs)
    return np.asarray(law / law.sum())


def stopping(null: Null, stop: float) -> Floats:
    """An exact law that is not canonical: stop on every in-tree string with a given probability, else go on."""
    flow = np.ones(null.size)
    law = np.zeros(null.size * null.vocabulary)
    for v in range(null.size):
        law[v * null.vocabulary : (v + 1) * null.vocabulary] = flow[v] * null.row(v)
        for c in null.target.tree.children[v]:
            code = null.child_codes[c - 1]
            through, law[code] = law[code], law[code] * stop
            flow[c] = through * (1 - stop)
    return law


def seen_by(log_e: dict[str, float], alpha: float) -> set[str]:
    """The experts that reject on their own."""
    return {name for name, value in log_e.items() if name != "battery" and value >= np.log(1 / alpha)}


def small() -> TargetTree:
    """8 nodes, V = 12, K = 89, as in the power table."""
    return zipf_tree(8, 12)


def large() -> TargetTree:
    """24 nodes, V = 5000, K = 119,977."""
    return zipf_tree(24, 5000)
