"""Conformance: judge any verifier."""

from tevtheory.conformance.blocks import Block, BlockFinding, judge_average, judge_blocks, judge_emission
from tevtheory.conformance.contracts import Check
from tevtheory.conformance.exact import Finding, Reference, judge_law, judge_on
from tevtheory.conformance.judge import NotExact, Report, assert_canonical, assert_exact, judge
from tevtheory.conformance.layouts import CHAIN, CHILD_MAPS, LINKS, PROBLEM, RETRIEVE_INDICES, Layout, layout
from tevtheory.conformance.learned import LearnedSubject, over_uniforms
from tevtheory.conformance.subjects import ProgramSubject, Subject, as_subject, over_chooser, over_coins, over_generator
from tevtheory.conformance.tally import Address, Counterexample, Tally

__all__ = [
    "CHAIN",
    "CHILD_MAPS",
    "LINKS",
    "PROBLEM",
    "RETRIEVE_INDICES",
    "Address",
    "Block",
    "BlockFinding",
    "Check",
    "Counterexample",
    "Finding",
    "Layout",
    "LearnedSubject",
    "NotExact",
    "ProgramSubject",
    "Reference",
    "Report",
    "Subject",
    "Tally",
    "as_subject",
    "assert_canonical",
    "assert_exact",
    "judge",
    "judge_average",
    "judge_blocks",
    "judge_emission",
    "judge_law",
    "judge_on",
    "layout",
    "over_chooser",
    "over_coins",
    "over_generator",
    "over_uniforms",
]
