"""Monte Carlo conformance: an e-process that may be looked at any number of times, and bounds on total variation."""

from tevtheory.conformance.montecarlo.chooser_sampler import BatchedSubject, ChooserSampler, batched, sampler_of
from tevtheory.conformance.montecarlo.law_sampler import LawSampler
from tevtheory.conformance.montecarlo.report import MonteCarloReport, NodeFault, Outcome, TokenFault
from tevtheory.conformance.montecarlo.run import Look, montecarlo
from tevtheory.conformance.montecarlo.sampling import CountSampler, Sampler

__all__ = [
    "BatchedSubject",
    "ChooserSampler",
    "CountSampler",
    "LawSampler",
    "Look",
    "MonteCarloReport",
    "NodeFault",
    "Outcome",
    "Sampler",
    "TokenFault",
    "batched",
    "montecarlo",
    "sampler_of",
]
