/* Two collections of rows compared: a gate for a fleet. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_compare = {
    .name = "compare",
    .summary = "what is new, grown and gone between two files of loupe report",
    .help =
        "Compares the findings of two files from `loupe report`, one of each build, by "
        "fingerprint. New: in no heap of BASE. Gone: in no heap of NEW. Grown: in a larger share "
        "of the heaps, or with a larger median size, by --grown or more and with 95 % intervals "
        "that do not overlap. With fewer than five heaps on a side the answer says that "
        "they are too few to be reliable.\n\nThe exit status is 1 if something is new or has "
        "grown.",
    .terminal = "BASE NEW",
    .needs = "file",
    .keys = "heaps_base heaps_new unreadable_base unreadable_new few new grown gone",
    .next = "report",
    .examples = {{"loupe compare 113.ndjson 114.ndjson", ""}},
    .command = cli_compare,
};
