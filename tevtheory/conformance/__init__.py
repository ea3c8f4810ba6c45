"""Conformance: judge any verifier."""

from tevtheory.conformance.exact import Finding, Reference, judge_law, judge_on

__all__ = ["Finding", "Reference", "judge_law", "judge_on"]
