"""Faults: the field's faults of the accept step as faulty verifiers, each with its right twin and exact values."""

from tevtheory.faults.cases import Case, Control, Fault
from tevtheory.faults.catalogue import CONTROLS, FAULTS

__all__ = ["CONTROLS", "FAULTS", "Case", "Control", "Fault"]
