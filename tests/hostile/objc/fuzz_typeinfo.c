/* Any bytes as memory with vtables, typeinfos and their names: each word may be a vtable. */
#include "fuzz_memory.h"
#include "fuzz_target.h"

#include "cxx/vtable.h"

#include <string.h>

#define IMAGE 0x10000u

/* Bases up to where they end or lead back: whoever follows them counts the levels. */
static void follow_bases(struct loupe_target *target, struct loupe_typeinfo_kinds *kinds,
                         struct loupe_typeinfo *typeinfo) {
    enum { MOST_LEVELS = 32 };
    for (unsigned level = 0; level < MOST_LEVELS; level++) {
        loupe_addr base = loupe_typeinfo_base(target, typeinfo);
        if (!base || !loupe_typeinfo_at(target, kinds, base, typeinfo))
            return;
        FUZZ_CHECK(typeinfo->name[0] && memchr(typeinfo->name, '\0', sizeof(typeinfo->name)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_memory image = {.bytes = data + 1, .start = IMAGE, .size = size - 1};
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_typeinfo_kinds kinds = {.count = 0};
    if (!size)
        return 0;
    struct loupe_machine machine = {.pointer_size = data[0] & 1 ? 4 : 8, .arch = LOUPE_ARCH_X86_64};
    loupe_memory_init(&memory, &fuzz_memory_ops, &image, machine, &fuzz_chunks);
    loupe_target_init(&target, &memory, &fuzz_chunks);
    for (loupe_addr at = IMAGE; at < IMAGE + size; at += machine.pointer_size) {
        struct loupe_typeinfo typeinfo;
        if (loupe_vtable_at(&target, &kinds, at, &typeinfo))
            follow_bases(&target, &kinds, &typeinfo);
    }
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return 0;
}
