/*
 * Any bytes as tables of lines. The first byte says how much of the rest is .debug_line; what
 * follows is .debug_line_str and .debug_str at once.
 */
#include "fuzz_target.h"

#include "image/dwarf/lines.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { MOST_ASKED = 64 };
    struct loupe_lines lines;
    if (!size)
        return 0;
    size_t first = (size - 1) * data[0] / 255;
    const char *bytes = (const char *)data + 1;
    struct loupe_span rest = {.bytes = bytes + first, .length = size - 1 - first};
    struct loupe_line_sections sections = {
        .lines = {.bytes = bytes, .length = first}, .line_strings = rest, .strings = rest};
    if (loupe_lines_init(&lines, &sections, &fuzz_chunks))
        return 0;
    for (uint64_t address = 0; address < MOST_ASKED; address++) {
        char path[40];
        uint32_t line = 0;
        memset(path, 'x', sizeof(path));
        if (loupe_lines_find(&lines, address * 4, path, sizeof(path), &line))
            FUZZ_CHECK(line && memchr(path, '\0', sizeof(path)));
    }
    loupe_lines_deinit(&lines);
    return 0;
}
