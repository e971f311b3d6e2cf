/*
 * tables.h - the tables of a snapshot while it is made: strings, classes, labels of references.
 * Each is kept once; numbers are given out in the order of the first use.
 *
 * What fails for want of memory is remembered: numbers are LOUPE_NONE then, and whoever made the
 * tables looks at `status` in the end.
 */
#ifndef LOUPE_HEAP_TABLES_H
#define LOUPE_HEAP_TABLES_H

#include "edges/edges.h"
#include "snapshot/native.h"

/* A class while the snapshot is made, beside struct loupe_snapshot_class of the same number. */
struct loupe_heap_class {
    const struct loupe_class *cls; /* of instances, blocks too; NULL: none */
    uint64_t place;                /* struct loupe_native_heap, class_places */
    bool is_zombie;                /* of freed objects: runtime/freed.h */
    bool counts;                   /* of control blocks of shared_ptrs */
    bool is_shape;                 /* of memory that is called by its shape, and is no object */
};

struct loupe_heap_tables {
    struct loupe_target *target;
    const struct loupe_chunk_ops *chunks;
    enum loupe_status status; /* LOUPE_ENOMEM: something is missing */

    struct loupe_vector strings; /* of struct loupe_snapshot_string */
    struct loupe_map string_index;
    char *text;
    size_t text_size, text_capacity;

    struct loupe_vector class_table; /* of struct loupe_snapshot_class */
    struct loupe_vector classes;     /* of struct loupe_heap_class */
    bool has_zombies;                /* one of them is of zombies */
    struct loupe_map by_class, by_type, storage_by_class, by_invoke;
    struct loupe_map by_name;                       /* string -> class of what is called so */
    uint32_t plain_classes[LOUPE_CLASS_KIND_COUNT]; /* LOUPE_NONE: not made yet */

    struct loupe_vector labels; /* of struct loupe_label */
    struct loupe_map label_index, quick_labels;
    uint64_t unnamed; /* elements that were not named by their keys, since there are too many */
};

void loupe_heap_tables_init(struct loupe_heap_tables *tables, struct loupe_target *target);
void loupe_heap_tables_deinit(struct loupe_heap_tables *tables);

uint32_t loupe_heap_string(struct loupe_heap_tables *tables, struct loupe_span text);
/* LOUPE_NONE for NULL and for an empty one. */
uint32_t loupe_heap_text(struct loupe_heap_tables *tables, const char *text);

static inline struct loupe_heap_class *loupe_heap_class_at(const struct loupe_heap_tables *tables,
                                                           uint32_t number) {
    return loupe_vector_at(&tables->classes, number, sizeof(struct loupe_heap_class));
}
static inline struct loupe_snapshot_class *
loupe_heap_class_entry(const struct loupe_heap_tables *tables, uint32_t number) {
    return loupe_vector_at(&tables->class_table, number, sizeof(struct loupe_snapshot_class));
}

struct loupe_span loupe_heap_class_name(const struct loupe_heap_tables *tables, uint32_t number);

/* Of instances; superclasses come with it. */
uint32_t loupe_heap_class_of(struct loupe_heap_tables *tables, const struct loupe_class *cls);
/* Of an object: below its class where that stands for many types. */
uint32_t loupe_heap_class_of_object(struct loupe_heap_tables *tables,
                                    const struct loupe_object *object);
/* Of blocks with one function; below the class that the runtime gives them. */
uint32_t loupe_heap_class_of_block(struct loupe_heap_tables *tables, const struct loupe_class *cls,
                                   loupe_addr invoke);
/* Of the memory that objects of a class keep for themselves. */
uint32_t loupe_heap_class_of_storage(struct loupe_heap_tables *tables,
                                     const struct loupe_class *cls);
/* Of memory that is no object, by what it is; a new one each time. */
uint32_t loupe_heap_raw_class(struct loupe_heap_tables *tables, const char *name);
/* The same, but one for each name. */
uint32_t loupe_heap_class_called(struct loupe_heap_tables *tables, const char *name, bool *is_new);
/* The one that is called as another with something behind its name: "Session[]". LOUPE_ENOMEM. */
enum loupe_status loupe_heap_class_like(struct loupe_heap_tables *tables, uint32_t number,
                                        const char *behind, uint32_t *ret);
/* Of what has none of its own: LOUPE_CLASS_BYREFS, LOUPE_CLASS_RAW, LOUPE_CLASS_RUNTIME. */
uint32_t loupe_heap_plain_class(struct loupe_heap_tables *tables, enum loupe_class_kind kind);

/* The label of a shared_ptr that goes by its slot. */
uint32_t loupe_heap_pointer_label(struct loupe_heap_tables *tables);
/* The label of a shared_ptr, so many bytes from the start of the object that has it. */
uint32_t loupe_heap_shared_ptr_label(struct loupe_heap_tables *tables, uint64_t offset);
/* Of what a closure of Swift captured, called after its function; by the code word beside what
 * leads there, 0: not known. */
uint32_t loupe_heap_class_of_closure(struct loupe_heap_tables *tables, loupe_addr code);
/* The label of a reference to an object of Swift. */
struct loupe_heap_swift_label {
    const char *name;   /* of its field, "["done"]" of a value of a dictionary; "": by its slot */
    bool is_captured;   /* a closure has it */
    bool is_element;    /* of a collection */
    bool is_part;       /* LOUPE_LABEL_PART */
    bool is_numbered;   /* it is an element that goes by its number, which stands as the slot */
    loupe_addr closure; /* code of one that has its only capture in its own place; 0: none */
};
uint32_t loupe_heap_swift_label(struct loupe_heap_tables *tables,
                                const struct loupe_heap_swift_label *about);
/* One that is a capture, as that of a variable. */
uint32_t loupe_heap_ivar_label(struct loupe_heap_tables *tables, uint32_t number);
/* That of the reference of an object to its control block. */
uint32_t loupe_heap_control_label(struct loupe_heap_tables *tables);
/* The label of a reference of a node. group: the one that it is an element of, in the slot at an
 * address; or NULL. */
uint32_t loupe_heap_label(struct loupe_heap_tables *tables, struct loupe_walk *walk,
                          struct loupe_node from, const struct loupe_edge *edge,
                          const struct loupe_slot_group *group, loupe_addr slot);

#endif
