"""What a picture of a tree shows at every node, for the canonical law and for any other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tevtheory.errors import InputError
from tevtheory.exitlaw import exit_masses, flow
from tevtheory.exitlaw.exactness import check_support, passing
from tevtheory.laws import Law
from tevtheory.targets import TargetTree
from tevtheory.trees import ROOT, DraftTree, Exit
from tevtheory.weights import Kind, is_exact, show

MOST_NODES = 20_000
MOST_OUTCOMES = 200_000
_SIMPLE = 24  # largest denominator of a fraction in a label


@dataclass(frozen=True)
class Share:
    """A token with its probability; `inside`: it is a child, so a block that ends with it ends inside the tree."""

    token: int
    p: Any
    inside: bool = False


@dataclass(frozen=True)
class Panel:
    """The numbers of one tree: `sizes` (flow, or the mass of a law that runs through), exit masses, edge probabilities.

    `leaving[v]` is the probability of an exit at v given that v is passed, `bonuses(v, count)` its likeliest tokens.
    `bare`: a draft tree without probabilities, where all numbers are 0.
    """

    tree: DraftTree
    sizes: tuple[Any, ...]
    exits: tuple[Any, ...]
    edges: tuple[Any, ...]
    leaving: tuple[Any, ...]
    bonuses: Callable[[int, int], list[Share]]
    bare: bool = False


def canonical_panel(target: TargetTree) -> Panel:
    """Flow, canonical exit masses and the target's probabilities; raises InputError on symbolic rows."""
    check_drawable(target)
    size = range(target.tree.size)
    leaving = tuple(target.exit_probability(v) for v in size)
    edges = tuple(target.edge(v) for v in size)
    return Panel(target.tree, flow(target), exit_masses(target), edges, leaving, partial(_missing, target))


def check_drawable(target: TargetTree) -> None:
    """Raise InputError where a target tree has no picture."""
    if target.kind is Kind.SYMBOLIC:
        raise InputError("exact or float rows", "symbolic ones", "picture", "put numbers in for the symbols")
    check_size(target.tree)


def check_size(tree: DraftTree) -> None:
    """Raise InputError on a tree that is too large to draw."""
    if tree.size > MOST_NODES:
        remedy = "draw a subtree: target.restricted(nodes)"
        raise InputError(f"at most {MOST_NODES:,} nodes", f"{tree.size:,}", "picture", remedy)


def _missing(target: TargetTree, node: int, count: int) -> list[Share]:
    """The likeliest tokens that are no child."""
    row = target.rows[node]
    total = row.total() if target.kind is Kind.FLOAT else 1
    return [Share(token, weight / total) for token, weight in row.largest(count, target.tree.child_maps[node])]


def bare_panel(tree: DraftTree) -> Panel:
    """A draft tree alone."""
    check_size(tree)
    nothing = (0,) * tree.size
    return Panel(tree, nothing, nothing, nothing, nothing, lambda *_: [], bare=True)


def law_panel(law: Law[Exit], target: TargetTree) -> Panel:
    """What any law over exits does on the tree: the mass that passes each node, and where and with what it leaves.

    Raises InputError on a law of another tree, and on one too large to compare in full.
    """
    check_drawable(target)
    if (outcomes := target.tree.size * target.vocabulary) > MOST_OUTCOMES:
        got, remedy = f"{outcomes:,}", "compare on a smaller tree, or judge by Monte Carlo"
        raise InputError(f"at most {MOST_OUTCOMES:,} nodes times tokens", got, "comparison", remedy)
    check_support(law, target)
    tree, passes = target.tree, passing(law, target)
    here: list[dict[int, Any]] = [{} for _ in range(tree.size)]
    for (node, token), mass in law.items():
        here[node][token] = mass
    exits = tuple(sum(tokens.values(), start=target.one * 0) for tokens in here)
    leaving = tuple(_part(exits[v], passes[v]) for v in range(tree.size))
    edges = tuple(_follows(v, tree, here, passes, target.one) for v in range(tree.size))
    return Panel(tree, passes, exits, edges, leaving, partial(_bonuses, tree, here, passes))


def _part(mass: Any, whole: Any) -> Any:
    return mass / whole if whole else mass


def _follows(v: int, tree: DraftTree, here: Sequence[dict[int, Any]], passes: Sequence[Any], one: Any) -> Any:
    """The probability that the block goes on with v's token, by running through v or by ending on it."""
    if v == ROOT:
        return one
    parent = tree.parents[v]
    return _part(passes[v] + here[parent].get(tree.tokens[v], 0 * one), passes[parent])


def _bonuses(
    tree: DraftTree, here: Sequence[dict[int, Any]], passes: Sequence[Any], node: int, count: int
) -> list[Share]:
    """The likeliest bonus tokens at a node, ties to smaller tokens."""
    order = sorted(here[node].items(), key=lambda entry: (-entry[1], entry[0]))[:count]
    children = tree.child_maps[node]
    return [Share(token, _part(mass, passes[node]), token in children) for token, mass in order]


def panel_masses(panels: Sequence[Panel]) -> Iterator[float]:
    """The largest size of every node over some panels of one tree."""
    for v in range(panels[0].tree.size):
        yield max(float(panel.sizes[v]) for panel in panels)


def short_number(value: Any) -> str:
    """A number for a label: a simple fraction as it is, else two digits, never rounded to 1.

    >>> from tevtheory.weights import exact
    >>> short_number(exact("5/8")), short_number(exact("5/81")), short_number(0.9999), short_number(1.0)
    ('5/8', '0.062', '>0.99', '1')
    """
    if is_exact(value) and value.denominator <= _SIMPLE:
        return show(value)
    text = f"{float(value):.2g}"
    return ">0.99" if text == "1" and value < 1 else text
