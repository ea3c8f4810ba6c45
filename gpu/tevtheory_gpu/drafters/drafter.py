"""What a drafter is: bound to a prefix it is a draft, which every builder takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tevtheory.builders import Draft, Marginals
from tevtheory.builders.drafts import rows_after
from tevtheory.rows import Row


class Drafter(Protocol):
    """Proposes next tokens after any prefix.

    `start` binds it to a prefix and gives the draft: the drafter's row after each path of a level. A draft is good until
    the next `start`; what an earlier prefix has in common with the new one need not be worked out again. A row of
    weight 0 throughout says that the drafter knows nothing there: no builder drafts from it.
    """

    @property
    def name(self) -> str:
        """How the drafter is called in reports."""

    def start(self, prefix_ids: Sequence[int]) -> Draft:
        """The draft after a prefix of token ids."""


class MarginalDrafter(Protocol):
    """A drafter that gives one row per position, in one pass: a block-diffusion drafter.

    It is a Drafter, as `Marginals` is a draft, so it needs no treatment of its own; builders that ask for marginals take
    its rows as they are.
    """

    @property
    def name(self) -> str:
        """How the drafter is called in reports."""

    def start(self, prefix_ids: Sequence[int]) -> Marginals:
        """Row i is the drafter's law of the token at position i after the prefix, whatever came between."""


def along_greedy_path(draft: Draft, depth: int) -> Marginals:
    """At most `depth` rows for a builder that wants one per position: those along the draft's own likeliest path.

    Row i is the draft's row after its i likeliest tokens (ties to smaller ones); that is the only path whose rows an
    autoregressive drafter gives without branching. It ends where the draft sees no further. One call per level.

    >>> from tevtheory.targets import Target
    >>> chain = Target.markov(["1/2", "1/2"], [["1/4", "3/4"], ["1", "0"]])
    >>> marginals = along_greedy_path(lambda paths: [chain.row(path) for path in paths], 3)
    >>> [[str(p) for p in row] for row in marginals.rows]
    [['1/2', '1/2'], ['1/4', '3/4'], ['1', '0']]
    """
    rows: list[Row] = []
    path: tuple[int, ...] = ()
    while len(path) < max(depth, 1):
        answer = rows_after(draft, [path])
        if not answer:
            break
        rows.append(answer[0])
        likeliest = answer[0].largest(1)
        if not likeliest:
            break
        path = (*path, likeliest[0][0])
    return Marginals(tuple(rows))
