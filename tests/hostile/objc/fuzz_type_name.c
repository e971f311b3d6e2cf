/* Any bytes as a mangled name of a C++ type. */
#include "fuzz_target.h"

#include "cxx/control_block.h"
#include "cxx/type_name.h"

#include <string.h>

/* What fits in little room is the beginning of what fits in more; a name that fits is whole. */
static void check_rooms(struct loupe_span mangled) {
    char whole[4096], part[64];
    bool fits = loupe_cxx_type_name(mangled, whole, sizeof(whole));
    bool fits_here = loupe_cxx_type_name(mangled, part, sizeof(part));
    FUZZ_CHECK(memchr(whole, '\0', sizeof(whole)) && memchr(part, '\0', sizeof(part)));
    FUZZ_CHECK(!fits_here || (fits && strcmp(whole, part) == 0));
    FUZZ_CHECK(!fits || (strlen(whole) < sizeof(part)) == fits_here);
}

static void check_control_block(const char *mangled) {
    char managed[128];
    struct loupe_control_layout layout;
    if (loupe_cxx_control_layout(mangled, &layout, managed, sizeof(managed)))
        FUZZ_CHECK(memchr(managed, '\0', sizeof(managed)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char mangled[LOUPE_MAX_TYPE_NAME + 1], name[128];
    check_rooms((struct loupe_span){.bytes = (const char *)data, .length = size});
    if (size > LOUPE_MAX_TYPE_NAME || memchr(data, 0, size))
        return 0;
    memcpy(mangled, data, size);
    mangled[size] = '\0';
    loupe_cxx_class_name(mangled, name, sizeof(name));
    FUZZ_CHECK(memchr(name, '\0', sizeof(name)));
    check_control_block(mangled);
    return 0;
}
