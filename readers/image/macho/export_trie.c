#include "image/macho/export_trie.h"

#include "image/macho/macho_constants.h"

enum { LONGEST_EDGE = 4096 /* in bytes */ };

/* Bytes of the trie from a place on. */
struct trie {
    struct loupe_memory *memory;
    loupe_addr start;
    uint64_t size, at;
};

static bool take_byte(struct trie *trie, uint8_t *ret) {
    if (trie->at >= trie->size)
        return false;
    return !loupe_memory_read(trie->memory, trie->start + trie->at++, ret, 1);
}

static bool take_uleb(struct trie *trie, uint64_t *ret) {
    uint64_t value = 0;
    uint8_t byte;
    for (unsigned shift = 0; shift < 64 && take_byte(trie, &byte); shift += 7) {
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *ret = value;
            return true;
        }
    }
    return false;
}

/* Takes the text of an edge. False when it does not end. *length_ret: 0 unless name begins with it.
 */
static bool take_edge(struct trie *trie, const char *name, size_t *length_ret) {
    bool matches = true;
    uint8_t byte;
    /* Cap: symbol not found, which callers report. */
    for (size_t length = 0; length < LONGEST_EDGE && take_byte(trie, &byte); length++) {
        if (!byte) {
            *length_ret = matches ? length : 0;
            return true;
        }
        /* A NUL in name ends the comparison, too. */
        matches = matches && (uint8_t)name[length] == byte;
    }
    return false;
}

/* Follows the edge along *name; both move on. False: there is none. */
static bool follow_edge(struct trie *trie, const char **name) {
    uint8_t children;
    if (!take_byte(trie, &children))
        return false;
    for (unsigned i = 0; i < children; i++) {
        size_t length;
        uint64_t offset;
        if (!take_edge(trie, *name, &length) || !take_uleb(trie, &offset) || offset >= trie->size)
            return false;
        if (length) {
            *name += length;
            trie->at = offset;
            return true;
        }
    }
    return false;
}

/* Each edge takes at least one character of the name, so the walk ends. */
bool loupe_export_trie_find(struct loupe_memory *memory, struct loupe_range range, const char *name,
                            uint64_t *offset_ret) {
    struct trie trie = {
        .memory = memory, .start = range.start, .size = range.end - range.start, .at = 0};
    for (;;) {
        uint64_t size, flags;
        if (!take_uleb(&trie, &size) || size > trie.size - trie.at)
            return false;
        if (!*name)
            return size && take_uleb(&trie, &flags) &&
                   (flags & EXPORT_SYMBOL_FLAGS_KIND_MASK) == EXPORT_SYMBOL_FLAGS_KIND_REGULAR &&
                   !(flags & EXPORT_SYMBOL_FLAGS_REEXPORT) && take_uleb(&trie, offset_ret);
        trie.at += size;
        if (!follow_edge(&trie, &name))
            return false;
    }
}
