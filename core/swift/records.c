/* What stands in metadata and descriptors, read word by word. */
#include "swift/records.h"

#include <string.h>

enum { DEEPEST = 16, MOST_IDENTIFIER = 256 };

bool loupe_swift_read_word(struct loupe_target *target, loupe_addr address, uint64_t *ret) {
    return !loupe_memory_read_word(target->memory, address, ret);
}

bool loupe_swift_read_u32(struct loupe_target *target, loupe_addr address, uint32_t *ret) {
    return !loupe_memory_read_u32(target->memory, address, ret);
}

bool loupe_swift_read_address(struct loupe_target *target, loupe_addr address, loupe_addr *ret) {
    uint64_t word;
    if (!loupe_swift_read_word(target, address, &word))
        return false;
    *ret = loupe_memory_strip(target->memory, word);
    return *ret >= LOUPE_PAGE_SIZE;
}

bool loupe_swift_follow(struct loupe_target *target, loupe_addr place, bool may_lead_on,
                        loupe_addr *ret) {
    uint32_t distance;
    if (!loupe_swift_read_u32(target, place, &distance) || distance == 0)
        return false;
    *ret = place + (loupe_addr)(int64_t)(int32_t)distance;
    if (!may_lead_on || !(*ret & 1))
        return true;
    return loupe_swift_read_address(target, *ret & ~(loupe_addr)1, ret);
}

/* ---- Text ---- */

bool loupe_swift_put(struct loupe_swift_text *text, const char *more) {
    size_t length = strlen(more);
    if (length >= text->cap - text->length)
        return false;
    memcpy(text->bytes + text->length, more, length + 1);
    text->length += length;
    return true;
}

bool loupe_swift_put_identifier(struct loupe_target *target, loupe_addr address,
                                struct loupe_swift_text *text) {
    char name[MOST_IDENTIFIER];
    size_t length = 0;
    for (; length < sizeof(name); length++) {
        if (loupe_memory_read(target->memory, address + length, &name[length], 1))
            return false;
        if (!name[length])
            break;
        if ((uint8_t)name[length] < ' ' || name[length] == 0x7f)
            return false;
    }
    return length > 0 && length < sizeof(name) && loupe_swift_put(text, name);
}

/* ---- Names of descriptors ---- */

static bool has_name(uint32_t kind) {
    return kind == CONTEXT_MODULE || kind == CONTEXT_PROTOCOL ||
           (kind >= CONTEXT_CLASS && kind <= CONTEXT_ENUM);
}

/* The scopes of a type, itself first, up to its module. 0: they make no sense. */
static unsigned collect_scopes(struct loupe_target *target, loupe_addr descriptor,
                               loupe_addr ret[DEEPEST]) {
    /* Cap: metadata of a type that deep is none. */
    for (unsigned count = 0; count < DEEPEST;) {
        uint32_t flags;
        if (descriptor % 4 || !loupe_swift_read_u32(target, descriptor, &flags))
            return 0;
        uint32_t kind = flags & CONTEXT_KIND_MASK;
        if (has_name(kind))
            ret[count++] = descriptor;
        if (kind == CONTEXT_MODULE)
            return count;
        if (kind > CONTEXT_ANONYMOUS && !has_name(kind))
            return 0;
        if (!loupe_swift_follow(target, descriptor + DESCRIPTOR_PARENT, true, &descriptor))
            return 0;
    }
    return 0;
}

bool loupe_swift_put_descriptor(struct loupe_target *target, loupe_addr descriptor,
                                struct loupe_swift_text *text) {
    loupe_addr scopes[DEEPEST], name;
    unsigned count = collect_scopes(target, descriptor, scopes);
    for (unsigned i = count; i > 0; i--) {
        if (!loupe_swift_follow(target, scopes[i - 1] + DESCRIPTOR_NAME, false, &name) ||
            !loupe_swift_put_identifier(target, name, text) ||
            (i > 1 && !loupe_swift_put(text, ".")))
            return false;
    }
    return count > 0;
}
