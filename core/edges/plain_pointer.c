#include "edges/plain_pointer.h"

#include "runtime/zones/room.h"
#include "types/encoding.h"

enum {
    MAX_LEAVES = 1 << 10,     /* of one ivar */
    WORDS_LOOKED_AT = 1 << 10 /* of the memory behind one pointer */
};

/* ---- Which pointers ---- */

static struct loupe_span without_qualifiers(struct loupe_span type) {
    while (type.length && memchr("rnNoORVAj", type.bytes[0], 9)) {
        type.bytes++;
        type.length--;
    }
    return type;
}

/* What the type of a pointer points to; empty where that can hold no object of anybody's. */
static struct loupe_span pointee_of(struct loupe_span type) {
    static const char *const none[] = {"{objc_class", "{objc_selector", "{objc_method",
                                       "{objc_ivar", "{_NSZone"};
    struct loupe_span pointee = without_qualifiers(type);
    if (!pointee.length || *pointee.bytes != '^')
        return (struct loupe_span){.bytes = type.bytes};
    pointee.bytes++;
    pointee.length--;
    pointee = without_qualifiers(pointee);
    if (!pointee.length || !memchr("@{([^v", pointee.bytes[0], 6))
        return (struct loupe_span){.bytes = type.bytes};
    for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        if (loupe_span_starts_with(pointee, none[i]))
            return (struct loupe_span){.bytes = type.bytes};
    }
    return pointee;
}

/* A member for each of the findings that there can be. */
static enum loupe_status add(struct loupe_unread *unread, struct loupe_unread_member member,
                             bool may_be_unretained) {
    member.is_pointer = true;
    member.reason = LOUPE_FINDING_POINTER_TO_MEMORY;
    enum loupe_status status = loupe_unread_add(unread, &member);
    member.reason = LOUPE_FINDING_POINTER_TO_OBJECT;
    return status || may_be_unretained ? status : loupe_unread_add(unread, &member);
}

static enum loupe_status add_leaf(struct loupe_walk *walk, const struct loupe_class *cls,
                                  const struct loupe_ivar *ivar, const struct loupe_leaf *leaf) {
    const struct loupe_target *target = walk->target;
    struct loupe_encoding_rules rules = loupe_encoding_rules_of(target->memory->machine);
    struct loupe_span pointee = pointee_of(leaf->type), path = loupe_span_of(leaf->path);
    struct loupe_type type = {.size = 0};
    if (!pointee.length)
        return LOUPE_OK;
    if (loupe_type_parse(pointee, &rules, &type, NULL) || type.trust == LOUPE_TRUST_UNKNOWN ||
        type.size > UINT32_MAX)
        type.size = 0;
    const char *name = loupe_arena_copy_string(&walk->target->arena, path);
    if (!name)
        return LOUPE_ENOMEM;
    return add(&walk->unread,
               (struct loupe_unread_member){.kind = LOUPE_NODE_OBJECT,
                                            .class_name = cls->name,
                                            .name = loupe_span_of(name),
                                            .offset = ivar->offset + (uint32_t)leaf->offset,
                                            .size = target->memory->machine.pointer_size,
                                            .mode = loupe_class_mode(cls),
                                            .pointed_size = (uint32_t)type.size},
               false);
}

/* A union may have both: then nothing tells which of them stands there, and the other one counts.
 */
static bool is_object_too(const struct loupe_encoding *encoding, const struct loupe_leaf *leaf) {
    char path[LOUPE_ENCODING_PATH_SIZE];
    struct loupe_leaf other;
    return loupe_encoding_path_at(encoding, loupe_span_of(""), leaf->offset, path, sizeof(path),
                                  &other) &&
           (other.kind == LOUPE_TYPE_OBJECT || other.kind == LOUPE_TYPE_BLOCK);
}

enum loupe_status loupe_pointers_of_ivar(struct loupe_walk *walk, const struct loupe_class *cls,
                                         const struct loupe_ivar *ivar) {
    struct loupe_encoding_rules rules = loupe_encoding_rules_of(walk->target->memory->machine);
    struct loupe_encoding encoding;
    struct loupe_encoding_cursor cursor;
    struct loupe_leaf leaf;
    enum loupe_status status = LOUPE_OK;
    if (!memchr(ivar->type, '^', strlen(ivar->type)) ||
        loupe_encoding_init(&encoding, loupe_span_of(ivar->type), &rules, ivar->size) ||
        !encoding.fits)
        return LOUPE_OK;
    loupe_encoding_begin(&cursor, &encoding, loupe_span_of(ivar->name), MAX_LEAVES);
    while (!status && loupe_encoding_next(&cursor, &leaf)) {
        if (leaf.kind == LOUPE_TYPE_POINTER && leaf.trust != LOUPE_TRUST_UNKNOWN &&
            !is_object_too(&encoding, &leaf))
            status = add_leaf(walk, cls, ivar, &leaf);
    }
    return status;
}

/*
 * Only the extended layout tells what is no object from one that is not retained; without it a word
 * that leads to an object is most likely the latter, which owns nothing.
 */
enum loupe_status loupe_pointers_of_capture(struct loupe_unread *unread,
                                            const struct loupe_capture *capture,
                                            uint8_t pointer_size, enum loupe_memory_mode mode) {
    enum loupe_status status = LOUPE_OK;
    bool may_be_unretained =
        !(capture->evidence & LOUPE_EVIDENCE_LAYOUT) || (capture->evidence & LOUPE_EVIDENCE_FLAGS);
    uint32_t end = capture->offset + capture->size;
    uint32_t offset =
        capture->offset + (pointer_size - capture->offset % pointer_size) % pointer_size;
    if (capture->kind != LOUPE_CAPTURE_DATA)
        return LOUPE_OK;
    for (; offset + pointer_size <= end && !status; offset += pointer_size)
        status =
            add(unread,
                (struct loupe_unread_member){
                    .kind = LOUPE_NODE_BLOCK, .offset = offset, .size = pointer_size, .mode = mode},
                may_be_unretained);
    return status;
}

/* ---- What is behind one ---- */

static bool may_be_object(const struct loupe_target *target, uint64_t word) {
    return word >= LOUPE_PAGE_SIZE && word % target->memory->machine.pointer_size == 0 &&
           !loupe_is_tagged(target, word);
}

/* False for classes, which nobody owns. */
static bool is_object(struct loupe_target *target, uint64_t word, bool *is_class_ret) {
    struct loupe_object object;
    if (!may_be_object(target, word) ||
        loupe_object_at(target, loupe_address_of_word(target, word), &object, NULL))
        return false;
    *is_class_ret = loupe_object_kind(&object) == LOUPE_NODE_CLASS;
    return !*is_class_ret;
}

/* Objects anywhere in the memory. What is too large for a look is taken to have some. */
static bool has_objects(struct loupe_walk *walk, loupe_addr memory, uint64_t size) {
    uint8_t pointer_size = walk->target->memory->machine.pointer_size;
    for (uint64_t at = 0; at + pointer_size <= size; at += pointer_size) {
        uint64_t word;
        bool is_class;
        if (at / pointer_size == WORDS_LOOKED_AT || !walk->pointed_words_left)
            return true;
        walk->pointed_words_left--;
        if (loupe_memory_read_word(walk->target->memory, memory + at, &word))
            return false;
        if (is_object(walk->target, word, &is_class))
            return true;
    }
    return false;
}

/* By malloc() where that is known, else by the type. */
static uint64_t size_of_memory(struct loupe_walk *walk, const struct loupe_unread_member *pointer,
                               uint64_t word) {
    uint64_t room = loupe_room_at(walk->target, word);
    return room ? room : pointer->pointed_size;
}

bool loupe_pointer_hides(struct loupe_walk *walk, const struct loupe_unread_member *pointer,
                         loupe_addr object) {
    struct loupe_target *target = walk->target;
    uint64_t word;
    bool is_class = false;
    if (loupe_memory_read_word(target->memory, object + pointer->offset, &word) ||
        !may_be_object(target, word))
        return false;
    if (is_object(target, word, &is_class))
        return pointer->reason == LOUPE_FINDING_POINTER_TO_OBJECT;
    return !is_class && pointer->reason == LOUPE_FINDING_POINTER_TO_MEMORY &&
           has_objects(walk, word, size_of_memory(walk, pointer, word));
}
