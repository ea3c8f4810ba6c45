"""Hypothesis strategies for draft trees, rows, problems and uniforms, all in exact numbers and with their edge cases.

Everything shrinks: trees to the root alone, rows to equal weights, uniforms to 0.

>>> from hypothesis import find, settings
>>> steady = settings(derandomize=True)
>>> print(find(draft_trees(), lambda tree: tree.depth == 2, settings=steady))
[0 [0]]
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Literal

from tevtheory.enumeration.rows import row_of
from tevtheory.errors import InputError, MissingDependency
from tevtheory.rows import TupleRow
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import DraftTree
from tevtheory.weights import ZERO, mpq

try:
    from hypothesis import strategies as st
except ImportError as error:
    raise MissingDependency('tevtheory.strategies needs hypothesis: pip install "tevtheory[strategies]"') from error

LARGEST_WEIGHT = 97
PRECISION = {"float64": 53, "float32": 24}
"""Bits of a float: the largest below 1 is 1 - 2**-bits."""

Pattern = Literal["mixed", "generic", "zero children", "exhausted", "one-hot", "tied"]

_WEIGHT = st.integers(1, LARGEST_WEIGHT)
_TIED_WEIGHT = st.integers(1, 2)


def draft_trees(max_nodes: int = 8, vocabulary: int | None = None) -> st.SearchStrategy[DraftTree]:
    """Draft trees of 1 to `max_nodes` nodes, numbered in any order that has parents first; siblings in any order.

    Tokens are in 0..vocabulary-1 (None: fewer than the tree has nodes). Shrinks to the root alone, to chains and
    to small tokens. Raises InputError where `max_nodes` or `vocabulary` is below 1.

    >>> from hypothesis import find, settings
    >>> steady = settings(derandomize=True)
    >>> print(find(draft_trees(max_nodes=4), lambda tree: len(tree.children[0]) == 2, settings=steady))
    [0 1]
    """
    _at_least(1, max_nodes, "max_nodes")
    _at_least(1, 1 if vocabulary is None else vocabulary, "vocabulary")
    return _draft_trees(max_nodes, vocabulary)


@st.composite
def _draft_trees(draw: st.DrawFn, max_nodes: int, vocabulary: int | None) -> DraftTree:
    # Steps up and picks are taken modulo what there is, so that any step can be left out when a tree shrinks.
    steps = draw(st.lists(st.tuples(*[st.integers(0, max_nodes - 1)] * 2), max_size=max_nodes - 1))
    parents, tokens = [-1], [-1]
    free = [list(range(vocabulary or len(steps) + 1)) for _ in range(len(steps) + 1)]
    for up, pick in steps:
        open_ancestors = [u for u in _up_from_last(parents) if free[u]]
        parents.append(open_ancestors[up % len(open_ancestors)])
        choice = free[parents[-1]]
        tokens.append(choice.pop(pick % len(choice)))
    tree = DraftTree(parents, tokens)
    return _renumbered(draw, tree) if tree.size > 2 and draw(st.booleans()) else tree


def _up_from_last(parents: Sequence[int]) -> Iterator[int]:
    node = len(parents) - 1
    while node >= 0:
        yield node
        node = parents[node]


def _renumbered(draw: st.DrawFn, tree: DraftTree) -> DraftTree:
    """The same tree with its nodes numbered in any order that has parents first."""
    order, ready = [0], list(tree.children[0])
    while ready:
        order.append(ready.pop(draw(st.integers(0, len(ready) - 1))))
        ready.extend(tree.children[order[-1]])
    parents = [-1, *(order.index(tree.parents[v]) for v in order[1:])]
    return DraftTree(parents, [tree.tokens[v] for v in order])


def rows(size: int, pattern: Pattern = "mixed", children: Sequence[int] = ()) -> st.SearchStrategy[TupleRow]:
    """Exact rows of `size` weights that sum to 1; `children` are the tokens drafted after it.

    "generic": all weights positive; "zero children": a child (without children, a token) has weight 0; "exhausted": the
    children hold all mass; "one-hot": one token does; "tied": weights 1 and 2 over their sum; "mixed": any of them. What
    cannot be had (an exhausted row at a leaf) is replaced by "generic". Shrinks to equal weights. Raises InputError on
    another pattern, a size below 1 or a child that is no token.

    >>> from hypothesis import find, settings
    >>> steady = settings(derandomize=True)
    >>> print(*find(rows(3), lambda row: True, settings=steady))
    1/3 1/3 1/3
    >>> print(*find(rows(3, "exhausted", children=[0, 2]), lambda row: row[2] > row[0] > 0, settings=steady))
    1/3 0 2/3
    """
    _at_least(1, size, "size")
    if wrong := [token for token in children if not 0 <= token < size]:
        raise InputError(f"tokens in 0..{size - 1}", str(wrong[0]), "children", "give tokens of the row")
    return _rows(size, _checked(pattern), tuple(dict.fromkeys(children)))


@st.composite
def _rows(draw: st.DrawFn, size: int, pattern: Pattern, children: Sequence[int]) -> TupleRow:
    return _draw_row(draw, size, pattern, children)


def target_trees(
    max_nodes: int = 8, vocabulary: int | None = None, pattern: Pattern = "mixed"
) -> st.SearchStrategy[TargetTree]:
    """Draft trees with an exact row of the pattern at every node; "mixed" is drawn for each node afresh.

    `vocabulary` is the number of tokens (None: enough for the tree, and up to two more). Shrinks to the root alone with
    equal weights. Raises InputError as `draft_trees` and `rows` do.

    >>> from hypothesis import find, settings
    >>> steady = settings(derandomize=True)
    >>> def has_zero_edge(target):
    ...     return any(target.edge(v) == 0 for v in range(target.tree.size))
    >>> smallest = find(target_trees(max_nodes=3), has_zero_edge, settings=steady)
    >>> print(smallest.tree, *smallest.rows[0])
    [0] 0 1
    """
    return _target_trees(draft_trees(max_nodes, vocabulary), vocabulary, _checked(pattern))


@st.composite
def _target_trees(
    draw: st.DrawFn, trees: st.SearchStrategy[DraftTree], vocabulary: int | None, pattern: Pattern
) -> TargetTree:
    tree = draw(trees)
    size = vocabulary or max(2, max(tree.tokens) + 1 + draw(st.integers(0, 2)))
    return TargetTree(tree, [_draw_row(draw, size, pattern, tuple(children)) for children in tree.child_maps])


def problems(
    max_nodes: int = 8, vocabulary: int | None = None, pattern: Pattern = "mixed"
) -> st.SearchStrategy[Problem]:
    """Target trees with the drafter's proposal rows: a drafted token has positive probability, another may have none.

    Arguments, shrinking and errors are those of `target_trees`.

    >>> from hypothesis import find, settings
    >>> steady = settings(derandomize=True)
    >>> smallest = find(problems(), lambda problem: True, settings=steady)
    >>> print(smallest.tree, *smallest.rows[0], *smallest.proposal(0))
    [] 1/2 1/2 1/2 1/2
    """
    return _with_proposals(target_trees(max_nodes, vocabulary, pattern))


@st.composite
def _with_proposals(draw: st.DrawFn, targets: st.SearchStrategy[TargetTree]) -> Problem:
    target = draw(targets)
    return Problem(target, [_draw_proposal(draw, target.vocabulary, entry) for entry in target.tree.child_maps])


def uniforms(numbers: Literal["float64", "float32", "rational"] = "float64", bits: int = 8) -> st.SearchStrategy[Any]:
    """Uniforms on [0, 1): 0, the largest float below 1, multiples of 2**-m for m <= `bits`, and any other value.

    "float64" and "float32" give Python floats of that precision; "rational" gives `gmpy2.mpq`, thirds and sevenths too, so
    that exact thresholds are met. Shrinks to 0. Raises InputError on other numbers, or on bits outside 1..24.

    >>> from hypothesis import find, settings
    >>> steady = settings(derandomize=True)
    >>> find(uniforms(), lambda u: True, settings=steady), find(uniforms(), lambda u: u > 0.99999999, settings=steady)
    (0.0, 0.9999999999999999)
    >>> print(find(uniforms("rational"), lambda u: u > 0, settings=steady))
    1/2
    """
    if numbers not in (*PRECISION, "rational"):
        known = ", ".join((*PRECISION, "rational"))
        raise InputError("a number type", repr(numbers), "uniforms", f"choose from {known}")
    if not 1 <= bits <= 24:
        raise InputError("bits in 1..24", str(bits), "uniforms", "both precisions then hold the dyadic values")
    return _rational_uniforms(bits) if numbers == "rational" else _float_uniforms(numbers, bits)


def _float_uniforms(numbers: Literal["float64", "float32"], bits: int) -> st.SearchStrategy[float]:
    top = 1 - 2.0 ** -PRECISION[numbers]
    width: Literal[32, 64] = 64 if numbers == "float64" else 32
    anything = st.floats(0, 1, exclude_max=True, width=width, allow_subnormal=False)
    return st.one_of(st.just(0.0), _dyadic(bits).map(float), st.just(top), anything.map(abs))


def _rational_uniforms(bits: int) -> st.SearchStrategy[Any]:
    top = 1 - mpq(1, 2 ** PRECISION["float64"])
    anything = _WEIGHT.flatmap(lambda of: st.integers(0, of - 1).map(lambda part: mpq(part, of)))
    return st.one_of(st.just(ZERO), _dyadic(bits), anything, st.just(top))


def _dyadic(bits: int) -> st.SearchStrategy[Any]:
    exponents = st.integers(1, bits)
    return exponents.flatmap(lambda m: st.integers(0, 2**m - 1).map(lambda part: mpq(part, 2**m)))


# Which tokens of a row have mass. All patterns draw every weight first: the one that draws no more is the simplest. -----


def _draw_row(draw: st.DrawFn, size: int, pattern: Pattern, children: Sequence[int]) -> TupleRow:
    name = draw(st.sampled_from(_possible(pattern, size, children)))
    weights = [draw(_TIED_WEIGHT if name == "tied" else _WEIGHT) for _ in range(size)]
    return _masked(weights, PATTERNS[name](draw, size, children))


def _draw_proposal(draw: st.DrawFn, size: int, drafted: Collection[int]) -> TupleRow:
    """Positive on the drafted tokens; a leaf's row is positive everywhere."""
    weights = [draw(_WEIGHT) for _ in range(size)]
    sparse = bool(drafted) and draw(st.booleans())
    return _masked(weights, {*drafted, *_some(draw, range(size))} if sparse else range(size))


def _masked(weights: Sequence[int], support: Collection[int]) -> TupleRow:
    return row_of([weight if token in support else 0 for token, weight in enumerate(weights)])


def _some(draw: st.DrawFn, tokens: Collection[int]) -> set[int]:
    return {token for token in tokens if draw(st.booleans())}


def _all(_draw: st.DrawFn, size: int, _children: Sequence[int]) -> Collection[int]:
    return range(size)


def _zero_children(draw: st.DrawFn, size: int, children: Sequence[int]) -> Collection[int]:
    """All tokens but one child, and perhaps others; one token stays."""
    candidates = children or range(size)
    first = draw(st.sampled_from(candidates))
    others = [token for token in range(size) if token != first]
    return set(others) - _some(draw, [token for token in candidates if token != first]) or {others[0]}


def _exhausted(draw: st.DrawFn, _size: int, children: Sequence[int]) -> Collection[int]:
    """Some of the children."""
    first = draw(st.sampled_from(children))
    return {first, *(set(children) - _some(draw, children))}


def _one_hot(draw: st.DrawFn, size: int, _children: Sequence[int]) -> Collection[int]:
    return {draw(st.integers(0, size - 1))}


PATTERNS: dict[str, Callable[[st.DrawFn, int, Sequence[int]], Collection[int]]] = {
    "generic": _all,
    "zero children": _zero_children,
    "exhausted": _exhausted,
    "one-hot": _one_hot,
    "tied": _all,
}


def _possible(pattern: Pattern, size: int, children: Sequence[int]) -> list[str]:
    names = [name for name in PATTERNS if pattern in ("mixed", name)]
    possible = {"zero children": size > 1, "exhausted": len(children) > 0}
    return [name for name in names if possible.get(name, True)] or ["generic"]


def _checked(pattern: Pattern) -> Pattern:
    if pattern != "mixed" and pattern not in PATTERNS:
        known = ", ".join(("mixed", *PATTERNS))
        raise InputError("a row pattern", repr(pattern), "pattern", f"choose from {known}")
    return pattern


def _at_least(least: int, value: int, what: str) -> None:
    if value < least:
        raise InputError(f"at least {least}", str(value), what, "the smallest tree is a root alone")
