/* Flat rows about many heaps. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_report = {
    .name = "report",
    .summary = "rows about many heaps, for databases (NDJSON)",
    .help =
        "Reads each heap once and prints one row per line: for the heap, for each finding (leak, "
        "cycle, suspect, owner, misfit), for its largest classes, its threads, and for each file "
        "that could not be read, with the reason. FILE is what other commands take; - reads names "
        "of files "
        "from standard input, one per line.\n\nRows hold no values of the program (keys in paths "
        "are [*]; no strings, no names of files or threads) unless --with-values is given. "
        "docs/fleet.md has the fields, and how to load them.\n\nThe exit status is 2 if a file "
        "could not be read, after all other rows were written; else, with --fail-if-found, 1 if "
        "something was found.",
    .terminal = "FILE...",
    .needs = "file",
    .keys = "",
    .next = "compare",
    .examples = {{"loupe report dumps/*.hprof --tag build=114", "> rows.ndjson"},
                 {"find . -name '*.core' | loupe report -", ""}},
    .command = cli_report,
};
