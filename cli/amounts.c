#include "amounts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { AMOUNT_SIZE = 32, AMOUNT_COUNT = 8 };

static char *next_buffer(void) {
    static char buffers[AMOUNT_COUNT][AMOUNT_SIZE];
    static unsigned next;
    return buffers[next++ % AMOUNT_COUNT];
}

const char *cli_bytes(uint64_t bytes) {
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    char *buffer = next_buffer();
    if (bytes < 1000) {
        snprintf(buffer, AMOUNT_SIZE, "%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
        return buffer;
    }
    double amount = (double)bytes / 1000;
    unsigned unit = 0;
    for (; amount >= 999.95; unit++)
        amount /= 1000;
    snprintf(buffer, AMOUNT_SIZE, "%.1f %s", amount, units[unit]);
    return buffer;
}

const char *cli_count(uint64_t count) {
    char digits[AMOUNT_SIZE], *buffer = next_buffer(), *end = buffer;
    int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *end++ = ',';
        *end++ = digits[i];
    }
    *end = '\0';
    return buffer;
}
