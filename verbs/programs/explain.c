/* What compilers write. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_explain = {
    .name = "explain",
    .summary = "decode block layouts, ivar layouts, type encodings, block flags",
    .help = "Decodes what compilers write about blocks, ivars and types; paste what a debugger "
            "showed. TOPIC is layout, symbol, ivar-layout, encoding or flags; `loupe explain TOPIC "
            "--help` has examples (docs/explain.md).",
    .terminal = "TOPIC ...",
    .needs = "",
    .keys = "",
    .next = "",
    .examples = {{"loupe explain layout 0x111", ""}},
    .command = cli_explain,
};
