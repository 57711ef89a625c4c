#!/bin/bash
# The program as a whole: what it says has to be heard.
set -euo pipefail

readonly STOPGAP=$1

fail() {
  echo "main_test: $*" >&2
  exit 1
}

for help in --help -h help; do
  "$STOPGAP" "$help" >/dev/null || fail "$help does not end with 0"
done

"$STOPGAP" gate -h | grep -q -- '--json' || fail "gate --help says nothing of --json"

status=0
said=$("$STOPGAP" --help 2>&1 >/dev/full) || status=$?
[[ $status == 2 ]] || fail "with a full disk behind its output it ends with $status and not with 2"
[[ $said == *"standard output cannot be written"* ]] || fail "it says: $said"
