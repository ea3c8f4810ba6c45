"""Tokens as text that a reader can tell apart: blanks and control characters are visible, long tokens are shortened."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tevtheory.errors import InputError

Words = Mapping[int, str] | Sequence[str] | Callable[[int], str]
"""Texts of tokens: by id, in the order of the vocabulary, or a function such as a tokenizer's `lambda x: decode([x])`."""

CELLS = 14
"""Longest token in a picture, in monospaced cells."""

_NAMED = {" ": "␣", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\"}


def visible(text: str) -> str:
    r"""The text with nothing in it that cannot be seen, and no two texts alike.

    >>> print(visible(" a\n"), visible("\x1b[0m"), visible("\u200b"), visible("\\n"))
    ␣a\n \x1b[0m \u200b \\n
    """
    shown = "".join(_seen(character) for character in text)
    return f"◌{shown}" if text and unicodedata.combining(text[0]) else shown  # an accent needs something to sit on


def _seen(character: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def cells(text: str) -> int:
    """Width of a text in monospaced cells: two for wide characters, none for accents.

    >>> cells("abc"), cells("語"), cells("e\u0301")
    (3, 2, 1)
    """
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shortened(text: str, limit: int = CELLS) -> str:
    """The text, or its two ends, within a number of cells.

    >>> shortened("antidisestablishmentarianism", 9)
    'anti…nism'
    """
    if cells(text) <= limit:
        return text
    tail = _start(text[::-1], (limit - 1) // 2)[::-1]
    return f"{_start(text, limit - 1 - cells(tail))}…{tail}"


def _start(text: str, limit: int) -> str:
    used = 0
    for i, character in enumerate(text):
        used += _cells(character)
        if used > limit:
            return text[:i]
    return text


@dataclass(frozen=True)
class Lexicon:
    """The texts of tokens in a picture: words where there are some, ids where there are none."""

    words: Words | None = None

    def __post_init__(self) -> None:
        words: object = self.words
        known = words is None or callable(words) or isinstance(words, (Mapping, Sequence))
        if isinstance(words, (str, bytes)) or not known:
            got = f"the {type(words).__name__} {words!r}"[:60]
            raise InputError("a map, a list or a function from tokens to text", got, "words", 'write {3: " the"}')

    def full(self, token: int) -> str:
        """The whole text of a token, made visible; an id in angle brackets where the map has no word for it.

        Raises InputError where the list is too short, or where a word is not text that UTF-8 can hold.

        >>> Lexicon({3: " the"}).full(3), Lexicon({3: " the"}).full(4), Lexicon().full(4)
        ('␣the', '⟨4⟩', '4')
        """
        if self.words is None:
            return str(token)
        word = self._word(token)
        return f"⟨{token}⟩" if word is None else visible(_checked(word, token)) or "⟨empty⟩"

    def short(self, token: int) -> str:
        """The text of a token, shortened in the middle."""
        return shortened(self.full(token))

    def path(self, tokens: Sequence[int], limit: int = 60) -> str:
        """The texts of a path, shortened; "(root)" for none."""
        return shortened(" ".join(self.full(token) for token in tokens), limit) or "(root)"

    def _word(self, token: int) -> Any:
        words = self.words
        if isinstance(words, Mapping):
            return words.get(token)
        if isinstance(words, Sequence):
            if token >= len(words):
                remedy = "give one text per token, or a map"
                raise InputError(f"a text for token {token}", f"{len(words)} texts", "words", remedy)
            return words[token]
        return words(token) if words is not None else None


def _checked(word: Any, token: int) -> str:
    """The word as text; bytes are read as UTF-8."""
    try:
        if isinstance(word, bytes):
            return word.decode("utf-8")
        if isinstance(word, str):
            word.encode("utf-8")
            return word
    except UnicodeError:
        remedy = 'decode tokens with errors="replace", or write the bytes out'
        raise InputError("text that UTF-8 can hold", ascii(word)[:60], f"words, token {token}", remedy) from None
    got = f"the {type(word).__name__} {word!r}"[:60]
    raise InputError("text", got, f"words, token {token}", "give the token as a string")
