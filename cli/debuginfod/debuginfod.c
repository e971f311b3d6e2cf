#define _POSIX_C_SOURCE 200809L /* mkstemp(), clock_gettime() */

#include "debuginfod/debuginfod.h"

#include "debuginfod/cache.h"
#include "debuginfod/download.h"
#include "debuginfod/servers.h"
#include "heaps/heap_verb.h"
#include "shared/amounts.h"
#include "shared/new_file.h"
#include "target/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_ASKED = 4096, /* files */
    SECONDS_OF_ONE = 120,
    SECONDS_OF_ALL = 600,
    MOST_ID = 32, /* bytes of a build id: 64 digits */
    LONGEST_FILE = LONGEST_CACHE + 2 * LOUPE_IMAGE_ID_SIZE + 16
};
static const uint64_t most_of_one = UINT64_C(2) << 30, most_kept = UINT64_C(8) << 30;

static struct {
    struct servers servers;
    char folder[LONGEST_CACHE];
    bool has_begun, cannot_fetch;
    time_t end;
    unsigned asked;
    /* Since it was last said. */
    unsigned fetched, kept_before, not_there, too_large, of_another_build, beyond_bounds;
    uint64_t bytes;
} now;

/* ---- Beginning ---- */

static time_t seconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

const char *debuginfod_begin(void) {
    static char problem[LONGEST_CACHE + 128];
    struct loupe_span word;
    const char *text = getenv("DEBUGINFOD_URLS");
    if (now.has_begun)
        return NULL;
    const char *why = servers_read(&now.servers, text ? text : "", &word);
    if (why) {
        snprintf(problem, sizeof(problem), "--debuginfod: DEBUGINFOD_URLS: %.80s%s%s",
                 word.length ? cli_printable(word) : "", word.length ? ": " : "", why);
        return problem;
    }
    why = cache_open(now.folder);
    if (why) {
        snprintf(problem, sizeof(problem), "--debuginfod: %s: %s",
                 cli_printable(loupe_span_of(now.folder)), why);
        return problem;
    }
    now.has_begun = true;
    now.end = seconds_now() + SECONDS_OF_ALL;
    return NULL;
}

/* ---- One file ---- */

/* Whom to ask for what, and where it is to be kept. */
struct wanted {
    const struct loupe_image_id *build;
    char id[LOUPE_IMAGE_ID_TEXT];
    const char *kind;
    char path[LONGEST_FILE];
};

static bool is_right(const struct wanted *wanted, const char *path) {
    return loupe_file_has_id(path, &heap_chunks, wanted->build);
}

/* What a server sent takes the place of nothing, unless it is what was asked for. */
static bool keep(const struct wanted *wanted, const char *part) {
    struct stat about;
    if (!is_right(wanted, part)) {
        now.of_another_build++;
        return false;
    }
    if (stat(part, &about) || rename(part, wanted->path))
        return false;
    now.fetched++;
    now.bytes += (uint64_t)about.st_size;
    return true;
}

static void leave(struct server *server, const char *why, unsigned code) {
    char answer[32] = "";
    server->is_given_up = true;
    if (code)
        snprintf(answer, sizeof(answer), " (HTTP status %u)", code);
    cli_note("debuginfod: %s %s%s, and is not asked again",
             cli_printable(loupe_span_of(server->address)), why, answer);
}

static void end_all(const char *why) {
    now.cannot_fetch = true;
    cli_note("debuginfod: %s", why);
}

/* Whether it was fetched. */
static bool ask(struct server *server, const struct wanted *wanted) {
    char address[LONGEST_SERVER + LOUPE_IMAGE_ID_TEXT + 32];
    char beside[LONGEST_FILE + NEW_FILE_ENDING];
    FILE *part = new_file_beside(wanted->path, beside);
    time_t left = now.end - seconds_now();
    unsigned code;
    if (!part) {
        end_all("nothing can be written into its cache");
        return false;
    }
    snprintf(address, sizeof(address), "%s/buildid/%s/%s", server->address, wanted->id,
             wanted->kind);
    struct download asked = {.address = address,
                             .is_this_machine = server->is_this_machine,
                             .to = fileno(part),
                             .most_bytes = most_of_one,
                             .seconds = left < SECONDS_OF_ONE ? (unsigned)left : SECONDS_OF_ONE};
    enum download_result result = download(&asked, &code);
    fclose(part);
    bool is_kept = result == DOWNLOAD_DONE && keep(wanted, beside);
    if (!is_kept)
        unlink(beside);
    now.too_large += result == DOWNLOAD_TOO_LARGE;
    if (result == DOWNLOAD_TOO_LONG)
        leave(server, "took too long", 0);
    else if (result == DOWNLOAD_FAILED)
        leave(server, "does not answer", code);
    else if (result == DOWNLOAD_NO_CURL)
        end_all("curl is not on this machine, which fetches the files");
    return is_kept;
}

static bool is_over(void) {
    return now.cannot_fetch || *heap_stop || now.asked >= MOST_ASKED || seconds_now() >= now.end;
}

static bool fetch(const struct wanted *wanted) {
    bool is_there = false;
    unsigned refused = now.too_large + now.of_another_build, answered = 0;
    now.beyond_bounds += !now.cannot_fetch && is_over();
    if (is_over())
        return false;
    if (!now.asked++)
        cache_make_room(now.folder, most_kept);
    for (unsigned i = 0; i < now.servers.count && !is_there && !is_over(); i++) {
        struct server *server = &now.servers.list[i];
        is_there = !server->is_given_up && ask(server, wanted);
        answered += !server->is_given_up;
    }
    now.not_there += answered && !is_there && !now.cannot_fetch &&
                     refused == now.too_large + now.of_another_build;
    return is_there;
}

bool debuginfod_fetch(void *ctx, const struct loupe_image_id *build, bool debug_file, char *path,
                      size_t cap) {
    struct wanted wanted = {.build = build, .kind = debug_file ? "debuginfo" : "executable"};
    (void)ctx;
    if (!now.has_begun || build->length > MOST_ID || build->is_cut)
        return false;
    loupe_image_id_text(build, wanted.id);
    snprintf(wanted.path, sizeof(wanted.path), "%s/%s.%s", now.folder, wanted.id, wanted.kind);
    bool is_there = is_right(&wanted, wanted.path);
    if (is_there) {
        now.kept_before++;
        cache_touch(wanted.path);
    } else {
        is_there = fetch(&wanted);
    }
    return is_there && strlen(wanted.path) < cap && strcpy(path, wanted.path);
}

/* ---- What became of it ---- */

static void note(unsigned count, const char *what) {
    if (count)
        cli_note("debuginfod: %u file%s %s", count, count == 1 ? "" : "s", what);
}

void debuginfod_note(void) {
    if (now.fetched)
        cli_note("debuginfod: %u file%s fetched, %s", now.fetched, now.fetched == 1 ? "" : "s",
                 cli_bytes(now.bytes));
    note(now.kept_before, "from the cache");
    note(now.not_there, "not on a server");
    note(now.too_large, "too large, and left out");
    note(now.of_another_build, "of another build than asked for, and left out");
    note(now.beyond_bounds, "not asked for: 10 minutes, 4096 files, or --timeout were over");
    now.fetched = now.kept_before = now.not_there = now.too_large = now.of_another_build =
        now.beyond_bounds = 0;
    now.bytes = 0;
}
