from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tevtheory.errors import InputError
from tevtheory.interop import (
    Imported,
    from_child_maps,
    from_links,
    from_parents,
    from_paths,
    from_retrieve_indices,
    to_child_maps,
    to_links,
    to_parents,
    to_paths,
    to_retrieve_indices,
)
from tevtheory.trees import DraftTree

steady = settings(deadline=None, derandomize=True)


@st.composite
def draft_trees(draw: st.DrawFn, max_nodes: int = 10) -> DraftTree:
    """Random parents, and random distinct tokens for siblings; tokens are smaller than the number of nodes."""
    size = draw(st.integers(1, max_nodes))
    parents, tokens = [-1], [-1]
    free = [set(range(size)) for _ in range(size)]
    for v in range(1, size):
        parents.append(draw(st.integers(0, v - 1)))
        tokens.append(draw(st.sampled_from(sorted(free[parents[v]]))))
        free[parents[v]].remove(tokens[v])
    return DraftTree(parents, tokens)


@st.composite
def shuffled_trees(draw: st.DrawFn) -> tuple[DraftTree, list[int]]:
    """A draft tree and other numbers for its nodes; the root keeps 0."""
    tree = draw(draft_trees())
    return tree, [0, *draw(st.permutations(range(1, tree.size)))]


Reader = Callable[[DraftTree], Imported]

LAYOUTS: dict[str, Reader] = {
    "parents": lambda tree: from_parents(*to_parents(tree)),  # type: ignore[arg-type]
    "child maps": lambda tree: from_child_maps(to_child_maps(tree)),
    "retrieve indices": lambda tree: from_retrieve_indices(to_retrieve_indices(tree), tree.tokens),
    "links": lambda tree: from_links(*to_links(tree), tree.tokens),  # type: ignore[arg-type]
}

NAMED = DraftTree((-1, 0, 0, 1), (-1, 7, 2, 5))  # [7 [5] 2], and 2 has a smaller number than 5
CHAIN = DraftTree(range(-1, 5000), (-1, *range(5000)))


@steady
@given(draft_trees())
def test_random_trees_are_read_back_from_parents(tree: DraftTree) -> None:
    assert LAYOUTS["parents"](tree) == (tree, tuple(range(tree.size)))


@steady
@given(draft_trees())
def test_random_trees_are_read_back_from_child_maps(tree: DraftTree) -> None:
    assert LAYOUTS["child maps"](tree) == (tree, tuple(range(tree.size)))


@steady
@given(draft_trees())
def test_random_trees_are_read_back_from_retrieve_indices(tree: DraftTree) -> None:
    assert LAYOUTS["retrieve indices"](tree) == (tree, tuple(range(tree.size)))


@steady
@given(draft_trees())
def test_random_trees_are_read_back_from_links(tree: DraftTree) -> None:
    assert LAYOUTS["links"](tree) == (tree, tuple(range(tree.size)))


@steady
@given(draft_trees())
def test_random_trees_are_read_back_from_paths_up_to_their_numbers(tree: DraftTree) -> None:
    assert str(from_paths(to_paths(tree))) == str(tree)


@steady
@given(draft_trees())
def test_trees_with_depth_first_numbers_are_read_back_from_paths(tree: DraftTree) -> None:
    ordered = from_paths(to_paths(tree))
    assert from_paths(to_paths(ordered)) == ordered


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("tree", [DraftTree((-1,), (-1,)), NAMED, CHAIN], ids=["root", "small", "chain"])
def test_a_tree_is_read_back(layout: str, tree: DraftTree) -> None:
    assert LAYOUTS[layout](tree).tree == tree


@pytest.mark.parametrize("tree", [DraftTree((-1,), (-1,)), CHAIN], ids=["root", "chain"])
def test_a_tree_is_read_back_from_its_paths(tree: DraftTree) -> None:
    assert from_paths(to_paths(tree)) == tree


def relabelled(values: Any, numbers: list[int]) -> list[Any]:
    """The entries of an array of nodes, moved to the nodes' other numbers."""
    moved: list[Any] = [None] * len(numbers)
    for v, value in enumerate(values):
        moved[numbers[v]] = value
    return moved


def shuffled_parents(tree: DraftTree, numbers: list[int]) -> Imported:
    parents = [-1 if parent < 0 else numbers[parent] for parent in tree.parents]
    return from_parents(relabelled(parents, numbers), relabelled(tree.tokens, numbers))


def shuffled_child_maps(tree: DraftTree, numbers: list[int]) -> Imported:
    maps = [{token: numbers[child] for token, child in entry.items()} for entry in tree.child_maps]
    return from_child_maps(relabelled(maps, numbers))


def shuffled_retrieve_indices(tree: DraftTree, numbers: list[int]) -> Imported:
    table = [[-1 if v < 0 else numbers[v] for v in row] for row in to_retrieve_indices(tree).tolist()]
    return from_retrieve_indices(table, relabelled(tree.tokens, numbers))


def shuffled_links(tree: DraftTree, numbers: list[int]) -> Imported:
    first, following = ([-1 if v < 0 else numbers[v] for v in array.tolist()] for array in to_links(tree))
    return from_links(relabelled(first, numbers), relabelled(following, numbers), relabelled(tree.tokens, numbers))


SHUFFLED = [shuffled_parents, shuffled_child_maps, shuffled_retrieve_indices, shuffled_links]


def nodes_by_path(tree: DraftTree, names: Any) -> dict[tuple[int, ...], int]:
    return {tree.path(v): names[v] for v in range(tree.size)}


@pytest.mark.parametrize("read", SHUFFLED)
@steady
@given(shuffled=shuffled_trees())
def test_other_numbers_keep_the_paths_and_map_back(
    read: Callable[[DraftTree, list[int]], Imported], shuffled: tuple[DraftTree, list[int]]
) -> None:
    tree, numbers = shuffled
    assert nodes_by_path(*read(tree, numbers)) == nodes_by_path(tree, numbers)


@pytest.mark.parametrize("read", [shuffled_child_maps, shuffled_links])
@steady
@given(shuffled=shuffled_trees())
def test_other_numbers_keep_the_order_of_listed_siblings(
    read: Callable[[DraftTree, list[int]], Imported], shuffled: tuple[DraftTree, list[int]]
) -> None:
    tree, numbers = shuffled
    assert str(read(tree, numbers).tree) == str(tree)


@steady
@given(draft_trees(), st.data())
def test_parent_arrays_may_have_the_root_anywhere(tree: DraftTree, data: st.DataObject) -> None:
    numbers = data.draw(st.permutations(range(tree.size)))
    assert nodes_by_path(*shuffled_parents(tree, numbers)) == nodes_by_path(tree, numbers)


@pytest.mark.parametrize(
    ("imported", "tree", "nodes"),
    [
        (from_parents([-1, 0, 0, 1], [9, 7, 2, 5]), NAMED, (0, 1, 2, 3)),
        (from_parents([1, -1, 1], [5, 0, 4]), DraftTree((-1, 0, 0), (-1, 5, 4)), (1, 0, 2)),
        (from_parents([-1, 3, 0, 0], [9, 5, 2, 7]), DraftTree((-1, 0, 0, 2), (-1, 2, 7, 5)), (0, 2, 3, 1)),
        (from_child_maps([{7: 1, 2: 2}, {5: 3}, {}, {}]), NAMED, (0, 1, 2, 3)),
        (from_child_maps([{7: 3, 2: 1}, {}, {}, {5: 2}]), NAMED, (0, 3, 1, 2)),
        (from_retrieve_indices([[0, 1, 3], [0, 2, -1]], [9, 7, 2, 5]), NAMED, (0, 1, 2, 3)),
        (from_retrieve_indices([[0, 2, -1], [0, 1, 3]], [9, 7, 2, 5]), NAMED, (0, 1, 2, 3)),
        (from_retrieve_indices([[0, 1, -1], [0, 1, 3], [0, 2, -1]], [9, 7, 2, 5]), NAMED, (0, 1, 2, 3)),
        (from_links([1, 3, -1, -1], [-1, 2, -1, -1], [9, 7, 2, 5]), NAMED, (0, 1, 2, 3)),
        (from_links([3, -1, -1, 2], [-1, -1, -1, 1], [9, 2, 5, 7]), NAMED, (0, 3, 1, 2)),
    ],
)
def test_layouts_by_hand(imported: Imported, tree: DraftTree, nodes: tuple[int, ...]) -> None:
    assert imported == (tree, nodes)


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (to_parents(NAMED)[0], [-1, 0, 0, 1]),
        (to_parents(NAMED)[1], [-1, 7, 2, 5]),
        (to_links(NAMED)[0], [1, 3, -1, -1]),
        (to_links(NAMED)[1], [-1, 2, -1, -1]),
        (to_retrieve_indices(DraftTree((-1,), (-1,))), [[0]]),
        (to_retrieve_indices(DraftTree((-1, 0, 1, 0), (-1, 7, 5, 2))), [[0, 1, 2], [0, 3, -1]]),
    ],
)
def test_arrays_by_hand(array: Any, expected: list[Any]) -> None:
    assert (array.dtype, array.tolist()) == (np.int64, expected)


def test_child_maps_are_copies() -> None:
    tree = DraftTree((-1, 0), (-1, 7))
    to_child_maps(tree)[0].clear()
    assert tree.child(0, 7) == 1


def test_a_root_alone_has_the_empty_path() -> None:
    assert to_paths(DraftTree((-1,), (-1,))) == [()]


@pytest.mark.parametrize("paths", [[], [()], [(), ()]])
def test_no_paths_make_a_root(paths: Any) -> None:
    assert from_paths(paths) == DraftTree((-1,), (-1,))


@pytest.mark.parametrize("paths", [[(7, 5), (2,)], [(7,), (7, 5), (2,)], [(7, 5), (7,), (2,), (2,), ()]])
def test_paths_are_merged_with_their_prefixes(paths: Any) -> None:
    assert from_paths(paths) == DraftTree((-1, 0, 1, 0), (-1, 7, 5, 2))


def test_paths_may_be_an_iterator() -> None:
    assert from_paths(iter([(7,), (2,)])) == DraftTree((-1, 0, 0), (-1, 7, 2))


def test_retrieve_indices_ignore_the_roots_token() -> None:
    assert from_retrieve_indices([[0, 1]], [9, 7]) == from_retrieve_indices([[0, 1]], [-1, 7])


def test_retrieve_indices_may_be_padded_everywhere() -> None:
    assert from_retrieve_indices([[0, 1, -1, -1]], [9, 7]).tree == DraftTree((-1, 0), (-1, 7))


NODE = "correct the node number"
TREE = "give each node one parent, and the root none"
LOST = "drop padding nodes, and break cycles"
ONE_ROOT = "drop padding; give one root"
TABLE = "give one row per leaf"
START = "start at the root"


@pytest.mark.parametrize(
    ("parents", "tokens", "message"),
    [
        (
            [-1, 0],
            [9],
            (
                "parent arrays: expected one parent and one token per node, got 2 parents and 1 tokens; "
                "make the arrays equally long"
            ),
        ),
        ([], [], f"parent arrays: expected one node with parent -1, got nodes []; {ONE_ROOT}"),
        ([1, 0], [9, 9], f"parent arrays: expected one node with parent -1, got nodes []; {ONE_ROOT}"),
        ([-1, 0, -1], [9, 7, 7], f"parent arrays: expected one node with parent -1, got nodes [0, 2]; {ONE_ROOT}"),
        ([-1, 2], [9, 7], f"parent of node 1: expected a node in 0..1, got 2; {NODE}"),
        ([-1, -2], [9, 7], f"parent of node 1: expected a node in 0..1, got -2; {NODE}"),
        (np.array([-1, 2]), [9, 7], f"parent of node 1: expected a node in 0..1, got 2; {NODE}"),
        ([-1, 0.0], [9, 7], f"parent of node 1: expected a node in 0..1, got 0.0; {NODE}"),
        ([-1, "0"], [9, 7], f"parent of node 1: expected a node in 0..1, got '0'; {NODE}"),
        (
            [-1, 2, 1, 0],
            [9, 7, 7, 7],
            f"parent arrays: expected nodes that the root reaches, got unreached nodes [1, 2]; {LOST}",
        ),
        (
            [-1, 1],
            [9, 7],
            f"parent arrays: expected nodes that the root reaches, got unreached nodes [1]; {LOST}",
        ),
        (
            [1, -1, 1],
            [7, 9, 7],
            (
                "tree: expected distinct sibling tokens, got token 7 twice under node 0 (nodes 1 and 2); "
                "merge the two nodes: a draft tree is a set of strings"
            ),
        ),
        ([-1, 0], [9, -1], "tree, node 1: expected a token id >= 0, got -1; remove padding nodes"),
    ],
)
def test_wrong_parent_arrays_are_refused(parents: Any, tokens: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        from_parents(parents, tokens)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("maps", "message"),
    [
        ([], "child maps: expected a root, got no nodes; give the root at least"),
        ([{7: 1}], f"child of node 0 along token 7: expected a node in 0..0, got 1; {NODE}"),
        ([{7: 1}, {5: -1}], f"child of node 1 along token 5: expected a node in 0..1, got -1; {NODE}"),
        ([{7: 1.0}, {}], f"child of node 0 along token 7: expected a node in 0..1, got 1.0; {NODE}"),
        ([{7: 1, 2: 1}, {}], f"child maps: expected a tree, got node 1 under 0 and under 0; {TREE}"),
        ([{7: 1, 2: 2}, {5: 2}, {}], f"child maps: expected a tree, got node 2 under 0 and under 1; {TREE}"),
        ([{7: 1}, {5: 0}], f"child maps: expected a tree, got node 0 under -1 and under 1; {TREE}"),
        ([{7: 0}], f"child maps: expected a tree, got node 0 under -1 and under 0; {TREE}"),
        ([{7: 1}, {}, {}], f"child maps: expected nodes that the root reaches, got unreached nodes [2]; {LOST}"),
        ([{}, {7: 2}, {7: 1}], f"child maps: expected nodes that the root reaches, got unreached nodes [1, 2]; {LOST}"),
        ([{-1: 1}, {}], "tree, node 1: expected a token id >= 0, got -1; remove padding nodes"),
        ([{"a": 1}, {}], "tree tokens: expected integers, got 'a'; give one integer per node"),
    ],
)
def test_wrong_child_maps_are_refused(maps: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        from_child_maps(maps)
    assert str(caught.value) == message


PADDED = "expected node 0, a path, then padding with -1 only, got"
SHAPE = "retrieve_indices: expected integers of shape (paths, depth + 1), got"


@pytest.mark.parametrize(
    ("indices", "tokens", "message"),
    [
        ([0, 1], [9, 7], f"{SHAPE} shape (2,) of int64; {TABLE}"),
        ([], [9], f"{SHAPE} shape (0,) of float64; {TABLE}"),
        ([[]], [9], f"{SHAPE} shape (1, 0) of float64; {TABLE}"),
        ([[[0, 1]]], [9, 7], f"{SHAPE} shape (1, 1, 2) of int64; {TABLE}"),
        ([[0.0, 1.0]], [9, 7], f"{SHAPE} shape (1, 2) of float64; {TABLE}"),
        ([[0, 1], [0]], [9, 7], f"{SHAPE} rows of several lengths; {TABLE}"),
        ([[1, 0]], [9, 7], f"retrieve_indices, row 0: {PADDED} [1, 0]; {START}"),
        ([[0, 1], [-1, -1]], [9, 7], f"retrieve_indices, row 1: {PADDED} [-1, -1]; {START}"),
        ([[0, -1, 1]], [9, 7], f"retrieve_indices, row 0: {PADDED} [0, -1, 1]; {START}"),
        ([[0, -1, -2]], [9, 7], f"retrieve_indices, row 0: {PADDED} [0, -1, -2]; {START}"),
        ([[0, 2]], [9, 7], f"retrieve_indices, row 0: expected a node in 0..1, got 2; {NODE}"),
        ([[0, -2]], [9, 7], f"retrieve_indices, row 0: expected a node in 0..1, got -2; {NODE}"),
        (
            [[0, 1, 3], [0, 2, 3]],
            [9, 7, 2, 5],
            "retrieve_indices, row 1: expected one parent per node, got node 3 under 1 and under 2; correct the paths",
        ),
        ([[0, 1, 0]], [9, 7], f"retrieve_indices: expected a tree, got node 0 under -1 and under 1; {TREE}"),
        (
            [[0, 1, 1]],
            [9, 7],
            "retrieve_indices, row 0: expected one parent per node, got node 1 under 0 and under 1; correct the paths",
        ),
        (
            [[0, 1]],
            [9, 7, 2],
            f"retrieve_indices: expected nodes that the root reaches, got unreached nodes [2]; {LOST}",
        ),
        ([[0]], [], "retrieve_indices: expected a root, got no nodes; give the root at least"),
        ([[0, 1]], [9, -1], "tree, node 1: expected a token id >= 0, got -1; remove padding nodes"),
    ],
)
def test_wrong_retrieve_indices_are_refused(indices: Any, tokens: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        from_retrieve_indices(indices, tokens)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("first", "following", "tokens", "message"),
    [
        (
            [-1, -1],
            [-1],
            [9],
            "links: expected three arrays of one length, got 2, 1 and 1 entries; give one entry per node",
        ),
        (
            [-1],
            [-1],
            [9, 7],
            "links: expected three arrays of one length, got 1, 1 and 2 entries; give one entry per node",
        ),
        ([], [], [], "links: expected a root, got no nodes; give the root at least"),
        ([2, -1], [-1, -1], [9, 7], f"links, children of node 0: expected a node in 0..1, got 2; {NODE}"),
        ([1, -1], [-1, -2], [9, 7], f"links, children of node 0: expected a node in 0..1, got -2; {NODE}"),
        (np.array([2, -1]), [-1, -1], [9, 7], f"links, children of node 0: expected a node in 0..1, got 2; {NODE}"),
        ([1.0, -1], [-1, -1], [9, 7], f"links, children of node 0: expected a node in 0..1, got 1.0; {NODE}"),
        (
            [1, -1, -1],
            [-1, 2, 1],
            [9, 7, 2],
            "links, children of node 0: expected a sibling list that ends, got node 1 again; end lists with -1",
        ),
        (
            [1, -1],
            [-1, 1],
            [9, 7],
            "links, children of node 0: expected a sibling list that ends, got node 1 again; end lists with -1",
        ),
        ([1, 2, -1], [-1, 2, -1], [9, 7, 2], f"links: expected a tree, got node 2 under 0 and under 1; {TREE}"),
        ([1, 0], [-1, -1], [9, 7], f"links: expected a tree, got node 0 under -1 and under 1; {TREE}"),
        (
            [-1, -1],
            [-1, -1],
            [9, 7],
            f"links: expected nodes that the root reaches, got unreached nodes [1]; {LOST}",
        ),
        (
            [-1, 2, 1],
            [-1, -1, -1],
            [9, 7, 2],
            f"links: expected nodes that the root reaches, got unreached nodes [1, 2]; {LOST}",
        ),
    ],
)
def test_wrong_links_are_refused(first: Any, following: Any, tokens: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        from_links(first, following, tokens)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ([(7, -1)], "tree, node 2: expected a token id >= 0, got -1; remove padding nodes"),
        ([("a",)], "tree tokens: expected integers, got 'a'; give one integer per node"),
        ([(7.5,)], "tree tokens: expected integers, got 7.5; give one integer per node"),
    ],
)
def test_wrong_paths_are_refused(paths: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        from_paths(paths)
    assert str(caught.value) == message
