"""Flow and coverage.

The flow F(v) is the probability that the target runs through v: the product of target probabilities from the root.
Theorem (ceiling): E[length] <= 1 + coverage for every exact path verifier on a fixed tree, with coverage the sum of flow
over non-root nodes; length includes the bonus token. The canonical exit law attains it, and no other law does.
"""

from __future__ import annotations

from typing import Any

from tevtheory.targets import TargetTree


def flow(target: TargetTree) -> tuple[Any, ...]:
    """F(v) for every node, in the rows' number type; F(root) = 1.

    >>> from tevtheory.examples import C2
    >>> [str(mass) for mass in flow(C2)]
    ['1', '1/2', '3/8']
    """
    masses = [target.one]
    parents = target.tree.parents
    for v in range(1, target.tree.size):
        masses.append(masses[parents[v]] * target.edge(v))
    return tuple(masses)


def coverage(target: TargetTree) -> Any:
    """Sum of flow over non-root nodes: the expected number of accepted tokens of the canonical law.

    >>> from tevtheory.examples import C2
    >>> print(coverage(C2))
    7/8
    """
    return sum(flow(target)) - 1


def ceiling(target: TargetTree) -> Any:
    """1 + coverage, the sharp bound on E[length] of an exact path verifier.

    >>> from tevtheory.examples import C2
    >>> print(ceiling(C2))
    15/8
    """
    return sum(flow(target))


def ceiling_with_end(target: TargetTree, end: int) -> Any:
    """The ceiling where `end` is the end-of-sequence token: the sum of flow over nodes not at or below such a token.

    It equals `ceiling(target.without_end(end))`: a block that ends the text gets no bonus after its last token.

    >>> from tevtheory.examples import C2
    >>> print(ceiling_with_end(C2, end=1))
    3/2
    """
    total, masses, ended = target.one, flow(target), [False] * target.tree.size
    for v in range(1, target.tree.size):
        ended[v] = ended[target.tree.parents[v]] or target.tree.tokens[v] == end
        if not ended[v]:
            total = total + masses[v]
    return total


def level_masses(target: TargetTree) -> tuple[Any, ...]:
    """M_k, the probability that the target's first k tokens stay in the tree, for k = 0..depth; M_0 = 1.

    >>> from tevtheory.examples import C2
    >>> [str(mass) for mass in level_masses(C2)]
    ['1', '1/2', '3/8']
    """
    levels = [target.one * 0] * (target.tree.depth + 1)
    for depth, mass in zip(target.tree.depths, flow(target), strict=True):
        levels[depth] = levels[depth] + mass
    return tuple(levels)


def expected_length_from(target: TargetTree) -> tuple[Any, ...]:
    """1 + Cov(T_v) for every node v: the ceiling of the tree below v, the target conditioned on v.

    Computed from the leaves up, so nodes of flow 0 have a value too.

    >>> from tevtheory.examples import C2
    >>> [str(length) for length in expected_length_from(C2)]
    ['15/8', '7/4', '1']
    """
    lengths = [target.one] * target.tree.size
    for v in range(target.tree.size - 1, 0, -1):
        parent = target.tree.parents[v]
        lengths[parent] = lengths[parent] + target.edge(v) * lengths[v]
    return tuple(lengths)
