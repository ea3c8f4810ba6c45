"""Level-by-level search with a beam: what EAGLE-2 and OPT-Tree have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tevtheory.builders.drafts import Draft, Scored, first, likeliest, rows_after
from tevtheory.weights import ONE, ZERO


def grown(draft: Draft, beam: Sequence[Scored], children: int) -> Iterator[Scored]:
    """The likeliest children of every path of a beam; one call of the draft.

    >>> from tevtheory.builders.drafts import marginals
    >>> [(str(score), path) for score, path in grown(marginals([["1/4", "3/4"]]), [(ONE, ())], 1)]
    [('3/4', (1,))]
    """
    rows = rows_after(draft, [path for _, path in beam])
    for (score, path), row in zip(beam, rows, strict=False):
        for token, probability in likeliest(row, children):
            yield score * probability, (*path, token)


def searched(draft: Draft, *, budget: int, width: int, levels: int, threshold: Any = ZERO) -> list[Scored]:
    """The `budget` first of all paths seen: per level, the `width` likeliest children of each of `width` beam paths.

    Stops after the first level whose gain, that of the sum of the best scores, is not above the threshold, a number >= 0.
    A level without gain has no better paths below it, so threshold 0 changes nothing but the number of calls.

    >>> from tevtheory.builders.drafts import marginals
    >>> draft = marginals([["1/4", "3/4"], ["1/2", "1/2"]])
    >>> [path for _, path in searched(draft, budget=2, width=2, levels=2)]
    [(1,), (1, 0)]
    """
    beam: list[Scored] = [(ONE, ())]
    best: list[Scored] = []
    value: Any = ZERO
    for _ in range(levels):
        seen = list(grown(draft, beam, width))
        beam, best = first(seen, width), first([*best, *seen], budget)
        gain = sum((score for score, _ in best), start=-value)
        value += gain
        if gain <= threshold:
            break
    return best
