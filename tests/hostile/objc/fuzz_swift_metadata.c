/* Any bytes as memory with metadata and objects of Swift: each word may be either. */
#include "fuzz_memory.h"
#include "fuzz_target.h"

#include "swift/metadata.h"

#include <string.h>

#define IMAGE 0x10000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { WORD = 8, MOST_OFFSET = 64 };
    struct loupe_swift_field field;
    struct fuzz_memory image = {.bytes = data, .start = IMAGE, .size = size};
    struct loupe_machine machine = {.pointer_size = WORD, .arch = LOUPE_ARCH_X86_64};
    struct loupe_memory memory;
    struct loupe_target target;
    loupe_memory_init(&memory, &fuzz_memory_ops, &image, machine, &fuzz_chunks);
    loupe_target_init(&target, &memory, &fuzz_chunks);
    for (loupe_addr at = IMAGE; at < IMAGE + size; at += WORD) {
        struct loupe_swift_class cls;
        struct loupe_swift_counts counts = loupe_swift_counts_at(&target, at);
        FUZZ_CHECK(counts.life == LOUPE_SWIFT_ALIVE || counts.strong == 0);
        if (loupe_swift_class_at(&target, at, &cls))
            FUZZ_CHECK(cls.name[0] && memchr(cls.name, '\0', sizeof(cls.name)));
        for (uint64_t offset = 0; offset < MOST_OFFSET; offset += WORD) {
            if (loupe_swift_field_at(&target, at, offset, &field))
                FUZZ_CHECK(field.name[0] && memchr(field.name, '\0', sizeof(field.name)));
        }
    }
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return 0;
}
