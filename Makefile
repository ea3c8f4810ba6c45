# Two commands set everything up on a machine with Python 3.11+, pip and make:
#   make verify   the main job: every verifier on every small tree
#   make test     everything a reviewer would run
PYTHON ?= python3
BIN := .venv/bin

.PHONY: verify demo test test-torch proofs refuted bench clean

verify: .venv/installed
	$(BIN)/tevtheory verify

test: .venv/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2

# All that needs torch, which is installed first and pinned: batched verifiers, target models, real peers. Tests of real
# weights use the model in the user's cache, and are skipped where there is none.
test-torch: .venv/installed-torch
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 tests/peers tests/gpu gpu  # a process a core: threads would only wait

# From nothing to verdicts on trees of a real model: downloads 93 MB once.
demo: .venv/installed-torch
	$(BIN)/tevtheory models get smollm2-135m
	$(BIN)/tevtheory montecarlo --most 3 --samples 1e7 --out demo

# The mechanised proofs: needs Coq 8.16 and MathComp 1.15.
proofs: .coq
	bash tevtheory/proofs_check/coq/check.sh

# What they refuse: false variants of the theorems, each with the proof of its negation. Some minutes.
refuted: .coq
	bash tevtheory/proofs_check/coq/check.sh --falsified

.PHONY: .coq
.coq:
	@command -v coqc >/dev/null || { echo "coqc is missing; Debian: apt-get install coq libcoq-mathcomp-algebra"; exit 2; }

bench: .venv/installed-test
	$(BIN)/pytest tests/benchmarks --benchmark-only --benchmark-columns=median,ops,rounds

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	touch $@

.venv/installed-test: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[test]"
	touch $@

.venv/installed-torch: .venv/installed-test
	$(BIN)/pip install --quiet --disable-pip-version-check "torch==2.13.0"
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[gpu,peers]"
	touch $@

clean:
	rm -rf .venv dist build
