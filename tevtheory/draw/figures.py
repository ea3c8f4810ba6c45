"""Figures of lengths, levels, losses, coverage and samples (extra "notebooks")."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from tevtheory.draw import chart as charts
from tevtheory.draw.words import Lexicon, Words
from tevtheory.errors import InputError
from tevtheory.exitlaw import (
    LossLedger,
    block_length_law,
    ceiling,
    coverage,
    expected_length,
    level_masses,
    oracle_flows,
)
from tevtheory.exitlaw.exactness import check_support
from tevtheory.laws import Law
from tevtheory.targets import Target, TargetTree
from tevtheory.trees import DraftTree, Exit

if TYPE_CHECKING:
    from tevtheory.conformance.montecarlo import Look

TOP = 8


def blank_figure(height: float = 3.6) -> tuple[charts.Chart, Any]:
    """An empty figure in the style of the others, and its axes: for what is not among them.

    >>> figure, axes = blank_figure()
    >>> figure._repr_svg_().startswith("<?xml")
    True
    """
    figure, (axes,) = charts.chart(height)
    return figure, axes


def length_figure(target: TargetTree, laws: Mapping[str, Law[Exit]] | None = None) -> charts.Chart:
    """The block-length law of the canonical law and of others on one tree, with E[length] against the ceiling.

    Raises InputError on a law of another tree.
    """
    given = dict(laws or {})
    for law in given.values():
        check_support(law, target)
    depths = target.tree.depths
    top = float(ceiling(target))
    lengths: list[tuple[str, Law[int], float]] = [("canonical", block_length_law(target), top)]
    for name, law in given.items():
        lengths.append((name, law.map(lambda end: depths[end[0]] + 1), float(expected_length(law, target))))
    figure, (axes,) = charts.chart()
    span = 0.8 / len(lengths)
    for i, (name, law_of, mean) in enumerate(lengths):
        places = [k + (i - (len(lengths) - 1) / 2) * span for k in range(1, target.tree.depth + 2)]
        colour = charts.SERIES[i % len(charts.SERIES)]
        heights = [float(law_of[k]) for k in range(1, target.tree.depth + 2)]
        label = f"{charts.plain(name)}: E[length] {mean:.4g}"
        axes.bar(places, heights, span * 0.92, color=colour, label=label)
        axes.axvline(mean, color=colour if i else charts.INK, linestyle="--" if i else "-")
    axes.set_xticks(range(1, target.tree.depth + 2))
    axes.set_ylim(top=1.25 * axes.get_ylim()[1])  # the lines stand out above the bars
    charts.finish(
        axes, f"Block length against the ceiling {top:.4g}", "tokens per block, bonus included", "probability"
    )
    return figure


def level_figure(targets: TargetTree | Mapping[str, TargetTree]) -> charts.Chart:
    """The level masses M_k of one tree or several: P(k tokens stay in the tree); their sum is the ceiling.

    Raises InputError where there is no tree.
    """
    named = {"": targets} if isinstance(targets, TargetTree) else dict(targets)
    if not named:
        raise InputError("at least one target tree", "none", "level figure", "give a target tree, or a map of them")
    figure, (axes,) = charts.chart()
    for i, (name, target) in enumerate(named.items()):
        masses = [float(mass) for mass in level_masses(target)]
        label = f"{charts.plain(name)}{': ' if name else ''}ceiling {float(ceiling(target)):.4g}"
        axes.plot(range(len(masses)), masses, label=label, **charts.look(i))
    axes.set_ylim(0, 1.04)
    charts.whole_numbers(axes)
    charts.finish(
        axes, "Level masses: how far the target stays in the tree", "tokens k", "P(first k tokens in the tree)"
    )
    return figure


def ledger_figure(ledger: LossLedger, *, words: Words | None = None, top: int = TOP) -> charts.Chart:
    """The loss against the oracle tree as bars: the strings missed and the nodes wasted, each with its share.

    The `top` largest of each are shown and the others added up.
    """
    lexicon = Lexicon(words)
    sides = [("missed", _largest(ledger.missed, lexicon, top)), ("wasted", _largest(ledger.wasted, lexicon, top))]
    rows = sum(len(entries) for _, entries in sides)
    figure, (axes,) = charts.chart(1.5 + 0.3 * max(rows, 2))
    names: list[str] = []
    for i, (what, entries) in enumerate(sides):
        places = range(len(names), len(names) + len(entries))
        total = float(sum(getattr(ledger, what).values()))
        colour, hatch = charts.SERIES[1 - i], ("", "//")[i]
        shares = [share for _, share in entries]
        axes.barh(places, shares, color=colour, hatch=hatch, label=f"{what}: {total:.3g}", height=0.7)
        names.extend(charts.plain(name) for name, _ in entries)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    reached = f"coverage {float(ledger.coverage):.4g}, oracle {float(ledger.oracle_coverage):.4g}"
    title = f"Loss {float(ledger.loss):.3g}: {reached}"
    charts.finish(axes, title, "share of the loss", "")
    return figure


def _largest(shares: Mapping[Any, Any], lexicon: Lexicon, top: int) -> list[tuple[str, float]]:
    """The largest shares with the text of their paths, and the sum of the others."""
    order = sorted(((float(share), path) for path, share in shares.items()), key=lambda entry: (-entry[0], entry[1]))
    shown = [(lexicon.path(path, 40), share) for share, path in order[:top]]
    rest = order[top:]
    return [*shown, (f"… {len(rest):,} more", sum(share for share, _ in rest))] if rest else shown


def coverage_figure(
    target: Target, builders: Mapping[str, Callable[[int], DraftTree]], budgets: Sequence[int]
) -> charts.Chart:
    """Coverage by budget: the trees of several builders against the oracle's; a builder here maps a budget to a tree.

    The target is asked for rows off those trees too. Raises InputError on no budgets and on budgets below 1.
    """
    if not budgets or min(budgets) < 1:
        got = "none" if not budgets else str(min(budgets))
        raise InputError("budgets >= 1", got, "coverage figure", "give the numbers of drafted tokens")
    sizes = sorted(set(budgets))
    figure, (axes,) = charts.chart()
    best = list(accumulate(sorted((float(mass) for mass in oracle_flows(target, sizes[-1]).values()), reverse=True)))
    axes.plot(sizes, [best[min(size, len(best)) - 1] for size in sizes], color=charts.INK, linewidth=3, label="oracle")
    for i, (name, build) in enumerate(builders.items()):
        covered = [float(coverage(TargetTree.of(build(size), target))) for size in sizes]
        axes.plot(sizes, covered, label=charts.plain(name), **charts.look(i))
    if sizes[-1] >= 16 * sizes[0]:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(lambda size, _: f"{size:g}")
    charts.finish(axes, "Coverage by budget", "drafted tokens", "coverage")
    return figure


def looks_figure(looks: Sequence[Look], alpha: float = 1e-6) -> charts.Chart:
    """A Monte Carlo run as it went: log10 e-values, rejected at 1 / alpha, and the bound on total variation.

    `looks` are what `montecarlo(..., on_look=looks.append)` hands over. Infinite e-values are drawn at the upper edge.
    Raises InputError on no looks.
    """
    if not looks:
        raise InputError("at least one look", "none", "looks figure", "collect them: on_look=looks.append")
    samples = [max(each.samples, 1) for each in looks]
    figure, (upper, lower) = charts.chart(5.2, rows=2)
    experts = sorted({name for each in looks for name in each.log_e}, key=lambda name: (name != "battery", name))
    edge = _edge([value / math.log(10) for each in looks for value in each.log_e.values()], -math.log10(alpha))
    for i, name in enumerate(experts):
        values = [min(max(each.log_e.get(name, math.nan) / math.log(10), -edge), edge) for each in looks]
        width = 2.6 if name == "battery" else 1.2
        label = "all together" if name == "battery" else charts.plain(name)
        upper.plot(samples, values, label=label, **{**charts.look(i), "linewidth": width, "markersize": 4})
    upper.axhline(-math.log10(alpha), color=charts.SERIES[5], linestyle=":", label=f"reject at 1 / {alpha:g}")
    endless = any(math.isinf(value) for each in looks for value in each.log_e.values())
    charts.finish(upper, f"Evidence against the claim{' (infinite: at the edge)' if endless else ''}", "", "log10 e")
    lower.plot(samples, [each.bound.value for each in looks], **charts.look(0))
    lower.set_xscale("log")
    lower.set_yscale("log")
    charts.finish(lower, f"Bound on the total variation, at 1 - {alpha:g}", "samples", "TV bound")
    return figure


def _edge(values: Sequence[float], reject: float) -> float:
    """How far the axis of log10 e reaches: a bit beyond the largest finite value and the line of rejection."""
    return 1.1 * max([reject, *(abs(value) for value in values if math.isfinite(value))])
