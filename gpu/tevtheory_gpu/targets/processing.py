"""Processed rows: temperature, truncation and penalties, at every node with the state of the node's own path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import (
    LogitsProcessorList,
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from tevtheory.errors import InputError
from tevtheory.rows import FloatRow
from tevtheory.targets import TargetTree
from tevtheory.trees import DraftTree
from tevtheory_gpu.targets.tree_pass import TreePass


@dataclass(frozen=True)
class Sampling:
    """How a next token is sampled, in transformers' terms and by transformers' own processors.

    Temperature 0 takes the largest logit after the penalty, of tied ones the lowest id; the truncations then change
    nothing. None (top-k, top-p, min-p) and 1 (repetition penalty) switch a processor off. Raises InputError on a value out
    of range.

    >>> Sampling(top_p=1.5)
    Traceback (most recent call last):
    tevtheory.errors.InputError: sampling, top_p: expected 0 < top_p <= 1, got 1.5; correct it
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repetition_penalty: float = 1.0

    def __post_init__(self) -> None:
        _check("temperature", self.temperature, "temperature >= 0", _number(self.temperature) >= 0)
        whole = isinstance(self.top_k, int) and not isinstance(self.top_k, bool)
        _check("top_k", self.top_k, "an integer top_k >= 1", self.top_k is None or (whole and self.top_k >= 1))
        _check("top_p", self.top_p, "0 < top_p <= 1", self.top_p is None or 0 < _number(self.top_p) <= 1)
        _check("min_p", self.min_p, "0 <= min_p <= 1", self.min_p is None or 0 <= _number(self.min_p) <= 1)
        penalty = self.repetition_penalty
        _check("repetition_penalty", penalty, "repetition_penalty > 0", _number(penalty) > 0)

    def processors(self) -> Any:
        """All processors in the order of transformers' `generate`; at temperature 0 only those before the argmax."""
        return LogitsProcessorList([*self._of_the_path(), *self._of_the_row()])

    def rows(self, logits: torch.Tensor, prefix_ids: Sequence[int], tree: DraftTree) -> torch.Tensor:
        """The processed float32 logits [N, V]; row v is processed with the ids of the prefix and of the path to v.

        `logits` is [N, V]; the result's softmax is the sampled law, and tokens that cannot come have -inf. At
        temperature 0 a row is 0 at one token and -inf elsewhere. Raises InputError on another shape or a logit that is
        not finite.
        """
        scores = self._penalised(logits, prefix_ids, tree)
        if self.temperature == 0:
            return _greedy(scores)
        # Once for all nodes: these look at the row alone, so the ids that they are handed do not matter.
        anything = torch.zeros(tree.size, 1, dtype=torch.long, device=scores.device)
        for processor in self._of_the_row():
            scores = processor(anything, scores)
        return scores

    def ties(self, logits: torch.Tensor, prefix_ids: Sequence[int], tree: DraftTree) -> int:
        """The number of nodes whose largest logit, after the penalty, is shared: there temperature 0 took the lowest id."""
        scores = self._penalised(logits, prefix_ids, tree)
        return int(((scores == scores.amax(-1, keepdim=True)).sum(-1) > 1).sum())

    def _of_the_path(self) -> list[Any]:
        penalty = float(self.repetition_penalty)
        return [] if penalty == 1 else [RepetitionPenaltyLogitsProcessor(penalty)]

    def _of_the_row(self) -> list[Any]:
        if self.temperature == 0:
            return []
        made = [] if self.temperature == 1 else [TemperatureLogitsWarper(float(self.temperature))]
        made += [] if self.top_k is None else [TopKLogitsWarper(self.top_k)]
        made += [] if self.top_p is None or self.top_p == 1 else [TopPLogitsWarper(float(self.top_p))]
        return made + ([] if self.min_p is None else [MinPLogitsWarper(float(self.min_p))])

    def _penalised(self, logits: torch.Tensor, prefix_ids: Sequence[int], tree: DraftTree) -> torch.Tensor:
        _check_logits(logits, tree)
        scores = logits.float()
        for processor in self._of_the_path():
            # By levels: paths of one length make one batch of ids, without padding that a processor could take for ids.
            for nodes, ids in levels(prefix_ids, tree):
                at, batch = torch.tensor(nodes, device=scores.device), torch.tensor(ids, device=scores.device)
                scores = scores.index_copy(0, at, processor(batch, scores[at]))
        return scores


def levels(prefix_ids: Sequence[int], tree: DraftTree) -> list[tuple[list[int], list[list[int]]]]:
    """For each depth its nodes, and for each of these the ids of the prefix and of its path.

    >>> levels([8], DraftTree((-1, 0, 0), (-1, 5, 6)))
    [([0], [[8]]), ([1, 2], [[8, 5], [8, 6]])]
    """
    made: list[tuple[list[int], list[list[int]]]] = [([], []) for _ in range(tree.depth + 1)]
    for v, depth in enumerate(tree.depths):
        made[depth][0].append(v)
        made[depth][1].append([*prefix_ids, *tree.path(v)])
    return made


def target_tree(run: TreePass, tree: DraftTree, sampling: Sampling) -> TargetTree:
    """The draft tree with the target's processed float64 row at every node, by one forward.

    "The exact law of the float32 rows" is the law of this object: the logits that this one forward gave, rounded to
    float32 and processed in float32, are taken as exact numbers x; a row holds the float64 values of exp(x - max x)
    divided by their sum, and the law at a node is that row divided by its total in real numbers. So it is a law of stored
    numbers: a verifier that reads the same rows is compared with it without any tolerance, and nothing is claimed about
    the logits of another batch, device or number type.
    """
    logits = run.score(tree)
    rows = float64_rows(sampling.rows(logits, run.prefix, tree))
    return TargetTree(tree, [FloatRow(row) for row in rows.cpu().numpy()])


def float64_rows(processed: torch.Tensor) -> torch.Tensor:
    """The softmax, in float64, of processed float32 logits [N, V]; -inf gives exactly 0."""
    return torch.softmax(processed.double(), dim=-1)


def _greedy(scores: torch.Tensor) -> torch.Tensor:
    """0 at the lowest id of the largest score, -inf elsewhere."""
    width = scores.shape[-1]
    ids = torch.arange(width, device=scores.device)
    lowest = torch.where(scores == scores.amax(-1, keepdim=True), ids, width).amin(-1, keepdim=True)
    return torch.full_like(scores, -math.inf).scatter(-1, lowest, 0.0)


def _number(value: object) -> float:
    """A finite float, or NaN, which no range contains."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if good else math.nan  # type: ignore[arg-type]  # good says that it is a number


def _check(name: str, value: object, expected: str, good: bool) -> None:
    if not good:
        raise InputError(expected, repr(value), f"sampling, {name}", "correct it")


def _check_logits(logits: torch.Tensor, tree: DraftTree) -> None:
    if logits.ndim != 2 or logits.shape[0] != tree.size:
        got = f"shape {tuple(logits.shape)}"
        raise InputError(f"logits [{tree.size}, V]", got, "rows", "give one row of logits for each node")
    if not bool((finite := torch.isfinite(logits).all(-1)).all()):
        node = int((~finite).nonzero()[0, 0])
        remedy = "use dtype float32; float16 can overflow"
        raise InputError("finite logits", "NaN or an infinity", f"logits of node {node}", remedy)
