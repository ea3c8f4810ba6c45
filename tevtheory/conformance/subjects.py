"""The forms in which a verifier can be brought, each told by an adapter, never guessed.

A subject gives its exact law on a problem. `over_chooser`: a function of (problem, chooser). `over_generator`: plain Python
over a numpy Generator, run unmodified. `over_coins`: numpy code over explicit uniforms, enumerated. `over_uniforms`
(`tevtheory.conformance.learned`): any code over explicit uniforms, whose breakpoints are learned.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Protocol

import numpy as np

from tevtheory.choices import Chooser, Enumeration, ExactGenerator, Limits, Slot, Verifier, enumerate_law
from tevtheory.conformance.layouts import PROBLEM, Layout, Numbers, refuse_output
from tevtheory.conformance.timing import alarm, timed
from tevtheory.errors import ContractError, InputError
from tevtheory.targets import Problem
from tevtheory.trees import DraftTree, Exit
from tevtheory.verdicts import Verdict
from tevtheory.weights import exact_float

ENUMERATED = "enumerated"
ENUMERATED_FLOATS = "enumerated as a float64 program, differences below 2^-40 count as rounding"
ROUNDING = exact_float(2.0**-40)
INTEGRATED = "integrated, breakpoints learned"

Shape = tuple[int, ...]
Coins = Callable[[Problem], Mapping[str, Shape]]
"""The uniforms a verifier takes on a problem: name of the argument -> shape."""


class Subject(Protocol):
    """A verifier under judgement."""

    @property
    def name(self) -> str:
        """What the report calls it."""

    @property
    def numbers(self) -> Numbers:
        """Whether it computes in rationals or in float64 (then it is judged on dyadic rows)."""

    @property
    def evidence(self) -> str:
        """How its law is found: enumerated, or integrated over learned breakpoints."""

    @property
    def claim(self) -> Verdict | None:
        """The verdict it claims, if any."""

    @property
    def tolerance(self) -> Any:
        """The rounding its law may carry: 0 where it is enumerated."""

    def fits(self, tree: DraftTree) -> bool:
        """Whether it can be run on a tree."""

    def find_law(self, problem: Problem, limits: Limits, calls: int = 1) -> Enumeration[Exit]:
        """Its exact law on a problem; with calls=2 the law of a second call on the same buffers."""


@dataclass(frozen=True)
class ProgramSubject:
    """A subject whose law is enumerated: `start(problem)` gives a function of a chooser for every run."""

    name: str
    start: Callable[[Problem], Callable[[Chooser], Exit]]
    slots: tuple[Slot, ...] | None = None
    numbers: Numbers = "rational"
    claim: Verdict | None = None
    layout: Layout = PROBLEM
    seconds: float | None = None
    start_batch: Callable[[Sequence[Problem]], Callable[[Chooser], tuple[Exit, ...]]] | None = None

    @property
    def evidence(self) -> str:
        """Its law is enumerated."""
        return ENUMERATED if self.numbers == "rational" else ENUMERATED_FLOATS

    @property
    def tolerance(self) -> Any:
        """An enumerated law is exact; a float program's own law carries the program's rounding."""
        return 0 if self.numbers == "rational" else ROUNDING

    def fits(self, tree: DraftTree) -> bool:
        """Whether the layout can hold a tree."""
        return self.layout.fits(tree)

    def find_law(self, problem: Problem, limits: Limits, calls: int = 1) -> Enumeration[Exit]:
        """Enumerate in boundary mode, every path twice; two calls start from fresh buffers in every run."""
        program = self.start(problem) if calls == 1 else lambda chooser: self._last_of(calls, problem, chooser)
        slots, floats = self.slots if calls == 1 else None, self.numbers == "float64"
        with alarm(self.seconds):
            program = timed(program, self.seconds)
            return enumerate_law(program, slots=slots, limits=limits, boundary=True, floats=floats)

    def _last_of(self, calls: int, problem: Problem, chooser: Chooser) -> Exit:
        run = self.start(problem)
        for call in range(1, calls):
            run(_Recall(chooser, call))
        return run(chooser)


class _Recall:
    """A chooser for one of several calls: it moves the sites apart, so that each call draws afresh."""

    def __init__(self, chooser: Chooser, call: int) -> None:
        self._chooser, self._call = chooser, call

    def _moved(self, site: tuple[Slot, int]) -> tuple[Slot, int]:
        return site[0], site[1] + (self._call << 32)

    def flip(self, part: Any, of: Any = 1, *, site: tuple[Slot, int]) -> bool:
        return self._chooser.flip(part, of, site=self._moved(site))

    def choose(self, weights: Sequence[Any], *, site: tuple[Slot, int]) -> int:
        return self._chooser.choose(weights, site=self._moved(site))

    def coin(self, *, site: tuple[Slot, int]) -> Any:
        return self._chooser.coin(site=self._moved(site))


def as_subject(given: Any) -> Subject:
    """A catalogue-style Verifier or a subject as it is; anything else needs an adapter."""
    if isinstance(given, Verifier):
        return _of_verifier(given)
    if hasattr(given, "find_law"):
        return given  # type: ignore[no-any-return]
    remedy = "wrap it in over_chooser, over_generator, over_coins or over_uniforms"
    raise InputError("a Verifier or a subject", repr(given), "judge", remedy)


def _of_verifier(verifier: Verifier[Any]) -> ProgramSubject:
    def start(problem: Problem) -> Callable[[Chooser], Exit]:
        return partial(verifier.walk, verifier.prepare(problem))

    return ProgramSubject(verifier.name, start, verifier.slots, claim=verifier.claim)


def over_chooser(
    function: Callable[[Problem, Chooser], Any], *, name: str | None = None, claim: Verdict | None = None
) -> ProgramSubject:
    """A function of (problem, chooser) that returns an Exit; any slot may be drawn at.

    >>> from tevtheory.conformance import judge
    >>> from tevtheory.verifiers.catalogue import find
    >>> judge(over_chooser(find("nested").__call__, name="mine"), max_nodes=4).verdict.value
    'EXACT, CANONICAL'
    """
    return _calling(function, lambda chooser: (chooser,), PROBLEM, "rational", False, name, claim)


def over_generator(  # noqa: PLR0913  (the knobs of a black box)
    function: Callable[..., Any],
    *,
    layout: Layout = PROBLEM,
    rows: Numbers = "rational",
    owns_inputs: bool = False,
    batch: Callable[..., Sequence[Any]] | None = None,
    name: str | None = None,
    claim: Verdict | None = None,
) -> ProgramSubject:
    """Plain Python over a numpy Generator: function(*arguments of the layout, rng), run unmodified.

    `rows`: whether it gets rationals in object arrays or float64 rows. `owns_inputs`: it may change its arguments. `batch`:
    the same verifier for several requests at once, batch([arguments, ...], rng) -> [output, ...], whose requests must have
    the laws they have alone.
    """
    subject = _calling(
        function, lambda chooser: (ExactGenerator(chooser, rows),), layout, rows, owns_inputs, name, claim
    )
    if batch is None:
        return subject

    def start_batch(problems: Sequence[Problem]) -> Callable[[Chooser], tuple[Exit, ...]]:
        def run(chooser: Chooser) -> tuple[Exit, ...]:
            arguments = [layout.arguments(problem, rows) for problem in problems]
            outputs = batch(arguments, ExactGenerator(chooser, rows))
            if len(outputs) != len(problems):
                refuse_output(f"{len(problems)} outputs for a batch of {len(problems)}", outputs)
            return tuple(layout.read(problem, output) for problem, output in zip(problems, outputs, strict=True))

        return run

    return replace(subject, start_batch=start_batch)


def over_coins(  # noqa: PLR0913  (the knobs of a black box)
    function: Callable[..., Any],
    coins: Coins,
    *,
    layout: Layout = PROBLEM,
    rows: Numbers = "rational",
    owns_inputs: bool = False,
    name: str | None = None,
    claim: Verdict | None = None,
) -> ProgramSubject:
    """Numpy code over explicit uniforms: function(*arguments, **uniforms), with object arrays of coins for uniforms."""

    def start(problem: Problem) -> Callable[[Chooser], Exit]:
        wanted = dict(coins(problem))
        slots = {key: _slot_of(key) for key in wanted}

        def uniforms(chooser: Chooser) -> dict[str, Any]:
            return {key: _coin_array(chooser, slots[key], shape) for key, shape in wanted.items()}

        call = guarded(function, layout, rows, owns_inputs, problem)
        return lambda chooser: call((), uniforms(chooser))

    return ProgramSubject(name_of(function, name), start, None, rows, claim, layout)


@cache
def _slot_of(argument: str) -> Slot:
    """One slot per name of an argument, so that every run draws at the same sites."""
    return Slot(argument, per="node")


def _coin_array(chooser: Chooser, slot: Slot, shape: Shape) -> Any:
    if not shape:
        return chooser.coin(site=(slot, 0))
    array = np.empty(shape, dtype=object)
    for position, index in enumerate(np.ndindex(*shape)):
        array[index] = chooser.coin(site=(slot, position))
    return array


def name_of(function: Callable[..., Any], name: str | None) -> str:
    """The name a report uses: the given one, else the function's own."""
    return name or str(getattr(function, "__name__", type(function).__name__))


def _calling(  # noqa: PLR0913, PLR0917  (shared by the adapters, which have the same knobs)
    function: Callable[..., Any],
    randomness: Callable[[Chooser], tuple[Any, ...]],
    layout: Layout,
    rows: Numbers,
    owns_inputs: bool,
    name: str | None,
    claim: Verdict | None,
) -> ProgramSubject:
    def start(problem: Problem) -> Callable[[Chooser], Exit]:
        call = guarded(function, layout, rows, owns_inputs, problem)
        return lambda chooser: call(randomness(chooser), {})

    return ProgramSubject(name_of(function, name), start, None, rows, claim, layout)


Call = Callable[[tuple[Any, ...], Mapping[str, Any]], Exit]


def guarded(function: Callable[..., Any], layout: Layout, rows: Numbers, owns_inputs: bool, problem: Problem) -> Call:
    """Call with the problem's arguments, check that they are left as they were, and read the output."""
    arguments = layout.arguments(problem, rows)
    pristine = arguments if layout is PROBLEM else copy.deepcopy(arguments)

    def call(extra: tuple[Any, ...], keywords: Mapping[str, Any]) -> Exit:
        given = copy.deepcopy(pristine) if owns_inputs else arguments
        output = function(*given, *extra, **keywords)
        if not owns_inputs and pristine is not arguments:
            for position, (before, after) in enumerate(zip(pristine, arguments, strict=True)):
                if not _same(before, after):
                    _restore(arguments, pristine)
                    raise ContractError(
                        f"argument {position} was changed by the call; leave inputs as they are, or declare "
                        "owns_inputs=True",
                        check="inputs",
                    )
        return layout.read(problem, output)

    return call


def _same(before: Any, after: Any) -> bool:
    if isinstance(before, np.ndarray):
        return bool(np.array_equal(before, after))
    return bool(before == after)


def _restore(arguments: tuple[Any, ...], pristine: tuple[Any, ...]) -> None:
    for before, after in zip(pristine, arguments, strict=True):
        if isinstance(before, np.ndarray):
            after[...] = before
