"""Makes the files in notebooks/data: what notebook 05 needs of SmolLM2, so that it runs without weights.

    tevtheory models get smollm2-135m
    python notebooks/make_data.py

For one prompt of each domain the file holds the rows of the target and of its drafter after every path that the
notebook's builders and its oracle ask for. Of each row the TOP likeliest tokens and all drafted ones are kept. No tree of
at most TOP tokens depends on the others: its nodes are among the kept tokens, a string of rank above TOP has TOP
siblings of no smaller flow, and the other tokens count only through their sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from tevtheory import DraftTree, Target, loss_ledger
from tevtheory.builders import BUILDERS, Draft
from tevtheory.rows import Row
from tevtheory.targets import Prefix
from tevtheory_gpu.drafters import EarlyExit, TargetItself, TreeDrafting, along_greedy_path
from tevtheory_gpu.montecarlo.making import Maker
from tevtheory_gpu.montecarlo.prompts import PROMPTS, Prompt
from tevtheory_gpu.targets import LanguageModel, Sampling, load_target

MODEL, LAYERS = "smollm2-135m", 29
NAMES = ("DDTree", "EAGLE-2, wide beam", "Sequoia", "full binary")
BUDGETS, DEPTH, TOP = (1, 2, 4, 8, 16, 32), 12, 32
DATA = Path(__file__).parent / "data"

Rows = dict[Prefix, Row]


def recorded(draft: Draft) -> tuple[Draft, Rows]:
    """A draft that remembers its answers, and what it remembers."""
    seen: Rows = {}

    def answer(paths: Sequence[Prefix]) -> Sequence[Row]:
        new = [path for path in paths if path not in seen]
        seen.update(zip(new, draft(new) if new else [], strict=True))
        return [seen[path] for path in paths]

    return answer, seen


def trees(draft: Draft) -> Iterable[DraftTree]:
    """The trees of the notebook: every builder at every budget."""
    for builder in BUILDERS:
        if builder.name in NAMES:
            rows = along_greedy_path(draft, DEPTH) if builder.marginals_only else draft
            yield from (builder.build(rows, budget, DEPTH) for budget in BUDGETS)


def arrays(kind: str, rows: Rows, drafted: Mapping[Prefix, set[int]]) -> dict[str, np.ndarray]:
    """Rows as flat arrays: the path after which each comes, how many tokens it keeps, and those with their weights."""
    paths = sorted(rows, key=lambda path: (len(path), path))
    kept = [
        sorted({token for token, _ in rows[path].largest(TOP)} | drafted.get(path, set())) for path in paths
    ]
    depth = max(map(len, paths))
    return {
        f"{kind}_paths": np.array([[*path, *[-1] * (depth - len(path))] for path in paths], dtype=np.int32),
        f"{kind}_counts": np.array([len(tokens) for tokens in kept], dtype=np.int32),
        f"{kind}_tokens": np.array([token for tokens in kept for token in tokens], dtype=np.int32),
        f"{kind}_weights": np.array(
            [
                rows[path][x] / rows[path].total()
                for path, tokens in zip(paths, kept, strict=True)
                for x in tokens
            ],
            dtype=np.float32,
        ),
    }


def save(prompt: Prompt, model: LanguageModel) -> None:
    """Ask the model all that the notebook will ask, and write it down."""
    drafter, itself = EarlyExit(model, LAYERS), TargetItself(model)
    ids = Maker(model, Sampling(), TreeDrafting(drafter, BUILDERS[0], 1, 1), {}).encoded(prompt)
    draft, draft_rows = recorded(drafter.start(ids))
    ask, target_rows = recorded(itself.start(ids))
    target = Target(model.vocabulary, lambda prefix: ask([prefix])[0])
    drafted: dict[Prefix, set[int]] = {}
    for tree in trees(draft):
        for v in range(1, tree.size):
            drafted.setdefault(tree.path(tree.parents[v]), set()).add(tree.tokens[v])
        for level in range(tree.depth + 1):
            ask([tree.path(v) for v in range(tree.size) if tree.depths[v] == level])
        ledger = loss_ledger(tree, target)
        print(
            f"{prompt.domain}: {tree.budget} tokens, coverage {ledger.coverage:.4f} of {ledger.oracle_coverage:.4f}"
        )
    found = {**arrays("target", target_rows, drafted), **arrays("draft", draft_rows, drafted)}
    used = sorted({int(x) for kind in ("target", "draft") for x in found[f"{kind}_tokens"]})
    found["vocabulary"] = np.array(model.vocabulary)
    found["prompt"] = np.array([prompt.text, prompt.answer])
    found["word_ids"] = np.array(used, dtype=np.int32)
    found["words"] = np.array([model.decode([token]) for token in used])
    DATA.mkdir(exist_ok=True)
    np.savez_compressed(DATA / f"{prompt.domain}.npz", **found)


def main() -> None:
    """One file per domain."""
    model = load_target(MODEL)
    for prompt in PROMPTS[:3]:
        save(prompt, model)


if __name__ == "__main__":
    main()
