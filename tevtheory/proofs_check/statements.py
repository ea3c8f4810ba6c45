"""What is claimed: each statement once, with the place that relies on it."""

from __future__ import annotations

from dataclasses import dataclass

from tevtheory.errors import InputError


@dataclass(frozen=True)
class Statement:
    """A claim in one sentence, the files that rely on it, and the words of the project it is about."""

    id: str
    sentence: str
    claimed_in: tuple[str, ...]
    terms: tuple[str, ...]


FAMILIES: dict[str, str] = {
    "predraw-and-follow": "predraw_and_follow",
    "sequential-residual": "sequential_residual",
    "tev": "tev",
    "tev-walk": "tev_walk",
    "nested-intervals": "nested_intervals",
    "seed-synchronous": "seed_synchronous",
    "cumulative-thresholds": "cumulative_thresholds",
}
"""The families of canonical verifiers, with their modules in `tevtheory.verifiers`."""

_ATTAINMENT = tuple(
    Statement(
        f"attainment/{name}",
        f"The verifiers of the family {name} that claim the canonical law have it.",
        (f"tevtheory/verifiers/{module}.py",),
        ("canonical law",),
    )
    for name, module in FAMILIES.items()
)

STATEMENTS: tuple[Statement, ...] = (
    Statement("exit-sum", "The exit masses sum to 1.", ("tevtheory/exitlaw/canonical.py",), ("exit",)),
    Statement(
        "coverage-identity",
        "The mean depth of the canonical exit is the coverage.",
        ("tevtheory/exitlaw/flow.py",),
        ("exit", "flow", "coverage"),
    ),
    Statement(
        "ceiling",
        "E[length] <= 1 + coverage for every exact path verifier on a fixed tree.",
        ("tevtheory/exitlaw/flow.py", "tevtheory/conformance/exact.py"),
        ("ceiling", "coverage"),
    ),
    Statement(
        "extendable-ceiling",
        "The ceiling holds for every block law that some generator with memory makes exact.",
        ("tevtheory/exitlaw/exactness.py",),
        ("ceiling",),
    ),
    Statement(
        "dominance",
        "P(length > k) <= M_k for every exact law and every k, M_k the flow at depth k.",
        ("tevtheory/exitlaw/lengths.py",),
        ("flow",),
    ),
    Statement(
        "uniqueness",
        "Only the canonical law attains the ceiling.",
        ("tevtheory/exitlaw/canonical.py", "tevtheory/exitlaw/flow.py"),
        ("canonical law", "ceiling"),
    ),
    Statement(
        "stopping-times",
        "A law is exact iff its block is the target stopped by a randomised rule that does not look ahead.",
        ("tevtheory/exitlaw/exactness.py",),
        ("exact",),
    ),
    Statement(
        "polytope",
        "The exact laws are a polytope of dimension |T+| - 1; its vertices are the canonical laws of the rooted subtrees.",
        ("tevtheory/exitlaw/mixture.py",),
        ("exact", "canonical law"),
    ),
    Statement(
        "regret-identity",
        "Ceiling - E[length] = sum over in-tree strings u of P(block = u)(1 + Cov(T_u)), for every exact law.",
        ("tevtheory/exitlaw/regret.py",),
        ("regret", "coverage"),
    ),
    *_ATTAINMENT,
    Statement(
        "length-law",
        "For the canonical law P(length = k + 1) = M_k - M_{k+1}, the exit mass at depth k.",
        ("tevtheory/exitlaw/lengths.py",),
        ("exit", "flow"),
    ),
    Statement(
        "end-of-sequence",
        "With an end-of-sequence token the ceiling is the flow of the nodes not at or below one.",
        ("tevtheory/exitlaw/flow.py",),
        ("ceiling", "flow"),
    ),
    Statement(
        "oracle",
        "The n strings of largest flow form the tree of n drafted tokens with the largest coverage.",
        ("tevtheory/exitlaw/ledger.py", "tevtheory/builders/oracle.py"),
        ("coverage", "flow"),
    ),
    Statement(
        "ledger",
        "The loss against the oracle is missed plus wasted shares, none negative; each missed string lies below one exit.",
        ("tevtheory/exitlaw/ledger.py",),
        ("coverage", "exit"),
    ),
    Statement(
        "one-ring",
        "The one-ring regret is the gain of the best tree within the tree and its boundary, between 0 and the loss.",
        ("tevtheory/exitlaw/ledger.py",),
        ("regret",),
    ),
    Statement(
        "scope",
        "On sampled drafts verifiers exact on average exceed the fixed-tree ceiling: 5/3 > 13/9, 20/9 > 19/9 > 133/81.",
        ("README.md",),
        ("ceiling",),
    ),
)


def statement(name: str) -> Statement:
    """The statement of that id; raises InputError for an unknown one.

    >>> statement("exit-sum").sentence
    'The exit masses sum to 1.'
    """
    for entry in STATEMENTS:
        if entry.id == name:
            return entry
    raise InputError(
        "the id of a statement", repr(name), "statements", f"choose from {', '.join(s.id for s in STATEMENTS)}"
    )
