from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import pytest
import sympy

from tests.trees_at_hand import brute_canonical, brute_mean_length, small_trees, targets
from tevtheory.enumeration import unlabelled_shapes
from tevtheory.errors import InputError
from tevtheory.examples import C2
from tevtheory.exitlaw import (
    block_length_law,
    bonus_law,
    canonical_exit_law,
    ceiling,
    ceiling_with_end,
    coverage,
    exit_masses,
    expected_length_from,
    flow,
    length_variance,
    level_masses,
    truncated_ceiling,
)
from tevtheory.targets import TargetTree
from tevtheory.trees import DraftTree, Exit

TARGETS = targets()


def test_the_canonical_law_is_where_the_target_leaves_the_tree() -> None:
    for target in TARGETS:
        assert canonical_exit_law(target) == brute_canonical(target)


def test_the_ceiling_is_the_mean_length_of_the_brute_force_law() -> None:
    for target in TARGETS:
        assert ceiling(target) == 1 + coverage(target) == brute_mean_length(brute_canonical(target), target.tree)


def test_flow_is_the_product_of_the_rows_along_the_path() -> None:
    for target in TARGETS:
        for v, mass in enumerate(flow(target)):
            expected = Fraction(1)
            for u in target.tree.ancestors(v):
                if u:
                    expected *= Fraction(str(target.rows[target.tree.parents[u]][target.tree.tokens[u]]))
            assert mass == expected


def test_exit_masses_are_flow_minus_the_childrens_flow_and_sum_to_one() -> None:
    for target in TARGETS:
        flows, exits = flow(target), exit_masses(target)
        assert sum(exits) == 1
        for v, mass in enumerate(exits):
            assert mass == flows[v] - sum(flows[c] for c in target.tree.children[v])


def test_depth_weighted_exit_mass_is_coverage() -> None:
    for target in TARGETS:
        weighted = zip(target.tree.depths, exit_masses(target), strict=True)
        assert sum(depth * mass for depth, mass in weighted) == coverage(target)


def test_the_length_law_is_the_image_of_the_exit_law() -> None:
    for target in TARGETS:
        masses: dict[int, Fraction] = {}
        for end, mass in canonical_exit_law(target).fractions().items():
            length = len(target.tree.path(end.node)) + 1
            masses[length] = masses.get(length, Fraction(0)) + mass
        assert block_length_law(target).fractions() == masses


def test_moments_agree_with_the_length_law() -> None:
    for target in TARGETS:
        law = block_length_law(target)
        mean = law.mean(lambda length: length)
        assert mean == sum(level_masses(target)) == ceiling(target)
        assert length_variance(target) == law.mean(lambda length: length * length) - mean * mean
        for remaining in range(1, 6):
            assert truncated_ceiling(target, remaining) == sum(min(n, remaining) * mass for n, mass in law.items())


def test_no_remaining_token_is_refused() -> None:
    with pytest.raises(InputError, match="remaining: expected at least 1 remaining token, got 0"):
        truncated_ceiling(C2, 0)


def test_the_length_below_a_node_is_the_ceiling_of_its_subtree() -> None:
    for target in TARGETS:
        flows, below = flow(target), expected_length_from(target)
        assert below[0] == ceiling(target)
        for v in range(target.tree.size):
            under = [w for w in range(target.tree.size) if v in target.tree.ancestors(w)]
            if flows[v]:
                assert below[v] == sum(flows[w] for w in under) / flows[v]


def test_bonus_law_is_the_canonical_law_given_the_exit() -> None:
    for target in TARGETS:
        exits, law = exit_masses(target), canonical_exit_law(target)
        for v, mass in enumerate(exits):
            if mass:
                given = {x: law[Exit(v, x)] / mass for x in range(target.vocabulary) if law[Exit(v, x)]}
                assert dict(bonus_law(target, v)) == given


def test_an_end_token_is_an_ordinary_exit() -> None:
    for target in TARGETS:
        for end in range(target.vocabulary):
            assert ceiling_with_end(target, end) == ceiling(target.without_end(end))


def test_the_ceiling_with_end_leaves_out_what_is_at_or_below_an_end_node() -> None:
    for target in TARGETS:
        for end in range(target.vocabulary):
            flows = flow(target)
            kept = [v for v in range(target.tree.size) if end not in target.tree.path(v)]
            assert ceiling_with_end(target, end) == sum(flows[v] for v in kept)


def test_dyadic_float_rows_give_the_same_closed_forms() -> None:
    for tree in small_trees(4):
        rows = [[Fraction(1, 4), Fraction(5, 8), Fraction(1, 8)], [Fraction(1, 2), Fraction(0), Fraction(1, 2)]]
        exact = TargetTree(tree, [rows[v % 2] for v in range(tree.size)])
        floats = TargetTree(tree, [[float(p) for p in rows[v % 2]] for v in range(tree.size)])
        assert [Fraction(mass) for mass in flow(floats)] == list(flow(exact))
        assert Fraction(ceiling(floats)) == ceiling(exact)
        assert {end: Fraction(mass) for end, mass in canonical_exit_law(floats).items()} == canonical_exit_law(
            exact
        ).fractions()


def test_float_weights_off_one_are_normalised() -> None:
    tree = DraftTree((-1, 0), (-1, 0))
    target = TargetTree(tree, [[2.0, 2.0], [1.0, 3.0]])
    assert ceiling(target) == 1.5
    assert dict(canonical_exit_law(target)) == {Exit(0, 1): 0.5, Exit(1, 0): 0.125, Exit(1, 1): 0.375}


def symbolic(shape: tuple[int, ...], symbols: list[Any], one: Any) -> TargetTree:
    """One symbol per edge; the last token of a row holds the rest, so every row sums to one identically."""
    size = max(shape.count(v) for v in range(len(shape))) + 1
    tokens, rows = [-1], [[one * 0] * size for _ in shape]
    for v, parent in enumerate(shape[1:], 1):
        tokens.append(sum(1 for u in range(1, v) if shape[u] == parent))
        rows[parent][tokens[v]] = symbols[v - 1]
    for row in rows:
        row[-1] = one - sum(row[:-1], start=one * 0)
    return TargetTree(DraftTree(shape, tokens), rows)


def identities_hold(target: TargetTree, is_zero: Any) -> bool:
    depths, exits, levels = target.tree.depths, exit_masses(target), level_masses(target)
    law = canonical_exit_law(target)
    weighted = sum((depth * mass for depth, mass in zip(depths, exits, strict=True)), start=target.one * 0)
    return bool(
        is_zero(sum(exits, start=target.one * 0) - 1)
        and is_zero(weighted - coverage(target))
        and is_zero(sum(levels, start=target.one * 0) - ceiling(target))
        and is_zero(sum(law.values(), start=target.one * 0) - 1)
        and is_zero(law.mean(lambda end: depths[end.node] + 1) - ceiling(target))
        and is_zero(expected_length_from(target)[0] - ceiling(target))
    )


def test_the_identities_hold_for_all_probabilities_on_every_shape_to_eight_nodes() -> None:
    for nodes in range(2, 9):
        context = flint.fmpq_mpoly_ctx.get([f"p{i}" for i in range(nodes - 1)], flint.Ordering.lex)
        symbols = list(context.gens())
        one = symbols[0] * 0 + 1
        for shape in unlabelled_shapes(nodes):
            assert identities_hold(symbolic(shape, symbols, one), lambda value: value == 0)


def test_sympy_agrees_on_small_shapes() -> None:
    for nodes in range(2, 5):
        symbols = list(sympy.symbols(f"p0:{nodes - 1}"))
        for shape in unlabelled_shapes(nodes):
            assert identities_hold(symbolic(shape, symbols, sympy.Integer(1)), lambda value: sympy.expand(value) == 0)


def test_a_wrong_identity_is_refused_symbolically() -> None:
    symbols = list(sympy.symbols("p0:2"))
    target = symbolic((-1, 0, 1), symbols, sympy.Integer(1))
    assert sympy.expand(sum(exit_masses(target)[:-1]) - 1) != 0
