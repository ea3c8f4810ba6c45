"""The catalogue: every fault of the field, in the order of its list, and the controls that are none."""

from __future__ import annotations

from tevtheory.faults.block_verification import BLOCK_VERIFICATION
from tevtheory.faults.cases import Fault
from tevtheory.faults.controls import CONTROLS
from tevtheory.faults.drafts import DRAFTS
from tevtheory.faults.filters import FILTERS
from tevtheory.faults.fixed_tree import FIXED_TREE
from tevtheory.faults.numerics import NUMERICS
from tevtheory.faults.plumbing import PLUMBING
from tevtheory.faults.short import SHORT
from tevtheory.faults.state import STATE


def _number(fault: Fault) -> int:
    return int(fault.id.partition("(")[0])


_BY_FILE = (*FIXED_TREE, *FILTERS, *DRAFTS, *BLOCK_VERIFICATION, *PLUMBING, *NUMERICS, *STATE, *SHORT)

FAULTS: tuple[Fault, ...] = tuple(sorted(_BY_FILE, key=_number))  # stable: variants keep their order

__all__ = ["CONTROLS", "FAULTS"]
