"""Prompt lookup: what followed the same few tokens earlier in the text (Saxena, prompt lookup decoding, 2023)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from tevtheory.builders import Draft
from tevtheory.errors import InputError
from tevtheory.rows import FloatRow, Row
from tevtheory.targets import Prefix


class PromptLookup:
    """The continuations of the longest n-gram that occurred before, `ngram` >= n >= 1.

    Let s be the prefix followed by a path. For the largest n <= `ngram` such that the last n tokens of s occur somewhere
    in the prefix with a token after them, the weight of token x is the number of those places where x comes next. Where
    no n fits, every weight is 0: nothing is drafted. Counts are kept between calls.

    >>> draft = PromptLookup(4, ngram=2).start([0, 1, 2, 0, 1, 3, 0, 1])
    >>> list(draft([()])[0]), list(draft([(2,), (3,)])[1])
    ([0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0])
    """

    def __init__(self, vocabulary: int, ngram: int = 3) -> None:
        if ngram < 1:
            raise InputError("an n-gram length >= 1", str(ngram), "prompt lookup", "write for example lookup:3")
        self.vocabulary, self.ngram = vocabulary, ngram
        self._prefix: Prefix = ()
        self._after: dict[Prefix, Counter[int]] = {}

    @property
    def name(self) -> str:
        """The longest n-gram looked up."""
        return f"prompt lookup, n-grams up to {self.ngram}"

    def start(self, prefix_ids: Sequence[int]) -> Draft:
        """The draft after a prefix."""
        prefix = tuple(prefix_ids)
        if prefix[: len(self._prefix)] != self._prefix:
            self._prefix, self._after = (), {}
        for end in range(max(len(self._prefix), 1), len(prefix)):
            for gram in self._grams(prefix[max(0, end - self.ngram) : end]):
                self._after.setdefault(gram, Counter())[prefix[end]] += 1
        self._prefix = prefix
        return self._rows

    def _rows(self, paths: Sequence[Prefix]) -> Sequence[Row]:
        return [self._row((*self._prefix[-self.ngram :], *path)) for path in paths]

    def _row(self, text: Prefix) -> Row:
        counts = next((self._after[gram] for gram in self._grams(text) if gram in self._after), Counter[int]())
        weights = np.zeros(self.vocabulary)
        for token, count in counts.items():
            weights[token] = count
        return FloatRow(weights)

    def _grams(self, text: Prefix) -> Iterator[Prefix]:
        """The ends of a text, the longest first."""
        return (text[-n:] for n in range(min(self.ngram, len(text)), 0, -1))
