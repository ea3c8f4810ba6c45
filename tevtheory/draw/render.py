"""Draws one panel: nodes, edges, labels, stubs and marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tevtheory.draw.layout import Choice, Columns, Rows, columns, rows
from tevtheory.draw.panels import Panel, Share, short_number
from tevtheory.draw.style import ADVANCE, BEND, RADIUS, SIZES, STRIDE, radius, ramp, thickness
from tevtheory.draw.svg import element, escaped, number, words
from tevtheory.draw.words import Lexicon, cells
from tevtheory.trees import ROOT

FEW = 32
"""Up to so many drawn nodes every stub has its row; beyond, the smallest are left out."""

LEAST_STUB = 0.001
BARE_RADIUS = 3.5
Parts = list[tuple[str, str]]


@dataclass(frozen=True)
class Mark:
    """A node, or a token after it, that the picture points at, and why."""

    node: int
    token: int | None = None
    text: str = ""


@dataclass(frozen=True)
class Drawing:
    """One panel with everything that is settled before it is drawn; `of_law`: of another law than the canonical one."""

    panel: Panel
    choice: Choice
    lexicon: Lexicon
    missing: int
    marks: tuple[Mark, ...] = ()
    of_law: bool = False

    @cached_property
    def brightest(self) -> float:
        """The largest exit mass, the end of the colour ramp."""
        return max(float(mass) for mass in self.panel.exits)

    def stubs(self) -> frozenset[int]:
        """The drawn nodes that have missing mass, or nodes not drawn, to tell of."""
        return frozenset(v for v in self.choice.nodes if self._worth_a_stub(v))

    def _worth_a_stub(self, v: int) -> bool:
        told = v in self.choice.hidden or any(mark.node == v for mark in self.marks)
        if told or self.panel.bare:
            return told
        has_room = len(self.choice.nodes) <= FEW or not self.choice.children[v]  # a leaf's stub is in the leaf's row
        return bool(self.panel.exits[v] > (0 if has_room else LEAST_STUB))

    def left_out(self) -> tuple[int, float]:
        """How many drawn nodes' stubs are left out, and their exit mass in all."""
        shown = self.stubs()
        small = [float(self.panel.exits[v]) for v in self.choice.nodes if v not in shown and self.panel.exits[v] > 0]
        return len(small), sum(small)

    def marked(self, node: int, token: int | None) -> bool:
        """Whether a mark points at a node (token None), or at a token after it."""
        return any(mark.node == node and (token is None or mark.token == token) for mark in self.marks)

    def radius(self, v: int) -> float:
        """The radius of a node."""
        return BARE_RADIUS if self.panel.bare else radius(float(self.panel.sizes[v]))

    def edge_label(self, v: int) -> Parts:
        """The token and probability of a node's edge."""
        tree = self.panel.tree
        bad = self.marked(tree.parents[v], tree.tokens[v])
        token = self.lexicon.short(tree.tokens[v])
        parts = [("bad", f"✗ {token}")] if bad else [("word", token)]
        return parts if self.panel.bare else [*parts, ("p", f" {short_number(self.panel.edges[v])}")]

    def stub_label(self, v: int) -> Parts:
        """The exits at a node: their probability and likeliest tokens; then the nodes that are not drawn."""
        parts: Parts = []
        if not self.panel.bare and (shares := self._shares(v)):
            total = short_number(self.panel.leaving[v])
            labels = [part for share in shares for part in self._share_label(v, share)]
            parts = labels[1:] if total == "1" else [("p", f"{total}:"), ("word", " "), *labels[1:]]
        if (hidden := self.choice.hidden.get(v)) is not None:
            parts.append(("note", f"{' ' if parts else ''}+{hidden.nodes:,} more"))
        return parts

    def _shares(self, v: int) -> list[Share]:
        """The likeliest exits, and the marked ones if they are exits at all."""
        shares = self.panel.bonuses(v, self.missing)
        for mark in self.marks:
            known = mark.token is None or any(share.token == mark.token for share in shares)
            if mark.node == v and mark.token is not None and not known:
                every = self.panel.bonuses(v, 1 << 30)
                found = next((share for share in every if share.token == mark.token), Share(mark.token, 0))
                shares = shares if mark.token in self.panel.tree.child_maps[v] and not found.p else [*shares, found]
        return shares

    def _share_label(self, v: int, share: Share) -> Parts:
        token = self.lexicon.short(share.token)
        word = ("bad", f"✗ {token}") if self.marked(v, share.token) else ("word", token)
        return [("word", "  "), word, ("p", f" {short_number(share.p)}{' (a child)' if share.inside else ''}")]


def width(parts: Parts) -> float:
    """The width of a line; no font of the style sheet is wider."""
    return sum(cells(text) * ADVANCE * SIZES.get(kind, SIZES["word"]) for kind, text in parts)


@dataclass(frozen=True)
class Grid:
    """Rows and columns that panels of one tree share."""

    rows: Rows
    columns: Columns

    @classmethod
    def of(cls, *drawings: Drawing) -> Grid:
        """Room for the labels and nodes of every drawing."""
        choice, tree = drawings[0].choice, drawings[0].panel.tree
        labels = {v: max(width(each.edge_label(v)) for each in drawings) + 10 for v in choice.nodes if v != ROOT}
        radii = {v: max(each.radius(v) for each in drawings) for v in choice.nodes}
        places = columns({v: tree.depths[v] for v in choice.nodes}, labels, radii, BEND)
        return cls(rows(choice, frozenset().union(*(each.stubs() for each in drawings))), places)

    def at(self, drawing: Drawing, v: int) -> tuple[float, float]:
        """The centre of a node."""
        return self.columns.x[drawing.panel.tree.depths[v]], (self.rows.node[v] + 0.5) * STRIDE

    def bend(self, drawing: Drawing, v: int) -> float:
        """Where the edges and stubs that leave a node have become straight."""
        return self.columns.label[drawing.panel.tree.depths[v]]

    @property
    def height(self) -> float:
        """Height of the panel."""
        return self.rows.count * STRIDE


def draw(drawing: Drawing, grid: Grid) -> tuple[list[str], float]:
    """The elements of a panel, edges first, and its width."""
    nodes = drawing.choice.nodes
    right = [grid.columns.x[-1] + RADIUS]
    parts = [line for v in nodes if v != ROOT for line in _edge(drawing, grid, v)]
    for v in sorted(drawing.stubs()):
        parts.extend(_stub(drawing, grid, v, right))
    parts.extend(_node(drawing, grid, v) for v in nodes)
    return parts, max(right)


def _edge(drawing: Drawing, grid: Grid, v: int) -> Iterator[str]:
    tree, panel = drawing.panel.tree, drawing.panel
    parent = tree.parents[v]
    bad = drawing.marked(parent, tree.tokens[v])
    stroke = 1.5 if panel.bare else thickness(float(panel.edges[v]))
    x, y = grid.at(drawing, v)
    bend = grid.bend(drawing, parent)
    look = f"edge{' faulty' if bad else ''}{' never' if not panel.bare and panel.edges[v] == 0 else ''}"
    yield element(
        "path", class_=look, d=f"{_curve(grid.at(drawing, parent), bend, y)}H{number(x)}", stroke_width=stroke
    )
    yield words(drawing.edge_label(v), bend + 2, y - 3 - stroke / 2)


def _curve(start: tuple[float, float], x: float, y: float) -> str:
    left, top, right, bottom, middle = map(number, (*start, x, y, (start[0] + x) / 2))
    return f"M{left} {top}C{middle} {top} {middle} {bottom} {right} {bottom}"


def _stub(drawing: Drawing, grid: Grid, v: int, right: list[float]) -> Iterator[str]:
    x, y = grid.at(drawing, v)
    level = (grid.rows.stub[v] + 0.5) * STRIDE
    end = grid.bend(drawing, v) if level != y else x + drawing.radius(v) + 12
    stroke = 0.8 if drawing.panel.bare else thickness(float(drawing.panel.leaving[v]))
    label = drawing.stub_label(v)
    if not label:
        return
    yield element("path", class_="stub", d=f"{_curve((x, y), end, level)}", stroke_width=stroke)
    yield words(label, end + 5, level + 3.5)
    right.append(end + 5 + width(label))


def _node(drawing: Drawing, grid: Grid, v: int) -> str:
    panel = drawing.panel
    x, y = grid.at(drawing, v)
    size = drawing.radius(v)
    look: Mapping[str, Any] = {"class_": "node bare"} if panel.bare else {"class_": "node", "fill": _colour(drawing, v)}
    ring = [element("circle", class_="ring", cx=x, cy=y, r=size + 3)] if drawing.marked(v, None) else []
    dot = element("circle", element("title", escaped(_hover(drawing, v))), cx=x, cy=y, r=size, **look)
    return element("g", dot, *ring, data_node=str(v))


def _colour(drawing: Drawing, v: int) -> str:
    return ramp(float(drawing.panel.exits[v]) / (drawing.brightest or 1))


def _hover(drawing: Drawing, v: int) -> str:
    panel = drawing.panel
    where = f"node {v}: {drawing.lexicon.path(panel.tree.path(v), 200)}"
    if panel.bare:
        return where
    size, mass = (short_number(value) for value in (panel.sizes[v], panel.exits[v]))
    return f"{where}; {'passed with' if drawing.of_law else 'flow'} {size}, exit mass {mass}"
