from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders.claims import DRAFTS, Path, accepted, best_shape, filled, in_order, paths_of, shapes
from tevtheory.builders import Draft, full_shape, marginals, sequoia, sequoia_shape, static

CHANCES = {
    "falling": ["1/2", "1/4", "1/8"],
    "even": ["1/3", "1/3", "1/3"],
    "rising": ["1/10", "1/5", "7/10"],
    "sure second": ["0", "1"],
    "nothing": ["0", "0"],
    "gap": ["1/2", "0", "1/2"],
    "sure first": ["1", "0"],
    "one": ["2/3"],
}
TENTHS = st.lists(st.integers(0, 10).map(lambda n: Fraction(n, 10)), min_size=1, max_size=3)


@pytest.mark.parametrize("chances", CHANCES.values(), ids=CHANCES)
def test_the_shape_accepts_the_most_of_all_shapes(chances: Sequence[str]) -> None:
    numbers = [Fraction(chance) for chance in chances]
    for budget, depth in product(range(7), (1, 2, 3, 6)):
        shape = sequoia_shape(chances, budget=budget, depth=depth)
        best = max(accepted(other, numbers) for other in shapes(budget, len(chances), depth))
        assert accepted(shape, numbers) == best
        assert set(shape) == best_shape(numbers, budget, depth)


@given(TENTHS, st.integers(0, 5), st.integers(1, 4))
def test_any_acceptance_gives_the_documented_shape(chances: list[Fraction], budget: int, depth: int) -> None:
    assert set(sequoia_shape(chances, budget=budget, depth=depth)) == best_shape(chances, budget, depth)


@given(TENTHS, st.integers(0, 14), st.integers(1, 5))
def test_falling_acceptance_gives_the_first_rank_paths_by_the_tie_rule(
    chances: list[Fraction], budget: int, depth: int
) -> None:
    falling = sorted(chances, reverse=True)
    scores: dict[Path, Fraction] = {(): Fraction(1)}
    for level in range(min(depth, budget)):
        for path in [path for path in scores if len(path) == level]:
            scores |= {(*path, b): scores[path] * chance for b, chance in enumerate(falling) if chance}
        scores = {path: scores[path] for path in in_order(scores)[: 4 * budget + 1]}
    del scores[()]
    assert set(sequoia_shape(falling, budget=budget, depth=depth)) == set(in_order(scores)[:budget])


@given(st.lists(st.integers(0, 16).map(lambda n: n / 16), min_size=1, max_size=4), st.integers(0, 9))
def test_floats_give_the_shape_of_the_numbers_they_stand_for(chances: list[float], budget: int) -> None:
    assert sequoia_shape(chances, budget=budget) == sequoia_shape(list(map(Fraction, chances)), budget=budget)


def test_a_shape_is_listed_level_by_level() -> None:
    shape = sequoia_shape(["3/5", "1/5", "1/10"], budget=20)
    assert list(shape) == sorted(shape, key=lambda ranks: (len(ranks), ranks))
    assert len(set(shape)) == 20


@pytest.mark.parametrize("draft", DRAFTS.values(), ids=DRAFTS)
def test_a_shape_is_filled_with_the_tokens_of_its_ranks(draft: Draft) -> None:
    for shape in (full_shape([2, 3]), full_shape([3, 1, 2]), [(1,), (1, 1), (0,), (1, 1, 0)], []):
        assert set(paths_of(static(draft, shape))) == filled(draft, shape, 3)
    tree = sequoia(draft, ["1/2", "1/3"], budget=5, depth=3)
    assert set(paths_of(tree)) == filled(draft, sequoia_shape(["1/2", "1/3"], budget=5, depth=3), 3)


def test_the_order_of_a_shape_and_the_root_in_it_do_not_matter() -> None:
    draft, shape = marginals([["1/4", "3/4"], ["1/2", "1/2"]]), [(0, 1), (1,), (0,), (1, 0), ()]
    assert static(draft, shape) == static(draft, sorted(shape)) == static(draft, [list(ranks) for ranks in shape])


def test_the_full_shape_is_every_string_of_ranks() -> None:
    for fan, depth in product((1, 2, 3), (0, 1, 2, 3)):
        strings = [ranks for level in range(1, depth + 1) for ranks in product(range(fan), repeat=level)]
        assert list(full_shape([fan] * depth)) == strings
