/*
 * snapshot.h - a whole heap as a value: objects, the links between them, what keeps them alive, and
 * what is needed to name all of that. After it is made nobody looks at the target again.
 *
 * Makers: hprof.h reads Java and Android heap dumps, loupe_file.h maps a snapshot that was saved.
 * Whoever asks cannot tell which one it was, except that some things are not known everywhere; then
 * the function that is asked says so.
 *
 * Everything is numbered from 0: *nodes* (objects, classes among them), *links* (references; those
 * of a node stand together), classes, fields, strings, roots, threads, frames. Numbers refer to
 * numbers; every table is one array without pointers, so a file of them can be mapped. All is
 * frozen: the tables are read only and live until loupe_snapshot_deinit().
 *
 * A snapshot is one: it belongs to one thread at a time only where a function takes it without
 * const.
 */
#ifndef LOUPE_SNAPSHOT_H
#define LOUPE_SNAPSHOT_H

#include "analysis/columns.h"
#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "graph/paths_from_roots.h"
#include "snapshot/debug_names.h"

/* No class, no string, no thread, no frame. */
#define LOUPE_NONE UINT32_MAX

/* ---- Tables ---- */

/* Where a string begins in the snapshot's text. Target text: any bytes, not ended by a NUL. */
struct loupe_snapshot_string {
    uint32_t offset, length;
};

/* Types of values, by the numbers that heap dumps use. */
enum loupe_value_type {
    LOUPE_VALUE_NONE = 0,
    LOUPE_VALUE_OBJECT = 2,
    LOUPE_VALUE_BOOLEAN = 4,
    LOUPE_VALUE_CHAR,
    LOUPE_VALUE_FLOAT,
    LOUPE_VALUE_DOUBLE,
    LOUPE_VALUE_BYTE,
    LOUPE_VALUE_SHORT,
    LOUPE_VALUE_INT,
    LOUPE_VALUE_LONG,
    LOUPE_VALUE_UNSIGNED /* of native heaps alone: 8 bytes */
};

struct loupe_snapshot_field {
    uint32_t name; /* string */
    uint32_t type; /* enum loupe_value_type */
};

enum loupe_class_kind {
    LOUPE_CLASS_INSTANCES, /* of fields */
    LOUPE_CLASS_OBJECT_ARRAYS,
    LOUPE_CLASS_PRIMITIVE_ARRAYS,
    LOUPE_CLASS_BLOCKS,  /* literals of one function; their captures are its fields */
    LOUPE_CLASS_BYREFS,  /* storage of __block variables */
    LOUPE_CLASS_RAW,     /* memory that is no object */
    LOUPE_CLASS_STORAGE, /* memory that one object keeps for itself: NSMutableArray (storage) */
    LOUPE_CLASS_RUNTIME, /* classes and tables of the Objective-C runtime */
    LOUPE_CLASS_KIND_COUNT
};

/* Superclasses may run in circles in a damaged dump: nobody follows more of them. */
enum { LOUPE_MOST_SUPERCLASSES = 512 };

struct loupe_snapshot_class {
    uint32_t name;          /* string, as a person writes it: java.lang.String, int[] */
    uint32_t superclass;    /* class or LOUPE_NONE */
    uint32_t node;          /* its class object, or LOUPE_NO_NODE */
    uint32_t instance_size; /* bytes of one instance in memory; 0 for arrays */
    uint32_t dump_size;     /* the same as the dump says it, which need not be what it takes */
    uint32_t kind;          /* enum loupe_class_kind */
    uint32_t first_field;   /* those that it declares itself, instance fields first */
    uint32_t instance_fields;
    uint32_t static_fields;
};

struct loupe_snapshot_root {
    uint32_t node;
    uint32_t kind;   /* enum loupe_root_kind */
    uint32_t thread; /* the one that it belongs to, or LOUPE_NONE */
    uint32_t frame;  /* of that thread, or LOUPE_NONE */
};

struct loupe_snapshot_thread {
    uint32_t node;        /* its object, or LOUPE_NO_NODE */
    uint32_t name;        /* string or LOUPE_NONE */
    uint32_t serial;      /* as its source numbers it */
    uint32_t first_frame; /* the innermost one first */
    uint32_t frame_count;
};

struct loupe_snapshot_frame {
    uint32_t class_name, method, source; /* strings or LOUPE_NONE */
    int32_t line;                        /* > 0; 0 or -1 not known, -2 compiled, -3 native */
};

/* A part of the heap that is kept apart, as Android's runtime has them: app, zygote, image. */
struct loupe_snapshot_heap {
    uint32_t number; /* as its source numbers it */
    uint32_t name;   /* string or LOUPE_NONE */
};

/* Which heap nodes are in: this one and those behind it, up to the next range. */
struct loupe_snapshot_heap_range {
    uint32_t first; /* node */
    uint32_t heap;  /* or LOUPE_NONE */
};

/*
 * What a source met and could not or would not take, counted, with the first place. Texts, and
 * which of them make an answer incomplete, in snapshot.c, in the same order.
 */
enum loupe_snapshot_note {
    LOUPE_NOTE_CUT_OFF,          /* the file ends inside a record */
    LOUPE_NOTE_UNKNOWN_RECORD,   /* skipped by its length */
    LOUPE_NOTE_BAD_RECORD,       /* whose length is not what its contents say */
    LOUPE_NOTE_UNKNOWN_OBJECT,   /* in a heap segment, whose rest was skipped */
    LOUPE_NOTE_BAD_OBJECT,       /* that reaches beyond its segment, whose rest was skipped */
    LOUPE_NOTE_TWICE,            /* an object that is there already */
    LOUPE_NOTE_NO_CLASS,         /* an instance of a class that is not described */
    LOUPE_NOTE_SHORT_INSTANCE,   /* with fewer bytes than its class has fields */
    LOUPE_NOTE_MANY_FIELDS,      /* of a class and those above it: links are missing */
    LOUPE_NOTE_NO_ROOTS,         /* none in the file: classes are taken for roots */
    LOUPE_NOTE_LIMIT,            /* objects beyond what can be numbered */
    LOUPE_NOTE_NO_DATA,          /* an array whose elements were left out on purpose */
    LOUPE_NOTE_ABSENT_REFERENCE, /* to an object that is not in the file */
    LOUPE_NOTE_ABSENT_ROOT,      /* an object that is not in the file */
    LOUPE_NOTE_OTHER_DUMP,       /* another dump in the same file, that was not asked for */
    LOUPE_NOTE_PACKED,           /* a packed file that is damaged, or goes on behind its end */
    LOUPE_NOTE_NO_OWN_PART,      /* a dump of ours, of which only the Java heap can be read */
    LOUPE_NOTE_COUNT
};

struct loupe_snapshot_noted {
    uint64_t count;
    uint64_t example; /* an offset in the file, or what `by_address` says: an address */
};

/* What people read about it. Static storage. */
const char *loupe_snapshot_note_text(enum loupe_snapshot_note note);
/* Whether something is missing that was meant to be there. */
bool loupe_snapshot_note_is_loss(enum loupe_snapshot_note note);
/* Whether the example is an address, and not an offset in the file. */
bool loupe_snapshot_note_is_address(enum loupe_snapshot_note note);

/* ---- Slots: which of its references a link is ---- */

/*
 * In an instance the number of the field among all fields that hold references, those of its class
 * first, then those of the superclass, and so on. In an array the index. In a class object the
 * number of the static field; or one of these.
 */
enum {
    LOUPE_SLOT_CONSTANT = 0x80000000u, /* of a class: added to the index in its constant pool */
    LOUPE_SLOT_SPECIAL = 0xfffffff0u,  /* all from here on are not numbers */
    LOUPE_SLOT_CLASS = LOUPE_SLOT_SPECIAL,
    LOUPE_SLOT_SUPERCLASS,
    LOUPE_SLOT_LOADER,
    LOUPE_SLOT_SIGNERS,
    LOUPE_SLOT_DOMAIN, /* protection domain */
    LOUPE_SLOT_LOCAL,  /* a variable on the stack of a thread, where that counts as its own */
    LOUPE_SLOT_UNKNOWN = 0xffffffffu
};

/* ---- The value ---- */

struct loupe_snapshot;

struct loupe_value {
    enum loupe_value_type type;
    uint64_t bits; /* of an object: its address, also of one that is not in the snapshot; 0: nil.
                      Integers are sign-extended (char and boolean are not); float: its 32 bits */
};

/*
 * What is not kept in columns and found again by asking the source. Each may be NULL, and each may
 * answer false: not known here.
 */
struct loupe_snapshot_ops {
    /* The slots of count links of a node from its link number `first` on (counted from 0 in the
     * node), which it has. */
    bool (*slots)(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node, uint32_t first,
                  uint32_t count, uint32_t *ret);
    /* Bytes of the node's own contents from an offset on, big-endian as in the dump: fields of an
     * instance (its class's first) or elements of an array. How many there are in *len_ret. */
    bool (*contents)(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                     const uint8_t **ret, uint64_t *len_ret);
    /* The value of a static field, by its number among those of the class. */
    bool (*static_value)(void *ctx, const struct loupe_snapshot *snapshot, uint32_t class_number,
                         uint32_t field, struct loupe_value *ret);
    /* Only where there is no table by_address, and then there must be both. */
    bool (*find)(void *ctx, loupe_addr address, uint32_t *ret);
    void (*sort)(void *ctx, uint32_t *nodes); /* all, by address */
    void (*deinit)(void *ctx);
};

/* Results that were stored with a snapshot: see analysis/dominators/dominators.h. NULL: none were.
 */
struct loupe_stored_dominators {
    const uint32_t *immediate;
    const uint64_t *retained;
    const uint32_t *counts;
};

/*
 * Shortest paths that were stored with a snapshot: see analysis/shortest.h. They hold for one set
 * of rules. Nobody has checked them: loupe_stored_path_is_sound().
 */
struct loupe_stored_paths {
    const uint32_t *from; /* NULL: none were stored */
    const uint8_t *levels;
    uint64_t rules; /* whatever tells one set of rules from another */
};

struct loupe_native_heap;

struct loupe_snapshot {
    /* What analyses work on. columns.roots[i] is roots[i].node. */
    struct loupe_columns columns;

    /* By node, one of them: see loupe_snapshot_address(). */
    const uint64_t *addresses;
    const uint32_t *near_addresses; /* 1 << address_shift bytes each, from address_base on */
    const uint32_t *by_address;     /* nodes, sorted by address; NULL: ops knows */
    const uint32_t *classes; /* by node: class, which each has; of a class object that of classes */

    const struct loupe_snapshot_class *class_table;
    const uint32_t *class_order; /* classes, by the nodes that they are; see below */
    const struct loupe_snapshot_field *fields;
    const struct loupe_snapshot_root *roots;
    const struct loupe_snapshot_thread *threads;
    const struct loupe_snapshot_frame *frames;
    const struct loupe_snapshot_string *strings;
    const char *text;
    const struct loupe_snapshot_heap *heaps;
    const struct loupe_snapshot_heap_range *heap_ranges; /* by their first nodes */
    uint64_t text_size;
    uint32_t class_count, field_count, thread_count, frame_count, string_count, heap_count,
        heap_range_count;

    uint64_t address_base;
    uint8_t address_shift;
    uint8_t address_size;   /* 4 or 8: of ids */
    uint8_t reference_size; /* bytes that a reference takes in the heap: 4 where compressed */
    bool is_big_endian;     /* the machine that it was made on, as far as it tells */
    uint64_t bytes;         /* sum of all sizes */
    uint64_t pause;         /* microseconds that a process stood still for it; 0: not known */
    uint64_t time;          /* when it was made: milliseconds since 1970, 0: not known */
    uint32_t format;        /* string: "JAVA PROFILE 1.0.2" */
    struct loupe_snapshot_noted notes[LOUPE_NOTE_COUNT];
    struct loupe_stored_dominators dominators; /* of the policy "loupe" */
    struct loupe_stored_paths paths;           /* the same */
    struct loupe_debug_names names;            /* of native heaps: native_names.h */

    const struct loupe_native_heap *native; /* native.h; NULL: a Java heap */

    const struct loupe_snapshot_ops *ops;
    void *ctx;
};

void loupe_snapshot_deinit(struct loupe_snapshot *snapshot);

/* Whether something was lost: then answers are incomplete. */
bool loupe_snapshot_is_incomplete(const struct loupe_snapshot *snapshot);

/* In a Java dump the id, which need not be a place. */
static inline loupe_addr loupe_snapshot_address(const struct loupe_snapshot *snapshot,
                                                uint32_t node) {
    return snapshot->addresses ? snapshot->addresses[node]
                               : snapshot->address_base + ((uint64_t)snapshot->near_addresses[node]
                                                           << snapshot->address_shift);
}

/* The node at an address, in the time of a bisection. */
bool loupe_snapshot_find(const struct loupe_snapshot *snapshot, loupe_addr address, uint32_t *ret);

/* The node that has an address inside of it, of a native heap; of several the one that begins last.
 * Looks at all nodes. */
bool loupe_snapshot_find_around(const struct loupe_snapshot *snapshot, loupe_addr address,
                                uint32_t *ret);

/* All nodes sorted by address: room for columns.nodes. */
void loupe_snapshot_sort(const struct loupe_snapshot *snapshot, uint32_t *nodes);

/* Empty for LOUPE_NONE. Not escaped. */
struct loupe_span loupe_snapshot_string(const struct loupe_snapshot *snapshot, uint32_t string);
struct loupe_span loupe_snapshot_class_name(const struct loupe_snapshot *snapshot,
                                            uint32_t class_number);

/* The heap that an object is in, or LOUPE_NONE: not known. */
uint32_t loupe_snapshot_heap_of(const struct loupe_snapshot *snapshot, uint32_t node);
/* Its name; empty where it is not known. */
struct loupe_span loupe_snapshot_heap_name(const struct loupe_snapshot *snapshot, uint32_t node);

/*
 * The frame that a root is a variable of, or NULL: not known. Roots count frames within their
 * thread's stack, snapshot->frames has those of all threads.
 */
const struct loupe_snapshot_frame *loupe_snapshot_root_frame(const struct loupe_snapshot *snapshot,
                                                             uint32_t root);

/* The class that a class object is, or LOUPE_NONE. */
uint32_t loupe_snapshot_class_at(const struct loupe_snapshot *snapshot, uint32_t node);
/* Of a native heap: the class whose object stands at an address, in no node; or LOUPE_NONE. */
uint32_t loupe_snapshot_class_placed_at(const struct loupe_snapshot *snapshot, loupe_addr address);
/* The class itself and what inherits from it. */
bool loupe_snapshot_is_kind_of(const struct loupe_snapshot *snapshot, uint32_t class_number,
                               uint32_t ancestor);

/* "JNI global", "Java frame", ... Static storage. */
const char *loupe_snapshot_root_kind_name(enum loupe_root_kind kind);
/* What is of the class: "arrays of values". Tables and SQL have it as a column. */
const char *loupe_class_kind_name(enum loupe_class_kind kind);

/* For makers, once there is a table of classes: class_order, with room for class_count of them. */
enum loupe_status loupe_snapshot_order_classes(const struct loupe_snapshot *snapshot,
                                               const struct loupe_chunk_ops *chunks,
                                               uint32_t *order);

/* ---- Names of links ---- */

enum loupe_link_name_kind {
    LOUPE_LINK_NAME_UNKNOWN, /* the snapshot does not know which slot it was */
    LOUPE_LINK_NAME_FIELD,
    LOUPE_LINK_NAME_STATIC,
    LOUPE_LINK_NAME_ELEMENT, /* of an array */
    LOUPE_LINK_NAME_CONSTANT,
    LOUPE_LINK_NAME_SPECIAL /* class, superclass, loader, ... */
};

struct loupe_link_name {
    enum loupe_link_name_kind kind;
    uint32_t declared_by;   /* class that declares the field, or LOUPE_NONE */
    uint32_t index;         /* of an element or constant */
    struct loupe_span name; /* of a field, or the word for something special; else empty */
};

/* Which reference of the node a link of it is (columns.first[node] <= link < first[node + 1]). */
void loupe_snapshot_name_link(const struct loupe_snapshot *snapshot, uint32_t node, uint32_t link,
                              struct loupe_link_name *ret);

/* ---- Values ---- */

/* An instance's field by name, that of the most derived class that has one. */
bool loupe_snapshot_field_value(const struct loupe_snapshot *snapshot, uint32_t node,
                                const char *name, struct loupe_value *ret);

/* The characters of a java.lang.String as UTF-8, cut to what fits, and a NUL; their length. */
size_t loupe_snapshot_text(const struct loupe_snapshot *snapshot, uint32_t node, char *dst,
                           size_t cap);

/*
 * What the object says of itself in a few words, as a person would write it: the text of a string
 * in quotes, a boxed number, a date, an enum's constant, the beginning of an array of primitives.
 * UTF-8, control characters not escaped. The length that was written; 0 when there is nothing to
 * say or it is not known. cap > 0.
 */
size_t loupe_snapshot_show_value(const struct loupe_snapshot *snapshot, uint32_t node, char *dst,
                                 size_t cap);
/* The same, and of a collection how many items it has. */
size_t loupe_snapshot_say_value(const struct loupe_snapshot *snapshot, uint32_t node, char *dst,
                                size_t cap);

#endif
