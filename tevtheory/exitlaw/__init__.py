"""Closed forms of exit laws: loops over nodes, the same code on rationals, floats and symbols."""

from tevtheory.exitlaw.canonical import bonus_law, canonical_exit_law, exit_masses
from tevtheory.exitlaw.exactness import Violation, completed_law, distance, first_excess, first_violation, impossible
from tevtheory.exitlaw.flow import (
    ceiling,
    ceiling_with_end,
    coverage,
    expected_length_from,
    flow,
    level_masses,
)
from tevtheory.exitlaw.ledger import LossLedger, loss_ledger, one_ring_regret, oracle_flows
from tevtheory.exitlaw.lengths import block_length_law, length_variance, truncated_ceiling
from tevtheory.exitlaw.mixture import Component, subtree_mixture
from tevtheory.exitlaw.regret import expected_length, regret, regret_by_string

__all__ = [
    "Component",
    "LossLedger",
    "Violation",
    "block_length_law",
    "bonus_law",
    "canonical_exit_law",
    "ceiling",
    "ceiling_with_end",
    "completed_law",
    "coverage",
    "distance",
    "exit_masses",
    "expected_length",
    "expected_length_from",
    "first_excess",
    "first_violation",
    "flow",
    "impossible",
    "length_variance",
    "level_masses",
    "loss_ledger",
    "one_ring_regret",
    "oracle_flows",
    "regret",
    "regret_by_string",
    "subtree_mixture",
    "truncated_ceiling",
]
