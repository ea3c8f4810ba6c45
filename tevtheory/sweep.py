"""The job of `tevtheory verify`: catalogue verifiers on every small tree, in exact arithmetic, against the ceiling.

Trees are generated chunk by chunk where they are judged and never held; what comes back is one tally per verifier.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from tevtheory.choices import Limits, Verifier
from tevtheory.conformance import Reference, Tally, as_subject, judge_on
from tevtheory.enumeration import FAMILIES, Chunk, chunks, family
from tevtheory.errors import InputError, MissingDependency
from tevtheory.verifiers.catalogue import CATALOGUE, find


@dataclass(frozen=True)
class Plan:
    """What a sweep covers: verifiers by name, and per row pattern the largest number of nodes."""

    verifiers: tuple[str, ...]
    max_nodes: dict[str, int]
    seed: int = 0

    @classmethod
    def default(
        cls,
        max_nodes: int | None = None,
        patterns: Sequence[str] | None = None,
        only: Sequence[str] | None = None,
        seed: int = 0,
    ) -> Plan:
        """The plan of the main job; `max_nodes` caps every pattern, `patterns` and `only` restrict it.

        >>> Plan.default(max_nodes=8, patterns=["generic", "zeros"], only=["tev's walk"])
        Plan(verifiers=("TEV's walk",), max_nodes={'generic': 8, 'zeros': 7}, seed=0)
        """
        if max_nodes is not None and max_nodes < 1:
            raise InputError("at least 1 node", str(max_nodes), "max nodes", "the smallest tree is a root alone")
        chosen = [family(name) for name in patterns] if patterns else list(FAMILIES)
        sizes = {entry.name: min(entry.max_nodes, max_nodes or entry.max_nodes) for entry in chosen}
        names = [find(name).name for name in only] if only else [entry.name for entry in CATALOGUE]
        return cls(tuple(dict.fromkeys(names)), sizes, seed)

    def chunks(self) -> list[Chunk]:
        """All chunks, small trees first."""
        return sorted(chunk for name, largest in self.max_nodes.items() for chunk in chunks(name, largest))


Tallies = dict[str, Tally]


def run_chunk(chunk: Chunk, plan: Plan) -> Tallies:
    """Judge the plan's verifiers on one chunk of trees."""
    return judge_chunk(chunk, [find(name) for name in plan.verifiers], plan.seed)


def judge_chunk(chunk: Chunk, verifiers: Sequence[Verifier[Any]], seed: int = 0) -> Tallies:
    """Judge any verifiers on one chunk of trees."""
    tallies = {verifier.name: Tally() for verifier in verifiers}
    limits, kind = Limits(paths=100_000), family(chunk.family)
    work = [(verifier, as_subject(verifier), tallies[verifier.name]) for verifier in verifiers]
    for (shape, number), problem in chunk.generate(seed):
        reference = Reference.of(problem.target)
        address = (chunk.nodes, chunk.family, shape, number)
        for verifier, subject, tally in work:
            if chunk.nodes > kind.lossy_max_nodes and not verifier.claim.is_exact:
                continue
            if verifier.path_bound is not None and verifier.path_bound(problem) > kind.path_budget:
                tally.over_budget += 1
                continue
            tally.add(address, problem, judge_on(subject, problem, reference, limits))
    return tallies


@dataclass(frozen=True)
class Workers:
    """Where chunks run: joblib jobs on this machine, or a Dask or Ray cluster behind joblib."""

    jobs: int = -1
    backend: str = "loky"
    scheduler: str | None = None

    def context(self) -> AbstractContextManager[Any]:
        """The joblib context for this backend; raises MissingDependency where its package is not installed."""
        import joblib

        if self.backend == "dask":
            return self._dask(joblib)
        if self.backend == "ray":
            return self._ray(joblib)
        backends = ("loky", "threading", "sequential", "multiprocessing")
        if self.backend not in backends:
            raise InputError(
                "a joblib backend", repr(self.backend), "backend", f"choose from {', '.join(backends)}, dask, ray"
            )
        # An interruption is for the main process, which ends its workers; they would only print tracebacks.
        options = {"initializer": _deaf} if self.backend == "loky" else {}
        return joblib.parallel_config(backend=self.backend, n_jobs=self.jobs, **options)  # type: ignore[no-any-return]

    def _dask(self, joblib: Any) -> AbstractContextManager[Any]:
        try:
            from distributed import Client
        except ImportError:
            raise MissingDependency('the Dask backend needs: pip install "tevtheory[dask]"') from None
        if self.scheduler is None:
            raise InputError("a scheduler address", "none", "backend dask", "add --scheduler tcp://HOST:PORT")
        client = Client(self.scheduler, timeout="20s")  # type: ignore[no-untyped-call]
        return _Both(client, lambda: joblib.parallel_config(backend="dask"))

    def _ray(self, joblib: Any) -> AbstractContextManager[Any]:
        try:
            import ray
            from ray.util.joblib import register_ray
        except ImportError:
            raise MissingDependency("the Ray backend needs: pip install ray") from None
        ray.init(address=self.scheduler)
        register_ray()
        return joblib.parallel_config(backend="ray", n_jobs=self.jobs)  # type: ignore[no-any-return]


def _deaf() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class _Both(AbstractContextManager[Any]):
    """A cluster client, and the joblib context inside it."""

    def __init__(self, client: Any, inner: Callable[[], AbstractContextManager[Any]]) -> None:
        self._client, self._inner = client, inner
        self._config: AbstractContextManager[Any] = nullcontext()

    def __enter__(self) -> Any:
        self._client.__enter__()
        self._config = self._inner()
        return self._config.__enter__()

    def __exit__(self, *raised: Any) -> bool | None:
        self._config.__exit__(*raised)
        return self._client.__exit__(*raised)  # type: ignore[no-any-return]


def sweep(plan: Plan, workers: Workers = Workers()) -> Iterator[tuple[Chunk, Tallies]]:
    """Run a plan; yields each chunk with its tallies as it is done, in no fixed order."""
    import joblib

    work = plan.chunks()
    with workers.context():
        parallel = joblib.Parallel(return_as="generator_unordered", pre_dispatch="3 * n_jobs")
        yield from parallel(joblib.delayed(_tagged)(chunk, plan) for chunk in work)


def _tagged(chunk: Chunk, plan: Plan) -> tuple[Chunk, Tallies]:
    return chunk, run_chunk(chunk, plan)
