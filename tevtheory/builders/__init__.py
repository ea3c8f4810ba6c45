"""Builders: draft trees from scores.

A draft gives the drafter's next-token row after each path (`marginals` makes one from a row per position); a builder makes
a tree of at most `budget` drafted tokens from it, no deeper than `depth`. Nothing of probability 0 is drafted, so a budget
larger than what there is gives a smaller tree. Ties are broken by one rule, stated in `tevtheory.builders.drafts`.
"""

from tevtheory.builders.best_first import best_first
from tevtheory.builders.catalogue import BUILDERS, Builder
from tevtheory.builders.drafts import Draft, Marginals, marginals
from tevtheory.builders.eagle2 import eagle2
from tevtheory.builders.opt_tree import opt_tree
from tevtheory.builders.oracle import oracle_tree
from tevtheory.builders.sequoia import sequoia, sequoia_shape
from tevtheory.builders.static import Ranks, full_shape, static

__all__ = [
    "BUILDERS",
    "Builder",
    "Draft",
    "Marginals",
    "Ranks",
    "best_first",
    "eagle2",
    "full_shape",
    "marginals",
    "opt_tree",
    "oracle_tree",
    "sequoia",
    "sequoia_shape",
    "static",
]
