"""Processed rows equal transformers' own processors, run on each path alone in the order of its `generate`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from transformers import GenerationConfig

from tests.gpu.test_tree_pass import PREFIX, ten_trees
from tevtheory.errors import InputError
from tevtheory.exitlaw import flow
from tevtheory.trees import DraftTree
from tevtheory_gpu.targets import LanguageModel, Sampling, TreePass, float64_rows, processing, target_tree

SETTINGS = [
    Sampling(),
    Sampling(temperature=0.6),
    Sampling(top_k=5),
    Sampling(top_p=0.8),
    Sampling(min_p=0.05),
    Sampling(repetition_penalty=1.3),
    Sampling(0.7, top_k=20, top_p=0.9, min_p=0.02, repetition_penalty=1.2),
]


def alone(model: LanguageModel, sampling: Sampling, ids: list[int], row: torch.Tensor) -> torch.Tensor:
    """One row under the processors that transformers' `generate` would build for these settings."""
    config = GenerationConfig(
        do_sample=True,
        temperature=sampling.temperature,
        top_k=sampling.top_k or 0,
        top_p=1.0 if sampling.top_p is None else sampling.top_p,
        min_p=sampling.min_p,
        repetition_penalty=sampling.repetition_penalty,
    )
    processors: Any = model.model._get_logits_processor(config, input_ids_seq_length=len(ids))
    result: torch.Tensor = processors(torch.tensor([ids]), row[None].clone())
    return result[0]


def differing_nodes(model: LanguageModel, sampling: Sampling, tree: DraftTree) -> list[int]:
    """The nodes whose processed row is not, bit for bit, that of the path alone."""
    logits = TreePass(model, PREFIX).score(tree)
    rows = sampling.rows(logits, PREFIX, tree)
    assert rows.shape == logits.shape
    assert rows.dtype == torch.float32
    wanted = [alone(model, sampling, [*PREFIX, *tree.path(v)], logits[v]) for v in range(tree.size)]
    return [v for v in range(tree.size) if not torch.equal(rows[v], wanted[v])]


@pytest.mark.parametrize("sampling", SETTINGS, ids=repr)
def test_each_node_is_processed_as_its_path_alone(tiny: LanguageModel, sampling: Sampling) -> None:
    for tree in ten_trees(tiny.vocabulary):
        assert differing_nodes(tiny, sampling, tree) == []


@pytest.mark.weights
def test_each_node_is_processed_as_its_path_alone_in_a_real_model(smollm2: LanguageModel) -> None:
    assert differing_nodes(smollm2, SETTINGS[-1], ten_trees(smollm2.vocabulary)[-1]) == []


def test_the_state_of_the_root_used_for_all_nodes_is_found(
    tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def root_only(prefix: tuple[int, ...], tree: DraftTree) -> list[tuple[list[int], list[list[int]]]]:
        return [(list(range(tree.size)), [list(prefix)] * tree.size)]

    monkeypatch.setattr(processing, "levels", root_only)
    assert differing_nodes(tiny, Sampling(repetition_penalty=1.3), ten_trees(tiny.vocabulary)[-1])


def test_processors_in_another_order_are_found(tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    forwards = Sampling._of_the_row
    monkeypatch.setattr(Sampling, "_of_the_row", lambda self: forwards(self)[::-1])
    sampling = Sampling(0.5, top_p=0.6)
    assert differing_nodes(tiny, sampling, ten_trees(tiny.vocabulary)[-1])


def test_the_list_of_processors_is_that_of_generate(tiny: LanguageModel) -> None:
    names = [type(processor).__name__ for processor in SETTINGS[-1].processors()]
    assert names == [
        "RepetitionPenaltyLogitsProcessor",
        "TemperatureLogitsWarper",
        "TopKLogitsWarper",
        "TopPLogitsWarper",
        "MinPLogitsWarper",
    ]
    assert len(Sampling().processors()) == 0


CHAIN = DraftTree((-1, 0), (-1, 1))
TIED = torch.tensor([[1.0, 3.0, 3.0, 2.0], [4.0, 1.0, 0.0, 2.0]])


def test_temperature_zero_takes_the_lowest_of_the_largest_and_counts_ties() -> None:
    sampling = Sampling(temperature=0)
    rows = float64_rows(sampling.rows(TIED, [2], CHAIN))
    assert rows.tolist() == [[0, 1, 0, 0], [1, 0, 0, 0]]
    assert sampling.ties(TIED, [2], CHAIN) == 1


def test_temperature_zero_comes_after_the_penalty() -> None:
    sampling = Sampling(temperature=0, repetition_penalty=3.0)
    # Token 1 was seen, and token 0 not: 3 / 3 < 3, and token 2 alone is the largest.
    assert sampling.rows(TIED, [1], CHAIN)[0].tolist() == [-math.inf, -math.inf, 0, -math.inf]
    assert sampling.ties(TIED, [1], CHAIN) == 0


def test_greedy_rows_of_a_model_follow_the_argmax(tiny: LanguageModel) -> None:
    run, tree = TreePass(tiny, PREFIX), ten_trees(tiny.vocabulary)[-1]
    logits = run.score(tree)
    target = target_tree(run, tree, Sampling(temperature=0))
    assert [max(range(len(row)), key=row.__getitem__) for row in target.rows] == logits.argmax(-1).tolist()
    assert set(flow(target)) <= {0.0, 1.0}


def test_a_target_tree_holds_the_law_of_the_float32_rows(tiny: LanguageModel) -> None:
    run, tree = TreePass(tiny, PREFIX), ten_trees(tiny.vocabulary)[-1]
    target = target_tree(run, tree, SETTINGS[-1])
    processed = SETTINGS[-1].rows(run.score(tree), PREFIX, tree).numpy().astype(np.longdouble)
    weights = np.exp(processed - processed.max(-1, keepdims=True))
    wanted = weights / weights.sum(-1, keepdims=True)
    got = np.array([list(row) for row in target.rows], dtype=np.longdouble)
    assert np.array_equal(got == 0, wanted == 0)
    assert np.abs(got - wanted).max() < 1e-15
    assert target.discrepancy < 1e-14
    # A softmax in float32 would be off by more than that.
    assert np.abs(torch.softmax(torch.from_numpy(processed.astype(np.float32)), -1).numpy() - wanted).max() > 1e-10


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"temperature": -0.1}, "sampling, temperature: expected temperature >= 0, got -0.1; correct it"),
        ({"temperature": math.nan}, "got nan"),
        ({"temperature": True}, "got True"),
        ({"top_k": 0}, "sampling, top_k: expected an integer top_k >= 1, got 0"),
        ({"top_k": 2.5}, "got 2.5"),
        ({"top_k": True}, "got True"),
        ({"top_p": 0}, "sampling, top_p: expected 0 < top_p <= 1, got 0"),
        ({"top_p": 1.01}, "got 1.01"),
        ({"min_p": -1}, "sampling, min_p: expected 0 <= min_p <= 1, got -1"),
        ({"repetition_penalty": 0}, "sampling, repetition_penalty: expected repetition_penalty > 0, got 0"),
        ({"repetition_penalty": "2"}, "got '2'"),
    ],
)
def test_values_out_of_range_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Sampling(**values)
    assert message in str(caught.value)


def test_logits_that_cannot_be_are_refused() -> None:
    with pytest.raises(InputError, match=r"rows: expected logits \[2, V\], got shape \(1, 4\)"):
        Sampling().rows(TIED[:1], [1], CHAIN)
    broken = TIED.clone()
    broken[1, 2] = math.nan
    with pytest.raises(InputError, match="logits of node 1: expected finite logits, got NaN or an infinity; use dtype"):
        Sampling().rows(broken, [1], CHAIN)
