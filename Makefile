# Two commands set everything up on a machine with Python 3.11+, pip and make:
#   make verify   the main job: every verifier on every small tree
#   make test     everything a reviewer would run
PYTHON ?= python3
BIN := .venv/bin

.PHONY: verify test check bench clean

verify: .venv/installed
	$(BIN)/tevtheory verify

test: .venv/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2

bench: .venv/installed-test
	$(BIN)/pytest tests/benchmarks --benchmark-only --benchmark-columns=median,ops,rounds

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	touch $@

.venv/installed-test: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[test]"
	touch $@

clean:
	rm -rf .venv dist build
