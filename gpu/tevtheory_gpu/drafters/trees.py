"""From a drafter and a builder's name to a draft tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tevtheory.builders import BUILDERS, Builder, Draft, Marginals, opt_tree
from tevtheory.choices import one_named
from tevtheory.errors import InputError
from tevtheory.trees import DraftTree
from tevtheory_gpu.drafters.drafter import Drafter, along_greedy_path


def _level_by_level(draft: Draft, budget: int, depth: int) -> DraftTree:
    return opt_tree(draft, budget=budget, depth=depth)


# The catalogue's oracle asks for one path at a time. With a beam as wide as the budget and threshold 0, OPT-Tree is the
# best of all trees too, and asks for whole levels; given the target's rows, its path scores are flows.
_ORACLE = Builder("oracle", _level_by_level, "target", "all trees")


def find_builder(name: str) -> Builder:
    """The builder of that name, or of the only name that contains it; raises InputError otherwise.

    "oracle" makes the tree of the largest flows when it is given the target's own rows as the draft; it is built level by
    level, by OPT-Tree's search with threshold 0, which has the same optimum as best-first search.

    >>> find_builder("ddt").name
    'DDTree'
    """
    builders = [_ORACLE if entry.name == "oracle" else entry for entry in BUILDERS]
    return one_named(builders, name, "builder", "builder")


def check_budget(budget: int, depth: int, vocabulary: int) -> None:
    """Refuse a budget or depth below 1, and more drafted tokens than there are strings of at most `depth` tokens.

    >>> check_budget(7, 2, vocabulary=2)
    Traceback (most recent call last):
    tevtheory.errors.InputError: budget: expected at most 6 drafted tokens, got 7; there are no more strings of length 1..2
    """
    for value, where in ((budget, "budget"), (depth, "depth")):
        if value < 1:
            raise InputError(f"a {where} >= 1", str(value), where, "draft at least one token")
    most, level = 0, 1
    for _ in range(depth):
        level *= vocabulary
        most += level
        if most >= budget:
            return
    remedy = f"there are no more strings of length 1..{depth}"
    raise InputError(f"at most {most} drafted tokens", str(budget), "budget", remedy)


@dataclass(frozen=True)
class TreeDrafting:
    """Makes the draft tree of every call: a drafter, a builder, at most `budget` drafted tokens, no deeper than `depth`.

    A builder that takes only one row per position gets the rows along the drafter's own greedy path
    (`along_greedy_path`), unless the drafter gives marginals. A drafter that knows nothing gives the root alone.
    """

    drafter: Drafter
    builder: Builder
    budget: int
    depth: int

    def __call__(self, prefix_ids: Sequence[int], deepest: int) -> DraftTree:
        """The tree after a prefix, no deeper than `deepest` either."""
        depth = min(self.depth, deepest)
        if depth < 1 or self.budget < 1:
            return DraftTree((-1,), (-1,))
        draft = self.drafter.start(prefix_ids)
        if self.builder.marginals_only and not isinstance(draft, Marginals):
            draft = along_greedy_path(draft, min(depth, self.budget))
        return self.builder.build(draft, self.budget, depth)
