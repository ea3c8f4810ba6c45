"""Faults of kind A: the law is exact and the block too short, or a length that no exact verifier can have."""

from __future__ import annotations

from collections.abc import Callable

from tevtheory.choices import Chooser
from tevtheory.faults.cases import Emit, Fault, FixedTree, Lengths
from tevtheory.faults.fixed_tree import C2
from tevtheory.faults.notation import BONUS, Block, block_of, blocks, follow, lengths, problem
from tevtheory.targets import Problem, Target
from tevtheory.trees import ROOT, Exit


def _cut(problem: Problem, end: Exit, keeps: Callable[[int], bool]) -> Exit:
    """The exit of the same walk where accepted nodes are kept only up to the first that is not kept."""
    path = list(problem.tree.ancestors(end.node))[-2::-1]
    node = ROOT
    for child in path:
        if not keeps(child):
            return Exit(node, problem.tree.tokens[child])
        node = child
    return end


def _one_integer(problem: Problem, chooser: Chooser) -> Exit:
    """The cache is rewound to one integer, so a node is kept only where its index is its depth."""
    return _cut(problem, follow(problem, chooser), lambda node: node == problem.tree.depths[node])


def _not_the_leaves(problem: Problem, chooser: Chooser) -> Exit:
    """The tree path never accepts its last level."""
    return _cut(problem, follow(problem, chooser), lambda node: bool(problem.tree.children[node]))


def _first_only(problem: Problem, chooser: Chooser) -> Exit:
    """The recurrent state has drifted after the first node, and nothing below it is accepted."""
    return _cut(problem, follow(problem, chooser), lambda node: problem.tree.depths[node] == 1)


def _accept_all(problem: Problem, chooser: Chooser) -> Exit:
    """The acceptance uniform is 0: every drafted node is taken."""
    last = problem.tree.size - 1
    return Exit(last, chooser.choose(problem.rows[last], site=(BONUS, 0)))


def _emit(problem: Problem, walk: Callable[[Problem, Chooser], Exit]) -> Emit:
    def emit(chooser: Chooser) -> Block:
        return block_of(problem, walk(problem, chooser))

    return emit


_FORK = problem("a b aa", "1/2 1/4 1/4")
_SPINE = problem("a aa aaa", "1/2 1/2")
_MARKOV = Target.markov(["1/2", "1/2"], [["1/4", "3/4"], ["1", "0"]])

SHORT = (
    Fault(
        "20",
        "the acceptance uniform is hard-wired to 0; seen in the lengths alone",
        "vllm-project/vllm-ascend issue 13730, PR 13766",
        "LT",
        Lengths(_emit(C2, _accept_all), _MARKOV, _emit(C2, follow)),
        lengths("1/2", "1/8", "3/8"),
        lengths("0", "0", "1"),
        "ceiling",
    ),
    Fault(
        "51",
        "adding a sibling shortens acceptance",
        "NVIDIA/TensorRT-LLM issue 10343",
        "A",
        FixedTree(_one_integer, _FORK, follow, contract="super-tree"),
        blocks("aaa 1/8, aab 1/16, aac 1/16, ab 1/8, ac 1/8, ba 1/8, bb 1/16, bc 1/16, c 1/4"),
        blocks("aa 1/4, ab 1/8, ac 1/8, b 1/4, c 1/4"),
        "super-tree",
    ),
    Fault(
        "52",
        "the tree path with branching 1 accepts less than the chain path",
        "NVIDIA/TensorRT-LLM PR 15842",
        "A",
        FixedTree(_not_the_leaves, C2, follow, contract="chain"),
        blocks("b 1/2, aa 1/8, aba 3/8"),
        blocks("b 1/2, aa 1/8, ab 3/8"),
        "chain",
    ),
    Fault(
        "53",
        "a spine-only tree accepts less than the chain; seen in the lengths alone",
        "Luce-Org/lucebox PR 414",
        "A",
        Lengths(_emit(_SPINE, _first_only), Target.context_free(["1/2", "1/2"]), _emit(_SPINE, follow)),
        lengths("1/2", "1/4", "1/8", "1/8"),
        lengths("1/2", "1/2"),
        "length",
    ),
)
