"""Row 15: token-wise parts inside block verification, once harmless to the law and once not.

Block verification accepts the longest prefix that passes, with the joint ratio min(1, joint p / q) and residuals scaled
by it. With two tokens the residual has one, and the second fault is invisible: three are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from tevtheory.choices import Chooser
from tevtheory.faults.cases import Draft, Emit, Fault, Lengths
from tevtheory.faults.notation import ACCEPT, BONUS, DRAFT, Block, blocks, excess, lengths, row_of
from tevtheory.targets import Target
from tevtheory.weights import exact

Row = Sequence[Any]
Step = Callable[[Chooser], tuple[Hashable, Block]]

_FLAT = row_of("1/2 1/2 0")
_TARGET = Target.context_free(_FLAT)


def _in_blocks(step_wise: bool, residual_step_wise: bool) -> Emit:
    """Block verification of a chain of two (b, then a or c) against p = (1/2, 1/2, 0) everywhere."""
    p, draft_rows = _FLAT, (row_of("0 1 0"), row_of("1/4 0 3/4"))

    def emit(chooser: Chooser) -> Block:
        drafted = [chooser.choose(q, site=(DRAFT, depth)) for depth, q in enumerate(draft_rows)]
        carried, kept, joint = [exact(1)], 0, exact(1)
        for depth, (token, q) in enumerate(zip(drafted, draft_rows, strict=True), 1):
            joint = min(exact(1), joint * p[token] / q[token])
            carried.append(joint)
            if step_wise:
                accept = min(exact(1), p[token] / q[token])
                if kept == depth - 1 and chooser.flip(accept, site=(ACCEPT, depth)):
                    kept = depth
                continue
            if depth < len(drafted):
                left = sum(excess([joint * weight for weight in p], draft_rows[depth]))
                accept = left / (left + 1 - joint) if left else left
            else:
                accept = joint
            kept = depth if chooser.flip(accept, site=(ACCEPT, depth)) else kept
        if kept == len(drafted):
            row: Row = p
        else:
            scale = 1 if step_wise or residual_step_wise else carried[kept]
            row = excess([scale * weight for weight in p], draft_rows[kept])
        return (*drafted[:kept], chooser.choose(row, site=(BONUS, 0)))

    return emit


def _drafted(emit: Emit) -> Step:
    return lambda chooser: ("", emit(chooser))


BLOCK_VERIFICATION = (
    Fault(
        "15(i)",
        'token-wise acceptance under the name "block"',
        "vllm-project/vllm-ascend issue 7807, PR 7808",
        "A",
        Lengths(_in_blocks(True, True), _TARGET, _in_blocks(False, False)),
        lengths("1/2", "1/4", "1/4"),
        lengths("1/2", "3/8", "1/8"),
        "length",
    ),
    Fault(
        "15(ii)",
        "block acceptance with the token-wise residual",
        "vllm-project/vllm-ascend issue 7807, PR 7808",
        "LD",
        Draft(_drafted(_in_blocks(False, True)), _TARGET, _drafted(_in_blocks(False, False))),
        blocks("a 1/2, bb 1/4, baa 1/8, bab 1/8"),
        blocks("a 1/2, bb 1/6, ba 1/12, baa 1/8, bab 1/8"),
        "law",
    ),
)
