"""tevtheory: is a tree speculative decoding verifier lossless, and how long could its blocks be?

For every exact path verifier on a fixed draft tree T, E[length] <= 1 + coverage(T); the canonical exit law attains it, and
only that law. Names are loaded when first used: a bare import brings in numpy and gmpy2 only.

>>> import tevtheory as tev
>>> print(tev.ceiling(tev.TargetTree(tev.DraftTree((-1, 0), (-1, 1)), [["1/3", "2/3"], ["1/2", "1/2"]])))
5/3
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tevtheory.builders import oracle_tree
    from tevtheory.choices import (
        Chooser,
        Coin,
        ExactGenerator,
        Limits,
        SamplingChooser,
        Slot,
        TapeChooser,
        Verifier,
        enumerate_law,
        verifier,
    )
    from tevtheory.conformance import Finding, judge_law, judge_on
    from tevtheory.errors import ContractError, InputError, TevError
    from tevtheory.exitlaw import (
        block_length_law,
        bonus_law,
        canonical_exit_law,
        ceiling,
        coverage,
        exit_masses,
        first_violation,
        flow,
        level_masses,
        loss_ledger,
        one_ring_regret,
        regret,
        regret_by_string,
        subtree_mixture,
    )
    from tevtheory.interop import read_problem, write_problem
    from tevtheory.laws import Law
    from tevtheory.targets import Problem, Target, TargetTree
    from tevtheory.trees import DraftTree, Exit
    from tevtheory.verdicts import Verdict
    from tevtheory.verifiers.catalogue import CATALOGUE
    from tevtheory.weights import exact, fraction

__version__ = "0.1.0"

_HOME = {
    "builders": ["oracle_tree"],
    "choices": [
        "Chooser",
        "Coin",
        "ExactGenerator",
        "Limits",
        "SamplingChooser",
        "Slot",
        "TapeChooser",
        "Verifier",
        "enumerate_law",
        "verifier",
    ],
    "conformance": ["Finding", "judge_law", "judge_on"],
    "errors": ["ContractError", "InputError", "TevError"],
    "exitlaw": [
        "block_length_law",
        "bonus_law",
        "canonical_exit_law",
        "ceiling",
        "coverage",
        "exit_masses",
        "first_violation",
        "flow",
        "level_masses",
        "loss_ledger",
        "one_ring_regret",
        "regret",
        "regret_by_string",
        "subtree_mixture",
    ],
    "interop": ["read_problem", "write_problem"],
    "laws": ["Law"],
    "targets": ["Problem", "Target", "TargetTree"],
    "trees": ["DraftTree", "Exit"],
    "verdicts": ["Verdict"],
    "verifiers.catalogue": ["CATALOGUE"],
    "weights": ["exact", "fraction"],
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "CATALOGUE",
    "Chooser",
    "Coin",
    "ContractError",
    "DraftTree",
    "ExactGenerator",
    "Exit",
    "Finding",
    "InputError",
    "Law",
    "Limits",
    "Problem",
    "SamplingChooser",
    "Slot",
    "TapeChooser",
    "Target",
    "TargetTree",
    "TevError",
    "Verdict",
    "Verifier",
    "block_length_law",
    "bonus_law",
    "canonical_exit_law",
    "ceiling",
    "coverage",
    "enumerate_law",
    "exact",
    "exit_masses",
    "first_violation",
    "flow",
    "fraction",
    "judge_law",
    "judge_on",
    "level_masses",
    "loss_ledger",
    "one_ring_regret",
    "oracle_tree",
    "read_problem",
    "regret",
    "regret_by_string",
    "subtree_mixture",
    "verifier",
    "write_problem",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'tevtheory' has no attribute {name!r}")
    return getattr(importlib.import_module(f"tevtheory.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
