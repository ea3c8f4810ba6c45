"""The pytest plugin: `pytest --tevtheory package.module:verifier` runs the conformance suite on a verifier.

Every check is a test of its own: `tevtheory::package.module:verifier::exact law`, `::claim`, and one per contract. They are
added to the other tests of the run; `-m tevtheory` selects them. Inside a test suite the fixtures `judge_verifier`,
`assert_exact` and `assert_canonical` judge a verifier with the options of `@pytest.mark.tevtheory(max_nodes=4)`.

pytest loads this file in every run, so it imports nothing but pytest: tevtheory itself is loaded when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tevtheory.conformance import Report, Subject

DEFAULT_MAX_NODES = "5"
MARKER = (
    "tevtheory(max_nodes, patterns, seed, ...): options of judge for judge_verifier, assert_exact, assert_canonical"
)

_SUBJECTS = pytest.StashKey[dict[str, "Subject"]]()
_MAX_NODES = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, and the ini form of the size."""
    group = parser.getgroup("tevtheory", "conformance of tree speculative decoding verifiers")
    group.addoption(
        "--tevtheory",
        action="append",
        default=[],
        metavar="MODULE:NAME",
        help="Run the conformance suite on this verifier (package.module:name or file.py:name; repeatable).",
    )
    group.addoption(
        "--tevtheory-max-nodes",
        metavar="N",
        help=f"Largest draft tree to try, root included. [ini: tevtheory_max_nodes, default: {DEFAULT_MAX_NODES}]",
    )
    parser.addini("tevtheory_max_nodes", "Largest draft tree to try, root included.", default=DEFAULT_MAX_NODES)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and read the size."""
    config.addinivalue_line("markers", MARKER)
    config.stash[_MAX_NODES] = _read_max_nodes(config)


def _read_max_nodes(config: pytest.Config) -> int:
    option, ini = config.getoption("tevtheory_max_nodes"), config.getini("tevtheory_max_nodes")
    where, text = ("tevtheory_max_nodes", ini) if option is None else ("--tevtheory-max-nodes", option)
    if not text.isdecimal() or int(text) < 1:
        raise pytest.UsageError(f"{where}: expected a number of nodes >= 1, got {text!r}; give a small one, such as 5")
    return int(text)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Load the verifiers: an address that leads nowhere ends the run before any test."""
    targets = session.config.getoption("tevtheory")
    session.config.stash[_SUBJECTS] = {text: _load(text) for text in dict.fromkeys(targets)}


def _load(text: str) -> Subject:
    from tevtheory.conformance.loading import load_subject
    from tevtheory.errors import InputError

    try:
        return load_subject(text)
    except InputError as error:
        raise pytest.UsageError(str(error)) from error


@pytest.hookimpl(tryfirst=True)  # before -k, -m and --deselect look at the tests
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add a suite per verifier."""
    for text, subject in config.stash[_SUBJECTS].items():
        items.extend(session.genitems(Suite.of(session, text, subject)))


class Suite(pytest.Collector):
    """The conformance suite of one verifier: the law and the contracts are judged once, by the first test to ask."""

    subject: Subject

    @classmethod
    def of(cls, session: pytest.Session, text: str, subject: Subject) -> Suite:
        """The suite under its test id."""
        name = f"tevtheory::{text}"
        suite: Suite = cls.from_parent(session, name=name, nodeid=name)
        suite.subject = subject
        suite.add_marker("tevtheory")
        return suite

    def collect(self) -> Iterator[pytest.Item]:
        """One test per check."""
        from tevtheory.conformance.contracts import CONTRACTS

        yield LawTest.from_parent(self, name="exact law")
        if self.subject.claim is not None:
            yield ClaimTest.from_parent(self, name="claim")
        for name in CONTRACTS:
            yield ContractTest.from_parent(self, name=name)

    @cached_property
    def judged(self) -> Report:
        """The report on the verifier."""
        from tevtheory.conformance import judge

        return judge(self.subject, max_nodes=self.config.stash[_MAX_NODES])


class SuiteTest(pytest.Item):
    """One check of a suite; its failure text is the report, without a traceback."""

    @property
    def suite(self) -> Suite:
        """The suite it belongs to."""
        assert isinstance(self.parent, Suite)  # noqa: S101  (narrows the type)
        return self.parent

    @property
    def judged(self) -> Report:
        """The report of the suite."""
        return self.suite.judged

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where it is (nowhere in a file), and its heading; pytest would take a test id there for a dotted name."""
        suite, _, check = self.nodeid.removeprefix("tevtheory::").rpartition("::")
        return self.path, None, f"{suite}, {check}"

    def fail(self, reason: str = "") -> None:
        """Fail with the report."""
        pytest.fail("\n".join(filter(None, (reason, str(self.judged)))), pytrace=False)


class LawTest(SuiteTest):
    """On all small trees the law is the target's, no output, input, replay or boundary rule is broken."""

    def runtest(self) -> None:
        """Fail unless the verdict is EXACT or CANONICAL."""
        if not self.judged.verdict.is_exact:
            self.fail()
        self.add_report_section("call", "tevtheory", str(self.judged))


class ClaimTest(SuiteTest):
    """The verdict is the one that the verifier claims."""

    def runtest(self) -> None:
        """Fail unless verdict and claim are the same."""
        claim, verdict = self.suite.subject.claim, self.judged.verdict
        if claim is not None and verdict is not claim:
            hint = "; perhaps the trees are too small to tell" if verdict.rank < claim.rank else ""
            self.fail(f"claimed {claim.value}, found {verdict.value}{hint}")


class ContractTest(SuiteTest):
    """A contract between two runs, two trees or two calls."""

    def runtest(self) -> None:
        """Fail where the contract is broken, skip where it does not apply."""
        check = next((check for check in self.judged.checks if check.name == self.name), None)
        if check is None:
            pytest.skip("the law is broken: see the test 'exact law'")
        if check.passed is None:
            pytest.skip(check.detail)
        if not check.passed:
            self.fail(str(check))


Judge = Callable[..., "Report"]


def _options(request: pytest.FixtureRequest, given: dict[str, Any]) -> dict[str, Any]:
    """The size of the run, then what the markers say (the closest last), then what the call says."""
    import inspect

    from tevtheory.conformance import judge
    from tevtheory.errors import InputError

    options: dict[str, Any] = {"max_nodes": request.config.stash[_MAX_NODES]}
    known = [name for name in inspect.signature(judge).parameters if name != "verifier"]
    for marker in reversed(list(request.node.iter_markers("tevtheory"))):
        if wrong := [*map(repr, marker.args), *(name for name in marker.kwargs if name not in known)]:
            where = f"marker tevtheory of {request.node.name}"
            raise InputError("options of judge by name", wrong[0], where, f"choose from {', '.join(known)}")
        options |= marker.kwargs
    return options | given


@pytest.fixture
def judge_verifier(request: pytest.FixtureRequest) -> Judge:
    """`judge_verifier(verifier, **options)` gives the Report, with the marker's options."""
    from tevtheory.conformance import judge

    return lambda verifier, **options: judge(verifier, **_options(request, options))


@pytest.fixture
def assert_exact(request: pytest.FixtureRequest) -> Judge:
    """`assert_exact(verifier, **options)` fails with the report unless the verifier is exact."""
    from tevtheory.conformance import assert_exact

    return _asserting(assert_exact, request)


@pytest.fixture
def assert_canonical(request: pytest.FixtureRequest) -> Judge:
    """`assert_canonical(verifier, **options)` fails with the report unless it is exact and attains the ceiling."""
    from tevtheory.conformance import assert_canonical

    return _asserting(assert_canonical, request)


def _asserting(assertion: Judge, request: pytest.FixtureRequest) -> Judge:
    """The assertion, with a traceback that ends at the user's line."""

    def call(verifier: Any, **options: Any) -> Report:
        __tracebackhide__ = True
        try:
            return assertion(verifier, **_options(request, options))
        except AssertionError as error:
            raise error.with_traceback(None) from None

    return call
