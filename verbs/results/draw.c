/* A page, graph or report of a saved answer. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_draw = {
    .name = "draw",
    .summary = "HTML page, graph or CI report from a saved --json answer",
    .help = "Draws an answer that --json wrote: of retain-cycles in LLDB, or of cycles, leaks, "
            "suspects, path or retained. ANSWER is a file, or - for standard input. The ending of "
            "--output is the format: .html, .dot, .sarif, .xml (JUnit) or .md.",
    .terminal = "ANSWER",
    .needs = "file",
    .keys = "",
    .next = "",
    .examples = {{"loupe draw cycles.json -o cycles.html", ""}},
    .command = cli_draw,
};
