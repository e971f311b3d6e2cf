/*
 * Any bytes as an answer of which a report is made, for each host and look: it comes to an end, and
 * what is said has no controls, so that no text of the answer can end a line or rule a terminal.
 */
#include "fuzz_target.h"

#include "answers/reports/report.h"

static enum loupe_status look_at(void *ctx, const char *bytes, size_t length) {
    const struct answer_look *look = ctx;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)bytes[i];
        FUZZ_CHECK(c == '\n' || (c >= ' ' && c != 0x7f) || (c == 0x1b && look->color));
    }
    return LOUPE_OK;
}

/* A host of which some names are known. */
static bool name_it(const char *address, char *dst, size_t cap) {
    loupe_format(dst, cap, "in code of %s", address);
    return address[0] == '0';
}

static void report(const struct json_value *tree, struct loupe_arena *arena,
                   const struct answer_look *look) {
    struct answer_report asked = {.asked = loupe_span_of("self"), .width = look->verbose ? 40 : 0};
    struct answer answer;
    struct answer_lines lines;
    FUZZ_CHECK(!answer_open(&answer, tree, arena));
    if (look->host == ANSWER_IN_DEBUGGER)
        answer.code = answer.variable = name_it;
    answer_lines_init(&lines, &answer, look, (struct loupe_sink){look_at, (void *)(uintptr_t)look});
    enum loupe_status status = answer_say_report(&lines, &asked);
    FUZZ_CHECK(!status || status == LOUPE_EUSAGE);
    answer_close(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct answer_look looks[] = {
        {.host = ANSWER_IN_TERMINAL, .unicode = true},
        {.host = ANSWER_IN_DEBUGGER, .color = true, .verbose = true},
        {.host = ANSWER_IN_PROGRAM}};
    struct loupe_arena arena;
    struct loupe_error err = {0};
    const struct json_value *tree;
    loupe_arena_init(&arena, &fuzz_chunks);
    if (!json_read((struct loupe_span){(const char *)data, size}, &arena, &tree, &err)) {
        for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++)
            report(tree, &arena, &looks[i]);
    }
    loupe_arena_deinit(&arena);
    return 0;
}
