from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.builders.claims import MARGINALS
from tevtheory.builders import (
    best_first,
    eagle2,
    full_shape,
    marginals,
    opt_tree,
    oracle_tree,
    sequoia,
    sequoia_shape,
    static,
)
from tevtheory.errors import InputError
from tevtheory.rows import TupleRow
from tevtheory.targets import Target

DRAFT = MARGINALS["generic"]
TARGET = Target.context_free(["1/2", "1/2"])

LIMITED: dict[str, Callable[[int, int], object]] = {
    "best-first tree": lambda n, d: best_first(DRAFT, budget=n, depth=d),
    "EAGLE-2 tree": lambda n, d: eagle2(DRAFT, budget=n, depth=d),
    "OPT-Tree": lambda n, d: opt_tree(DRAFT, budget=n, depth=d),
    "Sequoia shape": lambda n, d: sequoia(DRAFT, ["1/2"], budget=n, depth=d),
    "oracle tree": lambda n, d: oracle_tree(TARGET, n, d),
}


@pytest.mark.parametrize("where", LIMITED)
def test_limits_are_refused_by_every_builder(where: str) -> None:
    text = f"{where}: expected a budget >= 0, got -1; count drafted tokens, not the root"
    with pytest.raises(InputError, match=f"^{text}$"):
        LIMITED[where](-1, 3)
    text = f"{where}: expected a depth >= 1, got 0; for the root alone give budget 0"
    with pytest.raises(InputError, match=f"^{text}$"):
        LIMITED[where](3, 0)


WRONG: dict[str, Callable[[], object]] = {
    "marginals: expected at least one row, got none": lambda: marginals([]),
    "marginal of position 1: expected rows of one length, got 1 weights, and 2 at position 0": lambda: marginals(
        [["1/2", "1/2"], [1]]
    ),
    "marginal of position 0: expected a sum of exactly 1, got 1/2": lambda: marginals([["1/2", 0]]),
    "best-first tree: expected one row per position, got a function": lambda: best_first(lambda _: [], budget=1),
    "EAGLE-2 tree: expected a top_k >= 1, got 0": lambda: eagle2(DRAFT, budget=1, top_k=0),
    "OPT-Tree: expected a threshold >= 0, got -0.5": lambda: opt_tree(DRAFT, budget=1, threshold=-0.5),
    "threshold: expected a fraction": lambda: opt_tree(DRAFT, budget=1, threshold="half"),
    "draft at depth 0: expected one row per path, got 0 rows for 1 paths": lambda: eagle2(lambda _: [], budget=1),
    "draft at depth 1: expected one row per path, got 1 rows for 2 paths": lambda: opt_tree(
        lambda _: [TARGET.row(())], budget=2
    ),
    r"draft row after \[\]: expected a sum of exactly 1, got 2": lambda: static(
        lambda _: [["2", "0"]],  # type: ignore[list-item]
        [(0,)],
    ),
    "acceptance: expected at least one probability, got none": lambda: sequoia_shape([], budget=1),
    "acceptance: expected probabilities, got 3/2": lambda: sequoia_shape(["3/2"], budget=1),
    "acceptance, entry 1: expected a number >= 0, got -1": lambda: sequoia_shape([1, -1], budget=1),
    "acceptance: expected numbers of one type": lambda: sequoia_shape(["1/2", 0.5], budget=1),
    r"shape: expected ranks >= 0, got \[0, -1\]": lambda: static(DRAFT, [(0,), (0, -1)]),
    r"shape: expected every node with its parent, got \[1, 0\] alone; add \[1\]": lambda: static(DRAFT, [(1, 0)]),
    "full shape: expected numbers of children >= 1, got 0": lambda: full_shape([2, 0]),
}


@pytest.mark.parametrize("message", WRONG)
def test_bad_input_is_refused_in_words(message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        WRONG[message]()


def test_a_draft_may_stop_below_the_root() -> None:
    short = eagle2(lambda paths: [] if paths[0] else [TupleRow(TARGET.row(()))], budget=5)
    assert str(short) == "[0 1]"
