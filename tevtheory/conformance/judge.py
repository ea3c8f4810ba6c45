"""Judge any verifier exactly, on small trees from the smallest up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tevtheory.choices import Limits
from tevtheory.conformance.contracts import Check, run_contracts
from tevtheory.conformance.exact import Reference, judge_on
from tevtheory.conformance.learned import LearnedSubject
from tevtheory.conformance.subjects import ProgramSubject, Subject, as_subject
from tevtheory.conformance.tally import Address, Counterexample, Tally
from tevtheory.enumeration import Chunk, chunks, dyadic, family, rational
from tevtheory.shown import ShownAsPage
from tevtheory.targets import Problem
from tevtheory.verdicts import Verdict
from tevtheory.weights import show

RATIONAL_PATTERNS = ("generic", "zeros", "ties", "one-hot")
FLOAT_PATTERNS = ("generic", "zeros", "one-hot")
CONTRACT_NODES = 3
ENUMERATED_NODES, LEARNED_NODES = 6, 4
LEARNED_CHECKS = 1_000
"""Random points per tree where many trees are judged; `judge_on` checks more on its one tree."""


@dataclass(frozen=True)
class Report(ShownAsPage):
    """The verdict on a verifier, short enough to paste in a thread, with its counterexample or its scope.

    `tally` holds trees, paths and the span of E[length] / ceiling; `checks` the checks beside the law; `max_nodes` the
    largest trees tried.
    """

    name: str
    verdict: Verdict
    tally: Tally
    checks: tuple[Check, ...]
    evidence: str
    max_nodes: int
    patterns: tuple[str, ...]
    seed: int

    @property
    def counterexample(self) -> Counterexample | None:
        """The smallest tree with the worst verdict; None for a canonical verifier."""
        return self.tally.counterexample

    @property
    def is_exact(self) -> bool:
        """Whether the verifier is exact and keeps its contract."""
        return self.verdict.is_exact and all(check.passed is not False for check in self.checks)

    def __repr__(self) -> str:
        return f"<Report {self.name}: {self._headline()}>"

    def __str__(self) -> str:
        lines = [f"{self.name}: {self._headline()}"]
        if self.counterexample is not None:
            lines.extend(_example_lines(self.counterexample))
        lines.extend(f"  {check}" for check in self.checks if check.passed is False)
        scope = (
            f"{self.tally.trees:,} trees of up to {self.max_nodes} nodes ({', '.join(self.patterns)}; seed {self.seed})"
        )
        lines.append(f"  {scope}, {self.tally.paths:,} paths, {self.evidence}")
        return "\n".join(lines)

    def _headline(self) -> str:
        failed = [check.name for check in self.checks if check.passed is False]
        text = self.verdict.value
        if self.verdict is Verdict.LOSSY and self.counterexample is not None:
            text += f" BY {show(self.counterexample.finding.distance)}"
        elif self.verdict is Verdict.EXACT:
            text += f" up to {show(self.tally.largest_regret)}"
        return f"{text}, but fails: {', '.join(failed)}" if failed else text

    def as_data(self) -> dict[str, Any]:
        """Plain data for JSON: exact numbers as strings."""
        example = self.counterexample
        return {
            "name": self.name,
            "verdict": self.verdict.value,
            "exact": self.is_exact,
            "evidence": self.evidence,
            "trees": self.tally.trees,
            "paths": self.tally.paths,
            "max_nodes": self.max_nodes,
            "patterns": list(self.patterns),
            "seed": self.seed,
            "length_over_ceiling": None if self.tally.low is None else [show(self.tally.low), show(self.tally.high)],
            "largest_regret": show(self.tally.largest_regret),
            "checks": [{"name": c.name, "passed": c.passed, "detail": c.detail} for c in self.checks],
            "counterexample": None if example is None else _example_data(example),
        }


def _example_lines(example: Counterexample) -> Iterator[str]:
    finding, problem = example.finding, example.problem
    if finding.reason:
        yield f"  {finding.reason}"
    yield f"  on the tree {problem.tree} with rows"
    for v, row in enumerate(problem.rows):
        yield f"    after {list(problem.tree.path(v))}: {', '.join(show(weight) for weight in row)}"
    if finding.length is not None:
        yield f"  E[length] {show(finding.length)}, ceiling {show(finding.ceiling)}"
    for node, cost in finding.costs.items():
        yield f"    of which {show(cost)} because the block may end on {list(problem.tree.path(node))}"


def _example_data(example: Counterexample) -> dict[str, Any]:
    finding, tree = example.finding, example.problem.tree
    return {
        "reason": finding.reason,
        "check": finding.check,
        "parents": list(tree.parents),
        "tokens": list(tree.tokens),
        "rows": [[show(weight) for weight in row] for row in example.problem.rows],
        "length": None if finding.length is None else show(finding.length),
        "ceiling": show(finding.ceiling),
        "distance": show(finding.distance),
    }


def judge(  # noqa: PLR0913  (every knob has a default)
    verifier: Any,
    *,
    max_nodes: int | None = None,
    patterns: Sequence[str] | None = None,
    seed: int = 0,
    limits: Limits = Limits(paths=100_000),
    keep_going: bool = False,
    chain: Any = None,
    contracts: bool = True,
    seconds: float | None = 10.0,
    on_tree: Callable[[int, int], None] | None = None,
) -> Report:
    """Judge a verifier (or subject) on every small tree, smallest first, and run the checks beside the law.

    `max_nodes` is the largest tree (default 6, and 4 where breakpoints are learned, which is slow); zero patterns go to 7
    nodes at most, the other patterns as in `tevtheory verify`.
    Stops at the first tree that is worse than exact, unless `keep_going`. `chain` is the project's own chain verifier, to
    be compared on trees with one child per node. Subjects that compute in float64 get dyadic rows. `seconds` limits one
    call of the verifier. `on_tree` is called with the trees done and the trees there are.

    >>> from tevtheory.verifiers.catalogue import find
    >>> judge(find("early stop"), max_nodes=3).verdict.value
    'EXACT, REGRET'
    """
    subject = _limited(as_subject(verifier), seconds)
    largest = max_nodes or (LEARNED_NODES if isinstance(subject, LearnedSubject) else ENUMERATED_NODES)
    names = tuple(patterns or (RATIONAL_PATTERNS if subject.numbers == "rational" else FLOAT_PATTERNS))
    tally = Tally()
    there_are = sum(chunk.problems for chunk in _chunks(names, largest))
    for address, problem in _problems(subject, names, largest, seed):
        finding = judge_on(subject, problem, Reference.of(problem.target), limits)
        tally.add(address, problem, finding)
        if on_tree is not None:
            on_tree(tally.trees, there_are)
        if finding.verdict.rank > Verdict.EXACT.rank and not keep_going:
            break
    verdict = tally.verdict or Verdict.INCONCLUSIVE
    checks: tuple[Check, ...] = ()
    if contracts and verdict is not Verdict.BROKEN:
        small = [p for _, p in _problems(subject, names, min(CONTRACT_NODES, largest), seed)]
        checks = run_contracts(subject, small, limits, verdict, None if chain is None else as_subject(chain))
    return Report(subject.name, verdict, tally, checks, subject.evidence, largest, names, seed)


def _limited(subject: Subject, seconds: float | None) -> Subject:
    """The subject with a time limit per call, where it can have one."""
    if isinstance(subject, LearnedSubject):
        return replace(subject, seconds=seconds, checks=min(subject.checks, LEARNED_CHECKS))
    return replace(subject, seconds=seconds) if isinstance(subject, ProgramSubject) else subject


def _chunks(names: Sequence[str], max_nodes: int) -> list[Chunk]:
    """The trees of the patterns, smallest first, each pattern to its own largest size at most."""
    sizes = {name: min(max_nodes, family(name).max_nodes) for name in names}
    return sorted(chunk for name, largest in sizes.items() for chunk in chunks(name, largest))


def _problems(subject: Subject, names: Sequence[str], max_nodes: int, seed: int) -> Iterator[tuple[Address, Problem]]:
    """Small problems, smallest trees first, that the subject can be run on."""
    fill = rational if subject.numbers == "rational" else dyadic
    for chunk in _chunks(names, max_nodes):
        for (shape, number), problem in chunk.generate(seed, fill):
            if subject.fits(problem.tree):
                yield (chunk.nodes, chunk.family, shape, number), problem


class NotExact(AssertionError):
    """A verifier that was asserted to be exact, or canonical, is not; the message is the report."""


def assert_exact(verifier: Any, **options: Any) -> Report:
    """Judge, and raise NotExact with the counterexample unless the verifier is exact.

    >>> from tevtheory.verifiers.catalogue import find
    >>> assert_exact(find("ratio"))
    Traceback (most recent call last):
    tevtheory.conformance.judge.NotExact: ratio rule with draft softmax: LOSSY BY 35/152...
    """
    report = judge(verifier, **options)
    if not report.is_exact:
        raise NotExact(str(report))
    return report


def assert_canonical(verifier: Any, **options: Any) -> Report:
    """Judge, and raise NotExact unless the verifier is exact and attains the ceiling on every tree."""
    report = judge(verifier, **options)
    if not report.is_exact or report.verdict is not Verdict.CANONICAL:
        raise NotExact(str(report))
    return report
