# Two commands set everything up on a machine with Python 3.11+, pip and make:
#   make verify   the main job: every verifier on every small tree
#   make test     everything a reviewer would run
PYTHON ?= python3
BIN := .venv/bin

.PHONY: verify test test-peers proofs bench clean

verify: .venv/installed
	$(BIN)/tevtheory verify

test: .venv/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2

# The real peers that some tests judge; torch is installed first and pinned.
test-peers: .venv/installed-peers
	$(BIN)/pytest tests/peers

# The mechanised proofs: needs Coq 8.16 and MathComp 1.15 (Debian: coq libcoq-mathcomp-algebra).
proofs:
	@command -v coqc >/dev/null || { echo "coqc is missing; Debian: apt-get install coq libcoq-mathcomp-algebra"; exit 2; }
	bash tevtheory/proofs_check/coq/check.sh

bench: .venv/installed-test
	$(BIN)/pytest tests/benchmarks --benchmark-only --benchmark-columns=median,ops,rounds

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	touch $@

.venv/installed-test: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[test]"
	touch $@

.venv/installed-peers: .venv/installed-test
	$(BIN)/pip install --quiet --disable-pip-version-check "torch==2.13.0"
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[peers]"
	touch $@

clean:
	rm -rf .venv dist build
