"""A GGUF file and its converted folder are the same model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import gguf
import pytest
import torch

from tests.gpu.test_target_packages import MODEL
from tevtheory.errors import InputError
from tevtheory_gpu.targets import LanguageModel, conversion, load_target, path_logits, tiny_target
from tevtheory_gpu.targets.conversion import convert, read_gguf

IDS = (5, 17, 3, 40)
NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
OUTSIDE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def gguf_name(name: str) -> str:
    stem = name.removesuffix(".weight")
    if stem in OUTSIDE:
        return f"{OUTSIDE[stem]}.weight"
    _, _, layer, rest = stem.split(".", 3)
    return f"blk.{layer}.{NAMES[rest]}.weight"


def interleaved(weight: torch.Tensor, heads: int) -> torch.Tensor:
    """GGUF keeps the rotary halves of a Llama's queries and keys interleaved."""
    rows, columns = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


def write_gguf(file: Path, model: Any, leave_out: str = "", number: Any = None) -> Path:
    """A tiny Llama as GGUF in float32, or with a quantised embedding; its tokens are the printable characters."""
    config = model.config
    writer = gguf.GGUFWriter(str(file), "llama")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_vocab_size(config.vocab_size)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([*(chr(48 + i) for i in range(config.vocab_size - 1)), "AB"])
    writer.add_token_types([gguf.TokenType.NORMAL] * config.vocab_size)
    writer.add_token_merges(["A B"])
    writer.add_eos_token_id(1)
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    for name, weight in model.state_dict().items():
        count = next((count for part, count in heads.items() if part in name), None)
        made = (weight if count is None else interleaved(weight, count)).numpy()
        if leave_out and leave_out in name:
            continue
        if number is not None and "embed_tokens" in name:
            writer.add_tensor(gguf_name(name), gguf.quantize(made, number), raw_dtype=number)
        else:
            writer.add_tensor(gguf_name(name), made)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


@pytest.fixture
def small_file(tiny: LanguageModel, tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "tiny.gguf", tiny.model)


def converted(file: Path, folder: Path, **changes: Any) -> LanguageModel:
    folder.mkdir()
    convert(file, folder, replace(MODEL, **changes))
    return load_target(str(folder))


def gap(one: LanguageModel, other: LanguageModel) -> float:
    return float((path_logits(one, IDS) - path_logits(other, IDS)).abs().max())


def test_a_converted_model_is_the_same_model(tiny: LanguageModel, small_file: Path, tmp_path: Path) -> None:
    model = converted(small_file, tmp_path / "hf")
    assert gap(model, tiny) < 1e-5
    assert (model.vocabulary, model.context, model.end_tokens) == (64, 4096, (1,))
    assert model.encode("CAB0") == [19, 63, 0]
    assert model.decode([19, 63, 0]) == "CAB0"
    assert sorted(path.name for path in (tmp_path / "hf").iterdir()) == [
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    ]


def test_a_gguf_file_is_loaded_without_a_cache(tiny: LanguageModel, small_file: Path) -> None:
    assert gap(load_target(str(small_file)), tiny) < 1e-5


def test_weights_without_the_rotary_order_are_found(
    tiny: LanguageModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "interleaved", lambda weight, _: weight)
    assert gap(load_target(str(write_gguf(tmp_path / "wrong.gguf", tiny.model))), tiny) > 1e-2


def test_the_head_becomes_the_embedding_of_a_retied_model(tmp_path: Path) -> None:
    source = tiny_target()
    source.model.lm_head.weight.copy_(source.model.model.embed_tokens.weight)
    file = write_gguf(tmp_path / "untied.gguf", source.model, number=gguf.GGMLQuantizationType.Q8_0)
    untied, retied = load_target(str(file)), converted(file, tmp_path / "hf", retied=True)
    assert retied.model.lm_head.weight is retied.model.model.embed_tokens.weight
    assert gap(retied, source) < 1e-5  # the head was the precise one
    assert gap(untied, source) > 1e-4  # the embedding was not


def test_the_stored_number_type_is_the_catalogues(tiny: LanguageModel, small_file: Path, tmp_path: Path) -> None:
    model = converted(small_file, tmp_path / "hf", stored="bfloat16")
    wanted = tiny.model.model.norm.weight.bfloat16().float()
    assert torch.equal(model.model.model.norm.weight, wanted)
    assert gap(model, tiny) > 1e-4


def test_a_missing_tensor_is_named(tiny: LanguageModel, tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "hole.gguf", tiny.model, leave_out="1.mlp.up_proj")
    with pytest.raises(
        InputError, match=r"expected model\.layers\.1\.mlp\.up_proj\.weight of shape .*, got none; give a"
    ):
        read_gguf(file)


def test_without_that_check_a_hole_would_be_filled_with_noise(
    tiny: LanguageModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversion, "_check_complete", lambda *_: None)
    file = write_gguf(tmp_path / "hole.gguf", tiny.model, leave_out="1.mlp.up_proj")
    assert gap(load_target(str(file)), tiny) > 1e-2


def test_what_is_no_gguf_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(b"no weights here, and long enough to have a header")
    with pytest.raises(
        InputError, match=r"x\.gguf: expected a readable GGUF file, got .*; give a GGUF file of a causal"
    ):
        read_gguf(file)


@pytest.mark.weights
def test_the_named_default_speaks(smollm2: LanguageModel) -> None:
    ids = smollm2.encode_chat("What is the capital of France? Answer with one word.")
    said: list[int] = []
    while len(said) < 12 and (not said or said[-1] not in smollm2.end_tokens):
        said.append(int(path_logits(smollm2, [*ids, *said]).argmax()))
    assert "Paris" in smollm2.decode(said)
    assert (smollm2.vocabulary, smollm2.context) == (49_152, 8192)
