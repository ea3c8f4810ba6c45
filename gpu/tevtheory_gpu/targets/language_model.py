"""A language model with what tree decoding needs to know of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from tevtheory.errors import InputError

_ATTENTION = ("sdpa", "eager")
_PROBE = "def f(x):\n    return x ** 2  # Größe: 12,345.67 \u4f60\u597d <|im_end|>"


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """A causal language model in evaluation mode on one device.

    `vocabulary` is the width of its logits (a tokenizer may know fewer tokens), `context` the number of positions,
    `end_tokens` the ids that end a text. `tokenizer` is None for models without text.
    """

    name: str
    model: Any = field(repr=False)
    tokenizer: Any = field(repr=False)
    vocabulary: int
    context: int
    end_tokens: tuple[int, ...]
    dtype: str
    device: str

    @classmethod
    def of(cls, name: str, model: Any, tokenizer: Any = None) -> LanguageModel:
        """Describe a transformers model; raises InputError where it cannot take an ancestor mask."""
        attention = getattr(model.config, "_attn_implementation", "eager")
        if attention not in _ATTENTION:
            remedy = "load it with attn_implementation='sdpa'"
            raise InputError(f"attention that takes a 4D mask ({' or '.join(_ATTENTION)})", attention, name, remedy)
        model = model.eval().requires_grad_(False)
        vocabulary = int(model.get_output_embeddings().weight.shape[0])
        weight = next(model.parameters())
        context = int(model.config.get_text_config().max_position_embeddings)
        dtype = str(weight.dtype).removeprefix("torch.")
        ends = _end_tokens(model, tokenizer)
        return cls(name, model, tokenizer, vocabulary, context, ends, dtype, str(weight.device))

    def encode(self, text: str) -> list[int]:
        """The token ids of a text, without special tokens around it."""
        return list(self._words().encode(text, add_special_tokens=False))

    def encode_chat(self, messages: str | Sequence[Mapping[str, str]]) -> list[int]:
        """The token ids of a chat up to where the answer begins; a text alone is one message of the user."""
        tokenizer = self._words()
        if not tokenizer.chat_template:
            remedy = "use encode, or an instruction-tuned model"
            raise InputError("a tokenizer with a chat template", "none", self.name, remedy)
        turns = [{"role": "user", "content": messages}] if isinstance(messages, str) else [dict(m) for m in messages]
        return self.encode(tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False))

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids, special tokens included."""
        return str(self._words().decode(list(ids), clean_up_tokenization_spaces=False))

    def check_ids(self, ids: Sequence[int], where: str) -> None:
        """Raise InputError unless there are ids, all of them inside the vocabulary."""
        if not ids:
            raise InputError("at least one token id", "none", where, "begin with a prompt or a start token")
        if outside := [token for token in ids if not 0 <= token < self.vocabulary]:
            remedy = "use ids of this model's vocabulary"
            raise InputError(f"token ids in 0..{self.vocabulary - 1}", str(outside[0]), where, remedy)

    def _words(self) -> Any:
        if self.tokenizer is None:
            raise InputError("a model with a tokenizer", "none", self.name, "give token ids, or load a named model")
        return self.tokenizer


def _end_tokens(model: Any, tokenizer: Any) -> tuple[int, ...]:
    """Every id that the generation settings, the configuration or the tokenizer calls an end of text."""
    named = [getattr(getattr(model, "generation_config", None), "eos_token_id", None)]
    named += [getattr(model.config, "eos_token_id", None), getattr(tokenizer, "eos_token_id", None)]
    ids: set[int] = set()
    for entry in named:
        ids.update(() if entry is None else [entry] if isinstance(entry, int) else entry)
    return tuple(sorted(ids))


def same_tokenizer(target: LanguageModel, drafter: LanguageModel) -> None:
    """Raise InputError unless two models read and write the same token ids; the widths of their logits may differ."""
    where = f"drafter {drafter.name} for target {target.name}"
    remedy = "take a drafter of the target's own family"
    if target.tokenizer is None or drafter.tokenizer is None:
        if target.tokenizer is drafter.tokenizer and target.vocabulary == drafter.vocabulary:
            return
        raise InputError("two models with one tokenizer", "a model without", where, remedy)
    mine, other = target.tokenizer.get_vocab(), drafter.tokenizer.get_vocab()
    if mine != other:
        token = min(token for token in mine.keys() | other.keys() if mine.get(token) != other.get(token))
        got = f"{token!r} is {mine.get(token, 'missing')} there and {other.get(token, 'missing')} here"
        raise InputError("the same vocabulary", got, where, remedy)
    if target.encode(_PROBE) != drafter.encode(_PROBE):
        raise InputError("the same ids for the same text", "other merges or another normaliser", where, remedy)


def tiny_target(
    vocabulary: int = 64, layers: int = 3, hidden: int = 32, seed: int = 0, context: int = 4096
) -> LanguageModel:
    """A Llama-type model with random weights and no tokenizer: for tests, and for devices that have no weights.

    `hidden` is a multiple of 8. Its logits are spread out enough that rows are neither uniform nor one-hot.

    >>> tiny_target(vocabulary=10).vocabulary
    10
    """
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=context,
        bos_token_id=None,
        eos_token_id=None,
    )
    with torch.random.fork_rng(devices=[]), torch.no_grad():  # the caller's random state is left alone
        model = LlamaForCausalLM(config)
        generator = torch.Generator().manual_seed(seed)
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.normal_(std=3 / hidden**0.5, generator=generator)
    return LanguageModel.of(f"tiny-{seed}", model)
