"""Faults of kind P: the step is right, and what surrounds it hands it wrong rows (positions, masks, states, ids).

The target is a toy: a function of the committed prefix. The verifier is predraw-and-follow throughout; only the rows it
is given are wrong, and they show up as a wrong law.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tevtheory.choices import Chooser
from tevtheory.faults.cases import Emission, Emit, Fault, FixedTree
from tevtheory.faults.notation import TOKEN, Block, blocks, draft_tree, follow, follow_rows, problem, row_of
from tevtheory.targets import Problem, Target
from tevtheory.trees import ROOT, DraftTree, Exit

Row = Sequence[Any]
RowAt = Callable[[Block], Row]


def one_block(tree: DraftTree, row: Callable[[int], Row]) -> Emit:
    """Emit one block of predraw-and-follow, with the row of each node from a function.

    >>> from tevtheory.choices import enumerate_law
    >>> enumerate_law(one_block(draft_tree("a"), lambda node: row_of("1/2 1/2"))).law[1,]
    mpq(1,2)
    """

    def emit(chooser: Chooser) -> Block:
        node, token = follow_rows(tree, row, chooser)
        return (*tree.path(node), token)

    return emit


def _then_one(tree: DraftTree, target: Target, seen: Callable[[Block], Block]) -> Emit:
    """A block on a tree, then one token whose row the target is asked for after `seen(block)`."""

    def emit(chooser: Chooser) -> Block:
        block = one_block(tree, lambda node: target.row(tree.path(node)))(chooser)
        return (*block, chooser.choose(target.row(seen(block)), site=(TOKEN, 100)))

    return emit


def _on(tree: DraftTree, target: Target, wrong: Callable[[int], Row]) -> Emission:
    """One block with wrong rows against one with the target's."""
    return Emission(one_block(tree, wrong), target, one_block(tree, lambda node: target.row(tree.path(node))))


def _penalty(prefix: Block) -> Row:
    """After one committed a, a is forbidden."""
    return row_of("0 1" if 0 in prefix else "1/2 1/2")


_PENALISED = Target(2, _penalty)
_TWO_AS, _ONE_A = draft_tree("a aa"), draft_tree("a")


def _counting_drafts(block: Block) -> Block:
    """A penalty counter that also counts the refused draft a."""
    return (0, *block)


def _counting_the_last(block: Block) -> Block:
    """A penalty counter that sees the last token of a block only."""
    return block[-1:]


_GRAMMAR = Target.table(
    {(): ["1/2", "1/2", "0", "0"], (0,): ["0", "0", "1", "0"], (1,): ["0", "0", "0", "1"]},
    otherwise=["0", "0", "1/2", "1/2"],
)
_FORK, _FORK_DEEP = draft_tree("a b"), draft_tree("a b ac")


def _flattened_state(node: int) -> Row:
    """The grammar's state after all nodes up to this one in flattened order; b is no move after a, so it stays."""
    return _GRAMMAR.row(() if node == ROOT else (0,))


_BY_POSITION = (row_of("1/2 1/2 0"), row_of("0 1/2 1/2"), row_of("1 0 0"), row_of("0 1 0"))
_POSITIONED = Target(3, lambda prefix: _BY_POSITION[min(len(prefix), 3)])

_BY_SET = {
    frozenset[int](): row_of("1/2 1/2"),
    frozenset({0}): row_of("1/4 3/4"),
    frozenset({1}): row_of("3/4 1/4"),
    frozenset({0, 1}): row_of("1 0"),
}
_MASKED = Target(2, lambda prefix: _BY_SET[frozenset(prefix)])


def _seeing_siblings(node: int) -> Row:
    """The row of a node that attends to every node before it in flattened order."""
    return _BY_SET[frozenset(_FORK.tokens[1 : node + 1])]


def _seeing_one_too_few(node: int) -> Row:
    """The row of a node whose walk over its ancestors stops one step early and loses the first."""
    return _BY_SET[frozenset(_MIXED.path(node)[1:])]


_MIXED = draft_tree("a ab")

_ENDING = Target(4, lambda prefix: row_of("0 0 0 1" if 1 in prefix else ("0 1 0 0" if prefix else "1 0 0 0")))
"""Tokens x, EOS, y and padding: x, then EOS, and nothing but padding after it."""


def _past_the_end(_: Chooser) -> Block:
    return 0, 1, 2, 2


def _up_to_the_end(_: Chooser) -> Block:
    return 0, 1


_MEMORY = Target.markov(["1/2", "1/2"], [["1/4", "3/4"], ["1", "0"]])

_MEANS = (0, 2, 1)
"""Draft id i means token _MEANS[i]; the map is its own inverse."""


def _unmapped(problem: Problem, chooser: Chooser) -> Exit:
    """A chain whose node is judged by the target mass of its draft id, and emitted as what that id means."""
    tree, node = problem.tree, ROOT
    while tree.children[node]:
        child, row = tree.children[node][0], problem.rows[node]
        token = tree.tokens[child]
        if not chooser.flip(row[_MEANS.index(token)], site=(TOKEN, child)):
            left = [weight * 0 if x == token else weight for x, weight in enumerate(row)]
            return Exit(node, chooser.choose(left, site=(TOKEN, ROOT)))
        node = child
    return Exit(node, chooser.choose(problem.rows[node], site=(TOKEN, ROOT)))


_MAPPED = problem("c", "1/2 1/8 3/8", "1 0 0")
_SYMMETRIC = problem("b", "1/2 1/4 1/4", "1 0 0")


def _fault(number: str, title: str, seen_in: str, case: Any, laws: tuple[str, str], killed_by: str) -> Fault:
    return Fault(number, title, seen_in, "P", case, blocks(laws[0]), blocks(laws[1]), killed_by)


_PENALTIES = "sgl-project/sglang PR 40244, PR 33643; vllm-project/vllm issue 18902, PR 19482, PR 33251"

PLUMBING = (
    _fault(
        "45(i)",
        "one penalised row is broadcast over all positions",
        _PENALTIES,
        _on(_TWO_AS, _PENALISED, lambda _: _penalty(())),
        ("b 1/2, ab 1/2", "b 1/2, ab 1/4, aaa 1/8, aab 1/8"),
        "support",
    ),
    _fault(
        "45(ii)",
        "the penalty counts refused drafts",
        f"{_PENALTIES}; osaurus-ai/vmlx-swift issue 357",
        Emission(
            _then_one(_ONE_A, _PENALISED, _counting_drafts),
            _PENALISED,
            _then_one(_ONE_A, _PENALISED, lambda block: block),
        ),
        ("abb 1/2, ba 1/4, bb 1/4", "abb 1/2, bb 1/2"),
        "law",
    ),
    _fault(
        "45(iii)",
        "the penalty counts only the last token of a block",
        f"{_PENALTIES}; NVIDIA/TensorRT-LLM PR 17701",
        Emission(
            _then_one(_ONE_A, _PENALISED, _counting_the_last),
            _PENALISED,
            _then_one(_ONE_A, _PENALISED, lambda block: block),
        ),
        ("abb 1/2, ba 1/4, bb 1/4", "aba 1/4, abb 1/4, ba 1/4, bb 1/4"),
        "support",
    ),
    _fault(
        "47",
        "the grammar's state is advanced along the flattened order",
        "NVIDIA/TensorRT-LLM issue 18892",
        _on(_FORK, _GRAMMAR, _flattened_state),
        ("ac 1/2, bd 1/2", "ac 1/2, bc 1/2"),
        "support",
    ),
    _fault(
        "48",
        "the position is the index in the flattened tree, not the depth",
        "lablup/mlxcel PR 1214; NVIDIA/TensorRT-LLM PR 13081, PR 12962",
        _on(_FORK_DEEP, _POSITIONED, _BY_POSITION.__getitem__),
        ("ab 1/4, aca 1/4, bb 1/4, bc 1/4", "ab 1/4, acb 1/4, ba 1/2"),
        "support",
    ),
    _fault(
        "49(i)",
        "a node attends to its sibling",
        "vllm-project/vllm PR 17560",
        _on(_FORK, _MASKED, _seeing_siblings),
        ("aa 1/8, ab 3/8, ba 3/8, bb 1/8", "aa 1/8, ab 3/8, ba 1/2"),
        "law",
    ),
    _fault(
        "49(ii)",
        "the walk over ancestors loses the first",
        "sgl-project/sgl-kernel-npu PR 146",
        _on(_MIXED, _MASKED, _seeing_one_too_few),
        ("b 1/2, aa 1/8, aba 3/8", "b 1/2, aa 1/4, aba 3/16, abb 1/16"),
        "law",
    ),
    _fault(
        "60",
        "the stop test looks at the block's last token only",
        "huggingface/transformers issue 47912; LostRuins/koboldcpp issue 1276; ggml-org/llama.cpp issue 28049; "
        "sgl-project/sglang issue 39826",
        Emission(_past_the_end, _ENDING, _up_to_the_end),
        ("ab 1", "abcc 1"),
        "support",
    ),
    _fault(
        "63(i)",
        "draft ids are compared with target ids unmapped",
        "sgl-project/sglang PR 23838; vllm-project/vllm-ascend PR 16166",
        FixedTree(_unmapped, _MAPPED, follow),
        ("a 1/2, b 1/8, ca 3/8", "a 7/10, b 7/40, ca 1/8"),
        "law",
    ),
    _fault(
        "63(ii)",
        "the same, where two ids happen to have one mass",
        "sgl-project/sglang PR 23838; vllm-project/vllm-ascend PR 16166",
        FixedTree(_unmapped, _SYMMETRIC, follow, contract="labels"),
        ("a 1/2, ba 1/4, c 1/4", "a 1/2, ba 1/4, c 1/4"),
        "labels",
    ),
    _fault(
        "65",
        "the second block is rooted at the last but one token",
        "jjang-ai/vmlx PRs 150, 173",
        Emission(
            _then_one(_ONE_A, _MEMORY, lambda block: block[:-1]),
            _MEMORY,
            _then_one(_ONE_A, _MEMORY, lambda block: block),
        ),
        ("ba 1/2, aaa 1/32, aab 3/32, aba 3/8", "ba 1/4, bb 1/4, aaa 1/32, aab 3/32, aba 3/32, abb 9/32"),
        "law",
    ),
)
