"""A real peer: transformers' `_speculative_sampling`, judged in all three of its uses.

It is run unmodified; only the module's `torch.rand_like` and `torch.multinomial` are answered from given uniforms, so that
its law can be integrated. Logits are float64 logarithms of the rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tevtheory.choices import Limits
from tevtheory.conformance import CHAIN, judge_blocks, judge_on, over_uniforms
from tevtheory.laws import Law
from tevtheory.targets import Problem, Target, TargetTree
from tevtheory.trees import DraftTree
from tevtheory.verdicts import Verdict
from tevtheory.weights import exact, exact_float

torch = pytest.importorskip("torch", reason="the extra 'peers' is not installed (make test-torch)")
utils = pytest.importorskip("transformers.generation.utils", reason="the extra 'peers' is not installed")

TARGET = ["1/2", "5/16", "3/16"]
DRAFT = ["1/4", "5/8", "1/8"]
ROUNDING = exact_float(2.0**-40)


@pytest.fixture
def uniforms(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The uniforms that the module's torch answers with."""
    given: dict[str, Any] = {}

    def multinomial(row: Any, num_samples: int) -> Any:
        sums = row.cumsum(-1)
        marks = torch.as_tensor(given["bonus"], dtype=row.dtype) * sums[..., -1:]
        return (marks >= sums).sum(-1, keepdim=True)

    answers = {"rand_like": lambda like: torch.as_tensor(given["coins"], dtype=like.dtype), "multinomial": multinomial}

    class Answering:
        def __getattr__(self, name: str) -> Any:
            return answers.get(name, getattr(torch, name))

    monkeypatch.setattr(utils, "torch", Answering())
    return given


def speculative_sampling(given: dict[str, Any], one_hot: bool) -> Any:
    """A function of explicit uniforms over the chain layout; `one_hot` replaces the proposal by the drafted token."""

    def run(tokens: Any, draft_probs: Any, rows: Any, coins: Any, bonus: Any) -> Any:
        given.update(coins=coins, bonus=bonus)
        proposal = np.eye(rows.shape[1])[tokens] if one_hot else draft_probs[: len(tokens)]
        valid, _ = utils._speculative_sampling(
            torch.as_tensor(tokens)[None], logits(proposal), len(tokens), logits(rows)
        )
        return valid[0]

    return over_uniforms(
        run,
        lambda problem: {"coins": (problem.tree.budget,), "bonus": ()},
        layout=CHAIN,
        name="transformers, one-hot" if one_hot else "transformers, soft q",
    )


def logits(rows: Any) -> Any:
    with np.errstate(divide="ignore"):
        return torch.as_tensor(np.log(rows))[None]


def chain(tokens: tuple[int, ...]) -> Problem:
    tree = DraftTree(range(-1, len(tokens)), (-1, *tokens))
    return Problem(TargetTree(tree, [TARGET] * tree.size), [DRAFT] * tree.size)


@pytest.mark.parametrize("tokens", [(1,), (1, 0), (2, 2)])
def test_one_hot_proposals_are_canonical_on_a_fixed_chain(tokens: tuple[int, ...], uniforms: dict[str, Any]) -> None:
    finding = judge_on(speculative_sampling(uniforms, one_hot=True), chain(tokens))
    assert finding.verdict is Verdict.CANONICAL, str(finding)


def test_a_soft_proposal_with_an_argmax_draft_is_lossy_and_beats_the_ceiling(uniforms: dict[str, Any]) -> None:
    finding = judge_on(speculative_sampling(uniforms, one_hot=False), chain((1,)))
    assert finding.verdict is Verdict.LOSSY
    # Token 1 is accepted with 1/2 instead of 5/16; refused, the residual holds tokens 0 and 2 in proportion 4 to 1.
    assert abs(finding.distance - exact("3/16")) < ROUNDING
    assert abs(finding.length - exact("3/2")) < ROUNDING
    assert finding.length > finding.ceiling == exact("21/16")


def test_a_sampled_draft_is_exact_on_average_only(uniforms: dict[str, Any]) -> None:
    subject = speculative_sampling(uniforms, one_hot=False)
    masses: dict[tuple[int, ...], Any] = {}
    single = []
    for token, weight in enumerate(DRAFT):
        problem = chain((token,))
        single.append(judge_on(subject, problem).verdict)
        for end, mass in subject.find_law(problem, Limits()).law.items():
            block = (*problem.tree.path(end.node), end.token)
            masses[block] = masses.get(block, 0) + exact(weight) * mass
    averaged = judge_blocks(Law.trusted(masses), Target.context_free(TARGET))
    assert averaged.distance < ROUNDING
    assert Verdict.LOSSY in single
