/* Answers other programs. */
#include "serve/serve.h"
#include "verbs/verb.h"

const struct verb verb_serve = {
    .name = "serve",
    .summary = "answer editors and assistants (Model Context Protocol)",
    .help = "Answers other programs about heaps in files, by the Model Context Protocol on "
            "standard input and output: snapshots (.loupe), ELF and Mach-O cores, Java and Android "
            "heap dumps. It only reads (docs/serve.md).",
    .terminal = "",
    .needs = "",
    .keys = "",
    .next = "",
    .command = cli_serve,
};
