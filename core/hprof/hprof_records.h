/*
 * hprof_records.h - the records of a heap dump, one by one: where each begins and ends, and its
 * fixed parts. Every number is big-endian and lies anywhere. Nothing is read that the bounds do
 * not hold.
 */
#ifndef LOUPE_HPROF_RECORDS_H
#define LOUPE_HPROF_RECORDS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Numbers ---- */

static inline uint16_t hprof_u2(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t hprof_u4(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline uint64_t hprof_u8(const uint8_t *at) {
    return (uint64_t)hprof_u4(at) << 32 | hprof_u4(at + 4);
}

static inline uint64_t hprof_id(const uint8_t *at, uint32_t id_size) {
    return id_size == 8 ? hprof_u8(at) : hprof_u4(at);
}

/* ---- Records of the file ---- */

enum hprof_tag {
    HPROF_STRING = 0x01,
    HPROF_LOAD_CLASS = 0x02,
    HPROF_UNLOAD_CLASS = 0x03,
    HPROF_FRAME = 0x04,
    HPROF_TRACE = 0x05,
    HPROF_ALLOC_SITES = 0x06,
    HPROF_HEAP_SUMMARY = 0x07,
    HPROF_START_THREAD = 0x0a,
    HPROF_END_THREAD = 0x0b,
    HPROF_HEAP_DUMP = 0x0c,
    HPROF_CPU_SAMPLES = 0x0d,
    HPROF_CONTROL_SETTINGS = 0x0e,
    HPROF_HEAP_SEGMENT = 0x1c,
    HPROF_HEAP_END = 0x2c
};

enum { HPROF_RECORD_HEADER = 9 };

struct hprof_header {
    uint32_t id_size;
    uint64_t time;   /* milliseconds since 1970 */
    uint32_t length; /* where the first record begins */
    uint32_t name_length;
};

/* False for what is no dump. */
bool hprof_read_header(const uint8_t *bytes, uint64_t size, struct hprof_header *ret);

struct hprof_record {
    uint8_t tag;
    uint64_t start;  /* of its body in the file */
    uint64_t length; /* of its body: that which is there */
    bool cut_off;    /* the file ends before it */
};

/*
 * The record at *at, which moves behind it; false at the end of the file. A heap dump of more than
 * 4 GiB, whose length does not fit its four bytes, is taken to go on to the end; so is one of
 * length 0 that was never closed.
 */
bool hprof_next_record(const uint8_t *bytes, uint64_t size, uint64_t *at, struct hprof_record *ret);

/* ---- Records in a heap segment ---- */

enum hprof_heap_tag {
    HPROF_ROOT_UNKNOWN = 0xff,
    HPROF_ROOT_JNI_GLOBAL = 0x01,
    HPROF_ROOT_JNI_LOCAL = 0x02,
    HPROF_ROOT_JAVA_FRAME = 0x03,
    HPROF_ROOT_NATIVE_STACK = 0x04,
    HPROF_ROOT_STICKY_CLASS = 0x05,
    HPROF_ROOT_THREAD_BLOCK = 0x06,
    HPROF_ROOT_MONITOR_USED = 0x07,
    HPROF_ROOT_THREAD_OBJECT = 0x08,
    HPROF_ROOT_INTERNED_STRING = 0x89,
    HPROF_ROOT_FINALIZING = 0x8a,
    HPROF_ROOT_DEBUGGER = 0x8b,
    HPROF_ROOT_REFERENCE_CLEANUP = 0x8c,
    HPROF_ROOT_VM_INTERNAL = 0x8d,
    HPROF_ROOT_JNI_MONITOR = 0x8e,
    HPROF_UNREACHABLE = 0x90, /* not a root */
    HPROF_HEAP_INFO = 0xfe,
    HPROF_CLASS = 0x20,
    HPROF_INSTANCE = 0x21,
    HPROF_OBJECT_ARRAY = 0x22,
    HPROF_PRIMITIVE_ARRAY = 0x23,
    HPROF_ARRAY_WITHOUT_DATA = 0xc3
};

struct hprof_object {
    uint8_t tag;
    uint8_t type;        /* of a primitive array: enum loupe_value_type */
    uint32_t count;      /* elements; bytes of an instance; serial of a root's thread */
    uint32_t frame;      /* of a root, UINT32_MAX: none; stack of a thread object */
    uint64_t id;         /* the object; of HPROF_HEAP_INFO the string that names the heap */
    uint64_t class_id;   /* of an instance or an object array */
    const uint8_t *body; /* of what is variable */
    uint64_t body_length;
};

enum hprof_step {
    HPROF_STEP_OBJECT,
    HPROF_STEP_END,
    HPROF_STEP_UNKNOWN, /* a tag that there is not */
    HPROF_STEP_CUT      /* the record does not end in the segment */
};

/* The sizes of primitive values by type, 0 for all other types; 16 entries. */
extern const uint8_t hprof_value_sizes[16];

static inline uint32_t hprof_value_size(uint32_t type, uint32_t id_size) {
    return type == 2 ? id_size : type < 16 ? hprof_value_sizes[type] : 0;
}

/* Where a class ends that begins at `at` behind its tag; NULL: not before end. */
const uint8_t *hprof_class_end(const uint8_t *at, const uint8_t *end, uint32_t id_size);

/* A root, or something else small: what is not handled in hprof_next_object(). */
enum hprof_step hprof_next_small(const uint8_t **at, const uint8_t *end, uint32_t id_size,
                                 struct hprof_object *ret);

/* The record at *at, which moves behind it only when there is one. Here for its speed. */
static inline enum hprof_step hprof_next_object(const uint8_t **at, const uint8_t *end,
                                                uint32_t id_size, struct hprof_object *ret) {
    const uint8_t *start = *at;
    if (start == end)
        return HPROF_STEP_END;
    size_t left = (size_t)(end - start) - 1, fixed;
    ret->tag = *start++;
    switch (ret->tag) {
    case HPROF_INSTANCE:
        fixed = 2 * id_size + 8;
        if (left < fixed)
            return HPROF_STEP_CUT;
        ret->id = hprof_id(start, id_size);
        ret->class_id = hprof_id(start + id_size + 4, id_size);
        ret->count = hprof_u4(start + 2 * id_size + 4);
        ret->body_length = ret->count;
        break;
    case HPROF_OBJECT_ARRAY:
        fixed = 2 * id_size + 8;
        if (left < fixed)
            return HPROF_STEP_CUT;
        ret->id = hprof_id(start, id_size);
        ret->count = hprof_u4(start + id_size + 4);
        ret->class_id = hprof_id(start + id_size + 8, id_size);
        ret->body_length = (uint64_t)ret->count * id_size;
        break;
    case HPROF_PRIMITIVE_ARRAY:
        fixed = id_size + 9;
        if (left < fixed)
            return HPROF_STEP_CUT;
        ret->id = hprof_id(start, id_size);
        ret->count = hprof_u4(start + id_size + 4);
        ret->type = start[id_size + 8];
        if (ret->type >= 16 || !hprof_value_sizes[ret->type])
            return HPROF_STEP_CUT; /* of a type that there is not */
        ret->body_length = (uint64_t)ret->count * hprof_value_sizes[ret->type];
        break;
    default:
        return hprof_next_small(at, end, id_size, ret);
    }
    if (ret->body_length > left - fixed)
        return HPROF_STEP_CUT;
    ret->body = start + fixed;
    *at = ret->body + ret->body_length;
    return HPROF_STEP_OBJECT;
}

/* Why a dump is not read, in err. The status. */
enum loupe_status hprof_fail_header(struct loupe_error *err);
enum loupe_status hprof_fail_stopped(struct loupe_error *err);
enum loupe_status hprof_fail_number(struct loupe_error *err, uint32_t dumps, uint32_t wanted);

#endif
