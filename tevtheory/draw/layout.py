"""Where things go: which nodes are drawn, and the row and column of each.

Every leaf has a row, and so has the stub of every inner node, below its children; an inner node stands midway between its
first and its last child. Columns are as wide as their longest label, so labels cannot meet.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tevtheory.trees import ROOT, DraftTree


@dataclass(frozen=True)
class Hidden:
    """The nodes below a drawn one that are not drawn: how many, and their size in all."""

    nodes: int
    mass: float


@dataclass(frozen=True)
class Choice:
    """The drawn nodes, the drawn children of each in drawing order, and what is hidden below each."""

    nodes: tuple[int, ...]
    children: Mapping[int, tuple[int, ...]]
    hidden: Mapping[int, Hidden]


def choose(tree: DraftTree, masses: Sequence[float], most: int, always: Iterable[int] = ()) -> Choice:
    """Choose the root, some nodes that must be seen with their ancestors, and then the nodes of largest mass.

    Masses do not grow away from the root, so the chosen nodes are a subtree (for a bare tree: the nodes next to the root).

    >>> choose(DraftTree((-1, 0, 0, 2), (-1, 5, 6, 7)), [1, 0.25, 0.75, 0.5], 3).nodes
    (0, 2, 3)
    """
    must = {u for v in (ROOT, *always) for u in tree.ancestors(v)}
    rest = (v for v in range(tree.size) if v not in must)
    wanted = heapq.nsmallest(most - len(must), rest, key=lambda v: (-masses[v], tree.depths[v], v))
    chosen = must.union(wanted)
    children = {
        v: tuple(sorted((c for c in tree.children[v] if c in chosen), key=lambda c: (-masses[c], c))) for v in chosen
    }
    return Choice(tuple(sorted(chosen)), children, _hidden(tree, masses, chosen))


def _hidden(tree: DraftTree, masses: Sequence[float], chosen: set[int]) -> dict[int, Hidden]:
    above = list(range(tree.size))  # the drawn node over each hidden one
    found: dict[int, Hidden] = {}
    for v in range(tree.size):
        if v not in chosen:
            top = above[v] = above[tree.parents[v]]
            known = found.get(top, Hidden(0, 0.0))
            found[top] = Hidden(known.nodes + 1, known.mass + masses[v])
    return found


@dataclass(frozen=True)
class Rows:
    """The row of every drawn node, and of every stub, which is the node's own row for a leaf; `count` rows in all."""

    node: Mapping[int, float]
    stub: Mapping[int, int]
    count: int


def rows(choice: Choice, stubs: frozenset[int]) -> Rows:
    """Give out rows in drawing order; `stubs` are the inner nodes whose stub has a row of its own.

    >>> tree = DraftTree((-1, 0, 0), (-1, 5, 6))
    >>> rows(choose(tree, [1, 0.5, 0.25], 3), frozenset([0]))
    Rows(node={1: 0, 2: 1, 0: 0.5}, stub={1: 0, 2: 1, 0: 2}, count=3)
    """
    node: dict[int, float] = {}
    stub: dict[int, int] = {}
    count, stack = 0, [(ROOT, False)]  # no recursion: a chain may be a thousand nodes deep
    while stack:
        v, seen = stack.pop()
        children = choice.children[v]
        if children and not seen:
            stack.append((v, True))
            stack.extend((child, False) for child in reversed(children))
            continue
        node[v] = (node[children[0]] + node[children[-1]]) / 2 if children else count
        if not children or v in stubs:
            stub[v] = count
            count += 1
    return Rows(node, stub, count)


@dataclass(frozen=True)
class Columns:
    """Per depth: the x of its nodes, and where the labels of its nodes' children begin."""

    x: tuple[float, ...]
    label: tuple[float, ...]


def columns(depths: Mapping[int, int], labels: Mapping[int, float], radii: Mapping[int, float], bend: float) -> Columns:
    """Give every depth room for its largest node, the bend of its edges and the longest label to the next depth.

    The maps are by drawn node; the root has no label.

    >>> columns({0: 0, 1: 1}, {1: 30.0}, {0: 5.0, 1: 3.0}, 20.0)
    Columns(x=(0.0, 58.0), label=(25.0, 81.0))
    """
    largest = [0.0] * (max(depths.values()) + 1)
    widest = [0.0] * len(largest)
    for v, depth in depths.items():
        largest[depth] = max(largest[depth], radii[v])
        widest[depth] = max(widest[depth], labels.get(v, 0.0))
    x, label = [0.0], [largest[0] + bend]
    for depth in range(1, len(largest)):
        x.append(label[-1] + widest[depth] + largest[depth])
        label.append(x[-1] + largest[depth] + bend)
    return Columns(tuple(x), tuple(label))
