#!/usr/bin/env bash
# usage: survives.sh RECORDER PROGRAM_WITH_OWN_MALLOC PLAIN_PROGRAM
# Where the recorder cannot record it says so once, on stderr, and the program goes on as without it.
set -euo pipefail

recorder=$1 own=$2 plain=$3

expect() { # TEXT COMMAND...: it succeeds, prints what it always does, and the text on stderr
    local text=$1 said
    shift
    said=$(LD_PRELOAD=$recorder "$@" 2>&1 >/dev/null) || { echo "$*: failed: $said" >&2; exit 1; }
    case $said in
    *"$text"*) ;;
    *) echo "$*: said '$said', not '$text'" >&2; exit 1 ;;
    esac
    [ "$(LD_PRELOAD=$recorder "$@" 2>/dev/null)" = "$("$@" 2>/dev/null)" ] ||
        { echo "$*: prints something else than without the recorder" >&2; exit 1; }
}

expect "has a malloc of its own" "$own"
expect "LOUPE_RECORD_LIMIT is not a number of megabytes" env LOUPE_RECORD_LIMIT=much "$plain"
expect "LOUPE_RECORD_LIMIT is not a number of megabytes" env LOUPE_RECORD_LIMIT=0 "$plain"
expect "LOUPE_RECORD_LIMIT is not a number of megabytes" env LOUPE_RECORD_LIMIT=99999999 "$plain"

# Too little for the recorder to begin with, in some of these. What it takes before it finds that out
# is missing to the program, so the program has to go on where it needs that much less by itself.
readonly margin=4000
said=
for kilobytes in $(seq 4000 500 16000); do
    limited() { bash -c "ulimit -v $1; LD_PRELOAD=$2 exec \"\$0\"" "$plain"; }
    said+=$(limited "$kilobytes" "$recorder" 2>&1 >/dev/null) || true
    limited $((kilobytes - margin)) "" >/dev/null 2>&1 || continue
    [ "$(limited "$kilobytes" "$recorder" 2>/dev/null)" = "$("$plain")" ] ||
        { echo "with $kilobytes kB the program fails" >&2; exit 1; }
done
case $said in
*"out of memory"*) ;;
*) echo "the recorder always began, or did not say that it did not: '$said'" >&2; exit 1 ;;
esac
