/*
 * Prints what a report says of the helper's answers, which come on standard input: one on a line.
 */
#include "reports/words.h"

#include <stdio.h>
#include <string.h>

int main(void) {
    struct watch_answers answers = {0};
    struct watch_text *line = &answers.cycles, words = {0};
    char piece[4096];
    while (fgets(piece, sizeof(piece), stdin)) {
        size_t length = strcspn(piece, "\n");
        watch_text_add_bytes(line, piece, length);
        line = piece[length] ? &answers.incoming : line;
    }
    struct watch_reading reading;
    struct answer_watched watched = {.address = 0x1f00,
                                     .class_name = loupe_span_of("Screen"),
                                     .reason = loupe_span_of("it was closed")};
    watch_read_answers(&answers, &reading);
    watch_words(&reading, &watched, true, &words);
    watch_reading_end(&reading);
    fputs(watch_text_get(&words), stdout);
    watch_text_end(&words);
    watch_text_end(&answers.cycles);
    watch_text_end(&answers.incoming);
    return 0;
}
