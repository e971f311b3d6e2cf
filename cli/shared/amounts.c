#include "shared/amounts.h"

#include "answers/amounts.h"

enum { AMOUNT_COUNT = 8 };

static char *next_buffer(void) {
    static char buffers[AMOUNT_COUNT][ANSWER_LONGEST_AMOUNT];
    static unsigned next;
    return buffers[next++ % AMOUNT_COUNT];
}

const char *cli_bytes(uint64_t bytes) {
    char *buffer = next_buffer();
    answer_bytes_text(bytes, buffer, ANSWER_LONGEST_AMOUNT);
    return buffer;
}

const char *cli_count(uint64_t count) {
    char *buffer = next_buffer();
    answer_number_text(count, buffer, ANSWER_LONGEST_AMOUNT);
    return buffer;
}
