"""Pictures of trees: the canonical law on a tree, and any other law beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tevtheory.draw.layout import choose
from tevtheory.draw.page import Sheet, compose
from tevtheory.draw.panels import bare_panel, canonical_panel, law_panel, panel_masses, short_number
from tevtheory.draw.picture import Picture
from tevtheory.draw.render import Drawing, Mark
from tevtheory.draw.words import Lexicon, Words
from tevtheory.errors import InputError
from tevtheory.exitlaw import Violation, ceiling, distance, expected_length, first_violation
from tevtheory.interop import ProblemFile
from tevtheory.laws import Law
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import DraftTree, Exit
from tevtheory.weights import Kind, is_exact, show

Notes = list[tuple[str, str]]
MOST_DRAWN = 96
MISSING = 3
LONGEST_FRACTION = 9
ROUNDING = 1e-9
"""Largest difference of masses that counts as none on float rows."""


def tree_picture(  # noqa: PLR0913  (every knob has a default)
    tree: TargetTree | DraftTree | Problem | ProblemFile,
    *,
    words: Words | None = None,
    missing: int = MISSING,
    max_nodes: int = MOST_DRAWN,
    width: int | None = None,
    marks: Sequence[Mark] = (),
    title: str | None = None,
) -> Picture:
    """A tree with its canonical exit law: area by flow, colour by exit mass, edges by target probability.

    Grey stubs show the missing mass of each node with its `missing` likeliest tokens. Of a tree with more than `max_nodes`
    nodes those of largest flow are drawn, and the picture says what it left out. `words` gives tokens their texts, `marks`
    point at nodes and tokens. End-of-sequence nodes of a file are removed, as in `tevtheory law`. Raises InputError on
    symbolic rows, on more than 20,000 nodes, and on words that are no text.

    >>> from tevtheory.examples import C2
    >>> tree_picture(C2, words=["a", "b"]).svg.count("<circle")
    6
    """
    target, lexicon = _read(tree, words)
    removed = 0
    if isinstance(tree, ProblemFile) and tree.end is not None and isinstance(target, TargetTree):
        pruned = target.without_end(tree.end)
        removed, target = target.tree.size - pruned.tree.size, pruned
    panel = bare_panel(target) if isinstance(target, DraftTree) else canonical_panel(target)
    _check_options(missing, max_nodes, marks, target)
    choice = choose(panel.tree, list(panel_masses([panel])), max_nodes, (mark.node for mark in marks))
    drawing = Drawing(panel, choice, lexicon, missing, tuple(marks))
    notes = [*_marked(marks, panel.tree, lexicon), *_left_out(drawing, removed)]
    if isinstance(target, DraftTree):
        return compose(Sheet(title or "Draft tree", _size(target), notes=tuple(notes), width=width), [drawing])
    under = f"{_size(target.tree)}; ceiling {_ceiling(target)}"
    legend = ("flow", "target probability", "missing mass: its likeliest tokens")
    return compose(Sheet(title or "Exit law of a draft tree", under, (), tuple(notes), legend, width), [drawing])


def comparison_picture(  # noqa: PLR0913  (every knob has a default)
    target: TargetTree | Problem | ProblemFile,
    law: Law[Exit],
    *,
    name: str = "this law",
    words: Words | None = None,
    missing: int = MISSING,
    max_nodes: int = MOST_DRAWN,
    width: int | None = None,
    title: str | None = None,
    violation: Violation | None = None,
) -> Picture:
    """The canonical law and another law on one tree, side by side; the violation of exactness is marked.

    Under `name`, area is the mass that passes a node; edges and stubs are probabilities given that it is passed. With no
    `violation` the first one is found; on float rows differences up to 1e-9 then count as none. Raises InputError on a law
    of another tree, and above 200,000 nodes times tokens.

    >>> from tevtheory.examples import C2
    >>> law = Law({Exit(0, 1): "3/4", Exit(1, 0): "1/4"})
    >>> comparison_picture(C2, law, words=["a", "b"])
    <Picture: The canonical law and this law>
    """
    given, lexicon = _read(target, words)
    if isinstance(given, DraftTree):
        raise InputError(
            "a target tree", "a draft tree", "comparison", "give the target's rows: TargetTree.of(tree, target)"
        )
    panels = [canonical_panel(given), law_panel(law, given)]
    _check_options(missing, max_nodes, (), given)
    violation = violation or first_violation(law, given, ROUNDING if given.kind is Kind.FLOAT else 0)
    marks = _marks(violation)
    choice = choose(given.tree, list(panel_masses(panels)), max_nodes, (mark.node for mark in marks))
    drawings = [Drawing(panel, choice, lexicon, missing, marks, panel is panels[1]) for panel in panels]
    notes = [_verdict(law, given, violation, lexicon), *_left_out(drawings[0])]
    title = title or f"The canonical law and {name}"
    reached = _value(expected_length(law, given))
    captions = (f"canonical: E[length] {_value(ceiling(given))}, the ceiling", f"{name}: E[length] {reached}")
    legend = ("flow; passing mass", "next token", "exits here: likeliest bonus tokens")
    return compose(Sheet(title, _size(given.tree), captions, tuple(notes), legend, width), drawings)


def _read(tree: object, words: Words | None) -> tuple[TargetTree | DraftTree, Lexicon]:
    """The tree of whatever has one, and the texts of its tokens."""
    if isinstance(tree, ProblemFile):
        return _read(tree.problem, tree.names if words is None else words)
    if isinstance(tree, Problem):
        return tree.target, Lexicon(words)
    if isinstance(tree, (TargetTree, DraftTree)):
        return tree, Lexicon(words)
    got = f"the {type(tree).__name__} {tree!r}"[:60]
    raise InputError(
        "a target tree or a draft tree", got, "picture", "make a DraftTree, and a TargetTree with its rows"
    )


def _check_options(missing: int, max_nodes: int, marks: Iterable[Mark], target: TargetTree | DraftTree) -> None:
    size = target.size if isinstance(target, DraftTree) else target.tree.size
    if missing < 0:
        raise InputError("missing >= 0", str(missing), "picture", "give the number of tokens per stub")
    if max_nodes < 1:
        raise InputError("max_nodes >= 1", str(max_nodes), "picture", "draw the root at least")
    for mark in marks:
        if not 0 <= mark.node < size:
            raise InputError(f"a node in 0..{size - 1}", str(mark.node), "picture, marks", "use this tree's nodes")
        known = target.vocabulary if isinstance(target, TargetTree) else (mark.token or 0) + 1
        if mark.token is not None and not 0 <= mark.token < known:
            raise InputError(f"a token in 0..{known - 1}", str(mark.token), "picture, marks", "use this tree's tokens")


def _size(tree: DraftTree) -> str:
    return f"{tree.size:,} node{'' if tree.size == 1 else 's'}, depth {tree.depth}"


def _ceiling(target: TargetTree) -> str:
    top = ceiling(target)
    return f"{_value(top)} = 1 + coverage {_value(top - 1)}"


def _value(value: Any) -> str:
    text = show(value)
    return text if is_exact(value) and len(text) <= LONGEST_FRACTION else f"{float(value):.5g}"


def _left_out(drawing: Drawing, removed: int = 0) -> Notes:
    """What the picture does not show."""
    hidden, panel = drawing.choice.hidden.values(), drawing.panel
    notes: Notes = [("note", f"End-of-sequence nodes removed: {removed}.")] if removed else []
    if count := sum(each.nodes for each in hidden):
        mass = short_number(float(sum(each.mass for each in hidden)))
        rest = " not drawn" if panel.bare else f" with flow {mass} in all not drawn: those of largest flow are"
        notes.append(("note", f"… {_more(count, 'node')}{rest}"))
    stubs, mass_out = drawing.left_out()
    if stubs:
        notes.append(("note", f"… {_more(stubs, 'stub')} with exit mass {short_number(mass_out)} in all not drawn"))
    return notes


def _more(count: int, what: str) -> str:
    return f"{count:,} more {what}{'' if count == 1 else 's'}"


def _marks(violation: Violation | None) -> tuple[Mark, ...]:
    if violation is None or violation.node is None:
        return ()
    return (Mark(violation.node, violation.token),)


def _marked(marks: Iterable[Mark], tree: DraftTree, lexicon: Lexicon) -> Notes:
    """A line for every mark that has something to say."""
    return [("bad", f"✗ {_place(mark, tree, lexicon)}: {mark.text}") for mark in marks if mark.text]


def _place(mark: Mark, tree: DraftTree, lexicon: Lexicon) -> str:
    token = "" if mark.token is None else f", token {lexicon.full(mark.token)}"
    return f"node {mark.node}, path {lexicon.path(tree.path(mark.node))}{token}"


def _verdict(law: Law[Exit], target: TargetTree, violation: Violation | None, lexicon: Lexicon) -> tuple[str, str]:
    """What the comparison comes to, in a line."""
    if violation is None:
        return (
            "word",
            f"exact: every local equality holds; regret {_value(ceiling(target) - expected_length(law, target))}",
        )
    if violation.node is None or violation.token is None:
        return "bad", f"✗ {violation}"
    place = _place(Mark(violation.node, violation.token), target.tree, lexicon)
    gap = f"lossy by {_value(distance(law, target))}"
    return "bad", f"✗ {place} follows with {_value(violation.got)}, target {_value(violation.expected)}; {gap}"
