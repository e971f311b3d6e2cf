/* Names from debug information, by node, link and root. */
#include "snapshot/values/native_names.h"

/* Closures of Swift are no blocks, and have a function too; of a class of C++ the place is an
 * offset. */
bool loupe_native_class_has_function(const struct loupe_snapshot *snapshot, uint32_t class_number) {
    uint32_t kind = snapshot->class_table[class_number].kind;
    uint64_t place = snapshot->native ? snapshot->native->class_places[class_number] : 0;
    return (kind == LOUPE_CLASS_BLOCKS && place) ||
           (kind == LOUPE_CLASS_RAW && place >= LOUPE_PAGE_SIZE);
}

const char *loupe_native_class_capture(const struct loupe_snapshot *snapshot, uint32_t class_number,
                                       uint32_t offset) {
    const struct loupe_debug_name *found = loupe_debug_name(
        &snapshot->names, LOUPE_NAME_CAPTURE, snapshot->native->class_places[class_number], offset);
    return found ? loupe_debug_text(&snapshot->names, found->name) : NULL;
}

const char *loupe_native_capture_name(const struct loupe_snapshot *snapshot, uint32_t node,
                                      uint32_t link) {
    const struct loupe_native_heap *native = snapshot->native;
    if (!snapshot->names.count || !native)
        return NULL;
    if (snapshot->class_table[snapshot->classes[node]].kind == LOUPE_CLASS_RAW &&
        !loupe_native_class_has_function(snapshot, snapshot->classes[node]))
        return loupe_debug_member(&snapshot->names,
                                  loupe_snapshot_class_name(snapshot, snapshot->classes[node]),
                                  native->slots[link]);
    if (native->labels[link] == LOUPE_NONE ||
        native->label_table[native->labels[link]].kind != LOUPE_EDGE_CAPTURE)
        return NULL;
    return loupe_native_class_capture(snapshot, snapshot->classes[node], native->slots[link]);
}

bool loupe_native_class_written(const struct loupe_snapshot *snapshot, uint32_t class_number,
                                struct loupe_written *ret) {
    if (!loupe_native_class_has_function(snapshot, class_number))
        return false;
    const struct loupe_debug_name *found = loupe_debug_name(
        &snapshot->names, LOUPE_NAME_BLOCK, snapshot->native->class_places[class_number], 0);
    if (!found)
        return false;
    *ret = (struct loupe_written){.function = loupe_debug_text(&snapshot->names, found->name),
                                  .file = loupe_debug_text(&snapshot->names, found->where),
                                  .line = found->number};
    return true;
}

bool loupe_native_written(const struct loupe_snapshot *snapshot, uint32_t node,
                          struct loupe_written *ret) {
    return loupe_native_class_written(snapshot, snapshot->classes[node], ret) && *ret->file;
}

static bool find_declaration(const struct loupe_snapshot *snapshot, struct loupe_span class_name,
                             struct loupe_span ivar, struct loupe_written *ret) {
    const struct loupe_debug_name *found = loupe_debug_ivar(&snapshot->names, class_name, ivar);
    if (!found)
        return false;
    *ret = (struct loupe_written){.function = "",
                                  .file = loupe_debug_text(&snapshot->names, found->where),
                                  .line = found->number};
    return true;
}

bool loupe_native_declared(const struct loupe_snapshot *snapshot, const struct loupe_label *label,
                           struct loupe_written *ret) {
    return label->kind == LOUPE_EDGE_IVAR &&
           find_declaration(snapshot, loupe_snapshot_string(snapshot, label->declared_by),
                            loupe_snapshot_string(snapshot, label->name), ret);
}

struct loupe_span loupe_ivar_of_field(struct loupe_span name) {
    size_t length = 0;
    while (length < name.length && name.bytes[length] != '.' && name.bytes[length] != '[')
        length++;
    return (struct loupe_span){name.bytes, length};
}

bool loupe_native_field_declared(const struct loupe_snapshot *snapshot,
                                 const struct loupe_field *field, struct loupe_written *ret) {
    return find_declaration(snapshot, loupe_snapshot_class_name(snapshot, field->declared_by),
                            loupe_ivar_of_field(field->name), ret);
}

static const struct loupe_pointer_ivar *pointer_of_class(const struct loupe_native_heap *native,
                                                         uint32_t class_number, uint32_t offset) {
    uint32_t low = 0, high = native->pointer_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (native->pointers[middle].class_number < class_number)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < native->pointer_count && native->pointers[low].class_number == class_number;
         low++) {
        if (native->pointers[low].offset == offset)
            return &native->pointers[low];
    }
    return NULL;
}

/* A word that nothing describes, or a shared_ptr, which is an ivar's first pointer. */
static bool may_be_pointer(const struct loupe_native_heap *native, uint32_t link) {
    return native->labels[link] == LOUPE_NONE ||
           native->label_table[native->labels[link]].kind == LOUPE_EDGE_SHARED_PTR;
}

const struct loupe_pointer_ivar *loupe_native_pointer(const struct loupe_snapshot *snapshot,
                                                      uint32_t node, uint32_t link) {
    const struct loupe_native_heap *native = snapshot->native;
    uint32_t class_number = snapshot->classes[node];
    if (!native || !native->pointer_count || !may_be_pointer(native, link))
        return NULL;
    /* Cap: a class that inherits from itself: an ivar goes by its offset. */
    for (unsigned level = 0;
         level < LOUPE_MOST_SUPERCLASSES && class_number < snapshot->class_count; level++) {
        const struct loupe_pointer_ivar *found =
            pointer_of_class(native, class_number, native->slots[link]);
        if (found)
            return found;
        class_number = snapshot->class_table[class_number].superclass;
    }
    return NULL;
}

bool loupe_native_root_name(const struct loupe_snapshot *snapshot, uint32_t root,
                            const char **name_ret, const char **where_ret) {
    uint64_t slot = snapshot->native ? snapshot->native->root_places[root].slot : 0;
    const struct loupe_debug_name *found =
        slot ? loupe_debug_name(&snapshot->names, LOUPE_NAME_PLACE, slot, 0) : NULL;
    if (!found)
        return false;
    *name_ret = loupe_debug_text(&snapshot->names, found->name);
    *where_ret = loupe_debug_text(&snapshot->names, found->where);
    return true;
}

bool loupe_native_thread_number(const struct loupe_snapshot *snapshot, uint32_t thread,
                                uint32_t *ret) {
    const struct loupe_debug_name *found =
        loupe_debug_name(&snapshot->names, LOUPE_NAME_THREAD, snapshot->threads[thread].serial, 0);
    if (found)
        *ret = found->number;
    return found;
}
