"""One right verifier in every form a user may bring, and faulty twins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tevtheory.targets import Problem
from tevtheory.weights import exact

Path = tuple[list[int], int]


def follow(rows: Any, parents: Any, child_maps: Sequence[Mapping[int, int]], rng: Any) -> Path:
    """Predraw and follow over child maps (DDTree's way)."""
    path = [0]
    while True:
        token = int(rng.choice(rows.shape[1], p=rows[path[-1]]))
        child = child_maps[path[-1]].get(token)
        if child is None:
            return path, token
        path.append(child)


def cumulative(candidates: Any, first: Any, following: Any, rows: Any, coins: Any, final: Any) -> Path:
    """SGLang's way: one coin per node, siblings by running sum, a coin of its own for the bonus."""
    path, left = [0], rows.copy()
    while True:
        node, child, reached = path[-1], int(first[path[-1]]), 0 * rows[0, 0]
        while child != -1:
            reached = reached + rows[node, candidates[child]]
            if coins[node] < reached:
                break
            left[node, candidates[child]] = 0 * reached
            child = int(following[child])
        if child == -1:
            break
        path.append(child)
    return path, draw(left[path[-1]], final)


def draw(row: Any, coin: Any) -> int:
    """Inverse CDF: the first token whose running sum exceeds the coin."""
    sums = np.cumsum(row)
    mark = coin * sums[-1]
    return next(x for x, reached in enumerate(sums) if mark < reached)


def uniforms_of(problem: Problem) -> dict[str, tuple[int, ...]]:
    return {"coins": (problem.tree.size,), "final": ()}


def chain(tokens: Any, draft_probs: Any, rows: Any, rng: Any) -> list[int]:
    """vLLM's way without draft probabilities: one-hot acceptance along a chain."""
    block = []
    for position, token in enumerate(tokens):
        if rng.random() < rows[position, token]:
            block.append(int(token))
            continue
        residual = rows[position].copy()
        residual[token] = residual[token] * 0
        return [*block, int(rng.choice(len(residual), p=residual / residual.sum()))]
    return [*block, int(rng.choice(rows.shape[1], p=rows[len(tokens)])), -1]


def eagle(rows: Any, candidates: Any, rng: Any) -> tuple[int, int, int]:
    """EAGLE's way: level by level over candidate paths, q = 1 per child, residual renormalised."""
    row, best, accepted = rows[0, 0], 0, 0
    for depth in range(1, candidates.shape[1]):
        current, tried = row.copy(), set()
        for candidate in range(len(candidates)):
            token = candidates[candidate, depth]
            same = np.array_equal(candidates[candidate, :depth], candidates[best, :depth])
            if token < 0 or token in tried or not same:
                continue
            tried.add(token)
            if rng.random() < current[token]:
                best, accepted, row = candidate, depth, rows[candidate, depth]
                break
            current[token] = 0 * current[token]
            total = current.sum()
            if not total:
                raise ZeroDivisionError("a refused child had all the mass")
            current = current / total
        else:
            row = current
        if accepted < depth:
            break
    return best, accepted, int(rng.choice(len(row), p=row))


HALF = exact("1/2")
