from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.interop.test_layouts import draft_trees, steady
from tevtheory.errors import InputError
from tevtheory.trees import ROOT, DraftTree, Exit

TREE = DraftTree((-1, 0, 0, 1, 1, 4), (-1, 7, 2, 7, 3, 0))
CHAIN = DraftTree(range(-1, 5000), (-1, *range(5000)))

CYCLE = "correct the parents"
ORDER = "number parents before children (tevtheory.interop.from_parents sorts them)"
NO_PARENT = "only the root has no parent"
PER_NODE = "give one integer per node"
LENGTHS = "a root alone is ((-1,), (-1,))"


@pytest.mark.parametrize(
    ("parents", "tokens", "message"),
    [
        ((-1, 1), (-1, 5), f"tree, node 1: expected a tree, got the cycle 1 -> 1; {CYCLE}"),
        ((-1, 2, 1), (-1, 5, 5), f"tree, node 1: expected a tree, got the cycle 1 -> 2 -> 1; {CYCLE}"),
        ((-1, 0, 3, 2), (-1, 5, 5, 5), f"tree, node 2: expected a tree, got the cycle 2 -> 3 -> 2; {CYCLE}"),
        ((-1, 2, 3, 1), (-1, 5, 5, 5), f"tree, node 1: expected a tree, got the cycle 1 -> 2 -> 3 -> 1; {CYCLE}"),
        ((-1, 2, 3, 2), (-1, 5, 5, 5), f"tree, node 1: expected a tree, got the cycle 2 -> 3 -> 2; {CYCLE}"),
    ],
)
def test_a_cycle_is_shown(parents: Any, tokens: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        DraftTree(parents, tokens)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ((-1, 2, 0), f"tree, node 1: expected a parent before its child (0..0), got parent 2; {ORDER}"),
        ((-1, 0, 3, 0), f"tree, node 2: expected a parent before its child (0..1), got parent 3; {ORDER}"),
        ((-1, 2, 9), f"tree, node 1: expected a parent before its child (0..0), got parent 2; {ORDER}"),
    ],
)
def test_a_parent_after_its_child_is_told_from_a_cycle(parents: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        DraftTree(parents, (-1, *range(len(parents) - 1)))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ((-1, -1), f"tree, node 1: expected a parent in 0..0, got -1; {NO_PARENT}"),
        ((-1, 0, -2), f"tree, node 2: expected a parent in 0..1, got -2; {NO_PARENT}"),
        ((-1, 0, 3), f"tree, node 2: expected a parent in 0..1, got 3; {NO_PARENT}"),
    ],
)
def test_a_parent_that_is_no_node_is_refused(parents: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        DraftTree(parents, (-1, *range(len(parents) - 1)))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("parents", "tokens", "got"),
    [
        ((-1, 0, 0), (-1, 7, 7), "token 7 twice under node 0 (nodes 1 and 2)"),
        ((-1, 0, 1, 0, 1), (-1, 7, 7, 5, 7), "token 7 twice under node 1 (nodes 2 and 4)"),
    ],
)
def test_siblings_with_one_token_are_refused(parents: Any, tokens: Any, got: str) -> None:
    with pytest.raises(InputError) as caught:
        DraftTree(parents, tokens)
    text = f"tree: expected distinct sibling tokens, got {got}; merge the two nodes: a draft tree is a set of strings"
    assert str(caught.value) == text


def test_one_token_under_two_parents_is_fine() -> None:
    assert DraftTree((-1, 0, 0, 1, 2), (-1, 7, 2, 5, 5)).budget == 4


@pytest.mark.parametrize("token", [-1, -2])
def test_a_negative_token_is_refused(token: int) -> None:
    with pytest.raises(InputError) as caught:
        DraftTree((-1, 0), (-1, token))
    assert str(caught.value) == f"tree, node 1: expected a token id >= 0, got {token}; remove padding nodes"


@pytest.mark.parametrize(
    ("parents", "tokens", "message"),
    [
        ((-1, 0.0), (-1, 5), f"tree parents: expected integers, got 0.0; {PER_NODE}"),
        ((-1, "0"), (-1, 5), f"tree parents: expected integers, got '0'; {PER_NODE}"),
        ((None, 0), (-1, 5), f"tree parents: expected integers, got None; {PER_NODE}"),
        ((-1, 0), (-1, 5.0), f"tree tokens: expected integers, got 5.0; {PER_NODE}"),
        ((-1, 0), (-1, "a"), f"tree tokens: expected integers, got 'a'; {PER_NODE}"),
        ((-1, 0), (-1, [5]), f"tree tokens: expected integers, got [5]; {PER_NODE}"),
        ((-1, 0), (-1, np.bool_(True)), f"tree tokens: expected integers, got np.True_; {PER_NODE}"),
        ((-1, 0), (-1, True), f"tree tokens: expected integers, got True; {PER_NODE}"),
        ((-1, False), (-1, 5), f"tree parents: expected integers, got False; {PER_NODE}"),
        (-1, -1, f"tree parents: expected integers, got -1; {PER_NODE}"),
        ((-1,), None, f"tree tokens: expected integers, got None; {PER_NODE}"),
    ],
)
def test_what_is_no_integer_is_refused(parents: Any, tokens: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        DraftTree(parents, tokens)
    assert str(caught.value) == message


@pytest.mark.parametrize("parents", [np.array([[-1], [0]]), [-1, np.array([0, 0])], [np.array([-1]), 0]])
def test_an_array_is_no_integer(parents: Any) -> None:
    with pytest.raises(InputError) as caught:
        DraftTree(parents, (-1, 5))
    assert (caught.value.where, caught.value.expected) == ("tree parents", "integers")


@pytest.mark.parametrize(
    ("parents", "tokens", "got"),
    [
        ((), (), "0 parents and 0 tokens"),
        ((-1,), (), "1 parents and 0 tokens"),
        ((), (-1,), "0 parents and 1 tokens"),
        ((-1, 0), (-1, 5, 6), "2 parents and 3 tokens"),
    ],
)
def test_arrays_of_two_lengths_are_refused(parents: Any, tokens: Any, got: str) -> None:
    with pytest.raises(InputError) as caught:
        DraftTree(parents, tokens)
    assert str(caught.value) == f"tree: expected one parent and one token per node, root included, got {got}; {LENGTHS}"


@pytest.mark.parametrize(
    ("parents", "tokens", "got"),
    [
        ((0,), (-1,), "parent 0, token -1"),
        ((-1,), (5,), "parent -1, token 5"),
        ((1, -1), (5, -1), "parent 1, token 5"),
    ],
)
def test_a_wrong_root_is_refused(parents: Any, tokens: Any, got: str) -> None:
    with pytest.raises(InputError) as caught:
        DraftTree(parents, tokens)
    assert str(caught.value) == f"tree, node 0: expected parent -1 and token -1, got {got}; put the root first"


def test_a_root_alone_is_a_tree() -> None:
    root = DraftTree((-1,), (-1,))
    assert (root.size, root.budget, root.depth, root.children) == (1, 0, 0, ((),))


def test_a_root_alone_has_the_empty_path() -> None:
    assert DraftTree((-1,), (-1,)).path(ROOT) == ()


def test_numpy_arrays_are_read() -> None:
    assert DraftTree(np.array([-1, 0]), np.array([-1, 5])) == DraftTree((-1, 0), (-1, 5))  # type: ignore[arg-type]


def test_numpy_integers_become_python_integers() -> None:
    tree = DraftTree(list(np.array([-1, 0])), list(np.array([-1, 5])))
    assert {type(value) for value in (*tree.parents, *tree.tokens)} == {int}


def test_sizes() -> None:
    assert (TREE.size, TREE.budget, TREE.depth) == (6, 5, 3)


def test_children_are_in_the_order_of_their_numbers() -> None:
    assert TREE.children == ((1, 2), (3, 4), (), (), (5,), ())


def test_depths() -> None:
    assert TREE.depths == (0, 1, 1, 2, 2, 3)


@pytest.mark.parametrize(
    ("node", "token", "child"), [(0, 7, 1), (0, 2, 2), (1, 3, 4), (0, 3, None), (0, -1, None), (5, 7, None)]
)
def test_the_child_along_a_token(node: int, token: int, child: int | None) -> None:
    assert TREE.child(node, token) == child


@pytest.mark.parametrize(("node", "path"), [(0, ()), (2, (2,)), (3, (7, 7)), (5, (7, 3, 0))])
def test_the_path_to_a_node(node: int, path: tuple[int, ...]) -> None:
    assert TREE.path(node) == path


@pytest.mark.parametrize(
    ("path", "node"), [((), 0), ((2,), 2), ((7, 7), 3), ([7, 3, 0], 5), ((3,), None), ((2, 7), None), ((3, 7, 7), None)]
)
def test_the_node_at_the_end_of_a_path(path: Any, node: int | None) -> None:
    assert TREE.find(path) == node


@pytest.mark.parametrize(("node", "ancestors"), [(0, [0]), (2, [2, 0]), (5, [5, 4, 1, 0])])
def test_ancestors_start_at_the_node_and_end_at_the_root(node: int, ancestors: list[int]) -> None:
    assert list(TREE.ancestors(node)) == ancestors


@pytest.mark.parametrize(("end", "node"), [(Exit(0, 7), 1), (Exit(4, 0), 5), (Exit(0, 3), None), (Exit(5, 0), None)])
def test_the_node_an_exit_lands_on(end: Exit, node: int | None) -> None:
    assert TREE.lands_on(end) == node


@steady
@given(draft_trees())
def test_find_inverts_path(tree: DraftTree) -> None:
    assert [tree.find(tree.path(v)) for v in range(tree.size)] == list(range(tree.size))


@steady
@given(draft_trees())
def test_depth_is_the_length_of_the_path(tree: DraftTree) -> None:
    assert tree.depths == tuple(len(tree.path(v)) for v in range(tree.size))


@steady
@given(draft_trees())
def test_children_have_their_parent(tree: DraftTree) -> None:
    pairs = {(v, tree.parents[v]) for v in range(1, tree.size)}
    assert {(child, v) for v in range(tree.size) for child in tree.children[v]} == pairs


@pytest.mark.parametrize("keep", [[0, 1, 4], [4, 1, 0], [0, 1, 4, 4, 1]])
def test_a_restricted_tree_keeps_the_given_nodes(keep: list[int]) -> None:
    assert TREE.restricted(keep) == (DraftTree((-1, 0, 1), (-1, 7, 3)), (0, 1, 4))


def test_a_tree_restricted_to_all_nodes_is_itself() -> None:
    assert TREE.restricted(range(6)) == (TREE, (0, 1, 2, 3, 4, 5))


@steady
@given(draft_trees())
def test_a_restricted_tree_keeps_paths(tree: DraftTree) -> None:
    smaller, kept = tree.restricted([v for v in range(tree.size) if tree.depths[v] < tree.depth or v == ROOT])
    assert [smaller.path(v) for v in range(smaller.size)] == [tree.path(v) for v in kept]


@pytest.mark.parametrize("keep", [[], [1], [0, 3], [0, 1, 5]])
def test_a_restricted_tree_needs_all_ancestors(keep: list[int]) -> None:
    with pytest.raises(InputError) as caught:
        TREE.restricted(keep)
    expected = "the root and, with every node, its parent"
    assert str(caught.value) == f"restricted: expected {expected}, got nodes {keep}; add the missing ancestors"


@pytest.mark.parametrize(("keep", "got"), [([0, 6], "6"), ([0, 1, 99], "99"), ([-1, 0], "-1"), ([-6, 0, 1], "-6")])
def test_a_tree_is_not_restricted_to_nodes_it_lacks(keep: list[int], got: str) -> None:
    with pytest.raises(InputError) as caught:
        TREE.restricted(keep)
    assert str(caught.value) == f"restricted: expected nodes in 0..5, got {got}; use this tree's node numbers"


@pytest.mark.parametrize(
    ("parents", "tokens", "text"),
    [
        ((-1,), (-1,), "[]"),
        ((-1, 0), (-1, 7), "[7]"),
        ((-1, 0, 0), (-1, 7, 2), "[7 2]"),
        ((-1, 0, 1), (-1, 7, 2), "[7 [2]]"),
        ((-1, 0, 0, 1), (-1, 7, 2, 7), "[7 [7] 2]"),
        ((-1, 0, 0, 2, 2), (-1, 10, 20, 30, 40), "[10 20 [30 40]]"),
        (TREE.parents, TREE.tokens, "[7 [7 3 [0]] 2]"),
    ],
)
def test_the_text_of_a_tree(parents: Any, tokens: Any, text: str) -> None:
    assert str(DraftTree(parents, tokens)) == text


def test_the_repr_of_a_tree_is_its_code() -> None:
    assert repr(DraftTree((-1, 0), (-1, 7))) == "DraftTree(parents=(-1, 0), tokens=(-1, 7))"


def test_a_long_chain_has_its_depth() -> None:
    assert (CHAIN.size, CHAIN.depth) == (5001, 5000)


def test_a_long_chain_has_its_path() -> None:
    assert CHAIN.path(5000) == tuple(range(5000))


def test_a_long_chain_is_searched() -> None:
    assert CHAIN.find(range(5000)) == 5000


def test_a_long_chain_has_text() -> None:
    assert str(CHAIN) == "[" + " [".join(map(str, range(5000))) + "]" * 5000


def test_a_long_chain_is_restricted() -> None:
    assert CHAIN.restricted(range(4000))[0].depth == 3999


def test_a_long_chain_is_compared_and_hashed() -> None:
    assert len({CHAIN, DraftTree(range(-1, 5000), (-1, *range(5000)))}) == 1


def test_a_long_cycle_is_found() -> None:
    with pytest.raises(InputError, match=r"the cycle 1 -> 2 -> .* -> 4999 -> 1;"):
        DraftTree((-1, *range(2, 5000), 1), (-1, *range(4999)))


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(DraftTree)])
def test_a_tree_cannot_be_changed(name: str) -> None:
    tree = DraftTree((-1, 0), (-1, 7))
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(tree, name, ())


def test_a_tree_does_not_follow_its_input() -> None:
    parents, tokens = [-1, 0], [-1, 7]
    tree = DraftTree(parents, tokens)
    parents.append(0)
    tokens.append(2)
    assert tree == DraftTree((-1, 0), (-1, 7))


def test_equal_trees_hash_alike() -> None:
    assert hash(DraftTree([-1, 0], [-1, 7])) == hash(DraftTree((-1, 0), (-1, 7)))


@pytest.mark.parametrize(
    ("parents", "tokens"), [((-1, 0), (-1, 8)), ((-1, 0, 0), (-1, 7, 2)), ((-1,), (-1,)), ((-1, 0, 1), (-1, 7, 2))]
)
def test_other_trees_are_not_equal(parents: Any, tokens: Any) -> None:
    assert DraftTree(parents, tokens) != DraftTree((-1, 0), (-1, 7))


def test_the_order_of_siblings_matters() -> None:
    assert DraftTree((-1, 0, 0), (-1, 7, 2)) != DraftTree((-1, 0, 0), (-1, 2, 7))
