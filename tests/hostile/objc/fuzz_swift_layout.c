/* Any bytes as objects of Swift with metadata, field records, captures and names of types, and as
 * symbols of closures. */
#include "fuzz_memory.h"
#include "fuzz_target.h"

#include "swift/places.h"
#include "swift/symbol_names.h"

#include <string.h>

#define IMAGE 0x10000u

static struct loupe_swift_lowering lowering;

static void look_at_places(struct loupe_target *target, loupe_addr object, uint64_t metadata,
                           size_t size) {
    enum { WORD = 8, MOST_OFFSET = 96 };
    for (uint64_t offset = 0; offset < MOST_OFFSET && offset < size; offset += WORD) {
        struct loupe_swift_word_place word = {
            .object = object, .metadata = metadata, .offset = offset, .size = size};
        struct loupe_swift_place place;
        loupe_swift_place_at(&lowering, &word, &place);
        FUZZ_CHECK(memchr(place.name, '\0', sizeof(place.name)));
        FUZZ_CHECK(place.ownership <= LOUPE_SWIFT_UNMANAGED);
        FUZZ_CHECK(lowering.slot_count <= LOUPE_MOST_SWIFT_SLOTS);
    }
    (void)target;
}

static void read_type(struct loupe_target *target, loupe_addr at) {
    struct loupe_swift_layout layout;
    loupe_swift_lowering_init(&lowering, target);
    struct loupe_swift_value value = {
        .type = loupe_swift_read_type(target, &lowering.types, at), .address = at, .path = ""};
    if (value.type == LOUPE_NO_SWIFT_TYPE || !loupe_swift_lower(&lowering, &value, &layout))
        return;
    FUZZ_CHECK(layout.align && (layout.align & (layout.align - 1)) == 0);
}

static void read_symbol(const uint8_t *data, size_t size) {
    char symbol[512], name[128];
    size_t length = size < sizeof(symbol) - 1 ? size : sizeof(symbol) - 1;
    memcpy(symbol, data, length);
    symbol[length] = '\0';
    if (loupe_swift_closure_name(symbol, name, sizeof(name)))
        FUZZ_CHECK(strncmp(name, "closure #", 9) == 0 && strlen(name) < sizeof(name));
    loupe_swift_is_thunk(symbol);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { WORD = 8, MOST_PLACES = 64 };
    struct fuzz_memory image = {.bytes = data, .start = IMAGE, .size = size};
    struct loupe_machine machine = {.pointer_size = WORD, .arch = LOUPE_ARCH_X86_64};
    struct loupe_memory memory;
    struct loupe_target target;
    loupe_memory_init(&memory, &fuzz_memory_ops, &image, machine, &fuzz_chunks);
    loupe_target_init(&target, &memory, &fuzz_chunks);
    loupe_swift_lowering_init(&lowering, &target);
    read_symbol(data, size);
    for (loupe_addr at = IMAGE; at + WORD <= IMAGE + size && at < IMAGE + MOST_PLACES * WORD;
         at += WORD) {
        uint64_t word;
        read_type(&target, at);
        if (!loupe_memory_read_word(&memory, at, &word))
            look_at_places(&target, at, word, (size_t)(IMAGE + size - at));
        look_at_places(&target, IMAGE, at, size);
    }
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return 0;
}
