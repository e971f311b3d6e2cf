/*
 * block_symbol.h - what clang writes into the names of a block's descriptor and helpers.
 *
 * These names exist so that the linker can merge equal helpers, therefore they say exactly what the
 * helpers do, on every runtime: `__copy_helper_block_e8_32s40w` retains a word at 32 and copies a
 * weak slot at 40. The grammar (clang CGBlocks.cpp and CGNonTrivialStruct.cpp; '@' in a signature
 * is written as byte 0x01):
 *
 *   descriptor := "__block_descriptor_" SIZE "_" [EH ALIGN "_" capture* "_"]
 *                 "e" LENGTH "_" SIGNATURE "l" suffix*
 *   helper     := ("__copy_helper_block_" | "__destroy_helper_block_") EH ALIGN "_" capture*
 *   EH         := ["e"] ["a"]
 *   capture    := OFFSET op*          of both helpers where they differ: copy's, then destroy's
 *   op         := "s" | "w" | "o" | "b" | "r" ["w"] ["c"] ["d"] | "p" KEY "d" DISCRIMINATOR
 *               | "c" LENGTH MANGLED-TYPE | "n" LENGTH "_" members
 *   suffix     := ("u" | "s" | "r" | "w") OFFSET "l" SIZE
 *
 * A name is as hostile as any other byte of the target: parsing is linear in its length and stops
 * at LOUPE_SYMBOL_MAX_CAPTURES.
 */
#ifndef LOUPE_BLOCK_SYMBOL_H
#define LOUPE_BLOCK_SYMBOL_H

#include "base/arena.h"
#include "blocks/captures.h"
#include "base/status.h"
#include "base/text.h"

enum { LOUPE_SYMBOL_MAX_CAPTURES = 65536, LOUPE_SYMBOL_MAX_DEPTH = 16 /* arrays in arrays */ };

enum loupe_block_symbol_form {
    LOUPE_SYMBOL_DESCRIPTOR,
    LOUPE_SYMBOL_COPY_HELPER,
    LOUPE_SYMBOL_DESTROY_HELPER
};

/* One entry of a name. Entries are in the order of their offsets; C++ types may hold others. */
struct loupe_symbol_capture {
    uint32_t offset;
    uint32_t size; /* 0: not in the name (a C++ object reaches to the next capture at most) */
    enum loupe_capture_kind kind; /* UNKNOWN for a C++ object; DATA for bytes copied as they are */
    bool by_helper;         /* a helper handles it; else it comes from the suffix: only described */
    bool by_retain;         /* "o": manual retain/release code */
    struct loupe_span type; /* of a C++ object: the mangled name, inside the parsed name */
};

struct loupe_block_symbol {
    enum loupe_block_symbol_form form;
    bool says_captures; /* false for the names of old compilers and of plain C, which say nothing */
    bool has_helpers;   /* a descriptor: the block has copy and destroy helpers */
    bool arc_exceptions;                   /* "a" */
    uint32_t size;                         /* of the block; 0 in a helper's name */
    uint32_t alignment;                    /* of the block; 0 without helpers */
    struct loupe_span signature;           /* inside the parsed name; '@' may stand as 0x01 */
    struct loupe_symbol_capture *captures; /* in the arena */
    uint32_t capture_count;
};

enum loupe_helpers { LOUPE_HELPERS_UNKNOWN, LOUPE_HELPERS_NONE, LOUPE_HELPERS_PRESENT };

/*
 * What is known about the block: some names are ambiguous without. In helper names the offsets of
 * captures that this helper has nothing to do for run into the next one ("5660c7_ZTS2TC").
 */
struct loupe_symbol_context {
    uint8_t pointer_size;
    enum loupe_helpers helpers;
    uint32_t block_size; /* 0: not known */
};

/* It starts like the name of a descriptor, copy helper or destroy helper. */
bool loupe_block_symbol_is_one(struct loupe_span name);

/*
 * Parses the name of a descriptor, copy helper or destroy helper, with or without the further
 * underscore of Mach-O. LOUPE_EUSAGE: not such a name, or one that ends in the middle; *err (may be
 * NULL) says where. LOUPE_ELIMIT: too many captures.
 */
enum loupe_status loupe_block_symbol_parse(struct loupe_arena *arena, struct loupe_span name,
                                           const struct loupe_symbol_context *context,
                                           struct loupe_block_symbol *ret, struct loupe_error *err);

#endif
