"""A finished picture."""

from __future__ import annotations

import os
from dataclasses import dataclass

from tevtheory.interop import write_text


@dataclass(frozen=True)
class Picture:
    """An SVG picture: shows itself in a notebook, and can be written to a file.

    >>> from tevtheory.draw import tree_picture
    >>> from tevtheory.examples import C2
    >>> tree_picture(C2)
    <Picture: Exit law of a draft tree>
    """

    svg: str
    heading: str

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the SVG, atomically; raises InputError where the path cannot be written."""
        write_text(path, self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture: {self.heading}>"
