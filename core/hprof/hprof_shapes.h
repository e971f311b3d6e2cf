/*
 * hprof_shapes.h - which fields the classes of a native heap have when it is written as a dump of a
 * Java heap, where all instances of a class have the same ones.
 *
 * A field is a described reference at a fixed place (an ivar, a captured variable), or a word that
 * leads to something in instances of the class. It belongs to the class that declares it, so that
 * a subclass inherits it; what nothing describes belongs to the highest class that has it.
 * References of other sorts (elements of collections, values of dictionaries, what is too much)
 * are no fields: the caller puts them into arrays.
 */
#ifndef LOUPE_HPROF_SHAPES_H
#define LOUPE_HPROF_SHAPES_H

#include "base/numbers.h"
#include "base/vector.h"
#include "snapshot/native.h"

enum {
    HPROF_MOST_CLASS_FIELDS = 1024, /* that instances of one class use */
    HPROF_MOST_CLASS_WORDS = 64     /* of them, not described */
};

/* A field as the dump has it. */
struct hprof_out_field {
    uint32_t label, slot; /* label LOUPE_NONE: the word at `slot` */
    uint32_t next;        /* of the same class, or LOUPE_NONE */
    uint32_t number;      /* among those of its class */
    bool is_reference;    /* else a number: what it leads to is not kept alive */
};

struct hprof_class_shape {
    uint32_t first_used;    /* of struct used, in hprof_shapes.c */
    uint32_t used, words;   /* how many */
    uint32_t first_own;     /* struct hprof_out_field, or LOUPE_NONE */
    uint32_t last_own, own; /* how many it declares */
    uint32_t inherited;     /* fields of all its superclasses */
};

struct hprof_shapes {
    const struct loupe_snapshot *snapshot;
    const struct loupe_chunk_ops *chunks;
    struct hprof_class_shape *classes; /* by class */
    struct loupe_vector used, out;
};

/* LOUPE_ENOMEM: there is nothing to deinit. */
enum loupe_status hprof_shapes_find(const struct loupe_snapshot *snapshot,
                                    const struct loupe_chunk_ops *chunks, struct hprof_shapes *ret);
void hprof_shapes_deinit(struct hprof_shapes *shapes);

static inline const struct hprof_out_field *hprof_out_field(const struct hprof_shapes *shapes,
                                                            uint32_t number) {
    return loupe_vector_at(&shapes->out, number, sizeof(struct hprof_out_field));
}

/* Fields of an instance: those of its class first, then those of the superclass and so on. */
static inline uint32_t hprof_field_count(const struct hprof_shapes *shapes, uint32_t class_number) {
    return shapes->classes[class_number].own + shapes->classes[class_number].inherited;
}

/* The class to which fields of a class's instances go: RAW, STORAGE and RUNTIME have none. */
bool hprof_has_fields(const struct loupe_snapshot *snapshot, uint32_t class_number);

/* Which field of a node a link of it is, and in *cursor where to look for the next one (at first
 * LOUPE_NONE). LOUPE_NONE: none. */
uint32_t hprof_field_of(const struct hprof_shapes *shapes, uint32_t class_number, uint32_t link,
                        uint32_t *cursor);

#endif
