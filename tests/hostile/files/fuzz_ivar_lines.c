/*
 * Any bytes as descriptions of classes. The first three bytes say how much of the rest is
 * .debug_info, how much of what follows .debug_abbrev, and how much of what follows that
 * .debug_line; what is left is all other sections at once.
 */
#include "fuzz_target.h"

#include "image/dwarf/ivar_lines.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3)
        return 0;
    const char *bytes = (const char *)data + 3, *end = (const char *)data + size;
    struct loupe_span parts[3];
    for (unsigned i = 0; i < 3; i++) {
        parts[i] =
            (struct loupe_span){.bytes = bytes, .length = (size_t)(end - bytes) * data[i] / 255};
        bytes += parts[i].length;
    }
    struct loupe_span rest = {.bytes = bytes, .length = (size_t)(end - bytes)};
    struct loupe_dwarf_sections sections = {.info = parts[0],
                                            .abbreviations = parts[1],
                                            .strings = rest,
                                            .line_strings = rest,
                                            .string_offsets = rest,
                                            .addresses = rest};
    struct loupe_line_sections lines = {.lines = parts[2], .line_strings = rest, .strings = rest};
    struct loupe_ivar_lines ivars;
    if (loupe_ivar_lines_init(&ivars, &sections, &lines, &fuzz_chunks))
        return 0;
    for (uint32_t i = 0; i < ivars.ivars.count; i++) {
        struct loupe_span class_name, name;
        char path[16];
        uint32_t line;
        loupe_ivar_lines_name(&ivars, i, &class_name, &name);
        FUZZ_CHECK(class_name.length && name.length);
        FUZZ_CHECK(class_name.bytes >= (const char *)data && name.bytes + name.length < end);
        if (loupe_ivar_lines_find(&ivars, class_name, name, path, sizeof(path), &line))
            FUZZ_CHECK(line && strlen(path) < sizeof(path));
    }
    loupe_ivar_lines_deinit(&ivars);
    return 0;
}
