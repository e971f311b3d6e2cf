/* What a std::function keeps, by the code that manages it. */
#include "cxx/closure.h"

#include <string.h>

/* Of a manager: it looks at what it is asked for, and the typeinfo is the first answer. */
enum { MOST_CODE = 160 };

/* lea or mov of a register with what stands relative to the instruction's end: REX.W 8D or 8B. */
enum { LEA = 0x8d, MOV = 0x8b, LENGTH = 7, DISPLACEMENT_AT = 3 };

static bool is_relative(const uint8_t *code) {
    return (code[0] & 0xf8) == 0x48 && (code[1] == LEA || code[1] == MOV) &&
           (code[2] & 0xc7) == 0x05;
}

/* Where the typeinfo may be: at the place, or, as of a class of another library, where it says. */
static bool read_place(struct loupe_target *target, loupe_addr at, const uint8_t *code,
                       loupe_addr *ret) {
    int32_t displacement;
    uint64_t word;
    memcpy(&displacement, code + DISPLACEMENT_AT, sizeof(displacement));
    *ret = at + LENGTH + (loupe_addr)(int64_t)displacement;
    if (code[1] == LEA)
        return true;
    if (loupe_memory_read_word(target->memory, *ret, &word))
        return false;
    *ret = word;
    return true;
}

bool loupe_cxx_closure_managed_by(struct loupe_target *target, struct loupe_typeinfo_kinds *kinds,
                                  loupe_addr manager, struct loupe_typeinfo *ret) {
    uint8_t code[MOST_CODE];
    loupe_addr place;
    if (target->memory->machine.arch != LOUPE_ARCH_X86_64 ||
        loupe_memory_read(target->memory, manager, code, sizeof(code)))
        return false;
    for (unsigned at = 0; at + LENGTH <= sizeof(code); at++) {
        if (is_relative(code + at) && read_place(target, manager + at, code + at, &place) &&
            loupe_typeinfo_at(target, kinds, place, ret))
            return true;
    }
    return false;
}
