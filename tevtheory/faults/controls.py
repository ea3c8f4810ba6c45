"""Controls: rules that people have reported as faults and that are none. A checker must say so as plainly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tevtheory.choices import Chooser
from tevtheory.faults.cases import Control, Draft, FixedTree, Walk
from tevtheory.faults.drafts import one_hot_step
from tevtheory.faults.notation import ACCEPT, BONUS, RACE, TOKEN, blocks, follow, problem, row_of
from tevtheory.targets import Problem, Target
from tevtheory.trees import ROOT, Exit
from tevtheory.verdicts import Verdict
from tevtheory.weights import ONE


def _remove_and_renormalise(problem: Problem, chooser: Chooser) -> Exit:
    """Each child with q = 1 against the current row; a refused token is removed and the row divided by its sum."""
    tree, node, row = problem.tree, ROOT, list(problem.rows[ROOT])
    while True:
        for child in tree.children[node]:
            token = tree.tokens[child]
            if chooser.flip(row[token], ONE, site=(ACCEPT, child)):
                node, row = child, list(problem.rows[child])
                break
            row[token] *= 0
            row = [weight / sum(row) for weight in row]
        else:
            return Exit(node, chooser.choose(tuple(row), site=(BONUS, 0)))


def _accept_if_equal(problem: Problem, chooser: Chooser) -> Exit:
    """Draw t from the target's row, accept the node iff it is t, emit t either way."""
    node = ROOT
    while True:
        drawn = chooser.choose(problem.rows[node], site=(TOKEN, node))
        matching = [child for child in problem.tree.children[node] if problem.tree.tokens[child] == drawn]
        if not matching:
            return Exit(node, drawn)
        node = matching[0]


def _one_hot(bonus: Any, backwards: bool = False) -> Walk:
    """The one-hot walk, children in given or reversed order; `bonus(chooser, residual)` draws the final token."""

    def walk(problem: Problem, chooser: Chooser) -> Exit:
        tree, node = problem.tree, ROOT
        while True:
            row, left = list(problem.rows[node]), problem.target.one
            for child in reversed(tree.children[node]) if backwards else tree.children[node]:
                token = tree.tokens[child]
                if chooser.flip(row[token], left, site=(ACCEPT, child)):
                    node = child
                    break
                left -= row[token]
                row[token] *= 0  # the array has become the residual by the time the bonus is drawn from it
            else:
                return Exit(node, bonus(chooser, tuple(row)))

    return walk


def _drawn(chooser: Chooser, row: Sequence[Any]) -> int:
    return chooser.choose(row, site=(BONUS, 0))


def _raced(chooser: Chooser, row: Sequence[Any]) -> int:
    """Argmax residual / exponential noise: the first of independent exponentials with these rates."""
    return chooser.choose(row, site=(RACE, 0))


def _uniform_if_empty(chooser: Chooser, row: Sequence[Any]) -> int:
    return chooser.choose(row if any(row) else (1,) * len(row), site=(BONUS, 0))


_TOP_K = problem("a b", "1/2 1/3 1/6", "0 0 1", "0 0 1")
_CHAIN = problem("a", "1/2 1/4 1/4", "0 0 1")
_FULL = problem("a b", "1/2 1/2", "1/2 1/2", "0 1")
_P, _Q, _ARGMAX = row_of("1/2 1/4 1/4"), row_of("1/4 1/2 1/4"), row_of("0 1 0")
_TOP_K_RIGHT = blocks("ac 1/2, bc 1/3, c 1/6")
_CHAIN_RIGHT = blocks("ac 1/2, b 1/4, c 1/4")
_SAMPLED_RIGHT = blocks("a 1/2, b 1/4, c 1/4")


def _exact(q: Sequence[Any]) -> Draft:
    return Draft(one_hot_step(_P, q), Target.context_free(_P), one_hot_step(_P, _P))


CONTROLS: tuple[Control, ...] = (
    Control(
        "N1",
        "q = 1 for every child of a deterministic top-k tree, remove and renormalise",
        "SafeAILab/EAGLE issues 93, 95, 110, 171, 183, 221, 283",
        FixedTree(_remove_and_renormalise, _TOP_K, follow),
        _TOP_K_RIGHT,
        Verdict.CANONICAL,
    ),
    Control(
        "N2",
        "draw from the target row, accept the node iff equal, emit the draw either way",
        "lablup/mlxcel issue 902, PR 992; ml-explore/mlx-swift-lm PR 459; z-lab/dflash issue 74",
        FixedTree(_accept_if_equal, _CHAIN, follow),
        _CHAIN_RIGHT,
        Verdict.CANONICAL,
    ),
    Control(
        "N3",
        "the one-hot rule although the draft was sampled",
        "vllm-project/vllm PR 40651, vllm-project/vllm-ascend PR 9936",
        _exact(_Q),
        _SAMPLED_RIGHT,
        Verdict.EXACT,
    ),
    Control(
        "N4",
        'argmax(residual / exponential noise) "just selects the largest"',
        "vllm-project/vllm PR 8320",
        FixedTree(_one_hot(_raced), _TOP_K, follow),
        _TOP_K_RIGHT,
        Verdict.CANONICAL,
    ),
    Control(
        "N5",
        'the final draw is "from the target", an array already updated in place to the residual',
        "NJUNLP/MCSD issue 5",
        FixedTree(_one_hot(_drawn), _CHAIN, follow),
        _CHAIN_RIGHT,
        Verdict.CANONICAL,
    ),
    Control(
        "N6",
        "a uniform fall-back where the residual is 0",
        "duoan/TorchCode issue 16",
        FixedTree(_one_hot(_uniform_if_empty), _FULL, follow),
        blocks("aa 1/4, ab 1/4, bb 1/2"),
        Verdict.CANONICAL,
    ),
    Control(
        "N7",
        "siblings visited in a fixed order, not a random one",
        "ggml-org/llama.cpp PR 5625",
        FixedTree(_one_hot(_drawn, backwards=True), _TOP_K, follow),
        _TOP_K_RIGHT,
        Verdict.CANONICAL,
    ),
    Control(
        "N8",
        "the draft is always the argmax",
        "vllm-project/vllm PR 16899",
        _exact(_ARGMAX),
        _SAMPLED_RIGHT,
        Verdict.EXACT,
    ),
)
