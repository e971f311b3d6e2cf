/*
 * edges.h - the references that keep objects alive: where they are found, and what they are called.
 *
 * To follow a new kind of reference:
 *  1. edges_foo.c: one `const struct loupe_edge_source loupe_edges_foo`
 *  2. add it to loupe_edge_sources[] in edges.c; the order is the order in which edges are found,
 *     so that of reports. A new enum loupe_edge_kind, if it needs one, goes into graph.h
 *  3. tests/unit/edges/test_edges_foo.c with a drawn heap, and a program in tests/fixtures/
 *  4. a line in README.md, "What is followed", and in docs/protocol.md
 *
 * The walk is the hot path: it meets millions of objects of a few hundred classes. So a source
 * looks at a class once and keeps what it needs by the class's number (for blocks by descriptor);
 * per object it reads one stretch of memory, allocates nothing and handles no text.
 */
#ifndef LOUPE_EDGES_H
#define LOUPE_EDGES_H

#include "graph/describer.h"
#include "graph/nonowning.h"
#include "runtime/containers/containers.h"
#include "runtime/object.h"
#include "edges/shape.h"
#include "edges/unread.h"

#include <string.h>

struct loupe_walk;

/* One reference, as a source found it. */
struct loupe_reference {
    uint64_t word;   /* what stands in the slot; 0 is no reference */
    loupe_addr slot; /* where it stands */
    uint32_t offset; /* for struct loupe_edge, as are the following */
    uint32_t detail;
    enum loupe_edge_kind kind;
    enum loupe_ownership ownership;
    bool shared;
};

struct loupe_edge_source {
    /*
     * Whether objects of the class can have references of this kind; asked once per class. NULL:
     * those of the node kinds in `kinds` all can.
     */
    bool (*applies)(struct loupe_walk *walk, const struct loupe_class *cls);
    uint32_t kinds; /* set of 1 << enum loupe_node_kind */

    /*
     * Hands the references of a node to loupe_walk_add(). What cannot be followed is a finding of
     * the target; a failure ends the walk (graph.h, loupe_expander).
     */
    enum loupe_status (*emit)(struct loupe_walk *walk, loupe_addr address,
                              const struct loupe_class *cls);

    /* What an edge that it found is called. Fills name, path, has_offset, offset and slot. */
    void (*label)(struct loupe_walk *walk, loupe_addr from, const struct loupe_class *cls,
                  const struct loupe_edge *edge, struct loupe_edge_label *ret);

    /* Why the ownership is only assumed; a phrase for people. NULL: all edges are strong. */
    const char *(*assumption)(const struct loupe_edge *edge);
};

extern const struct loupe_edge_source *const loupe_edge_sources[];
extern const unsigned loupe_edge_source_count;
/* Numbers of sources that walk.c knows. */
enum { LOUPE_IVAR_SOURCE, LOUPE_ASSOCIATION_SOURCE = 4, LOUPE_FACT_SOURCE };

extern const struct loupe_edge_source loupe_edges_ivar;
extern const struct loupe_edge_source loupe_edges_block;
extern const struct loupe_edge_source loupe_edges_byref;
extern const struct loupe_edge_source loupe_edges_association;
extern const struct loupe_edge_source loupe_edges_container;
extern const struct loupe_edge_source loupe_edges_facts;

/* What a walk knows of one class. */
struct loupe_walk_class {
    const struct loupe_class *cls;   /* NULL until it is met */
    uint32_t sources;                /* set of 1 << number of the source */
    bool is_plain;                   /* its objects have ivars, at most associations beside */
    uint64_t bare_isa;               /* edges_association.c: of objects without any; 0: none */
    const struct loupe_shape *shape; /* edges_ivar.c; NULL until it is needed */
    const struct loupe_container_rule *rule; /* edges_container.c */
    uint32_t unread;                         /* the same: number of the unread member that it is */
    bool is_shown;                           /* session.c: its slots were told to the host */
};

/* Whether an object of the class with this isa has no associations. May move the window. */
bool loupe_walk_is_bare(const struct loupe_walk *walk, struct loupe_walk_class *known,
                        uint64_t isa);

/*
 * Takes what the sources find, in place of a graph: whoever has all nodes already (heap/). Nodes
 * are numbered by the taker.
 */
struct loupe_reference_taker {
    void *ctx;
    /* The node with a number. */
    struct loupe_node (*node)(void *ctx, uint32_t number);
    /*
     * A reference of the node that is expanded, also one that owns nothing: a word that is neither
     * nil nor a tagged pointer, and where it stands (0: not known). edge->to is as in a shape's
     * slots. A failure ends the walk.
     */
    enum loupe_status (*take)(void *ctx, uint64_t word, loupe_addr slot,
                              const struct loupe_edge *edge);
    /* The same for a word that is a tagged pointer; NULL: nobody asks. */
    enum loupe_status (*take_value)(void *ctx, uint64_t word, loupe_addr slot,
                                    const struct loupe_edge *edge);
    /* Those that come next are of this group; NULL: of none. */
    void (*enter)(void *ctx, const struct loupe_slot_group *group);
};

/* A reference that waits for being looked up. */
struct loupe_found {
    uint64_t word;
    loupe_addr slot;
    uint32_t from;          /* the node whose edge it will be */
    uint32_t guess;         /* the node that it probably leads to, or LOUPE_NO_NODE */
    struct loupe_edge edge; /* `to` as in a shape's slots */
};

/* The tag of the nodes whose first word is this one. */
struct loupe_known_isa {
    uint64_t isa; /* 0: none */
    uint32_t tag;
};
enum { LOUPE_KNOWN_ISAS = 64 };

/* A walk over the target: the expander of graph.h and the memory of the sources. */
struct loupe_walk {
    struct loupe_target *target;
    struct loupe_graph *graph; /* while it expands; NULL: there is a taker */
    const struct loupe_reference_taker *taker;
    struct loupe_found *found; /* walk.c's own, as are the following */
    uint32_t found_count;
    uint32_t node;                                 /* that is expanded */
    struct loupe_known_isa isas[LOUPE_KNOWN_ISAS]; /* by hash of the isa */
    struct loupe_map tag_of_isa;                   /* all of them */
    bool stuck;                                    /* a failure left references behind */
    struct loupe_vector classes;                   /* of struct loupe_walk_class, by class number */
    struct loupe_map block_shapes;                 /* key of edges_block.c -> number of the shape */
    struct loupe_map holders;        /* node of a byref -> the node that led to it first */
    struct loupe_map byref_shapes;   /* key of edges_byref.c -> number of the shape */
    struct loupe_vector shapes;      /* of struct loupe_shape, of blocks and byrefs */
    const struct loupe_facts *facts; /* what the host knows: nothing, or loupe_walk_believe() */
    struct loupe_map fact_slots;   /* edges_facts.c: outside of objects, that references stand in */
    struct loupe_unread unread;    /* what nobody has read */
    struct loupe_map dealloc_says; /* own_dealloc.c: by class and offset */
    struct loupe_contents named;   /* edges_container.c: of the object whose edges it named last */
    loupe_addr named_address;      /* 0: none */
    uint64_t shape_words_left;     /* budget: words of instances that shapes look at */
    uint64_t pointed_words_left;   /* budget: words of memory behind plain pointers */
    uint8_t source;                /* number of the one that emits */
    const char *weakly_owned;      /* class whose objects records of weak references may own, as a
                                      container that owns them so is not understood; NULL: none */
    bool explains;                 /* set before it begins: keep references that own nothing, too */
    struct loupe_nonowning_refs nonowning;
    struct loupe_freed_slots freed;
};

enum { LOUPE_POINTED_WORDS = 1 << 18, LOUPE_SHAPE_WORDS = 1 << 26 };

/* The target has an abi. All memory is the target's. */
void loupe_walk_init(struct loupe_walk *walk, struct loupe_target *target);

/* What the host knows, which may grow between two calls of the walk's functions. */
void loupe_walk_believe(struct loupe_walk *walk, const struct loupe_facts *facts);

/* Adds a first node, which is not there yet. The graph is walked to its end before another one is
 * begun. */
enum loupe_status loupe_walk_seed(struct loupe_walk *walk, struct loupe_graph *graph,
                                  const struct loupe_object *object);

/* For loupe_graph_build(). */
struct loupe_expander loupe_walk_expander(struct loupe_walk *walk);

/*
 * Hands all references of a node to the taker, which the caller has set; there is no graph. What
 * cannot be followed is a finding of the target, as in a walk. LOUPE_ETIMEOUT, and what the taker
 * fails with.
 */
enum loupe_status loupe_walk_hand_over(struct loupe_walk *walk, uint32_t number);

/* For takers: keeps a reference of a node by name that leads to no object, if it leads to what was
 * freed for certain: a use after free in waiting. */
void loupe_walk_keep_freed(struct loupe_walk *walk, uint32_t from, uint64_t word,
                           const struct loupe_edge *edge);

/* The node with a number, of the graph or the taker. */
struct loupe_node loupe_walk_node(const struct loupe_walk *walk, uint32_t number);

/*
 * For a walk that goes on when the host has learnt more: adds what the facts from a number on lead
 * to, as edges of nodes that are open already; those of other nodes are found when these are
 * opened. The graph is not frozen.
 */
enum loupe_status loupe_walk_follow_facts(struct loupe_walk *walk, struct loupe_graph *graph,
                                          uint32_t first);
/* edges_facts.c: the reference that one fact about the node that is expanded tells of. */
enum loupe_status loupe_fact_follow(struct loupe_walk *walk, loupe_addr address,
                                    const struct loupe_class *cls, uint32_t number);

/*
 * Adds an edge from the node that is expanded, and its target where that is new, now or a little
 * later: in the order of the calls. nil and tagged pointers are no references; what is no valid
 * object is counted. LOUPE_OK unless the walk has to end.
 */
enum loupe_status loupe_walk_add(struct loupe_walk *walk, const struct loupe_reference *reference);

/* Keeps a word as a reference that owns nothing, from the node that is expanded; place is where it
 * stands, 0: not known. LOUPE_ENOMEM. */
enum loupe_status loupe_walk_add_nonowning(struct loupe_walk *walk, uint64_t word, loupe_addr place,
                                           const struct loupe_edge *slot);

/* edges_container.c: what the slot of a group with a number is called: name and path. */
void loupe_container_name_slot(struct loupe_walk *walk, const struct loupe_slot_group *group,
                               const struct loupe_group_slot *slot, uint32_t number,
                               struct loupe_edge_label *ret);

/* The sources that objects of a class have references from: a set of 1 << number. cls NULL: byrefs.
 */
uint32_t loupe_walk_sources(struct loupe_walk *walk, enum loupe_node_kind kind,
                            const struct loupe_class *cls);

/* What the walk keeps for a class. NULL: no memory. */
struct loupe_walk_class *loupe_walk_class(struct loupe_walk *walk, const struct loupe_class *cls);

/* The node that led to a byref first: a block's. */
uint32_t loupe_walk_holder(const struct loupe_walk *walk, uint32_t byref);

/* The class of a node, NULL for a byref. */
const struct loupe_class *loupe_walk_node_class(const struct loupe_walk *walk,
                                                struct loupe_node node);

/* A word of the target out of bytes that were read. */
static inline uint64_t loupe_load_word(uint8_t pointer_size, const uint8_t *bytes) {
    uint64_t word = 0;
    if (pointer_size == 8)
        memcpy(&word, bytes, 8);
    else
        memcpy(&word, bytes, 4);
    return word;
}

#endif
