"""Proofs checked by machine: what the theory states, and for each statement the evidence that can be rerun."""

from tevtheory.proofs_check.certificates import Certificate, Refused, check_certificate
from tevtheory.proofs_check.evidence import Evidence
from tevtheory.proofs_check.statements import STATEMENTS, Statement
from tevtheory.proofs_check.table import as_data, evidence_table, run

__all__ = [
    "STATEMENTS",
    "Certificate",
    "Evidence",
    "Refused",
    "Statement",
    "as_data",
    "check_certificate",
    "evidence_table",
    "run",
]
