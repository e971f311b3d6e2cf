#define _DEFAULT_SOURCE /* realpath(), sysconf() */

#include "serve/serve.h"

#include "serve/session.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 4, SECONDS = 120, MEMORY_SHARE = 2 };

static void print_help(void) {
    printf("usage: loupe serve [options]\n\n"
           "Answers other programs about heaps in files, by the Model Context Protocol on stdin "
           "and stdout\n(docs/serve.md): snapshots (.loupe), ELF and Mach-O cores, Java and "
           "Android heap dumps. It only reads.\n\n"
           "  --within FOLDER    only files in there, whatever a client asks for\n"
           "  --keep N           so many files (or pairs of them) stay open, at most %d; %d unless "
           "told\n"
           "  --memory MB        for all of them together; half of the machine's unless told, 0: "
           "no limit\n"
           "  --timeout SECONDS  for a question that says nothing of it; %d unless told\n"
           "  -h, --help         this\n",
           OPENED_MOST, KEPT, SECONDS);
}

struct options {
    const char *within;
    uint64_t keep, megabytes, seconds;
    bool has_memory, help;
};

static int take_number(const char *option, const char *value, uint64_t least, uint64_t most,
                       uint64_t *ret) {
    if (cli_parse_number(value, most, ret) && *ret >= least)
        return CLI_OK;
    return cli_fail(CLI_NONSENSE, "serve", "%s takes a number from %llu to %llu, not '%s'", option,
                    (unsigned long long)least, (unsigned long long)most,
                    cli_printable(loupe_span_of(value)));
}

static int take_option(const char *option, const char *value, struct options *ret) {
    if (!strcmp(option, "--keep"))
        return take_number(option, value, 1, OPENED_MOST, &ret->keep);
    if (!strcmp(option, "--timeout"))
        return take_number(option, value, 1, 3600, &ret->seconds);
    if (!strcmp(option, "--memory")) {
        ret->has_memory = true;
        return take_number(option, value, 0, UINT32_MAX, &ret->megabytes);
    }
    ret->within = value;
    return CLI_OK;
}

static bool has_value(const char *option) {
    static const char *const known[] = {"--within", "--keep", "--memory", "--timeout", NULL};
    for (unsigned i = 0; known[i]; i++) {
        if (!strcmp(option, known[i]))
            return true;
    }
    return false;
}

static int parse(const char **words, unsigned count, struct options *ret) {
    *ret = (struct options){.keep = KEPT, .seconds = SECONDS};
    for (unsigned at = 0; at < count; at++) {
        const char *word = words[at];
        if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
            ret->help = true;
            continue;
        }
        if (!has_value(word))
            return cli_fail(CLI_NONSENSE, "serve", "'%s' is not understood here",
                            cli_printable(loupe_span_of(word)));
        if (at + 1 == count)
            return cli_fail(CLI_NONSENSE, "serve", "%s needs a value", word);
        int status = take_option(word, words[++at], ret);
        if (status)
            return status;
    }
    return CLI_OK;
}

/* Of each process: bytes, or 0 where there is no limit. */
static uint64_t memory_of_each(const struct options *options) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t all = options->megabytes << 20;
    if (!options->has_memory)
        all = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / MEMORY_SHARE : 0;
    return all / options->keep;
}

static int serve(const struct options *options, struct serve_session *session) {
    char *within = options->within ? realpath(options->within, NULL) : NULL;
    if (options->within && !within)
        return cli_fail(CLI_NONSENSE, "serve", "%s: %s",
                        cli_printable(loupe_span_of(options->within)), strerror(errno));
    *session = (struct serve_session){.within = within, .seconds = options->seconds};
    opened_init(&session->opened, (unsigned)options->keep, memory_of_each(options));
    bool has_room = serve_input_init(&session->input, STDIN_FILENO);
    if (has_room)
        serve_session_run(session);
    opened_end_all(&session->opened);
    serve_input_deinit(&session->input);
    free(within);
    return has_room ? CLI_OK : cli_fail(CLI_FAILURE, "serve", "not enough memory");
}

int cli_serve(const char **words, unsigned count) {
    struct options options;
    int status = parse(words, count, &options);
    if (status)
        return status;
    if (options.help) {
        print_help();
        return CLI_OK;
    }
    struct serve_session *session = calloc(1, sizeof(*session));
    if (!session)
        return cli_fail(CLI_FAILURE, "serve", "not enough memory");
    signal(SIGPIPE, SIG_IGN); /* of a client, or a process that answers: told where they are used */
    status = serve(&options, session);
    free(session);
    return status;
}
