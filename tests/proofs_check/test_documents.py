"""The README's evidence table and the page of theorems say what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tevtheory.errors import InputError
from tevtheory.proofs_check.evidence import KINDS, Evidence
from tevtheory.proofs_check.mechanised import FOLDER, THEOREMS
from tevtheory.proofs_check.statements import STATEMENTS
from tevtheory.proofs_check.table import MARKS, markdown_table, run, with_table

ROOT = Path(__file__).parent.parent.parent
THEOREM_PAGE = (ROOT / "docs" / "theorems.md").read_text()


def cells(table: str) -> dict[tuple[str, str], str]:
    """The cells of a table, by statement and kind."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()]
    assert rows[0] == ["statement", *KINDS]
    return {(row[0], kind): cell for row in rows[2:] for kind, cell in zip(KINDS, row[1:], strict=True)}


def shown() -> dict[tuple[str, str], str]:
    """The table in the README."""
    return cells((ROOT / "README.md").read_text().partition(MARKS[0])[2].partition(MARKS[1])[0])


def test_the_evidence_table_in_the_readme_is_current() -> None:
    by_machine = [kind for kind in KINDS if kind != "mechanised"]
    results = run(by_machine)
    # The theorems are counted here and proved by `make proofs`, with Coq.
    results += [Evidence(name, "mechanised", "proved", len(names), "", 0.0) for name, names in THEOREMS.items()]
    assert [entry for entry in results if entry.outcome == "failed"] == []
    # Samples on trees of a real model want its weights, and torch: without them that column is not compared.
    missing = {entry.kind for entry in results if entry.outcome == "not run"}
    assert missing <= {"monte-carlo"}
    found, now = shown(), cells(markdown_table(results))
    assert found.keys() == now.keys()
    differ = [key for key in now if found[key] != now[key] and key[1] not in missing]
    assert differ == [], "run: tevtheory prove --markdown README.md"


def test_the_table_has_no_empty_statement_and_no_failure() -> None:
    found = shown()
    for entry in STATEMENTS:
        assert sum(bool(found[entry.id, kind]) for kind in KINDS) >= 3
    assert not any("failed" in cell for cell in found.values())


def test_a_document_without_marks_is_refused() -> None:
    with pytest.raises(InputError, match="expected the lines <!-- evidence --> and <!-- end of evidence -->, got none"):
        with_table("text", "table", "page")


def test_a_changed_count_changes_the_table() -> None:
    one = markdown_table([Evidence("scope", "lp", "checked", 2, "", 0.1)])
    other = markdown_table([Evidence("scope", "lp", "checked", 3, "", 0.1)])
    failed = markdown_table([Evidence("scope", "lp", "failed", 2, "", 0.1)])
    missing = markdown_table([Evidence("scope", "lp", "not run", 0, "", 0.1)])
    assert len({one, other, failed, missing}) == 4
    assert "| scope |  |  |  | checked 2 |  |  |  |" in one
    assert "| scope |  |  |  |  |  |  |  |" in missing


def sections() -> dict[str, str]:
    parts = re.split(r"^## (.+)$", THEOREM_PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_statement_has_its_section_with_its_sentence_theorems_and_places() -> None:
    found = sections()
    assert list(found) == [entry.id for entry in STATEMENTS]
    for entry in STATEMENTS:
        text = found[entry.id]
        assert entry.sentence in text
        assert "\n> " in text
        names = re.findall(r"`\w+\.(\w+)`", text.partition("- Coq: ")[2].partition("\n")[0])
        assert tuple(names) == THEOREMS.get(entry.id, ())
        assert all(f"`{file}`" in text for file in entry.claimed_in)


def test_every_theorem_named_is_in_the_file_named() -> None:
    homes = re.findall(r"`(\w+)\.(\w+)`", "\n".join(re.findall(r"^- Coq: .*$", THEOREM_PAGE, re.MULTILINE)))
    assert homes
    listed = {tuple(line.split()) for line in (FOLDER / "theorems.txt").read_text().splitlines() if line}
    assert set(homes) <= listed


def test_every_test_named_exists() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", THEOREM_PAGE)
    assert len(named) > len(STATEMENTS)
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text(), test
