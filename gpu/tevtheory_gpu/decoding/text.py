"""Text as it is made: tokens come in blocks, and a character may be spread over several tokens."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tevtheory_gpu.targets import LanguageModel

_UNFINISHED = "\N{REPLACEMENT CHARACTER}"


class TextStream:
    """Turns tokens into pieces of text that add up to the whole; end-of-text tokens are not shown.

    What ends within a character is held back until the rest has come, or the text has ended (`finish`).
    """

    def __init__(self, model: LanguageModel, hidden: Collection[int]) -> None:
        self._model, self._hidden = model, frozenset(hidden)
        self._ids: list[int] = []
        self._shown = 0  # how many tokens are shown; those before are kept for the words around them

    def push(self, tokens: Sequence[int]) -> str:
        """The text that these tokens add."""
        self._ids += [token for token in tokens if token not in self._hidden]
        return "" if self._decoded(len(self._ids)).endswith(_UNFINISHED) else self.finish()

    def finish(self) -> str:
        """The text that was held back, finished or not."""
        piece = self._decoded(len(self._ids))[len(self._decoded(self._shown)) :]
        self._shown = len(self._ids)
        return piece

    def _decoded(self, end: int) -> str:
        # A few tokens of what is shown suffice: decoding all again at each block would cost the square of the length.
        return self._model.decode(self._ids[max(0, self._shown - 8) : end]) if end else ""
