/*
 * status.h - how the core says that something went wrong.
 *
 * Two kinds, told apart:
 *  - A *failure* ends the question: no memory, nothing readable at the address, no runtime, the
 *    budget is used up. It is a loupe_status, with a loupe_error that says what and where.
 *  - A *finding* does not: an ivar that cannot be read, a collection of an unknown version. It is
 *    counted by reason, with one example, and ends up in the answer under "not_followed".
 *
 * Functions return LOUPE_OK (0) or the failure; results come last and are untouched on failure.
 * A message says what is wrong with what, in lower case and without a full stop. One about an
 * address begins with it: "0x1f00 is not an object: ...", so that a front end can put the name
 * there that was typed. The front end also adds "error:" and what to do next.
 */
#ifndef LOUPE_STATUS_H
#define LOUPE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An address in the target. A number: the core never makes a pointer of it. */
typedef uint64_t loupe_addr;

/* Memory from start to before end. */
struct loupe_range {
    loupe_addr start, end;
};

enum loupe_status {
    LOUPE_OK = 0,
    LOUPE_EUSAGE,     /* the question makes no sense: bad option, nil */
    LOUPE_ENOTOBJECT, /* the address does not lead to an Objective-C object */
    LOUPE_EFAULT,     /* target memory that cannot be read */
    LOUPE_ENORUNTIME, /* no Objective-C runtime that Loupe knows */
    LOUPE_ELIMIT,     /* a budget of ours is used up */
    LOUPE_ETIMEOUT,   /* the host asked us to stop */
    LOUPE_ENOMEM,     /* our own memory ran out */
    LOUPE_EINTERNAL,  /* a defect of ours */
    LOUPE_STATUS_COUNT
};

/* The word for a status in JSON answers ("unreadable", ...). Static storage. */
const char *loupe_status_name(enum loupe_status status);

/*
 * What exactly is wrong, for programs: whoever has to act on it compares this, never a message. The
 * words are in status.c, in the same order, and in docs/protocol.md.
 */
enum loupe_error_detail {
    LOUPE_DETAIL_NONE,
    LOUPE_DETAIL_NIL,              /* a question about nil */
    LOUPE_DETAIL_ARGUMENT,         /* an argument that is unknown or makes no sense */
    LOUPE_DETAIL_TAGGED_POINTER,   /* an object without memory */
    LOUPE_DETAIL_UNALIGNED,        /* no object can be there */
    LOUPE_DETAIL_UNUSED_STACK,     /* it is below the stack pointer */
    LOUPE_DETAIL_FREED,            /* it was an object */
    LOUPE_DETAIL_MAYBE_FREED,      /* it looks so */
    LOUPE_DETAIL_NO_CLASS,         /* its first word leads to no class */
    LOUPE_DETAIL_UNREADABLE_CLASS, /* its first word leads to what cannot be read */
    LOUPE_DETAIL_INSIDE_OBJECT,    /* it is inside of an object */
    LOUPE_DETAIL_NO_BLOCK,         /* an object, and no block */
    LOUPE_DETAIL_BAD_BLOCK,        /* a block whose descriptor makes no sense */
    LOUPE_DETAIL_NO_MEMORY,        /* our own memory ran out */
    LOUPE_DETAIL_COUNT
};

/* The word for a detail in JSON answers; NULL for none. Static storage. */
const char *loupe_detail_name(enum loupe_error_detail detail);

struct loupe_error {
    enum loupe_status code;
    enum loupe_error_detail detail;
    loupe_addr address; /* what the message is about; 0 when it is about no address */
    char message[200];
};

/*
 * Fills *err (which may be NULL) and returns code, so that `return loupe_fail(...)` reads well.
 * Takes the formats of loupe_format().
 */
enum loupe_status loupe_fail(struct loupe_error *err, enum loupe_status code, loupe_addr address,
                             const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * Adds the detail to what loupe_fail() has just put into *err (which may be NULL). Returns status:
 *     return loupe_detail(err, LOUPE_DETAIL_NIL, loupe_fail(err, LOUPE_EUSAGE, 0, "..."));
 */
enum loupe_status loupe_detail(struct loupe_error *err, enum loupe_error_detail detail,
                               enum loupe_status status);

/* The same where a step failed that has no words of its own: by code, about the address. */
enum loupe_status loupe_fail_at(struct loupe_error *err, enum loupe_status code,
                                loupe_addr address);

/*
 * Why something was not followed. Codes and texts are in status.c; to add a reason add a line in
 * both places.
 */
enum loupe_finding {
    LOUPE_FINDING_UNREADABLE,        /* memory that could not be read */
    LOUPE_FINDING_NOT_AN_OBJECT,     /* a strong slot that holds no valid object */
    LOUPE_FINDING_BLOCK_LAYOUT,      /* a block whose captures nothing describes */
    LOUPE_FINDING_BYREF_LAYOUT,      /* a __block variable of unknown layout */
    LOUPE_FINDING_CLASS_LAYOUT,      /* a class whose ivars nothing describes */
    LOUPE_FINDING_SWIFT,             /* a Swift object or closure context */
    LOUPE_FINDING_CXX,               /* a C++ member that may own objects */
    LOUPE_FINDING_POINTER_TO_MEMORY, /* a plain pointer to memory that has objects in it */
    LOUPE_FINDING_POINTER_TO_OBJECT, /* a plain pointer that leads to an object */
    LOUPE_FINDING_COLLECTION_LAYOUT, /* a collection of a layout we do not know */
    LOUPE_FINDING_OPAQUE_HOLDER,     /* an object known to hold more than can be seen */
    LOUPE_FINDING_ASSOCIATIONS,      /* associated objects, where the table cannot be read */
    LOUPE_FINDING_LIMIT,             /* objects beyond the limit of the walk */
    LOUPE_FINDING_INTERRUPTED,       /* objects left when the host ended the walk */
    LOUPE_FINDING_SEARCH,            /* knots not searched to their end for the same reason */
    LOUPE_FINDING_COUNT
};

struct loupe_findings {
    struct {
        uint64_t count;
        loupe_addr example; /* the first address that was counted */
    } by_reason[LOUPE_FINDING_COUNT];
};

void loupe_findings_add(struct loupe_findings *findings, enum loupe_finding reason,
                        loupe_addr example);

/* What a person reads about the reason, and what a program compares. Static storage. */
const char *loupe_finding_text(enum loupe_finding reason);
const char *loupe_finding_code(enum loupe_finding reason);

#endif
