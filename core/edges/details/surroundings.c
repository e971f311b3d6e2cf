#include "edges/details/surroundings.h"

#include "blocks/block.h"
#include "edges/kinds/edges_ivar.h"

/* How many bytes belong to it; 0 for what is no place to be in. */
static uint32_t extent_of(struct loupe_target *target, const struct loupe_object *object) {
    struct loupe_block block;
    switch (loupe_object_kind(object)) {
    case LOUPE_NODE_OBJECT:
        return object->cls->instance_size;
    case LOUPE_NODE_BLOCK:
        return loupe_block_read(target->memory, object->address, target->abi->block_traits(target),
                                &block, NULL)
                   ? 0
                   : block.size;
    default:
        return 0;
    }
}

static void name_place(struct loupe_target *target, struct loupe_surroundings *around) {
    char name[LOUPE_MAX_PATH];
    if (loupe_object_kind(&around->object) == LOUPE_NODE_OBJECT)
        loupe_ivar_name_at(target, around->object.cls, around->offset, name, around->path);
    else
        loupe_format(around->path, LOUPE_MAX_PATH, "+0x%x", around->offset);
}

bool loupe_surroundings_find(struct loupe_target *target, loupe_addr address,
                             struct loupe_surroundings *ret) {
    uint8_t word_size = target->memory->machine.pointer_size;
    loupe_addr last = address - address % word_size;
    bool found = false;
    /* Cap: the error says isa, as without it. */
    for (uint32_t back = 0; back <= LOUPE_LARGEST_SURROUNDING && back <= last; back += word_size) {
        struct loupe_object object;
        loupe_addr start = last - back;
        enum loupe_status status = loupe_object_at(target, start, &object, NULL);
        if (status == LOUPE_EFAULT && !loupe_memory_read_word(target->memory, start, &object.isa))
            continue; /* it is the isa that leads nowhere */
        if (status && status != LOUPE_ENOTOBJECT)
            break;
        if (status || extent_of(target, &object) <= address - start)
            continue;
        ret->object = object;
        ret->offset = (uint32_t)(address - start);
        found = true;
    }
    if (found)
        name_place(target, ret);
    return found;
}
