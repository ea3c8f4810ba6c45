"""Choices: how a verifier draws, and the choosers that answer: enumerating, sampling, from a tape."""

from tevtheory.choices.drawing import SamplingChooser, Tape, TapeChooser, array_tape
from tevtheory.choices.enumerating import Enumeration, Limits, enumerate_law
from tevtheory.choices.generator import ExactGenerator
from tevtheory.choices.sites import Chooser, Coin, Site, Slot
from tevtheory.choices.verifier import Verifier, one_named, verifier

__all__ = [
    "Chooser",
    "Coin",
    "Enumeration",
    "ExactGenerator",
    "Limits",
    "SamplingChooser",
    "Site",
    "Slot",
    "Tape",
    "TapeChooser",
    "Verifier",
    "array_tape",
    "enumerate_law",
    "one_named",
    "verifier",
]
