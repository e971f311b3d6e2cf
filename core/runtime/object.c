#include "runtime/object.h"

#include "runtime/freed.h"

/* The isa leads to no class: because of what was done to the memory, or nobody knows why. */
static enum loupe_status refuse(struct loupe_target *target, loupe_addr address, uint64_t isa,
                                const struct loupe_error *why, enum loupe_status status,
                                struct loupe_error *err) {
    unsigned long long shown = address;
    struct loupe_freed freed;
    if (status == LOUPE_ENOTOBJECT && err && loupe_freed_at(target, address, &freed))
        return loupe_freed_refuse(&freed, address, err);
    loupe_fail(err, status, address, "0x%llx is not an object: isa 0x%llx: %s", shown,
               (unsigned long long)isa, err ? why->message : "");
    return loupe_detail(err, err ? why->detail : LOUPE_DETAIL_NONE, status);
}

enum loupe_status loupe_object_at(struct loupe_target *target, loupe_addr address,
                                  struct loupe_object *ret, struct loupe_error *err) {
    unsigned long long shown = address;
    uint8_t pointer_size = target->memory->machine.pointer_size;
    uint64_t isa;
    if (!address)
        return loupe_detail(err, LOUPE_DETAIL_NIL,
                            loupe_fail(err, LOUPE_EUSAGE, 0, "nil has no references"));
    if (loupe_is_tagged(target, address))
        return loupe_detail(err, LOUPE_DETAIL_TAGGED_POINTER,
                            loupe_fail(err, LOUPE_ENOTOBJECT, address,
                                       "0x%llx is not an object in memory: it is a tagged pointer",
                                       shown));
    if (address % pointer_size)
        return loupe_detail(err, LOUPE_DETAIL_UNALIGNED,
                            loupe_fail(err, LOUPE_ENOTOBJECT, address,
                                       "0x%llx is not an object: it is not aligned to %u bytes",
                                       shown, (unsigned)pointer_size));
    enum loupe_status status = loupe_memory_read_word(target->memory, address, &isa);
    if (status && loupe_memory_is_left_out(target->memory, address))
        return loupe_detail(err, LOUPE_DETAIL_UNUSED_STACK,
                            loupe_fail(err, status, address,
                                       "0x%llx is below the stack pointer, where nothing lives",
                                       shown));
    if (status)
        return loupe_fail(err, status, address, "0x%llx cannot be read", shown);
    loupe_addr cls_address = target->abi->class_of_isa(target, isa);
    const struct loupe_class *cls;
    struct loupe_error why;
    status = loupe_class_at(target, cls_address, &cls, err ? &why : NULL);
    if (status)
        return refuse(target, address, isa, &why, status, err);
    *ret = (struct loupe_object){.address = address, .isa = isa, .cls = cls};
    return LOUPE_OK;
}

enum loupe_node_kind loupe_object_kind(const struct loupe_object *object) {
    switch ((enum loupe_instance_kind)object->cls->kind) {
    case LOUPE_INSTANCE_BLOCK:
        return LOUPE_NODE_BLOCK;
    case LOUPE_INSTANCE_CLASS:
        return LOUPE_NODE_CLASS;
    case LOUPE_INSTANCE_OBJECT:
        break;
    }
    return LOUPE_NODE_OBJECT;
}

enum loupe_status loupe_object_meant_class(struct loupe_target *target,
                                           const struct loupe_object *object,
                                           const struct loupe_class **ret,
                                           struct loupe_error *err) {
    if (object->cls->kind == LOUPE_INSTANCE_CLASS)
        return loupe_class_at(target, object->address, ret, err);
    *ret = object->cls;
    return LOUPE_OK;
}
