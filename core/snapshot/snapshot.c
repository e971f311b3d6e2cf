#include "snapshot/snapshot.h"

#include "snapshot/id_index.h"
#include "snapshot/native.h"

#include <string.h>

/* ---- Words ---- */

static const struct {
    const char *text;
    bool is_loss, is_address;
} notes[LOUPE_NOTE_COUNT] = {
    [LOUPE_NOTE_CUT_OFF] = {"record that the end of the file cuts off", true, false},
    [LOUPE_NOTE_UNKNOWN_RECORD] = {"record of an unknown kind", true, false},
    [LOUPE_NOTE_BAD_RECORD] = {"record whose length contradicts its contents", true, false},
    [LOUPE_NOTE_UNKNOWN_OBJECT] = {"heap segment left at a record of an unknown kind", true, false},
    [LOUPE_NOTE_BAD_OBJECT] = {"heap segment left at a record that does not end in it", true,
                               false},
    [LOUPE_NOTE_TWICE] = {"object that is there already", true, true},
    [LOUPE_NOTE_NO_CLASS] = {"instance of a class that is not described", true, true},
    [LOUPE_NOTE_SHORT_INSTANCE] = {"instance with fewer bytes than its class has fields", true,
                                   true},
    [LOUPE_NOTE_MANY_FIELDS] = {"class whose fields are too many to look at", true, true},
    [LOUPE_NOTE_NO_ROOTS] = {"dump without roots: its classes were taken for roots", true, false},
    [LOUPE_NOTE_LIMIT] = {"objects beyond the limit", true, true},
    [LOUPE_NOTE_NO_DATA] = {"array whose elements the dump leaves out", false, true},
    [LOUPE_NOTE_ABSENT_REFERENCE] = {"reference to an object that is not in the dump", false, true},
    [LOUPE_NOTE_ABSENT_ROOT] = {"root that is not in the dump", false, true},
    [LOUPE_NOTE_OTHER_DUMP] = {"other dump in the same file", false, false},
    [LOUPE_NOTE_PACKED] = {"packed data that are damaged, or end too early", true, false},
    [LOUPE_NOTE_NO_OWN_PART] = {"Objective-C heap of which only what Java knows can be read", true,
                                false},
};

const char *loupe_snapshot_note_text(enum loupe_snapshot_note note) {
    return (unsigned)note < LOUPE_NOTE_COUNT ? notes[note].text : "unknown reason";
}

bool loupe_snapshot_note_is_loss(enum loupe_snapshot_note note) {
    return (unsigned)note >= LOUPE_NOTE_COUNT || notes[note].is_loss;
}

bool loupe_snapshot_note_is_address(enum loupe_snapshot_note note) {
    return (unsigned)note < LOUPE_NOTE_COUNT && notes[note].is_address;
}

const char *loupe_class_kind_name(enum loupe_class_kind kind) {
    static const char *const names[LOUPE_CLASS_KIND_COUNT] = {
        [LOUPE_CLASS_INSTANCES] = "objects",
        [LOUPE_CLASS_OBJECT_ARRAYS] = "arrays",
        [LOUPE_CLASS_PRIMITIVE_ARRAYS] = "arrays of values",
        [LOUPE_CLASS_BLOCKS] = "blocks",
        [LOUPE_CLASS_BYREFS] = "byrefs",
        [LOUPE_CLASS_RAW] = "raw memory",
        [LOUPE_CLASS_STORAGE] = "storage",
        [LOUPE_CLASS_RUNTIME] = "runtime",
    };
    return names[kind];
}

const char *loupe_snapshot_root_kind_name(enum loupe_root_kind kind) {
    static const char *const names[LOUPE_ROOT_KIND_COUNT] = {
        [LOUPE_ROOT_UNKNOWN] = "unknown root",
        [LOUPE_ROOT_JNI_GLOBAL] = "JNI global",
        [LOUPE_ROOT_JNI_LOCAL] = "JNI local",
        [LOUPE_ROOT_JAVA_FRAME] = "local variable",
        [LOUPE_ROOT_NATIVE_STACK] = "native stack",
        [LOUPE_ROOT_STICKY_CLASS] = "system class",
        [LOUPE_ROOT_THREAD_BLOCK] = "thread block",
        [LOUPE_ROOT_MONITOR] = "monitor",
        [LOUPE_ROOT_THREAD] = "thread",
        [LOUPE_ROOT_INTERNED_STRING] = "interned string",
        [LOUPE_ROOT_FINALIZING] = "waits for its finalizer",
        [LOUPE_ROOT_DEBUGGER] = "debugger",
        [LOUPE_ROOT_REFERENCE_CLEANUP] = "reference cleanup",
        [LOUPE_ROOT_VM_INTERNAL] = "inside the virtual machine",
        [LOUPE_ROOT_JNI_MONITOR] = "JNI monitor",
        [LOUPE_ROOT_CLASS_FOR_WANT] = "class, for want of roots",
        [LOUPE_ROOT_GLOBAL] = "global",
        [LOUPE_ROOT_THREAD_LOCAL] = "thread-local",
        [LOUPE_ROOT_POOL] = "autorelease pool",
        [LOUPE_ROOT_STACK] = "stack",
        [LOUPE_ROOT_REGISTER] = "register",
        [LOUPE_ROOT_OTHER_MEMORY] = "other memory",
        [LOUPE_ROOT_GIVEN] = "given",
        [LOUPE_ROOT_KERNEL] = "kernel",
    };
    return (unsigned)kind < LOUPE_ROOT_KIND_COUNT ? names[kind] : names[LOUPE_ROOT_UNKNOWN];
}

/* ---- The value ---- */

void loupe_snapshot_deinit(struct loupe_snapshot *snapshot) {
    if (snapshot->ops && snapshot->ops->deinit)
        snapshot->ops->deinit(snapshot->ctx);
    *snapshot = (struct loupe_snapshot){0};
}

bool loupe_snapshot_is_incomplete(const struct loupe_snapshot *snapshot) {
    for (unsigned i = 0; i < LOUPE_NOTE_COUNT; i++) {
        if (notes[i].is_loss && snapshot->notes[i].count)
            return true;
    }
    for (uint32_t i = 0; snapshot->native && i < snapshot->native->note_count; i++) {
        if (snapshot->native->notes[i].is_loss)
            return true;
    }
    return false;
}

bool loupe_snapshot_find(const struct loupe_snapshot *snapshot, loupe_addr address, uint32_t *ret) {
    uint32_t low = 0, high = snapshot->columns.nodes;
    if (!snapshot->by_address)
        return snapshot->ops->find(snapshot->ctx, address, ret);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (loupe_snapshot_address(snapshot, snapshot->by_address[middle]) < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == snapshot->columns.nodes ||
        loupe_snapshot_address(snapshot, snapshot->by_address[low]) != address)
        return false;
    *ret = snapshot->by_address[low];
    return true;
}

bool loupe_snapshot_find_around(const struct loupe_snapshot *snapshot, loupe_addr address,
                                uint32_t *ret) {
    uint64_t nearest = UINT64_MAX;
    for (uint32_t node = 0; snapshot->native && node < snapshot->columns.nodes; node++) {
        uint64_t offset = address - loupe_snapshot_address(snapshot, node);
        if (offset >= loupe_columns_size(&snapshot->columns, node) || offset >= nearest)
            continue;
        nearest = offset;
        *ret = node;
    }
    return nearest != UINT64_MAX;
}

void loupe_snapshot_sort(const struct loupe_snapshot *snapshot, uint32_t *nodes) {
    if (snapshot->by_address)
        memcpy(nodes, snapshot->by_address, snapshot->columns.nodes * sizeof(*nodes));
    else
        snapshot->ops->sort(snapshot->ctx, nodes);
}

struct loupe_span loupe_snapshot_string(const struct loupe_snapshot *snapshot, uint32_t string) {
    if (string >= snapshot->string_count)
        return (struct loupe_span){"", 0};
    const struct loupe_snapshot_string *place = &snapshot->strings[string];
    return (struct loupe_span){snapshot->text + place->offset, place->length};
}

struct loupe_span loupe_snapshot_class_name(const struct loupe_snapshot *snapshot,
                                            uint32_t class_number) {
    if (class_number >= snapshot->class_count)
        return (struct loupe_span){"", 0};
    return loupe_snapshot_string(snapshot, snapshot->class_table[class_number].name);
}

uint32_t loupe_snapshot_heap_of(const struct loupe_snapshot *snapshot, uint32_t node) {
    uint32_t low = 0, high = snapshot->heap_range_count; /* the ranges up to low begin before it */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (snapshot->heap_ranges[middle].first <= node)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? snapshot->heap_ranges[low - 1].heap : LOUPE_NONE;
}

struct loupe_span loupe_snapshot_heap_name(const struct loupe_snapshot *snapshot, uint32_t node) {
    uint32_t heap = loupe_snapshot_heap_of(snapshot, node);
    return loupe_snapshot_string(snapshot, heap < snapshot->heap_count ? snapshot->heaps[heap].name
                                                                       : LOUPE_NONE);
}

const struct loupe_snapshot_frame *loupe_snapshot_root_frame(const struct loupe_snapshot *snapshot,
                                                             uint32_t root) {
    const struct loupe_snapshot_root *of = &snapshot->roots[root];
    if (of->thread >= snapshot->thread_count)
        return NULL;
    const struct loupe_snapshot_thread *thread = &snapshot->threads[of->thread];
    return of->frame < thread->frame_count ? &snapshot->frames[thread->first_frame + of->frame]
                                           : NULL;
}

enum loupe_status loupe_snapshot_order_classes(const struct loupe_snapshot *snapshot,
                                               const struct loupe_chunk_ops *chunks,
                                               uint32_t *order) {
    size_t size = ((size_t)snapshot->class_count + 1) * sizeof(uint64_t);
    uint64_t *nodes = loupe_chunk_get(chunks, size);
    if (!nodes)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < snapshot->class_count; i++) {
        nodes[i] = snapshot->class_table[i].node;
        order[i] = i;
    }
    enum loupe_status status = loupe_sort_by_id(chunks, nodes, order, snapshot->class_count);
    loupe_chunk_put(chunks, nodes, size);
    return status;
}

uint32_t loupe_snapshot_class_at(const struct loupe_snapshot *snapshot, uint32_t node) {
    uint32_t low = 0, high = snapshot->class_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (snapshot->class_table[snapshot->class_order[middle]].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < snapshot->class_count &&
                 snapshot->class_table[snapshot->class_order[low]].node == node;
    return found ? snapshot->class_order[low] : LOUPE_NONE;
}

uint32_t loupe_snapshot_class_placed_at(const struct loupe_snapshot *snapshot, loupe_addr address) {
    for (uint32_t i = 0; snapshot->native && i < snapshot->class_count; i++) {
        if (snapshot->native->class_places[i] == address &&
            snapshot->class_table[i].kind == LOUPE_CLASS_INSTANCES)
            return i;
    }
    return LOUPE_NONE;
}

bool loupe_snapshot_is_kind_of(const struct loupe_snapshot *snapshot, uint32_t class_number,
                               uint32_t ancestor) {
    /* Cap: the note of too many fields. */
    for (uint32_t steps = 0; class_number != LOUPE_NONE && steps < LOUPE_MOST_SUPERCLASSES;
         steps++) {
        if (class_number == ancestor)
            return true;
        class_number = snapshot->class_table[class_number].superclass;
    }
    return false;
}

/* ---- Names of links ---- */

static const char *special_word(uint32_t slot) {
    switch (slot) {
    case LOUPE_SLOT_CLASS:
        return "class";
    case LOUPE_SLOT_SUPERCLASS:
        return "superclass";
    case LOUPE_SLOT_LOADER:
        return "class loader";
    case LOUPE_SLOT_SIGNERS:
        return "signers";
    case LOUPE_SLOT_DOMAIN:
        return "protection domain";
    case LOUPE_SLOT_LOCAL:
        return "local variable";
    default:
        return NULL;
    }
}

/* The reference field of that number among those of an instance. */
static void name_field(const struct loupe_snapshot *snapshot, uint32_t class_number, uint32_t slot,
                       struct loupe_link_name *ret) {
    /* Cap: the note of too many fields. */
    for (uint32_t steps = 0; class_number != LOUPE_NONE && steps < LOUPE_MOST_SUPERCLASSES;
         steps++) {
        const struct loupe_snapshot_class *entry = &snapshot->class_table[class_number];
        for (uint32_t i = 0; i < entry->instance_fields; i++) {
            const struct loupe_snapshot_field *field = &snapshot->fields[entry->first_field + i];
            if (field->type != LOUPE_VALUE_OBJECT || slot-- != 0)
                continue;
            ret->kind = LOUPE_LINK_NAME_FIELD;
            ret->declared_by = class_number;
            ret->name = loupe_snapshot_string(snapshot, field->name);
            return;
        }
        class_number = entry->superclass;
    }
}

static void name_static(const struct loupe_snapshot *snapshot, uint32_t class_number, uint32_t slot,
                        struct loupe_link_name *ret) {
    const struct loupe_snapshot_class *entry = &snapshot->class_table[class_number];
    ret->declared_by = class_number;
    if (slot >= LOUPE_SLOT_CONSTANT) {
        ret->kind = LOUPE_LINK_NAME_CONSTANT;
        ret->index = slot - LOUPE_SLOT_CONSTANT;
    } else if (slot < entry->static_fields) {
        uint32_t field = entry->first_field + entry->instance_fields + slot;
        ret->kind = LOUPE_LINK_NAME_STATIC;
        ret->name = loupe_snapshot_string(snapshot, snapshot->fields[field].name);
    }
}

static void name_slot(const struct loupe_snapshot *snapshot, uint32_t node, uint32_t slot,
                      struct loupe_link_name *ret) {
    uint32_t class_number = snapshot->classes[node];
    uint32_t is = loupe_snapshot_class_at(snapshot, node);
    const char *word = slot >= LOUPE_SLOT_SPECIAL ? special_word(slot) : NULL;
    if (slot == LOUPE_SLOT_UNKNOWN)
        return;
    if (word) {
        ret->kind = LOUPE_LINK_NAME_SPECIAL;
        ret->name = loupe_span_of(word);
    } else if (is != LOUPE_NONE) {
        name_static(snapshot, is, slot, ret);
    } else if (snapshot->class_table[class_number].kind == LOUPE_CLASS_INSTANCES) {
        name_field(snapshot, class_number, slot, ret);
    } else {
        ret->kind = LOUPE_LINK_NAME_ELEMENT;
        ret->index = slot;
    }
}

/* A word that nothing describes has no name. */
static void name_native(const struct loupe_snapshot *snapshot, uint32_t link,
                        struct loupe_link_name *ret) {
    const struct loupe_native_heap *native = snapshot->native;
    if (native->labels[link] == LOUPE_NONE)
        return;
    const struct loupe_label *label = &native->label_table[native->labels[link]];
    bool indexed = label->flags & LOUPE_LABEL_INDEXED;
    ret->kind = indexed ? LOUPE_LINK_NAME_ELEMENT : LOUPE_LINK_NAME_FIELD;
    ret->index = indexed ? native->slots[link] : 0;
    ret->name = loupe_snapshot_string(snapshot, label->path);
}

void loupe_snapshot_name_link(const struct loupe_snapshot *snapshot, uint32_t node, uint32_t link,
                              struct loupe_link_name *ret) {
    uint32_t slot;
    *ret = (struct loupe_link_name){.kind = LOUPE_LINK_NAME_UNKNOWN, .declared_by = LOUPE_NONE};
    if (snapshot->native) {
        name_native(snapshot, link, ret);
        return;
    }
    if (snapshot->ops->slots &&
        snapshot->ops->slots(snapshot->ctx, snapshot, node, link - snapshot->columns.first[node], 1,
                             &slot))
        name_slot(snapshot, node, slot, ret);
}
