/* A page, graph or report of a saved answer. */
#include "drawing.h"
#include "verbs/verb.h"

const struct verb verb_draw = {
    .name = "draw",
    .summary = "HTML page, graph or CI report from a saved --json answer",
    .help = "Draws an answer that --json gave: of retain-cycles in LLDB, of cycles, leaks, "
            "suspects, path and retained here. ANSWER is a file, or - for standard input. The "
            "ending of --output says what it becomes: .html, .dot, .sarif, .xml (of JUnit), .md.",
    .terminal = "ANSWER",
    .needs = "file",
    .keys = "",
    .next = "",
    .examples = {{"loupe draw rings.json -o rings.html", ""}},
    .command = cli_draw,
};
