from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest

from tevtheory.enumeration import (
    FAMILIES,
    Shape,
    chunks,
    draft_tree_count,
    draft_trees,
    family,
    ordered_count,
    ordered_shapes,
    unlabelled_count,
    unlabelled_shapes,
)
from tevtheory.enumeration.rows import label, vocabulary_for, zero_pattern_count, zero_patterns
from tevtheory.errors import InputError
from tevtheory.exitlaw import exit_masses, flow
from tevtheory.weights import Kind

A000081 = [1, 1, 2, 4, 9, 20, 48, 115, 286, 719, 1842, 4766]


def canonical_form(shape: Shape) -> tuple[object, ...]:
    """A nested sorted tuple: equal for shapes that differ by the order of children only."""
    forms: list[tuple[object, ...]] = [()] * len(shape)
    for v in range(len(shape) - 1, -1, -1):
        forms[v] = tuple(sorted((forms[u] for u in range(v + 1, len(shape)) if shape[u] == v), key=repr))
    return forms[0]


def test_unlabelled_shapes_are_counted_by_a000081() -> None:
    assert [unlabelled_count(n) for n in range(1, 13)] == A000081
    assert [sum(1 for _ in unlabelled_shapes(n)) for n in range(1, 12)] == A000081[:11]


def test_ordered_shapes_are_counted_by_catalan_numbers() -> None:
    assert [sum(1 for _ in ordered_shapes(n)) for n in range(1, 10)] == [ordered_count(n) for n in range(1, 10)]
    assert [ordered_count(n) for n in range(1, 10)] == [1, 1, 2, 5, 14, 42, 132, 429, 1430]


@pytest.mark.parametrize("vocabulary", [1, 2, 3])
def test_draft_trees_are_counted_by_fuss_catalan_numbers(vocabulary: int) -> None:
    for nodes in range(1, 6):
        assert sum(1 for _ in draft_trees(nodes, vocabulary)) == draft_tree_count(nodes, vocabulary)


def test_no_two_unlabelled_shapes_are_alike_and_all_ordered_ones_are_covered() -> None:
    for nodes in range(1, 9):
        forms = [canonical_form(shape) for shape in unlabelled_shapes(nodes)]
        assert len(set(forms)) == len(forms)
        assert {canonical_form(shape) for shape in ordered_shapes(nodes)} == set(forms)


def test_draft_trees_are_the_prefix_closed_sets_of_strings() -> None:
    strings = [string for length in (1, 2, 3) for string in product(range(2), repeat=length)]
    closed = Counter[int]()
    for bits in range(1 << len(strings)):
        chosen = {s for i, s in enumerate(strings) if bits >> i & 1}
        if all(len(s) == 1 or s[:-1] in chosen for s in chosen):
            closed[len(chosen) + 1] += 1
    for nodes in range(1, 5):  # up to 4 nodes no string is longer than 3
        found = {frozenset(tree.path(v) for v in range(1, tree.size)) for tree in draft_trees(nodes, 2)}
        assert len(found) == closed[nodes] == draft_tree_count(nodes, 2)


@pytest.mark.parametrize("count", [unlabelled_count, ordered_count])
def test_no_node_is_refused(count: object) -> None:
    with pytest.raises(InputError, match="expected at least 1 node, got 0; the smallest tree is a root alone"):
        count(0)  # type: ignore[operator]


def test_zero_patterns_are_as_many_as_counted() -> None:
    per_size = []
    for nodes in range(1, 6):
        found = 0
        for shape in unlabelled_shapes(nodes):
            patterns = set(zero_patterns(label(shape, random.Random(0))))
            assert len(patterns) == zero_pattern_count(shape)
            found += len(patterns)
        per_size.append(found)
    assert per_size == [1, 3, 16, 84, 503]


def test_zero_pattern_problems_have_the_zeros_of_their_pattern() -> None:
    seen = set()
    for chunk in chunks("zeros", 4):
        for (shape, _), problem in chunk.generate(0):
            tree, exits = problem.tree, []
            for v in range(tree.size):
                exits.append(tuple(bool(problem.target.edge(c)) for c in tree.children[v]))
                exits[-1] += (bool(problem.target.exit_probability(v)),)
            seen.add((tree.size, shape, tuple(exits)))
    assert len(seen) == 1 + 3 + 16 + 84


def test_tokens_of_children_interleave_with_others() -> None:
    below = above = 0
    for chunk in chunks("generic", 6):
        for _, problem in chunk.generate(1):
            tree = problem.tree
            assert problem.target.vocabulary == vocabulary_for(tree.parents)
            for v in range(tree.size):
                others = [x for x in range(problem.target.vocabulary) if tree.child(v, x) is None]
                assert len(others) >= 2
                for token in tree.child_maps[v]:
                    below += token < max(others)
                    above += token > min(others)
    assert below > 10
    assert above > 10


def test_one_hot_problems_exit_at_every_node() -> None:
    for chunk in chunks("one-hot", 5):
        exits = Counter[tuple[int, int]]()
        for (shape, number), problem in chunk.generate(2):
            masses = exit_masses(problem.target)
            assert masses[number] == 1
            assert set(flow(problem.target)) <= {0, 1}
            exits[shape, number] += 1
        assert len(exits) == chunk.problems


def test_ties_tie() -> None:
    problems = [problem for chunk in chunks("ties", 6) for _, problem in chunk.generate(0)]
    tied = [p for p in problems for v in range(p.tree.size) if len(set(map(p.target.edge, p.tree.children[v]))) == 1]
    assert len(tied) > len(problems) / 2


@pytest.mark.parametrize("kind", FAMILIES, ids=lambda kind: kind.name)
def test_chunks_cover_a_family_once_and_can_be_generated_anywhere(kind: object) -> None:
    name = kind.name  # type: ignore[attr-defined]
    cut = list(chunks(name, 5, problems_per_chunk=7))
    coarse = list(chunks(name, 5, problems_per_chunk=10_000))
    assert sum(chunk.problems for chunk in cut) == sum(family(name).count(n) for n in range(1, 6))
    fine = [(chunk.nodes, address, problem) for chunk in cut for address, problem in chunk.generate(9)]
    assert fine == [(chunk.nodes, address, problem) for chunk in coarse for address, problem in chunk.generate(9)]
    assert all(problem.target.kind is Kind.EXACT and problem.proposals is not None for _, _, problem in fine)


def test_the_seed_changes_the_rows() -> None:
    chunk = next(c for c in chunks("generic", 4) if c.nodes == 4)
    assert list(chunk.generate(0)) != list(chunk.generate(1))


def test_an_unknown_pattern_is_refused_with_the_choices() -> None:
    with pytest.raises(InputError, match="patterns: expected a row pattern, got 'nope'; choose from generic, zeros"):
        family("nope")
