/*
 * Any bytes as the arguments that a host hands over, and as the encoding of a C++ type: what is
 * taken stays as it was written, each reference is found by its source, and nothing is read beyond
 * the text.
 */
#include "fuzz_target.h"

#include "base/arguments.h"
#include "base/target.h"
#include "edges/given.h"
#include "types/cxx_name.h"

#include <stdlib.h>
#include <string.h>

static void check_found(const struct loupe_given *given, loupe_addr source, uint32_t number) {
    uint32_t at = loupe_given_first(given, source), steps = 0;
    while (at != LOUPE_NO_GIVEN && at != number) {
        FUZZ_CHECK(steps++ <= given->references.count);
        uint32_t next = loupe_given_at(given, at)->next;
        FUZZ_CHECK(next == LOUPE_NO_GIVEN || next > at);
        at = next;
    }
    FUZZ_CHECK(at == number);
    FUZZ_CHECK(loupe_given_at(given, number)->kind < LOUPE_EDGE_KIND_COUNT);
    FUZZ_CHECK(loupe_given_at(given, number)->claim < LOUPE_CLAIM_COUNT);
    FUZZ_CHECK(strlen(loupe_given_at(given, number)->path) > 0);
}

static void take(struct loupe_given *given, const struct loupe_argument *argument) {
    uint32_t count = given->references.count;
    enum loupe_status status = loupe_given_add(given, argument);
    FUZZ_CHECK(status == LOUPE_OK || status == LOUPE_EUSAGE);
    if (given->references.count == count)
        return;
    loupe_addr source;
    FUZZ_CHECK(status == LOUPE_OK && loupe_span_equals(argument->word, "ref"));
    FUZZ_CHECK(loupe_argument_address(argument->fields[0], &source));
    check_found(given, source, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct loupe_target target;
    struct loupe_memory memory = {0};
    struct loupe_given given;
    struct loupe_argument argument;
    char *text = malloc(size + 1);
    FUZZ_CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    loupe_cxx_may_own((struct loupe_span){.bytes = (const char *)data, .length = size});
    loupe_target_init(&target, &memory, &fuzz_chunks);
    loupe_given_init(&given, &target.arena, &target.lasting);
    const char *cursor = text;
    while (loupe_argument_next(&cursor, &argument)) {
        if (loupe_given_means(&argument))
            take(&given, &argument);
    }
    loupe_target_deinit(&target);
    free(text);
    return 0;
}
