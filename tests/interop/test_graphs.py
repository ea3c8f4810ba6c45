from __future__ import annotations

from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.interop.test_layouts import draft_trees, steady
from tevtheory.errors import InputError
from tevtheory.interop import from_graph, from_paths, to_graph
from tevtheory.trees import DraftTree

NAMED = DraftTree((-1, 0, 0, 1), (-1, 7, 2, 5))
OTHER = "id"


def edges(*entries: Any) -> nx.DiGraph:
    return nx.DiGraph([(parent, child, {} if token is None else {"token": token}) for parent, child, token in entries])


@steady
@given(draft_trees())
def test_random_trees_are_read_back(tree: DraftTree) -> None:
    assert from_graph(to_graph(tree)) == (tree, tuple(range(tree.size)))


@steady
@given(draft_trees(), st.data())
def test_a_graphs_nodes_may_be_listed_in_any_order(tree: DraftTree, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(tree.size)))
    graph = nx.DiGraph()
    graph.add_nodes_from(order)
    graph.add_edges_from(to_graph(tree).edges(data=True))
    read, nodes = from_graph(graph)
    assert {read.path(v): order[node] for v, node in enumerate(nodes)} == {tree.path(v): v for v in range(tree.size)}


def test_a_long_chain_is_read_back() -> None:
    chain = from_paths([range(2000)])
    assert from_graph(to_graph(chain)).tree == chain


def test_a_root_alone_is_read_back() -> None:
    assert from_graph(to_graph(DraftTree((-1,), (-1,)))) == (DraftTree((-1,), (-1,)), (0,))


def test_a_graph_has_the_trees_nodes() -> None:
    assert list(to_graph(NAMED)) == [0, 1, 2, 3]


def test_a_graph_has_tokens_on_its_edges() -> None:
    assert set(to_graph(NAMED).edges(data="token")) == {(0, 1, 7), (0, 2, 2), (1, 3, 5)}


def test_a_graph_of_a_tree_is_an_out_tree() -> None:
    assert nx.is_arborescence(to_graph(NAMED))


def test_nodes_may_have_any_names() -> None:
    graph = edges(("the", "cat", 7), ("the", "dog", 2), ("cat", "sat", 5))
    assert from_graph(graph) == (NAMED, (0, 1, 2, 3))


def test_nodes_give_the_order_of_insertion() -> None:
    graph = edges(("cat", "sat", 5), ("the", "cat", 7), ("the", "dog", 2))
    assert from_graph(graph) == (DraftTree((-1, 0, 1, 0), (-1, 7, 5, 2)), (2, 0, 1, 3))


def test_siblings_are_in_the_order_of_their_edges() -> None:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(3))
    graph.add_edge(0, 2, token=2)
    graph.add_edge(0, 1, token=7)
    assert from_graph(graph) == (DraftTree((-1, 0, 0), (-1, 2, 7)), (0, 2, 1))


def test_the_token_may_have_another_name() -> None:
    assert from_graph(nx.DiGraph([(0, 1, {OTHER: 7, "token": 2})]), token=OTHER).tree == DraftTree((-1, 0), (-1, 7))


def test_token_zero_is_a_token() -> None:
    assert from_graph(edges((0, 1, 0))).tree == DraftTree((-1, 0), (-1, 0))


OUT_TREE = "give an out-tree"
LABEL = "label the edges"


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (nx.DiGraph(), f"graph: expected one node without a parent, got 0: []; {OUT_TREE}"),
        (edges((0, 1, 7), (1, 0, 7)), f"graph: expected one node without a parent, got 0: []; {OUT_TREE}"),
        (edges((0, 1, 7), (2, 3, 7)), f"graph: expected one node without a parent, got 2: [0, 2]; {OUT_TREE}"),
        (
            edges(*((node, node + 1, 7) for node in range(0, 14, 2))),
            f"graph: expected one node without a parent, got 7: [0, 2, 4, 6, 8]; {OUT_TREE}",
        ),
        (edges((0, 1, None)), f"graph, edge to 1: expected a distinct 'token' per edge, got none; {LABEL}"),
        (
            edges(("the", "cat", 7), ("the", "dog", 7)),
            f"graph, edge to 'dog': expected a distinct 'token' per edge, got 7 twice under 'the'; {LABEL}",
        ),
        (
            edges((0, 1, 7), (0, 2, 2), (1, 3, 5), (2, 3, 5)),
            f"graph: expected one parent per node, got 3 under [1, 2]; {OUT_TREE}",
        ),
        (
            edges(("the", "cat", 7), ("a", "b", 7), ("b", "a", 7)),
            f"graph: expected nodes that the root reaches, got unreached nodes ['a', 'b']; {OUT_TREE}",
        ),
        (
            nx.MultiDiGraph([(0, 1, {"token": 7}), (0, 1, {"token": 2})]),
            f"graph: expected one parent per node, got 1 under [0, 0]; {OUT_TREE}",
        ),
        (edges((0, 1, "a")), "tree tokens: expected integers, got 'a'; give one integer per node"),
        (edges((0, 1, -1)), "tree, node 1: expected a token id >= 0, got -1; remove padding nodes"),
        (
            nx.Graph([(0, 1, {"token": 7})]),
            f"graph: expected a graph with directed edges, got a Graph; {OUT_TREE}",
        ),
    ],
)
def test_what_is_no_out_tree_is_refused(graph: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        from_graph(graph)
    assert str(caught.value) == message


def test_the_name_of_a_missing_token_is_shown() -> None:
    with pytest.raises(InputError) as caught:
        from_graph(edges((0, 1, 7)), token=OTHER)
    assert str(caught.value) == f"graph, edge to 1: expected a distinct 'id' per edge, got none; {LABEL}"
