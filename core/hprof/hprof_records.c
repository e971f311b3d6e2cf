#include "hprof/hprof_records.h"

const uint8_t hprof_value_sizes[16] = {
    [4] = 1, [5] = 2, [6] = 4, [7] = 8, [8] = 1, [9] = 2, [10] = 4, [11] = 8,
};

/* ---- The file ---- */

bool hprof_read_header(const uint8_t *bytes, uint64_t size, struct hprof_header *ret) {
    static const char *const names[] = {"JAVA PROFILE 1.0.1", "JAVA PROFILE 1.0.2",
                                        "JAVA PROFILE 1.0.3"};
    enum { NAME = sizeof("JAVA PROFILE 1.0.1"), REST = 12 };
    if (size < NAME + REST)
        return false;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        uint32_t id_size = hprof_u4(bytes + NAME);
        if (memcmp(bytes, names[i], NAME) != 0 || (id_size != 4 && id_size != 8))
            continue;
        *ret = (struct hprof_header){.id_size = id_size,
                                     .time = hprof_u8(bytes + NAME + 4),
                                     .length = NAME + REST,
                                     .name_length = NAME - 1};
        return true;
    }
    return false;
}

/* Whether bytes behind an empty heap segment are the next record, and not what it should hold. */
static bool looks_like_record(const uint8_t *at, uint64_t left) {
    bool known = (*at >= HPROF_STRING && *at <= HPROF_HEAP_SUMMARY) ||
                 (*at >= HPROF_START_THREAD && *at <= HPROF_CONTROL_SETTINGS) ||
                 *at == HPROF_HEAP_SEGMENT || *at == HPROF_HEAP_END;
    return known && left >= HPROF_RECORD_HEADER && hprof_u4(at + 5) <= left - HPROF_RECORD_HEADER;
}

bool hprof_next_record(const uint8_t *bytes, uint64_t size, uint64_t *at,
                       struct hprof_record *ret) {
    if (*at >= size)
        return false;
    uint64_t left = size - *at;
    *ret = (struct hprof_record){.tag = bytes[*at], .start = *at + HPROF_RECORD_HEADER};
    if (left < HPROF_RECORD_HEADER) {
        *ret = (struct hprof_record){.start = size, .cut_off = true};
        *at = size;
        return true;
    }
    left -= HPROF_RECORD_HEADER;
    ret->length = hprof_u4(bytes + *at + 5);
    bool is_heap = ret->tag == HPROF_HEAP_DUMP || ret->tag == HPROF_HEAP_SEGMENT;
    if (ret->tag == HPROF_HEAP_DUMP && left > UINT32_MAX && (uint32_t)(left - ret->length) == 0)
        ret->length = left;
    ret->cut_off = ret->length > left;
    if (is_heap && ret->length == 0 && left > 0 && !looks_like_record(bytes + ret->start, left)) {
        ret->cut_off = true;
        ret->length = left;
    }
    if (ret->length > left)
        ret->length = left;
    *at = ret->start + ret->length;
    return true;
}

/* ---- Heap segments ---- */

/* Moves over count values that each follow prefix bytes and a type; NULL when they do not fit. */
static const uint8_t *skip_values(const uint8_t *at, const uint8_t *end, uint32_t prefix,
                                  uint32_t id_size) {
    if (end - at < 2)
        return NULL;
    uint32_t count = hprof_u2(at);
    at += 2;
    for (uint32_t i = 0; i < count; i++) {
        if ((size_t)(end - at) < prefix + 1)
            return NULL;
        uint32_t size = hprof_value_size(at[prefix], id_size);
        at += prefix + 1;
        if (!size || (size_t)(end - at) < size)
            return NULL;
        at += size;
    }
    return at;
}

const uint8_t *hprof_class_end(const uint8_t *at, const uint8_t *end, uint32_t id_size) {
    size_t fixed = 7 * id_size + 8;
    if ((size_t)(end - at) < fixed)
        return NULL;
    at = skip_values(at + fixed, end, 2, id_size); /* the constant pool */
    if (at)
        at = skip_values(at, end, id_size, id_size); /* static fields */
    if (!at || end - at < 2)
        return NULL;
    size_t fields = (size_t)hprof_u2(at) * (id_size + 1);
    at += 2;
    return (size_t)(end - at) < fields ? NULL : at + fields;
}

/* What follows the id of a root: ids, then numbers of four bytes; 0xff: there is no such tag. */
struct root_shape {
    uint8_t ids, numbers;
};

static struct root_shape shape_of(uint8_t tag) {
    switch (tag) {
    case HPROF_ROOT_UNKNOWN:
    case HPROF_ROOT_STICKY_CLASS:
    case HPROF_ROOT_MONITOR_USED:
    case HPROF_ROOT_INTERNED_STRING:
    case HPROF_ROOT_FINALIZING:
    case HPROF_ROOT_DEBUGGER:
    case HPROF_ROOT_REFERENCE_CLEANUP:
    case HPROF_ROOT_VM_INTERNAL:
    case HPROF_UNREACHABLE:
        return (struct root_shape){0, 0};
    case HPROF_ROOT_JNI_GLOBAL:
        return (struct root_shape){1, 0};
    case HPROF_ROOT_NATIVE_STACK:
    case HPROF_ROOT_THREAD_BLOCK:
        return (struct root_shape){0, 1};
    case HPROF_ROOT_JNI_LOCAL:
    case HPROF_ROOT_JAVA_FRAME:
    case HPROF_ROOT_THREAD_OBJECT:
    case HPROF_ROOT_JNI_MONITOR:
        return (struct root_shape){0, 2};
    default:
        return (struct root_shape){0xff, 0};
    }
}

static enum hprof_step next_class(const uint8_t **at, const uint8_t *end, uint32_t id_size,
                                  struct hprof_object *ret) {
    const uint8_t *start = *at + 1, *class_end = hprof_class_end(start, end, id_size);
    if (!class_end)
        return HPROF_STEP_CUT;
    ret->id = hprof_id(start, id_size);
    ret->body = start;
    ret->body_length = (uint64_t)(class_end - start);
    *at = class_end;
    return HPROF_STEP_OBJECT;
}

static enum hprof_step next_fixed(const uint8_t **at, const uint8_t *end, size_t length) {
    if ((size_t)(end - *at) - 1 < length)
        return HPROF_STEP_CUT;
    *at += 1 + length;
    return HPROF_STEP_OBJECT;
}

static enum hprof_step next_root(const uint8_t **at, const uint8_t *end, uint32_t id_size,
                                 struct hprof_object *ret) {
    const uint8_t *start = *at + 1;
    struct root_shape shape = shape_of(ret->tag);
    if (shape.ids == 0xff)
        return HPROF_STEP_UNKNOWN;
    uint32_t ids = (1u + shape.ids) * id_size;
    enum hprof_step step = next_fixed(at, end, ids + 4u * shape.numbers);
    if (step != HPROF_STEP_OBJECT)
        return step;
    ret->id = hprof_id(start, id_size);
    ret->count = shape.numbers > 0 ? hprof_u4(start + ids) : 0;
    ret->frame = shape.numbers > 1 ? hprof_u4(start + ids + 4) : UINT32_MAX;
    return HPROF_STEP_OBJECT;
}

enum hprof_step hprof_next_small(const uint8_t **at, const uint8_t *end, uint32_t id_size,
                                 struct hprof_object *ret) {
    const uint8_t *start = *at + 1;
    enum hprof_step step;
    switch (ret->tag) {
    case HPROF_CLASS:
        return next_class(at, end, id_size, ret);
    case HPROF_HEAP_INFO:
        step = next_fixed(at, end, 4 + id_size);
        if (step == HPROF_STEP_OBJECT) {
            ret->count = hprof_u4(start);
            ret->id = hprof_id(start + 4, id_size);
        }
        return step;
    case HPROF_ARRAY_WITHOUT_DATA:
        if ((size_t)(end - start) < id_size + 9u || start[id_size + 8] >= 16 ||
            !hprof_value_sizes[start[id_size + 8]])
            return HPROF_STEP_CUT;
        step = next_fixed(at, end, id_size + 9);
        ret->id = hprof_id(start, id_size);
        ret->count = hprof_u4(start + id_size + 4);
        ret->type = start[id_size + 8];
        ret->body = start;
        ret->body_length = 0;
        return step;
    default:
        return next_root(at, end, id_size, ret);
    }
}

/* ---- What is no dump to be read ---- */

enum loupe_status hprof_fail_header(struct loupe_error *err) {
    return loupe_fail(err, LOUPE_EUSAGE, 0,
                      "this is not a Java heap dump of version 1.0.1 to 1.0.3 with ids of 4 or 8 "
                      "bytes");
}

enum loupe_status hprof_fail_stopped(struct loupe_error *err) {
    return loupe_fail(err, LOUPE_ETIMEOUT, 0, "reading the heap dump was stopped");
}

enum loupe_status hprof_fail_number(struct loupe_error *err, uint32_t dumps, uint32_t wanted) {
    return loupe_fail(err, LOUPE_EUSAGE, 0, "the file holds %u heap dump%s, and none of number %u",
                      dumps, dumps == 1 ? "" : "s", wanted);
}
