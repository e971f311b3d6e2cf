/*
 * request.h - what a question says beside its address, in typed fields.
 *
 * Front ends write it as one line of text, the same for every engine (docs/protocol.md,
 * "Arguments"). loupe_request_decode() is the only one that reads this text; the commands' encoder
 * is lldb_commands/engines/arguments.py.
 *
 * To add an argument: a field here, a line in known_arguments[] in request.c, a function in
 * arguments.py, a line in docs/protocol.md, and one in tests/unit/base/arguments.txt, which the
 * tests of both sides read.
 */
#ifndef LOUPE_REQUEST_H
#define LOUPE_REQUEST_H

#include "base/arena.h"
#include "base/status.h"
#include "graph/filter.h"
#include "graph/paths_from_roots.h"

/* "root", "scan": an object that is a root, or memory whose words are (edges/roots/roots.h). */
struct loupe_named_root {
    enum loupe_root_kind kind;
    bool is_memory;
    struct loupe_range range; /* of an object: where it starts, twice */
};

#define LOUPE_MAX_SCAN (UINT64_C(1) << 32) /* bytes of one named root */

/* "register": what a debugger knows of a thread and the process itself does not. Those of one
 * thread stand side by side; where there are any, there are no other threads than those that have
 * some. */
struct loupe_known_register {
    uint64_t thread;  /* id */
    const char *name; /* as LLDB has it */
    uint64_t value;
};

/* What is known of the ownership of a reference that a host found. */
enum loupe_fact_ownership {
    LOUPE_FACT_STRONG,  /* "strong": it is owned */
    LOUPE_FACT_MEMBER,  /* "member": owned unless the runtime knows the slot for a weak one */
    LOUPE_FACT_UNCLEAR, /* "unclear": the same, and it may be unretained */
    LOUPE_FACT_MANUAL,  /* "manual": written in code without ARC */
    LOUPE_FACT_OWNERSHIP_COUNT
};

/* "strong", ... Static storage. */
const char *loupe_fact_ownership_name(enum loupe_fact_ownership ownership);

/* "ref": a reference that a host found where nothing in the target describes it (edges/facts.h). */
struct loupe_fact {
    loupe_addr source; /* the object that holds it */
    uint64_t word;
    loupe_addr slot;      /* where the word stands; 0: not known */
    const char *path;     /* what a person would write, not empty */
    const char *evidence; /* "debug-info" or "formatter"; static storage */
    uint32_t offset;      /* bytes from the start of its source, where has_offset is set */
    uint8_t kind;         /* enum loupe_edge_kind */
    uint8_t ownership;    /* enum loupe_fact_ownership */
    bool has_offset;
};

enum {
    LOUPE_MAX_LISTED = 1 << 26,   /* "list" */
    LOUPE_MAX_ARGUMENTS = 1 << 26 /* of one request; more are refused */
};

struct loupe_request {
    struct loupe_filter *filters; /* in the order of the text, as all that follow */
    struct loupe_named_root *roots;
    struct loupe_known_register *registers;
    struct loupe_range *debuggers; /* "debugger": memory it put into the process for itself */
    struct loupe_fact *facts;
    loupe_addr *read; /* members, or whole objects, that the host has read to their end */
    loupe_addr *code; /* "code": addresses whose methods are wanted */
    uint32_t filter_count, root_count, register_count, debugger_count, fact_count, read_count,
        code_count;
    uint32_t listed; /* objects with undescribed members to name; 0: none */
    const char
        *class_name;      /* "class": that the question is about, in place of an address; or NULL */
    const char *selector; /* "selector": the name of a method that is wanted; or NULL */
    bool without_standard_filters;
    bool surveys;  /* only the undescribed members are asked for (session.h) */
    bool explains; /* references that own nothing are kept, too */
    bool has_stack_pointer;
    loupe_addr stack_pointer; /* of the thread that asks */
};

/*
 * Decodes a text (NULL: an empty one) into arrays and strings in the arena, which outlives them.
 * LOUPE_EUSAGE with a message that quotes it for an argument that is unknown or makes no sense,
 * LOUPE_ELIMIT for too many, LOUPE_ENOMEM; then *ret is not to be used.
 */
enum loupe_status loupe_request_decode(const char *text, struct loupe_arena *arena,
                                       struct loupe_request *ret, struct loupe_error *err);

#endif
