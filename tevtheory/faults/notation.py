"""How faults are written down: letters for tokens, paths for nodes, laws and rows as text, and the slots they draw at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from tevtheory.choices import Chooser, Slot
from tevtheory.targets import Problem, Target, TargetTree
from tevtheory.trees import ROOT, DraftTree, Exit
from tevtheory.weights import ZERO

DRAFT = Slot("draft", per="depth")
ACCEPT = Slot("accept", per="child")
TOKEN = Slot("token", per="node")
COIN = Slot("coin", per="node")
BONUS = Slot("bonus", per="round")
RACE = Slot("race", per="round", kind="race")

Block = tuple[int, ...]


def block_of(problem: Problem, end: Exit) -> Block:
    """The tokens an exit emits.

    >>> block_of(problem("a ab", "1/2 1/2"), Exit(1, 0))
    (0, 0)
    """
    return (*problem.tree.path(end.node), end.token)


def spell(text: str) -> Block:
    """Tokens from letters: a is 0.

    >>> spell("abc")
    (0, 1, 2)
    """
    return tuple(ord(letter) - ord("a") for letter in text)


def blocks(text: str) -> dict[Any, Fraction]:
    """A law of blocks from its text.

    >>> blocks("b 1/2, aa 1/2")
    {(1,): Fraction(1, 2), (0, 0): Fraction(1, 2)}
    """
    pairs = (entry.split() for entry in text.split(","))
    return {spell(word): Fraction(mass) for word, mass in pairs}


def lengths(*masses: str) -> dict[Any, Fraction]:
    """A law of block lengths from the masses of 1, 2, ...

    >>> lengths("1/2", "0", "1/2")
    {1: Fraction(1, 2), 3: Fraction(1, 2)}
    """
    return {k: Fraction(mass) for k, mass in enumerate(masses, 1) if Fraction(mass)}


def problem(nodes: str, *rows: str, proposals: Sequence[str] = ()) -> Problem:
    """A problem from its nodes' paths and the rows of root and nodes (one row: the same everywhere).

    >>> problem("a b ab", "1/2 1/2").tree.parents
    (-1, 0, 0, 1)
    """
    tree = draft_tree(nodes)
    table = [row.split() for row in (rows if len(rows) > 1 else rows * tree.size)]
    given = [row.split() for row in (proposals if len(proposals) != 1 else list(proposals) * tree.size)]
    return Problem(TargetTree(tree, table), given or None)


def draft_tree(nodes: str) -> DraftTree:
    """A draft tree from its nodes' paths, parents first.

    >>> print(draft_tree("a b ab"))
    [0 [1] 1]
    """
    paths = ["", *nodes.split()]
    parents = [paths.index(path[:-1]) for path in paths[1:]]
    return DraftTree((-1, *parents), (-1, *(spell(path)[-1] for path in paths[1:])))


def row_of(text: str) -> tuple[Any, ...]:
    """An exact row from its text.

    >>> [str(weight) for weight in row_of("1/3 2/3")]
    ['1/3', '2/3']
    """
    return tuple(Target.context_free(text.split()).row(()))


def without(row: Sequence[Any], *tokens: int) -> tuple[Any, ...]:
    """A row with some tokens' weights set to 0.

    >>> without((1, 2, 3), 1)
    (1, 0, 3)
    """
    return tuple([weight * 0 if token in tokens else weight for token, weight in enumerate(row)])


def excess(p: Sequence[Any], q: Sequence[Any]) -> tuple[Any, ...]:
    """(p - q)+, not normalised.

    >>> excess((1, 2), (2, 1))
    (0, 1)
    """
    return tuple([max(a - b, a * 0) for a, b in zip(p, q, strict=True)])


def follow(problem: Problem, chooser: Chooser) -> Exit:
    """Predraw and follow, the right twin: a target draw at every node, followed while it is a child.

    >>> from tevtheory.choices import enumerate_law
    >>> enumerate_law(lambda chooser: follow(problem("a", "1/2 1/2"), chooser)).law.fractions()[Exit(0, 1)]
    Fraction(1, 2)
    """
    return follow_rows(problem.tree, lambda node: problem.rows[node], chooser)


def follow_rows(tree: DraftTree, row: Callable[[int], Sequence[Any]], chooser: Chooser, call: int = 0) -> Exit:
    """Predraw and follow with rows from a function of the node; `call` keeps the sites of several calls apart.

    >>> from tevtheory.choices import enumerate_law
    >>> enumerate_law(lambda chooser: follow_rows(draft_tree("a"), lambda node: (1, 1), chooser)).paths
    3
    """
    node = ROOT
    while True:
        token = chooser.choose(row(node), site=(TOKEN, node + 100 * call))
        child = tree.child(node, token)
        if child is None:
            return Exit(node, token)
        node = child


def inverse_cdf(weights: Any, mark: Any) -> int:
    """The first token whose running sum exceeds the mark."""
    reached = ZERO
    for token, weight in enumerate(weights):
        reached += weight
        if mark < reached:
            return token
    raise AssertionError


def first_taken(problem: Problem, chooser: Chooser, node: int) -> tuple[int | None, list[int]]:
    """The one-hot walk at a node: children in order, each against the mass left; the one taken, the tokens refused."""
    row, refused, left = problem.rows[node], list[int](), problem.target.one
    for child in problem.tree.children[node]:
        token = problem.tree.tokens[child]
        if chooser.flip(row[token], left, site=(ACCEPT, child)):
            return child, refused
        refused.append(token)
        left -= row[token]
    return None, refused
