/* Any bytes as memory with headers and nodes of C++'s libraries: each word may lead to some. */
#include "fuzz_memory.h"
#include "fuzz_target.h"

#include "cxx/shapes.h"

#include <string.h>

#define IMAGE 0x10000u

static void look_at(struct loupe_target *target, loupe_addr at, uint64_t size) {
    struct loupe_typeinfo_kinds kinds = {.count = 0};
    struct loupe_typeinfo typeinfo;
    struct loupe_cxx_extent extent;
    struct loupe_cxx_memory memory = {.size = size};
    uint32_t offset;
    if (loupe_memory_read_word(target->memory, at, &memory.start))
        return;
    enum loupe_cxx_shape shape = loupe_cxx_shape_at(target, at, memory, &extent);
    FUZZ_CHECK(shape < LOUPE_CXX_SHAPE_COUNT);
    FUZZ_CHECK(shape == LOUPE_CXX_NO_SHAPE || loupe_cxx_shape_name(shape));
    if (shape == LOUPE_CXX_VECTOR)
        FUZZ_CHECK(extent.end - memory.start <= memory.size);
    if (shape == LOUPE_CXX_DEQUE_MAP)
        FUZZ_CHECK(extent.first - memory.start <= memory.size && extent.first < extent.end);
    memory.start = at;
    FUZZ_CHECK(loupe_cxx_shape_in(target, memory) < LOUPE_CXX_SHAPE_COUNT);
    if (loupe_cxx_exception_at(target, &kinds, memory, &typeinfo, &offset))
        FUZZ_CHECK(offset < size && memchr(typeinfo.name, '\0', sizeof(typeinfo.name)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_memory image = {.bytes = data + 2, .start = IMAGE, .size = size - 2};
    struct loupe_memory memory;
    struct loupe_target target;
    if (size < 2)
        return 0;
    struct loupe_machine machine = {.pointer_size = data[0] & 1 ? 4 : 8, .arch = LOUPE_ARCH_X86_64};
    loupe_memory_init(&memory, &fuzz_memory_ops, &image, machine, &fuzz_chunks);
    loupe_target_init(&target, &memory, &fuzz_chunks);
    for (loupe_addr at = IMAGE; at < IMAGE + size; at += machine.pointer_size)
        look_at(&target, at, 8 + (uint64_t)data[1] * 2);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return 0;
}
