"""What all commands share: exit statuses, consoles, and lists of values."""

from __future__ import annotations

from rich.console import Console, RenderableType

AS_IT_SHOULD_BE, MISMATCH, MISUSE, INCONCLUSIVE, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit statuses: all is as claimed or exact, it is not, misuse, not decided, interrupted."""


def console(stderr: bool = False) -> Console:
    """A console that does not squeeze tables into 80 columns where the output is no terminal."""
    probe = Console(stderr=stderr, emoji=False)  # a token such as :v: is a token
    return probe if probe.is_terminal else Console(stderr=stderr, width=160, emoji=False)


def write(on: Console, text: RenderableType) -> None:
    """Print prose; only a terminal needs it wrapped."""
    on.print(text, highlight=False, soft_wrap=not on.is_terminal)


def split(values: list[str] | None) -> list[str] | None:
    """Repeated and comma-separated values alike.

    >>> split(["a, b", "c"])
    ['a', 'b', 'c']
    """
    return [part.strip() for value in values for part in value.split(",") if part.strip()] if values else None
