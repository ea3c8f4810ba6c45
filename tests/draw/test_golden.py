"""Golden pictures of three small trees, compared byte by byte.

After a wanted change, look at the new pictures (`git diff` shows what moved), and write them again:

    python -m tests.draw.test_golden
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.draw.pictures import WORDS
from tevtheory.draw import Mark, Picture, comparison_picture, tree_picture
from tevtheory.examples import C2
from tevtheory.laws import Law
from tevtheory.targets import Target, TargetTree
from tevtheory.trees import DraftTree, Exit

FOLDER = Path(__file__).parent / "golden"
BUSHY = TargetTree.of(DraftTree((-1, 0, 0, 0, 1, 1, 2, 4), (-1, 4, 2, 7, 5, 0, 8, 6)), Target.seeded(9, 2))
WRONG = Law({Exit(0, 1): "3/4", Exit(1, 0): "1/4"})


def pictures() -> dict[str, Picture]:
    return {
        "chain": tree_picture(C2, words=["a", "b"]),
        "bushy": tree_picture(BUSHY, words=WORDS, missing=2, max_nodes=7, marks=[Mark(4, 0, "for example")]),
        "comparison": comparison_picture(C2, WRONG, words=["a", "b"], name="a faulty verifier"),
    }


@pytest.mark.parametrize("name", ["chain", "bushy", "comparison"])
def test_a_picture_is_the_golden_one(name: str) -> None:
    assert pictures()[name].svg == (FOLDER / f"{name}.svg").read_text(encoding="utf-8")


def test_a_planted_change_of_a_number_makes_the_comparison_fail() -> None:
    changed = TargetTree(C2.tree, [["1/2", "1/2"], ["1/4", "3/4"], ["99/100", "1/100"]])
    golden = (FOLDER / "chain.svg").read_text(encoding="utf-8")
    assert tree_picture(changed, words=["a", "b"]).svg != golden
    assert tree_picture(C2, words=["a", "c"]).svg != golden


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for each, picture in pictures().items():
        picture.write(FOLDER / f"{each}.svg")
