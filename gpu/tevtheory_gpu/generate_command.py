"""`tevtheory generate`: speculative decoding with draft trees, end to end, with its measure beside its text."""

from __future__ import annotations

from dataclasses import replace
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from tevtheory.console import INTERRUPTED, console
from tevtheory.errors import InputError
from tevtheory.interop import read_text, write_text
from tevtheory_gpu.drafters.spec import read_spec
from tevtheory_gpu.drafters.trees import find_builder
from tevtheory_gpu.targets.cache import need
from tevtheory_gpu.targets.named import DEFAULT

if TYPE_CHECKING:
    from tevtheory_gpu.decoding import Block, Generation, Options
    from tevtheory_gpu.drafters import Drafter
    from tevtheory_gpu.targets import LanguageModel

app = typer.Typer(help="Speculative decoding with draft trees, end to end.")


@app.command()
def generate(  # noqa: PLR0913, PLR0917  (the options of the command)
    prompt: Annotated[str | None, typer.Option(help="The prompt.")] = None,
    prompt_file: Annotated[Path | None, typer.Option(help="A text file with the prompt.")] = None,
    chat: Annotated[
        bool | None, typer.Option("--chat/--no-chat", help="As a message to answer, or as text to go on with.")
    ] = None,
    target: Annotated[str, typer.Option(help="A named model, a folder, a .gguf file or a hub name.")] = DEFAULT,
    drafter: Annotated[
        str,
        typer.Option(
            help="lookup:N (n-grams of the text so far), early-exit:LAYERS (the target's first layers) or model:NAME."
        ),
    ] = "lookup:3",
    builder: Annotated[
        str, typer.Option(help="DDTree, EAGLE-2, 'EAGLE-2, wide beam', OPT-Tree, Sequoia, full binary or oracle.")
    ] = "EAGLE-2",
    budget: Annotated[int, typer.Option(help="Drafted tokens per call, at most.")] = 16,
    depth: Annotated[int, typer.Option(help="Depth of the tree, at most.")] = 6,
    verifier: Annotated[str, typer.Option(help="A verifier's name, or a part that fits one only.")] = "TEV's walk",
    temperature: Annotated[float, typer.Option(help="0 is greedy decoding.")] = 0.7,
    top_k: Annotated[int | None, typer.Option(help="Keep the k likeliest tokens.")] = None,
    top_p: Annotated[float | None, typer.Option(help="Keep the likeliest tokens up to this mass.")] = None,
    min_p: Annotated[float | None, typer.Option(help="Keep tokens of this share of the likeliest one's mass.")] = None,
    repetition_penalty: Annotated[float, typer.Option(help="1 is none.")] = 1.0,
    max_new_tokens: Annotated[int, typer.Option(help="Where to stop, if the text has not ended.")] = 128,
    stop: Annotated[
        list[str] | None, typer.Option(help="A text of one token that ends the answer, besides the model's own.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same text.")] = 0,
    dtype: Annotated[str, typer.Option(help="float32, bfloat16, float16 or float64.")] = "float32",
    device: Annotated[str, typer.Option(help="cpu, cuda or cuda:N.")] = "cpu",
    json: Annotated[Path | None, typer.Option(help="Also write tokens, blocks and measures to this file.")] = None,
) -> None:
    """Generate text with draft trees, and report tokens per call against the exact 1 + coverage, and where time goes.

    With an exact verifier the text has the law of plain sampling; at temperature 0 it is the text of greedy decoding. With
    'seed-synchronous' it is one text for a seed, whatever drafts it.
    """
    words = _prompt(prompt, prompt_file)
    find_builder(builder)
    read_spec(drafter)
    for module in ("torch", "transformers"):
        need(module)
    from tevtheory_gpu.decoding import Options
    from tevtheory_gpu.decoding.model import find_verifier
    from tevtheory_gpu.targets import Sampling, load_target

    sampling = Sampling(temperature, top_k, top_p, min_p, repetition_penalty)
    name = find_verifier(verifier).name
    options = Options(find_builder(builder).name, name, sampling, budget, depth, max_new_tokens, seed=seed)
    if json is not None:
        write_text(json, "{}\n")
    with console(stderr=True).status(f"loading {target}"):
        model = load_target(target, dtype, device)
        ids = _ids(model, words, chat)
        options = replace(options, ends=_ends(model, stop or []))
        drafting = _drafter(drafter, model, options)
    done = _streamed(model, ids, drafting, options)
    screen = console()
    screen.print(_summary(model, drafting, options, done), highlight=False, soft_wrap=not screen.is_terminal)
    if json is not None:
        write_text(json, dumps(_data(model, drafting, options, done), indent=1) + "\n")
    if done.stop.value == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _prompt(text: str | None, file: Path | None) -> str:
    if (text is None) == (file is None):
        got = "neither" if text is None else "both"
        raise InputError("--prompt TEXT or --prompt-file FILE", got, "prompt", "give one of them")
    return text or "" if file is None else read_text(file)


def _ids(model: LanguageModel, words: str, chat: bool | None) -> list[int]:
    """A chat where the model knows how to, unless told otherwise."""
    if chat is None:
        chat = bool(getattr(model.tokenizer, "chat_template", None))
    return model.encode_chat(words) if chat else model.encode(words)


def _ends(model: LanguageModel, texts: list[str]) -> tuple[int, ...]:
    """The model's end tokens, and those of the given texts."""
    ends = list(model.end_tokens)
    for text in texts:
        ids = model.encode(text)
        if len(ids) != 1:
            got = f"{text!r}, which is {len(ids)} tokens"
            raise InputError("a text of one token", got, "--stop", "give a single token, such as a line break")
        ends += [token for token in ids if token not in ends]
    return tuple(ends)


def _drafter(spec: str, model: LanguageModel, options: Options) -> Drafter | None:
    """None where the oracle drafts."""
    from tevtheory_gpu.drafters import load_drafter

    return None if options.builder == "oracle" else load_drafter(spec, model, options.sampling)


def _streamed(model: LanguageModel, ids: list[int], drafter: Drafter | None, options: Options) -> Generation:
    """Generate and write the text as it comes; an interruption ends it."""
    from tevtheory_gpu.decoding import Generation, generate

    blocks: list[Block] = []

    def show(block: Block) -> None:
        blocks.append(block)
        typer.echo(block.text, nl=False)

    try:
        done = generate(model, ids, drafter, options, show)
    except KeyboardInterrupt:
        if not blocks:
            raise
        done = Generation(tuple(ids), tuple(blocks))
    typer.echo("\n")
    return done


def _summary(model: LanguageModel, drafter: Drafter | None, options: Options, done: Generation) -> Text:
    lines = _lines(model, drafter, options, done)
    return Text("\n").join(Text.assemble((f"{label:<18}", "bold"), text) for label, text in lines)


def _lines(model: LanguageModel, drafter: Drafter | None, options: Options, done: Generation) -> list[tuple[str, str]]:
    plural = "" if len(done.blocks) == 1 else "s"
    lines = [
        ("target", f"{model.name}, {model.dtype} on {model.device}; a prompt of {len(done.prefix)} tokens"),
        ("drafter", f"{drafter.name if drafter else 'the target itself'}; {_tree(options, done)}"),
        ("verifier", f"{options.verifier}; {_sampling(options)}, seed {options.seed}"),
        ("generated", f"{len(done.tokens)} tokens in {len(done.blocks)} call{plural}; stop: {done.stop.value}"),
        ("tokens per call", f"{done.tokens_per_call:.3f}"),
        ("1 + coverage", f"{done.ceiling_per_call:.3f} expected per call; paired difference {done.difference}"),
        ("time per call", _times(done)),
        ("peak memory", _memory(model, done)),
    ]
    if done.ties:
        lines.append(("ties", f"{done.ties} scored nodes had several largest logits; the lowest token was taken"))
    return [line for line in lines if line[1]]


def _tree(options: Options, done: Generation) -> str:
    drafted = sum(block.nodes - 1 for block in done.blocks) / len(done.blocks)
    return f"{options.builder}, {drafted:.1f} drafted tokens per call (at most {options.budget}, depth {options.depth})"


def _sampling(options: Options) -> str:
    from dataclasses import fields

    sampling = options.sampling
    changed = [
        f"{field.name.replace('_', '-')} {getattr(sampling, field.name):g}"
        for field in fields(sampling)
        if field.name == "temperature" or getattr(sampling, field.name) != field.default
    ]
    return ", ".join(changed)


def _times(done: Generation) -> str:
    calls, seconds = len(done.blocks), done.stage_seconds
    stages = ", ".join(f"{stage} {1000 * spent / calls:,.1f}" for stage, spent in seconds.items())
    total = sum(seconds.values())
    return f"{1000 * total / calls:,.1f} ms ({stages}); {len(done.tokens) / total:.1f} tokens per second"


def _memory(model: LanguageModel, done: Generation) -> str:
    from tevtheory_gpu.targets.memory import in_words

    if done.peak_bytes is None:
        return ""
    return in_words(done.peak_bytes) + (" on the device" if "cuda" in model.device else " of the whole process")


def _data(model: LanguageModel, drafter: Drafter | None, options: Options, done: Generation) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "target": model.name,
        "dtype": model.dtype,
        "device": model.device,
        "drafter": drafter.name if drafter else "the target itself",
        "options": asdict(options),
        **done.as_data(),
    }
