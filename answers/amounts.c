/* Numbers for people. */
#include "answers/amounts.h"

#include "base/text.h"

/* In tenths of a unit, rounded; of two that are as near the even one. */
static uint64_t tenths_of(uint64_t bytes, uint64_t unit) {
    uint64_t tenth = unit / 10, tenths = bytes / tenth, rest = bytes % tenth;
    bool is_more = 2 * rest > tenth || (2 * rest == tenth && tenths % 2);
    return tenths + is_more;
}

size_t answer_bytes_text(uint64_t bytes, char *dst, size_t cap) {
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    enum { UNIT_COUNT = sizeof(units) / sizeof(*units) };
    uint64_t unit = 1000, tenths;
    unsigned name = 0;
    if (bytes < 1000)
        return loupe_format(dst, cap, "%llu byte%s", (unsigned long long)bytes,
                            bytes == 1 ? "" : "s");
    while ((tenths = tenths_of(bytes, unit)) >= 10000 && name + 1 < UNIT_COUNT) {
        unit *= 1000;
        name++;
    }
    return loupe_format(dst, cap, "%llu.%llu %s", (unsigned long long)(tenths / 10),
                        (unsigned long long)(tenths % 10), units[name]);
}

size_t answer_number_text(uint64_t number, char *dst, size_t cap) {
    char digits[ANSWER_LONGEST_AMOUNT];
    size_t length = loupe_format(digits, sizeof(digits), "%llu", (unsigned long long)number);
    size_t used = 0;
    for (size_t i = 0; i < length; i++)
        used += loupe_format(dst + used, cap - used, "%s%c", i && (length - i) % 3 == 0 ? "," : "",
                             digits[i]);
    return used;
}
