"""A verifier as a project would have it: plain numpy over child maps, and one line that tells tevtheory its form."""

from tevtheory.conformance import CHILD_MAPS, over_generator
from tevtheory.verdicts import Verdict


def verify(rows, parents, child_maps, rng):  # noqa: ARG001  (this layout passes the parents too)
    """Walk down the tree, and return the accepted path from node 0 and the bonus token.

    The children of a node are tested in order, each against the mass that the refused ones left; when all are refused, the
    bonus token is drawn from what is left. `rows` has shape (nodes, vocabulary), `child_maps[v]` maps tokens to nodes.
    """
    path = [0]
    while True:
        left = rows[path[-1]].copy()
        for token, child in child_maps[path[-1]].items():
            if rng.random() * left.sum() < left[token]:
                path.append(child)
                break
            left[token] = 0
        else:
            return path, rng.choice(len(left), p=left / left.sum())


VERIFIER = over_generator(verify, layout=CHILD_MAPS, name="my verifier", claim=Verdict.CANONICAL)
