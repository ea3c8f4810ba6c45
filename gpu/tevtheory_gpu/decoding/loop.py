"""The loop: draft, score, verify, commit.

Theorem (composition): if every call's verifier is exact on its tree, whatever the tree may be as a function of the prefix,
the text has the target's law. So nothing of a call may be carried over to the next but the prefix.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from tevtheory.errors import InputError
from tevtheory.exitlaw import truncated_ceiling
from tevtheory.trees import ROOT, DraftTree
from tevtheory_gpu.decoding.deciding import Decide, Turn
from tevtheory_gpu.decoding.generation import Block, Generation, Stop
from tevtheory_gpu.decoding.runs import Run
from tevtheory_gpu.decoding.stages import Clock

Drafting = Callable[[Sequence[int], int], DraftTree]
"""The draft tree after a prefix, no deeper than a depth; it may depend on nothing else that the verifier's draws touch."""


@dataclass(frozen=True)
class Limits:
    """When a text ends: after `tokens` new tokens, or with one of the tokens `ends`, which is its last.

    `context` is the number of positions there are, None without limit.
    """

    tokens: int
    ends: tuple[int, ...] = ()
    context: int | None = None

    def left(self, prefix: int) -> int:
        """How many tokens may follow a prefix of that length; raises InputError on a limit that leaves none."""
        if self.tokens < 1:
            raise InputError("at least 1 new token", str(self.tokens), "length limit", "raise it")
        if self.context is None:
            return self.tokens
        if prefix >= self.context:
            got, remedy = f"a prompt of {prefix} tokens", "shorten the prompt: a new token needs a place"
            raise InputError(f"fewer than {self.context} tokens", got, "context", remedy)
        return min(self.tokens, self.context - prefix)

    def reached(self, length: int) -> Stop:
        """Which limit a prefix has reached that has no room left."""
        return Stop.CONTEXT if length == self.context else Stop.LENGTH


def decode(
    run: Run,
    drafting: Drafting,
    decide: Decide,
    limits: Limits,
    on_block: Callable[[Block], Block | None] = lambda _: None,
    device: str = "cpu",
) -> Generation:
    """Generate until a token of `limits.ends` or the limit of length; at least one call is made.

    `on_block` hears of every block as it is made, and may return it with its text. Raises InputError on limits that leave
    nothing to generate.

    >>> from tevtheory.targets import Target
    >>> from tevtheory_gpu.decoding.runs import ToyRun
    >>> from tevtheory_gpu.decoding.deciding import by_batched
    >>> from tevtheory_gpu.verifiers.catalogue import find
    >>> run = ToyRun(Target.markov([0, 1, 0], [[0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    >>> chain = lambda prefix, deepest: DraftTree((-1, 0, 1), (-1, 1, 2))
    >>> done = decode(run, chain, by_batched(find("tev's walk"), seed=0), Limits(tokens=10, ends=(0,)))
    >>> done.tokens, str(done.blocks[0].ceiling), done.stop.value
    ((1, 2, 0), '3', 'end of text')
    """
    prefix, blocks = run.prefix, list[Block]()
    room = limits.left(len(prefix))
    while not blocks or blocks[-1].stop is None:
        block = _call(run, drafting, decide, limits, room, Turn(len(blocks), len(run.prefix)), Clock(device))
        room -= len(block.tokens)
        blocks.append(on_block(block) or block)
    return Generation(prefix, tuple(blocks))


def _call(  # noqa: PLR0913, PLR0917  (the state of the loop)
    run: Run, drafting: Drafting, decide: Decide, limits: Limits, room: int, turn: Turn, clock: Clock
) -> Block:
    """One block, of at most `room` tokens."""
    with clock.stage("draft"):
        tree = pruned(drafting(run.prefix, room - 1), limits.ends, room - 1)
    with clock.stage("target"):
        target = run.target_tree(tree)
    with clock.stage("verify"):
        chosen = decide(target, turn)
    with clock.stage("commit"):
        run.commit(chosen)
    tokens = (*tree.path(chosen.node), chosen.token)
    stop = Stop.END if tokens[-1] in limits.ends else limits.reached(len(run.prefix)) if len(tokens) == room else None
    return Block(tokens, tree.size, tree.depth, truncated_ceiling(target, room), clock.seconds, stop)


def pruned(tree: DraftTree, ends: Collection[int], deepest: int) -> DraftTree:
    """The tree without end-of-text nodes and what hangs below them, no deeper than `deepest`.

    Leaving the tree by an end-of-text token is then an ordinary exit, and a block fits into what may still be emitted.
    It is done before the target's pass, which then has less to do.

    >>> print(pruned(DraftTree((-1, 0, 0, 1, 2, 3), (-1, 1, 2, 1, 1, 1)), ends=(2,), deepest=2))
    [1 [1]]
    """
    if deepest >= tree.depth and not set(ends) & set(tree.tokens):
        return tree
    kept = {ROOT}
    for v in range(1, tree.size):
        if tree.parents[v] in kept and tree.tokens[v] not in ends and tree.depths[v] <= deepest:
            kept.add(v)
    return tree.restricted(sorted(kept))[0]
