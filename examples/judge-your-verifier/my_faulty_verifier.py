"""The same verifier with a fault from the field: the bonus token is drawn from the full row, refused children included."""

from tevtheory.conformance import CHILD_MAPS, over_generator
from tevtheory.verdicts import Verdict


def verify(rows, parents, child_maps, rng):  # noqa: ARG001  (this layout passes the parents too)
    """Walk down the tree; the residual is used for the tests, and forgotten for the bonus."""
    path = [0]
    while True:
        row = rows[path[-1]]
        left = row.copy()
        for token, child in child_maps[path[-1]].items():
            if rng.random() * left.sum() < left[token]:
                path.append(child)
                break
            left[token] = 0
        else:
            return path, rng.choice(len(row), p=row)


VERIFIER = over_generator(verify, layout=CHILD_MAPS, name="my faulty verifier", claim=Verdict.CANONICAL)
