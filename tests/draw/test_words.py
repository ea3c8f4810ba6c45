"""Tokens as text: everything visible, no two alike, shortened in the middle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tevtheory.draw.svg import escaped
from tevtheory.draw.words import Lexicon, cells, shortened, visible


@given(st.text())
def test_visible_text_has_nothing_unseen(text: str) -> None:
    assert visible(text).isprintable()
    assert " " not in visible(text)


@given(st.text(st.characters(exclude_characters="␣◌")), st.text(st.characters(exclude_characters="␣◌")))
def test_two_tokens_never_look_alike(one: str, other: str) -> None:
    assert (visible(one) == visible(other)) == (one == other)


@given(st.text(), st.integers(3, 20))
def test_shortened_text_fits_and_keeps_both_ends(text: str, limit: int) -> None:
    short = shortened(text, limit)
    assert cells(short) <= limit
    if short != text:
        head, _, tail = short.partition("…")
        assert text.startswith(head)
        assert text.endswith(tail) or "…" in text


@given(st.text(st.characters(exclude_categories=())))
def test_escaped_text_has_no_markup_and_nothing_that_xml_refuses(text: str) -> None:
    done = escaped(text)
    assert not set(done) & set("<>\"'\x00\x08\x0b\ufffe\ud800")
    assert "&" not in done.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "").replace("&quot;", "").replace(
        "&#x27;", ""
    )


@pytest.mark.parametrize(
    ("token", "seen"),
    [
        (" the", "␣the"),
        ("\n\n", "\\n\\n"),
        ("\\n", "\\\\n"),
        ("\x00", "\\x00"),
        ("\xa0", "\\xa0"),
        ("\u202eabc", "\\u202eabc"),
        ("\u0301", "◌\u0301"),
        ("<b>", "<b>"),
        ("", "⟨empty⟩"),
    ],
)
def test_a_token_is_seen(token: str, seen: str) -> None:
    assert Lexicon([token]).full(0) == seen


def test_words_come_from_maps_lists_functions_and_bytes() -> None:
    assert [Lexicon(words).full(1) for words in ({1: "a"}, ["", "a"], lambda token: "ab"[token - 1], None)] == [
        "a",
        "a",
        "a",
        "1",
    ]
    words: dict[int, object] = {1: "é".encode()}
    assert Lexicon(words).full(1) == "é"  # type: ignore[arg-type]  # bytes are read as UTF-8
