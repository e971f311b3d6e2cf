#include "edges/kinds/edges_ivar.h"

static bool applies(struct loupe_walk *walk, const struct loupe_class *cls) {
    (void)walk;
    return cls->kind == LOUPE_INSTANCE_OBJECT;
}

static enum loupe_status emit(struct loupe_walk *walk, loupe_addr address,
                              const struct loupe_class *cls) {
    struct loupe_walk_class *known = loupe_walk_class(walk, cls);
    if (!known->shape) {
        enum loupe_status status = loupe_ivar_shape(walk, cls, &known->shape);
        if (status)
            return status;
    }
    return loupe_shape_follow(walk, known->shape, address);
}

/* Whether clang made no code that destroys ivars, of any class above: then this is not ARC's, which
 * has it for an object in a struct. */
static bool is_destroyed_by_hand(struct loupe_target *target, const struct loupe_class *cls) {
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level;
    while (target->abi->ivar_destructor && (level = loupe_class_chain_next(target, &chain))) {
        if (target->abi->ivar_destructor(target, level))
            return false;
    }
    return target->abi->ivar_destructor && !chain.broken;
}

static void label(struct loupe_walk *walk, loupe_addr from, const struct loupe_class *cls,
                  const struct loupe_edge *edge, struct loupe_edge_label *ret) {
    ret->declared_by = loupe_ivar_name_at(walk->target, cls, edge->offset, ret->name, ret->path);
    ret->manual = edge->detail == LOUPE_SLOT_MANUAL || edge->detail == LOUPE_SLOT_MANUAL_RETAINED ||
                  edge->detail == LOUPE_SLOT_MANUAL_COPIED ||
                  (edge->detail == LOUPE_SLOT_MEMBER && is_destroyed_by_hand(walk->target, cls));
    ret->has_offset = true;
    ret->offset = edge->offset;
    ret->slot = from + edge->offset;
}

static const char *assumption(const struct loupe_edge *edge) {
    switch ((enum loupe_slot_reason)edge->detail) {
    case LOUPE_SLOT_MANUAL:
        return "manual retain/release: the ivar may be owned";
    case LOUPE_SLOT_MANUAL_RETAINED:
        return "manual retain/release: its property retains";
    case LOUPE_SLOT_MANUAL_COPIED:
        return "manual retain/release: its property copies";
    case LOUPE_SLOT_MEMBER:
        return "a member of a struct, of which the runtime keeps no ownership";
    case LOUPE_SLOT_CXX:
        return "a member of a C++ object that the layout does not describe";
    case LOUPE_SLOT_STRONG:
    case LOUPE_SLOT_WEAK:
    case LOUPE_SLOT_ASSIGNED:
    case LOUPE_SLOT_UNRETAINED:
    case LOUPE_SLOT_NOT_KEPT:
        break;
    }
    return NULL;
}

const struct loupe_edge_source loupe_edges_ivar = {.applies = applies,
                                                   .kinds = 1 << LOUPE_NODE_OBJECT,
                                                   .emit = emit,
                                                   .label = label,
                                                   .assumption = assumption};
