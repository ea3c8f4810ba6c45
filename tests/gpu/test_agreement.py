"""The tape test in its three tiers: every batched verifier against its scalar twin, on ragged padded trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from tevtheory.choices import Slot
from tevtheory.targets import Problem, TargetTree
from tevtheory.trees import DraftTree
from tevtheory.verifiers.predraw_and_follow import PREDRAW_EVERYWHERE
from tevtheory_gpu import inversion
from tevtheory_gpu.agreement import Disagreement, Tier, disagreements, ragged_problems, tape_bits, tape_for
from tevtheory_gpu.forest import Forest
from tevtheory_gpu.tapes import ArrayTape
from tevtheory_gpu.verifiers import batched, sequential_residual, tev, thresholds
from tevtheory_gpu.verifiers.batched import BatchedVerifier
from tevtheory_gpu.verifiers.catalogue import CATALOGUE, find

BITS, DEPTH, SIZE = 4, 3, 1000
DTYPES = [torch.float64, torch.float32]
IN_LOG_SPACE = ("TEV",)


@pytest.fixture(autouse=True)
def guided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even few draws go by the guide here, as the many do."""
    monkeypatch.setattr(inversion, "FEW", 0)


def compare(
    verifier: BatchedVerifier[Any], tier: Tier, dtype: torch.dtype, problems: list[Problem] | None = None
) -> list[Disagreement]:
    problems = problems or ragged_problems(60, 10, 5, BITS, depth=DEPTH, seed=3)
    forest = Forest.of(problems, dtype)
    bits = tape_bits(verifier.twin.slots, BITS, DEPTH)
    tape = tape_for(verifier.twin.slots, tier, SIZE, forest, bits, seed=4)
    return disagreements(verifier, problems, forest, tape, SIZE)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("verifier", CATALOGUE, ids=lambda entry: entry.name)
def test_midpoint_tapes_agree_without_exception(verifier: BatchedVerifier[Any], dtype: torch.dtype) -> None:
    assert compare(verifier, "midpoint", dtype) == []


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "verifier", [entry for entry in CATALOGUE if entry.name not in IN_LOG_SPACE], ids=lambda entry: entry.name
)
def test_tie_tapes_agree_in_probability_space(verifier: BatchedVerifier[Any], dtype: torch.dtype) -> None:
    assert compare(verifier, "tie", dtype) == []


def generic_problems(dtype: torch.dtype) -> list[Problem]:
    """Rows that are no multiples of anything, as `dtype` holds them, over 200 tokens."""
    rng = torch.Generator().manual_seed(5)
    problems = []
    for problem in ragged_problems(30, 24, 200, 9, depth=5, seed=6):
        rows = torch.randn(2, problem.tree.size, 200, generator=rng, dtype=torch.float64).mul(3).softmax(-1)
        rows = rows.to(dtype).to(torch.float64)
        target = TargetTree(problem.tree, [row.tolist() for row in rows[0]])
        problems.append(Problem(target, [row.tolist() for row in rows[1]]))
    return problems


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("verifier", CATALOGUE, ids=lambda entry: entry.name)
def test_on_generic_rows_every_difference_is_a_coin_at_a_threshold(
    verifier: BatchedVerifier[Any], dtype: torch.dtype
) -> None:
    found = compare(verifier, "generic", dtype, generic_problems(dtype))
    eps = 1e-12 if dtype == torch.float64 else 1e-4
    assert [str(entry) for entry in found if entry.margin > eps] == []
    # A row meets at most some hundreds of thresholds, each within rounding (1e-7 of the whole in float32) of its coin.
    assert len(found) <= (0 if dtype == torch.float64 else 20)


@pytest.mark.parametrize("tier", ["tie", "midpoint"])
def test_predraw_everywhere_is_predraw_and_follow_on_the_same_tape(tier: Tier) -> None:
    verifier = find("predraw and follow")
    everywhere = BatchedVerifier(PREDRAW_EVERYWHERE, verifier.prepare, verifier.walk)
    assert compare(everywhere, tier, torch.float64) == []


def test_the_catalogue_holds_the_batched_forms_of_the_canonical_and_the_lossy_verifiers() -> None:
    names = {entry.name for entry in CATALOGUE}
    assert {"predraw and follow", "residual in given order", "TEV", "TEV's walk", "nested intervals"} <= names
    assert {"seed-synchronous TEV", "cumulative walk", "typical acceptance", "independent draw per path"} <= names
    assert len(names) == len(CATALOGUE)
    assert find("nested").name == "nested intervals"


# ---- planted faults: each is caught by the tier that is there for it


def closed_search(self: inversion.Inversion, rows: Tensor, marks: Tensor, first: Tensor, end: Tensor) -> Tensor:
    """`<=` for `<`: the token below the threshold is taken at a tie."""
    found = torch.searchsorted(self.sums[rows], marks[:, None], right=False).squeeze(1)
    return torch.minimum(found, self.last[rows])


def closed_climb(rungs: tuple[Tensor, Tensor], here: Tensor, marks: Tensor) -> Tensor:
    count = (rungs[0][here] < marks[:, None]).sum(1)
    return rungs[1][here, count.clamp(max=rungs[1].shape[1] - 1)]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_ties_catch_a_closed_interval_which_midpoints_and_random_uniforms_do_not(
    monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype
) -> None:
    monkeypatch.setattr(inversion.Inversion, "_between", closed_search)
    monkeypatch.setattr(thresholds, "climb", closed_climb)
    for name in ("predraw and follow", "TEV's walk", "cumulative walk", "nested intervals"):
        assert compare(find(name), "tie", dtype)
        assert compare(find(name), "midpoint", dtype) == []
    assert compare(find("predraw and follow"), "generic", torch.float64, generic_problems(torch.float64)) == []


def unmasked(forest: Forest) -> Any:
    return batched.Bonus.of(forest, forest.rows)


def with_plan(name: str, change: Callable[[Forest, Any], Any]) -> BatchedVerifier[Any]:
    verifier = find(name)
    return BatchedVerifier(verifier.twin, lambda forest: change(forest, verifier.prepare(forest)), verifier.walk)


def replaced(plan: Any, **changes: Any) -> Any:
    return type(plan)(**{**vars(plan), **changes})


def subtracted_exits(forest: Forest, plan: Any) -> Any:
    """e as 1 - sum of the children in float32: what is left of nothing is not nothing."""
    flow = torch.ones(len(forest.parents))
    for v in range(len(flow)):
        if forest.parents[v] >= 0:
            flow[v] = flow[forest.parents[v]] * forest.rows[forest.parents[v], forest.tokens[v]] * 1.01
    masses = flow * (1 - forest.edges.float().sum(1)).clamp(min=0)
    return replaced(plan, exits=inversion.Inversion.of(masses.reshape(len(forest.trees), -1).to(forest.rows.dtype)))


PLANTED: dict[str, BatchedVerifier[Any]] = {
    "bonus not masked": with_plan("TEV", lambda forest, plan: replaced(plan, bonus=unmasked(forest))),
    "exit masses a hundredth off": with_plan("TEV", subtracted_exits),
    "first mass never lowered": with_plan(
        "residual in given", lambda _, plan: replaced(plan, left=torch.ones_like(plan.left))
    ),
    "children in another order": with_plan(
        "residual in given", lambda forest, _: sequential_residual._residual(forest, sequential_residual._reversed)
    ),
    "an accepted child that is not walked on from": with_plan(
        "residual in given", lambda _, plan: replaced(plan, accept=plan.accept.clamp(max=-1))
    ),
    "thresholds of the wrong node": with_plan(
        "TEV's walk", lambda _, plan: replaced(plan, rungs=(plan.rungs[0].roll(1, 0), plan.rungs[1]))
    ),
    "rows of the first tree for all": with_plan(
        "predraw and follow",
        lambda forest, plan: replaced(
            plan, rows=inversion.Inversion.of(forest.rows[: forest.nodes].repeat(len(forest.trees), 1))
        ),
    ),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_planted_faults_are_caught(fault: str) -> None:
    found = compare(PLANTED[fault], "midpoint", torch.float64)
    assert found
    assert "expected exit" in str(found[0])
    assert max(entry.margin for entry in found) > 1e-3  # no coin near a threshold could explain it


class WrongAddress(ArrayTape):
    """Reads a node's draw at the next node's address."""

    def uniform(self, slot: Slot, index: int | Tensor, rows: Tensor) -> Tensor:
        column = self._column(slot)
        return column[rows, (torch.as_tensor(index) + 1) % column.shape[1]]


def test_a_wrong_address_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ArrayTape, "uniform", WrongAddress.uniform)
    assert compare(find("predraw and follow"), "midpoint", torch.float64)
    assert compare(find("seed-synchronous"), "midpoint", torch.float64)


def test_what_is_not_written_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fresh buffers hold garbage: a verifier that reads before it writes gives itself away."""
    empty_like, empty = torch.empty_like, torch.empty

    def spoilt(*args: Any, **kwargs: Any) -> Tensor:
        made = empty(*args, **kwargs) if args and isinstance(args[0], int) else empty_like(*args, **kwargs)
        return made.fill_(float("nan") if made.is_floating_point() else 1 << 40)

    monkeypatch.setattr(torch, "empty_like", spoilt)
    monkeypatch.setattr(torch, "empty", spoilt)
    for verifier in CATALOGUE:
        assert compare(verifier, "midpoint", torch.float64, ragged_problems(20, 10, 5, BITS, depth=DEPTH)) == []


# ---- inversion and masses by a second route


@pytest.mark.parametrize("few", [0, 1 << 40], ids=["guided", "unguided"])
def test_the_guided_search_is_the_plain_one(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inversion, "FEW", few)
    rng = torch.Generator().manual_seed(0)
    weights = torch.rand(5, 3000, generator=rng, dtype=torch.float64).pow(20)
    weights[:, ::3], weights[1, 10:], weights[2, :2990] = 0, 0, 0
    for dtype in DTYPES:
        table = inversion.Inversion.of(weights.to(dtype))
        rows = torch.randint(0, 5, (20_000,), generator=rng)
        uniforms = torch.rand(20_000, generator=rng, dtype=torch.float64)
        uniforms[:100], uniforms[100:200] = 0, 1 - 2.0**-53
        marks = uniforms.to(dtype) * table.sums[rows, -1]
        plain = torch.searchsorted(table.sums[rows], marks[:, None], right=True).squeeze(1)
        plain = torch.minimum(plain, table.last[rows])
        assert torch.equal(table.draw(rows, uniforms), plain)
        assert torch.equal(table.first_above(rows, marks), plain)
        assert (weights[rows, plain] > 0).all()


def test_exit_masses_are_exact_where_a_subtraction_would_lose_them() -> None:
    fan = DraftTree((-1, 0, 0, 0), (-1, 0, 1, 2))
    rows = torch.tensor([[[0.8, 0.15, 0.05, 0], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]], dtype=torch.float32)
    masses = tev.log_exits(Forest.from_rows([fan], rows)).exp()
    assert masses[0] == 0
    assert float(1 - rows[0, 0, 0] - rows[0, 0, 1] - rows[0, 0, 2]) != 0  # what the obvious form would leave
    tiny = torch.tensor([[[1.0, 1e-12, 0.0], [1, 0, 0], [1, 0, 0]]], dtype=torch.float32)
    only = Forest.from_rows([DraftTree((-1, 0), (-1, 0))], tiny[:, :2])
    assert float(tev.log_exits(only)[0].exp()) == pytest.approx(1e-12, rel=1e-5)


def test_a_forest_refuses_what_it_cannot_hold() -> None:
    one = TargetTree(DraftTree((-1,), (-1,)), [["1/2", "1/2"]])
    other = TargetTree(DraftTree((-1,), (-1,)), [["1/2", "1/4", "1/4"]])
    with pytest.raises(Exception, match=r"expected trees over one vocabulary, got vocabularies \[2, 3\]"):
        Forest.of([one, other])
    with pytest.raises(Exception, match=r"expected rows for 1 trees of up to 2 nodes, got rows of shape \(1, 1, 2\)"):
        Forest.from_rows([DraftTree((-1, 0), (-1, 0))], torch.zeros(1, 1, 2))
    with pytest.raises(Exception, match="expected proposal rows, got none"):
        find("ratio rule").prepare(Forest.of([one]))
