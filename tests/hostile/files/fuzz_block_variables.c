/*
 * Any bytes as descriptions of block literals. The first two bytes say how much of the rest is
 * .debug_info and how much of what follows .debug_abbrev; what is left is all other sections at
 * once.
 */
#include "fuzz_target.h"

#include "image/dwarf/block_variables.h"

#include <string.h>

enum { LONGEST_PATH = 512 };

static void see(void *ctx, uint64_t function, uint32_t offset, struct loupe_span name) {
    const struct loupe_span *all = ctx;
    (void)function;
    FUZZ_CHECK(offset >= 20);
    FUZZ_CHECK(name.length && (name.length < all->length || name.length < LONGEST_PATH));
    FUZZ_CHECK(!memchr(name.bytes, 0, name.length));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    struct loupe_span all = {.bytes = (const char *)data, .length = size};
    const char *bytes = all.bytes + 2;
    size_t info = (size - 2) * data[0] / 255, abbreviations = (size - 2 - info) * data[1] / 255;
    struct loupe_span rest = {.bytes = bytes + info + abbreviations,
                              .length = size - 2 - info - abbreviations};
    struct loupe_dwarf_sections sections = {
        .info = {.bytes = bytes, .length = info},
        .abbreviations = {.bytes = bytes + info, .length = abbreviations},
        .strings = rest,
        .line_strings = rest,
        .string_offsets = rest,
        .addresses = rest};
    loupe_block_variables_visit(&sections, &fuzz_chunks, see, &all);
    return 0;
}
