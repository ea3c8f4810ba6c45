from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tevtheory.builders import best_first, eagle2, marginals, opt_tree
from tevtheory.rows import FloatRow


def naively_largest(row: FloatRow, count: int, without: set[int]) -> list[tuple[int, float]]:
    entries = [(-weight, token) for token, weight in enumerate(row) if weight > 0 and token not in without]
    return [(token, -lost) for lost, token in sorted(entries)[: max(count, 0)]]


@given(
    st.lists(st.sampled_from([0.0, -0.0, 5e-324, 0.25, 0.5, 1.0]) | st.floats(0, 2), min_size=1, max_size=12),
    st.integers(-1, 14),
    st.sets(st.integers(0, 11)),
)
def test_the_largest_floats_are_the_first_of_the_sorted_row(
    weights: list[float], count: int, without: set[int]
) -> None:
    row, left_out = FloatRow(weights), {token for token in without if token < len(weights)}
    assert row.largest(count, left_out) == naively_largest(row, count, left_out)


def test_the_builders_take_rows_of_real_vocabularies() -> None:
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 50, (6, 49_152)) ** 4 * (rng.random((6, 49_152)) < 0.001)  # many zeros, many ties
    draft = marginals([FloatRow(row) for row in weights])
    tree = best_first(draft, budget=64)
    assert tree.budget == 64
    assert eagle2(draft, budget=64, top_k=64) == tree
    assert opt_tree(draft, budget=64) == tree
    assert eagle2(draft, budget=64, top_k=10).budget == 64
