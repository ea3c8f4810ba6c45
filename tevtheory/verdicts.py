"""The verdict words."""

from __future__ import annotations

import enum


class Verdict(enum.Enum):
    """What exact arithmetic, or a test, says of a verifier; later members are worse."""

    CANONICAL = "EXACT, CANONICAL"
    EXACT = "EXACT, REGRET"
    ON_AVERAGE = "EXACT ON AVERAGE ONLY"
    INCONCLUSIVE = "INCONCLUSIVE"
    LOSSY = "LOSSY"
    BROKEN = "BROKEN CONTRACT"

    @property
    def is_exact(self) -> bool:
        """Whether the text keeps the target's law on every fixed tree."""
        return self in (Verdict.CANONICAL, Verdict.EXACT)

    @property
    def rank(self) -> int:
        """Position from best to worst."""
        return list(Verdict).index(self)
