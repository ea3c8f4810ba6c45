#!/usr/bin/env bash
# A newcomer's path, from nothing: a fresh environment, the package with its notebooks, verify, a faulty verifier judged and
# drawn, the first notebook. Everything is written to a temporary folder; PYTHON chooses the interpreter.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { printf '\n== %s\n' "$*"; }

say "install into a fresh environment"
"${PYTHON:-python3}" -m venv "$work/venv"
bin=$work/venv/bin
"$bin/pip" install --quiet --disable-pip-version-check "$here[notebooks]"
cd "$work"

say "tevtheory verify"
"$bin/tevtheory" verify | tail -n 3

say "judge a faulty verifier, and draw where it goes wrong"
cp "$here/examples/judge-your-verifier/my_faulty_verifier.py" .
status=0
"$bin/tevtheory" check my_faulty_verifier.py:VERIFIER --max-nodes 4 --svg fault.svg > report.txt || status=$?
head -n 12 report.txt
[ "$status" = 1 ] || { echo "expected exit status 1, got $status" >&2; exit 1; }
grep -q "LOSSY BY" report.txt || { echo "the report names no loss" >&2; exit 1; }
grep -q "</svg>" fault.svg || { echo "there is no picture" >&2; exit 1; }

say "the first notebook"
cp "$here"/notebooks/01-*.ipynb notebook.ipynb
"$bin/jupyter" execute --output executed.ipynb notebook.ipynb
test -s executed.ipynb

say "all done"
