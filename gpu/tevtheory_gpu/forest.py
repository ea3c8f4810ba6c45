"""Many target trees as padded tensors: what the batched verifiers read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from tevtheory.errors import InputError
from tevtheory.rows import Row, float_vector
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import DraftTree


@dataclass(frozen=True, eq=False)
class Forest:
    """T target trees padded to N nodes over V tokens; node v of tree t has the flat number t N + v.

    Shapes: `parents`, `tokens` (T N,) int64, -1 at roots and padding, parents as flat numbers; `depths` (T N,); `rows`
    (T N, V) next-token weights, which need no normalisation and may hold anything at padding; `proposals` likewise.
    `trees` are the trees without padding.
    """

    trees: tuple[DraftTree, ...]
    parents: Tensor
    tokens: Tensor
    depths: Tensor
    rows: Tensor
    proposals: Tensor | None = None

    @classmethod
    def of(
        cls,
        problems: Sequence[TargetTree | Problem],
        dtype: torch.dtype = torch.float64,
        device: str | torch.device = "cpu",
    ) -> Forest:
        """Pad target trees, or problems with proposals; exact rows are rounded to `dtype`.

        Raises InputError on no tree, or trees over different vocabularies. Padding is filled with NaN.

        >>> from tevtheory.examples import C2
        >>> forest = Forest.of([C2])
        >>> forest.tokens.tolist(), tuple(forest.rows.shape)
        ([-1, 0, 1], (3, 2))
        """
        targets = [entry.target if isinstance(entry, Problem) else entry for entry in problems]
        given = [entry.proposals if isinstance(entry, Problem) else None for entry in problems]
        vocabularies = {target.vocabulary for target in targets}
        if len(vocabularies) != 1:
            got = "no tree" if not targets else f"vocabularies {sorted(vocabularies)}"
            raise InputError("trees over one vocabulary", got, "forest", "give at least one tree, all of one target")
        (vocabulary,) = vocabularies
        nodes = max(target.tree.size for target in targets)
        rows = torch.full((len(targets), nodes, vocabulary), float("nan"), dtype=dtype)
        proposals = torch.full_like(rows, float("nan")) if all(given) else None
        for t, target in enumerate(targets):
            rows[t, : target.tree.size] = _matrix(target.rows, dtype)
            if proposals is not None:
                proposals[t, : target.tree.size] = _matrix(given[t] or (), dtype)
        return cls.from_rows([target.tree for target in targets], rows.to(device), proposals)

    @classmethod
    def from_rows(cls, trees: Sequence[DraftTree], rows: Tensor, proposals: Tensor | None = None) -> Forest:
        """Take trees and their rows, shape (T, N, V), without a copy; everything lives on the device of the rows."""
        count, nodes, vocabulary = rows.shape
        if count != len(trees) or any(tree.size > nodes for tree in trees):
            got = f"rows of shape {tuple(rows.shape)}"
            most = max((tree.size for tree in trees), default=0)
            raise InputError(f"rows for {len(trees)} trees of up to {most} nodes", got, "forest", "pad the rows")
        parents, tokens, depths = (torch.full((count, nodes), fill, dtype=torch.int64) for fill in (-1, -1, 0))
        for t, tree in enumerate(trees):
            parents[t, 1 : tree.size] = torch.tensor(tree.parents[1:], dtype=torch.int64) + t * nodes
            tokens[t, : tree.size] = torch.tensor(tree.tokens)
            depths[t, : tree.size] = torch.tensor(tree.depths)
        parents, tokens, depths = (part.reshape(-1).to(rows.device) for part in (parents, tokens, depths))
        flat = None if proposals is None else proposals.to(rows.device).reshape(-1, vocabulary)
        return cls(tuple(trees), parents, tokens, depths, rows.reshape(-1, vocabulary), flat)

    @property
    def nodes(self) -> int:
        """N, the padded number of nodes a tree."""
        return len(self.parents) // len(self.trees)

    @property
    def vocabulary(self) -> int:
        """V, the number of tokens."""
        return int(self.rows.shape[1])

    @property
    def device(self) -> torch.device:
        """Where the tensors live."""
        return self.rows.device

    def roots(self, size: int) -> Tensor:
        """Flat roots of a batch of `size` rows: row b belongs to tree b modulo T."""
        return torch.arange(size, device=self.device) % len(self.trees) * self.nodes

    def local(self, nodes: Tensor) -> Tensor:
        """Node numbers within their own trees."""
        return nodes % self.nodes

    @cached_property
    def valid(self) -> Tensor:
        """Which flat nodes are no padding: shape (T N,)."""
        sizes = torch.tensor([tree.size for tree in self.trees], device=self.device)
        return (torch.arange(self.nodes, device=self.device) < sizes[:, None]).reshape(-1)

    @cached_property
    def children(self) -> Tensor:
        """Flat children in order, -1 behind the last: shape (T N, C), C at least 1."""
        lists = [
            [child + t * self.nodes for child in tree.children[v]] if v < tree.size else []
            for t, tree in enumerate(self.trees)
            for v in range(self.nodes)
        ]
        width = max([1, *map(len, lists)])
        padded = [entry + [-1] * (width - len(entry)) for entry in lists]
        return torch.tensor(padded, dtype=torch.int64, device=self.device)

    @cached_property
    def edges(self) -> Tensor:
        """The parent's weight of each child, aligned with `children`, 0 at padding: shape (T N, C)."""
        tokens = torch.where(self.children >= 0, self.tokens[self.children], 0)
        return torch.where(self.children >= 0, self.rows.gather(1, tokens), 0)

    @cached_property
    def child_of(self) -> Tensor:
        """The flat child along a token, or -1: shape (T N, V), int32."""
        table = torch.full_like(self.rows, -1, dtype=torch.int32)
        below = (self.parents >= 0).nonzero().squeeze(1)
        table[self.parents[below], self.tokens[below]] = below.to(torch.int32)
        return table

    @cached_property
    def bonus(self) -> Tensor:
        """The rows with the children's tokens set to 0: shape (T N, V)."""
        masked = self.rows.clone()
        below = self.parents >= 0
        masked[self.parents[below], self.tokens[below]] = 0
        return masked


def _matrix(rows: Sequence[Row], dtype: torch.dtype) -> Tensor:
    return torch.from_numpy(np.stack([float_vector(row) for row in rows])).to(dtype)
