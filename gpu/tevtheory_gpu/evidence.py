"""Evidence from real trees for `tevtheory prove`: the canonical verifiers, sampled on a draft tree of a language model."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

from tevtheory.proofs_check.checks import Check
from tevtheory.proofs_check.evidence import NotRun, demand
from tevtheory.proofs_check.statements import FAMILIES

if TYPE_CHECKING:
    from tevtheory_gpu.montecarlo.cases import Case

MODEL = "smollm2-135m"
BUDGET = 16
LOSSY = "cumulative walk acc 4/5"


@cache
def _case() -> Case:
    """One tree, drafted by the model's own first layers in the middle of a piece of code."""
    from tevtheory_gpu.decoding.model import Options, drafting_of
    from tevtheory_gpu.drafters import EarlyExit
    from tevtheory_gpu.montecarlo.making import Maker
    from tevtheory_gpu.montecarlo.prompts import PROMPTS, chosen
    from tevtheory_gpu.targets import Sampling, is_cached, load_target, named_model

    if not is_cached(named_model(MODEL)):
        raise NotRun(f"the weights are not in the cache: tevtheory models get {MODEL}")
    model, (prompt,) = load_target(MODEL), chosen(PROMPTS, ["merge-function"], None)
    drafting = drafting_of(model, EarlyExit(model, 29), Options("DDTree", budget=BUDGET, depth=6))
    (case,) = Maker(model, Sampling(), drafting, {}).cases(prompt)
    return case


def _sampled(family: str, size: int, falsify: bool) -> int:
    """Every batched verifier of a family keeps the canonical law, by an e-process that errs once in a million runs."""
    from tevtheory.conformance.montecarlo import Outcome
    from tevtheory_gpu.montecarlo.campaign import Settings, campaign
    from tevtheory_gpu.verifiers.catalogue import find

    judged = [find(LOSSY)] if falsify else [entry for entry in _canonical() if _family(entry) == FAMILIES[family]]
    samples = 0
    for finding in campaign([_case()], judged, Settings(size)):
        demand(finding.report.verdict is not Outcome.FAULT, finding.report)
        samples += finding.report.samples
    return samples


def _canonical() -> list[Any]:
    from tevtheory.verdicts import Verdict
    from tevtheory_gpu.verifiers.catalogue import CATALOGUE

    return [entry for entry in CATALOGUE if entry.twin.claim is Verdict.CANONICAL]


def _family(verifier: Any) -> str:
    """The module of the scalar twin."""
    return str(verifier.twin.walk.__module__).rpartition(".")[2]


CHECKS: tuple[Check, ...] = tuple(
    Check(
        (f"attainment/{family}",),
        "monte-carlo",
        partial(_sampled, family),
        (20_000, 300_000, 10_000_000),
        f"batched, on a tree of {MODEL}, {BUDGET} drafted tokens: e-process on about {{n}} samples never reaches 1e6",
        needs=("torch", "transformers", "numba"),
    )
    for family in FAMILIES
)
"""One check a family; offered under the entry point "tevtheory.checks"."""
