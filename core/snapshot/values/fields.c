#include "snapshot/values/fields.h"

#include "snapshot/native.h"
#include "snapshot/values/values.h"

#include <string.h>

struct loupe_field_cursor loupe_fields_begin(const struct loupe_snapshot *snapshot, uint32_t node) {
    struct loupe_field_cursor cursor = {.snapshot = snapshot};
    uint32_t is_class = loupe_snapshot_class_at(snapshot, node);
    cursor.is_static = is_class != LOUPE_NONE;
    cursor.class_number = cursor.is_static ? is_class : snapshot->classes[node];
    uint32_t kind = snapshot->class_table[cursor.class_number].kind;
    if (!cursor.is_static && kind != LOUPE_CLASS_INSTANCES)
        cursor.class_number = LOUPE_NONE;
    else if (!cursor.is_static)
        cursor.has_bytes = loupe_snapshot_contents(snapshot, node, &cursor.bytes, &cursor.length);
    return cursor;
}

/* The class that declares the next field, which has some left; LOUPE_NONE: none does. */
static uint32_t next_level(struct loupe_field_cursor *cursor) {
    while (cursor->class_number != LOUPE_NONE) {
        const struct loupe_snapshot_class *entry =
            &cursor->snapshot->class_table[cursor->class_number];
        if (cursor->index < (cursor->is_static ? entry->static_fields : entry->instance_fields))
            break;
        bool ends = cursor->is_static || ++cursor->steps == LOUPE_MOST_SUPERCLASSES;
        cursor->class_number = ends ? LOUPE_NONE : entry->superclass;
        cursor->index = 0;
    }
    return cursor->class_number;
}

static void take_static(struct loupe_field_cursor *cursor, struct loupe_field *ret) {
    ret->is_static = true;
    ret->is_known = loupe_snapshot_static_value(cursor->snapshot, cursor->class_number,
                                                cursor->index, &ret->value);
}

static void take_value(struct loupe_field_cursor *cursor, struct loupe_field *ret) {
    uint8_t address_size = cursor->snapshot->address_size;
    uint32_t size = loupe_value_size(ret->type, address_size);
    ret->is_known = cursor->has_bytes && size && cursor->offset + size <= cursor->length;
    if (ret->is_known)
        ret->value = loupe_value_decode(ret->type, address_size, cursor->bytes + cursor->offset);
    cursor->offset += size;
}

bool loupe_fields_next(struct loupe_field_cursor *cursor, struct loupe_field *ret) {
    const struct loupe_snapshot *snapshot = cursor->snapshot;
    uint32_t class_number = next_level(cursor);
    if (class_number == LOUPE_NONE)
        return false;
    const struct loupe_snapshot_class *entry = &snapshot->class_table[class_number];
    uint32_t first = entry->first_field + (cursor->is_static ? entry->instance_fields : 0);
    const struct loupe_snapshot_field *field = &snapshot->fields[first + cursor->index];
    *ret = (struct loupe_field){.name = loupe_snapshot_string(snapshot, field->name),
                                .declared_by = class_number,
                                .type = field->type,
                                .number = first + cursor->index};
    if (cursor->is_static)
        take_static(cursor, ret);
    else
        take_value(cursor, ret);
    cursor->index++;
    return true;
}

/* ---- Fields that are references of a native heap ---- */

static const struct loupe_label *label_of(const struct loupe_snapshot *snapshot, uint32_t link) {
    const struct loupe_native_heap *native = snapshot->native;
    return native->labels[link] == LOUPE_NONE ? NULL : &native->label_table[native->labels[link]];
}

static bool is_called(const struct loupe_snapshot *snapshot, const struct loupe_label *label,
                      struct loupe_span name) {
    struct loupe_span path = loupe_snapshot_string(snapshot, label->path);
    return label->kind == LOUPE_EDGE_IVAR && path.length == name.length &&
           memcmp(path.bytes, name.bytes, name.length) == 0;
}

uint32_t loupe_field_link(const struct loupe_snapshot *snapshot, uint32_t node,
                          const struct loupe_field *field) {
    const struct loupe_columns *columns = &snapshot->columns;
    if (!snapshot->native || field->type != LOUPE_VALUE_OBJECT)
        return LOUPE_NO_EDGE;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        const struct loupe_label *label = label_of(snapshot, link);
        if (label && is_called(snapshot, label, field->name))
            return link;
    }
    return LOUPE_NO_EDGE;
}

/* The first entry of a node, or of the next one that has some. */
static uint32_t first_text_of(const struct loupe_native_heap *native, uint32_t node) {
    uint32_t low = 0, high = native->field_text_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (native->field_texts[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct loupe_span loupe_field_text(const struct loupe_snapshot *snapshot, uint32_t node,
                                   const struct loupe_field *field) {
    const struct loupe_native_heap *native = snapshot->native;
    if (!native || field->is_static)
        return (struct loupe_span){0};
    for (uint32_t i = first_text_of(native, node);
         i < native->field_text_count && native->field_texts[i].node == node; i++) {
        if (native->field_texts[i].field == field->number)
            return loupe_snapshot_string(snapshot, native->field_texts[i].text);
    }
    return (struct loupe_span){0};
}

bool loupe_is_other_link(const struct loupe_snapshot *snapshot, uint32_t node, uint32_t link) {
    struct loupe_field field;
    if (!snapshot->native)
        return false;
    const struct loupe_label *label = label_of(snapshot, link);
    if (!label || label->kind != LOUPE_EDGE_IVAR)
        return !label || (label->kind != LOUPE_EDGE_ELEMENT && label->kind != LOUPE_EDGE_VALUE);
    struct loupe_field_cursor cursor = loupe_fields_begin(snapshot, node);
    while (loupe_fields_next(&cursor, &field)) {
        if (field.type == LOUPE_VALUE_OBJECT && is_called(snapshot, label, field.name))
            return false;
    }
    return true;
}
