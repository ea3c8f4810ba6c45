"""All checks in one list: which statements each is about, how it is run, at three sizes, and what it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tevtheory.proofs_check import best_trees, exhaustive, lp, random_checks, scope, smt, symbolic
from tevtheory.proofs_check.evidence import Kind, Outcome
from tevtheory.proofs_check.law_checks import LAW_CHECKS
from tevtheory.proofs_check.statements import FAMILIES

Run = Callable[[int, bool], int]


@dataclass(frozen=True)
class Check:
    """One check: `run(size, falsify)` gives the number of instances or raises Refuted.

    `sizes` are the sizes of a quick, a default and a deep run; `passed` is what it is worth when it passes; `needs` names
    optional packages; `what` says what was done, {n} standing for the size.
    """

    statements: tuple[str, ...]
    kind: Kind
    run: Run
    sizes: tuple[int, int, int]
    what: str
    passed: Outcome = "checked"
    needs: tuple[str, ...] = ()


def _symbolic(statement: str) -> Check:
    two = symbolic.IDENTITIES[statement][1]
    symbols = "edge and per in-tree string" if two else "edge"
    note = "; stopped implies exact only" if statement == "stopping-times" else ""
    return Check(
        (statement,),
        "symbolic",
        lambda size, falsify: symbolic.prove(statement, size, falsify),
        (5, 9, 10) if two else (6, 12, 12),
        f"zero polynomials, one symbol per {symbols}, all shapes of 2..{{n}} nodes{note}",
        "proved",
        ("flint",),
    )


def _smt(statements: tuple[str, ...], question: str) -> Check:
    return Check(
        statements,
        "smt",
        lambda size, falsify: smt.prove_unsatisfiable(question, size, falsify),
        (4, 9, 10),
        "QF_LRA, flows free, every law that could be continued exactly: negation unsatisfiable, control satisfiable, "
        "all shapes up to {n} nodes",
        "proved",
        ("z3",),
    )


def _on_laws(statement: str) -> Check:
    return Check(
        (statement,),
        "exhaustive",
        lambda size, falsify: exhaustive.about_laws(statement, size, falsify),
        (3, 5, 6),
        "canonical laws of all subtrees and stops in {0, 1/3, 1}, generic and zero rows, up to {n} nodes",
    )


def _on_random_laws(statement: str) -> Check:
    return Check(
        (statement,),
        "property",
        lambda size, falsify: random_checks.about_random_laws(statement, size, falsify),
        (10, 200, 2000),
        "{n} seeded random stopped targets on trees of 8 to 30 nodes",
    )


def _attainment(family: str) -> tuple[Check, Check]:
    name = (f"attainment/{family}",)
    return (
        Check(
            name,
            "exhaustive",
            lambda size, falsify: exhaustive.attainment(family, size, max(size - 3, 3), falsify),
            (4, 8, 10),
            "enumerated law == canonical, generic rows up to {n} nodes, zero patterns up to {n} - 3, at most 200 paths",
        ),
        Check(
            name,
            "monte-carlo",
            lambda size, falsify: random_checks.sampled(family, size, falsify),
            (500, 10_000, 100_000),
            "e-process on about {n} samples per verifier never reaches 1e6",
        ),
    )


CHECKS: tuple[Check, ...] = (
    *map(_symbolic, symbolic.IDENTITIES),
    _smt(("extendable-ceiling", "ceiling"), "extendable-ceiling"),
    _smt(("uniqueness",), "uniqueness"),
    _smt(("dominance",), "dominance"),
    Check(
        ("ceiling", "extendable-ceiling", "uniqueness"),
        "lp",
        lp.check_universal,
        (4, 8, 9),
        "mu = 1, y = 1, z = 0 passes the exact checker, generic, zero and exhausted rows, up to {n} nodes",
    ),
    Check(
        ("ceiling", "extendable-ceiling", "uniqueness"),
        "lp",
        lp.check_with_highs,
        (3, 6, 7),
        "HiGHS: optimum within 1e-9, rounded dual numbers pass the exact checker, up to {n} nodes",
        needs=("scipy",),
    ),
    Check(
        ("scope",),
        "lp",
        lambda _, falsify: scope.check_marginal_optimum(falsify),
        (1, 1, 1),
        "HiGHS: the best verifier exact on average has 5/3 and 20/9",
        needs=("scipy",),
    ),
    *(_on_laws(statement) for statement in LAW_CHECKS if statement != "polytope"),
    Check(
        ("polytope",), "exhaustive", exhaustive.polytope, (3, 5, 6), "vertices, dimension, mixtures, up to {n} nodes"
    ),
    *(_on_random_laws(statement) for statement in LAW_CHECKS),
    *(
        Check(
            (statement,),
            "exhaustive",
            lambda size, falsify, statement=statement: exhaustive.identities(statement, size, falsify),  # type: ignore[misc]
            (4, 6, 7),
            "generic and zero rows, up to {n} nodes",
        )
        for statement in ("exit-sum", "coverage-identity")
    ),
    Check(("length-law",), "exhaustive", exhaustive.length_law, (4, 6, 7), "all strings written out, up to {n} nodes"),
    Check(
        ("end-of-sequence",), "exhaustive", exhaustive.end_of_sequence, (4, 6, 7), "every end token, up to {n} nodes"
    ),
    Check(
        ("extendable-ceiling",),
        "exhaustive",
        exhaustive.extendable_ceiling,
        (3, 4, 4),
        "every rule that looks ahead, two tokens, up to {n} nodes",
    ),
    *(check for family in FAMILIES for check in _attainment(family)),
    Check(("oracle",), "exhaustive", best_trees.oracle, (4, 5, 6), "all trees over three tokens, up to {n} nodes"),
    Check(("ledger",), "exhaustive", best_trees.ledger, (3, 5, 6), "all trees over three tokens, up to {n} nodes"),
    Check(("one-ring",), "exhaustive", best_trees.one_ring, (3, 4, 5), "all trees within one step, up to {n} nodes"),
    Check(
        ("scope",),
        "exhaustive",
        lambda _, falsify: scope.scope(falsify),
        (1, 1, 1),
        "two tokens, chains of 1 and 2 from q: 13/9 < 5/3, 133/81 < 19/9 < 20/9, both rules exact on average",
    ),
)
"""Every check but the mechanised ones, which share one run of a script; see `mechanised`."""
