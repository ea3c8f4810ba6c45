"""The tree pass equals each path alone; every way to get mask, position or cache wrong is planted and found."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
from transformers import MistralConfig, MistralForCausalLM

from tevtheory.errors import InputError
from tevtheory.trees import DraftTree
from tevtheory_gpu.targets import LanguageModel, TreePass, path_logits, tiny_target, tree_pass
from tevtheory_gpu.targets.tree_pass import ancestor_mask

TOLERANCE = 1e-4
PREFIX = (5, 17, 3, 40, 11, 11, 2)


def random_tree(size: int, seed: int, vocabulary: int, depth: int = 6) -> DraftTree:
    """A tree whose nodes are in no order but parents first."""
    rng = random.Random(f"tree/{seed}")
    parents, tokens, depths = [-1], [-1], [0]
    taken: set[tuple[int, int]] = set()
    while len(parents) < size:
        parent, token = rng.randrange(len(parents)), rng.randrange(vocabulary)
        if depths[parent] < depth and (parent, token) not in taken:
            taken.add((parent, token))
            parents.append(parent)
            tokens.append(token)
            depths.append(depths[parent] + 1)
    return DraftTree(parents, tokens)


def ten_trees(vocabulary: int) -> list[DraftTree]:
    """Linear ones (root alone, chains, one with a token repeated), stars and bushes."""
    chain = DraftTree((-1, *range(8)), (-1, *range(1, 9)))
    same = DraftTree((-1, *range(5)), (-1, 7, 7, 7, 7, 7))
    star = DraftTree((-1, *[0] * 9), (-1, *range(9)))
    binary = DraftTree((-1, *[(v - 1) // 2 for v in range(1, 15)]), (-1, *[v % 2 for v in range(1, 15)]))
    bushes = [random_tree(size, size, vocabulary) for size in (3, 6, 10, 14, 16)]
    return [DraftTree((-1,), (-1,)), chain, same, star, binary, *bushes]


def worst_difference(model: LanguageModel, prefix: tuple[int, ...], trees: list[DraftTree]) -> float:
    """The largest difference of a logit between the tree pass and a path alone, over all nodes."""
    alone: dict[tuple[int, ...], torch.Tensor] = {}
    worst = 0.0
    for tree in trees:
        logits = TreePass(model, prefix).score(tree)
        assert logits.shape == (tree.size, model.vocabulary)
        assert logits.dtype == torch.float32
        for v in range(tree.size):
            path = tree.path(v)
            if path not in alone:
                alone[path] = path_logits(model, [*prefix, *path])
            worst = max(worst, float((logits[v] - alone[path]).abs().max()))
    return worst


def test_every_node_equals_its_path_alone(tiny: LanguageModel) -> None:
    assert worst_difference(tiny, PREFIX, ten_trees(tiny.vocabulary)) < TOLERANCE


def test_a_prefix_of_one_token_will_do(tiny: LanguageModel) -> None:
    assert worst_difference(tiny, (9,), ten_trees(tiny.vocabulary)) < TOLERANCE


def test_in_float64_only_the_last_rounding_is_left() -> None:
    """So what float32 shows is its rounding, and nothing that a tolerance hides."""
    model = tiny_target()
    double = LanguageModel.of("tiny in float64", model.model.double())
    assert worst_difference(double, PREFIX, ten_trees(model.vocabulary)) < 1e-6


def in_words(model: LanguageModel, trees: list[DraftTree]) -> list[DraftTree]:
    """The same trees with words that a drafter could draft; ids at random lead a model where its logits lose digits."""
    ids = dict.fromkeys(
        model.encode("The sky is blue because air scatters the short waves of light in all directions.")
    )
    words = list(ids)
    return [DraftTree(tree.parents, (-1, *(words[token] for token in tree.tokens[1:]))) for tree in trees]


@pytest.mark.weights
def test_every_node_equals_its_path_alone_in_a_real_model(smollm2: LanguageModel) -> None:
    prefix = tuple(smollm2.encode_chat("Why is the sky blue?"))
    assert worst_difference(smollm2, prefix, in_words(smollm2, ten_trees(12))) < TOLERANCE


def leak_everywhere(tree: DraftTree) -> torch.Tensor:
    return torch.ones(tree.size, tree.size, dtype=torch.bool)


def leak_between_siblings(tree: DraftTree) -> torch.Tensor:
    parents = torch.tensor(tree.parents)
    return ancestor_mask(tree) | (parents[:, None] == parents[None])


def causal_by_index(tree: DraftTree) -> torch.Tensor:
    return torch.ones(tree.size, tree.size, dtype=torch.bool).tril()


def wrong_parent(tree: DraftTree) -> torch.Tensor:
    """The last node hangs one node too early."""
    parents = [*tree.parents[:-1], max(tree.parents[-1] - 1, 0)] if tree.size > 1 else tree.parents
    mask = ancestor_mask(tree)
    if tree.size > 1:
        mask[-1] = mask[parents[-1]]
        mask[-1, -1] = True
    return mask


def not_the_root(tree: DraftTree) -> torch.Tensor:
    mask = ancestor_mask(tree)
    mask[1:, 0] = False
    return mask


MASKS = [leak_everywhere, leak_between_siblings, causal_by_index, wrong_parent, not_the_root]


def by_index(tree: DraftTree, start: int) -> torch.Tensor:
    return torch.arange(tree.size) + start


def all_at_the_root(tree: DraftTree, start: int) -> torch.Tensor:
    return torch.zeros(tree.size, dtype=torch.long) + start


def one_off(tree: DraftTree, start: int) -> torch.Tensor:
    """Only the tree is shifted against the cache; a shift of all would change nothing."""
    return torch.tensor(tree.depths) + start + 1


POSITIONS = [by_index, all_at_the_root, one_off]
FAULTS = [("ancestor_mask", fault) for fault in MASKS] + [("node_positions", fault) for fault in POSITIONS]


@pytest.mark.parametrize(("name", "fault"), FAULTS, ids=lambda value: getattr(value, "__name__", value))
def test_a_planted_fault_is_found(
    tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch, name: str, fault: Callable[..., torch.Tensor]
) -> None:
    monkeypatch.setattr(tree_pass, name, fault)
    assert worst_difference(tiny, PREFIX, ten_trees(tiny.vocabulary)) > 100 * TOLERANCE


@pytest.mark.weights
@pytest.mark.parametrize(
    ("name", "fault"), FAULTS[:4] + FAULTS[5:6], ids=lambda value: getattr(value, "__name__", value)
)
def test_a_planted_fault_is_found_in_a_real_model(
    smollm2: LanguageModel, monkeypatch: pytest.MonkeyPatch, name: str, fault: Callable[..., torch.Tensor]
) -> None:
    monkeypatch.setattr(tree_pass, name, fault)
    assert worst_difference(smollm2, PREFIX, [random_tree(6, 1, 500)]) > 100 * TOLERANCE


def test_scoring_leaves_the_prefix_as_it_was(tiny: LanguageModel) -> None:
    run = TreePass(tiny, PREFIX)
    first, other = ten_trees(tiny.vocabulary)[-1], ten_trees(tiny.vocabulary)[4]
    before = run.score(first)
    assert torch.equal(run.score(first), before)
    run.score(other)
    assert torch.equal(run.score(first), before)


def after_commits(model: LanguageModel, prefix: tuple[int, ...], trees: list[DraftTree]) -> float:
    """Commit a path of each tree in turn; the largest difference from a fresh start at each point."""
    run, rng, worst = TreePass(model, prefix), random.Random("commits"), 0.0
    for tree in trees:
        logits = run.score(tree)
        worst = max(worst, float((logits - TreePass(model, run.prefix).score(tree)).abs().max()))
        node = rng.randrange(tree.size)
        expected = (*run.prefix, *tree.path(node), 1)
        run.commit(node, 1)
        assert run.prefix == expected
    return worst


def test_the_compacted_cache_equals_a_fresh_prefix(tiny: LanguageModel) -> None:
    assert after_commits(tiny, PREFIX, ten_trees(tiny.vocabulary)) < TOLERANCE


@pytest.mark.weights
def test_the_compacted_cache_equals_a_fresh_prefix_in_a_real_model(smollm2: LanguageModel) -> None:
    prefix = tuple(smollm2.encode_chat("Why is the sky blue?"))
    assert after_commits(smollm2, prefix, in_words(smollm2, ten_trees(12))[-4:]) < TOLERANCE


def keep_the_first(layer: Any, past: int, kept: torch.Tensor) -> None:
    end = past + len(kept)
    layer.keys, layer.values = layer.keys[..., :end, :], layer.values[..., :end, :]


def keep_the_keys_of_the_last(layer: Any, past: int, kept: torch.Tensor) -> None:
    layer.keys = torch.cat((layer.keys[..., :past, :], layer.keys[..., -len(kept) :, :]), dim=-2)
    layer.values = torch.cat((layer.values[..., :past, :], layer.values.index_select(-2, kept)), dim=-2)


@pytest.mark.parametrize("fault", [keep_the_first, keep_the_keys_of_the_last])
def test_a_fault_in_the_compaction_is_found(
    tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch, fault: Callable[..., None]
) -> None:
    monkeypatch.setattr(tree_pass, "_compact", fault)
    assert after_commits(tiny, PREFIX, ten_trees(tiny.vocabulary)) > 100 * TOLERANCE


def test_the_mask_of_a_large_tree_equals_the_definition() -> None:
    tree = random_tree(1024, 3, 100, depth=40)
    mask = ancestor_mask(tree)
    for v in range(tree.size):
        assert mask[v].nonzero()[:, 0].tolist() == sorted(tree.ancestors(v))


CHAIN = DraftTree((-1, 0, 1), (-1, 1, 2))


def test_the_context_is_kept() -> None:
    model = tiny_target(context=8)
    assert TreePass(model, range(6)).score(CHAIN).shape == (3, 64)
    with pytest.raises(InputError, match="context of tiny-0: expected at most 8 positions, got a prefix of 9 tokens;"):
        TreePass(model, range(9))
    with pytest.raises(
        InputError, match="got a prefix of 7 tokens and a tree of depth 2; shorten the prompt, or draft"
    ):
        TreePass(model, range(7)).score(CHAIN)


def test_ids_outside_the_vocabulary_are_refused(tiny: LanguageModel) -> None:
    with pytest.raises(InputError, match=r"prefix: expected token ids in 0\.\.63, got 64; use ids of this model's"):
        TreePass(tiny, [1, 64])
    with pytest.raises(InputError, match="draft tree: expected token ids"):
        TreePass(tiny, [1]).score(DraftTree((-1, 0), (-1, 64)))
    with pytest.raises(InputError, match="prefix: expected at least one token id, got none; begin with a prompt"):
        TreePass(tiny, [])


def test_commit_needs_a_scored_tree_and_one_of_its_nodes(tiny: LanguageModel) -> None:
    run = TreePass(tiny, PREFIX)
    with pytest.raises(InputError, match="commit: expected a scored tree, got none since the last commit; call score"):
        run.commit(0, 1)
    run.score(CHAIN)
    with pytest.raises(InputError, match=r"commit: expected a node in 0\.\.2, got 3"):
        run.commit(3, 1)
    with pytest.raises(InputError, match="bonus token: expected token ids"):
        run.commit(0, 64)
    run.commit(0, 1)
    with pytest.raises(InputError, match="none since the last commit"):
        run.commit(0, 1)


def test_a_model_with_sliding_windows_is_refused() -> None:
    config = MistralConfig(
        vocab_size=10,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        sliding_window=4,
    )
    model = LanguageModel.of("windowed", MistralForCausalLM(config))
    with pytest.raises(
        InputError, match="windowed: expected layers that see the whole prefix, got DynamicSlidingWindow"
    ):
        TreePass(model, [1])


def test_attention_without_a_mask_is_refused(tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiny.model.config, "_attn_implementation_internal", "flash_attention_2")
    with pytest.raises(InputError, match="expected attention that takes a 4D mask"):
        LanguageModel.of("flash", tiny.model)


def test_memory_that_runs_out_half_way_says_what_was_wanted_and_harms_nothing(tiny: LanguageModel) -> None:
    run, tree = TreePass(tiny, PREFIX), ten_trees(tiny.vocabulary)[-1]
    before = run.score(tree)

    def fail(*_: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    hook = tiny.model.model.layers[1].register_forward_pre_hook(fail)
    try:
        with pytest.raises(
            InputError, match=r"tree of 16 nodes: expected about \d+\.\d KiB of memory, got less than that"
        ):
            run.score(tree)
    finally:
        hook.remove()
    with pytest.raises(InputError, match="expected a scored tree"):
        run.commit(0, 1)
    assert torch.equal(run.score(tree), before)
