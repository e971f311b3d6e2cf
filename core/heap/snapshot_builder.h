/*
 * snapshot_builder.h - a snapshot while it is made: what the files that make it share.
 *
 *     recorded_stacks.c  who allocated the blocks
 *     freeze.c       the tables, as arrays
 * and in contents/:
 *     nodes.c      what stands in each block
 *     cxx_objects.c, swift_objects.c  which blocks are objects of C++ and Swift
 *     class_memory.c  what the runtime keeps for its classes
 *     described.c  the references that the runtime describes
 *     dangling.c   those of them that lead to what was freed
 *     shapes.c     what memory of C++'s libraries is by its shape
 *     counted.c    what shared_ptrs and Swift count, and which words are counted
 *     words.c      all other words that lead into a block
 *     roots.c      what keeps nodes alive from outside
 *     thread_stacks.c  the functions that threads are in, and whose part of a stack a word is in
 *     left_behind.c  what libraries are known to leave behind
 *     notes.c    what could not be looked at
 *     held_alone.c which of what is counted is held by itself alone
 */
#ifndef LOUPE_SNAPSHOT_BUILDER_H
#define LOUPE_SNAPSHOT_BUILDER_H

#include "cxx/control_block.h"
#include "cxx/shapes.h"
#include "heap/heap_snapshot.h"
#include "heap/recorded_stacks.h"
#include "heap/tables.h"
#include "heap/word_set.h"
#include "swift/metadata.h"
#include "swift/places.h"

/* What stands in a block; kept in the high bits of its marks while the snapshot is made. */
enum loupe_heap_form {
    LOUPE_HEAP_RAW,
    LOUPE_HEAP_OBJECT,
    LOUPE_HEAP_BLOCK,
    LOUPE_HEAP_BYREF,
    LOUPE_HEAP_CLASS,
    LOUPE_HEAP_POOL,    /* a page of autoreleased objects: its entries are roots */
    LOUPE_HEAP_TABLE,   /* what the runtime keeps for a class */
    LOUPE_HEAP_RECORD,  /* of weak references: it keeps nothing alive */
    LOUPE_HEAP_CONTROL, /* a control block of shared_ptrs, with what it counts or without */
    LOUPE_HEAP_MANAGED, /* what a control block counts that stands elsewhere */
    LOUPE_HEAP_COUNTED, /* an object of Swift, which has its own counts */
    LOUPE_HEAP_FORM_COUNT
};
enum { LOUPE_HEAP_FORM_SHIFT = 4, LOUPE_HEAP_PUBLIC_MARKS = (1 << LOUPE_HEAP_FORM_SHIFT) - 1 };

/* A word that may be an isa, and the class that it leads to; UINT32_MAX: none. */
struct loupe_known_word {
    uint64_t word;
    uint32_t class_number;
};
enum { LOUPE_KNOWN_WORDS = 1024 };

/* An object in no block. */
struct loupe_outside_node {
    loupe_addr address;
    uint32_t class_number; /* of the snapshot */
    uint16_t form;         /* enum loupe_heap_form */
    uint16_t freed;        /* dangling.c's own */
};

/* What was met on the way, for notes. */
struct loupe_heap_counts {
    uint64_t raw, raw_bytes; /* storage of collections is not among them */
    uint64_t freed;          /* that look like objects and were freed: raw memory now */
    loupe_addr first_freed;  /* 0: none */
    uint64_t unreadable;     /* pages of blocks or of places for roots */
    loupe_addr first_unreadable;
    uint64_t not_linked; /* references beyond what can be numbered */
    uint64_t dangling_left_out;
    uint64_t classes_cut;    /* that have more fields than are kept with their values */
    uint64_t texts_left_out; /* of objects, beyond what is kept of all together */
    uint64_t swift_refused;  /* references in values of Swift whose layout could not be computed */
    uint64_t stacks_cut;     /* threads with more frames than are followed */
};

/* A word that leads to memory which the runtime keeps for a class. */
struct loupe_class_link {
    loupe_addr slot;
    uint32_t from, to; /* blocks; from LOUPE_NO_NODE: it stands in none */
};

/* A vtable of control blocks. */
struct loupe_control_class {
    struct loupe_control_layout layout;
    uint32_t managed; /* class of the snapshot: of what they count */
};

/* An object that shared_ptrs share, or one of Swift: its references are the same, `unowned` ones
 * count as weak_ptrs do. */
struct loupe_counted {
    uint32_t control; /* block that counts: Swift's is the object */
    uint32_t node;    /* of the object: the same, or that which it leads to */
    uint32_t offset;  /* of the object in its block */
    uint32_t strong;  /* shared_ptrs, more than 0 */
    uint32_t weak;    /* weak_ptrs that are not known to be one */
    uint32_t found;   /* words that are either, on stacks too */
    uint32_t outside; /* of these, in roots that last */
    uint32_t certain; /* of these, known to own */
    bool is_swifts;
};

enum { LOUPE_MEMBER_LABELS = 1024 };

/* A word that is a shared_ptr or a weak_ptr, which leads to the control block, or a reference to
 * an object of Swift. */
struct loupe_counted_word {
    uint32_t from, word; /* node, and number among the words */
    uint32_t label;
    uint32_t link; /* once all are numbered */
    bool is_unowned;
    bool is_certain; /* of Swift: the layout says that it owns */
};

#define LOUPE_MOST_LINKS (UINT32_MAX - 1)

/* References of nodes in turn, while it is not known how many there are. */
struct loupe_link_columns {
    uint32_t *ends;         /* by node: how many there are up to its end */
    struct loupe_vector to; /* of uint32_t, as slots */
    struct loupe_vector slots, labels;
    struct loupe_vector kinds; /* of uint8_t */
};

struct loupe_snapshot_builder;

/* A word that leads near a block. */
struct loupe_waiting_word {
    loupe_addr place;
    uint64_t word;
    const struct loupe_block_cell *cell; /* around what it leads to */
    uint32_t from;                       /* node that it stands in */
    uint32_t guess;                      /* the block that it may lead to: loupe_blocks_guess() */
    bool is_complement;                  /* it stands there with all of its bits inverted */
};
enum { LOUPE_MOST_WAITING = 64 };

/* Called for a word that leads into a block. */
typedef enum loupe_status loupe_heap_visit(struct loupe_snapshot_builder *builder,
                                           const struct loupe_waiting_word *waiting,
                                           uint32_t block);

struct loupe_snapshot_builder {
    struct loupe_target *target;
    const struct loupe_chunk_ops *chunks;
    struct loupe_walk *walk;
    const struct loupe_scene *scene;
    struct loupe_blocks *blocks;
    const struct loupe_heap_options *options;
    struct loupe_heap_tables tables;

    /* Nodes: the blocks, then what is outside. */
    uint32_t heap_nodes;
    uint32_t room; /* of the columns by block: what is outside follows there, as far as it fits */
    uint32_t object_offset; /* bytes from the start of its block to an object */
    loupe_addr *addresses;  /* by block, as the following */
    uint32_t *classes;
    uint32_t *retain_counts;
    uint8_t *marks;
    struct loupe_vector outside; /* of struct loupe_outside_node */
    struct loupe_map outside_index;
    struct loupe_ranges readable; /* where a class can be */
    struct loupe_map isas;        /* the first words of objects -> numbers of their classes */
    struct loupe_known_word recent[LOUPE_KNOWN_WORDS];
    struct loupe_map vtables; /* words that are one -> classes of the snapshot */
    struct loupe_known_word recent_vtables[LOUPE_KNOWN_WORDS];
    struct loupe_typeinfo_kinds typeinfo_kinds;
    struct loupe_map closures; /* functions that may manage one, or resume a coroutine ->
                                  classes of the snapshot */
    uint32_t shapes[LOUPE_CXX_SHAPE_COUNT]; /* classes of the snapshot, plus 1; 0: not made yet */
    struct loupe_map vector_ends;           /* blocks -> bytes of them that have elements */
    uint64_t shape_steps;                   /* that chains may still be followed for */
    struct loupe_map control_vtables;       /* words -> numbers of `controls` */
    struct loupe_vector controls;           /* of struct loupe_control_class */
    struct loupe_vector counted;            /* of struct loupe_counted, by control block */
    uint32_t *counted_nodes; /* by block, control or object: its number in `counted`, or LOUPE_NONE;
                                NULL: nothing is counted */
    uint32_t member_labels[LOUPE_MEMBER_LABELS]; /* by word of a counted object that is a
                                                    shared_ptr; LOUPE_NONE: not made yet */
    struct loupe_vector counted_words;           /* of struct loupe_counted_word, ascending */
    struct loupe_vector observers;  /* of uint32_t: roots that lead to what is counted, and are no
                                       shared_ptrs */
    struct loupe_map swift_classes; /* metadata -> classes of the snapshot */
    struct loupe_map swift_fields;  /* metadata and slot -> label and ownership */
    uint32_t context_class; /* of what closures of Swift captured; LOUPE_NONE: there is none */
    uint64_t slab_metadata; /* the first word of memory that tasks have frames in; 0: not known */
    bool looked_for_slabs;
    struct loupe_swift_lowering *swift_lowering; /* NULL: none was needed yet */
    struct loupe_vector class_links;             /* of struct loupe_class_link, by block and slot */
    uint32_t class_links_done;                   /* those of blocks before */
    bool has_class_memory;                       /* class_memory.c's own */
    uint32_t changed;                            /* blocks whose form proved to be another */
    struct loupe_heap_counts counts;

    /* References. */
    struct loupe_word_set described;
    struct loupe_link_columns found;      /* that are described */
    struct loupe_vector outside_ends;     /* of uint32_t: the ends of those of outside nodes */
    struct loupe_link_columns words;      /* that are not: without kinds and labels */
    struct loupe_node node;               /* whose references are found */
    uint32_t number;                      /* of it */
    const struct loupe_slot_group *group; /* the one that they are elements of; or NULL */
    struct loupe_range storage;           /* the block that was named last */
    struct loupe_vector dangling;         /* of struct loupe_dangling, by node */
    struct loupe_vector items;            /* of struct loupe_value_item, by node */

    struct loupe_heap_stacks stacks;
    struct loupe_vector roots;         /* of struct loupe_snapshot_root */
    struct loupe_vector root_places;   /* of struct loupe_root_place */
    struct loupe_vector threads;       /* of struct loupe_snapshot_thread */
    struct loupe_map thread_numbers;   /* by id */
    struct loupe_vector thread_frames; /* of struct loupe_snapshot_frame */
    struct loupe_vector frame_ends;    /* of loupe_addr: where their parts of the stacks end */
    struct loupe_map frames_by_place;
    struct loupe_map pools;          /* pages of pools that were seen */
    struct loupe_snapshot_root root; /* what the next ones have in common, and their places */
    struct loupe_root_place place;
    uint8_t *part;  /* words.c's own: bytes that are looked at */
    bool in_blocks; /* and whether they are a block's */
    loupe_heap_visit *visit;
    struct loupe_waiting_word waiting[LOUPE_MOST_WAITING];
    uint32_t waiting_count;
    uint32_t ended; /* nodes before this one have their words */
};

static inline enum loupe_heap_form loupe_heap_form(const struct loupe_snapshot_builder *builder,
                                                   uint32_t block) {
    return (enum loupe_heap_form)(builder->marks[block] >> LOUPE_HEAP_FORM_SHIFT);
}

static inline struct loupe_outside_node *
loupe_outside_at(const struct loupe_snapshot_builder *builder, uint32_t index) {
    return loupe_vector_at(&builder->outside, index, sizeof(struct loupe_outside_node));
}

/* Of a column by block, which has room for one element more. */
static inline size_t loupe_heap_column_bytes(const struct loupe_snapshot_builder *builder,
                                             size_t element) {
    return ((size_t)builder->room + 1) * element;
}

static inline uint32_t loupe_heap_node_count(const struct loupe_snapshot_builder *builder) {
    return builder->heap_nodes + builder->outside.count;
}

/* Whether a word that leads into a block can be a reference to what is there: nothing refers to an
 * object by what its runtime keeps before it. */
static inline bool loupe_heap_is_reference(const struct loupe_snapshot_builder *builder,
                                           const struct loupe_waiting_word *waiting,
                                           uint32_t block) {
    return waiting->word >= builder->addresses[block];
}

/* nodes.c: finds out what stands in all blocks. */
enum loupe_status loupe_heap_classify(struct loupe_snapshot_builder *builder);
/* cxx_objects.c: names a block that begins with a word if it is an object of C++, or an array of
 * them. It stays memory that nothing describes. LOUPE_ENOMEM. */
enum loupe_status loupe_heap_take_cxx_object(struct loupe_snapshot_builder *builder, uint32_t block,
                                             uint64_t first);
/* Names a block that nothing has named and a word leads to if it is what a std::function of
 * libstdc++ keeps, by the function behind the word that manages it. LOUPE_ENOMEM. */
enum loupe_status loupe_heap_name_closure(struct loupe_snapshot_builder *builder,
                                          const struct loupe_waiting_word *waiting, uint32_t block);
/* Whether a function may begin there: in no block; it need not be aligned. */
bool loupe_heap_may_be_code(const struct loupe_snapshot_builder *builder, uint64_t word);
/* shapes.c: names a block that a word leads to, a closure too, by what stands beside the word; and
 * one by what stands in it. Both know it only while nothing else does. LOUPE_ENOMEM. */
enum loupe_status loupe_heap_name_pointee(struct loupe_snapshot_builder *builder,
                                          const struct loupe_waiting_word *waiting, uint32_t block);
enum loupe_status loupe_heap_name_by_itself(struct loupe_snapshot_builder *builder, uint32_t block);
/* Words behind the ends of vectors are no shared_ptrs any more: once all words are known. */
void loupe_heap_forget_behind_ends(struct loupe_snapshot_builder *builder);
/* swift_objects.c: the same for an object of Swift; *ret: it is one. What was deinited, and what
 * counts weak references, keeps nothing alive. */
enum loupe_status loupe_heap_take_swift_object(struct loupe_snapshot_builder *builder,
                                               uint32_t block, uint64_t first, bool *ret);
/* What a word of a node is that leads to an object of Swift, as far as metadata tells. */
struct loupe_swift_reference {
    uint32_t label;
    uint32_t number; /* of an element, in place of its slot; LOUPE_NONE: it is none */
    bool is_certain; /* a layout says so */
    enum loupe_swift_ownership ownership;
};
/* LOUPE_ENOMEM. */
enum loupe_status loupe_heap_swift_reference(struct loupe_snapshot_builder *builder, uint32_t from,
                                             uint64_t slot, uint32_t to,
                                             struct loupe_swift_reference *ret);
/* The references of boxes, once it is known what is one. LOUPE_ENOMEM. */
enum loupe_status loupe_heap_label_boxes(struct loupe_snapshot_builder *builder);
/* nodes.c: whether a block is a page of a pool by what stands in it: abi.h, pool_in. */
bool loupe_heap_pool_in(const struct loupe_snapshot_builder *builder, uint32_t block,
                        struct loupe_pool_page *ret);
/* The node of the object that a reference leads to, outside of the heap too; LOUPE_NO_NODE: there
 * is none. LOUPE_ENOMEM. */
enum loupe_status loupe_heap_object_node(struct loupe_snapshot_builder *builder, loupe_addr address,
                                         uint32_t *ret);
/* The same for the storage of a __block variable. */
enum loupe_status loupe_heap_byref_node(struct loupe_snapshot_builder *builder, loupe_addr address,
                                        uint32_t *ret);
/* The block is the runtime's. */
void loupe_heap_take_runtimes(struct loupe_snapshot_builder *builder, uint32_t block,
                              enum loupe_heap_form form);
/* Fetches the first bytes of a block that comes soon. */
static inline void loupe_heap_fetch(const struct loupe_snapshot_builder *builder, uint32_t block) {
    const uint8_t *bytes =
        block < builder->heap_nodes
            ? loupe_memory_peek(builder->target->memory, builder->addresses[block], 1)
            : NULL;
    if (bytes)
        loupe_prefetch(bytes);
}
/* A node as a walk knows it. */
struct loupe_node loupe_heap_node(const struct loupe_snapshot_builder *builder, uint32_t number);

/* counted.c: fills `counted`: forms and retain counts are those of what is counted from now on.
 * LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_heap_find_counted(struct loupe_snapshot_builder *builder);
/* Bytes before the object, or the word that leads to it, of a control block. */
unsigned loupe_heap_object_in_control(const struct loupe_snapshot_builder *builder,
                                      const struct loupe_control_layout *layout);
/* Of a block of the forms LOUPE_HEAP_CONTROL, LOUPE_HEAP_MANAGED and LOUPE_HEAP_COUNTED; NULL:
 * nothing counts it any more. */
struct loupe_counted *loupe_heap_counted(const struct loupe_snapshot_builder *builder,
                                         uint32_t block);
/* Takes a word that leads into a block: *ret is false for one like any other. */
enum loupe_status loupe_heap_take_counted_word(struct loupe_snapshot_builder *builder,
                                               const struct loupe_waiting_word *waiting,
                                               uint32_t block, bool *ret);
/* The same of a word of a root: the node that it holds. */
enum loupe_status loupe_heap_counted_root(struct loupe_snapshot_builder *builder,
                                          const struct loupe_waiting_word *waiting, uint32_t *node);
/*
 * held_alone.c: changes the kinds of links once all are there. What is counted is owned by the
 * shared_ptrs alone; and where those and the words among some objects account for all that counts
 * them, nothing else holds these. LOUPE_ENOMEM, LOUPE_ETIMEOUT.
 */
struct loupe_held {
    const struct loupe_snapshot *snapshot; /* without what is native */
    uint8_t *kinds;                        /* by link, those of its columns */
    const uint32_t *labels;
    uint32_t *retain_counts; /* by node, as the following */
    const uint8_t *marks;
};
enum loupe_status loupe_heap_find_held_alone(struct loupe_snapshot_builder *builder,
                                             const struct loupe_held *held);

/* class_memory.c: fills `class_links`; their words are described. */
enum loupe_status loupe_heap_find_class_memory(struct loupe_snapshot_builder *builder);

/* unused.c: words of the runtime's tables that hold nothing are described. LOUPE_ENOMEM,
 * LOUPE_ETIMEOUT. */
enum loupe_status loupe_heap_leave_out_unused(struct loupe_snapshot_builder *builder);

/* described.c: fills `found` and `described`. */
enum loupe_status loupe_heap_find_described(struct loupe_snapshot_builder *builder);
/* The slot of a link, for a reference of the node whose references are found. */
uint32_t loupe_heap_slot_number(const struct loupe_snapshot_builder *builder, loupe_addr slot,
                                const struct loupe_edge *edge);
/* dangling.c: keeps a reference of that node if what stands at `word` was freed for certain; `to`
 * is the node there, LOUPE_NO_NODE: none. LOUPE_ENOMEM. */
enum loupe_status loupe_heap_keep_dangling(struct loupe_snapshot_builder *builder, uint64_t word,
                                           uint32_t to, loupe_addr slot,
                                           const struct loupe_edge *edge);
enum loupe_link_kind loupe_heap_link_kind(const struct loupe_edge *edge);
/*
 * words.c: calls visit() for each word of a stretch of memory that leads into a block and that
 * nothing describes. What cannot be read is counted by pages.
 */
enum loupe_status loupe_heap_scan(struct loupe_snapshot_builder *builder, struct loupe_range range,
                                  loupe_heap_visit *visit);
/* Fills `words`. */
enum loupe_status loupe_heap_find_words(struct loupe_snapshot_builder *builder);
/* left_behind.c: marks it, once all references are known. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_heap_mark_left_behind(struct loupe_snapshot_builder *builder);
/* thread_stacks.c: adds all threads, where their stacks can be told. LOUPE_ENOMEM. */
enum loupe_status loupe_heap_take_threads(struct loupe_snapshot_builder *builder);
/* The number of a thread, which is added where it is new. LOUPE_ENOMEM. */
enum loupe_status loupe_heap_thread_number(struct loupe_snapshot_builder *builder, uint64_t id,
                                           uint32_t *ret);
/* Which frame of a thread a word of its stack is in; LOUPE_NONE: not known. */
uint32_t loupe_heap_frame_of(const struct loupe_snapshot_builder *builder, uint32_t thread,
                             loupe_addr slot);
/* roots.c */
enum loupe_status loupe_heap_find_roots(struct loupe_snapshot_builder *builder);
/* notes.c: adds what was not looked at or not followed. LOUPE_ENOMEM. */
enum loupe_status loupe_heap_note_all(struct loupe_snapshot_builder *builder,
                                      struct loupe_vector *notes);
/* freeze.c: takes what there is out of the builder. */
enum loupe_status loupe_heap_freeze(struct loupe_snapshot_builder *builder,
                                    struct loupe_snapshot *ret);

#endif
