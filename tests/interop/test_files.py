from __future__ import annotations

import json
import operator
import os
import zipfile
from collections.abc import Callable
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from tests.interop.test_layouts import draft_trees, steady
from tevtheory.errors import InputError
from tevtheory.examples import C2
from tevtheory.exitlaw.flow import ceiling
from tevtheory.interop import (
    ProblemFile,
    parse_problem,
    problem_data,
    read_npz,
    read_problem,
    write_npz,
    write_problem,
    write_text,
)
from tevtheory.rows import FloatRow, Row, make_row
from tevtheory.targets import Problem, Target, TargetTree
from tevtheory.trees import DraftTree

EXAMPLE = Path(__file__).parents[2] / "examples" / "c2.json"
COIN = ["1/2", "1/2"]
BIASED = ["1/4", "3/4"]
FAIR = [0.5, 0.5]
EDGE = DraftTree((-1, 0), (-1, 1))
PLAIN = Problem(TargetTree(EDGE, [COIN, BIASED]))
FLOATS = Problem(TargetTree(EDGE, [FAIR, [0.25, 0.75]]))
SYMBOLS = Problem(TargetTree(EDGE, [[sympy.Symbol("x"), 1 - sympy.Symbol("x")]] * 2))


def row(values: Any) -> Row:
    return make_row(values, "row")


def data(**changes: Any) -> dict[str, Any]:
    """A problem of one node over the names a and b, with other entries."""
    return {"vocabulary": ["a", "b"], "nodes": [{"row": COIN}], **changes}


def edge(**changes: Any) -> dict[str, Any]:
    """A problem of two nodes over the names a and b, with other entries of the second."""
    return data(nodes=[{"row": COIN}, {"parent": 0, "token": "b", "row": COIN, **changes}])


def ids(**changes: Any) -> dict[str, Any]:
    """A problem of one node over two ids, with other entries of the node."""
    return {"vocabulary": 2, "nodes": [{"row": COIN, **changes}]}


@st.composite
def problem_files(draw: st.DrawFn) -> ProblemFile:
    """Random problems, exact or float, with or without names, proposals and an end token."""
    tree = draw(draft_trees())
    size = tree.size + draw(st.integers(0, 2))
    weights = st.lists(st.integers(0, 9), min_size=size, max_size=size)
    divide: Any = draw(st.sampled_from([Fraction, operator.truediv]))

    def rows() -> list[list[Any]]:
        drawn = [[1 + first, *rest] for first, *rest in (draw(weights) for _ in range(tree.size))]
        return [[divide(weight, sum(entry)) for weight in entry] for entry in drawn]

    target = TargetTree(tree, rows())
    problem = Problem(target, draw(st.sampled_from([None, rows()])))
    names = draw(st.none() | st.lists(st.text(), min_size=size, max_size=size, unique=True).map(tuple))
    return ProblemFile(problem, names, draw(st.none() | st.integers(0, size - 1)))


@steady
@given(problem_files())
def test_plain_data_is_parsed_back(file: ProblemFile) -> None:
    assert parse_problem(problem_data(file)) == file


@steady
@given(problem_files())
def test_json_text_is_parsed_back(file: ProblemFile) -> None:
    assert parse_problem(json.loads(json.dumps(problem_data(file)))) == file


@pytest.mark.parametrize(
    "file",
    [
        ProblemFile(PLAIN),
        ProblemFile(PLAIN, ("a", "b"), 1),
        ProblemFile(PLAIN, ("\N{GREEK SMALL LETTER ALPHA}", ""), 0),
        ProblemFile(FLOATS),
        ProblemFile(FLOATS, ("a", "b")),
        ProblemFile(Problem(PLAIN.target, [BIASED, COIN]), ("a", "b")),
        ProblemFile(Problem(FLOATS.target, [[0.1, 0.9], [1.0, 0.0]])),
        ProblemFile(Problem(TargetTree(EDGE, [[0.1, 0.2], [1 / 3, 1e-300]]))),
        ProblemFile(Problem(TargetTree(DraftTree((-1,), (-1,)), [COIN]))),
    ],
)
def test_a_written_problem_is_read_back(file: ProblemFile, tmp_path: Path) -> None:
    write_problem(file, tmp_path / "problem.json")
    assert read_problem(tmp_path / "problem.json") == file


def test_a_long_chain_is_read_back(tmp_path: Path) -> None:
    chain = DraftTree(range(-1, 2000), (-1, *[0, 1] * 1000))
    file = ProblemFile(Problem(TargetTree(chain, [row(COIN)] * chain.size)))
    write_problem(file, tmp_path / "problem.json")
    assert read_problem(tmp_path / "problem.json") == file


def test_the_example_is_c2() -> None:
    assert read_problem(EXAMPLE).problem == Problem(C2)


def test_the_ceiling_of_the_example() -> None:
    assert ceiling(read_problem(EXAMPLE).problem.target) == Fraction(15, 8)


def test_the_names_of_the_example() -> None:
    assert read_problem(str(EXAMPLE)).names == ("a", "b")


def test_the_example_has_one_row_off_the_tree() -> None:
    off_tree = read_problem(EXAMPLE).off_tree
    assert off_tree is not None
    assert [off_tree.row(prefix) for prefix in [(1,), (0, 1, 1), (0,)]] == [row(COIN), row(COIN), row(BIASED)]


def test_exact_numbers_are_written_as_text() -> None:
    assert problem_data(ProblemFile(PLAIN)) == {
        "vocabulary": 2,
        "nodes": [{"row": ["1/2", "1/2"]}, {"parent": 0, "token": 1, "row": ["1/4", "3/4"]}],
    }


def test_floats_are_written_as_numbers() -> None:
    assert [node["row"] for node in problem_data(ProblemFile(FLOATS))["nodes"]] == [[0.5, 0.5], [0.25, 0.75]]


def test_names_are_written_for_tokens() -> None:
    file = ProblemFile(Problem(PLAIN.target, [COIN, COIN]), ("x", "y"), 0)
    fair = {"x": "1/2", "y": "1/2"}
    assert problem_data(file) == {
        "vocabulary": ["x", "y"],
        "nodes": [
            {"row": fair, "proposal": fair},
            {"parent": 0, "token": "y", "row": {"x": "1/4", "y": "3/4"}, "proposal": fair},
        ],
        "end": "x",
    }


def test_a_written_file_ends_with_a_line_end(tmp_path: Path) -> None:
    write_problem(ProblemFile(PLAIN), tmp_path / "problem.json")
    assert (tmp_path / "problem.json").read_bytes().endswith(b"}\n")


@pytest.mark.parametrize(
    ("given_row", "expected"),
    [
        (["1/4", "3/4"], BIASED),
        ({"a": "1/4", "b": "3/4"}, BIASED),
        ({"b": "3/4", "a": "1/4"}, BIASED),
        ({"b": 1}, [0, 1]),
        ([0, 1], [0, 1]),
        (["0.25", "0.75"], BIASED),
        ([0.25, 0.5], [0.25, 0.5]),
        ({"b": 0.5}, [0.0, 0.5]),
    ],
)
def test_rows_with_names(given_row: Any, expected: Any) -> None:
    assert parse_problem(data(nodes=[{"row": given_row}])).problem.rows == (row(expected),)


@pytest.mark.parametrize(
    ("given_row", "expected"),
    [(["1/4", "3/4"], BIASED), ({"0": "1/4", "1": "3/4"}, BIASED), ({"1": 1}, [0, 1]), ({"1": 0.5}, [0.0, 0.5])],
)
def test_rows_with_ids(given_row: Any, expected: Any) -> None:
    assert parse_problem(ids(row=given_row)).problem.rows == (row(expected),)


def test_names_may_look_like_numbers() -> None:
    file = parse_problem({"vocabulary": ["1", "0"], "nodes": [{"row": {"1": "1/4", "0": "3/4"}}], "end": "0"})
    assert (file.problem.rows, file.end) == ((row(BIASED),), 1)


def test_the_tree_of_a_file() -> None:
    assert parse_problem(edge()).problem.tree == EDGE


def test_tokens_may_be_ids() -> None:
    nodes = [{"row": COIN}, {"parent": 0, "token": 1, "row": COIN}]
    assert parse_problem({"vocabulary": 2, "nodes": nodes}).problem.tree == EDGE


def test_a_file_may_have_a_comment() -> None:
    assert parse_problem(data(comment="a coin")) == parse_problem(data())


@pytest.mark.parametrize(("given_data", "end"), [(data(), None), (data(end="b"), 1), ({**ids(), "end": 0}, 0)])
def test_the_end_token(given_data: Any, end: int | None) -> None:
    assert parse_problem(given_data).end == end


def test_the_names_of_tokens() -> None:
    assert ProblemFile(PLAIN, ("a", "b")).name(1) == "b"


def test_tokens_without_names_are_shown_as_ids() -> None:
    assert ProblemFile(PLAIN).name(1) == "1"


@pytest.mark.parametrize(("tokens", "text"), [((), "(root)"), ((0,), "a"), ((1, 0, 1), "b a b")])
def test_the_text_of_several_tokens(tokens: tuple[int, ...], text: str) -> None:
    assert ProblemFile(PLAIN, ("a", "b")).string(tokens) == text


def test_a_file_without_proposals_has_none() -> None:
    assert parse_problem(edge()).problem.proposals is None


def test_proposals_are_read() -> None:
    nodes = [{"row": COIN, "proposal": BIASED}, {"parent": 0, "token": "a", "row": COIN, "proposal": {"b": 1}}]
    assert parse_problem(data(nodes=nodes)).problem.proposals == (row(BIASED), row([0, 1]))


def test_a_node_without_a_proposal_has_the_uniform_one() -> None:
    assert parse_problem(edge(proposal=BIASED)).problem.proposals == (row(COIN), row(BIASED))


def test_a_node_without_a_proposal_has_the_uniform_one_in_floats() -> None:
    nodes = [{"row": FAIR, "proposal": [0.25, 0.75]}, {"parent": 0, "token": "a", "row": FAIR}]
    assert parse_problem(data(nodes=nodes)).problem.proposals == (row([0.25, 0.75]), row(FAIR))


def test_a_file_without_rows_off_the_tree_has_no_target() -> None:
    assert parse_problem(data()).off_tree is None


def off_tree(*entries: Any) -> Target:
    target = parse_problem(edge() | {"off_tree": list(entries)}).off_tree
    assert target is not None
    return target


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [((), COIN), ((1,), COIN), ((0,), BIASED), ((0, 1), [1, 0]), ((1, 1), [0, 1]), ((0, 0, 0), [0, 1])],
)
def test_rows_off_the_tree(prefix: tuple[int, ...], expected: Any) -> None:
    target = off_tree({"after": ["a"], "row": BIASED}, {"after": ["a", "b"], "row": {"a": 1}}, {"row": {"b": 1}})
    assert target.row(prefix) == row(expected)


def test_rows_after_other_prefixes_may_be_missing() -> None:
    target = off_tree({"after": ["a"], "row": BIASED})
    with pytest.raises(InputError) as caught:
        target.row((0, 0))
    assert caught.value.where == "target row after [0, 0]"


def test_tokens_off_the_tree_may_be_ids() -> None:
    target = parse_problem({**ids(), "off_tree": [{"after": [1, 0], "row": BIASED}]}).off_tree
    assert target is not None
    assert target.row((1, 0)) == row(BIASED)


KEYS = "correct the keys"
TOP = "problem: expected the keys comment, end, nodes, off_tree, vocabulary, got"
NODE = "expected the keys parent, proposal, row, token, got"
NAMES = "problem, vocabulary: expected distinct names, or a number of tokens, got"
WRITE = 'write ["a", "b"] or 2'
ROOT = "give the root at least"
UNKNOWN = "c"
TOKENS = "use the vocabulary's tokens"
WEIGHTS = "give one weight per token"


@pytest.mark.parametrize(
    ("given_data", "message"),
    [
        ([], "problem: expected a map with nodes, vocabulary, got []; see the format"),
        ("text", "problem: expected a map with nodes, vocabulary, got 'text'; see the format"),
        (None, "problem: expected a map with nodes, vocabulary, got None; see the format"),
        ({}, f"{TOP} no 'nodes' and no 'vocabulary'; {KEYS}"),
        ({"vocabulary": 2}, f"{TOP} no 'nodes'; {KEYS}"),
        (data(extra=1), f"{TOP} unknown 'extra'; {KEYS}"),
        ({"nodes": [], "b": 1, "a": 1}, f"{TOP} unknown 'a' and unknown 'b' and no 'vocabulary'; {KEYS}"),
        (data(vocabulary=0), f"{NAMES} 0; {WRITE}"),
        (data(vocabulary=-2), f"{NAMES} -2; {WRITE}"),
        (data(vocabulary=True), f"{NAMES} True; {WRITE}"),
        (data(vocabulary=2.0), f"{NAMES} 2.0; {WRITE}"),
        (data(vocabulary=None), f"{NAMES} None; {WRITE}"),
        (data(vocabulary="ab"), f"{NAMES} 'ab'; {WRITE}"),
        (data(vocabulary=[]), f"{NAMES} []; {WRITE}"),
        (data(vocabulary=["a", 1]), f"{NAMES} ['a', 1]; {WRITE}"),
        (data(vocabulary=["a", "a"]), f"{NAMES} ['a', 'a']; {WRITE}"),
        (data(vocabulary=["x" * 99] * 2), f"{NAMES} ['{'x' * 58}; {WRITE}"),
        (data(nodes=[]), f"problem, nodes: expected a list of nodes, the root first, got []; {ROOT}"),
        (data(nodes={}), f"problem, nodes: expected a list of nodes, the root first, got {{}}; {ROOT}"),
        (data(nodes=None), f"problem, nodes: expected a list of nodes, the root first, got None; {ROOT}"),
        (data(nodes="x" * 99), f"problem, nodes: expected a list of nodes, the root first, got '{'x' * 59}; {ROOT}"),
        (data(nodes=[1]), "problem, node 0: expected a map with row, got 1; see the format"),
        (data(nodes=[{}]), f"problem, node 0: {NODE} no 'row'; {KEYS}"),
        (ids(rows=COIN), f"problem, node 0: {NODE} unknown 'rows'; {KEYS}"),
        (data(nodes=[{"row": COIN}, {"row": COIN}]), f"problem, node 1: {NODE} no 'parent' and no 'token'; {KEYS}"),
        (
            data(nodes=[{"row": COIN}, []]),
            "problem, node 1: expected a map with parent, row, token, got []; see the format",
        ),
        (edge(parent="0"), "tree parents: expected integers, got '0'; give one integer per node"),
        (edge(parent=2), "tree, node 1: expected a parent in 0..0, got 2; only the root has no parent"),
        (edge(parent=1), "tree, node 1: expected a tree, got the cycle 1 -> 1; correct the parents"),
        (edge(token=UNKNOWN), f"problem, node 1: expected one of ['a', 'b'], got 'c'; {TOKENS}"),
        (edge(token=1), f"problem, node 1: expected one of ['a', 'b'], got 1; {TOKENS}"),
        (edge(token=None), f"problem, node 1: expected one of ['a', 'b'], got None; {TOKENS}"),
        (data(end="c"), f"problem, end: expected one of ['a', 'b'], got 'c'; {TOKENS}"),
        ({**ids(), "end": 2}, f"problem, end: expected a token in 0..1, got 2; {TOKENS}"),
        ({**ids(), "end": -1}, f"problem, end: expected a token in 0..1, got -1; {TOKENS}"),
        ({**ids(), "end": True}, f"problem, end: expected a token in 0..1, got True; {TOKENS}"),
        ({**ids(), "end": "1"}, f"problem, end: expected a token in 0..1, got '1'; {TOKENS}"),
        (
            ids(row=["1/2"]),
            f"problem, row of node 0: expected a map of weights, or a list of 2, got 1 entries; {WEIGHTS}",
        ),
        (
            edge(row=[*COIN, 0]),
            f"problem, row of node 1: expected a map of weights, or a list of 2, got 3 entries; {WEIGHTS}",
        ),
        (
            ids(row="1/2"),
            f"problem, row of node 0: expected a map of weights, or a list of 2, got '1/2'; {WEIGHTS}",
        ),
        (
            ids(row="ab"),
            f"problem, row of node 0: expected a map of weights, or a list of 2, got 'ab'; {WEIGHTS}",
        ),
        (
            ids(row="x" * 99),
            f"problem, row of node 0: expected a map of weights, or a list of 2, got '{'x' * 59}; {WEIGHTS}",
        ),
        (
            ids(row=COIN, proposal=[1]),
            f"problem, proposal of node 0: expected a map of weights, or a list of 2, got 1 entries; {WEIGHTS}",
        ),
        (edge(row={"a": 1, "c": 0}), f"problem, row of node 1: expected one of ['a', 'b'], got 'c'; {TOKENS}"),
        (ids(row={"2": 1}), f"problem, row of node 0: expected a token in 0..1, got 2; {TOKENS}"),
        (ids(row={"a": 1}), f"problem, row of node 0: expected a token in 0..1, got 'a'; {TOKENS}"),
        (ids(row={"-1": 1}), f"problem, row of node 0: expected a token in 0..1, got '-1'; {TOKENS}"),
        (
            ids(row={"\N{SUPERSCRIPT TWO}": 1}),
            f"problem, row of node 0: expected a token in 0..1, got '\N{SUPERSCRIPT TWO}'; {TOKENS}",
        ),
        (ids(row={"0": 1, "00": 1}), f"problem, row of node 0: expected a token in 0..1, got '00'; {TOKENS}"),
        (ids(row={"9" * 5000: 1}), f"problem, row of node 0: expected a token in 0..1, got '{'9' * 5000}'; {TOKENS}"),
        (
            edge(row={"a": "1/2"}),
            "row of node 1: expected a sum of exactly 1, got 1/2 (1/2 too little); correct or normalise the row",
        ),
        (
            ids(proposal=["1/2", "3/4"]),
            "proposal of node 0: expected a sum of exactly 1, got 5/4 (1/4 too much); correct or normalise the row",
        ),
        (
            ids(row=[1, 0.0]),
            (
                "row of node 0: expected numbers of one type, got exact (1) and float (0.0); "
                "write all of them as fractions, or all as floats"
            ),
        ),
        (
            edge(row=FAIR),
            (
                "target tree: expected rows of one number type, got floats at node 1 and exact numbers at node 0; "
                "write all rows as fractions, or all as floats"
            ),
        ),
        (
            ids(row=[True, False]),
            (
                "row of node 0, entry 0: expected an exact number, got the bool True; "
                'write it as a Fraction or a string such as "1/2"'
            ),
        ),
        (
            ids(row=[None, 1]),
            "row of node 0, entry 0: expected a number, got the NoneType None; give an exact number, a float or a symbol",
        ),
        (
            ids(row=[[1], [0]]),
            "row of node 0, entry 0: expected a number, got the list [1]; give an exact number, a float or a symbol",
        ),
        (
            ids(row=["x", 1]),
            'row of node 0, entry 0: expected a fraction, got the text \'x\'; write it like "1/3", "2" or "0.25"',
        ),
    ],
)
def test_wrong_data_is_refused(given_data: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_problem(given_data)
    assert str(caught.value) == message


TWICE = "expected one row per prefix, got a second one; remove one of them"


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (5, 'problem, off_tree: expected a list of rows, got 5; write [{"row": ...}]'),
        (None, 'problem, off_tree: expected a list of rows, got None; write [{"row": ...}]'),
        ({"row": COIN}, f"problem, off_tree: expected a list of rows, got {{'row': {COIN}}}; write [{{\"row\": ...}}]"),
        ("x" * 99, f'problem, off_tree: expected a list of rows, got \'{"x" * 59}; write [{{"row": ...}}]'),
        ([5], "problem, off_tree 0: expected a map with row, got 5; see the format"),
        ([{"row": COIN, "to": 1}], f"problem, off_tree 0: expected the keys after, row, got unknown 'to'; {KEYS}"),
        ([{"after": ["a"]}], f"problem, off_tree 0: expected the keys after, row, got no 'row'; {KEYS}"),
        (
            [{"row": COIN}, {"after": ["a"], "row": [1]}],
            f"problem, off_tree 1: expected a map of weights, or a list of 2, got 1 entries; {WEIGHTS}",
        ),
        ([{"after": ["c"], "row": COIN}], f"problem, off_tree 0: expected one of ['a', 'b'], got 'c'; {TOKENS}"),
        ([{"after": 5, "row": COIN}], f"problem, off_tree 0: expected a list of tokens, got 5; {TOKENS}"),
        ([{"after": "aa", "row": COIN}], f"problem, off_tree 0: expected a list of tokens, got 'aa'; {TOKENS}"),
        ([{"row": COIN}, {"row": BIASED}], f"problem, off_tree 1: {TWICE}"),
        ([{"after": ["a"], "row": COIN}, {"after": ["a"], "row": BIASED}], f"problem, off_tree 1: {TWICE}"),
        ([{"after": ["b"], "row": BIASED}], f"problem, off_tree 0: {TWICE}"),
        ([{"after": [], "row": BIASED}], f"problem, off_tree 0: {TWICE}"),
        (
            [{"after": ["a"], "row": [1, 1]}],
            "row after [0]: expected a sum of exactly 1, got 2 (1 too much); correct or normalise the row",
        ),
    ],
)
def test_wrong_rows_off_the_tree_are_refused(entries: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_problem(edge() | {"off_tree": entries})
    assert str(caught.value) == message


JSON = "correct the file"


@pytest.mark.parametrize(
    ("text", "got"),
    [
        (b"", "Expecting value: line 1 column 1 (char 0)"),
        (b"{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        (b"\xff", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
    ],
)
def test_what_is_not_json_is_refused(text: bytes, got: str, tmp_path: Path) -> None:
    file = tmp_path / "problem.json"
    file.write_bytes(text)
    with pytest.raises(InputError) as caught:
        read_problem(file)
    assert str(caught.value) == f"{file}: expected JSON text, got {got}; {JSON}"


@pytest.mark.parametrize("text", ["[" * 100000, "9" * 5000], ids=["nested", "digits"])
def test_json_too_deep_or_too_long_to_read_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "problem.json"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_problem(file)
    assert (caught.value.where, caught.value.expected) == (str(file), "JSON text")


def test_a_float_row_that_is_not_a_number_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "problem.json"
    file.write_text('{"vocabulary": 2, "nodes": [{"row": [NaN, 0.5]}]}')
    with pytest.raises(InputError) as caught:
        read_problem(file)
    assert str(caught.value) == "row of node 0, entry 0: expected a number >= 0, got nan; give a finite weight >= 0"


def test_errors_name_the_file(tmp_path: Path) -> None:
    file = tmp_path / "problem.json"
    file.write_text(json.dumps(data(end="c")))
    with pytest.raises(InputError) as caught:
        read_problem(file)
    assert str(caught.value) == f"{file}, end: expected one of ['a', 'b'], got 'c'; {TOKENS}"


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "problem.json"
    with pytest.raises(InputError) as caught:
        read_problem(file)
    assert str(caught.value) == f"{file}: expected a file, got nothing there; check the path"


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_problem(tmp_path)
    assert str(caught.value) == f"{tmp_path}: expected a file, got a folder; check the path"


@pytest.mark.parametrize("name", ["problem.txt", "problem", "problem.json.bak", "problem.npy"])
def test_another_suffix_is_refused(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(json.dumps(data()))
    with pytest.raises(InputError) as caught:
        read_problem(file)
    remedy = "see tevtheory.interop.files for the formats"
    assert str(caught.value) == f"{file}: expected a .json or .npz file, got {name}; {remedy}"


def npz(**arrays: Any) -> bytes:
    stream = BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


ROOT_ONLY: dict[str, Any] = {"parents": [-1], "tokens": [-1], "rows": [FAIR]}
WHOLE = npz(**ROOT_ONLY)


@steady
@given(draft_trees(), st.integers(0, 9), st.booleans())
def test_arrays_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, tree: DraftTree, seed: int, with_proposals: bool
) -> None:
    rng = np.random.default_rng(seed)
    proposals = list(rng.random((tree.size, tree.size + 1))) if with_proposals else None
    problem = Problem(TargetTree(tree, list(rng.random((tree.size, tree.size + 1)))), proposals)
    file = tmp_path_factory.getbasetemp() / "problem.npz"
    write_npz(problem, file)
    assert read_npz(file) == problem


def test_an_npz_file_is_a_problem_file(tmp_path: Path) -> None:
    write_npz(FLOATS, tmp_path / "problem.npz")
    assert read_problem(tmp_path / "problem.npz") == ProblemFile(FLOATS)


def test_exact_rows_are_written_as_floats(tmp_path: Path) -> None:
    write_npz(PLAIN, tmp_path / "problem.npz")
    assert read_npz(tmp_path / "problem.npz") == FLOATS


@pytest.mark.parametrize(
    ("proposals", "names"),
    [(None, ["parents", "rows", "tokens"]), ([FAIR, FAIR], ["parents", "proposals", "rows", "tokens"])],
)
def test_the_arrays_of_a_file(proposals: Any, names: list[str], tmp_path: Path) -> None:
    write_npz(Problem(FLOATS.target, proposals), tmp_path / "problem.npz")
    with np.load(tmp_path / "problem.npz") as arrays:
        assert sorted(arrays.files) == names


def test_float32_arrays_are_read(tmp_path: Path) -> None:
    file = tmp_path / "problem.npz"
    file.write_bytes(npz(**ROOT_ONLY | {"rows": np.array([FAIR], dtype=np.float32)}))
    assert read_npz(file).rows == (FloatRow(FAIR),)


def members(**contents: bytes) -> bytes:
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return stream.getvalue()


def damaged() -> bytes:
    stream = BytesIO()
    np.savez_compressed(stream, **ROOT_ONLY)
    content = bytearray(stream.getvalue())
    start = 30 + sum(content[26:30:2])  # a local header, then a name and an extra field of these lengths
    content[start : start + 8] = b"\xff" * 8
    return bytes(content)


def npy(values: Any) -> bytes:
    stream = BytesIO()
    np.save(stream, np.array(values))
    return stream.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"garbage",
        b"PK\x03\x04garbage",
        b"\x93NUMPY",
        WHOLE[: len(WHOLE) // 2],
        WHOLE[:-4],
        damaged(),
        npy([0.5, 0.5]),
        members(parents=b"1", tokens=b"1", rows=b"1"),
        npz(**ROOT_ONLY | {"parents": np.array([None])}),
        npz(**ROOT_ONLY | {"extra": np.array([{}])}),
    ],
    ids=[
        "empty",
        "garbage",
        "zip head",
        "npy head",
        "half",
        "cut",
        "damaged",
        "one array",
        "no arrays",
        "objects",
        "more objects",
    ],
)
def test_what_is_no_npz_file_of_numbers_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "problem.npz"
    file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_npz(file)
    parts = (caught.value.where, caught.value.expected, caught.value.remedy)
    assert parts == (str(file), "an npz file of numbers", "write it with numpy.savez")


def test_pickled_objects_are_not_loaded(tmp_path: Path) -> None:
    file = tmp_path / "problem.npz"
    file.write_bytes(npz(**ROOT_ONLY | {"parents": np.array([None])}))
    with pytest.raises(InputError) as caught:
        read_npz(file)
    assert str(caught.value) == (
        f"{file}: expected an npz file of numbers, got Object arrays cannot be loaded when allow_pickle=False; "
        "write it with numpy.savez"
    )


def test_a_missing_npz_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "problem.npz"
    with pytest.raises(InputError) as caught:
        read_npz(file)
    assert caught.value.got == f"[Errno 2] No such file or directory: '{file}'"


@pytest.mark.parametrize(
    ("names", "missing"),
    [(["parents", "tokens"], "rows"), (["rows"], "parents, tokens"), ([], "parents, tokens, rows")],
)
def test_missing_arrays_are_named(names: list[str], missing: str, tmp_path: Path) -> None:
    file = tmp_path / "problem.npz"
    file.write_bytes(npz(**{name: ROOT_ONLY[name] for name in names}, proposals=[FAIR]))
    with pytest.raises(InputError) as caught:
        read_npz(file)
    assert str(caught.value) == f"{file}: expected arrays parents, tokens, rows, got no {missing}; add the arrays"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parents": [-1.0]}, "tree parents: expected integers, got -1.0; give one integer per node"),
        ({"parents": [[-1]]}, "tree parents: expected integers, got [-1]; give one integer per node"),
        ({"parents": -1}, "tree parents: expected integers, got -1; give one integer per node"),
        (
            {"tokens": [-1, 0]},
            (
                "tree: expected one parent and one token per node, root included, got 1 parents and 2 tokens; "
                "a root alone is ((-1,), (-1,))"
            ),
        ),
        (
            {"rows": [[0.5, np.nan]]},
            "row of node 0, entry 1: expected a number >= 0, got nan; give a finite weight >= 0",
        ),
        (
            {"rows": [[0.0, 0.0]]},
            "row of node 0: expected a positive total, got 0; give at least one positive, finite weight",
        ),
        (
            {"proposals": [[1.0]]},
            (
                "proposals: expected proposals like the target's rows, got 1 float weights, and 2 float ones; "
                "use one vocabulary and one number type"
            ),
        ),
    ],
)
def test_wrong_arrays_are_refused(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    file = tmp_path / "problem.npz"
    file.write_bytes(npz(**ROOT_ONLY | changes))
    with pytest.raises(InputError) as caught:
        read_npz(file)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["rows", "proposals"])
@pytest.mark.parametrize(("values", "shape"), [(0.5, "()"), (FAIR, "(2,)"), ([[FAIR, FAIR]], "(1, 2, 2)")])
def test_rows_of_another_shape_are_refused(name: str, values: Any, shape: str, tmp_path: Path) -> None:
    file = tmp_path / "problem.npz"
    file.write_bytes(npz(**ROOT_ONLY | {name: values}))
    with pytest.raises(InputError) as caught:
        read_npz(file)
    expected = "expected an array of shape (N, V)"
    assert str(caught.value) == f"{file}, {name}: {expected}, got shape {shape}; give one row per node"


WRITERS: dict[str, Callable[[Path], None]] = {
    "text": lambda path: write_text(path, "new"),
    "json": lambda path: write_problem(ProblemFile(PLAIN), path),
    "npz": lambda path: write_npz(PLAIN, path),
}


@pytest.fixture(params=WRITERS)
def write(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    return WRITERS[request.param]


Write = Callable[[Path], None]


def test_text_is_written(tmp_path: Path) -> None:
    write_text(tmp_path / "file", "\N{GREEK SMALL LETTER ALPHA}\n")
    assert (tmp_path / "file").read_bytes() == b"\xce\xb1\n"


def test_writing_replaces_the_old_file(write: Write, tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    write(tmp_path / "old")
    write(tmp_path / "new")
    assert (tmp_path / "old").read_text("latin-1") == (tmp_path / "new").read_text("latin-1")


def test_writing_leaves_no_other_file(write: Write, tmp_path: Path) -> None:
    write(tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_written_file_has_the_usual_permissions(write: Write, tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    write(tmp_path / "file")
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_writing_follows_a_link(write: Write, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write(tmp_path / "link")
    assert ((tmp_path / "link").is_symlink(), (tmp_path / "file").read_bytes() != b"old") == (True, True)


def test_a_failing_write_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "file", "new \ud800")
    assert (tmp_path / "file").read_text() == "old"


def test_a_failing_write_leaves_no_temporary_file(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "file", "new \ud800")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_write_of_arrays_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(stream: Any, **_: Any) -> None:
        stream.write(b"half")
        raise KeyboardInterrupt

    (tmp_path / "file").write_text("old")
    monkeypatch.setattr(np, "savez", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_npz(PLAIN, tmp_path / "file")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_a_failing_move_leaves_the_old_file_only(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> None:
        raise PermissionError

    (tmp_path / "file").write_text("old")
    for module in (Path, os):
        monkeypatch.setattr(module, "replace", refused)
    with pytest.raises((InputError, PermissionError)):
        write(tmp_path / "file")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_a_folder_is_not_written_over(write: Write, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError) as caught:
        write(tmp_path / "folder")
    parts = (caught.value.where, caught.value.expected, caught.value.remedy)
    assert parts == (str(tmp_path / "folder"), "a path to write to", "choose another path")


def test_a_write_over_a_folder_leaves_no_temporary_file(write: Write, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises((InputError, OSError)):
        write(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_folder_to_write_in_must_exist(write: Write, tmp_path: Path) -> None:
    file = tmp_path / "none" / "file"
    with pytest.raises(InputError) as caught:
        write(file)
    parts = (caught.value.where, caught.value.expected, caught.value.remedy)
    assert parts == (str(file), "a folder to write in", "choose another path")


SYMBOLIC = "problem: expected exact or float rows, got symbolic ones; put numbers in for the symbols"


def test_symbols_are_not_written_as_json(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        write_problem(ProblemFile(SYMBOLS), tmp_path / "problem.json")
    assert str(caught.value) == SYMBOLIC


def test_symbols_are_not_written_as_arrays(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        write_npz(SYMBOLS, tmp_path / "problem.npz")
    assert str(caught.value) == SYMBOLIC
