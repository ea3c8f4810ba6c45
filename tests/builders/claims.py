"""What a builder claims, checked by writing out all trees: no heap, no beam, no dynamic programme."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product

from tevtheory.builders import Builder, Draft, Marginals, marginals
from tevtheory.builders.catalogue import ACCEPTANCE, TOP_K
from tevtheory.enumeration import draft_trees, ordered_shapes
from tevtheory.rows import FloatRow, Row
from tevtheory.targets import Target
from tevtheory.trees import DraftTree
from tevtheory.weights import exact_float, fraction

VOCABULARY = 3
Path = tuple[int, ...]
Scores = dict[Path, Fraction]


def conditional(target: Target) -> Draft:
    """A draft with memory: the rows of a target."""
    return lambda paths: [target.row(path) for path in paths]


def lists(rows: Sequence[Sequence[int]]) -> Marginals:
    """Marginals in proportion to whole numbers."""
    return marginals([[Fraction(weight, sum(row)) for weight in row] for row in rows])


MARGINALS = {
    "generic": lists([[5, 3, 9], [7, 1, 4], [2, 8, 3]]),
    "tied": lists([[1, 2, 2], [2, 1, 2], [1, 1, 1]]),
    "uniform": lists([[1, 1, 1]] * 3),
    "zeros": lists([[0, 1, 3], [1, 0, 0], [2, 0, 1]]),
    "one-hot": lists([[0, 1, 0]] * 3),
    "certain, then split": lists([[0, 0, 1], [1, 0, 1], [1, 3, 0]]),
    "one position": lists([[4, 1, 2]]),
}
WITH_MEMORY = {
    "seed 0": conditional(Target.seeded(VOCABULARY, 0)),
    "seed 1": conditional(Target.seeded(VOCABULARY, 1)),
    "zeros after 0": conditional(Target.markov(["1/2", "1/2", "0"], [[0, 1, 0], ["1/5", 0, "4/5"], [1, 0, 0]])),
    "sure after the least": conditional(Target.markov(["1/2", "3/10", "1/5"], [["1/3"] * 3, ["1/3"] * 3, [0, 1, 0]])),
}
DRAFTS: dict[str, Draft] = {**MARGINALS, **WITH_MEMORY}


def probability(row: Row, token: int) -> Fraction:
    if isinstance(row, FloatRow):
        return fraction(exact_float(row[token])) / fraction(exact_float(row.total()))
    return fraction(row[token])


def all_scores(draft: Draft, depth: int, vocabulary: int = VOCABULARY) -> Scores:
    """Every path of positive score, token by token, in no particular order."""
    scores: Scores = {(): Fraction(1)}
    for level in range(depth):
        for path in product(range(vocabulary), repeat=level):
            rows = draft([path]) if path in scores else []
            for token in range(vocabulary) if rows else ():
                if mass := scores[path] * probability(rows[0], token):
                    scores[*path, token] = mass
    del scores[()]
    return scores


def in_order(scores: Scores) -> list[Path]:
    """The one tie rule, written out."""
    return sorted(scores, key=lambda path: (-scores[path], len(path), path))


def paths_of(tree: DraftTree) -> list[Path]:
    return [tree.path(v) for v in range(1, tree.size)]


@cache
def closed_sets(most: int, vocabulary: int = VOCABULARY) -> tuple[frozenset[Path], ...]:
    """Every prefix-closed set of at most that many paths."""
    trees = (tree for nodes in range(1, most + 2) for tree in draft_trees(nodes, vocabulary))
    return tuple(frozenset(paths_of(tree)) for tree in trees)


def largest_sum(scores: Scores, budget: int) -> Fraction:
    """Over every prefix-closed set of at most `budget` of the scored paths."""
    fitting = (paths for paths in closed_sets(budget) if paths <= scores.keys())
    return max(sum((scores[path] for path in paths), start=Fraction(0)) for paths in fitting)


def seen_by_beams(draft: Draft, top_k: int, depth: int) -> Scores:
    """What EAGLE-2 sees: `top_k` children of each beam path, and the `top_k` best of a level are its beam."""
    everything = all_scores(draft, depth)
    seen: Scores = {}
    beam: list[Path] = [()]
    for _ in range(depth):
        level: Scores = {}
        for path in beam:
            family = {child: score for child, score in everything.items() if child[:-1] == path}
            level |= {child: family[child] for child in in_order(family)[:top_k]}
        seen |= level
        beam = in_order(level)[:top_k]
    return seen


# Shapes: nodes are rank paths, a child has all its elder siblings. --------------------------------------------------------


def shapes(most: int, branching: int, depth: int) -> Iterator[frozenset[Path]]:
    for nodes in range(1, most + 2):
        for parents in ordered_shapes(nodes):
            ranks: list[Path] = [()]
            for v in range(1, nodes):
                ranks.append((*ranks[parents[v]], parents[1:v].count(parents[v])))
            if all(len(path) <= depth and max(path) < branching for path in ranks[1:]):
                yield frozenset(ranks[1:])


def accepted(shape: Iterable[Path], chances: Sequence[Fraction], node: Path = ()) -> Fraction:
    """E[accepted tokens] below a node: a child of rank b is taken with probability `chances[b]`."""
    nodes = set(shape)
    children = ((b, (*node, b)) for b in range(len(chances)) if (*node, b) in nodes)
    return sum((chances[b] * (1 + accepted(nodes, chances, child)) for b, child in children), start=Fraction(0))


def sizes(shape: Iterable[Path]) -> list[int]:
    """Subtree sizes, parents before children and elder siblings first; they determine the shape."""
    return [sum(other[: len(node)] == node for other in shape) for node in sorted(shape)]


def best_shape(chances: Sequence[Fraction], budget: int, depth: int) -> frozenset[Path]:
    """The documented choice: value, then fewer nodes, then smaller depths, then larger first subtrees."""
    everything = shapes(budget, len(chances), depth)
    return max(everything, key=lambda s: (accepted(s, chances), -len(s), -sum(map(len, s)), sizes(s)))


# The claims themselves. ---------------------------------------------------------------------------------------------------


def check(builder: Builder, draft: Draft, budget: int, depth: int) -> None:
    """Raise AssertionError where a tree is not what its builder's entry in the catalogue says."""
    tree = builder.build(draft, budget, depth)
    scores = all_scores(draft, depth)
    paths = paths_of(tree)
    assert tree.budget <= budget
    assert tree.depth <= depth
    assert scores.keys() >= set(paths)
    SCOPES[builder.scope](builder, draft, budget, depth, paths)


def _best_of_all(_: Builder, draft: Draft, budget: int, depth: int, paths: list[Path]) -> None:
    scores = all_scores(draft, depth)
    assert sum((scores[path] for path in paths), start=Fraction(0)) == largest_sum(scores, budget)
    assert paths == in_order(scores)[:budget]


def _best_of_seen(_: Builder, draft: Draft, budget: int, depth: int, paths: list[Path]) -> None:
    scores = seen_by_beams(draft, TOP_K, depth)
    assert scores.keys() >= set(paths)
    assert sum(scores[path] for path in paths) == largest_sum(scores, budget)
    assert paths == in_order(scores)[:budget]


def _best_shape(_: Builder, draft: Draft, budget: int, depth: int, paths: list[Path]) -> None:
    assert set(paths) == filled(draft, best_shape([Fraction(chance) for chance in ACCEPTANCE], budget, depth), depth)


def _first_of_binary(_: Builder, draft: Draft, budget: int, depth: int, paths: list[Path]) -> None:
    ranks = [ranks for level in range(1, depth + 1) for ranks in product(range(2), repeat=level)]
    assert set(paths) == filled(draft, ranks[:budget], depth)


SCOPES: dict[str, Callable[[Builder, Draft, int, int, list[Path]], None]] = {
    "all trees": _best_of_all,
    "trees of paths seen": _best_of_seen,
    "shapes": _best_shape,
    "one shape": _first_of_binary,
}


def filled(draft: Draft, shape: Iterable[Path], depth: int) -> set[Path]:
    """The paths whose ranks are in the shape."""
    scores, wanted = all_scores(draft, depth), set(shape)
    return {path for path in scores if ranks_of(path, scores) in wanted}


def ranks_of(path: Path, scores: Scores) -> Path:
    """How many siblings of each token on the way are likelier, or as likely and smaller."""
    ranks = []
    for end in range(1, len(path) + 1):
        node = path[:end]
        family = {other: score for other, score in scores.items() if other[:-1] == node[:-1]}
        ranks.append(in_order(family).index(node))
    return tuple(ranks)
