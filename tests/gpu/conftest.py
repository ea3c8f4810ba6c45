"""Models at hand: a tiny random one always, SmolLM2 where its weights are in the cache."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tevtheory_gpu.targets import LanguageModel


@pytest.fixture(scope="session")
def tiny() -> LanguageModel:
    from tevtheory_gpu.targets import tiny_target

    return tiny_target()


@pytest.fixture(scope="session")
def smollm2() -> LanguageModel:
    """The named default; tests that take it are marked `weights`."""
    from tevtheory_gpu.targets import is_cached, load_target, named_model

    if not is_cached(named_model("smollm2-135m")):
        pytest.skip("the weights are not in the cache: tevtheory models get smollm2-135m")
    return load_target("smollm2-135m")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("TEVTHEORY_CACHE", str(folder))
    return folder


@pytest.fixture(scope="session")
def letters() -> Any:
    """A tokenizer of 64 one-character tokens, for the tiny model."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    core = Tokenizer(models.WordLevel({chr(48 + i): i for i in range(64)}, unk_token="0"))  # noqa: S106  (no password)
    core.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    return PreTrainedTokenizerFast(tokenizer_object=core, eos_token="1")  # noqa: S106


@pytest.fixture(scope="session")
def tiny_folder(tiny: LanguageModel, letters: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model as a Hugging Face folder."""
    folder = tmp_path_factory.mktemp("tiny")
    tiny.model.save_pretrained(folder)
    letters.save_pretrained(folder)
    return folder
