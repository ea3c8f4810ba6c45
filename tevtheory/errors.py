"""The errors a user can meet: each says what was expected, what came, where, and what to do."""

from __future__ import annotations


class TevError(Exception):
    """Base of every error that tevtheory raises on purpose."""


class InputError(TevError, ValueError):
    """Something given to tevtheory is not what it must be.

    >>> print(InputError("a probability", "-1/2", "row 3, token 1", "give a number >= 0"))
    row 3, token 1: expected a probability, got -1/2; give a number >= 0
    """

    def __init__(self, expected: str, got: str, where: str, remedy: str) -> None:
        super().__init__(expected, got, where, remedy)
        self.expected, self.got, self.where, self.remedy = expected, got, where, remedy

    def __str__(self) -> str:
        return f"{self.where}: expected {self.expected}, got {self.got}; {self.remedy}"


class ContractError(TevError):
    """A program broke the rules between a verifier and its chooser; `check` names the rule."""

    def __init__(self, message: str, check: str = "choices") -> None:
        super().__init__(message)
        self.check = check


class MissingDependency(TevError, ImportError):
    """An optional package is needed for what was asked."""
