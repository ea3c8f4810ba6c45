"""Draft trees as networkx graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tevtheory.errors import InputError
from tevtheory.interop.layouts import Imported, from_child_maps
from tevtheory.trees import DraftTree

if TYPE_CHECKING:
    import networkx as nx


def to_graph(tree: DraftTree) -> nx.DiGraph:
    """A networkx.DiGraph with edges from parent to child and a `token` on every edge.

    >>> from tevtheory.interop import from_paths
    >>> list(to_graph(from_paths([(7, 5), (2,)])).edges(data="token"))
    [(0, 1, 7), (0, 3, 2), (1, 2, 5)]
    """
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(range(tree.size))
    graph.add_edges_from((tree.parents[v], v, {"token": tree.tokens[v]}) for v in range(1, tree.size))
    return graph


def from_graph(graph: Any, token: str = "token") -> Imported:  # noqa: S107  (a token of text, not of access)
    """Read an out-tree with a token on every edge; nodes may have any names, `nodes` gives their insertion order.

    >>> import networkx as nx
    >>> graph = nx.DiGraph([("the", "cat", {"token": 4}), ("the", "dog", {"token": 9})])
    >>> print(from_graph(graph).tree)
    [4 9]
    """
    if not graph.is_directed():
        got = f"a {type(graph).__name__}"
        raise InputError("a graph with directed edges", got, "graph", "give an out-tree")
    names = list(graph)
    roots = [name for name in names if graph.in_degree(name) == 0]
    if len(roots) != 1:
        raise InputError("one node without a parent", f"{len(roots)}: {roots[:5]}", "graph", "give an out-tree")
    for name in names:
        if graph.in_degree(name) > 1:
            got = f"{name!r} under {[parent for parent, _ in graph.in_edges(name)]}"
            raise InputError("one parent per node", got, "graph", "give an out-tree")
    order = [roots[0], *(name for name in names if name != roots[0])]
    number = {name: i for i, name in enumerate(order)}
    maps: list[dict[int, int]] = []
    for name in order:
        entry: dict[int, int] = {}
        for _, child, data in graph.out_edges(name, data=True):
            label = data.get(token)
            if label is None or label in entry:
                got = "none" if label is None else f"{label} twice under {name!r}"
                raise InputError(f"a distinct {token!r} per edge", got, f"graph, edge to {child!r}", "label the edges")
            entry[label] = number[child]
        maps.append(entry)
    reached, growing = {roots[0]}, [roots[0]]
    while growing:
        fresh = [child for child in graph.successors(growing.pop()) if child not in reached]
        reached.update(fresh)
        growing.extend(fresh)
    if lost := [name for name in names if name not in reached]:
        raise InputError("nodes that the root reaches", f"unreached nodes {lost}", "graph", "give an out-tree")
    tree, nodes = from_child_maps(maps)
    position = {name: i for i, name in enumerate(names)}
    return Imported(tree, tuple(position[order[node]] for node in nodes))
