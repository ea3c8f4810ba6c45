"""What a notebook shows of the types that have a picture or a page; `tevtheory.shown` asks here."""

from __future__ import annotations

from typing import Any

from tevtheory.draw.pages import law_table, report_page
from tevtheory.draw.trees import tree_picture
from tevtheory.errors import InputError
from tevtheory.laws import Law


def svg_of(shown: Any) -> str | None:
    """The picture of a tree; None where it has none, so that the notebook shows its text.

    >>> from tevtheory.examples import C2
    >>> svg_of(C2)[:4]
    '<svg'
    """
    try:
        return tree_picture(shown).svg
    except InputError:
        return None


def html_of(shown: Any) -> str:
    """The page of a law or a report.

    >>> html_of(Law({1: "1"}))[:11]
    '<div><table'
    """
    return law_table(shown) if isinstance(shown, Law) else report_page(shown)
