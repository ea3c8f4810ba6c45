"""Loading says what is wrong, asks no network for what is here, and runs no code that came with weights."""

from __future__ import annotations

import json
import os
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from tevtheory.errors import InputError
from tevtheory_gpu.targets import LanguageModel, load_target, memory, path_logits, same_tokenizer, tiny_target
from tevtheory_gpu.targets.memory import weight_bytes
from tevtheory_gpu.targets.offline import offline

IDS = (5, 17, 3, 40)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every connection that is tried is refused, and listed."""
    tried: list[object] = []

    def refuse(address: object) -> None:
        tried.append(address)
        raise OSError("no network in this test")

    monkeypatch.setattr(socket.socket, "connect", lambda _, address: refuse(address))
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *_, **__: refuse(host))
    return tried


def test_a_folder_is_loaded_as_it_was_saved_and_without_a_network(
    tiny: LanguageModel, tiny_folder: Path, no_network: list[object]
) -> None:
    model = load_target(str(tiny_folder))
    assert torch.equal(path_logits(model, IDS), path_logits(tiny, IDS))
    assert (model.vocabulary, model.dtype, model.device, model.end_tokens) == (64, "float32", "cpu", (1,))
    assert model.decode(model.encode("ABC")).replace(" ", "") == "ABC"
    assert not model.model.training
    assert not any(parameter.requires_grad for parameter in model.model.parameters())
    assert no_network == []


def test_an_attempt_to_connect_would_be_seen(no_network: list[object]) -> None:
    with pytest.raises(OSError, match="no network in this test"):
        socket.create_connection(("hub.invalid", 443))
    assert no_network == ["hub.invalid"]


def test_a_hub_name_without_a_network_is_told(no_network: list[object]) -> None:
    # The hub's client tries for most of a minute to reach it; offline it answers the same at once.
    with (
        offline(),
        pytest.raises(InputError, match="nobody/none: expected a causal language model in safetensors, got"),
    ):
        load_target("nobody/none")


def test_offline_is_a_state_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    before = constants.HF_HUB_OFFLINE
    with offline():
        assert (os.environ["HF_HUB_OFFLINE"], constants.HF_HUB_OFFLINE) == ("1", True)
    assert ("HF_HUB_OFFLINE" in os.environ, constants.HF_HUB_OFFLINE) == (False, before)
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    with offline():
        pass
    assert os.environ["HF_HUB_OFFLINE"] == "0"


def test_a_named_model_that_is_not_cached_says_how_to_get_it(cache: Path) -> None:
    with pytest.raises(
        InputError, match="smollm2-135m: expected a model in the cache, got nothing there; run: tevtheory"
    ):
        load_target("smollm2-135m")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("smollm", "target: expected a named model (smollm2-135m, "),
        ("missing/file.gguf", "a .gguf file or a hub name owner/model, got 'missing/file.gguf'; check the spelling"),
        ("/no/such/folder", "got '/no/such/folder'"),
    ],
)
def test_what_is_nothing_is_told(spec: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load_target(spec)
    assert message in str(caught.value)


def test_other_number_types_and_devices_are_told(tiny_folder: Path) -> None:
    with pytest.raises(
        InputError, match=r"dtype: expected one of float32, bfloat16, .*, got 'int8'; lossless tests need"
    ):
        load_target(str(tiny_folder), dtype="int8")
    with pytest.raises(InputError, match="device: expected a device such as cpu or cuda:0, got 'tpu9'"):
        load_target(str(tiny_folder), device="tpu9")
    assert load_target(str(tiny_folder), dtype="bfloat16").dtype == "bfloat16"


def test_a_device_that_is_not_there_is_told(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(
        InputError, match="device 'cuda': expected a CUDA device, got none on this machine; use device cpu"
    ):
        load_target(str(tiny_folder), device="cuda")


def test_pickled_weights_are_refused(tiny: LanguageModel, tiny_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "pickled"))
    (folder / "model.safetensors").unlink()
    torch.save(tiny.model.state_dict(), folder / "pytorch_model.bin")
    with pytest.raises(
        InputError, match=r"expected a causal language model in safetensors, got .*; check the folder's"
    ):
        load_target(str(folder))


def test_code_in_the_folder_is_not_run(tiny_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "coded"))
    marker = tmp_path / "marker"
    (folder / "code.py").write_text(f"open({str(marker)!r}, 'w').close()\n")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "coded", "auto_map": {"AutoConfig": "code.C", "AutoModelForCausalLM": "code.M"}}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="contains custom code"):
        load_target(str(folder))
    assert not marker.exists()


def test_a_model_that_can_never_fit_is_told_before_it_is_read(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parameters = sum(parameter.numel() for parameter in tiny_target().model.parameters())
    assert weight_bytes(tiny_folder, "float32") == 2 * weight_bytes(tiny_folder, "bfloat16") == 4 * parameters
    monkeypatch.setattr(memory, "room", lambda _: 1000)
    with pytest.raises(
        InputError, match=r"expected about \d+\.\d KiB of memory, got 1\.0 KiB in all; take a smaller model"
    ):
        load_target(str(tiny_folder))


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory"), MemoryError()])
def test_memory_that_runs_out_says_what_was_wanted(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(AutoModelForCausalLM, "from_pretrained", fail)
    with pytest.raises(
        InputError, match=r"expected about \d+\.\d KiB of memory, got less than that free; take a smaller"
    ):
        load_target(str(tiny_folder))


def test_another_runtime_error_is_no_lack_of_memory(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("shapes do not fit")

    monkeypatch.setattr(AutoModelForCausalLM, "from_pretrained", fail)
    with pytest.raises(RuntimeError, match="shapes do not fit"):
        load_target(str(tiny_folder))


def with_words(words: list[str]) -> LanguageModel:
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    core = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token=words[0]))
    return LanguageModel.of("words", tiny_target().model, PreTrainedTokenizerFast(tokenizer_object=core))


def test_a_drafter_needs_the_targets_tokenizer(tiny: LanguageModel) -> None:
    same_tokenizer(with_words(["a", "b"]), with_words(["a", "b"]))
    same_tokenizer(tiny, tiny_target(seed=1))
    with pytest.raises(
        InputError, match="drafter words for target words: expected the same vocabulary, got 'a' is 0 there"
    ):
        same_tokenizer(with_words(["a", "b"]), with_words(["b", "a"]))
    with pytest.raises(
        InputError, match="expected two models with one tokenizer, got a model without; take a drafter of"
    ):
        same_tokenizer(with_words(["a"]), tiny)
    with pytest.raises(InputError, match="a model without"):
        same_tokenizer(tiny, tiny_target(vocabulary=65))


def test_the_same_words_cut_in_another_way_are_another_tokenizer() -> None:
    from tokenizers import pre_tokenizers

    one, other = with_words(["?", "f"]), with_words(["?", "f"])
    other.tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    with pytest.raises(InputError, match="expected the same ids for the same text, got other merges"):
        same_tokenizer(one, other)


def test_a_model_without_words_or_without_a_template_says_so(tiny: LanguageModel) -> None:
    with pytest.raises(
        InputError, match="tiny-0: expected a model with a tokenizer, got none; give token ids, or load a"
    ):
        tiny.encode("x")
    with pytest.raises(
        InputError, match="words: expected a tokenizer with a chat template, got none; use encode, or an"
    ):
        with_words(["a"]).encode_chat("x")


def test_the_random_model_is_a_function_of_its_seed(tiny: LanguageModel) -> None:
    before = torch.random.get_rng_state()
    assert torch.equal(path_logits(tiny_target(), IDS), path_logits(tiny, IDS))
    assert not torch.equal(path_logits(tiny_target(seed=1), IDS), path_logits(tiny, IDS))
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.mark.weights
def test_a_chat_is_written_as_the_template_says(smollm2: LanguageModel) -> None:
    text = smollm2.decode(smollm2.encode_chat("Hello"))
    assert text.endswith("<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n")
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]
    assert smollm2.decode(smollm2.encode_chat(turns)).startswith("<|im_start|>system\nBe brief.<|im_end|>")
    same_tokenizer(smollm2, smollm2)
