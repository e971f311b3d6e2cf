/* What fields and elements hold. */
#include "snapshot/values/values.h"

uint32_t loupe_value_size(uint32_t type, uint32_t address_size) {
    static const uint8_t sizes[] = {
        [LOUPE_VALUE_BOOLEAN] = 1, [LOUPE_VALUE_CHAR] = 2, [LOUPE_VALUE_FLOAT] = 4,
        [LOUPE_VALUE_DOUBLE] = 8,  [LOUPE_VALUE_BYTE] = 1, [LOUPE_VALUE_SHORT] = 2,
        [LOUPE_VALUE_INT] = 4,     [LOUPE_VALUE_LONG] = 8, [LOUPE_VALUE_UNSIGNED] = 8};
    if (type == LOUPE_VALUE_OBJECT)
        return address_size;
    return type < sizeof(sizes) ? sizes[type] : 0;
}

struct loupe_value loupe_value_decode(uint32_t type, uint32_t address_size, const uint8_t *bytes) {
    uint64_t bits = 0;
    uint32_t size = loupe_value_size(type, address_size);
    for (uint32_t i = 0; i < size; i++)
        bits = bits << 8 | bytes[i];
    bool is_signed = type >= LOUPE_VALUE_BYTE && type <= LOUPE_VALUE_INT;
    if (is_signed && bits >> (8 * size - 1))
        bits |= UINT64_MAX << (8 * size);
    return (struct loupe_value){.type = (enum loupe_value_type)type, .bits = bits};
}

void loupe_value_encode(struct loupe_value value, uint32_t size, uint8_t *bytes) {
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value.bits >> (8 * (size - 1 - i)));
}

/* ---- Fields ---- */

bool loupe_snapshot_contents(const struct loupe_snapshot *snapshot, uint32_t node,
                             const uint8_t **ret, uint64_t *len_ret) {
    return snapshot->ops->contents &&
           snapshot->ops->contents(snapshot->ctx, snapshot, node, ret, len_ret);
}

bool loupe_snapshot_field_value(const struct loupe_snapshot *snapshot, uint32_t node,
                                const char *name, struct loupe_value *ret) {
    const uint8_t *bytes;
    uint64_t length, offset = 0;
    uint32_t class_number = snapshot->classes[node];
    if (!loupe_snapshot_contents(snapshot, node, &bytes, &length))
        return false;
    /* Cap: the note of too many fields. */
    for (uint32_t steps = 0; class_number != LOUPE_NONE && steps < LOUPE_MOST_SUPERCLASSES;
         steps++) {
        const struct loupe_snapshot_class *entry = &snapshot->class_table[class_number];
        for (uint32_t i = 0; i < entry->instance_fields; i++) {
            const struct loupe_snapshot_field *field = &snapshot->fields[entry->first_field + i];
            uint32_t size = loupe_value_size(field->type, snapshot->address_size);
            if (offset + size > length)
                return false;
            if (loupe_span_equals(loupe_snapshot_string(snapshot, field->name), name)) {
                *ret = loupe_value_decode(field->type, snapshot->address_size, bytes + offset);
                return true;
            }
            offset += size;
        }
        class_number = entry->superclass;
    }
    return false;
}

bool loupe_snapshot_object_field(const struct loupe_snapshot *snapshot, uint32_t node,
                                 const char *name, uint32_t *ret) {
    struct loupe_value value;
    return loupe_snapshot_field_value(snapshot, node, name, &value) &&
           value.type == LOUPE_VALUE_OBJECT && value.bits &&
           loupe_snapshot_find(snapshot, value.bits, ret);
}

bool loupe_snapshot_static_value(const struct loupe_snapshot *snapshot, uint32_t class_number,
                                 uint32_t field, struct loupe_value *ret) {
    return snapshot->ops->static_value &&
           snapshot->ops->static_value(snapshot->ctx, snapshot, class_number, field, ret);
}

/* ---- Arrays of primitives ---- */

uint32_t loupe_element_type(struct loupe_span name) {
    static const struct {
        const char *name;
        uint32_t type;
    } arrays[] = {{"boolean[]", LOUPE_VALUE_BOOLEAN}, {"char[]", LOUPE_VALUE_CHAR},
                  {"float[]", LOUPE_VALUE_FLOAT},     {"double[]", LOUPE_VALUE_DOUBLE},
                  {"byte[]", LOUPE_VALUE_BYTE},       {"short[]", LOUPE_VALUE_SHORT},
                  {"int[]", LOUPE_VALUE_INT},         {"long[]", LOUPE_VALUE_LONG}};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        if (loupe_span_equals(name, arrays[i].name))
            return arrays[i].type;
    }
    return LOUPE_VALUE_NONE;
}
