"""`tevtheory generate`: text, a tidy summary, JSON, and errors of the house before anything slow begins."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.gpu.test_model_commands import imported
from tevtheory.errors import InputError, MissingDependency
from tevtheory_gpu import decoding, generate_command
from tevtheory_gpu.decoding import Block
from tevtheory_gpu.generate_command import app

RUN = CliRunner()
LABELS = [
    "target",
    "drafter",
    "verifier",
    "generated",
    "tokens per call",
    "1 + coverage",
    "time per call",
    "peak memory",
]


def invoke(folder: Path, *options: str) -> Any:
    return RUN.invoke(app, ["--target", str(folder), "--max-new-tokens", "20", "--prompt", "0123450123", *options])


@pytest.mark.parametrize("drafter", ["lookup:2", "early-exit:2"])
@pytest.mark.parametrize("temperature", ["0", "0.7"])
def test_text_then_a_tidy_summary(tiny_folder: Path, tmp_path: Path, drafter: str, temperature: str) -> None:
    file = tmp_path / "out.json"
    done = invoke(tiny_folder, "--drafter", drafter, "--temperature", temperature, "--json", str(file))
    assert done.exit_code == 0, done.output
    text, blank, *summary = done.stdout.splitlines()
    data = json.loads(file.read_text())
    assert (text, blank) == (data["text"], "")
    assert [line[: len(label)] for line, label in zip(summary, LABELS, strict=True)] == LABELS
    assert f"temperature {temperature}, seed 0" in summary[2]
    assert f"{len(data['tokens'])} tokens in {data['calls']} call" in summary[3]
    assert summary[4].split()[-1] == f"{data['tokens_per_call']:.3f}"
    assert data["options"]["sampling"]["temperature"] == float(temperature)
    assert data["prefix"] == [0, 1, 2, 3, 4, 5, 0, 1, 2, 3]
    if temperature == "0":
        assert "paired difference +0.000" in summary[5]


def test_one_text_for_a_seed_whatever_drafts(tiny_folder: Path) -> None:
    alike = ["--verifier", "seed-synchronous", "--seed", "3"]
    texts = {
        invoke(tiny_folder, *alike, *more).stdout.splitlines()[0]
        for more in (["--drafter", "lookup:1"], ["--builder", "oracle", "--budget", "9"], ["--drafter", "early-exit:1"])
    }
    assert len(texts) == 1
    assert len(texts.pop()) > 5


def test_a_stop_token_ends_the_text(tiny_folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    options = ["--verifier", "seed-synchronous", "--seed", "3", "--json", str(file)]
    invoke(tiny_folder, *options)
    tokens = json.loads(file.read_text())["tokens"]
    stop = tokens[4]
    shorter = invoke(tiny_folder, *options, "--stop", chr(48 + stop))  # the tokenizer's tokens are single characters
    assert json.loads(file.read_text())["tokens"] == tokens[: tokens.index(stop) + 1]
    assert "stop: end of text" in shorter.stdout


def test_the_prompt_may_be_in_a_file(tiny_folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "prompt.txt"
    file.write_text("0123")
    done = RUN.invoke(app, ["--target", str(tiny_folder), "--prompt-file", str(file), "--max-new-tokens", "3"])
    assert "a prompt of 4 tokens" in done.stdout


def test_an_interruption_leaves_a_summary(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = decoding.generate

    def interrupted(model: Any, ids: Any, drafter: Any, options: Any, on_block: Any) -> Any:
        def thrice(block: Block) -> None:
            on_block(block)
            heard.append(block)
            if len(heard) == 3:
                raise KeyboardInterrupt

        heard: list[Block] = []
        return plain(model, ids, drafter, options, thrice)

    monkeypatch.setattr(decoding, "generate", interrupted)
    done = invoke(tiny_folder)
    assert done.exit_code == 130
    assert "in 3 calls; stop: interrupted" in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--drafter", "eagle"], "drafter: expected early-exit:LAYERS, model:NAME or lookup:N, got 'eagle'"),
        (["--builder", "medusa"], "builder: expected the name of one builder, got 'medusa'"),
        (["--verifier", "magic"], "verifier: expected the name of one verifier, got 'magic'"),
        (["--temperature", "-1"], "sampling, temperature: expected temperature >= 0, got -1.0"),
        (["--budget", "65", "--depth", "1"], "budget: expected at most 64 drafted tokens, got 65"),
        (["--prompt-file", "x"], "prompt: expected --prompt TEXT or --prompt-file FILE, got both; give one of them"),
        (["--chat"], "expected a tokenizer with a chat template, got none"),
        (["--prompt", "0" * 4096], "context: expected fewer than 4096 tokens, got a prompt of 4096 tokens; shorten"),
        (["--prompt", ""], "expected at least one token id, got none"),
        (["--device", "abacus"], "device: expected a device such as cpu or cuda:0, got 'abacus'"),
        (["--max-new-tokens", "0"], "length limit: expected at least 1 new token, got 0"),
        (["--stop", "01"], "--stop: expected a text of one token, got '01', which is 2 tokens"),
        (["--verifier", "ratio"], "this verifier needs the drafter's probabilities"),
    ],
)
def test_misuse_is_told(tiny_folder: Path, options: list[str], message: str) -> None:
    done = invoke(tiny_folder, *options)
    assert isinstance(done.exception, InputError)
    assert message in str(done.exception)
    assert done.stdout == ""


def test_a_drafter_of_another_tokenizer_is_told(tiny_folder: Path, tmp_path: Path, tiny: Any, letters: Any) -> None:
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    core = Tokenizer(models.WordLevel({chr(49 + i): i for i in range(64)}, unk_token="1"))  # noqa: S106  (no password)
    PreTrainedTokenizerFast(tokenizer_object=core).save_pretrained(tmp_path)
    tiny.model.save_pretrained(tmp_path)
    done = invoke(tiny_folder, "--drafter", f"model:{tmp_path}")
    assert isinstance(done.exception, InputError)
    assert "expected the same vocabulary, got '0' is 0 there and missing here" in str(done.exception)


def test_a_missing_prompt_or_file_is_told(tmp_path: Path) -> None:
    error = RUN.invoke(app, []).exception
    assert str(error) == "prompt: expected --prompt TEXT or --prompt-file FILE, got neither; give one of them"
    error = RUN.invoke(app, ["--prompt-file", str(tmp_path / "no")]).exception
    assert isinstance(error, InputError)
    assert "expected a text file in UTF-8" in str(error)


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    error = RUN.invoke(app, ["--prompt", "0"]).exception
    assert isinstance(error, MissingDependency)
    assert 'pip install "tevtheory[gpu]"' in str(error)


def test_the_command_loads_no_torch() -> None:
    gpu = Path(generate_command.__file__).parent.parent
    start = f"sys.path.insert(0, {str(gpu)!r})\n"
    assert not {"torch", "transformers", "numba"} & imported(f"{start}import tevtheory_gpu.generate_command")


def test_help_names_every_choice() -> None:
    code = "from tevtheory_gpu.generate_command import app; app(['--help'])"
    gpu = Path(generate_command.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": f"{gpu}:{gpu.parent}", "COLUMNS": "160"},
        capture_output=True,
        text=True,
        check=True,
    )
    for word in ("lookup:N", "early-exit:LAYERS", "OPT-Tree", "--top-p", "--no-chat"):
        assert word in done.stdout


@pytest.mark.weights
def test_a_real_model_answers(smollm2: Any) -> None:
    prompt = "Repeat after me: the quick brown fox jumps over the lazy dog."
    done = RUN.invoke(app, ["--prompt", prompt, "--temperature", "0", "--max-new-tokens", "24"])
    assert done.exit_code == 0, done.output
    assert "fox" in done.stdout
    assert "paired difference +0.000 ± 0.000" in done.stdout
    assert "<|im_end|>" not in done.stdout
