/* loupe - the command line tool: asks about heaps in files, and reads what was copied from a
 * debugger. */
#include "shared/cli.h"
#include "engine/engine.h"
#include "shared/output.h"
#include "heaps/heap_verb.h"
#include "shared/schema.h"
#include "heaps/shrunk_input.h"
#include "line/verb_commands.h"

#include <errno.h>
#include <string.h>

static int run_command(const char **words, unsigned count) {
    const char *command = count ? words[0] : "";
    const struct verb *verb = verb_named(command);
    if (verb)
        return verb->command ? verb->command(words + 1, count - 1)
                             : cli_heap(verb, words + 1, count - 1);
    if (strcmp(command, "engine") == 0) /* for programs of ours: not in the table */
        return cli_engine(words + 1, count - 1);
    if (strcmp(command, "ivar-lines") == 0)
        return cli_ivar_lines(words + 1, count - 1);
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0) {
        verb_print_overview();
        return CLI_OK;
    }
    if (strcmp(command, "--schema") == 0)
        return cli_schema(words + 1, count - 1);
    if (strcmp(command, "--version") == 0 || strcmp(command, "-V") == 0) {
        puts("loupe " LOUPE_VERSION);
        return CLI_OK;
    }
    if (!*command)
        return cli_fail(CLI_NONSENSE, NULL,
                        "missing COMMAND (usage: loupe COMMAND FILE; see loupe --help)");
    return verb_fail_unknown(command);
}

int main(int argc, char **argv) {
    cli_expect_shrunk_input();
    int status = run_command((const char **)(void *)(argv + 1), argc ? (unsigned)argc - 1 : 0);
    errno = 0; /* it stays so where an earlier write failed, whose reason is gone */
    if (!cli_output_end())
        return cli_fail(CLI_FAILURE, NULL, "the output cannot be written%s%s", errno ? ": " : "",
                        errno ? strerror(errno) : "");
    return status;
}
