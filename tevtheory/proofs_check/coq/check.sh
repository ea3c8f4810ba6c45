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

proved="negation proved, closed"
# One false variant, in a folder of its own: prints one line, which ends in $proved if all is well.
judge() {
  local source=$1 name first last line
  name=$(basename "$source" .v)
  mkdir "$name"
  first=$(grep -n 'BEGIN FALSE' "$source" | cut -d: -f1)
  last=$(grep -n 'END FALSE' "$source" | cut -d: -f1)
  cp "$source" "$name/false_claim.v"
  sed '/BEGIN FALSE/,/END FALSE/d' "$source" > "$name/negation.v"
  echo 'Print Assumptions refuted.' >> "$name/negation.v"
  if coq "$name/false_claim.v" > "$name/false_claim.log" 2>&1; then
    echo "$name: ACCEPTED"; return
  fi
  line=$(grep -oP 'false_claim\.v", line \K[0-9]+' "$name/false_claim.log" | head -n 1 || true)
  if [ -z "$line" ] || [ "$line" -le "$first" ] || [ "$line" -ge "$last" ]; then
    echo "$name: refused outside the false block (line ${line:-?})"; return
  fi
  if ! coq "$name/negation.v" > "$name/negation.log" 2>&1 || ! grep -qx "$closed" "$name/negation.log"; then
    echo "$name: refused, but its negation is not proved"; cat "$name/negation.log"; return
  fi
  echo "$name: refused at line $line; $proved"
}

failed=0
if [ "${1:-}" = --falsified ]; then
  count=0
  for source in "$here"/falsified/*.v; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
    judge "$source" > "$(basename "$source" .v).txt" &
  done
  wait
  for source in "$here"/falsified/*.v; do
    count=$((count + 1))
    verdict="$(basename "$source" .v).txt"
    cat "$verdict"
    grep -q "; $proved\$" "$verdict" || failed=1
  done
  [ "$count" -gt 0 ] || { echo "no falsified file found" >&2; exit 1; }
else
  # One call, but one file of output per theorem: each is judged by its own.
  count=0
  while read -r file name; do
    [ -n "$file" ] || continue
    echo "From TEV Require $file."
    echo "Redirect \"$file.$name\" Print Assumptions TEV.$file.$name."
  done < "$here/theorems.txt" > assumptions.v
  coq assumptions.v > assumptions.log 2>&1 || { cat assumptions.log >&2; failed=1; }
  while read -r file name; do
    [ -n "$file" ] || continue
    count=$((count + 1))
    if [ "$(cat "$file.$name.out" 2>&1)" = "$closed" ]; then
      echo "$file.$name: closed"
    else
      echo "$file.$name: NOT CLOSED"; cat "$file.$name.out" || true; failed=1
    fi
  done < "$here/theorems.txt"
  [ "$count" -gt 0 ] || { echo "theorems.txt is empty" >&2; exit 1; }
fi
exit "$failed"
