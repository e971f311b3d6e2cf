/*
 * Any bytes as a line of a client, and as an answer of which a page is shown: what is written is
 * JSON on one line again, which says the same.
 */
#include "fuzz_target.h"

#include "shared/buffer.h"
#include "serve/extract.h"
#include "serve/message.h"

#include <string.h>

static const struct json_value *write_and_read(const struct json_value *value, uint64_t first,
                                               struct loupe_arena *arena,
                                               struct cli_buffer *buffer) {
    struct extract extract = {
        .list = "rows", .first = first, .most = 3, .most_bytes = 400, .arena = arena};
    struct loupe_json json;
    struct loupe_error error = {0};
    const struct json_value *again;
    loupe_json_init(&json, cli_buffer_sink(buffer));
    loupe_json_begin_object(&json);
    loupe_json_key(&json, "answer");
    extract_write(&extract, &json, value);
    extract_describe(&extract, &json, extract.has_more ? "next" : NULL);
    loupe_json_end_object(&json);
    FUZZ_CHECK(!loupe_json_finish(&json));
    FUZZ_CHECK(extract.shown <= extract.most);
    FUZZ_CHECK(extract.left_out_count <= EXTRACT_LEFT_OUT);
    for (size_t i = 0; i < buffer->length; i++)
        FUZZ_CHECK(buffer->bytes[i] >= ' ' && buffer->bytes[i] < 0x7f);
    /* An answer as deep as can be read is one level deeper than that here. */
    if (json_read(cli_buffer_text(buffer), arena, &again, &error))
        FUZZ_CHECK(strstr(error.message, "deeper"));
    return again;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct loupe_arena arena;
    struct loupe_error error = {0};
    const struct json_value *value;
    loupe_arena_init(&arena, &fuzz_chunks);
    if (!json_read((struct loupe_span){(const char *)data, size}, &arena, &value, &error)) {
        struct serve_message message = serve_message_of(value);
        FUZZ_CHECK((message.kind == SERVE_NONSENSE) == (message.problem != NULL));
        FUZZ_CHECK(message.kind != SERVE_REQUEST || message.id);
        if (message.id)
            FUZZ_CHECK(serve_same_id(message.id, message.id));
        for (uint64_t first = 0; value->kind == JSON_OBJECT && first < 3; first += 2) {
            struct cli_buffer buffer = {.bytes = NULL};
            const struct json_value *again = write_and_read(value, first, &arena, &buffer);
            const struct json_value *rows = json_member(json_member(again, "answer"), "rows");
            FUZZ_CHECK(rows->kind != JSON_ARRAY || rows->count <= 3);
            cli_buffer_deinit(&buffer);
        }
    }
    loupe_arena_deinit(&arena);
    return 0;
}
