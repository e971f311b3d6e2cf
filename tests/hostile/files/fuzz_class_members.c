/*
 * Any bytes as descriptions of classes of C++. The first two bytes say how much of the rest is
 * .debug_info and how much of what follows .debug_abbrev; what is left is all other sections at
 * once.
 */
#include "fuzz_target.h"

#include "image/dwarf/class_members.h"

#include <string.h>

enum { LONGEST_PATH = 512 };

static void see(void *ctx, const struct loupe_class_member *member) {
    const struct loupe_span *all = ctx;
    FUZZ_CHECK(member->wanted < 2 && member->size);
    FUZZ_CHECK(member->name.length &&
               (member->name.length < all->length || member->name.length < LONGEST_PATH));
    FUZZ_CHECK(!memchr(member->name.bytes, 0, member->name.length));
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
    struct loupe_wanted_classes wanted;
    struct loupe_members_missing missing = {.units = 0};
    uint32_t number;
    loupe_wanted_init(&wanted, &fuzz_chunks);
    if (!loupe_wanted_add(&wanted, loupe_span_of("app::Child"), 0, &number) &&
        !loupe_wanted_add(&wanted, loupe_span_of("Both"), 1, &number))
        loupe_class_members_visit(&sections, &wanted, &fuzz_chunks, see, &all, &missing);
    loupe_wanted_deinit(&wanted);
    return 0;
}
