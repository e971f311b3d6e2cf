/* loupe - the command line tool: asks about heaps in files, and reads what was copied from a
 * debugger. */
#include "cli.h"
#include "drawing.h"
#include "engine/engine.h"
#include "heap_verb.h"
#include "serve/serve.h"
#include "shrunk_input.h"

#include <string.h>

static void print_help(void) {
    fputs("usage: loupe VERB FILE [options] [arguments]\n"
          "       loupe explain TOPIC ...\n"
          "       loupe serve\n"
          "       loupe --help | --version\n"
          "\n"
          "Asks about a whole heap in a file: a core, a snapshot, a Java or Android heap dump:\n"
          "\n",
          stdout);
    cli_heap_summaries();
    fputs("\n"
          "Reads at a terminal what was copied from a debugger about Objective-C memory:\n"
          "\n",
          stdout);
    cli_explain_examples();
    fputs(
        "\n"
        "More: loupe VERB --help, loupe explain --help\n"
        "\n"
        "Exit status: 0; 2 for input that makes no sense, with the reason in one line on stderr;\n"
        "1 when the output cannot be written, and from `leaks` where there are some.\n",
        stdout);
}

static int run(const char **words, unsigned count) {
    const char *command = count ? words[0] : "";
    if (strcmp(command, "explain") == 0)
        return cli_explain(words + 1, count - 1);
    if (strcmp(command, "serve") == 0)
        return cli_serve(words + 1, count - 1);
    if (strcmp(command, "draw") == 0)
        return cli_draw(words + 1, count - 1);
    if (strcmp(command, "engine") == 0)
        return cli_engine(words + 1, count - 1);
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0) {
        print_help();
        return CLI_OK;
    }
    if (strcmp(command, "--version") == 0) {
        puts("loupe " LOUPE_VERSION);
        return CLI_OK;
    }
    const struct heap_verb *verb = cli_heap_verb(command);
    if (verb)
        return cli_heap(verb, words + 1, count - 1);
    if (!*command)
        return cli_fail(CLI_NONSENSE, NULL, "say what to do, as in: loupe explain layout 0x111");
    return cli_fail(CLI_NONSENSE, NULL, "no command '%s' (see loupe --help)",
                    cli_printable(loupe_span_of(command)));
}

int main(int argc, char **argv) {
    cli_expect_shrunk_input();
    int status = run((const char **)(void *)(argv + 1), argc ? (unsigned)argc - 1 : 0);
    if (fflush(stdout) || ferror(stdout))
        return cli_fail(CLI_FAILURE, NULL, "the output cannot be written");
    return status;
}
