"""`tevtheory check`, as a user would run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tevtheory.cli import main

ROOT = Path(__file__).parent.parent
C2 = str(ROOT / "examples" / "c2.json")
EXAMPLES = ROOT / "examples" / "judge-your-verifier"

BATCHED = """
import numpy as np
from tevtheory.conformance import CHILD_MAPS, over_chooser
from tevtheory.conformance.montecarlo import batched

def follow(rows, parents, child_maps, size, seed, mask=True):
    rng = np.random.default_rng(seed)
    paths, tokens = np.full((size, len(rows)), -1), np.zeros(size, dtype=np.int64)
    for i in range(size):
        node, depth = 0, 0
        paths[i, 0] = 0
        while True:
            token = int(rng.choice(rows.shape[1], p=rows[node]))
            child = child_maps[node].get(token)
            if child is None:
                break
            depth += 1
            node = paths[i, depth] = child
        tokens[i] = token
    return paths, tokens

def always_longest(rows, parents, child_maps, size, seed):
    return np.full(size, len(rows) - 1), np.zeros(size, dtype=np.int64)

RIGHT = batched(follow, layout=CHILD_MAPS)
WRONG = batched(always_longest, layout=CHILD_MAPS)
FLOATS = batched(lambda *a: (np.zeros(a[-2]), np.zeros(a[-2])), layout=CHILD_MAPS, name="floats")
"""


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(["check", *arguments])
    captured = capsys.readouterr()
    return int(left.value.code or 0), captured.out, captured.err


def test_a_right_verifier_exits_zero(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, f"{EXAMPLES}/my_verifier.py:VERIFIER", "--max-nodes", "3")
    assert status == 0
    assert "my verifier: EXACT, CANONICAL" in out
    assert "checks: second call passed, labels passed, super-tree passed" in out


def test_a_faulty_verifier_exits_one_and_shows_its_counterexample(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "report.json"
    status, out, _ = run(capsys, f"{EXAMPLES}/my_faulty_verifier.py:VERIFIER", "--json", str(file))
    assert status == 1
    assert "my faulty verifier: LOSSY BY 5/36" in out
    assert "└── 0  p 1/6  flow 1/6  exit 1/6" in out
    assert "token 0 follows with 11/36, target 1/6" in out
    data = json.loads(file.read_text())
    assert (data["exact"], data["counterexample"]["distance"]) == (False, "5/36")


def test_a_short_verifier_exits_zero_with_its_regret(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "tevtheory.verifiers.short:EARLY_STOP", "--max-nodes", "3")
    assert (status, "EXACT, REGRET up to" in out) == (0, True)


def test_an_undecided_verifier_exits_three(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "wide.py"
    file.write_text(
        "from tevtheory.choices import Slot\n"
        "from tevtheory.conformance import over_chooser\n"
        "from tevtheory.trees import Exit\n"
        "S = Slot('s', per='round')\n"
        "def wide(problem, chooser):\n"
        "    for k in range(18):\n"
        "        chooser.flip(1, 2, site=(S, k))\n"
        "    return Exit(0, chooser.choose(problem.rows[0], site=(S, 99)))\n"
        "V = over_chooser(wide)\n"
    )
    status, out, _ = run(capsys, f"{file}:V", "--max-nodes", "1")
    assert status == 3
    assert "INCONCLUSIVE" in out
    assert "stopped after 100000 paths" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope:V"], "target nope:V: expected"),
        (["tevtheory.verifiers.tev:NOPE"], "expected a name in that module, got 'NOPE'"),
        (["tevtheory.verifiers.tev:EXIT"], "expected a Verifier or a subject, got"),
        (["no-colon"], "expected a module or file, a colon and a name"),
        (["tevtheory.verifiers.tev:TEV", "--patterns", "nope"], "expected a row pattern, got 'nope'"),
        (["tevtheory.verifiers.tev:TEV", "--problem", C2], "expected --problem FILE and --samples N, got no --samples"),
        (["tevtheory.verifiers.tev:TEV", "--samples", "10"], "got no --problem"),
        (
            ["tevtheory.verifiers.tev:TEV", "--problem", C2, "--samples", "0"],
            "expected a number of samples >= 1, got 0",
        ),
        (
            ["tevtheory.verifiers.tev:TEV", "--problem", "nope.json", "--samples", "9"],
            "expected a file, got nothing there",
        ),
    ],
)
def test_misuse_exits_two(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert message in err


def test_monte_carlo_bounds_a_right_verifier(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Seed fixed; a right verifier is called a fault with probability at most 1e-6."""
    file = tmp_path / "report.json"
    arguments = ["tevtheory.verifiers.tev:TEV", "--problem", C2, "--samples", "2e4", "--json", str(file)]
    status, out, _ = run(capsys, *arguments)
    assert status == 0
    assert out.startswith("EXACT UP TO TV <= ")
    assert json.loads(file.read_text())["verdict"].startswith("EXACT UP TO TV")


def test_monte_carlo_finds_a_fault_and_an_early_stop(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "tevtheory.verifiers.typical:TYPICAL", "--problem", C2, "--samples", "1e4")
    assert (status, out.startswith("FAULT")) == (1, True)
    stop = ["tevtheory.verifiers.short:EARLY_STOP", "--problem", C2, "--samples", "1e4"]
    assert run(capsys, *stop)[0] == 0
    assert run(capsys, *stop, "--canonical")[0] == 1


def test_a_bound_that_is_not_reached_is_inconclusive(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "tevtheory.verifiers.tev:TEV", "--problem", C2, "--samples", "1e3", "--tv", "1e-3")
    assert (status, out.startswith("INCONCLUSIVE")) == (3, True)


def test_a_batched_black_box_is_sampled(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "boxes.py"
    file.write_text(BATCHED)
    sampled = ["--problem", C2, "--samples", "5e3"]
    assert run(capsys, f"{file}:RIGHT", *sampled)[0] == 0
    assert run(capsys, f"{file}:WRONG", *sampled)[0] == 1
    status, _, err = run(capsys, f"{file}:FLOATS", *sampled)
    assert status == 2
    assert "integer" in err
    status, _, err = run(capsys, f"{file}:RIGHT")
    assert (status, "expected a Verifier or a subject" in err) == (2, True)


def test_a_run_is_resumed_from_its_checkpoint(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["tevtheory.verifiers.tev:TEV", "--problem", C2, "--samples", "3e3"]
    whole = run(capsys, *arguments)[1]
    file = tmp_path / "run.npz"
    first = run(capsys, *arguments, "--checkpoint", str(file))[1]
    again = run(capsys, *arguments, "--checkpoint", str(file), "--resume")[1]
    assert whole == first == again
    status, _, err = run(capsys, *arguments, "--checkpoint", str(file), "--resume", "--seed", "1")
    assert (status, "seed 0, not 1" in err) == (2, True)
