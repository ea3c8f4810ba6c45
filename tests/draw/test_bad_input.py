"""Bad input: what was expected, what came, where, and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sympy

from tests.draw.pictures import model_like
from tevtheory.draw import Mark, comparison_picture, law_table, report_picture, tree_picture
from tevtheory.errors import InputError
from tevtheory.examples import C2
from tevtheory.laws import Law
from tevtheory.targets import TargetTree
from tevtheory.trees import DraftTree, Exit


def said(error: pytest.ExceptionInfo[InputError]) -> str:
    return str(error.value)


def test_a_tree_too_large_to_draw() -> None:
    size = 20_001
    tree = DraftTree((-1, *[0] * (size - 1)), (-1, *range(size - 1)))
    with pytest.raises(InputError) as error:
        tree_picture(tree)
    assert said(error) == (
        "picture: expected at most 20,000 nodes, got 20,001; draw a subtree: target.restricted(nodes)"
    )


def test_the_largest_tree_is_drawn() -> None:
    size = 20_000
    tree = DraftTree((-1, *[0] * (size - 1)), (-1, *range(size - 1)))
    assert "19,904 more nodes" in tree_picture(tree).svg


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["a\udc80"],
            r"words, token 0: expected text that UTF-8 can hold, got 'a\udc80'; decode tokens with errors=",
        ),
        ({0: b"\xff"}, r"words, token 0: expected text that UTF-8 can hold, got b'\xff'; decode tokens with "),
        ({0: 7}, "words, token 0: expected text, got the int 7; give the token as a string"),
        (["a"], "words: expected a text for token 1, got 1 texts; give one text per token, or a map"),
        ("ab", "words: expected a map, a list or a function from tokens to text, got the str 'ab'; write {3:"),
        (7, "words: expected a map, a list or a function from tokens to text, got the int 7; write {3:"),
        (lambda _: None, None),
    ],
)
def test_words_that_are_no_text(words: Any, message: str | None) -> None:
    if message is None:
        assert "⟨0⟩" in tree_picture(C2, words=words).svg
        return
    with pytest.raises(InputError) as error:
        tree_picture(C2, words=words)
    assert said(error).startswith(message)


@pytest.mark.parametrize("outcome", [Exit(9, 0), Exit(0, 5), "ab", Exit(-1, 0)])
def test_a_law_of_another_tree(outcome: Any) -> None:
    law: Law[Any] = Law({outcome: 1})
    for draw in (lambda: comparison_picture(C2, law), lambda: law_table(law, C2)):
        with pytest.raises(InputError) as error:
            draw()
        expected = f"law: expected a node in 0..2 and a token in 0..1, got {outcome!r}; "
        assert said(error) == f"{expected}give a law over the exits of this very tree"


def test_symbolic_rows() -> None:
    p = sympy.Symbol("p")
    target = TargetTree(DraftTree((-1,), (-1,)), [[p, 1 - p]])
    with pytest.raises(InputError) as error:
        tree_picture(target)
    assert said(error) == "picture: expected exact or float rows, got symbolic ones; put numbers in for the symbols"


def test_a_comparison_too_large() -> None:
    with pytest.raises(InputError, match=r"expected at most 200,000 nodes times tokens, got 204,800; compare on"):
        comparison_picture(model_like(512), Law({Exit(0, 0): 1.0}))


def test_things_that_are_no_trees() -> None:
    with pytest.raises(InputError, match="expected a target tree or a draft tree, got the int 7"):
        tree_picture(7)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="expected a target tree, got a draft tree"):
        comparison_picture(C2.tree, Law({Exit(0, 0): 1}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": -1}, "picture: expected missing >= 0, got -1; give the number of tokens per stub"),
        ({"max_nodes": 0}, "picture: expected max_nodes >= 1, got 0; draw the root at least"),
        ({"width": 3}, "picture width: expected a width of at least 100, got 3; give pixels as an integer, or None"),
        ({"width": 300.5}, "picture width: expected a width of at least 100, got 300.5; "),
        ({"marks": [Mark(3)]}, "picture, marks: expected a node in 0..2, got 3; use this tree's nodes"),
        ({"marks": [Mark(0, 2)]}, "picture, marks: expected a token in 0..1, got 2; use this tree's tokens"),
    ],
)
def test_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        tree_picture(C2, **options)
    assert said(error).startswith(message)


def test_a_monte_carlo_report_on_another_tree() -> None:
    from tevtheory.conformance.montecarlo import montecarlo

    class Deepest:
        def sample(self, size: int, rng: Any) -> Any:  # noqa: ARG002
            import numpy as np

            return np.full(size, 2), np.zeros(size, dtype=np.int64)

    report = montecarlo(Deepest(), C2, samples=1000)
    with pytest.raises(InputError, match=r"picture, marks: expected a node in 0\.\.0, got 1"):
        report_picture(report, TargetTree(DraftTree((-1,), (-1,)), [["1/2", "1/2"]]))


def test_a_path_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a path to write to, got a folder"):
        tree_picture(C2).write(tmp_path)
    with pytest.raises(InputError, match="expected a folder to write in"):
        tree_picture(C2).write(tmp_path / "no" / "such.svg")
