/*
 * Any bytes as an answer that is drawn: as a page, for Graphviz, and as each report for CI. The
 * data of a page must not leave the element that it stands in, and no line of a report is forged.
 */
#include "fuzz_target.h"

#include "pictures/answer.h"
#include "pictures/dot/dot.h"
#include "pictures/page/page.h"
#include "pictures/picture_patterns.h"
#include "pictures/reports/reports.h"

#include <string.h>

/* What was written, by what must be counted in it. */
struct written {
    size_t markup, lines;
};

static enum loupe_status count(void *ctx, const char *bytes, size_t length) {
    struct written *written = ctx;
    for (size_t i = 0; i < length; i++) {
        FUZZ_CHECK(bytes[i] == '\n' || (bytes[i] & 0x80) || (bytes[i] >= ' ' && bytes[i] != 0x7f));
        written->markup += bytes[i] == '<';
        written->lines += bytes[i] == '\n';
    }
    return LOUPE_OK;
}

static struct loupe_sink counting(struct written *written) {
    *written = (struct written){0};
    return (struct loupe_sink){.write = count, .ctx = written};
}

static void draw(struct picture *picture) {
    struct picture empty;
    struct written written, of_nothing;
    picture_init(&empty, picture->arena);
    FUZZ_CHECK(!picture_write_page(&empty, counting(&of_nothing)));
    FUZZ_CHECK(!picture_write_page(picture, counting(&written)));
    FUZZ_CHECK(written.markup == of_nothing.markup && written.lines == of_nothing.lines);
    FUZZ_CHECK(!picture_write_dot(picture, false, counting(&written)));
    FUZZ_CHECK(!picture_write_dot(picture, true, counting(&written)));

    struct report_run run = {.picture = picture, .version = "0"};
    FUZZ_CHECK(!report_github.write(&run, counting(&written)));
    FUZZ_CHECK(written.lines == picture->finding_count + picture->note_count);
    FUZZ_CHECK(!report_sarif.write(&run, counting(&written)));
    FUZZ_CHECK(!written.lines);
    FUZZ_CHECK(!report_junit.write(&run, counting(&written)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct loupe_arena arena;
    struct loupe_error err = {0};
    struct picture picture;
    struct loupe_patterns patterns;
    const struct json_value *tree;
    loupe_arena_init(&arena, &fuzz_chunks);
    struct loupe_span text = {(const char *)data, size};
    enum loupe_status status = json_read(text, &arena, &tree, &err);
    FUZZ_CHECK(!status || (status == LOUPE_EUSAGE && err.message[0]));
    if (!status && !picture_of_answer(tree, &arena, &picture, &err)) {
        FUZZ_CHECK(!patterns_read_shipped(&arena, &patterns));
        picture_find_patterns(&picture, &patterns);
        draw(&picture);
    }
    loupe_arena_deinit(&arena);
    return 0;
}
