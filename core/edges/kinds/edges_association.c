/* What objects hold by objc_setAssociatedObject(). */
#include "edges/edges.h"

static bool applies(struct loupe_walk *walk, const struct loupe_class *cls) {
    const struct loupe_abi *abi = walk->target->abi;
    (void)cls;
    return abi->next_association && abi->has_associations(walk->target);
}

/*
 * Most objects of a class have the same isa, and some runtimes have to look at the class that it
 * leads to, which is far from the objects.
 */
bool loupe_walk_is_bare(const struct loupe_walk *walk, struct loupe_walk_class *known,
                        uint64_t isa) {
    const struct loupe_target *target = walk->target;
    if (isa == known->bare_isa)
        return true;
    if (target->abi->may_have_associations(target, isa))
        return false;
    known->bare_isa = isa;
    return true;
}

/* What is assigned may be a number. */
static enum loupe_status add_nonowning(struct loupe_walk *walk,
                                       const struct loupe_association *association,
                                       uint32_t offset) {
    struct loupe_edge slot = {
        .offset = offset, .kind = LOUPE_EDGE_ASSOCIATION, .ownership = LOUPE_NONOWNING_UNRETAINED};
    bool is_address = association->value % walk->target->memory->machine.pointer_size == 0;
    return walk->explains && is_address
               ? loupe_walk_add_nonowning(walk, association->value, association->slot, &slot)
               : LOUPE_OK;
}

/* The offset of an edge is the cursor that finds the association again. */
static enum loupe_status emit(struct loupe_walk *walk, loupe_addr address,
                              const struct loupe_class *cls) {
    struct loupe_target *target = walk->target;
    struct loupe_object object = {.address = address, .cls = cls};
    struct loupe_association association;
    enum loupe_status status = loupe_memory_read_word(target->memory, address, &object.isa);
    if (status || loupe_walk_is_bare(walk, loupe_walk_class(walk, cls), object.isa))
        return status == LOUPE_EFAULT ? LOUPE_OK : status;
    for (uint64_t cursor = 0, at = 0;
         !status && target->abi->next_association(target, &object, &cursor, &association);
         at = cursor) {
        if (!association.owned) {
            status = add_nonowning(walk, &association, (uint32_t)at);
            continue;
        }
        struct loupe_reference reference = {.word = association.value,
                                            .slot = association.slot,
                                            .offset = (uint32_t)at,
                                            .kind = LOUPE_EDGE_ASSOCIATION,
                                            .ownership = LOUPE_STRONG};
        status = loupe_walk_add(walk, &reference);
    }
    return status;
}

/* ---- Keys: the symbol of a static variable, or a string literal or selector ---- */

enum { MAX_KEY_TEXT = 64 };

static bool is_printable(const char *text) {
    for (; *text; text++) {
        if (*text < 0x20 || *text > 0x7e)
            return false;
    }
    return true;
}

static void name_key(struct loupe_walk *walk, uint64_t key, struct loupe_edge_label *ret) {
    struct loupe_memory *memory = walk->target->memory;
    char text[MAX_KEY_TEXT];
    uint64_t offset;
    size_t length;
    if (loupe_memory_name_address(memory, key, ret->name, sizeof(ret->name), &offset)) {
        size_t used = strlen(ret->name);
        if (offset)
            loupe_format(ret->name + used, sizeof(ret->name) - used, "+0x%llx",
                         (unsigned long long)offset);
    } else if (!loupe_memory_read_string(memory, key, text, sizeof(text), &length) && length > 1 &&
               is_printable(text)) {
        loupe_quote(ret->name, sizeof(ret->name), text);
    }
}

static void label(struct loupe_walk *walk, loupe_addr from, const struct loupe_class *cls,
                  const struct loupe_edge *edge, struct loupe_edge_label *ret) {
    struct loupe_target *target = walk->target;
    struct loupe_object object = {.address = from, .cls = cls};
    struct loupe_association association;
    uint64_t cursor = edge->offset;
    if (loupe_memory_read_word(target->memory, from, &object.isa) ||
        !target->abi->next_association(target, &object, &cursor, &association))
        return;
    ret->slot = association.slot;
    name_key(walk, association.key, ret);
    loupe_format(ret->path, sizeof(ret->path), "[%s]", ret->name[0] ? ret->name : "key");
}

const struct loupe_edge_source loupe_edges_association = {
    .applies = applies,
    .kinds = 1 << LOUPE_NODE_OBJECT | 1 << LOUPE_NODE_BLOCK | 1 << LOUPE_NODE_CLASS,
    .emit = emit,
    .label = label};
