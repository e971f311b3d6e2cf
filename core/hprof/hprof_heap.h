/*
 * hprof_heap.h - what the steps of reading a heap dump share: hprof_names.c reads what is outside
 * of heap segments and the classes, hprof_objects.c makes nodes in a first pass over the segments,
 * hprof_links.c links in a second one, hprof_sizes.c says how large things are in memory, and
 * hprof.c puts it together.
 */
#ifndef LOUPE_HPROF_HEAP_H
#define LOUPE_HPROF_HEAP_H

#include "analysis/size_model.h"
#include "base/map.h"
#include "hprof/hprof.h"
#include "hprof/hprof_records.h"
#include "snapshot/id_index.h"

struct hprof_segment {
    uint64_t start, end; /* in the file */
    uint32_t dump;       /* the first is 1 */
};

/* A string of the file; most are never asked for. */
struct hprof_string {
    uint64_t start; /* in the file */
    uint32_t length;
    uint32_t number; /* in the snapshot, or LOUPE_NONE so far */
};

/* What reading needs of a class beside what the snapshot says of it. */
struct hprof_class {
    uint64_t id;
    uint64_t dump;  /* where its record begins in the file behind the tag; 0: it has none */
    uint64_t super; /* id */
    uint32_t name;  /* index of a struct hprof_string, or LOUPE_NONE */
    uint32_t first_reference, reference_count; /* places of references in an instance */
    uint32_t instance_bytes;                   /* of all its fields in the dump */
    uint32_t padding[2]; /* bytes that pads_levels adds (analysis/size_model.h), with references of
                            4 and of 8 bytes */
    uint32_t size_at;    /* where instances say their own size (hprof_write.h), or LOUPE_NONE */
    uint8_t element;     /* type, of primitive arrays */
};

/* Where an instance holds a reference. */
struct hprof_reference {
    uint32_t offset; /* in its bytes in the dump */
    uint8_t kind;    /* enum loupe_link_kind */
};

struct hprof_frame {
    uint64_t method, source; /* ids of strings */
    uint32_t class_number;   /* or LOUPE_NONE */
    int32_t line;
};

struct hprof_trace {
    uint32_t serial, thread;
    uint64_t frames; /* ids in the file */
    uint32_t frame_count;
};

struct hprof_root {
    uint64_t id;
    uint32_t kind;       /* enum loupe_root_kind */
    uint32_t serial;     /* of its thread, or LOUPE_NONE */
    uint32_t frame;      /* of that thread's stack, or LOUPE_NONE */
    uint32_t next_local; /* of the roots: the next one that the same thread owns, or LOUPE_NONE */
};

struct hprof_thread {
    uint32_t serial, trace; /* serials */
    uint64_t id;
    uint32_t name;        /* index of a struct hprof_string, or LOUPE_NONE */
    uint32_t first_local; /* of the roots that it owns (options.roots_of_mat), or LOUPE_NONE */
};

/* Growing arrays, which move as they grow: see hprof_grow(). */
struct hprof_list {
    void *items;
    uint32_t count, capacity;
    size_t item_size;
};

enum { HPROF_STEP_SHIFT = 6, HPROF_PRIMITIVE_TYPES = 12 };

/*
 * Bounds on what a small file could ask for again and again: fields looked at for all classes
 * together, those of a superclass counted for each that inherits them; frames of all threads.
 */
enum { HPROF_MOST_FIELD_VISITS = 1 << 25, HPROF_MOST_FRAMES = 1 << 22 };

struct hprof_heap {
    const uint8_t *bytes;
    uint64_t size;
    const struct loupe_chunk_ops *chunks;
    struct loupe_hprof_options options;
    struct hprof_header header;
    struct loupe_snapshot *snapshot; /* that is being made */
    enum loupe_status status;        /* the first failure; later steps do nothing */

    struct hprof_list segments, classes, class_table, fields, references, text_strings, large,
        found_roots, stacks, stack_frames, heap_table, heap_ranges;
    struct loupe_map class_by_id;
    /* Only until the snapshot is made. */
    struct hprof_list strings, frames, traces, roots, threads;
    struct loupe_map string_by_id, class_by_serial, frame_by_id, trace_by_serial, thread_by_serial,
        heap_by_number, thread_by_object; /* the last: of those that own locals */
    uint32_t moved_ranges;                /* of heap_ranges, when nodes are closed up */
    char *text;                           /* of the snapshot */
    uint64_t text_used, text_room;
    uint64_t last_class_id; /* asked for most recently */
    uint32_t last_class;
    uint32_t primitive_arrays[HPROF_PRIMITIVE_TYPES]; /* class by type, or LOUPE_NONE */
    uint32_t class_of_classes;
    uint32_t dumps, dump; /* how many there are; the one to be read */
    uint64_t heap_bytes, heap_done;
    uint64_t field_visits; /* in classes, for a bound */

    /* By node, with room for node_room of them: as many as there could be, until they are known. */
    uint64_t *ids;      /* or, where they lie close together, only: */
    uint32_t *near_ids; /* by what they are beyond the lowest one, in units of the index */
    uint32_t *node_classes, *sizes, *first;
    uint32_t node_room, nodes;
    struct loupe_id_index index;
    bool is_native; /* written by hprof_write.h, of a program that is not Java */
    bool closed_up; /* some objects were twice: their records are passed over */

    uint64_t *positions; /* in the file, of the record of each node whose number ends in zeros */
    uint32_t *to;
    uint8_t *kinds;
    uint64_t reference_room; /* references are not more than this */
    uint32_t link_room, links;
    uint32_t *root_nodes, *class_order;

    struct loupe_size_model size_model;

    uint32_t last_found;    /* node of which the record was asked for most recently */
    uint64_t last_position; /* and where it is in the file; 0: none was */
    struct {
        uint32_t class_number, field;
        const uint8_t *at; /* NULL: none was */
    } last_static;         /* asked for most recently: those of a class are asked for in turn */
};

/*
 * An item more, zeroed; NULL: no memory, which is noted in heap->status. Items that were there may
 * move.
 */
void *hprof_grow(struct hprof_heap *heap, struct hprof_list *list, size_t item_size);
void hprof_note(struct hprof_heap *heap, enum loupe_snapshot_note note, uint64_t example);
void hprof_note_many(struct hprof_heap *heap, enum loupe_snapshot_note note, uint64_t count);
/* So many bytes more of a pass are done. */
void hprof_progress(struct hprof_heap *heap, uint64_t done);
/* The same of a long segment, every so many records: *from is up to where it was told. */
static inline void hprof_progress_at(struct hprof_heap *heap, uint64_t record, const uint8_t **from,
                                     const uint8_t *at) {
    enum { RECORDS_BETWEEN_CHECKS = 1 << 14 };
    if (record % RECORDS_BETWEEN_CHECKS != RECORDS_BETWEEN_CHECKS - 1)
        return;
    hprof_progress(heap, (uint64_t)(at - *from));
    *from = at;
}

static inline uint64_t hprof_id_of(const struct hprof_heap *heap, uint32_t node) {
    return heap->ids ? heap->ids[node]
                     : heap->snapshot->address_base +
                           ((uint64_t)heap->near_ids[node] << heap->index.shift);
}

static inline size_t hprof_positions_size(const struct hprof_heap *heap) {
    return ((heap->nodes >> HPROF_STEP_SHIFT) + (size_t)1) * sizeof(*heap->positions);
}

/* Lets the snapshot see the strings that there are by now. */
static inline void hprof_show_strings(const struct hprof_heap *heap) {
    heap->snapshot->strings = heap->text_strings.items;
    heap->snapshot->string_count = heap->text_strings.count;
    heap->snapshot->text = heap->text;
    heap->snapshot->text_size = heap->text_used;
}

/* ---- hprof_names.c ---- */

/* Reads all records outside of heap segments and lists those. */
void hprof_read_outside(struct hprof_heap *heap);
/* The number in the snapshot of a string of the file by its id; a text of ours when unknown. */
uint32_t hprof_intern(struct hprof_heap *heap, uint64_t string_id);
/* A string of the snapshot with these bytes, which are none of its text. */
uint32_t hprof_add_text(struct hprof_heap *heap, const char *bytes, size_t length);
/* The class of an id, which is made when it was not heard of before; LOUPE_NONE: no memory. */
uint32_t hprof_class_of(struct hprof_heap *heap, uint64_t id);
/* The class of arrays of a primitive type, by enum loupe_value_type. */
uint32_t hprof_primitive_array_class(struct hprof_heap *heap, uint32_t type);
/* Fields and all that the record of a class says. False when it was described before. */
bool hprof_describe_class(struct hprof_heap *heap, const struct hprof_object *record,
                          uint32_t *class_ret);
/* In the record of a class: the counts before its constants and before its static fields. */
const uint8_t *hprof_class_constants(const uint8_t *record, uint32_t id_size);
const uint8_t *hprof_class_statics(const uint8_t *record, uint32_t id_size);
/* Between reading outside and the first pass. */
void hprof_find_primitive_arrays(struct hprof_heap *heap);
/* The thread of a serial number, which is made when it was not heard of before; NULL: no memory. */
struct hprof_thread *hprof_thread_of(struct hprof_heap *heap, uint32_t serial);
/* Once all classes are known: superclasses, names, kinds, places of references. */
void hprof_finish_classes(struct hprof_heap *heap);

static inline struct hprof_class *hprof_class_at(const struct hprof_heap *heap, uint32_t number) {
    return (struct hprof_class *)heap->classes.items + number;
}

static inline struct loupe_snapshot_class *hprof_entry_at(const struct hprof_heap *heap,
                                                          uint32_t number) {
    return (struct loupe_snapshot_class *)heap->class_table.items + number;
}

/* ---- hprof_objects.c ---- */

void hprof_make_nodes(struct hprof_heap *heap);

/* ---- hprof_sizes.c ---- */

/* Turns the lengths of arrays in heap->sizes into bytes, and says those of all else. */
void hprof_make_sizes(struct hprof_heap *heap);

/* ---- hprof_links.c ---- */

void hprof_make_links(struct hprof_heap *heap);
bool hprof_slots(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node, uint32_t first,
                 uint32_t count, uint32_t *ret);
bool hprof_contents(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                    const uint8_t **ret, uint64_t *len_ret);
bool hprof_static_value(void *ctx, const struct loupe_snapshot *snapshot, uint32_t class_number,
                        uint32_t field, struct loupe_value *ret);

/* ---- hprof_roots.c ---- */

/* Where threads own their locals: chains those of each. False: no memory. */
bool hprof_chain_locals(struct hprof_heap *heap);
/* Threads, their frames, and the roots with the nodes they are. */
void hprof_make_roots(struct hprof_heap *heap);

#endif
