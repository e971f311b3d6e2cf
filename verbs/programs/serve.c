/* Answers other programs. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_serve = {
    .name = "serve",
    .summary = "answer editors and assistants (Model Context Protocol), or a browser",
    .help =
        "Answers editors and assistants about heaps in files (snapshots, ELF and Mach-O cores, "
        "Java and Android heap dumps), by the Model Context Protocol on standard input and "
        "output. It only reads, and runs nothing (docs/serve.md).\n\nWith --http a browser of this "
        "machine shows one file: suspects, classes, objects with their paths, SQL. The address has "
        "a secret, nothing is written, and it ends with its terminal.",
    .terminal = "",
    .needs = "",
    .keys = "",
    .next = "",
    .command = cli_serve,
};
