"""One forward over prefix and tree: the target's logits at every node of a draft tree.

Each node attends to the prefix and to its own ancestors (an additive 4D mask) and sits at the position that its depth
gives it, so its logits are those of its path run alone. The keys and values of the prefix are kept between calls.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from tevtheory.errors import InputError
from tevtheory.trees import DraftTree
from tevtheory_gpu.targets import memory
from tevtheory_gpu.targets.language_model import LanguageModel


def ancestor_mask(tree: DraftTree) -> torch.Tensor:
    """Who sees whom: a boolean [N, N] tensor, true where the column's node is the row's node or one of its ancestors.

    >>> ancestor_mask(DraftTree((-1, 0, 0), (-1, 5, 6))).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    """
    parents, depths = torch.tensor(tree.parents), torch.tensor(tree.depths)
    mask = torch.eye(tree.size, dtype=torch.bool)
    for depth in range(1, tree.depth + 1):
        level = (depths == depth).nonzero()[:, 0]
        mask[level] |= mask[parents[level]]
    return mask


def node_positions(tree: DraftTree, start: int) -> torch.Tensor:
    """The position of every node, [N], where the root's is `start`: siblings share one."""
    return torch.tensor(tree.depths) + start


class TreePass:
    """The target over one growing prefix: `score` a draft tree, then `commit` the path that was accepted.

    The root of every scored tree is the last token of the prefix, so row 0 is the law of the next token. The cache holds
    the prefix without that token. Raises InputError on an empty or too long prefix, ids outside the vocabulary, and
    models whose layers do not all see the whole prefix.

    >>> from tevtheory_gpu.targets import tiny_target
    >>> run = TreePass(tiny_target(vocabulary=10), [1, 2, 3])
    >>> run.score(DraftTree((-1, 0, 0), (-1, 5, 6))).shape
    torch.Size([3, 10])
    >>> run.commit(2, 4)
    >>> run.prefix
    (1, 2, 3, 6, 4)
    """

    def __init__(self, model: LanguageModel, prefix_ids: Sequence[int]) -> None:
        self.model = model
        self.prefix = tuple(int(token) for token in prefix_ids)
        self._scored: DraftTree | None = None
        self._dirty = False  # the cache holds more than the prefix
        model.check_ids(self.prefix, "prefix")
        _check_length(model, len(self.prefix), 0)
        self._cache = DynamicCache(config=model.model.config)
        if odd := [layer for layer in self._cache.layers if type(layer) is not DynamicLayer]:
            remedy = "use a model without sliding windows or recurrent layers"
            raise InputError("layers that see the whole prefix", type(odd[0]).__name__, model.name, remedy)
        if len(self.prefix) > 1:
            ids = torch.tensor(self.prefix[:-1])
            with memory.told(f"prefix of {len(self.prefix)} tokens", self._bytes(len(ids), 1), "use a shorter prompt"):
                forward(model, ids, cache=self._cache, logits_to_keep=1)

    def score(self, tree: DraftTree) -> torch.Tensor:
        """The float32 logits [N, V] after each node's path, in one forward; the prefix stays as it is.

        Raises InputError where a token is outside the vocabulary, the deepest path runs over the context, or memory does
        not suffice.
        """
        _check_length(self.model, len(self.prefix), tree.depth)
        self.model.check_ids((self.prefix[-1], *tree.tokens[1:]), "draft tree")
        self._forget()
        past = len(self.prefix) - 1
        ids = torch.tensor((self.prefix[-1], *tree.tokens[1:]))
        with memory.told(f"tree of {tree.size} nodes", self._bytes(tree.size, tree.size), "use a smaller budget"):
            mask, positions = _additive(ancestor_mask(tree), past, self.model), node_positions(tree, past)
            self._dirty = True  # from the first layer on, also if a later one fails
            logits = forward(self.model, ids, cache=self._cache, attention_mask=mask, position_ids=positions)
        self._scored = tree
        return logits

    def commit(self, node: int, bonus_token: int) -> None:
        """Append the path to a node of the tree just scored, then a bonus token, which becomes the new root.

        The cache keeps the entries of the path and drops the rest. Raises InputError where no tree was scored since the
        last commit, and on a node or token that does not exist.
        """
        tree = self._scored
        if tree is None:
            raise InputError("a scored tree", "none since the last commit", "commit", "call score first")
        if not 0 <= node < tree.size:
            raise InputError(f"a node in 0..{tree.size - 1}", str(node), "commit", "use the scored tree's nodes")
        self.model.check_ids((bonus_token,), "bonus token")
        past = len(self.prefix) - 1
        kept = [past + v for v in sorted(tree.ancestors(node))]
        for layer in self._cache.layers:
            _compact(layer, past, torch.tensor(kept, device=layer.keys.device))
        self.prefix += (*tree.path(node), int(bonus_token))
        self._scored, self._dirty = None, False

    def _forget(self) -> None:
        """Drop the entries of the last scored tree, if it was not committed."""
        past = len(self.prefix) - 1
        for layer in self._cache.layers:
            if self._dirty and layer.is_initialized:
                # To a length, not crop: a forward that failed half-way leaves layers of two lengths.
                layer.keys, layer.values = layer.keys[..., :past, :], layer.values[..., :past, :]
        self._scored, self._dirty = None, False

    def _bytes(self, queries: int, logits: int) -> int:
        """About what a forward needs beside the weights: logits in two types, mask, scores of one layer, and cache."""
        config, width = self.model.model.config.get_text_config(), int(getattr(torch, self.model.dtype).itemsize)
        keys = len(self.prefix) + queries
        attention = queries * keys * width * (1 + int(config.num_attention_heads))
        cache = 2 * keys * int(config.num_hidden_layers) * int(config.hidden_size) * width
        return logits * self.model.vocabulary * (4 + width) + attention + cache


def path_logits(model: LanguageModel, ids: Sequence[int]) -> torch.Tensor:
    """The float32 logits [V] after some tokens, by a plain forward without cache or mask: the naive route of the tests."""
    model.check_ids(ids, "path")
    _check_length(model, len(ids), 0)
    return forward(model, torch.tensor(ids), logits_to_keep=1)[-1]


def forward(model: LanguageModel, ids: torch.Tensor, **options: Any) -> torch.Tensor:
    """Float32 logits [N, V] of a batch of one; tensors are put on the model's device."""
    cached = "cache" in options
    if cached and "cache" not in inspect.signature(model.model.forward).parameters:
        options["past_key_values"] = options.pop("cache")  # its name in earlier versions of transformers
    if "position_ids" in options:
        options["position_ids"] = options["position_ids"][None].to(model.device)
    with torch.no_grad():
        out = model.model(input_ids=ids[None].to(model.device), use_cache=cached, **options)
    return out.logits[0].float()


def _additive(mask: torch.Tensor, past: int, model: LanguageModel) -> torch.Tensor:
    """[1, 1, N, P + N]: 0 where a node may look (the whole cache, and its ancestors), the least float elsewhere."""
    number = getattr(torch, model.dtype)
    full = torch.zeros(mask.shape[0], past + mask.shape[1], dtype=number, device=model.device)
    full[:, past:].masked_fill_(~mask.to(model.device), torch.finfo(number).min)
    return full[None, None]


def _compact(layer: Any, past: int, kept: torch.Tensor) -> None:
    """Keep the prefix's entries and some of the tree's, in order; shapes [1, heads, length, width]."""
    layer.keys = torch.cat((layer.keys[..., :past, :], layer.keys.index_select(-2, kept)), dim=-2)
    layer.values = torch.cat((layer.values[..., :past, :], layer.values.index_select(-2, kept)), dim=-2)


def _check_length(model: LanguageModel, prefix: int, depth: int) -> None:
    if prefix + depth > model.context:
        got = f"a prefix of {prefix} tokens" + (f" and a tree of depth {depth}" if depth else "")
        remedy = "shorten the prompt, or draft less deep"
        raise InputError(f"at most {model.context} positions", got, f"context of {model.name}", remedy)
