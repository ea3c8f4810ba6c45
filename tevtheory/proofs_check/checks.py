"""All checks in one list: which statements each is about, how it is run, at three sizes, and what it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tevtheory.proofs_check import (
    best_trees,
    cell_checks,
    closed_sets,
    exhaustive,
    linear,
    lp,
    random_checks,
    scope,
    smt,
    symbolic,
)
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


_NOTES = {
    "stopping-times": "; stopped implies exact only",
    "end-of-sequence": ", every choice of nodes that hold the end token",
}


def _symbolic(statement: str) -> Check:
    two = symbolic.IDENTITIES[statement][1]
    symbols = "edge and per in-tree string" if two else "edge"
    note = _NOTES.get(statement, "")
    return Check(
        (statement,),
        "symbolic",
        lambda size, falsify: symbolic.prove(statement, size, falsify),
        (5, 7, 8) if statement == "end-of-sequence" else (5, 9, 10) if two else (6, 12, 12),
        f"zero polynomials, one symbol per {symbols}, all shapes of 2..{{n}} nodes{note}",
        "proved",
        ("flint",),
    )


def _smt(statements: tuple[str, ...], laws: str = "") -> Check:
    question = statements[0]
    return Check(
        statements,
        "smt",
        lambda size, falsify: smt.prove_unsatisfiable(question, size, falsify),
        (4, 9, 10),
        f"QF_LRA, flows free{', ' + laws if laws else ''}: negation unsatisfiable, control satisfiable, "
        "all shapes up to {n} nodes",
        "proved",
        ("z3",),
    )


_EXTENDABLE = "every law that could be continued exactly"


def _on_cells(statement: str) -> Check:
    whole = statement != "polytope"
    scope = "for all probabilities" if whole else "on the cell around a point"
    return Check(
        (statement,),
        "symbolic",
        lambda size, falsify: cell_checks.about_laws(statement, size, falsify),
        (2, 4, 5),
        f"stopped targets as rational functions, {scope}: stops 0, inside or 1 at each in-tree string, rows generic, with "
        "a zero child or exhausted, up to {n} nodes",
        "proved" if whole else "checked",
        ("flint",),
    )


def _best_trees_on_cells(statement: str) -> Check:
    return Check(
        (statement,),
        "symbolic",
        lambda size, falsify: cell_checks.about_best_trees(statement, size, falsify),
        (3, 4, 4),
        "all trees up to {n} nodes over three tokens: identities of rational functions on the cells around 3 points",
        needs=("flint",),
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


def _on_random_targets(statement: str) -> Check:
    return Check(
        (statement,),
        "property",
        lambda size, falsify: random_checks.about_random_targets(statement, size, falsify),
        (10, 200, 2000),
        "{n} seeded random trees of 8 to 30 nodes, zero and exhausted rows, against a recursion from the leaves up",
    )


def _best_trees(statement: str) -> Check:
    return Check(
        (statement,),
        "property",
        lambda size, falsify: closed_sets.about_random_sources(statement, size, falsify),
        (10, 200, 2000),
        "{n} seeded random targets and trees of up to 12 drafted tokens, against a knapsack over closed sets of strings",
    )


def _closure(statement: str) -> Check:
    return Check(
        (statement,),
        "lp",
        lambda size, falsify: linear.best_trees(statement, size, falsify),
        (10, 100, 1000),
        "{n} closure programs on up to 62 strings: an exact dual proof, and HiGHS within 1e-9",
        needs=("scipy",),
    )


def _attainment(family: str) -> tuple[Check, ...]:
    name = (f"attainment/{family}",)
    return (
        Check(
            name,
            "symbolic",
            lambda size, falsify: cell_checks.attainment(family, size, size - 1, falsify),
            (3, 5, 6),
            "the verifiers run on rational functions: law == canonical for all probabilities, whatever their order, on "
            "all shapes up to {n} nodes, zeros in every pattern up to {n} - 1, at most 200 paths",
            "proved",
            ("flint",),
        ),
        Check(
            name,
            "exhaustive",
            lambda size, falsify: exhaustive.attainment(family, size, max(size - 3, 3), falsify),
            (4, 8, 10),
            "enumerated law == canonical, generic rows up to {n} nodes, zero patterns up to {n} - 3, at most 200 paths",
        ),
        Check(
            name,
            "property",
            lambda size, falsify: random_checks.attainment(family, size, falsify),
            (10, 100, 1000),
            "enumerated law exact and as long as the ceiling, {n} random trees of 8 to 12 nodes, at most 200 paths",
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
    *map(_on_cells, ("ceiling", "dominance", "uniqueness", "polytope")),
    *map(_best_trees_on_cells, closed_sets.BEST_TREE_CHECKS),
    Check(
        ("scope",),
        "symbolic",
        cell_checks.scope,
        (1, 2, 2),
        "two tokens, all p, q with p != q and p + q != 1, chains of 1..{n}: both rules, as rational functions, are exact "
        "on average and above the averaged ceiling; blocks attain the bound",
        "proved",
        ("flint",),
    ),
    _smt(("extendable-ceiling", "ceiling"), _EXTENDABLE),
    _smt(("uniqueness",), _EXTENDABLE),
    _smt(("dominance",), _EXTENDABLE),
    *(_smt((statement,)) for statement in ("exit-sum", "coverage-identity", "length-law")),
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
        ("polytope",),
        "lp",
        linear.vertices,
        (3, 5, 6),
        "every vertex is the only maximiser of an objective: an exact dual proof, and HiGHS within 1e-9, up to {n} nodes",
        needs=("scipy",),
    ),
    *map(_closure, ("oracle", "one-ring")),
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
    *map(_on_random_laws, LAW_CHECKS),
    *map(_on_random_targets, random_checks.TARGET_CHECKS),
    *map(_best_trees, closed_sets.BEST_TREE_CHECKS),
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
