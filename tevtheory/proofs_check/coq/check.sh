#!/usr/bin/env bash
# Check the mechanised proofs in a temporary copy (nothing is written here).
#   check.sh               compile every file, then print one line per theorem of
#                          theorems.txt; fail unless each rests on no axiom
#   check.sh --falsified   each file of falsified/ must be refused inside its
#                          "BEGIN FALSE .. END FALSE" block, and without that block
#                          must compile: it then proves the negation, axiom-free
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v coqc >/dev/null || { echo "coqc not found: apt-get install coq libcoq-mathcomp-algebra" >&2; exit 2; }
case "${1:-}" in ''|--falsified) ;; *) echo "usage: check.sh [--falsified]" >&2; exit 2;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/*.v "$work"
cd "$work"
coq() { coqc -q -w none -Q . TEV "$@"; }
closed="Closed under the global context"

while read -r file; do
  if ! coq "$file"; then echo "$file: does not compile" >&2; exit 1; fi
done < <(grep '\.v$' "$here/_CoqProject")

failed=0
if [ "${1:-}" = --falsified ]; then
  count=0
  for source in "$here"/falsified/*.v; do
    name=$(basename "$source" .v); count=$((count + 1))
    first=$(grep -n 'BEGIN FALSE' "$source" | cut -d: -f1)
    last=$(grep -n 'END FALSE' "$source" | cut -d: -f1)
    cp "$source" false_claim.v
    sed '/BEGIN FALSE/,/END FALSE/d' "$source" > negation.v
    echo 'Print Assumptions refuted.' >> negation.v
    if coq false_claim.v > false_claim.log 2>&1; then
      echo "$name: ACCEPTED"; failed=1; continue
    fi
    line=$(grep -oP 'false_claim\.v", line \K[0-9]+' false_claim.log | head -n 1 || true)
    if [ -z "$line" ] || [ "$line" -le "$first" ] || [ "$line" -ge "$last" ]; then
      echo "$name: refused outside the false block (line ${line:-?})"; failed=1; continue
    fi
    if ! coq negation.v > negation.log 2>&1 || ! grep -qx "$closed" negation.log; then
      echo "$name: refused, but its negation is not proved"; cat negation.log; failed=1; continue
    fi
    echo "$name: refused at line $line; negation proved, closed"
  done
  [ "$count" -gt 0 ] || { echo "no falsified file found" >&2; exit 1; }
else
  count=0
  while read -r file name; do
    [ -n "$file" ] || continue
    count=$((count + 1))
    printf 'From TEV Require %s.\nPrint Assumptions TEV.%s.%s.\n' "$file" "$file" "$name" > assumptions.v
    if coq assumptions.v > assumptions.log 2>&1 && [ "$(cat assumptions.log)" = "$closed" ]; then
      echo "$file.$name: closed"
    else
      echo "$file.$name: NOT CLOSED"; cat assumptions.log; failed=1
    fi
  done < "$here/theorems.txt"
  [ "$count" -gt 0 ] || { echo "theorems.txt is empty" >&2; exit 1; }
fi
exit "$failed"
