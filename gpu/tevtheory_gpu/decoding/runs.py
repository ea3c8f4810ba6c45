"""What the loop needs of a target: the prefix so far, processed rows on a draft tree, and a way to go on.

A language model and a toy target with memory look the same to the loop; so the loop that serves the model is the very one
whose law is enumerated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tevtheory.targets import Prefix, Target, TargetTree
from tevtheory.trees import DraftTree, Exit
from tevtheory_gpu.decoding.tensor_rows import RowMatrix
from tevtheory_gpu.targets import LanguageModel, Sampling, TreePass, float64_rows


class Run(Protocol):
    """A target over one growing prefix."""

    @property
    def prefix(self) -> Prefix:
        """The tokens so far."""

    def target_tree(self, tree: DraftTree) -> TargetTree:
        """The draft tree with the target's row after the prefix and each node's path."""

    def commit(self, end: Exit) -> None:
        """Append the path to a node of the tree just scored, then the bonus token."""


class ModelRun:
    """A language model as a run; `ties` counts the scored nodes where temperature 0 chose among equal largest logits.

    >>> from tevtheory_gpu.targets import tiny_target
    >>> run = ModelRun(tiny_target(vocabulary=10), [1, 2, 3], Sampling())
    >>> run.target_tree(DraftTree((-1, 0), (-1, 5))).vocabulary
    10
    >>> run.commit(Exit(1, 7))
    >>> run.prefix
    (1, 2, 3, 5, 7)
    """

    def __init__(self, model: LanguageModel, prefix_ids: Sequence[int], sampling: Sampling) -> None:
        self.sampling, self.ties = sampling, 0
        self._pass = TreePass(model, prefix_ids)

    @property
    def prefix(self) -> Prefix:
        """The tokens so far."""
        return self._pass.prefix

    def target_tree(self, tree: DraftTree) -> TargetTree:
        """As `tevtheory_gpu.targets.target_tree`, which says what the law of these rows is; the rows stay on the device."""
        logits = self._pass.score(tree)
        if self.sampling.temperature == 0:
            self.ties += self.sampling.ties(logits, self.prefix, tree)
        rows = float64_rows(self.sampling.rows(logits, self.prefix, tree))
        return TargetTree(tree, RowMatrix(rows).rows())

    def commit(self, end: Exit) -> None:
        """Keep the accepted path's keys and values."""
        self._pass.commit(end.node, end.token)


class ToyRun:
    """A toy target, with memory or without, as a run; its rows may be exact.

    >>> run = ToyRun(Target.context_free(["1/3", "2/3"]))
    >>> chain = run.target_tree(DraftTree((-1, 0), (-1, 1)))
    >>> run.commit(Exit(1, 0))
    >>> str(chain.rows[1][1]), run.prefix
    ('2/3', (1, 0))
    """

    def __init__(self, target: Target, prefix: Sequence[int] = ()) -> None:
        self.target, self.prefix = target, tuple(prefix)
        self._tree: DraftTree | None = None

    def target_tree(self, tree: DraftTree) -> TargetTree:
        """The target's rows after the prefix and each path."""
        self._tree = tree
        return TargetTree(tree, [self.target.row((*self.prefix, *tree.path(v))) for v in range(tree.size)])

    def commit(self, end: Exit) -> None:
        """Append the block."""
        path = () if self._tree is None else self._tree.path(end.node)
        self.prefix = (*self.prefix, *path, end.token)
