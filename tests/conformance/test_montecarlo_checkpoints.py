"""Checkpoints: a run that is broken off, even killed, ends like an undisturbed one; other files stay as they are."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conformance.laws_to_sample import LawSampler
from tests.conformance.test_montecarlo_run import NULL, SMALL, fair, settings
from tevtheory.conformance.montecarlo import Look, montecarlo
from tevtheory.conformance.montecarlo import run as running
from tevtheory.conformance.montecarlo.bounds import tv_bound
from tevtheory.conformance.montecarlo.checkpoint import fingerprint, load
from tevtheory.errors import InputError
from tevtheory.examples import C2

ROOT = Path(__file__).parent.parent.parent


@dataclass
class Interrupted:
    """Ends the process, or raises, in the middle of the given call."""

    at: int
    kill: bool = False
    name: str = "law"
    calls: int = 0

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Any, Any]:
        self.calls += 1
        if self.calls == self.at:
            if self.kill:
                os.kill(os.getpid(), signal.SIGKILL)
            raise KeyboardInterrupt
        return fair().sample(size, rng)


@pytest.mark.parametrize("at", [1, 2, 5, 10])
def test_a_resumed_run_ends_like_an_undisturbed_one(at: int, tmp_path: Path) -> None:
    whole = montecarlo(fair(), SMALL, checkpoint=tmp_path / "whole.npz", **settings())
    broken = tmp_path / "broken.npz"
    with pytest.raises(KeyboardInterrupt):
        montecarlo(Interrupted(at), SMALL, checkpoint=broken, **settings())
    assert broken.exists() == (at > 1)
    resumed = montecarlo(fair(), SMALL, checkpoint=broken, resume=True, **settings())
    assert resumed == whole
    same_counts(tmp_path / "whole.npz", broken)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.npz", "whole.npz"]


def about(**changes: Any) -> dict[str, Any]:
    return {"sampler": "law", "target": fingerprint(NULL), **settings(**changes)}


def same_counts(first: Path, second: Path) -> None:
    one, other = load(first, about()), load(second, about())
    for left, right in ((one.seen, other.seen), (one.completed, other.completed)):
        assert np.array_equal(left.codes, right.codes)
        assert np.array_equal(left.counts, right.counts)
    assert np.array_equal(one.pairs, other.pairs)
    assert (one.looks, one.blocks, one.bound) == (other.looks, other.blocks, other.bound)


def test_a_killed_run_is_resumed(tmp_path: Path) -> None:
    program = (
        "from tests.conformance.test_montecarlo_checkpoints import *\n"
        f"montecarlo(Interrupted(7, kill=True), SMALL, checkpoint={str(tmp_path / 'killed.npz')!r}, **settings())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    whole = montecarlo(fair(), SMALL, checkpoint=tmp_path / "whole.npz", **settings())
    looks: list[Look] = []
    resumed = montecarlo(
        fair(), SMALL, checkpoint=tmp_path / "killed.npz", resume=True, on_look=looks.append, **settings()
    )
    assert resumed == whole
    assert [look.number for look in looks] == list(range(7, whole.looks + 1))
    same_counts(tmp_path / "whole.npz", tmp_path / "killed.npz")


def test_a_finished_run_resumes_to_its_report(tmp_path: Path) -> None:
    path = tmp_path / "done.npz"
    whole = montecarlo(fair(), SMALL, checkpoint=path, **settings())
    assert montecarlo(Interrupted(1), SMALL, checkpoint=path, resume=True, **settings()) == whole


def test_without_resume_a_run_starts_again(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    whole = montecarlo(fair(), SMALL, checkpoint=path, **settings())
    looks: list[Look] = []
    assert montecarlo(fair(), SMALL, checkpoint=path, on_look=looks.append, **settings()) == whole
    assert looks[0].number == 1


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"seed": 4}, "seed 3, not 4"),
        ({"alpha": 1e-3}, "alpha 1e-06, not 0.001"),
        ({"claim": "canonical"}, "claim 'exact', not 'canonical'"),
        ({"samples": 30_000}, "samples 20000, not 30000"),
    ],
)
@pytest.mark.parametrize("resume", [True, False])
def test_a_checkpoint_of_another_run_is_refused_and_kept(
    changes: dict[str, Any], text: str, resume: bool, tmp_path: Path
) -> None:
    path = tmp_path / "run.npz"
    montecarlo(fair(), SMALL, checkpoint=path, **settings())
    before = path.read_bytes()
    with pytest.raises(InputError, match="expected the checkpoint of this run") as caught:
        montecarlo(fair(), SMALL, checkpoint=path, resume=resume, **settings(**changes))
    assert caught.value.got == text
    assert path.read_bytes() == before


def test_a_checkpoint_of_another_target_or_sampler_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    montecarlo(fair(), SMALL, checkpoint=path, **settings())
    with pytest.raises(InputError, match="sampler 'law', not 'other'"):
        montecarlo(fair("other"), SMALL, checkpoint=path, resume=True, **settings())
    with pytest.raises(InputError, match=r"target '[0-9a-f]{64}', not '[0-9a-f]{64}'"):
        montecarlo(LawSampler(np.array([0.5, 0.5]), 2), C2, checkpoint=path, resume=True, **settings())


@pytest.mark.parametrize("content", [b"", b"mine", b"PK\x03\x04 broken", b"\x93NUMPY\x01\x00"])
def test_another_file_is_refused_and_kept(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="expected a checkpoint written by montecarlo"):
        montecarlo(fair(), SMALL, checkpoint=path, **settings())
    assert path.read_bytes() == content


def test_another_npz_or_half_a_checkpoint_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    montecarlo(fair(), SMALL, checkpoint=path, **settings())
    for content in (path.read_bytes()[:-200], path.read_bytes()[:300]):
        path.write_bytes(content)
        with pytest.raises(InputError, match="choose another path, or remove the file yourself"):
            montecarlo(fair(), SMALL, checkpoint=path, resume=True, **settings())
        assert path.read_bytes() == content
    np.savez(path, seen_codes=np.zeros(3), allow_pickle=False)
    with pytest.raises(InputError, match="expected a checkpoint written by montecarlo"):
        montecarlo(fair(), SMALL, checkpoint=path, resume=True, **settings())


def test_a_checkpoint_needs_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a folder to write in"):
        montecarlo(fair(), SMALL, checkpoint=tmp_path / "no" / "run.npz", **settings())
    with pytest.raises(InputError, match="expected a checkpoint written by montecarlo"):
        montecarlo(fair(), SMALL, checkpoint=tmp_path, **settings())


def test_pairs_are_neighbours_within_a_block(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(running, "BLOCK", 37)
    montecarlo(fair(), SMALL, checkpoint=tmp_path / "run.npz", **settings(samples=1000))
    state = load(tmp_path / "run.npz", about(samples=1000))
    assert state.pairs.sum() == state.seen.total - state.blocks
    assert state.blocks > 20


def test_a_look_uses_its_share_of_the_error_probability(tmp_path: Path) -> None:
    montecarlo(fair(), SMALL, checkpoint=tmp_path / "run.npz", **settings(samples=2000))
    state = load(tmp_path / "run.npz", about(samples=2000))
    last = tv_bound(NULL, state.completed, 2000, 1e-6 / (state.looks * (state.looks + 1)))
    assert state.bound == last
