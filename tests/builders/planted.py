"""Planted faults: builders that are wrong in one place each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

import pytest

from tevtheory.builders.drafts import Draft, Scored, first, likeliest, rows_after
from tevtheory.rows import FloatRow, Row
from tevtheory.targets import Prefix

Fault = Callable[[pytest.MonkeyPatch], None]

# The package exports functions of the same names as some of its modules.
_best_first, _beams, _oracle, _sequoia, _static = (
    import_module(f"tevtheory.builders.{name}") for name in ("best_first", "beams", "oracle", "sequoia", "static")
)
_push, _grown, _tables, _best = _best_first._push, _beams.grown, _sequoia._tables, _sequoia._best


def _replace(module: Any, name: str, value: Any) -> Fault:
    return lambda patch: patch.setattr(module, name, value)


def _no_first_child(heap: Any, tables: Any, prefix: Prefix, rank: int, score: Any) -> None:
    if rank or not prefix:
        _push(heap, tables, prefix, rank, score)


def _no_sibling(heap: Any, tables: Any, prefix: Prefix, rank: int, score: Any) -> None:
    if not rank:
        _push(heap, tables, prefix, rank, score)


def _sibling_of_the_root_only(heap: Any, tables: Any, prefix: Prefix, rank: int, score: Any) -> None:
    if not rank or not prefix:
        _push(heap, tables, prefix, rank, score)


def _added(heap: Any, tables: Any, prefix: Prefix, rank: int, score: Any) -> None:
    one_more = [[(token, 1 + probability / score) for token, probability in table] for table in tables]
    _push(heap, one_more, prefix, rank, score)


def _one_level_short(heap: Any, tables: Any, prefix: Prefix, rank: int, score: Any) -> None:
    _push(heap, tables[:-1] or tables, prefix, rank, score)


def _first_position_everywhere(heap: Any, tables: Any, prefix: Prefix, rank: int, score: Any) -> None:
    _push(heap, tables[:1] * len(tables), prefix, rank, score)


def _zeros_too(row: Row, count: int) -> list[tuple[int, Any]]:
    found = likeliest(row, count)
    return [*found, *((token, row[token]) for token in range(len(row)) if row[token] == 0)][:count]


def _ties_to_larger_tokens(row: Row, count: int) -> list[tuple[int, Any]]:
    return sorted(likeliest(row, len(row)), key=lambda entry: (-entry[1], -entry[0]))[:count]


def _one_rank_too_few(row: Row, count: int) -> list[tuple[int, Any]]:
    return likeliest(row, max(count - 1, 1))


def not_normalised(row: Row, count: int) -> list[tuple[int, Any]]:
    total = row.total() if isinstance(row, FloatRow) else 1
    return [(token, probability * int(total)) for token, probability in likeliest(row, count)]


def _last_probability_only(draft: Draft, beam: Sequence[Scored], children: int) -> Iterator[Scored]:
    yield from _grown(draft, [(1, path) for _, path in beam], children)


def _rows_shifted(draft: Draft, beam: Sequence[Scored], children: int) -> Iterator[Scored]:
    """Every path of the beam gets its neighbour's row."""
    rows = rows_after(draft, [path for _, path in beam])
    for (score, path), row in zip(beam, rows[1:] + rows[:1], strict=False):
        yield from ((score * probability, (*path, token)) for token, probability in likeliest(row, children))


def _longer_first(scored: Any, count: int) -> list[Scored]:
    return sorted(scored, key=lambda entry: (-entry[0], -len(entry[1]), entry[1]))[:count]


def _all_but_the_first(scored: Any, count: int) -> list[Scored]:
    return first(scored, count + 1)[1:]


def _one_level_too_deep(chances: Any, budget: int, levels: int) -> Any:
    return [*_tables(chances, budget, levels + 1)[1:]] if levels else _tables(chances, budget, levels)


def _first_rank_everywhere(chances: Any, budget: int, levels: int) -> Any:
    return _tables([chances[0]] * len(chances) if chances else chances, budget, levels)


def _youngest_only(trees: Any, rest: Any, nodes: int) -> Any:
    """All the other nodes go under the first child."""
    return _best([*[None] * (nodes - 1), *trees[nodes - 1 :]], rest, nodes)


BEST_FIRST: dict[str, Fault] = {
    name: _replace(_best_first, "_push", fault)
    for name, fault in {
        "no first child": _no_first_child,
        "no next sibling": _no_sibling,
        "siblings at the first position only": _sibling_of_the_root_only,
        "scores added": _added,
        "one level short": _one_level_short,
        "the first position's row everywhere": _first_position_everywhere,
    }.items()
}
ROWS: dict[str, Callable[[Row, int], list[tuple[int, Any]]]] = {
    "zeros drafted": _zeros_too,
    "ties to larger tokens": _ties_to_larger_tokens,
    "one rank too few": _one_rank_too_few,
}
BEAMS: dict[str, Fault] = {
    "the last probability only": _replace(_beams, "grown", _last_probability_only),
    "a neighbour's row": _replace(_beams, "grown", _rows_shifted),
    "ties to longer paths": _replace(_beams, "first", _longer_first),
    "the best path is lost": _replace(_beams, "first", _all_but_the_first),
}
SEQUOIA: dict[str, Fault] = {
    "one level too deep": _replace(_sequoia, "_tables", _one_level_too_deep),
    "the first rank's chance everywhere": _replace(_sequoia, "_tables", _first_rank_everywhere),
    "only the first child has children": _replace(_sequoia, "_best", _youngest_only),
}
READERS = {
    "DDTree": _best_first,
    "EAGLE-2": _beams,
    "OPT-Tree": _beams,
    "Sequoia": _static,
    "full binary": _static,
    "oracle": _oracle,
}
"""Where each builder reads its rows."""
