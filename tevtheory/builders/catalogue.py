"""The catalogue: every builder as a function of (draft, budget, depth), what it makes largest, and among which trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tevtheory.builders.best_first import best_first
from tevtheory.builders.drafts import Draft, rows_after
from tevtheory.builders.eagle2 import eagle2
from tevtheory.builders.opt_tree import opt_tree
from tevtheory.builders.oracle import oracle_tree
from tevtheory.builders.sequoia import sequoia
from tevtheory.builders.static import full_shape, static
from tevtheory.targets import Target
from tevtheory.trees import DraftTree

Score = Literal["draft", "target", "acceptance", "none"]
Scope = Literal["all trees", "trees of paths seen", "shapes", "one shape"]


@dataclass(frozen=True)
class Builder:
    """A builder with its claim: of the trees in `scope` within budget and depth, it has the largest sum of `score`.

    The score of a path is the product along it of the draft's probabilities, the target's (`build` then takes the draft's
    rows for the target's) or the acceptance probabilities by rank. `marginals_only`: it refuses drafts not made by
    `marginals`.
    """

    name: str
    build: Callable[[Draft, int, int], DraftTree]
    score: Score
    scope: Scope
    marginals_only: bool = False


ACCEPTANCE = ("1/2", "1/4", "1/8")
"""The positional acceptance of the catalogue's Sequoia."""

TOP_K = 2
"""The beam of the catalogue's narrow EAGLE-2."""


def _oracle(draft: Draft, budget: int, depth: int) -> DraftTree:
    """No deeper than the draft sees along token 0."""
    sight = next((level for level in range(1, depth) if not rows_after(draft, [(0,) * level])), depth)
    vocabulary = len(rows_after(draft, [()])[0])
    return oracle_tree(Target(vocabulary, lambda prefix: rows_after(draft, [prefix])[0]), budget, sight)


def _full_binary(draft: Draft, budget: int, depth: int) -> DraftTree:
    return static(draft, full_shape([2] * min(depth, budget.bit_length()))[:budget])


BUILDERS: tuple[Builder, ...] = (
    Builder("DDTree", lambda q, n, d: best_first(q, budget=n, depth=d), "draft", "all trees", marginals_only=True),
    Builder("EAGLE-2", lambda q, n, d: eagle2(q, budget=n, depth=d, top_k=TOP_K), "draft", "trees of paths seen"),
    Builder("EAGLE-2, wide beam", lambda q, n, d: eagle2(q, budget=n, depth=d, top_k=max(n, 1)), "draft", "all trees"),
    Builder("OPT-Tree", lambda q, n, d: opt_tree(q, budget=n, depth=d), "draft", "all trees"),
    Builder("Sequoia", lambda q, n, d: sequoia(q, ACCEPTANCE, budget=n, depth=d), "acceptance", "shapes"),
    Builder("full binary", _full_binary, "none", "one shape"),
    Builder("oracle", _oracle, "target", "all trees"),
)
