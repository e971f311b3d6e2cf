/*
 * native.h - what a snapshot of an Objective-C heap has beside what every snapshot has
 * (snapshot.h): memory that is no object, references with ownership and names, retain counts, what
 * the allocators said. Tables like those of a snapshot: arrays without pointers, numbered from 0,
 * frozen.
 *
 * Nodes are all blocks that allocators gave out, whatever is in them, and the objects outside of
 * the heap that something leads to: constants, classes. A node's address is that of the object,
 * which need not be where its block begins.
 *
 * Links are references that the runtime describes (strong, assumed, weak, not owned), each with a
 * label that names it, and words of memory that lead into a node and that nothing describes:
 * LOUPE_LINK_CONSERVATIVE, without a label. A word makes one link. One that leads into a node
 * behind its beginning counts like one that leads to it.
 */
#ifndef LOUPE_NATIVE_H
#define LOUPE_NATIVE_H

#include "base/tagging.h"
#include "graph/graph.h"
#include "snapshot/snapshot.h"

/* ---- References ---- */

enum {
    LOUPE_LABEL_ASSUMED = 1 << 0,    /* the runtime keeps no record of ownership */
    LOUPE_LABEL_MANUAL = 1 << 1,     /* because the code that declares it is without ARC */
    LOUPE_LABEL_SHARED = 1 << 2,     /* one retain with another reference: struct loupe_edge */
    LOUPE_LABEL_INDEXED = 1 << 3,    /* the slot is an index, written behind the path: [3] */
    LOUPE_LABEL_HAS_OFFSET = 1 << 4, /* the slot is the offset of the word in its node */
    LOUPE_LABEL_PART = 1 << 6,     /* of a variable that as a whole is no reference: of a tuple, an
                                      enum, a value of any type */
    LOUPE_LABEL_DECLARED = 1 << 5, /* assumed, and a property says that it is owned */
};

/* What many links have in common. Strings, or LOUPE_NONE: unknown. */
struct loupe_label {
    uint32_t name, path;  /* of struct loupe_edge_label: "st", "st.x" */
    uint32_t declared_by; /* name of the class of the ivar; of a capture that stands in no block and
                             no context, the closure that has it */
    uint32_t assumption;  /* why an assumed reference is one, or another owns nothing */
    uint32_t doubt;       /* what speaks against it owning anything */
    uint32_t evidence;    /* who found it, if not the core itself */
    uint8_t kind;         /* enum loupe_edge_kind */
    uint8_t flags;
    uint8_t doubts; /* enum loupe_doubt */
    uint8_t reserved;
};

/* An ivar that is a pointer of C: what it points to is memory, and no reference. */
struct loupe_pointer_ivar {
    uint32_t class_number; /* that declares it */
    uint32_t offset;       /* in an instance */
    uint32_t name;         /* string: "st.bytes" */
};

/* ---- Roots: beside enum loupe_root_kind ---- */

struct loupe_root_place {
    uint64_t slot;    /* the word; 0: it is not in memory */
    uint32_t image;   /* string: path of the image whose data it is in, or LOUPE_NONE */
    uint32_t name;    /* string: of the variable, the register, or LOUPE_NONE */
    uint32_t retains; /* that are known to be owned by it */
    uint32_t reserved;
};

/* ---- Retain counts, by node ---- */

#define LOUPE_RETAINS_UNKNOWN    UINT32_MAX       /* also of what has none */
#define LOUPE_RETAINS_IMMORTAL   (UINT32_MAX - 1) /* never freed whatever the references */
#define LOUPE_RETAINS_IMPOSSIBLE (UINT32_MAX - 2) /* what stands in its place is no count */
#define LOUPE_RETAINS_MOST       (UINT32_MAX - 3) /* that many or more */

/* ---- What is known of a node, as bits ---- */

enum {
    LOUPE_NODE_GUESSED = 1 << 0,     /* the allocator is not understood: it may have been freed */
    LOUPE_NODE_OUTSIDE = 1 << 1,     /* in no block: a constant, a class, memory of another kind */
    LOUPE_NODE_DYING = 1 << 2,       /* -dealloc is at work */
    LOUPE_NODE_LEFT_BEHIND = 1 << 3, /* lost, and as a library is known to lose it: known_leaks.h */
};

/* ---- What objects say of themselves: strings, numbers, dates, data ---- */

struct loupe_node_value {
    uint32_t node, text; /* string */
};

/* What a field says whose word leads to a text: a string of C, in quotes, or a selector. */
struct loupe_field_text {
    uint32_t node, field; /* number of the field in the snapshot's table */
    uint32_t text;        /* string */
};

/* An item of a collection whose word is a value and no address: a tagged pointer. */
struct loupe_value_item {
    uint64_t word;
    uint32_t node, slot, label; /* as of a link */
    uint32_t reserved;
};
enum { LOUPE_MOST_VALUE_ITEMS = 1 << 22 };

/* ---- Where it came from ---- */

struct loupe_heap_allocator {
    uint32_t name; /* string: "glibc main arena", "DefaultMallocZone (scalable)" */
    uint32_t why;  /* string: why its blocks are only guessed, or LOUPE_NONE: they are exact */
    uint64_t blocks, bytes;
    uint64_t free_blocks, free_bytes;
};

/* What could not be looked at or followed: findings, gaps of the scene, damage of allocators. */
struct loupe_heap_note {
    uint32_t code, text; /* strings: what a program compares, what a person reads */
    uint64_t count;
    uint64_t example; /* address, or 0 */
    uint32_t is_loss; /* whether the answer is incomplete for it */
    uint32_t reserved;
};

/* ---- References to what was freed: dangling ---- */

/* A described reference of a node, whoever owns what. All numbers but the node's are strings. */
struct loupe_dangling {
    uint64_t target; /* where the freed object was */
    uint32_t from;   /* node */
    uint32_t slot;   /* as of a link */
    uint32_t label;
    uint32_t kind; /* enum loupe_link_kind */
    uint32_t was;  /* the class that it had, or LOUPE_NONE: not known */
    uint32_t why;  /* what tells that it was freed */
};
enum { LOUPE_MOST_DANGLING = 1 << 16 };

/*
 * ---- Who allocated the blocks, where libloupe_record is in the process (recorded/layout.h) ----
 *
 * Stacks are a tree, whose leaves are the innermost frames: a *call* is a frame and the call that
 * led to it, and the number of a stack is that of its innermost call. Callers have lower numbers.
 */

enum { LOUPE_FRAME_FOREIGN = 1 << 0 }; /* in the runtime's library or one of the system's */

struct loupe_recorded_frame {
    uint64_t address; /* that is returned to */
    uint32_t function,
        image;           /* strings, or LOUPE_NONE: of its symbol, of the path of its library */
    uint32_t file, line; /* the same, or LOUPE_NONE and 0 */
    uint32_t flags;
    uint32_t reserved;
};

/* In place of a caller: LOUPE_NONE, nobody called; or frames further out are missing. */
#define LOUPE_CALLER_CUT (UINT32_MAX - 1)

struct loupe_recorded_call {
    uint32_t frame, caller;
};

struct loupe_recorder {
    uint64_t blocks_left_out, stacks_left_out; /* struct loupe_record_header */
    uint32_t state;                            /* enum loupe_recorded_state */
    uint32_t reserved;
};

enum loupe_heap_origin { LOUPE_ORIGIN_LIVE, LOUPE_ORIGIN_CORE };

struct loupe_native_heap {
    const uint32_t *slots;         /* by link: offset of the word in its node, or index */
    const uint32_t *labels;        /* by link: label, or LOUPE_NONE: nothing describes the word */
    const uint32_t *retain_counts; /* by node */
    const uint8_t *marks;          /* by node */
    const uint64_t *class_places;  /* by class: its class object, a block's function; of C++, bytes
                                      of memory before the object; 0: none */
    const struct loupe_label *label_table;
    const struct loupe_root_place *root_places; /* by root */
    const struct loupe_heap_allocator *allocators;
    const struct loupe_heap_note *notes;
    const struct loupe_dangling *dangling;      /* by node */
    const struct loupe_node_value *values;      /* by node, of those that say something */
    const struct loupe_pointer_ivar *pointers;  /* by class */
    const struct loupe_field_text *field_texts; /* by node */
    const struct loupe_value_item *items;       /* by node, those of a list by number */
    const struct loupe_tagging *tagging; /* NULL: an older Loupe wrote it, or values are left out */
    const struct loupe_recorder *recorder; /* NULL: there was none, and nothing of the following */
    const uint32_t *stacks;                /* by node: of who allocated it, or LOUPE_NONE */
    const struct loupe_recorded_call *calls;
    const struct loupe_recorded_frame *frames;
    uint32_t value_count, pointer_count, field_text_count, item_count, label_count, allocator_count,
        note_count, dangling_count, call_count, frame_count;
    uint32_t abi;     /* string: "apple", "gnustep2", "gcc" */
    uint32_t program; /* string: path of the executable, or LOUPE_NONE */
    uint32_t origin;  /* enum loupe_heap_origin */
    uint64_t process; /* number of the process, 0: not known */
    uint64_t raw_blocks, raw_bytes;
};

#endif
