"""Draft trees: finite prefix-closed sets of token strings, without probabilities."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, SupportsIndex

from tevtheory.errors import InputError
from tevtheory.shown import ShownAsPicture

ROOT = 0
_MOST_SHOWN = 128
"""Nodes that a repr writes out."""


class Exit(NamedTuple):
    """Outcome of a path verifier: the last accepted node and the bonus token; the block is path(node) then token."""

    node: int
    token: int


@dataclass(frozen=True, init=False)
class DraftTree(ShownAsPicture):
    """A draft tree: `parents[v]` and `tokens[v]` of every node; node 0 is the root, parents come before children.

    Shapes: both tuples have one entry per node, root included; the root's entries are -1.
    Raises InputError on a cycle, a parent after its child, duplicate siblings or a token that is not an int >= 0.

    >>> tree = DraftTree((-1, 0, 0, 1), (-1, 7, 2, 7))
    >>> tree.path(3), tree.children[0], tree.child(1, 7)
    ((7, 7), (1, 2), 3)
    >>> print(tree)
    [7 [7] 2]
    """

    parents: tuple[int, ...]
    tokens: tuple[int, ...]
    children: tuple[tuple[int, ...], ...] = field(repr=False, compare=False)
    child_maps: tuple[Mapping[int, int], ...] = field(repr=False, compare=False)
    depths: tuple[int, ...] = field(repr=False, compare=False)

    def __init__(self, parents: Sequence[int], tokens: Sequence[int]) -> None:
        parents, tokens = _integers(parents, "parents"), _integers(tokens, "tokens")
        _check_nodes(parents, tokens)
        maps = _child_maps(parents, tokens)
        depths = [0] * len(parents)
        for v in range(1, len(parents)):
            depths[v] = depths[parents[v]] + 1
        object.__setattr__(self, "parents", parents)
        object.__setattr__(self, "tokens", tokens)
        object.__setattr__(self, "children", tuple(tuple(entry.values()) for entry in maps))
        object.__setattr__(self, "child_maps", maps)
        object.__setattr__(self, "depths", tuple(depths))

    @property
    def size(self) -> int:
        """Number of nodes, root included."""
        return len(self.parents)

    @property
    def budget(self) -> int:
        """Number of drafted tokens: nodes without the root."""
        return len(self.parents) - 1

    @property
    def depth(self) -> int:
        """Length of the longest path."""
        return max(self.depths)

    def child(self, node: int, token: int) -> int | None:
        """The child of a node along a token, or None."""
        return self.child_maps[node].get(token)

    def ancestors(self, node: int) -> Iterator[int]:
        """The node, its parent, and so on up to the root."""
        while node >= 0:
            yield node
            node = self.parents[node]

    def path(self, node: int) -> tuple[int, ...]:
        """The tokens from the root to a node; the root's path is empty."""
        nodes = list(self.ancestors(node))[:-1]
        return tuple(self.tokens[v] for v in reversed(nodes))

    def find(self, path: Sequence[int]) -> int | None:
        """The node at the end of a token string, or None where the string leaves the tree."""
        node: int | None = ROOT
        for token in path:
            if node is None:
                return None
            node = self.child(node, token)
        return node

    def lands_on(self, end: Exit) -> int | None:
        """The node an exit's block ends on: the child its bonus names, or None when the block leaves the tree."""
        return self.child(end.node, end.token)

    def restricted(self, keep: Sequence[int]) -> tuple[DraftTree, tuple[int, ...]]:
        """The subtree on some nodes (root included, parents with their children) and its nodes' old numbers.

        >>> DraftTree((-1, 0, 0, 1), (-1, 7, 2, 7)).restricted([0, 2])
        (DraftTree(parents=(-1, 0), tokens=(-1, 2)), (0, 2))
        """
        kept = tuple(sorted(set(keep)))
        if outside := [v for v in kept if not 0 <= v < self.size]:
            remedy = "use this tree's node numbers"
            raise InputError(f"nodes in 0..{self.size - 1}", str(outside[0]), "restricted", remedy)
        new = {old: i for i, old in enumerate(kept)}
        if ROOT not in new or any(self.parents[v] not in new for v in kept[1:]):
            raise InputError(
                "the root and, with every node, its parent",
                f"nodes {list(kept)}",
                "restricted",
                "add the missing ancestors",
            )
        parents = (-1, *(new[self.parents[v]] for v in kept[1:]))
        return DraftTree(parents, tuple(self.tokens[v] for v in kept)), kept

    def __repr__(self) -> str:
        if self.size > _MOST_SHOWN:
            return f"<DraftTree of {self.size:,} nodes, depth {self.depth}>"
        return f"DraftTree(parents={self.parents}, tokens={self.tokens})"

    def __str__(self) -> str:
        # Recursion would fail on a chain of a thousand nodes, so the brackets come from a stack; -1 closes one.
        parts, stack = ["["], [-1, *reversed(self.children[ROOT])]
        while stack:
            node = stack.pop()
            if node < 0:
                parts.append("]")
                continue
            lead = "" if parts[-1].endswith("[") else " "
            kids = self.children[node]
            parts.append(f"{lead}{self.tokens[node]}{' [' if kids else ''}")
            stack.extend([-1, *reversed(kids)] if kids else ())
        return "".join(parts)


def _integers(values: Sequence[int], what: str) -> tuple[int, ...]:
    got: object = values
    if isinstance(values, Iterable):
        values = list(values)
        wrong = [value for value in values if isinstance(value, bool) or not _is_integer(value)]
        if not wrong:
            return tuple([operator.index(value) for value in values])
        got = wrong[0]
    raise InputError("integers", f"{got!r}", f"tree {what}", "give one integer per node")


def _is_integer(value: object) -> bool:
    return isinstance(value, SupportsIndex) and not getattr(value, "ndim", 0)  # every numpy array has __index__


def _check_nodes(parents: tuple[int, ...], tokens: tuple[int, ...]) -> None:
    if not parents or len(parents) != len(tokens):
        got = f"{len(parents)} parents and {len(tokens)} tokens"
        raise InputError(
            "one parent and one token per node, root included", got, "tree", "a root alone is ((-1,), (-1,))"
        )
    if parents[0] != -1 or tokens[0] != -1:
        got = f"parent {parents[0]}, token {tokens[0]}"
        raise InputError("parent -1 and token -1", got, "tree, node 0", "put the root first")
    for v in range(1, len(parents)):
        if not 0 <= parents[v] < v:
            raise _misplaced(parents, v)
        if tokens[v] < 0:
            raise InputError("a token id >= 0", str(tokens[v]), f"tree, node {v}", "remove padding nodes")


def _child_maps(parents: tuple[int, ...], tokens: tuple[int, ...]) -> tuple[dict[int, int], ...]:
    maps: tuple[dict[int, int], ...] = tuple({} for _ in parents)
    for v in range(1, len(parents)):
        siblings, token = maps[parents[v]], tokens[v]
        if token in siblings:
            got = f"token {token} twice under node {parents[v]} (nodes {siblings[token]} and {v})"
            remedy = "merge the two nodes: a draft tree is a set of strings"
            raise InputError("distinct sibling tokens", got, "tree", remedy)
        siblings[token] = v
    return maps


def _misplaced(parents: tuple[int, ...], node: int) -> InputError:
    """The error for a parent that does not precede its child, told apart from a cycle."""
    if not 0 <= parents[node] < len(parents):
        expected, got = f"a parent in 0..{node - 1}", str(parents[node])
        return InputError(expected, got, f"tree, node {node}", "only the root has no parent")
    walk = [node]
    while 0 <= (up := parents[walk[-1]]) < len(parents):
        if up in walk:
            cycle = " -> ".join(map(str, [*walk[walk.index(up) :], up]))
            return InputError("a tree", f"the cycle {cycle}", f"tree, node {node}", "correct the parents")
        walk.append(up)
    got = f"parent {parents[node]}"
    remedy = "number parents before children (tevtheory.interop.from_parents sorts them)"
    return InputError(f"a parent before its child (0..{node - 1})", got, f"tree, node {node}", remedy)
