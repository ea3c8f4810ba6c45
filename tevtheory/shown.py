"""What shows itself in a notebook.

Pictures are made in a room far above the types that have them, so no type may import it. A notebook that asks for a picture
loads that room by its name, at that moment; a bare import of tevtheory loads no part of it.
"""

from __future__ import annotations

import importlib
from typing import Any

_ROOM = "tevtheory.draw.notebook"


class ShownAsPicture:
    """Shows itself as an SVG picture; where there is none (too large, symbolic) the notebook prints the text."""

    __slots__ = ()

    def _repr_svg_(self) -> str | None:
        return _ask("svg_of", self)


class ShownAsPage:
    """Shows itself as a piece of HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return _ask("html_of", self)


def _ask(what: str, shown: object) -> str | None:
    room: Any = importlib.import_module(_ROOM)
    answer: str | None = getattr(room, what)(shown)
    return answer
