"""Faults of kind LT: the law is wrong on a fixed tree, and the tree and its rows are all a checker needs."""

from __future__ import annotations

from typing import Any

from tevtheory.choices import Chooser
from tevtheory.faults.cases import Fault, FixedTree, Walk
from tevtheory.faults.notation import (
    ACCEPT,
    BONUS,
    COIN,
    TOKEN,
    blocks,
    excess,
    first_taken,
    follow,
    follow_rows,
    inverse_cdf,
    problem,
    without,
)
from tevtheory.targets import Problem
from tevtheory.trees import ROOT, Exit
from tevtheory.weights import ZERO, exact


def _one_coin(problem: Problem, chooser: Chooser) -> Exit:
    """The coin that passed both siblings, times the residual's mass, draws the final token."""
    tree, node = problem.tree, ROOT
    while True:
        coin, row, running = chooser.coin(site=(COIN, node)), problem.rows[node], ZERO
        for child in tree.children[node]:
            running += row[tree.tokens[child]]
            if coin < running:
                node = child
                break
        else:
            residual = without(row, *tree.child_maps[node])
            return Exit(node, inverse_cdf(residual, coin * sum(residual)))


def _stale_residual(problem: Problem, chooser: Chooser) -> Exit:
    """A leaf taken after a refused sibling draws its bonus from what was left of the parent's row."""
    node, bonus = ROOT, tuple(problem.rows[ROOT])
    while problem.tree.children[node]:
        child, refused = first_taken(problem, chooser, node)
        left = without(problem.rows[node], *refused)
        if child is None:
            return Exit(node, chooser.choose(left, site=(BONUS, 0)))
        node, bonus = child, left if refused else tuple(problem.rows[child])
    return Exit(node, chooser.choose(bonus, site=(BONUS, 0)))


def _next_slice(problem: Problem, chooser: Chooser) -> Exit:
    """Every row is read one place too far; the last is repeated."""
    return follow_rows(problem.tree, lambda node: problem.rows[min(node + 1, problem.tree.size - 1)], chooser)


def _minus_draft(problem: Problem, chooser: Chooser) -> Exit:
    """Children are tested by the one-hot walk, but the residual is (p - q)+."""
    node: int = ROOT
    while True:
        child, refused = first_taken(problem, chooser, node)
        if child is None:
            row = problem.rows[node]
            left = excess(row, problem.proposal(node)) if refused else tuple(row)
            return Exit(node, chooser.choose(left, site=(BONUS, 0)))
        node = child


def _ratio(problem: Problem, chooser: Chooser) -> Exit:
    """min(1, p / q) with the draft's softmax; on refusal p becomes the normalised (p - q)+."""
    tree, node, row = problem.tree, ROOT, tuple(problem.rows[ROOT])
    while True:
        for child in tree.children[node]:
            token, proposal = tree.tokens[child], problem.proposal(node)
            if chooser.flip(row[token], proposal[token], site=(ACCEPT, child)):
                node, row = child, tuple(problem.rows[child])
                break
            left = excess(row, proposal)
            row = tuple([weight / sum(left) for weight in left])
        else:
            return Exit(node, chooser.choose(row, site=(BONUS, 0)))


def _chain(accept: Any, refuse: Any) -> Walk:
    """A walk down a chain: `accept(problem, chooser, child)`, and `refuse(problem, node)` gives the row after a refusal."""

    def walk(problem: Problem, chooser: Chooser) -> Exit:
        tree, node = problem.tree, ROOT
        while tree.children[node]:
            child = tree.children[node][0]
            if not accept(problem, chooser, child):
                return Exit(node, chooser.choose(refuse(problem, node), site=(BONUS, 0)))
            node = child
        return Exit(node, chooser.choose(problem.rows[node], site=(BONUS, 0)))

    return walk


def _one_hot(problem: Problem, node: int) -> tuple[Any, ...]:
    return without(problem.rows[node], *problem.tree.child_maps[node])


def _mass(problem: Problem, child: int) -> Any:
    return problem.rows[problem.tree.parents[child]][problem.tree.tokens[child]]


def _with_mass(problem: Problem, chooser: Chooser, child: int) -> bool:
    return chooser.flip(_mass(problem, child), site=(ACCEPT, child))


def _equal_or_ratio(problem: Problem, chooser: Chooser, child: int) -> bool:
    """A separate target draw equals the node, or the ratio test passes."""
    parent = problem.tree.parents[child]
    same = chooser.choose(problem.rows[parent], site=(TOKEN, parent)) == problem.tree.tokens[child]
    return _with_mass(problem, chooser, child) or same


def _own_row(problem: Problem, chooser: Chooser, child: int) -> bool:
    """Node i is tested on row i + 1, its own and not its parent's."""
    return chooser.flip(problem.rows[child][problem.tree.tokens[child]], site=(ACCEPT, child))


def _but_the_first(problem: Problem, chooser: Chooser, child: int) -> bool:
    return child == 1 or _with_mass(problem, chooser, child)


def _above_threshold(problem: Problem, _: Chooser, child: int) -> bool:
    return bool(_mass(problem, child) >= exact("1/4"))


def _is_largest(problem: Problem, _: Chooser, child: int) -> bool:
    """The node is the argmax of its parent's row; ties count."""
    return bool(_mass(problem, child) == max(problem.rows[problem.tree.parents[child]]))


def _one_uniform(problem: Problem, chooser: Chooser) -> Exit:
    """All positions of a chain share one uniform."""
    coin = chooser.coin(site=(COIN, 0))
    return _chain(lambda _, __, child: coin < _mass(problem, child), _one_hot)(problem, chooser)


def _argmax_only(problem: Problem, _: Chooser) -> Exit:
    """The argmax of each row is taken for its draw."""
    tree, node = problem.tree, ROOT
    while True:
        row = problem.rows[node]
        token = row.index(max(row))
        child = tree.child(node, token)
        if child is None:
            return Exit(node, token)
        node = child


C2 = problem("a ab", "1/2 1/2", "1/4 3/4", "1 0")
_C2_RIGHT = blocks("b 1/2, aa 1/8, aba 3/8")
_T1 = problem("a b", "1/2 1/4 1/8 1/8", "0 0 0 1", "0 0 0 1")
_STALE = problem("a b", "1/4 1/4 1/2", "1 0 0", "1 0 0")
_TOP = ("1/2 1/3 1/6", "0 0 1", "0 0 1")
_SLICED = problem("a b", *_TOP, proposals=["2/3 1/6 1/6"])
_TOP_K = problem("a b", *_TOP, proposals=["2/3 1/3 0"])
_LEAF_A = problem("a", "1/2 1/4 1/4", "0 0 1")
_LEAF_B = problem("b", *_TOP[:2])
_TWICE = problem("a aa", "1/2 1/2")
_ONLY_B = problem("b", "1/2 1/2")


def _fault(number: str, title: str, seen_in: str, walk: Walk, on: Problem, laws: tuple[Any, Any]) -> Fault:
    return Fault(number, title, seen_in, "LT", FixedTree(walk, on, follow), *laws, "law")


FIXED_TREE = (
    _fault(
        "1",
        "one coin serves the sibling walk and the final draw",
        "sgl-project/sglang PR 7231, following 7207",
        _one_coin,
        _T1,
        (blocks("ad 1/2, bd 1/4, c 1/8, d 1/8"), blocks("ad 1/2, bd 1/4, d 1/4")),
    ),
    _fault(
        "2",
        "a refused sibling's residual is the bonus row below a later sibling",
        "SafeAILab/EAGLE PR 47, issue 50",
        _stale_residual,
        _STALE,
        (blocks("aa 1/4, ba 1/4, c 1/2"), blocks("aa 1/4, bb 1/12, bc 1/6, c 1/2")),
    ),
    _fault(
        "5(i)",
        "target rows are read one place too far",
        "NVIDIA/TensorRT-LLM PR 15098",
        _next_slice,
        C2,
        (_C2_RIGHT, blocks("b 3/4, aa 1/4")),
    ),
    _fault(
        "5(ii)",
        "the residual is target minus draft, not target minus tried siblings",
        "NVIDIA/TensorRT-LLM PR 15098",
        _minus_draft,
        _SLICED,
        (blocks("ac 1/2, bc 1/3, c 1/6"), blocks("ac 1/2, bc 1/3, b 1/6")),
    ),
    _fault(
        "6",
        "min(1, p/q) with the draft's softmax on a deterministic top-k tree",
        "warpfront/hipfire PR 483",
        _ratio,
        _TOP_K,
        (blocks("ac 1/2, bc 1/3, c 1/6"), blocks("ac 3/4, c 1/4")),
    ),
    _fault(
        "7",
        "positions of a chain share a uniform",
        "flashinfer-ai/flashinfer PR 424",
        _one_uniform,
        _TWICE,
        (blocks("b 1/2, ab 1/4, aaa 1/8, aab 1/8"), blocks("b 1/2, aaa 1/4, aab 1/4")),
    ),
    _fault(
        "9",
        "accepts if a separate target draw is equal or the ratio test passes",
        "alibaba/rtp-llm PR 1295",
        _chain(_equal_or_ratio, _one_hot),
        _LEAF_A,
        (blocks("ac 1/2, b 1/4, c 1/4"), blocks("ac 3/4, b 1/8, c 1/8")),
    ),
    _fault(
        "21",
        "argmax verify although the temperature is positive",
        "sgl-project/sglang PRs 31214, 39253, 21275",
        _argmax_only,
        _LEAF_B,
        (blocks("a 1/2, bc 1/3, c 1/6"), blocks("a 1")),
    ),
    _fault(
        "28",
        "the acceptance test of node i reads row i + 1",
        "huggingface/transformers PR 28166",
        _chain(_own_row, _one_hot),
        C2,
        (_C2_RIGHT, blocks("b 3/4, aa 1/4")),
    ),
    _fault(
        "30",
        "the first node is never judged",
        "ohdearquant/lattice issue 243",
        _chain(_but_the_first, _one_hot),
        _ONLY_B,
        (blocks("a 1/2, ba 1/4, bb 1/4"), blocks("ba 1/2, bb 1/2")),
    ),
    _fault(
        "40(i)",
        "after a refusal the token is drawn from p, not from the residual",
        "ShopeeLLM/Spec-RL issue 14",
        _chain(_with_mass, lambda problem, node: problem.rows[node]),
        _LEAF_A,
        (blocks("ac 1/2, b 1/4, c 1/4"), blocks("ac 1/2, a 1/4, b 1/8, c 1/8")),
    ),
    _fault(
        "41",
        "threshold acceptance (lossy by design)",
        "vllm-project/vllm PR 5131, issue 5015; youssofal/MTPLX PR 478",
        _chain(_above_threshold, _one_hot),
        _LEAF_B,
        (blocks("a 1/2, bc 1/3, c 1/6"), blocks("bc 1")),
    ),
    _fault(
        "43",
        "the n-gram part is accepted greedily, noise only at the end",
        "hao-ai-lab/LookaheadDecoding PR 6",
        _chain(_is_largest, lambda problem, node: problem.rows[node]),
        C2,
        (_C2_RIGHT, blocks("aba 1")),
    ),
)
