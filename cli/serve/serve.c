/* loupe serve: answers about heaps for other programs, by the Model Context Protocol on stdin and
 * stdout, or for a browser (docs/serve.md). */
#define _DEFAULT_SOURCE /* realpath(), sysconf() */

#include "http/http_server.h"
#include "serve/session.h"
#include "line/verb_commands.h"
#include "verbs/code.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 4, SECONDS = 120, MEMORY_SHARE = 2 };

struct options {
    const char *within, *http; /* http: a file for a browser, or NULL */
    uint64_t keep, megabytes, seconds, port;
    bool has_memory, hides_values, help;
};

static int take_number(const char *option, const char *value, uint64_t least, uint64_t most,
                       uint64_t *ret) {
    if (cli_parse_number(value, most, ret) && *ret >= least)
        return CLI_OK;
    return cli_fail(CLI_NONSENSE, "serve", "%s takes a number from %llu to %llu, not '%s'", option,
                    (unsigned long long)least, (unsigned long long)most,
                    cli_printable(loupe_span_of(value)));
}

static int parse(const char **words, unsigned count, struct options *ret) {
    struct verb_line line = {.word_count = 0};
    *ret = (struct options){.keep = KEPT, .seconds = SECONDS};
    int status = verb_take_line(&verb_serve, words, count, 0, &line);
    const struct verb_values *values = &line.values;
    ret->within = values->within;
    ret->http = values->http;
    ret->help = values->help;
    ret->hides_values = values->no_values;
    ret->has_memory = values->memory;
    if (!status && values->keep)
        status = take_number("--keep", values->keep, 1, OPENED_MOST, &ret->keep);
    if (!status && values->patience)
        status = take_number("--timeout", values->patience, 1, 3600, &ret->seconds);
    if (!status && values->memory)
        status = take_number("--memory", values->memory, 0, UINT32_MAX, &ret->megabytes);
    if (!status && values->port)
        status = take_number("--port", values->port, 1, UINT16_MAX, &ret->port);
    if (!status && values->port && !values->http)
        status = cli_fail(CLI_NONSENSE, "serve", "--port is for --http FILE");
    return status;
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
    session->opened.hides_values = options->hides_values;
    bool has_room = serve_input_init(&session->input, STDIN_FILENO);
    if (has_room)
        serve_session_run(session);
    opened_end_all(&session->opened);
    serve_input_deinit(&session->input);
    free(within);
    return has_room ? CLI_OK : cli_fail(CLI_FAILURE, "serve", "out of memory");
}

static int serve_page(const struct options *options) {
    struct http_asker *asker = calloc(1, sizeof(*asker));
    if (!asker)
        return cli_fail(CLI_FAILURE, "serve", "out of memory");
    asker->file = options->http;
    asker->seconds = options->seconds;
    opened_init(&asker->opened, (unsigned)options->keep, memory_of_each(options));
    asker->opened.hides_values = options->hides_values;
    int status = http_ask_first(asker);
    if (!status)
        status = http_serve(asker, (unsigned)options->port);
    opened_end_all(&asker->opened);
    free(asker);
    return status;
}

int cli_serve(const char **words, unsigned count) {
    struct options options;
    int status = parse(words, count, &options);
    if (status)
        return status;
    if (options.help) {
        verb_print_help(&verb_serve);
        return CLI_OK;
    }
    signal(SIGPIPE, SIG_IGN); /* of a client, or a process that answers: told where they are used */
    if (options.http)
        return serve_page(&options);
    struct serve_session *session = calloc(1, sizeof(*session));
    if (!session)
        return cli_fail(CLI_FAILURE, "serve", "out of memory");
    status = serve(&options, session);
    free(session);
    return status;
}
