/* Answers other programs. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_serve = {
    .name = "serve",
    .summary = "answer editors and assistants (Model Context Protocol)",
    .help = "Answers editors and assistants about heaps in files (snapshots, ELF and Mach-O cores, "
            "Java and Android heap dumps), by the Model Context Protocol on standard input and "
            "output. It only reads, and runs nothing (docs/serve.md).",
    .terminal = "",
    .needs = "",
    .keys = "",
    .next = "",
    .command = cli_serve,
};
