#include "runtime/values/string_text.h"

#include "runtime/abi.h"
#include "runtime/containers/containers.h"
#include "runtime/values/tagged_values.h"

#include <string.h>

/* The low byte of the information word. */
enum { IS_MUTABLE = 0x01, HAS_LENGTH_BYTE = 0x04, IS_UNICODE = 0x10, CONTENTS = 0x60 };

static bool is_cf_string(const struct loupe_class *cls) {
    return strcmp(cls->name, "__NSCFConstantString") == 0 || strcmp(cls->name, "__NSCFString") == 0;
}

static bool find_inline(struct loupe_target *target, loupe_addr contents, uint32_t info,
                        struct loupe_string_part *ret) {
    uint8_t length;
    if (!(info & HAS_LENGTH_BYTE)) {
        ret->address = contents + target->memory->machine.pointer_size;
        return loupe_memory_read_word(target->memory, contents, &ret->count) == LOUPE_OK;
    }
    if (loupe_memory_read(target->memory, contents, &length, 1))
        return false;
    ret->address = contents + 1;
    ret->count = length;
    return true;
}

static bool find_cf_characters(struct loupe_target *target, loupe_addr address,
                               struct loupe_string_part *ret) {
    unsigned word = target->memory->machine.pointer_size;
    loupe_addr contents = address + 2 * word;
    uint32_t info;
    if (loupe_memory_read_u32(target->memory, address + word, &info))
        return false;
    ret->is_wide = info & IS_UNICODE;
    if (!(info & IS_MUTABLE) && !(info & CONTENTS))
        return find_inline(target, contents, info, ret);
    return !loupe_memory_read_pointer(target->memory, contents, &ret->address) &&
           !loupe_memory_read_word(target->memory, contents + word, &ret->count);
}

/* ---- gnustep-base: GSString.h, NSString.h; the places are those of the class's ivars ---- */

enum { GS_WIDE = 1 /* of _flags: characters of 16 bits */ };

static bool find_gs_characters(struct loupe_target *target, const struct loupe_object *object,
                               struct loupe_string_part *ret) {
    uint32_t contents, count, flags, length, bits = 0;
    bool is_constant = loupe_container_ivar(target, object->cls, "nxcsptr", &contents) &&
                       loupe_container_ivar(target, object->cls, "nxcslen", &count);
    if (!is_constant && (!loupe_container_ivar(target, object->cls, "_contents", &contents) ||
                         !loupe_container_ivar(target, object->cls, "_count", &count) ||
                         !loupe_container_ivar(target, object->cls, "_flags", &flags) ||
                         loupe_memory_read_u32(target->memory, object->address + flags, &bits)))
        return false;
    ret->is_wide = bits & GS_WIDE;
    ret->is_utf8 = is_constant;
    if (loupe_memory_read_pointer(target->memory, object->address + contents, &ret->address) ||
        loupe_memory_read_u32(target->memory, object->address + count, &length))
        return false;
    ret->count = length;
    return true;
}

static bool is_gs_string(struct loupe_target *target, const struct loupe_class *cls) {
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level;
    while ((level = loupe_class_chain_next(target, &chain))) {
        if (strcmp(level->name, "NSConstantString") == 0 || strcmp(level->name, "GSString") == 0 ||
            strcmp(level->name, "GSMutableString") == 0)
            return true;
    }
    return false;
}

bool loupe_string_part(struct loupe_target *target, const struct loupe_object *object,
                       struct loupe_string_part *ret) {
    *ret = (struct loupe_string_part){.count = 0};
    if (is_cf_string(object->cls))
        return find_cf_characters(target, object->address, ret);
    return is_gs_string(target, object->cls) && find_gs_characters(target, object, ret);
}

/* ---- Text ---- */

static bool is_printable(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (text[i] < 0x20 || text[i] > 0x7e)
            return false;
    }
    return true;
}

enum { PART_SIZE = 256 };

static void put_unit16(struct loupe_value_text *text, const uint8_t *bytes, size_t left,
                       size_t *taken) {
    uint32_t unit = (uint32_t)(bytes[0] | bytes[1] << 8), low;
    *taken = 2;
    if (unit >= 0xd800 && unit < 0xdc00 && left >= 4) {
        low = (uint32_t)(bytes[2] | bytes[3] << 8);
        if (low >= 0xdc00 && low < 0xe000) {
            *taken = 4;
            unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    loupe_put_unit(text, unit >= 0xd800 && unit < 0xe000 ? 0xfffd : unit);
}

/* Bytes that are read; how many of them were used: of the last pair of a part not its half. */
static size_t put_bytes(const struct loupe_string_part *part, const uint8_t *bytes, size_t count,
                        bool is_last, struct loupe_value_text *text) {
    size_t at = 0, taken;
    if (part->is_utf8) {
        loupe_put_span(text, (struct loupe_span){(const char *)bytes, count});
        return count;
    }
    while (at < count && !text->cut) {
        if (!part->is_wide) {
            loupe_put_unit(text, bytes[at++]);
        } else if (count - at < 2 || (!is_last && count - at < 4)) {
            break;
        } else {
            put_unit16(text, bytes + at, count - at, &taken);
            at += taken;
        }
    }
    return at;
}

bool loupe_put_string_part(struct loupe_target *target, const struct loupe_string_part *part,
                           struct loupe_value_text *text) {
    uint8_t bytes[PART_SIZE];
    uint64_t size = part->is_wide ? 2 * part->count : part->count;
    if (part->count > UINT32_MAX)
        return false;
    for (uint64_t at = 0; at < size && !text->cut;) {
        size_t count = size - at < PART_SIZE ? (size_t)(size - at) : PART_SIZE;
        if (loupe_memory_read(target->memory, part->address + at, bytes, count))
            return false;
        size_t used = put_bytes(part, bytes, count, at + count == size, text);
        if (!used)
            break;
        at += used;
    }
    return true;
}

/* ---- In the pointer ---- */

static bool tagged_text(const struct loupe_target *target, uint64_t word, char *dst, size_t cap) {
    struct loupe_value_text text = {.dst = dst, .room = cap - 1};
    if (!loupe_put_tagged_string(&target->tagging, word, &text) || text.cut)
        return false;
    dst[text.used] = '\0';
    return is_printable(dst, text.used);
}

bool loupe_string_text(struct loupe_target *target, loupe_addr address, char *dst, size_t cap) {
    struct loupe_object object;
    struct loupe_string_part characters;
    if (loupe_is_tagged(target, address))
        return tagged_text(target, address, dst, cap);
    if (loupe_object_at(target, address, &object, NULL) ||
        !loupe_string_part(target, &object, &characters) || characters.is_wide)
        return false;
    bool cut = characters.count >= cap;
    size_t length = cut ? cap - 4 : (size_t)characters.count;
    if (loupe_memory_read(target->memory, characters.address, dst, length) ||
        !is_printable(dst, length))
        return false;
    memcpy(dst + length, cut ? "..." : "", cut ? 4 : 1);
    return true;
}
