"""Pictures of trees, laws and verdicts as SVG, and figures with matplotlib (extra "notebooks").

Figures are loaded when first used; without matplotlib that raises MissingDependency.

>>> from tevtheory.examples import C2
>>> tree_picture(C2, words=["a", "b"]).svg.startswith("<svg")
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tevtheory.draw.pages import law_table, report_page
from tevtheory.draw.picture import Picture
from tevtheory.draw.render import Mark
from tevtheory.draw.reports import NOTHING, report_picture
from tevtheory.draw.trees import comparison_picture, tree_picture
from tevtheory.draw.words import Words
from tevtheory.errors import MissingDependency

if TYPE_CHECKING:
    from tevtheory.draw.figures import (
        blank_figure,
        coverage_figure,
        ledger_figure,
        length_figure,
        level_figure,
        looks_figure,
    )

__all__ = [
    "NOTHING",
    "Mark",
    "Picture",
    "Words",
    "blank_figure",
    "comparison_picture",
    "coverage_figure",
    "law_table",
    "ledger_figure",
    "length_figure",
    "level_figure",
    "looks_figure",
    "report_page",
    "report_picture",
    "tree_picture",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'tevtheory.draw' has no attribute {name!r}")
    try:
        return getattr(importlib.import_module("tevtheory.draw.figures"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise MissingDependency('figures need matplotlib: pip install "tevtheory[notebooks]"') from error
