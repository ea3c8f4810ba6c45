"""Prompts: the project's own ten, or a file of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tevtheory.errors import InputError


@dataclass(frozen=True)
class Prompt:
    """A prompt with its name (used for files), its domain, and how the answer begins, after which trees are drafted."""

    name: str
    domain: str
    text: str
    answer: str = ""


PROMPTS: tuple[Prompt, ...] = (
    Prompt(
        "greeting",
        "dialogue",
        "I have just moved to a small town by the sea. How can I meet people here?",
        "Moving to a new town can be exciting. To meet people, you could join a local",
    ),
    Prompt(
        "merge-function",
        "code",
        "Write a Python function that merges two sorted lists into one sorted list, without calling sort.",
        "```python\ndef merge(a, b):\n    result = []\n    i = j = 0\n    while i < len(a) and j",
    ),
    Prompt(
        "train-times",
        "maths",
        "A train leaves at 9:40 and arrives at 13:05. It stops for 10 minutes on the way. How long does it move?",
        "The whole journey takes 3 hours and 25 minutes. The train stops for 10 minutes, so",
    ),
    Prompt(
        "recipe",
        "dialogue",
        "What can I cook tonight with rice, two eggs, an onion and a can of tomatoes?",
        "You could make fried rice. First, chop the onion and",
    ),
    Prompt(
        "tides",
        "dialogue",
        "Explain to a ten-year-old why the sea has tides.",
        "Imagine that the Moon pulls on the water of the sea like a",
    ),
    Prompt(
        "letter",
        "dialogue",
        "Help me write a short, friendly note to a neighbour whose dog barks at night.",
        "Dear neighbour,\n\nI hope you are",
    ),
    Prompt(
        "best-customers",
        "code",
        "Given tables orders(id, customer, total) and customers(id, name), list the five best customers.",
        "```sql\nSELECT customers.name, SUM(orders.total) AS",
    ),
    Prompt(
        "endless-loop",
        "code",
        "This C loop never ends: for (unsigned i = 9; i >= 0; i--) puts(names[i]); Why, and how is it mended?",
        "The variable `i` is unsigned, so it is never",
    ),
    Prompt(
        "fractions",
        "maths",
        "Compute 3/4 + 5/6 - 1/3 and write the result as a mixed number. Show each step.",
        "The common denominator is 12. So 3/4 = 9/12, 5/6 =",
    ),
    Prompt(
        "dice",
        "maths",
        "Two dice are thrown. What is the probability that the sum is at least 9?",
        "There are 36 outcomes. The sum is 9 for",
    ),
)
"""Ten prompts; the first three are one of each domain."""


def read_prompts(path: Path) -> tuple[Prompt, ...]:
    """Read JSON lines with `prompt`, and optional `name`, `domain` and `answer`; raises InputError on anything else.

    Names default to "prompt-1", ... and are made of letters, digits, "-", "_" and "." only: they become file names.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            "a file of JSON lines", str(error), str(path), 'write lines like {"prompt": "Hello"}'
        ) from None
    found = [_prompt(line, f"{path}, line {i}", i) for i, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise InputError("at least one prompt", "an empty file", str(path), 'write lines like {"prompt": "Hello"}')
    names = [prompt.name for prompt in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError("names that differ", f"{twice[0]!r} twice", str(path), "rename one of them")
    return tuple(found)


def _prompt(line: str, where: str, number: int) -> Prompt:
    try:
        entry = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError("a JSON object", str(error), where, "write one object a line") from None
    if not isinstance(entry, dict) or not isinstance(entry.get("prompt"), str) or not entry["prompt"]:
        raise InputError('an object with the text "prompt"', repr(entry), where, 'write it like {"prompt": "Hello"}')
    name, domain = str(entry.get("name", f"prompt-{number}")), str(entry.get("domain", "own"))
    if not name or name.startswith(".") or set(name) - set(_SAFE):
        raise InputError("a name of letters, digits, -, _ and .", repr(name), where, "it becomes a file name")
    answer = entry.get("answer", "")
    if not isinstance(answer, str):
        raise InputError('a text as "answer"', repr(answer), where, "write how the answer begins, or leave it out")
    return Prompt(name, domain, entry["prompt"], answer)


_SAFE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."


def chosen(prompts: Sequence[Prompt], names: Sequence[str] | None, most: int | None) -> tuple[Prompt, ...]:
    """Some of the prompts, by name or domain, at most so many; raises InputError where a name fits none."""
    kept = list(prompts)
    if names:
        for name in names:
            if not any(name in (prompt.name, prompt.domain) for prompt in prompts):
                choices = ", ".join([*sorted({prompt.domain for prompt in prompts}), *(p.name for p in prompts)])
                raise InputError("the name or domain of a prompt", repr(name), "prompts", f"choose from {choices}")
        kept = [prompt for prompt in prompts if prompt.name in names or prompt.domain in names]
    return tuple(kept[:most])
