/*
 * describer.h - what the nodes and edges of a graph are called, asked for one by one.
 *
 * Walking costs addresses; names are looked up only for what is shown, hashed or filtered. Where
 * they come from (the target's classes, a test's table) is the describer's business; what works on
 * graphs knows only this.
 *
 * Answers depend on the target alone, never on the order of questions. Texts are the describer's
 * and stay valid until the question ends, except where a buffer is passed.
 */
#ifndef LOUPE_DESCRIBER_H
#define LOUPE_DESCRIBER_H

#include "graph/graph.h"
#include "graph/nonowning.h"

enum loupe_retain_count {
    LOUPE_COUNT_KNOWN,
    LOUPE_COUNT_UNKNOWN,    /* it cannot be read, or the class counts in a way of its own */
    LOUPE_COUNT_IMPOSSIBLE, /* what stands in its place is no count: freed.h */
    LOUPE_COUNT_IMMORTAL    /* never freed whatever the references: static, global, a class */
};

enum { LOUPE_MAX_PATH = 256 }; /* bytes of a path with its NUL; a longer one is cut */

/* How an edge is written. Empty texts are unknown. */
struct loupe_edge_label {
    char name[LOUPE_MAX_PATH]; /* of the ivar, variable or key alone: "st" */
    char path[LOUPE_MAX_PATH]; /* as a person would write it: "st.x", "a[1]", "[3]", "+32" */
    bool has_offset;           /* false where the reference is not in its source (associations) */
    uint32_t offset;           /* bytes from the start of the source */
    loupe_addr slot;           /* address of the word that holds the reference; 0: unknown */
    const char *declared_by;   /* class of the ivar, valid as long as the describer; or NULL */
    const char *closure;       /* that captured it, where nothing stands between; the same */
    bool is_part;              /* of a variable that as a whole is no reference */
    bool manual;               /* the code that declares or captures it is without ARC */
    const char *assumption;    /* why an assumed edge is one, for people; static storage or NULL */
    const char *doubt;         /* what speaks against it; the same */
    const char *evidence;      /* who found it, if not the core itself; static storage or NULL */
};

/* How much speaks against an assumed reference owning what it leads to. */
enum loupe_doubt {
    LOUPE_NO_DOUBT,
    LOUPE_SOME_DOUBT, /* -dealloc never touches the ivar: enough where others may own the object */
    LOUPE_MUCH_DOUBT  /* and its name is that of one not owned: enough */
};

/* Where the function of a block was written, by debug information, and its symbol. Empty: not
 * known. */
struct loupe_written {
    const char *function, *file;
    struct loupe_span symbol;
    uint32_t line; /* 0: not known */
};

struct loupe_freed;
struct loupe_json;
struct loupe_recorded;

struct loupe_describer {
    void *ctx;

    /* "UIView", "__NSMallocBlock__"; empty when it cannot be read. */
    struct loupe_span (*class_name)(void *ctx, const struct loupe_graph *graph, uint32_t node);

    /* Whether the node's class is the named one or inherits from it. Blocks are all "block". */
    bool (*is_kind_of)(void *ctx, const struct loupe_graph *graph, uint32_t node,
                       const char *class_name);

    /* Fills all of *ret. from is the edge's source. */
    void (*label)(void *ctx, const struct loupe_graph *graph, uint32_t from, uint32_t edge,
                  struct loupe_edge_label *ret);

    /* What speaks against an edge of a node, which is LOUPE_ASSUMED. NULL: nobody can tell. */
    enum loupe_doubt (*doubt)(void *ctx, const struct loupe_graph *graph, uint32_t from,
                              uint32_t edge);

    /*
     * How many references keep the node alive, as the target counts them, in the logical sense: 1
     * for an object that one reference holds. *ret is set only for LOUPE_COUNT_KNOWN.
     */
    enum loupe_retain_count (*retain_count)(void *ctx, const struct loupe_graph *graph,
                                            uint32_t node, uint64_t *ret);

    /*
     * The same for a reference that keeps nothing alive; returns why it does not, a phrase for
     * people in static storage. NULL: the graph has none.
     */
    const char *(*label_nonowning)(void *ctx, const struct loupe_graph *graph,
                                   const struct loupe_nonowning_ref *nonowning,
                                   struct loupe_edge_label *ret);

    /* Whether what is or was at an address was freed, by the marks of freed.h. NULL: nobody can
     * tell. */
    bool (*freed)(void *ctx, loupe_addr address, struct loupe_freed *ret);

    /*
     * The stacks that libloupe_record recorded (recorded/recorded.h), NULL where it did not; and
     * the number of the one that allocated a node, 0 where that is not known. NULL: nobody can
     * tell. Of a snapshot only the latter: its stacks are listed by whoever lists the rest of it.
     */
    struct loupe_recorded *(*recorded)(void *ctx);
    uint32_t (*allocated)(void *ctx, const struct loupe_graph *graph, uint32_t node);

    /* Where a block's function was written; false where that is not known. NULL: nobody can tell.
     */
    bool (*written)(void *ctx, const struct loupe_graph *graph, uint32_t node,
                    struct loupe_written *ret);

    /* The line of source in which the ivar of a label was declared, its path cut to cap - 1 bytes;
     * false where that is not known. NULL: nobody can tell. */
    bool (*declared)(void *ctx, const struct loupe_edge_label *label, char *path, size_t cap,
                     uint32_t *line_ret);

    /*
     * The symbol of the function that a block runs, in stripped programs its place in its image,
     * which tells blocks apart that were written in two places; *id_ret is the same for all blocks
     * of one function. False: the node is no block, or the function is in no image. NULL: nobody
     * can tell.
     */
    bool (*block_function)(void *ctx, const struct loupe_graph *graph, uint32_t node,
                           uint64_t *id_ret, char *dst, size_t cap);

    /* A hint that the node's count is asked for soon. NULL: hints are of no use. */
    void (*expect)(void *ctx, const struct loupe_graph *graph, uint32_t node);

    /*
     * What the node says of itself in a few words, as UTF-8 with a NUL that is cut to fit:
     * "\"Milan\"", "42", "3 items". The length; 0: it says nothing. NULL: nobody can tell.
     */
    size_t (*value)(void *ctx, const struct loupe_graph *graph, uint32_t node, char *dst,
                    size_t cap);

    /* Writes members of its object that only a whole heap has: what memory without a class is part
     * of. NULL: there are none. */
    void (*about)(void *ctx, const struct loupe_graph *graph, uint32_t node,
                  struct loupe_json *json);

    /* Bytes of the node in the target; false when unknown. */
    bool (*size)(void *ctx, const struct loupe_graph *graph, uint32_t node, uint64_t *ret);
};

#endif
