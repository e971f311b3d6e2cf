/*
 * The rules of this directory: no malloc, no lock, no stdio, no Objective-C message, no static
 * constructor, nothing exported but the API. Memory comes from the kernel. errno is the program's.
 */
#include "loupe_helper.h"

#include "loupe.h"
#include "pages.h"
#include "reply.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#define TEXT_OF(number) #number
#define TEXT(macro)     TEXT_OF(macro)

#define ENVELOPE(query)                                                                            \
    "{\"loupe\":1,\"query\":" query ",\"engine\":\"helper\",\"status\":\"error\",\"abi\":null,"    \
    "\"pointer_size\":" TEXT(__SIZEOF_POINTER__) ",\"error\":"

/* What a refused call returns: the reply buffer belongs to the call that runs. */
#define REFUSAL(query)                                                                             \
    ENVELOPE("\"" query "\"")                                                                      \
    "{\"code\":\"usage\",\"message\":\"another question is under way; if it was cut off, ask with" \
    " LOUPE_ASK_TAKE_OVER\",\"address\":null}}"

static const struct {
    const char *name;
    const char *refusal;
} queries[] = {
    {"block-layout", REFUSAL("block-layout")},   {"ivar-layout", REFUSAL("ivar-layout")},
    {"strong-refs", REFUSAL("strong-refs")},     {"retain-cycles", REFUSAL("retain-cycles")},
    {"dispose-probe", REFUSAL("dispose-probe")},
};
enum { QUERY_COUNT = sizeof(queries) / sizeof(queries[0]) };

static const char unknown_query[] =
    ENVELOPE("null") "{\"code\":\"usage\",\"message\":\"no such question\",\"address\":null}}";
static const char no_memory[] = ENVELOPE(
    "null") "{\"code\":\"internal\",\"message\":\"no memory for the answer\",\"address\":null}}";

static atomic_flag busy = ATOMIC_FLAG_INIT;

struct options {
    uint64_t limit;
    uint32_t max_rings, milliseconds, flags;
};

/* Takes the helper for one question; false while another one has it. */
static bool begin(uint32_t flags) {
    if (atomic_flag_test_and_set(&busy) && !(flags & LOUPE_ASK_TAKE_OVER))
        return false;
    loupe_pages_reclaim();
    loupe_reply_clear();
    return true;
}

static void end(void) {
    loupe_pages_reclaim();
    atomic_flag_clear(&busy);
}

static void answer(const char *query, const void *address) {
    struct loupe_json json;
    loupe_json_init(&json, loupe_reply_sink());
    loupe_json_begin_object(&json);
    loupe_json_key(&json, "loupe");
    loupe_json_uint(&json, 1);
    loupe_json_key(&json, "query");
    loupe_json_string(&json, query);
    loupe_json_key(&json, "engine");
    loupe_json_string(&json, "helper");
    loupe_json_key(&json, "status");
    loupe_json_string(&json, "error");
    loupe_json_key(&json, "abi");
    loupe_json_null(&json);
    loupe_json_key(&json, "pointer_size");
    loupe_json_uint(&json, sizeof(void *));
    loupe_json_key(&json, "error");
    loupe_json_begin_object(&json);
    loupe_json_key(&json, "code");
    loupe_json_string(&json, loupe_status_name(LOUPE_ENORUNTIME));
    loupe_json_key(&json, "message");
    loupe_json_string(&json, "no Objective-C runtime that Loupe knows");
    loupe_json_key(&json, "address");
    loupe_json_address(&json, (loupe_addr)(uintptr_t)address);
    loupe_json_end_object(&json);
    loupe_json_end_object(&json);
    loupe_json_finish(&json);
}

static const char *ask(const char *query, const void *address, const struct options *options) {
    int program_errno = errno;
    unsigned number = 0;
    while (number < QUERY_COUNT && strcmp(queries[number].name, query) != 0)
        number++;
    if (number == QUERY_COUNT)
        return unknown_query;
    if (!begin(options->flags))
        return queries[number].refusal;
    answer(query, address);
    const char *text = loupe_reply_text();
    end();
    errno = program_errno;
    return text ? text : no_memory;
}

/* ---- The API ---- */

uint32_t loupe_helper_version(void) {
    return LOUPE_HELPER_VERSION;
}

const char *loupe_ask(const char *query, const void *address, uint64_t limit, uint32_t max_rings,
                      uint32_t milliseconds, uint32_t flags) {
    struct options options = {
        .limit = limit, .max_rings = max_rings, .milliseconds = milliseconds, .flags = flags};
    return ask(query, address, &options);
}

const char *loupe_block_layout(const void *block) {
    return ask("block-layout", block, &(struct options){0});
}

const char *loupe_ivar_layout(const void *object_or_class) {
    return ask("ivar-layout", object_or_class, &(struct options){0});
}

const char *loupe_dispose_probe(const void *block) {
    return ask("dispose-probe", block, &(struct options){0});
}

const char *loupe_strong_refs(const void *object) {
    return ask("strong-refs", object, &(struct options){0});
}

const char *loupe_retain_cycles(const void *object) {
    return ask("retain-cycles", object, &(struct options){0});
}

unsigned loupe_count_cycles(const void *object) {
    ask("retain-cycles", object, &(struct options){0});
    return UINT32_MAX;
}
