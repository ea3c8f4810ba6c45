"""Array layouts in which verifiers of other projects take a problem and give back what they accepted.

A layout makes the arguments from a problem and reads the output as an Exit; what is no exit of the tree raises
ContractError. Rows are arrays of shape (N, V): rationals in object arrays, or float64.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NoReturn

import numpy as np

from tevtheory.errors import ContractError, InputError
from tevtheory.interop import to_child_maps, to_links, to_retrieve_indices
from tevtheory.rows import Row
from tevtheory.targets import Problem
from tevtheory.trees import ROOT, DraftTree, Exit

Numbers = Literal["rational", "float64"]


def rows_array(rows: Sequence[Row], numbers: Numbers) -> Any:
    """Rows as one array of shape (N, V): dtype object with rationals in it, or float64."""
    if numbers == "float64":
        return np.array([[float(weight) for weight in row] for row in rows], dtype=np.float64)
    table = np.empty((len(rows), len(rows[0])), dtype=object)
    for v, row in enumerate(rows):
        for x, weight in enumerate(row):
            table[v, x] = weight
    return table


def _proposals(problem: Problem, numbers: Numbers) -> Any:
    return None if problem.proposals is None else rows_array(problem.proposals, numbers)


@dataclass(frozen=True)
class Layout:
    """How a verifier takes a problem (`arguments`), and how its output is read (`read`).

    `fits` says which trees the layout can hold.
    """

    name: str
    arguments: Callable[[Problem, Numbers], tuple[Any, ...]]
    read: Callable[[Problem, Any], Exit]
    fits: Callable[[DraftTree], bool] = lambda _: True


def refuse_output(expected: str, got: object) -> NoReturn:
    """Raise the ContractError for an output that is no exit of the tree."""
    raise ContractError(f"output: expected {expected}, got {got!r}", check="outputs")


def integer(value: Any, what: str) -> int:
    """An int from an int, a numpy integer or a 0-d integer array or tensor."""
    item = value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value
    if isinstance(item, bool) or not isinstance(item, int):
        refuse_output(f"an integer {what}", value)
    return item


def integers(values: Any, what: str) -> list[int]:
    """A list of ints from a sequence, an array or a tensor of one dimension."""
    items = values.tolist() if hasattr(values, "tolist") else values
    if not isinstance(items, (list, tuple)):
        refuse_output(f"a list of integers ({what})", values)
    return [integer(item, what) for item in items]


def exit_of(problem: Problem, node: int, token: int) -> Exit:
    """The Exit, checked against the tree and the vocabulary."""
    if not 0 <= node < problem.tree.size:
        refuse_output(f"a node in 0..{problem.tree.size - 1}", node)
    if not 0 <= token < problem.target.vocabulary:
        refuse_output(f"a token in 0..{problem.target.vocabulary - 1}", token)
    return Exit(node, token)


def _read_exit(problem: Problem, output: Any) -> Exit:
    if not isinstance(output, (tuple, list)) or len(output) != 2:
        refuse_output("an Exit(node, token)", output)
    return exit_of(problem, integer(output[0], "node"), integer(output[1], "token"))


def _pair(output: Any, expected: str) -> tuple[Any, Any]:
    if not isinstance(output, (tuple, list)) or len(output) != 2:
        refuse_output(expected, output)
    return output[0], output[1]


def _read_path(problem: Problem, output: Any) -> Exit:
    """(nodes of the accepted path with the root first, padded with -1 at the end; bonus token)."""
    given, bonus = _pair(output, "(accepted path from node 0, bonus token)")
    nodes = integers(given, "node")
    path = nodes[: nodes.index(-1)] if -1 in nodes else nodes
    if not path or path[0] != ROOT or any(node != -1 for node in nodes[len(path) :]):
        refuse_output("a path from node 0, padded with -1 only", nodes)
    for parent, node in pairwise(path):
        if not 0 < node < problem.tree.size or problem.tree.parents[node] != parent:
            refuse_output(f"a child of node {parent} on the path", node)
    return exit_of(problem, path[-1], integer(bonus, "bonus token"))


def _read_candidate(problem: Problem, output: Any) -> Exit:
    """(row of retrieve_indices, number of accepted tokens, bonus token)."""
    if not isinstance(output, (tuple, list)) or len(output) != 3:
        refuse_output("(candidate, accepted length, bonus token)", output)
    table = to_retrieve_indices(problem.tree)
    candidate, accepted = integer(output[0], "candidate"), integer(output[1], "accepted length")
    if not 0 <= candidate < len(table) or not 0 <= accepted < table.shape[1] or table[candidate, accepted] < 0:
        refuse_output("a node of retrieve_indices", (candidate, accepted))
    return exit_of(problem, int(table[candidate, accepted]), integer(output[2], "bonus token"))


def _read_block(problem: Problem, output: Any) -> Exit:
    """The emitted tokens, padded with -1 at the end: the last one is the bonus."""
    tokens = integers(output, "token")
    block = tokens[: tokens.index(-1)] if -1 in tokens else tokens
    if not block:
        refuse_output("a block of at least one token", tokens)
    node = problem.tree.find(block[:-1])
    if node is None:
        refuse_output("accepted tokens that were drafted", block)
    return exit_of(problem, node, block[-1])


def _candidates(tree: DraftTree) -> Any:
    table, tokens = to_retrieve_indices(tree), np.array(tree.tokens)
    return np.where(table >= 0, tokens[table], -1)


def _is_chain(tree: DraftTree) -> bool:
    return all(len(children) <= 1 for children in tree.children)


PROBLEM = Layout("problem", lambda problem, _: (problem,), _read_exit)
"""f(problem) -> Exit."""

CHILD_MAPS = Layout(
    "child maps",
    lambda p, n: (rows_array(p.rows, n), np.array(p.tree.parents), to_child_maps(p.tree)),
    _read_path,
)
"""f(rows, parents, child_maps) -> (path from node 0, bonus): DDTree, TEV."""

RETRIEVE_INDICES = Layout(
    "retrieve indices",
    lambda p, n: (rows_array(p.rows, n)[np.maximum(to_retrieve_indices(p.tree), 0)], _candidates(p.tree)),
    _read_candidate,
)
"""f(rows, candidates) -> (candidate, accepted length, bonus): EAGLE, Medusa; rows of shape (paths, depth + 1, V)."""

LINKS = Layout(
    "links",
    lambda p, n: (np.array(p.tree.tokens), *to_links(p.tree), rows_array(p.rows, n)),
    _read_path,
)
"""f(candidates, first_child, next_sibling, rows) -> (path from node 0, bonus): SGLang, TensorRT-LLM."""

CHAIN = Layout(
    "chain",
    lambda p, n: (np.array(p.tree.tokens[1:]), _proposals(p, n), rows_array(p.rows, n)),
    _read_block,
    _is_chain,
)
"""f(draft_token_ids, draft_probs or None, target_probs) -> emitted tokens: vLLM, transformers; chains only."""

LAYOUTS = {layout.name: layout for layout in (PROBLEM, CHILD_MAPS, RETRIEVE_INDICES, LINKS, CHAIN)}


def layout(name: str) -> Layout:
    """The layout of that name; raises InputError for an unknown one.

    >>> layout("chain").fits(DraftTree((-1, 0, 0), (-1, 0, 1)))
    False
    """
    if name not in LAYOUTS:
        raise InputError("a layout", repr(name), "layout", f"choose from {', '.join(LAYOUTS)}")
    return LAYOUTS[name]
