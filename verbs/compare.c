/* Two collections of rows compared: a gate for a fleet. */
#include "report/many_heaps.h"
#include "verbs/verb.h"

const struct verb verb_compare = {
    .name = "compare",
    .summary = "what is new, grown and gone between two files of loupe report",
    .help =
        "Compares the findings of two files that loupe report wrote, one of each build, by their "
        "fingerprints: new are those in no heap of BASE, gone those in no heap of NEW, grown those "
        "in a larger share of the heaps, or with a larger median of bytes. Grown by how much is "
        "--grown; only what 95 % intervals tell apart counts. Under five heaps a side nothing can "
        "be told with confidence, and the answer says few.\n\nThe exit status is 1 if something is "
        "new or has grown.",
    .terminal = "BASE NEW",
    .needs = "file",
    .keys = "heaps_base heaps_new new grown gone",
    .next = "report",
    .examples = {{"loupe compare 113.ndjson 114.ndjson", ""}},
    .command = cli_compare,
};
