/* Weak references of libobjc2: WeakRef of arc.mm. */
#include "runtime/gnu/abi_gnustep2.h"

enum { WEAK_ISA, WEAK_OBJECT, WEAK_COUNT, WEAK_WORDS };

/* The object that a record names knows that it was referenced weakly. */
static bool is_referenced_weakly(struct loupe_target *target, loupe_addr address) {
    uint8_t pointer_size = target->memory->machine.pointer_size;
    struct loupe_object object;
    uint64_t word;
    return loupe_object_at(target, address, &object, NULL) == LOUPE_OK &&
           loupe_memory_read_word(target->memory, address - pointer_size, &word) == LOUPE_OK &&
           word >> (8 * pointer_size - 1);
}

/*
 * All records begin with the address of one variable, which has a symbol of its own if the library
 * was not stripped; else the first record with an object that is alive gives it away.
 */
bool gnustep2_is_weak_record(struct loupe_target *target, uint64_t record) {
    struct gnustep2_state *state = gnustep2_state_of(target);
    uint64_t words[WEAK_WORDS];
    for (unsigned i = 0; i < WEAK_WORDS; i++) {
        if (loupe_memory_read_word(target->memory, abi_word(target, record, i), &words[i]))
            return false;
    }
    if (!state->weak_isa)
        loupe_memory_find_symbol(target->memory, "_ZL13weakref_class", &state->weak_isa);
    if (!state->weak_isa && words[WEAK_COUNT] && words[WEAK_COUNT] <= INT32_MAX &&
        is_referenced_weakly(target, words[WEAK_OBJECT]))
        state->weak_isa = words[WEAK_ISA];
    return state->weak_isa && words[WEAK_ISA] == state->weak_isa;
}
