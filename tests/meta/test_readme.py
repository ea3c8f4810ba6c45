"""What the README lists is what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text()


def test_every_notebook_is_listed_with_its_question() -> None:
    listed = dict(re.findall(r"^\| \[[\w-]+\]\((notebooks/[\w-]+\.ipynb)\) \| (.+) \|$", README, re.MULTILINE))
    questions = {}
    for file in sorted((ROOT / "notebooks").glob("*.ipynb")):
        first = "".join(json.loads(file.read_text())["cells"][0]["source"]).splitlines()[0]
        questions[f"notebooks/{file.name}"] = first.removeprefix("# ")
    assert listed == questions
    assert len(listed) == 7


def test_every_file_that_is_linked_exists() -> None:
    links = re.findall(r"\]\(([\w./-]+)\)", README)
    assert len(links) > 8
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_command_shown_exists() -> None:
    from tevtheory.cli import app

    groups = {group.name for group in app.registered_groups}
    known = {
        command.name or command.callback.__name__ for command in app.registered_commands if command.callback
    } | groups
    shown = set(re.findall(r"^tevtheory (\w+)", README, re.MULTILINE))
    assert {"law", "check", "models", "montecarlo", "generate"} <= shown
    assert shown <= known
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"^make (\w+)", README, re.MULTILINE)) <= targets
