"""Other projects' array layouts of a draft tree.

Every `from_*` that reads node numbers gives an `Imported`: the tree, and for each of its nodes the number it had. Numbers
are kept wherever parents precede their children and siblings ascend; otherwise the nodes are renumbered level by level.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tevtheory.errors import InputError
from tevtheory.trees import ROOT, DraftTree

Ids = npt.NDArray[np.int64]
NONE = -1


class Imported(NamedTuple):
    """A tree read from another layout; `nodes[v]` is the number node v had there."""

    tree: DraftTree
    nodes: tuple[int, ...]


def from_paths(paths: Iterable[Sequence[int]]) -> DraftTree:
    """The tree of some token strings and all their prefixes, in order of first appearance.

    >>> print(from_paths([(7, 7), (2,), (7, 3)]))
    [7 [7 3] 2]
    """
    parents, tokens, maps = [NONE], [NONE], [dict[int, int]()]
    for path in paths:
        node = ROOT
        for token in path:
            if token not in maps[node]:
                maps[node][token] = len(parents)
                parents.append(node)
                tokens.append(token)
                maps.append({})
            node = maps[node][token]
    return DraftTree(parents, tokens)


def to_paths(tree: DraftTree) -> list[tuple[int, ...]]:
    """The root-to-leaf token strings; a root alone gives the empty string.

    >>> to_paths(from_paths([(7, 7), (2,)]))
    [(7, 7), (2,)]
    """
    return [tree.path(leaf) for leaf in _leaves(tree)]


def _leaves(tree: DraftTree) -> list[int]:
    """The leaves depth first, so that a trie built from their paths has the children in their order."""
    stack, leaves = [ROOT], []
    while stack:
        v = stack.pop()
        stack.extend(reversed(tree.children[v]))
        if not tree.children[v]:
            leaves.append(v)
    return leaves


def from_parents(parents: Sequence[int], tokens: Sequence[int]) -> Imported:
    """Parent arrays in any order of nodes; the root is the one node with parent -1, its token is ignored.

    >>> from_parents([1, -1, 1], [5, 0, 4])
    Imported(tree=DraftTree(parents=(-1, 0, 0), tokens=(-1, 5, 4)), nodes=(1, 0, 2))
    """
    if len(parents) != len(tokens):
        got = f"{len(parents)} parents and {len(tokens)} tokens"
        raise InputError("one parent and one token per node", got, "parent arrays", "make the arrays equally long")
    roots = [v for v, parent in enumerate(parents) if parent == NONE]
    if len(roots) != 1:
        raise InputError("one node with parent -1", f"nodes {roots}", "parent arrays", "drop padding; give one root")
    children: list[list[int]] = [[] for _ in parents]
    for v, parent in enumerate(parents):
        if parent != NONE:
            _check_id(parent, len(parents), f"parent of node {v}")
            children[parent].append(v)
    return _numbered(children, tokens, roots[0], "parent arrays")


def to_parents(tree: DraftTree) -> tuple[Ids, Ids]:
    """Parents and tokens as int64 arrays, one entry per node; the root's are -1.

    >>> [array.tolist() for array in to_parents(from_paths([(7, 7)]))]
    [[-1, 0, 1], [-1, 7, 7]]
    """
    return np.array(tree.parents, dtype=np.int64), np.array(tree.tokens, dtype=np.int64)


def from_child_maps(child_maps: Sequence[Mapping[int, int]]) -> Imported:
    """One map token -> child per node, node 0 the root (DDTree, TEV).

    >>> print(from_child_maps([{7: 1, 2: 2}, {}, {}]).tree)
    [7 2]
    """
    tokens, children = [NONE] * len(child_maps), [list(entry.values()) for entry in child_maps]
    for v, entry in enumerate(child_maps):
        for token, child in entry.items():
            _check_id(child, len(child_maps), f"child of node {v} along token {token}")
            tokens[child] = token
    return _numbered(children, tokens, ROOT, "child maps")


def to_child_maps(tree: DraftTree) -> list[dict[int, int]]:
    """One map token -> child per node.

    >>> to_child_maps(from_paths([(7,), (2,)]))
    [{7: 1, 2: 2}, {}, {}]
    """
    return [dict(entry) for entry in tree.child_maps]


def from_retrieve_indices(indices: Any, tokens: Sequence[int]) -> Imported:
    """Root-to-leaf node numbers, shape (paths, depth + 1), padded with -1 (EAGLE, Medusa); `tokens` per node.

    >>> print(from_retrieve_indices([[0, 1, 3], [0, 2, -1]], [9, 7, 2, 5]).tree)
    [7 [5] 2]
    """
    try:
        table = np.asarray(indices)
    except ValueError:
        got = "rows of several lengths"
        raise InputError(
            "integers of shape (paths, depth + 1)", got, "retrieve_indices", "give one row per leaf"
        ) from None
    if table.ndim != 2 or table.size == 0 or not np.issubdtype(table.dtype, np.integer):
        got = f"shape {table.shape} of {table.dtype}"
        raise InputError("integers of shape (paths, depth + 1)", got, "retrieve_indices", "give one row per leaf")
    parents: dict[int, int] = {}
    children: list[list[int]] = [[] for _ in tokens]
    for i, row in enumerate(table.tolist()):
        where = f"retrieve_indices, row {i}"
        path = row[: row.index(NONE)] if NONE in row else row
        if any(node != NONE for node in row[len(path) :]) or not path or path[0] != ROOT:
            raise InputError("node 0, a path, then padding with -1 only", str(row), where, "start at the root")
        for parent, node in pairwise(path):
            _check_id(node, len(tokens), where)
            if node not in parents:
                parents[node] = parent
                children[parent].append(node)
            elif parents[node] != parent:
                got = f"node {node} under {parents[node]} and under {parent}"
                raise InputError("one parent per node", got, where, "correct the paths")
    return _numbered([sorted(siblings) for siblings in children], tokens, ROOT, "retrieve_indices")


def to_retrieve_indices(tree: DraftTree) -> Ids:
    """Root-to-leaf node numbers, shape (leaves, depth + 1), padded with -1.

    >>> to_retrieve_indices(from_paths([(7, 5), (2,)])).tolist()
    [[0, 1, 2], [0, 3, -1]]
    """
    leaves = _leaves(tree)
    table = np.full((len(leaves), tree.depth + 1), NONE, dtype=np.int64)
    for row, leaf in zip(table, leaves, strict=True):
        path = list(tree.ancestors(leaf))[::-1]
        row[: len(path)] = path
    return table


def from_links(first_child: Sequence[int], next_sibling: Sequence[int], tokens: Sequence[int]) -> Imported:
    """First-child and next-sibling arrays, -1 for none (SGLang's retrieve_next_token / _sibling, TensorRT-LLM).

    >>> print(from_links([1, 3, -1, -1], [-1, 2, -1, -1], [9, 7, 2, 5]).tree)
    [7 [5] 2]
    """
    size = len(tokens)
    if not len(first_child) == len(next_sibling) == size:
        got = f"{len(first_child)}, {len(next_sibling)} and {size} entries"
        raise InputError("three arrays of one length", got, "links", "give one entry per node")
    children: list[list[int]] = []
    for v, first in enumerate(first_child):
        siblings: list[int] = []
        child = first
        while child != NONE:
            _check_id(child, size, f"links, children of node {v}")
            if child in siblings:
                got = f"node {child} again"
                raise InputError("a sibling list that ends", got, f"links, children of node {v}", "end lists with -1")
            siblings.append(child)
            child = next_sibling[child]
        children.append(siblings)
    return _numbered(children, tokens, ROOT, "links")


def to_links(tree: DraftTree) -> tuple[Ids, Ids]:
    """First-child and next-sibling arrays, -1 for none.

    >>> [array.tolist() for array in to_links(from_paths([(7, 5), (2,)]))]
    [[1, 2, -1, -1], [-1, 3, -1, -1]]
    """
    first, following = np.full(tree.size, NONE, dtype=np.int64), np.full(tree.size, NONE, dtype=np.int64)
    for v, children in enumerate(tree.children):
        if children:
            first[v] = children[0]
            following[list(children[:-1])] = children[1:]
    return first, following


def _check_id(node: Any, size: int, where: str) -> None:
    is_integer = isinstance(node, (int, np.integer)) and not isinstance(node, bool)
    if not is_integer or not 0 <= node < size:
        got = str(node) if is_integer else repr(node)
        raise InputError(f"a node in 0..{size - 1}", got, where, "correct the node number")


def _numbered(children: Sequence[Sequence[int]], tokens: Sequence[int], root: int, where: str) -> Imported:
    """Number the nodes that the lists of children reach; each must be reached exactly once."""
    if not children:
        raise InputError("a root", "no nodes", where, "give the root at least")
    parent_of, order, queue = {root: NONE}, [root], deque([root])
    while queue:
        v = queue.popleft()
        for child in children[v]:
            if child in parent_of:
                got = f"node {child} under {parent_of[child]} and under {v}"
                raise InputError("a tree", got, where, "give each node one parent, and the root none")
            parent_of[child] = v
            order.append(child)
            queue.append(child)
    lost = sorted(set(range(len(children))) - set(parent_of))
    if lost:
        remedy = "drop padding nodes, and break cycles"
        raise InputError("nodes that the root reaches", f"unreached nodes {lost}", where, remedy)
    if _in_order(children, parent_of, root):
        order.sort()
    new = {old: v for v, old in enumerate(order)}
    parents = [new.get(parent_of[old], NONE) for old in order]
    return Imported(DraftTree(parents, [NONE, *(tokens[old] for old in order[1:])]), tuple(order))


def _in_order(children: Sequence[Sequence[int]], parent_of: Mapping[int, int], root: int) -> bool:
    """Whether the numbers as given put parents first and siblings in ascending order."""
    descends = all(parent < node for node, parent in parent_of.items())
    return root == ROOT and descends and all(list(siblings) == sorted(siblings) for siblings in children)
