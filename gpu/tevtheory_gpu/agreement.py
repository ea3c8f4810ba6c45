"""The tape test: row b of a batched verifier against the scalar verifier on tape b, path by path.

Rows are multiples of 2^-m, so that thresholds are known exactly. Three tiers (random uniforms alone have no power, a `<=`
for `<` passes them): *tie* tapes k / 2^m, which meet thresholds, for code that decides in probability space; *midpoint*
tapes (2k + 1) / 2^(m+1), which keep clear of them, for any code; *generic* tapes and rows, where every row that differs
must be explained by a coin within rounding of a threshold.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import torch

from tevtheory.choices import Coin, Slot, TapeChooser, array_tape
from tevtheory.enumeration.rows import dyadic, row_of
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import DraftTree, Exit
from tevtheory.verifiers import nested_intervals, tev
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.tapes import ArrayTape
from tevtheory_gpu.verifiers.batched import BatchedVerifier

Tier = Literal["tie", "midpoint", "generic"]


@dataclass(frozen=True)
class Disagreement:
    """A row of a batch whose outcome is not the scalar verifier's: where, both outcomes, and the least margin of a coin."""

    row: int
    problem: Problem = field(repr=False)
    expected: Exit
    got: Exit
    margin: float

    def __str__(self) -> str:
        tree = self.problem.tree
        return (
            f"row {self.row}, tree {tree}: expected exit {self.expected.node} with token {self.expected.token}, "
            f"got exit {self.got.node} with token {self.got.token}; nearest threshold {self.margin:.1e} away"
        )


def disagreements(
    verifier: BatchedVerifier[Any], problems: Sequence[Problem], forest: Forest, tape: ArrayTape, size: int
) -> list[Disagreement]:
    """Run `size` rows both ways, row b on problem b modulo their number, and list those that differ.

    The scalar verifier decides on the problems' own numbers, exactly where they are exact.
    """
    on_device = ArrayTape({name: column.to(forest.device) for name, column in tape.columns.items()})
    nodes, tokens = verifier(forest, forest.roots(size), on_device)
    plans = [verifier.twin.prepare(problem) for problem in problems]
    columns = {name: column.numpy() for name, column in tape.columns.items()}
    found = []
    outcomes = zip(forest.local(nodes).tolist(), tokens.tolist(), strict=True)
    for row, outcome in enumerate(outcomes):
        witness = _Witness(array_tape({name: column[row] for name, column in columns.items()}), verifier.twin.slots)
        expected = verifier.twin.walk(plans[row % len(problems)], witness)
        if expected != Exit(*outcome):
            problem = problems[row % len(problems)]
            found.append(Disagreement(row, problem, expected, Exit(*outcome), witness.margin))
    return found


class _Witness(TapeChooser):
    """A tape chooser that notes how close any coin came to a threshold, relative to the whole."""

    margin: float = float("inf")

    def note(self, distance: Any, whole: Any) -> None:
        """Keep the least distance of a coin from a threshold."""
        self.margin = min(self.margin, abs(float(distance)) / max(float(whole), 1e-300))

    def flip(self, part: Any, of: Any = 1, *, site: Any) -> bool:
        u = float(self._tape(*site))
        if float(of) > 0:
            self.note(u * float(of) - float(part), of)
        return super().flip(part, of, site=site)

    def choose(self, weights: Sequence[Any], *, site: Any) -> int:
        values = [float(weight) for weight in weights]
        if site[0].kind == "race":
            best, second = sorted((w / t for w, t in zip(values, self._tape(*site), strict=True)), reverse=True)[:2]
            self.note(best - second, best)
        else:
            reached, total, mark = 0.0, sum(values), float(self._tape(*site)) * sum(values)
            for value in values:
                reached += value
                self.note(mark - reached, total)
        return super().choose(weights, site=site)

    def coin(self, *, site: Any) -> Coin:
        drawn = super().coin(site=site)
        return _WatchedCoin(drawn, self)


class _WatchedCoin(Coin):
    """A drawn coin that tells the witness of every comparison."""

    __slots__ = ("_coin", "_witness")

    def __init__(self, coin: Any, witness: _Witness) -> None:
        self._coin, self._witness = coin, witness

    def _under(self, other: Any, closed: bool) -> bool:
        if isinstance(other, _WatchedCoin):
            other = other._coin
        else:
            self._witness.note(float(self._coin._value) - float(other), 1)
        return bool(self._coin <= other if closed else self._coin < other)

    def _times(self, factor: Any) -> Coin:
        return _WatchedCoin(self._coin * factor, self._witness)

    def _plus(self, shift: Any) -> Coin:
        return _WatchedCoin(self._coin + shift, self._witness)

    def _over(self, divisor: Any) -> Coin:
        return _WatchedCoin(self._coin / divisor, self._witness)


def tape_for(
    slots: Sequence[Slot], tier: Tier, size: int, forest: Forest, bits: dict[str, int], seed: int = 0
) -> ArrayTape:
    """A tape of `size` rows: at a slot, multiples of 2^-bits (tie), their midpoints, or float64 uniforms (generic).

    Exponentials of races are powers of two in the first two tiers, so that scores are exact.
    """
    rng = torch.Generator().manual_seed(seed)
    columns = {}
    for slot in slots:
        shape = (size, _indices(slot, forest))
        if slot.kind == "race":
            times = torch.empty(size, 1, forest.vocabulary, dtype=torch.float64).exponential_(generator=rng)
            columns[slot.name] = times if tier == "generic" else 2.0 ** times.log2().round()
        elif tier == "generic":
            columns[slot.name] = torch.rand(shape, dtype=torch.float64, generator=rng)
        else:
            ticks = torch.randint(0, 1 << bits[slot.name], shape, generator=rng).to(torch.float64)
            columns[slot.name] = (ticks + (0.5 if tier == "midpoint" else 0.0)) / (1 << bits[slot.name])
    return ArrayTape(columns)


def tape_bits(slots: Sequence[Slot], bits: int, depth: int) -> dict[str, int]:
    """The bits of a tape's ticks for rows in multiples of 2^-bits and trees of at most `depth`.

    A coin that decides the whole exit meets thresholds of all levels: those are multiples of 2^-(bits (depth + 1)).
    """
    return {slot.name: bits * (depth + 1) if slot.name in _WHOLE else bits for slot in slots}


_WHOLE = (tev.EXIT.name, nested_intervals.BLOCK.name)


def _indices(slot: Slot, forest: Forest) -> int:
    """How many indices a slot may be asked for."""
    depth = int(forest.depths.max())
    leaves = max(sum(1 for children in tree.children if not children) for tree in forest.trees)
    return {"round": 1, "depth": depth + 1, "node": forest.nodes, "child": max(forest.nodes, leaves * depth)}[slot.per]


def ragged_problems(
    count: int, nodes: int, vocabulary: int, bits: int, *, depth: int = 99, seed: int = 0
) -> list[Problem]:
    """Random trees of 1 to `nodes` nodes and at most `depth`, rows and proposals in multiples of 2^-bits.

    Every fifth tree has rows without structure, with zeros, with exhausted children, one-hot, and tied.
    """
    rng = random.Random(seed)
    trees = [_tree(rng, rng.randint(1, nodes), vocabulary, depth) for _ in range(count)]
    return [_problem(rng, tree, vocabulary, bits, i % 5) for i, tree in enumerate(trees)]


def _tree(rng: random.Random, nodes: int, vocabulary: int, depth: int) -> DraftTree:
    strings: list[tuple[int, ...]] = [()]
    while len(strings) < nodes:
        parent = rng.choice([string for string in strings if len(string) < depth])
        string = (*parent, rng.randrange(vocabulary))
        if string not in strings:
            strings.append(string)
    numbers = {string: v for v, string in enumerate(strings)}
    parents = [-1, *(numbers[string[:-1]] for string in strings[1:])]
    return DraftTree(parents, [-1, *(string[-1] for string in strings[1:])])


def _problem(rng: random.Random, tree: DraftTree, vocabulary: int, bits: int, pattern: int) -> Problem:
    rows = [_row(rng, vocabulary, bits, pattern, tree.child_maps[v]) for v in range(tree.size)]
    proposals = [_row(rng, vocabulary, bits, 0, {}) for _ in range(tree.size)]
    return Problem(TargetTree(tree, rows), proposals)


def _row(rng: random.Random, vocabulary: int, bits: int, pattern: int, children: Any) -> Any:
    support = [True] * vocabulary
    if pattern == 1:
        support = [rng.random() < 0.5 for _ in range(vocabulary)]
    elif pattern == 2 and children:
        support = [token in children for token in range(vocabulary)]
    elif pattern == 3:
        support = [False] * vocabulary
    if not any(support):
        support[rng.randrange(vocabulary)] = True
    if pattern == 4:  # tied: equal weights on a power of two of tokens
        few = 1 << (vocabulary.bit_length() - 1)
        chosen = set(rng.sample(range(vocabulary), few))
        return row_of([int(token in chosen) for token in range(vocabulary)])
    return row_of(dyadic(support, rng, bits))
