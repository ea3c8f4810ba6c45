"""Small worked examples that the documentation and the doctests use."""

from __future__ import annotations

from tevtheory.targets import TargetTree
from tevtheory.trees import DraftTree

C2 = TargetTree(DraftTree((-1, 0, 1), (-1, 0, 1)), (["1/2", "1/2"], ["1/4", "3/4"], ["1", "0"]))
"""The chain a, b over the tokens a = 0 and b = 1: blocks b 1/2, aa 1/8, aba 3/8; E[length] = 15/8."""
