"""A model over the paths of a growing draft: each call evaluates the new paths only, in one forward.

`TreePass` would evaluate the whole tree again at every level. Here the cache holds the prefix and every path evaluated so
far, side by side; a path looks at the prefix and at its own ancestors, and sits at the position that its length gives it.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from tevtheory.errors import InputError
from tevtheory.targets import Prefix
from tevtheory_gpu.targets import LanguageModel
from tevtheory_gpu.targets.tree_pass import forward  # one place knows how to call a model


class PathPass:
    """A model's logits after any paths that follow a prefix.

    Raises InputError on an empty prefix, ids outside the vocabulary, and what runs over the context.

    >>> from tevtheory_gpu.targets import tiny_target
    >>> run = PathPass(tiny_target(vocabulary=10))
    >>> run.restart([1, 2, 3])
    >>> run.logits([()]).shape, run.logits([(4,), (5,)]).shape
    (torch.Size([1, 10]), torch.Size([2, 10]))
    """

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self.prefix: Prefix = ()
        self._cache = DynamicCache(config=model.model.config)
        if odd := [layer for layer in self._cache.layers if type(layer) is not DynamicLayer]:
            remedy = "use a model without sliding windows or recurrent layers"
            raise InputError("layers that see the whole prefix", type(odd[0]).__name__, model.name, remedy)
        self._known = 0  # how many tokens of the prefix are in the cache, at the same places
        self._seen: dict[Prefix, tuple[int, ...]] = {}  # a path's own place in the cache, and those of its ancestors
        self._places = 0
        self._root: torch.Tensor | None = None

    def restart(self, prefix_ids: Sequence[int]) -> None:
        """Move to another prefix; what the cache holds of it is kept, evaluated paths included."""
        prefix = tuple(int(token) for token in prefix_ids)
        self.model.check_ids(prefix, "prefix")
        self._check_length(len(prefix))
        old, limit = self.prefix[: self._known], len(prefix) - 1  # the last token is evaluated for its row
        common = next(
            (i for i, (a, b) in enumerate(zip(old, prefix, strict=False)) if a != b), min(len(old), len(prefix))
        )
        kept = list(range(min(common, limit)))
        if common == len(self.prefix):
            path = prefix[common:limit]
            length = max((n for n in range(len(path) + 1) if n == 0 or path[:n] in self._seen), default=0)
            kept += sorted(self._seen[path[:length]]) if length else []
        self._keep(kept)
        self.prefix, self._known, self._seen, self._root = prefix, len(kept), {}, None

    def logits(self, paths: Sequence[Prefix]) -> torch.Tensor:
        """Float32 logits [n, V] after paths of one length; ancestors not evaluated yet are evaluated with them."""
        if self._root is None:
            self._root = self._read_prefix()
        asked = [tuple(path) for path in paths]
        if asked == [()]:
            return self._root
        above = {path[:n] for path in asked for n in range(1, len(path))}
        new = sorted(above - self._seen.keys() - set(asked), key=len)
        return self._evaluate([*new, *asked])[len(new) :]

    def _read_prefix(self) -> torch.Tensor:
        """Bring the rest of the prefix into the cache; the logits [1, V] after it."""
        ids = torch.tensor(self.prefix[self._known :])
        logits = forward(self.model, ids, cache=self._cache, logits_to_keep=1)
        self._known = self._places = len(self.prefix)
        return logits

    def _evaluate(self, paths: list[Prefix]) -> torch.Tensor:
        """Shorter paths come first, so that a path finds its parent."""
        self._check_length(len(self.prefix) + max(map(len, paths)))
        self.model.check_ids([path[-1] for path in paths], "draft")
        start = self._places
        for place, path in enumerate(paths, start=start):
            self._seen[path] = (*self._seen.get(path[:-1], ()), place)
        tokens = torch.tensor([path[-1] for path in paths])
        positions = torch.tensor([len(self.prefix) - 1 + len(path) for path in paths])
        logits = forward(
            self.model, tokens, cache=self._cache, attention_mask=self._mask(paths), position_ids=positions
        )
        self._places = start + len(paths)
        return logits

    def _mask(self, paths: list[Prefix]) -> torch.Tensor:
        """Additive [1, 1, n, places + n]: 0 at the prefix, at a path's ancestors and at itself."""
        number = getattr(torch, self.model.dtype)
        mask = torch.full((len(paths), self._places + len(paths)), torch.finfo(number).min, dtype=number)
        mask[:, : len(self.prefix)] = 0
        for i, path in enumerate(paths):
            mask[i, list(self._seen[path])] = 0
        return mask[None, None].to(self.model.device)

    def _keep(self, places: list[int]) -> None:
        """Drop every entry of the cache but some, in order."""
        for layer in self._cache.layers:
            if layer.is_initialized:
                at = torch.tensor(places, dtype=torch.long, device=layer.keys.device)
                layer.keys, layer.values = layer.keys.index_select(-2, at), layer.values.index_select(-2, at)
        self._places = len(places)

    def _check_length(self, length: int) -> None:
        if length > self.model.context:
            got, remedy = f"{length} positions", "shorten the prompt, or draft less deep"
            raise InputError(f"at most {self.model.context} positions", got, f"context of {self.model.name}", remedy)
