/*
 * containers.h - classes that hold objects where no layout of ivars tells: collections, timers, and
 * whatever else keeps its objects in memory of its own.
 *
 * To teach Loupe one more class:
 *  1. a line in the table of its runtime (containers_apple.c, ...): the class, the function that
 * finds its slots and what that function needs to know, with the source of the layout
 *  2. the check that decides whether the layout is the one described: a count that agrees with what
 *     is there, an ivar that must exist. A version that fails it is refused and reported, never
 *     guessed at
 *  3. tests/unit/edges/test_edges_container.c, and a program in tests/fixtures/
 *  4. a line in README.md, "What is followed"
 */
#ifndef LOUPE_CONTAINERS_H
#define LOUPE_CONTAINERS_H

#include "graph/graph.h"
#include "runtime/object.h"

enum {
    LOUPE_MAX_SLOT_GROUPS = 16,  /* of one object */
    LOUPE_MAX_ELEMENTS = 1 << 26 /* of one collection; a larger one is not believed */
};

/* Slots at equal distances that hold the same kind of reference. */
struct loupe_slot_group {
    loupe_addr first; /* address of the first slot */
    uint32_t count;   /* slots, empty ones included */
    uint32_t stride;  /* bytes from one to the next */
    uint32_t start;   /* number of the first slot, for its name */
    enum loupe_edge_kind kind;
    bool nonowning;       /* it owns nothing: for walks that explain */
    bool ordered;         /* the number of a slot means something to a person */
    bool through_records; /* slots are weak, yet own: they may hold a record of the runtime's */
    bool has_markers;     /* odd words that are no objects mark slots as deleted */
    bool ends_memory;     /* behind the last slot is room that may have what was removed */
    const char *name;     /* what a lone slot is called: "target"; NULL: by number or key */
    loupe_addr keys;      /* of values: address of the first slot's key; 0: none */
    uint32_t key_stride;  /* bytes from one key to the next */

    /*
     * Not 0: the slots are in the nodes of a table of chains, count nodes in all. `first` is the
     * table of this many pairs {nodes, first node}; a node begins with the address of the next.
     */
    uint32_t chains;
    uint8_t slot_in_node, key_in_node; /* bytes; key_in_node 0: no key */

    /*
     * Not 0: the slots stand in blocks of this many, and `first` is the table of the blocks'
     * addresses. The first slot of each is first_in_block bytes from its start.
     */
    uint32_t per_block;
    uint8_t first_in_block;

    /* Whether a slot is one of the group; the others are passed over. NULL: all are. */
    bool (*counts)(struct loupe_target *target, const struct loupe_slot_group *group,
                   loupe_addr slot);
    loupe_addr owner; /* for that function */
};

/* The slots of a group, one by one. number is that of the slot last given. */
struct loupe_slot_group_cursor {
    const struct loupe_slot_group *group;
    uint32_t number, taken;
    uint32_t chain;  /* the next one to open */
    loupe_addr node; /* the next one; 0: open a chain */
};

/* One slot. key is the address of its key's slot; 0: none. */
struct loupe_group_slot {
    loupe_addr address, key;
};

struct loupe_slot_group_cursor loupe_slot_group_begin(const struct loupe_slot_group *group);
/* False after the last slot, and where a chain cannot be followed to its end. */
bool loupe_slot_group_next(struct loupe_target *target, struct loupe_slot_group_cursor *cursor,
                           struct loupe_group_slot *ret);
/* The slot of a number; false when there is none. Walks the chains up to it. */
bool loupe_slot_group_slot_at(struct loupe_target *target, const struct loupe_slot_group *group,
                              uint32_t number, struct loupe_group_slot *ret);

struct loupe_contents {
    struct loupe_slot_group groups[LOUPE_MAX_SLOT_GROUPS];
    uint32_t group_count;
    bool is_partial; /* there are references that the groups do not have */
};

struct loupe_container_rule;

/* False: the object's memory does not have the layout described. */
typedef bool loupe_container_find_fn(struct loupe_target *target, const struct loupe_object *object,
                                     const struct loupe_container_rule *rule,
                                     struct loupe_contents *ret);

/* An ivar that holds a strong reference, or one that it holds while a flag is set. */
struct loupe_contained_ivar {
    const char *name; /* or a member's path, "_iop.__completion"; NULL ends a list */
    enum loupe_edge_kind kind;
    const char *flag; /* a char ivar: owned while it is not 0; NULL: always owned */
};

/* What one class holds. Further fields mean what the find function makes of them. */
struct loupe_container_rule {
    const char *class_name;
    loupe_container_find_fn *find; /* NULL: holds nothing, or `is_opaque` says what is not seen */
    enum loupe_finding finding; /* what to count where find fails or is NULL and is_opaque is set */
    bool is_opaque;             /* it holds objects, and nobody knows where */
    uint8_t count_at, count_size; /* the word with the count: its offset, its size (4 or 8) */
    uint8_t count_bits;           /* the low bits of it that are the count */
    uint8_t index_shift;          /* where the index into the table of capacities starts; 0: none */
    uint8_t items_at;             /* offset of the items, or of their address */
    bool items_elsewhere;         /* it is their address */
    uint8_t arrangement;          /* enum of the runtime's file */
    const struct loupe_contained_ivar *ivars; /* all that it owns is in these; NULL: none */
    const struct loupe_contained_ivar
        *some_ivars;                  /* and in these, of which a version may lack some */
    const char *private_ivar;         /* leads to memory of the class's own */
    const char *const *private_words; /* its first words, all owned, up to NULL; NULL: not known */
    const char *weakly_owned; /* a class whose objects it owns by slots that are weak; NULL: none */
};

/* The rule for a class by its own name, superclasses not looked at; NULL: there is none. */
const struct loupe_container_rule *loupe_container_rule_of(const struct loupe_target *target,
                                                           const struct loupe_class *cls);

/* The rule for a class, its own or the nearest inherited one, and the class that it is for. NULL:
 * there is none. */
const struct loupe_container_rule *
loupe_container_rule_inherited(struct loupe_target *target, const struct loupe_class *cls,
                               const struct loupe_class **level_ret);

/*
 * The offset of an ivar that the class or a superclass declares, or of a member of one: "_list",
 * "slice.items". False: there is none, or its place in the struct is not certain. Remembered by the
 * path's address: it is a string literal.
 */
bool loupe_container_ivar(struct loupe_target *target, const struct loupe_class *cls,
                          const char *path, uint32_t *ret);

/*
 * Whether the rule speaks for all ivars of the class that it is for, so that nobody else looks at
 * them. Not when it looks for ivars by names that this version of the class does not have.
 */
bool loupe_container_rule_knows_ivars(struct loupe_target *target,
                                      const struct loupe_container_rule *rule,
                                      const struct loupe_class *cls);

/* A find function: the ivars of both lists. */
bool loupe_container_find_ivars(struct loupe_target *target, const struct loupe_object *object,
                                const struct loupe_container_rule *rule,
                                struct loupe_contents *ret);

extern const struct loupe_container_rule loupe_containers_apple[];
extern const unsigned loupe_container_count_apple;
/* What class an object of gnustep-base had that is a zombie now; NULL: not known. */
const char *gnustep_class_of_zombie(struct loupe_target *target, loupe_addr zombie);

extern const struct loupe_container_rule loupe_containers_gnustep[];
extern const unsigned loupe_container_count_gnustep;

#endif
