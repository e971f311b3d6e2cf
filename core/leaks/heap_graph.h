/*
 * heap_graph.h - the references that own, of a snapshot of an Objective-C heap, as a graph with a
 * describer: so that knots, rings, verdicts, fixes and fingerprints (cycles/cycles.h) are for whole
 * heaps what they are for one object.
 *
 * A graph is made of some of the snapshot's objects, in one of three ways; the edges of each are
 * its strong and assumed references to objects that are in the graph. Only where it is asked for
 * also words that nothing describes are edges: LOUPE_EDGE_WORD, assumed to own.
 */
#ifndef LOUPE_HEAP_GRAPH_H
#define LOUPE_HEAP_GRAPH_H

#include "analysis/heap_knots.h"
#include "analysis/reach.h"
#include "graph/describer.h"
#include "snapshot/native.h"

/* Links that are references which own, or may; and those that may own although nothing says so. */
#define LOUPE_LINKS_OWNED (1u << LOUPE_LINK_STRONG | 1u << LOUPE_LINK_ASSUMED)
#define LOUPE_LINKS_MAYBE (LOUPE_LINKS_OWNED | 1u << LOUPE_LINK_CONSERVATIVE)
/* Those that are described and own nothing: struct loupe_nonowning_ref, never edges. */
#define LOUPE_LINKS_UNOWNED (1u << LOUPE_LINK_WEAK | 1u << LOUPE_LINK_UNOWNED)

/* The texts of one label, ended by a NUL. */
struct loupe_label_texts {
    const char *declared_by, *assumption, *doubt, *evidence;
    bool is_made;
};

struct loupe_heap_graph;
struct loupe_advice; /* report/advice.h */

/* What is said with the names that debug information knows. */
struct loupe_heap_names {
    /* The sentence of a fix, cut to cap bytes with its NUL. */
    void (*fix)(const struct loupe_heap_graph *graph, const struct loupe_advice *advice, char *dst,
                size_t cap);
    /* What a root is, the same. */
    void (*root)(const struct loupe_snapshot *snapshot, uint32_t root, char *dst, size_t cap);
};

/* What only the target tells, while it stands still. Each answers 0 or false: not known. */
struct loupe_heap_live {
    void *ctx;
    /* The place of the word that a described link of a node is, where that is not in the node. */
    loupe_addr (*slot)(void *ctx, uint32_t node, uint32_t link);
    /* Bytes of an object, in a block that may have more. */
    bool (*size)(void *ctx, uint32_t node, uint64_t *ret);
};

/* Whose memory without a class is: writes a member into an object that is open. */
struct loupe_heap_memory {
    void *ctx;
    void (*put_owner)(void *ctx, uint32_t node, struct loupe_json *json);
};

struct loupe_heap_graph {
    const struct loupe_snapshot *snapshot; /* a native one */
    /* For answers that are written, or NULL. Set when all is found: fingerprints and filters go by
     * what the target alone says. */
    const struct loupe_heap_names *names;
    const struct loupe_heap_live *live;     /* or NULL */
    const struct loupe_heap_memory *memory; /* of an answer that is written, or NULL */
    struct loupe_arena *arena;
    loupe_link_kinds kinds; /* of the links that are its edges */
    struct loupe_graph graph;
    struct loupe_findings findings; /* what a limit left out */
    struct loupe_vector nodes;      /* by node of the graph: that of the snapshot, uint32_t */
    struct loupe_label_texts *labels;
    /* The answer's: stacks that the describer named are marked there (report/report_stacks.h);
     * NULL: it names none. */
    struct loupe_marks *shown_stacks;
};

/*
 * Of the objects in knots, and those that hold one of them. arena: for names, and has to last as
 * long. 4 bytes a node of the snapshot while it runs. On failure (LOUPE_ENOMEM) there is nothing to
 * deinit. The graph must not move.
 */
enum loupe_status loupe_heap_graph_of_knots(const struct loupe_snapshot *snapshot,
                                            const struct loupe_heap_knots *knots,
                                            const struct loupe_chunk_ops *chunks,
                                            struct loupe_arena *arena,
                                            struct loupe_heap_graph *ret);
/* Of one object, which is node 0, and all that it keeps alive, as a walk from it finds them; limit
 * as in loupe_graph_init(). */
enum loupe_status loupe_heap_graph_from(const struct loupe_snapshot *snapshot, uint32_t node,
                                        uint64_t limit, const struct loupe_chunk_ops *chunks,
                                        struct loupe_arena *arena, struct loupe_heap_graph *ret);
/* Some objects, each once. */
struct loupe_heap_choice {
    const uint32_t *nodes;
    uint32_t count;
    loupe_link_kinds kinds; /* of the links that are edges */
    bool with_targets; /* what they lead to is there too, without edges of its own; else only edges
                          between them are */
};
/* Of these, in their order. */
enum loupe_status loupe_heap_graph_of(const struct loupe_snapshot *snapshot,
                                      const struct loupe_heap_choice *choice,
                                      const struct loupe_chunk_ops *chunks,
                                      struct loupe_arena *arena, struct loupe_heap_graph *ret);
void loupe_heap_graph_deinit(struct loupe_heap_graph *graph);

/* The snapshot's node of one of the graph. */
static inline uint32_t loupe_heap_graph_node(const struct loupe_heap_graph *graph, uint32_t node) {
    return *(const uint32_t *)loupe_vector_at(&graph->nodes, node, sizeof(uint32_t));
}

/* The link that an edge of a node was made of. */
uint32_t loupe_heap_graph_link(const struct loupe_heap_graph *graph, uint32_t from,
                               const struct loupe_edge *edge);
/* And back: the edge of a node of the graph that a link was made into; LOUPE_NO_EDGE: none. */
uint32_t loupe_heap_graph_edge(const struct loupe_heap_graph *graph, uint32_t from, uint32_t link);
/* The edge that a link is, to a node of the graph. */
struct loupe_edge loupe_native_edge(const struct loupe_snapshot *snapshot, uint32_t link,
                                    uint32_t to);
/* kinds: of all links of the snapshot. Those of edges that filters rule out own nothing from now
 * on: LOUPE_LINK_UNOWNED. */
void loupe_heap_graph_rule_out(const struct loupe_heap_graph *graph, uint8_t *kinds);

/* The kinds of all links of a snapshot in a copy, which what follows may change, and its columns
 * with them. LOUPE_ENOMEM. */
enum loupe_status loupe_kinds_copy(const struct loupe_snapshot *snapshot,
                                   const struct loupe_chunk_ops *chunks,
                                   struct loupe_columns *columns_ret, uint8_t **kinds_ret);
/* Gives the copy back, if there is one. */
void loupe_kinds_put(const struct loupe_snapshot *snapshot, const struct loupe_chunk_ops *chunks,
                     uint8_t **kinds);

/* What its nodes and edges are called. Texts last as long as the arena. */
struct loupe_describer loupe_describe_heap(struct loupe_heap_graph *graph);

/* ---- Of nodes and links of native snapshots ---- */

enum loupe_node_kind loupe_native_node_kind(const struct loupe_snapshot *snapshot, uint32_t node);
/* What describers call it: a class by its own name, a byref "__block variable". */
struct loupe_span loupe_native_class_name(const struct loupe_snapshot *snapshot, uint32_t node);
/* Whether it is memory without a class: no object, nor of a type of C++ or Swift. */
bool loupe_native_is_memory(const struct loupe_snapshot *snapshot, uint32_t node);
/* Such memory, to be counted apart from objects. Of heaps that are not native there is none. */
struct loupe_others loupe_memory_apart(const struct loupe_snapshot *snapshot);
/* The runtime whose objects the heap has; NULL: none, or it is not known. */
const struct loupe_abi *loupe_heap_abi(const struct loupe_snapshot *snapshot);
/* What the words of its objects say that are values: tagged_values.h. */
const struct loupe_tagging *loupe_heap_tagging(const struct loupe_snapshot *snapshot);
/* Whether references can be weak in it. */
bool loupe_heap_has_weak_references(const struct loupe_snapshot *snapshot);
/* Whether it is an instance of a class of that name or of a subclass; blocks are a "block" too. */
bool loupe_native_is_kind_of(const struct loupe_snapshot *snapshot, uint32_t node,
                             const char *name);
/* The label of a link, or NULL: nothing describes it. */
const struct loupe_label *loupe_native_label(const struct loupe_snapshot *snapshot, uint32_t link);
/* "st.x", "[3]", "+16": how a link of a node is written. */
void loupe_native_path(const struct loupe_snapshot *snapshot, uint32_t link,
                       char ret[LOUPE_MAX_PATH]);
/* The same by the label, NULL: nothing describes it. */
void loupe_native_slot_path(const struct loupe_snapshot *snapshot, const struct loupe_label *label,
                            uint32_t slot, char ret[LOUPE_MAX_PATH]);
enum loupe_retain_count loupe_native_retain_count(const struct loupe_snapshot *snapshot,
                                                  uint32_t node, uint64_t *ret);

#endif
