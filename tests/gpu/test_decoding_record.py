"""The record of a generation, the rows it is made from, and its text."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.gpu.test_tree_pass import PREFIX
from tevtheory.exitlaw import ceiling
from tevtheory.trees import DraftTree
from tevtheory_gpu.decoding import (
    Block,
    Clock,
    Generation,
    ModelRun,
    Options,
    Stop,
    TextStream,
    generate,
)
from tevtheory_gpu.decoding.tensor_rows import matrix_of
from tevtheory_gpu.drafters import EarlyExit
from tevtheory_gpu.targets import LanguageModel, Sampling, TreePass, target_tree

COLD, WARM = Sampling(temperature=0), Sampling(temperature=0.7)


def test_the_record_is_plain_data(tiny: LanguageModel) -> None:
    heard: list[Block] = []
    made = generate(tiny, PREFIX, EarlyExit(tiny, 1), Options(sampling=WARM, new_tokens=12), heard.append)
    data = json.loads(json.dumps(made.as_data()))
    assert heard == list(made.blocks)
    assert data["tokens"] == list(made.tokens)
    assert data["calls"] == len(data["blocks"]) == len(made.blocks)
    assert data["tokens_per_call"] == 12 / data["calls"]
    assert set(data["seconds"]) == {"draft", "target", "verify", "commit"}
    assert all(spent > 0 for spent in data["seconds"].values())
    assert data["peak_bytes"] > 0
    assert data["stop"] == "length"


def test_one_call_has_no_standard_error() -> None:
    block = Block((1, 2), nodes=3, depth=2, ceiling=1.5, seconds=Clock().seconds)
    assert str(Generation((), (block,)).difference) == "+0.500"
    assert Generation((), (block,)).stop is Stop.INTERRUPTED
    assert str(Generation((), (block, replace(block, ceiling=2.5))).difference) == "+0.000 ± 0.500"


@pytest.mark.parametrize("sampling", [COLD, WARM, Sampling(top_k=3, repetition_penalty=1.3)])
def test_rows_that_stay_on_the_device_are_those_of_the_target_tree(tiny: LanguageModel, sampling: Sampling) -> None:
    tree = DraftTree((-1, 0, 0, 1), (-1, 17, 5, 40))
    mine, plain = (
        ModelRun(tiny, PREFIX, sampling).target_tree(tree),
        target_tree(TreePass(tiny, PREFIX), tree, sampling),
    )
    assert mine == plain
    assert [hash(row) for row in mine.rows] == [hash(row) for row in plain.rows]
    assert abs(ceiling(mine) - ceiling(plain)) < 1e-12  # totals are summed in another order
    for row, other in zip(mine.rows, plain.rows, strict=True):
        assert (len(row), list(row), row[5], row.largest(4)) == (len(other), list(other), other[5], other.largest(4))
        assert abs(row.outside([5, 17]) - other.outside([5, 17])) < 1e-12
    assert matrix_of(mine.rows) is matrix_of(mine.rows)
    for rows in (mine.rows[1:], mine.rows[::-1], plain.rows):
        assert matrix_of(rows).tolist() == [list(row) for row in rows]
    with pytest.raises(ValueError, match="read-only"):
        mine.rows[0].vector[0] = 1  # type: ignore[attr-defined]


class Bytes:
    """A tokenizer whose tokens are bytes."""

    def decode(self, ids: list[int], **_: Any) -> str:
        return bytes(ids).decode(errors="replace")


def test_characters_that_span_blocks_are_held_back(tiny: LanguageModel) -> None:
    ids, stream = list("naïve 你好, ok".encode()), TextStream(replace(tiny, tokenizer=Bytes()), hidden=(0,))
    pieces = [stream.push(ids[i : i + 2]) for i in range(0, len(ids), 2)]
    assert "".join(pieces) == "naïve 你好, ok"
    assert all("\N{REPLACEMENT CHARACTER}" not in piece for piece in pieces)
    assert stream.push([0]) == ""
    assert (stream.push([0xE4, 0xBD]), stream.finish(), stream.finish()) == ("", "\N{REPLACEMENT CHARACTER}", "")
