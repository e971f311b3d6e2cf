/*
 * given.h - what a host knows of members that nothing in the target describes: references that a
 * debugger found in C++ objects by debug info, in collections by its formatters. Arguments:
 *
 *     ref FROM KIND CLAIM EVIDENCE SLOT WORD PATH    a reference
 *     read ADDRESS    the member (or the whole object) there was read to its end: it is not counted
 *                     as not followed, and nothing is guessed about it
 *     list COUNT      name up to COUNT objects that have members which were not read
 *
 *   FROM      address of the object that holds the reference
 *   KIND      as in the protocol: ivar, capture, element ...
 *   CLAIM     what is known of its ownership, a name of enum loupe_claim below
 *   EVIDENCE  who found it: debug-info, formatter
 *   SLOT      where it stands: "+0x20" in FROM, "0x7f00" elsewhere, "-" nowhere that is known
 *   WORD      what stands there
 *   PATH      what a person would write: "_peers[0]"
 *
 * A host outside the target is not trusted: an argument that makes no sense ends the question.
 */
#ifndef LOUPE_GIVEN_H
#define LOUPE_GIVEN_H

#include "base/arguments.h"
#include "base/map.h"
#include "base/vector.h"
#include "graph/graph.h"

enum loupe_claim {
    LOUPE_CLAIM_STRONG,  /* "strong": it is owned */
    LOUPE_CLAIM_MEMBER,  /* "member": owned unless the runtime knows the slot for a weak one */
    LOUPE_CLAIM_UNCLEAR, /* "unclear": the same, and it may be unretained */
    LOUPE_CLAIM_MANUAL,  /* "manual": written in code without ARC */
    LOUPE_CLAIM_COUNT
};

struct loupe_given_reference {
    uint64_t word;
    loupe_addr slot;      /* 0: not known */
    const char *path;     /* in the arena */
    const char *evidence; /* static storage */
    uint32_t offset;      /* bytes from the start of its source, where has_offset is set */
    uint32_t next;        /* number of the next one of the same source; LOUPE_NO_GIVEN ends */
    uint8_t kind;         /* enum loupe_edge_kind */
    uint8_t claim;        /* enum loupe_claim */
    bool has_offset;
};

#define LOUPE_NO_GIVEN UINT32_MAX

enum {
    LOUPE_MAX_GIVEN = 1 << 26 /* of each argument; more are refused */
};

struct loupe_given {
    struct loupe_arena *arena;
    struct loupe_vector references; /* of struct loupe_given_reference, in the order of the text */
    struct loupe_map first, last;   /* source -> number of a reference */
    struct loupe_map read;          /* addresses */
    uint32_t list;                  /* objects to name */
};

/* The memory comes from lasting, chunks out of the arena. */
void loupe_given_init(struct loupe_given *given, struct loupe_arena *arena,
                      const struct loupe_chunk_ops *lasting);

/* Whether the argument is one of the above; loupe_given_add() then takes it. */
bool loupe_given_means(const struct loupe_argument *argument);

/* LOUPE_EUSAGE when the argument makes no sense, LOUPE_ELIMIT, LOUPE_ENOMEM. */
enum loupe_status loupe_given_add(struct loupe_given *given, const struct loupe_argument *argument);

/* The first reference of a source, or LOUPE_NO_GIVEN. */
uint32_t loupe_given_first(const struct loupe_given *given, loupe_addr source);
const struct loupe_given_reference *loupe_given_at(const struct loupe_given *given,
                                                   uint32_t number);

/* Whether the member at an address was read to its end. */
bool loupe_given_was_read(const struct loupe_given *given, loupe_addr address);

#endif
