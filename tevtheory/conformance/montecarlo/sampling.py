"""What is sampled, the checks on it, and the continuation of blocks that end inside the tree."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from tevtheory.conformance.montecarlo.counts import Counts, Floats, Ints
from tevtheory.conformance.montecarlo.nulls import Null
from tevtheory.errors import InputError


class Sampler(Protocol):
    """Draws outcomes of a verifier on one target tree: `size` exit nodes and bonus tokens, as two integer vectors.

    All randomness comes from `rng`. A `name`, where there is one, is printed and written to checkpoints.
    """

    def sample(self, size: int, rng: np.random.Generator, /) -> tuple[Any, Any]: ...


@runtime_checkable
class CountSampler(Protocol):
    """Draws only how often each outcome came: distinct codes node * vocabulary + token, and their counts."""

    def count(self, size: int, rng: np.random.Generator, /) -> tuple[Any, Any]: ...


def name_of(sampler: Sampler | CountSampler) -> str:
    """The sampler's name, or that of its type."""
    return str(getattr(sampler, "name", type(sampler).__name__))


def draw(sampler: Sampler, null: Null, size: int, rng: np.random.Generator) -> Ints:
    """Draw a block of outcomes and check them: codes in the order of drawing.

    Raises InputError on anything but two integer vectors of the right length and range.
    """
    where = f"sampler {name_of(sampler)}"
    nodes, tokens = _two(sampler.sample(size, rng), where, "(nodes, tokens)")
    nodes, tokens = _integers(nodes, f"{where}, nodes"), _integers(tokens, f"{where}, tokens")
    for what, values in (("nodes", nodes), ("tokens", tokens)):
        if len(values) != size:
            got, remedy = f"{len(values)} {what}", "return one node and one token per sample"
            raise InputError(f"{size} samples", got, where, remedy)
    _within(nodes, null.size, f"{where}, nodes", "return exit nodes of this tree")
    _within(tokens, null.vocabulary, f"{where}, tokens", "return ids of the target's vocabulary")
    return nodes * null.vocabulary + tokens


def draw_counts(sampler: CountSampler, null: Null, size: int, rng: np.random.Generator) -> Counts:
    """Draw counts of outcomes and check them; raises InputError as `draw` does, and where they do not add up to size."""
    where = f"sampler {name_of(sampler)}"
    codes, counts = _two(sampler.count(size, rng), where, "(codes, counts)")
    codes, counts = _integers(codes, f"{where}, codes"), _integers(counts, f"{where}, counts")
    if len(codes) != len(counts):
        got = f"{len(codes)} codes and {len(counts)} counts"
        raise InputError("one count per code", got, where, "return two vectors of one length")
    _within(codes, null.size * null.vocabulary, f"{where}, codes", "the code is node * vocabulary + token")
    _within(counts, size + 1, f"{where}, counts", "count every sample once")
    if counts.sum() != size:
        raise InputError(f"{size} samples", str(counts.sum()), where, "count every sample once")
    return Counts.summed(codes, counts)


def _two(given: Any, where: str, what: str) -> tuple[Any, Any]:
    if not isinstance(given, tuple) or len(given) != 2:
        got = f"a {type(given).__name__}"
        raise InputError(f"a pair {what}", got, where, "return a tuple of two integer vectors")
    return given


def _integers(values: Any, where: str) -> Ints:
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError("a vector", f"an array of shape {array.shape}", where, "return one entry per sample")
    if array.dtype.kind not in "iu":
        remedy = "convert to int64 where the ids are made, not by rounding"
        raise InputError("integers", f"{array.dtype} entries", where, remedy)
    return array.astype(np.int64)


def _within(values: Ints, size: int, where: str, remedy: str) -> None:
    outside = (values < 0) | (values >= size)
    if outside.any():
        raise InputError(f"entries in 0..{size - 1}", str(values[outside][0]), where, remedy)


def landing(null: Null, codes: Ints) -> Ints:
    """The node a block ends on, 0 where it leaves the tree.

    >>> from tevtheory.examples import C2
    >>> landing(Null.of(C2), np.array([0, 1])).tolist()
    [1, 0]
    """
    order = np.argsort(null.child_codes)
    ordered = null.child_codes[order]
    if len(ordered) == 0:
        return np.zeros(len(codes), dtype=np.int64)
    place = np.minimum(np.searchsorted(ordered, codes), len(ordered) - 1)
    return np.where(ordered[place] == codes, order[place] + 1, 0)


def complete(null: Null, codes: Ints, rng: np.random.Generator) -> Ints:
    """Continue every block that ends inside the tree with the target, until it leaves; the order stays."""
    codes, node = codes.copy(), landing(null, codes)
    while (waiting := np.flatnonzero(node)).size:
        for v in np.unique(node[waiting]):
            here = waiting[node[waiting] == v]
            codes[here] = v * null.vocabulary + _draw(null.row(v), len(here), rng)
        node[waiting] = landing(null, codes[waiting])
    return codes


def _draw(row: Floats, size: int, rng: np.random.Generator) -> Ints:
    """Tokens by inversion; those of probability 0 are never drawn."""
    possible = np.flatnonzero(row)
    reached = np.cumsum(row[possible])
    place = np.searchsorted(reached, rng.random(size) * reached[-1], side="right")
    tokens: Ints = possible[np.minimum(place, len(possible) - 1)]
    return tokens


def complete_counts(null: Null, seen: Counts, rng: np.random.Generator) -> Counts:
    """The same for counts: each node's waiting blocks are spread over its row at once."""
    node = landing(null, seen.codes)
    waiting = np.bincount(node, seen.counts, minlength=null.size).astype(np.int64)
    if not waiting[1:].any():
        return seen
    parts = [Counts(seen.codes[node == 0], seen.counts[node == 0])]
    children = null.target.tree.children
    for v in range(1, null.size):
        if waiting[v] == 0:
            continue
        drawn = spread(null.row(v), int(waiting[v]), rng)
        inside = np.array(children[v], dtype=np.int64)
        tokens = null.child_codes[inside - 1] - v * null.vocabulary
        waiting[inside] += drawn[tokens]
        drawn[tokens] = 0
        parts.append(Counts.summed(v * null.vocabulary + np.arange(null.vocabulary), drawn))
    codes = np.concatenate([part.codes for part in parts])
    return Counts.summed(codes, np.concatenate([part.counts for part in parts]))


def spread(p: Floats, size: int, rng: np.random.Generator) -> Ints:
    """Multinomial counts over probabilities; cells of probability 0 get none.

    >>> spread(np.array([0.0, 1.0, 0.0]), 5, np.random.default_rng(0)).tolist()
    [0, 5, 0]
    """
    # numpy hands whatever rounding leaves to the last cell, so the most probable one comes last.
    order = np.argsort(p, kind="stable")
    order = order[p[order] > 0]
    counts = np.zeros(len(p), dtype=np.int64)
    counts[order] = rng.multinomial(size, p[order] / p[order].sum())
    return counts
