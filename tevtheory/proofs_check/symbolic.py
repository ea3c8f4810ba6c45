"""Identities for all probabilities at once: one symbol per edge, polynomials over the rationals (python-flint).

The same closed forms as everywhere are run on the symbols; a difference that is the zero polynomial is a proof for that
shape. The falsified variants are near misses that must leave a polynomial other than zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from tevtheory.enumeration import Shape, unlabelled_shapes
from tevtheory.exitlaw import (
    block_length_law,
    canonical_exit_law,
    ceiling,
    ceiling_with_end,
    coverage,
    exit_masses,
    expected_length,
    flow,
    level_masses,
    regret_by_string,
)
from tevtheory.exitlaw.exactness import passing
from tevtheory.laws import Law
from tevtheory.proofs_check.evidence import demand
from tevtheory.targets import TargetTree
from tevtheory.trees import ROOT, DraftTree, Exit


def generators(names: Sequence[str]) -> list[Any]:
    """Symbols of those names, as polynomials over the rationals."""
    import flint

    return list(flint.fmpq_mpoly_ctx.get(list(names), flint.Ordering.lex).gens())


def symbolic_tree(shape: Shape, symbols: Sequence[Any], one: Any) -> TargetTree:
    """One symbol per edge; the last token of a row, never a child, holds the rest, so rows sum to 1 identically."""
    size = max(shape.count(v) for v in range(len(shape))) + 1
    tokens, rows = [-1], [[one * 0] * size for _ in shape]
    fans = [0] * len(shape)
    for v, parent in enumerate(shape[1:], 1):
        tokens.append(fans[parent])
        rows[parent][tokens[v]] = symbols[v - 1]
        fans[parent] += 1
    for row in rows:
        row[-1] = one - sum(row[:-1], start=one * 0)
    return TargetTree(DraftTree(shape, tokens), rows)


def stopped_law(target: TargetTree, stops: Sequence[Any]) -> Law[Exit]:
    """The law of the target stopped at in-tree node v with probability `stops[v]` of the whole flow of v.

    With d = `stops`, P(block = v) = F(v) d(v), and what is alive at a boundary string all ends there.
    """
    tree, masses, flows = target.tree, dict[Exit, Any](), flow(target)
    alive = [target.one] * tree.size
    for v in range(1, tree.size):
        alive[v] = alive[tree.parents[v]] - stops[v]
    for v in range(tree.size):
        for token, weight in enumerate(target.rows[v]):
            child = tree.child(v, token)
            rate = alive[v] if child is None else stops[child]
            masses[Exit(v, token)] = flows[v] * weight * rate
    return Law.trusted(masses)


def _zero_sum(values: Sequence[Any], target: TargetTree) -> Any:
    return sum(values, start=target.one * 0)


def _exit_sum(target: TargetTree, _: Sequence[Any], falsify: bool) -> Iterator[Any]:
    exits = exit_masses(target)
    yield _zero_sum(exits[:-1] if falsify else exits, target) - 1


def _coverage_identity(target: TargetTree, _: Sequence[Any], falsify: bool) -> Iterator[Any]:
    off = 1 if falsify else 0
    weighted = [(depth + off) * mass for depth, mass in zip(target.tree.depths, exit_masses(target), strict=True)]
    yield _zero_sum(weighted, target) - coverage(target)


def _length_law(target: TargetTree, _: Sequence[Any], falsify: bool) -> Iterator[Any]:
    exits, law = exit_masses(target), block_length_law(target)
    off = 0 if falsify else 1
    for k in range(target.tree.depth + 1):
        at = [mass for depth, mass in zip(target.tree.depths, exits, strict=True) if depth == k]
        yield _zero_sum(at, target) - law[k + off]
    yield _zero_sum(level_masses(target), target) - ceiling(target)
    yield expected_length(canonical_exit_law(target), target) - ceiling(target)


def _regret_identity(target: TargetTree, stops: Sequence[Any], falsify: bool) -> Iterator[Any]:
    law = stopped_law(target, stops)
    costs = [cost - law[Exit(target.tree.parents[v], target.tree.tokens[v])] * falsify
             for v, cost in regret_by_string(law, target).items()]  # fmt: skip
    yield ceiling(target) - expected_length(law, target) - _zero_sum(costs, target)


def _stopping_times(target: TargetTree, stops: Sequence[Any], falsify: bool) -> Iterator[Any]:
    """P(block starts with sx) = p(x | s) P(block strictly extends s) for every stopped law, and extends <= F as d >= 0."""
    law = stopped_law(target, stops)
    extends, flows = passing(law, target), flow(target)
    yield extends[ROOT] - 1
    for s in range(target.tree.size):
        spent = _zero_sum([stops[v] for v in target.tree.ancestors(s)], target)
        yield extends[s] - flows[s] * (1 - spent)
        for x in range(target.vocabulary):
            child = target.tree.child(s, x)
            starts = law[Exit(s, x)] + (extends[child] if child is not None and not falsify else 0)
            yield starts - target.probability(s, x) * extends[s]


def _end_of_sequence(target: TargetTree, _: Sequence[Any], falsify: bool) -> Iterator[Any]:
    """Every choice of nodes that hold the end token, at most one among siblings: the canonical law of what is left."""
    for ends in product(*((None, *children) for children in target.tree.children)):
        ended = with_ends(target, ends)
        left = ended.without_end(ended.vocabulary - 1)
        said = ceiling(ended) if falsify else ceiling_with_end(ended, ended.vocabulary - 1)
        yield expected_length(canonical_exit_law(left), left) - said


def with_ends(target: TargetTree, ends: Sequence[int | None]) -> TargetTree:
    """The same target, tokens renamed so that at node v the child `ends[v]` holds the last token, or no child does."""
    tokens, rows = list(target.tree.tokens), [list(row) for row in target.rows]
    for row, end in zip(rows, ends, strict=True):
        if end is not None:
            row[tokens[end]], row[-1] = row[-1], row[tokens[end]]
            tokens[end] = len(row) - 1
    return TargetTree(DraftTree(target.tree.parents, tokens), rows)


Differences = Callable[[TargetTree, Sequence[Any], bool], Iterator[Any]]

IDENTITIES: dict[str, tuple[Differences, bool]] = {
    "exit-sum": (_exit_sum, False),
    "coverage-identity": (_coverage_identity, False),
    "length-law": (_length_law, False),
    "end-of-sequence": (_end_of_sequence, False),
    "regret-identity": (_regret_identity, True),
    "stopping-times": (_stopping_times, True),
}
"""Per statement the differences that must vanish, and whether they have a second symbol per in-tree string."""


def prove(statement: str, max_nodes: int = 12, falsify: bool = False) -> int:
    """Prove an identity on every shape of 2 to max_nodes nodes; gives their number, raises Refuted at the first failure."""
    differences, with_stops = IDENTITIES[statement]
    count = 0
    for nodes in range(2, max_nodes + 1):
        names = [f"p{i}" for i in range(1, nodes)] + [f"d{i}" for i in range(1, nodes) if with_stops]
        symbols = generators(names)
        one = symbols[0] * 0 + 1
        stops = [one * 0, *symbols[nodes - 1 :]]
        for shape in unlabelled_shapes(nodes):
            target = symbolic_tree(shape, symbols, one)
            for difference in differences(target, stops, falsify):
                demand(difference == 0, f"{statement} on {target.tree}: {difference} is not 0")
            count += 1
    return count
