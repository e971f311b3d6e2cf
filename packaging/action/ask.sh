#!/bin/bash
# A step of action.yml: asks once, and makes the report for code scanning, the annotations and the summary of
# that answer. Does not fail by itself: a later step does, when everything is written.
# Environment: LOUPE_ARGUMENTS, LOUPE_ANCHOR, LOUPE_SARIF, and what GitHub sets for steps.
set -uo pipefail

# Quotes in the arguments count, nothing else of the shell's language does.
mapfile -t words < <(printf '%s' "$LOUPE_ARGUMENTS" | xargs -n 1 printf '%s\n')
answer=$RUNNER_TEMP/loupe-answer-${GITHUB_ACTION:-0}.json
status=0
loupe "${words[@]}" --json --output "$answer" || status=$?
anchor=()
[ -z "$LOUPE_ANCHOR" ] || anchor=(--anchor "$LOUPE_ANCHOR")
report=false
if [ -s "$answer" ]; then
    loupe draw "$answer" --format sarif "${anchor[@]}" --output "$LOUPE_SARIF" && report=true
    loupe draw "$answer" --format github "${anchor[@]}"
    loupe draw "$answer" --format markdown "${anchor[@]}" --append --output "$GITHUB_STEP_SUMMARY"
fi
[ $report = true ] || status=2
{
    echo "status=$status"
    echo "answer=$answer"
    echo "has-report=$report"
} >> "$GITHUB_OUTPUT"
