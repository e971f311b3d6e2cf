/*
 * Any bytes as what a copy of a watched process answers: two lines, as watch/reports/ask.c takes
 * them. What is told of them holds no byte that could rule a terminal, and what a fingerprint is
 * made of is always one.
 */
#include "fuzz_target.h"

#include "reports/words.h"

#include <string.h>

static struct watch_text line(const uint8_t *bytes, size_t size) {
    struct watch_text text = {0};
    watch_text_add_bytes(&text, (const char *)bytes, size);
    return text;
}

static void check(const struct watch_reading *reading, bool is_unicode) {
    struct watch_text words = {0};
    struct answer_watched watched = {.address = 0x1f00, .class_name = loupe_span_of("Screen")};
    watch_words(reading, &watched, is_unicode, &words);
    const char *text = watch_text_get(&words);
    for (size_t i = 0; i < words.length; i++)
        FUZZ_CHECK(text[i] == '\n' || (text[i] & 0x80) || (text[i] >= ' ' && text[i] != 0x7f));
    FUZZ_CHECK(!words.length || text[words.length - 1] == '\n');
    watch_text_end(&words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    size_t first = end ? (size_t)(end - data) : size;
    struct watch_answers answers = {.cycles = line(data, first)};
    char fingerprint[WATCH_FINGERPRINT_SIZE], name[40];
    if (end)
        answers.incoming = line(end + 1, size - first - 1);
    struct watch_reading reading;
    watch_read_answers(&answers, &reading);
    check(&reading, true);
    check(&reading, false);
    memset(fingerprint, 'x', sizeof(fingerprint));
    watch_fingerprint(&reading, "it was closed", fingerprint);
    FUZZ_CHECK(memchr(fingerprint, '\0', sizeof(fingerprint)));
    const char *class_name = watch_class_of_answer(&reading, name, sizeof(name));
    FUZZ_CHECK(strlen(class_name) < sizeof(name));
    watch_reading_end(&reading);
    watch_text_end(&answers.cycles);
    watch_text_end(&answers.incoming);
    return 0;
}
