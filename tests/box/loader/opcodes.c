/*
 * opcodes.c - fixups as two little programs, one of words that move with the image and one of
 * imports, as linkers wrote them before chains (dyld-1160, mach-o/loader.h and
 * common/MachOAnalyzer.cpp). What was to be bound at the first call is bound at once.
 */
#include "binding.h"

#include <string.h>

enum {
    OPCODE = 0xf0,
    IMMEDIATE = 0x0f,
    POINTER = 8,

    REBASE_DONE = 0x00,
    REBASE_TYPE = 0x10,
    REBASE_PLACE = 0x20,
    REBASE_ADD = 0x30,
    REBASE_ADD_SCALED = 0x40,
    REBASE_TIMES = 0x50,
    REBASE_ULEB_TIMES = 0x60,
    REBASE_ADD_AFTER = 0x70,
    REBASE_TIMES_SKIPPING = 0x80,

    BIND_DONE = 0x00,
    BIND_ORDINAL = 0x10,
    BIND_ORDINAL_ULEB = 0x20,
    BIND_ORDINAL_SPECIAL = 0x30,
    BIND_NAME = 0x40,
    BIND_TYPE = 0x50,
    BIND_ADDEND = 0x60,
    BIND_PLACE = 0x70,
    BIND_ADD = 0x80,
    BIND_DO = 0x90,
    BIND_ADD_AFTER = 0xa0,
    BIND_ADD_SCALED_AFTER = 0xb0,
    BIND_TIMES_SKIPPING = 0xc0,

    NAME_IS_WEAK = 1
};

struct program {
    struct box_image *image;
    const uint8_t *at, *end;
    uint8_t *place;        /* the word to change next */
    uint8_t *first, *last; /* the words of its segment */
    struct box_import import;
    bool is_lazy; /* each function's part ends by itself */
};

static struct program begin(struct box_image *image, uint32_t offset, uint32_t size) {
    struct program program = {.image = image};
    if (size)
        program.at = box_image_linkedit(image, offset, size);
    program.end = program.at + size;
    return program;
}

static uint64_t number(struct program *program) {
    return box_uleb(&program->at, program->end);
}

/* The words are those of the segment, before the next place is set. */
static void *word_at(const struct program *program) {
    if (!program->first || program->place < program->first || program->place > program->last)
        box_fail("%s: a fixup outside of its segment", program->image->path);
    return program->place;
}

static void set_place(struct program *program, unsigned segment) {
    if (segment >= program->image->segment_count)
        box_fail("%s: fixups of segment %u", program->image->path, segment);
    const struct macho_segment *of = program->image->segments[segment];
    program->first = box_image_at(program->image, of->address);
    program->last = program->first + of->memory_size - POINTER;
    program->place = program->first + number(program);
}

/* ---- Words that move ---- */

static void rebase(struct program *program, uint64_t times, uint64_t skip) {
    for (; times; times--, program->place += POINTER + skip) {
        uint64_t word;
        memcpy(&word, word_at(program), sizeof(word));
        word += (uint64_t)program->image->slide;
        memcpy(word_at(program), &word, sizeof(word));
    }
}

static void rebase_step(struct program *program) {
    uint8_t byte = *program->at++, immediate = byte & IMMEDIATE;
    uint64_t times;
    switch (byte & OPCODE) {
    case REBASE_DONE:
        program->at = program->end;
        break;
    case REBASE_TYPE:
        if (immediate != 1)
            box_fail("%s: a fixup that is no pointer", program->image->path);
        break;
    case REBASE_PLACE:
        set_place(program, immediate);
        break;
    case REBASE_ADD:
        program->place += number(program);
        break;
    case REBASE_ADD_SCALED:
        program->place += immediate * POINTER;
        break;
    case REBASE_TIMES:
        rebase(program, immediate, 0);
        break;
    case REBASE_ULEB_TIMES:
        rebase(program, number(program), 0);
        break;
    case REBASE_ADD_AFTER:
        rebase(program, 1, number(program));
        break;
    case REBASE_TIMES_SKIPPING:
        times = number(program);
        rebase(program, times, number(program));
        break;
    default:
        box_fail("%s: rebase opcode %#x", program->image->path, byte);
    }
}

/* ---- Imports ---- */

static void bind(struct program *program, uint64_t times, uint64_t skip) {
    for (; times; times--, program->place += POINTER + skip) {
        if (!program->import.name)
            box_fail("%s: an import without a name", program->image->path);
        uint64_t value = box_resolve(program->image, &program->import);
        value = value ? value + (uint64_t)program->import.addend : 0;
        memcpy(word_at(program), &value, sizeof(value));
    }
}

static void set_name(struct program *program, uint8_t flags) {
    program->import.name = (const char *)program->at;
    program->import.is_weak = flags & NAME_IS_WEAK;
    size_t room = (size_t)(program->end - program->at);
    if (!memchr(program->at, '\0', room))
        box_fail("%s: the name of an import does not end", program->image->path);
    program->at += strlen((const char *)program->at) + 1;
}

static void bind_step(struct program *program) {
    uint8_t byte = *program->at++, immediate = byte & IMMEDIATE;
    uint64_t times;
    switch (byte & OPCODE) {
    case BIND_DONE:
        if (!program->is_lazy)
            program->at = program->end;
        break;
    case BIND_ORDINAL:
        program->import.ordinal = immediate;
        break;
    case BIND_ORDINAL_ULEB:
        program->import.ordinal = (int)number(program);
        break;
    case BIND_ORDINAL_SPECIAL:
        program->import.ordinal = immediate ? (int8_t)(OPCODE | immediate) : 0;
        break;
    case BIND_NAME:
        set_name(program, immediate);
        break;
    case BIND_TYPE:
        if (immediate != 1)
            box_fail("%s: an import that is no pointer", program->image->path);
        break;
    case BIND_ADDEND:
        program->import.addend = box_sleb(&program->at, program->end);
        break;
    case BIND_PLACE:
        set_place(program, immediate);
        break;
    case BIND_ADD:
        program->place += number(program);
        break;
    case BIND_DO:
        bind(program, 1, 0);
        break;
    case BIND_ADD_AFTER:
        bind(program, 1, number(program));
        break;
    case BIND_ADD_SCALED_AFTER:
        bind(program, 1, (uint64_t)immediate * POINTER);
        break;
    case BIND_TIMES_SKIPPING:
        times = number(program);
        bind(program, times, number(program));
        break;
    default:
        box_fail("%s: bind opcode %#x", program->image->path, byte);
    }
}

static void bind_all(struct program program) {
    while (program.at < program.end)
        bind_step(&program);
}

void box_fix_by_opcodes(struct box_image *image) {
    const struct macho_dyld_info *info = image->opcodes;
    struct program program = begin(image, info->rebase, info->rebase_size);
    while (program.at < program.end)
        rebase_step(&program);
    bind_all(begin(image, info->bind, info->bind_size));
    program = begin(image, info->weak_bind, info->weak_bind_size);
    program.import.ordinal = MACHO_ORDINAL_WEAK;
    bind_all(program);
    program = begin(image, info->lazy_bind, info->lazy_bind_size);
    program.is_lazy = true;
    bind_all(program);
}
