/* Flat rows about many heaps. */
#include "report/many_heaps.h"
#include "verbs/verb.h"

const struct verb verb_report = {
    .name = "report",
    .summary = "flat rows about many heaps, for databases (NDJSON)",
    .help =
        "Asks each heap all that can be asked without naming an object, reads it once, and prints "
        "a row a line: of the heap, of each finding (leak, cycle, suspect, owner, misfit), of its "
        "largest classes, and of each file that could not be read, with the reason. FILE is what "
        "other verbs take; - takes names of files from standard input, a line each.\n\nRows hold "
        "no values of the program: keys in paths are [*], and neither strings nor names of files "
        "and threads are in them, unless --with-values is given. docs/fleet.md has their fields, "
        "and how to load them.\n\nThe exit status is 2 if a file could not be read, after all "
        "other rows were written; with --fail-if-found it is 1 if something was found.",
    .terminal = "FILE...",
    .needs = "file",
    .keys = "",
    .next = "compare",
    .examples = {{"loupe report dumps/*.hprof --tag build=114", "> rows.ndjson"},
                 {"find . -name '*.core' | loupe report -", ""}},
    .command = cli_report,
};
