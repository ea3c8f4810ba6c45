"""Rows that stay where the target's pass left them: a verifier on the same device reads them there, without a copy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from tevtheory.rows import FloatRow, Row, float_vector


class RowMatrix:
    """Float64 rows of N nodes, shape [N, V]; brought to the host once, when somebody reads a row as a whole."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor

    @cached_property
    def totals(self) -> list[float]:
        """The sum of every row."""
        return [float(total) for total in self.tensor.sum(1).tolist()]

    @cached_property
    def host(self) -> npt.NDArray[np.float64]:
        """All rows, read-only; on a CPU they share the tensor's memory."""
        array = np.asarray(self.tensor.cpu().numpy()).view()
        array.flags.writeable = False
        return array

    def rows(self) -> list[TensorRow]:
        """The rows one by one.

        >>> row = RowMatrix(torch.tensor([[0.25, 0.75]], dtype=torch.float64)).rows()[0]
        >>> row[1], row.total(), row.largest(1), row == FloatRow([0.25, 0.75])
        (0.75, 1.0, [(1, 0.75)], True)
        """
        return [TensorRow(self, node) for node in range(len(self.tensor))]


class TensorRow(FloatRow):
    """One row of a matrix; single weights and totals are read on its device."""

    __slots__ = ("matrix", "node")

    def __init__(self, matrix: RowMatrix, node: int) -> None:
        self.matrix, self.node = matrix, node

    @property
    def vector(self) -> npt.NDArray[np.float64]:  # type: ignore[override]  # read-only here as there
        """The row on the host."""
        row: npt.NDArray[np.float64] = self.matrix.host[self.node]
        return row

    def __getitem__(self, token: Any) -> Any:
        return float(self.matrix.tensor[self.node, token])

    def __len__(self) -> int:
        return int(self.matrix.tensor.shape[1])

    def total(self) -> float:
        """Sum of the row."""
        return self.matrix.totals[self.node]

    def outside(self, tokens: Iterable[int]) -> float:
        """Mass of all tokens but the given ones."""
        mask = torch.ones(len(self), dtype=torch.bool, device=self.matrix.tensor.device)
        mask[list(tokens)] = False
        return float(self.matrix.tensor[self.node][mask].sum())


def matrix_of(rows: Sequence[Row]) -> torch.Tensor:
    """Rows as one float64 tensor [N, V]: where they are all rows of one matrix, in order, that very tensor."""
    first = rows[0]
    if isinstance(first, TensorRow) and len(rows) == len(first.matrix.tensor):
        here = [
            isinstance(row, TensorRow) and row.matrix is first.matrix and row.node == i for i, row in enumerate(rows)
        ]
        if all(here):
            return first.matrix.tensor
    return torch.from_numpy(np.stack([float_vector(row) for row in rows]))
