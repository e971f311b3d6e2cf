/*
 * keepers.h - classes that hold objects where no layout of ivars tells: collections, timers, and
 * whatever else keeps its objects in memory of its own.
 *
 * To teach Loupe one more class:
 *  1. a line in the table of its runtime (keepers_apple.c, ...): the class, the function that finds
 *     its slots and what that function needs to know, with the source of the layout
 *  2. the check that decides whether the layout is the one described: a count that agrees with what
 *     is there, an ivar that must exist. A version that fails it is refused and reported, never
 *     guessed at
 *  3. tests/unit/test_edges_keeper.c, and a program in tests/fixtures/
 *  4. a line in README.md, "What is followed"
 */
#ifndef LOUPE_KEEPERS_H
#define LOUPE_KEEPERS_H

#include "graph.h"
#include "object.h"

enum {
    LOUPE_MAX_RUNS = 4,          /* of one object */
    LOUPE_MAX_ELEMENTS = 1 << 26 /* of one collection; a larger one is not believed */
};

/* Slots at equal distances that hold the same kind of reference. */
struct loupe_run {
    loupe_addr first; /* address of the first slot */
    uint32_t count;   /* slots, empty ones included */
    uint32_t stride;  /* bytes from one to the next */
    uint32_t start;   /* number of the first slot, for its name */
    enum loupe_edge_kind kind;
    bool ordered;        /* the number of a slot means something to a person */
    bool has_markers;    /* odd words that are no objects mark slots as deleted */
    const char *name;    /* what a lone slot is called: "target"; NULL: by number or key */
    loupe_addr keys;     /* of values: address of the first slot's key; 0: none */
    uint32_t key_stride; /* bytes from one key to the next */
};

struct loupe_kept {
    struct loupe_run runs[LOUPE_MAX_RUNS];
    uint32_t run_count;
};

struct loupe_keeper;

/* False: the object's memory does not have the layout described. */
typedef bool loupe_keeper_find_fn(struct loupe_target *target, const struct loupe_object *object,
                                  const struct loupe_keeper *keeper, struct loupe_kept *ret);

/* What one class holds. Further fields mean what the find function makes of them. */
struct loupe_keeper {
    const char *class_name;
    loupe_keeper_find_fn *find;   /* NULL: holds nothing, or `hides` says what is not seen */
    enum loupe_finding finding;   /* what to count where find fails or is NULL and hides is set */
    bool hides;                   /* it holds objects, and nobody knows where */
    uint8_t count_at, count_size; /* the word with the count: its offset, its size (4 or 8) */
    uint8_t count_bits;           /* the low bits of it that are the count */
    uint8_t index_shift;          /* where the index into the table of capacities starts; 0: none */
    uint8_t items_at;             /* offset of the items, or of their address */
    bool items_elsewhere;         /* it is their address */
    uint8_t arrangement;          /* enum of the runtime's file */
};

/* The rule for a class by its own name, superclasses not looked at; NULL: there is none. */
const struct loupe_keeper *loupe_keeper_of(const struct loupe_target *target,
                                           const struct loupe_class *cls);

extern const struct loupe_keeper loupe_keepers_apple[];
extern const unsigned loupe_keeper_count_apple;

#endif
