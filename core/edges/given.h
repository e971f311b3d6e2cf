/*
 * given.h - what a host knows of members that nothing in the target describes: references that a
 * debugger found in C++ objects by debug info, in collections by its formatters (request.h,
 * `facts`), and which members it has read to their end, so that they are not counted as not
 * followed, and nothing is guessed about them (`read`).
 */
#ifndef LOUPE_GIVEN_H
#define LOUPE_GIVEN_H

#include "base/map.h"
#include "base/vector.h"
#include "request/request.h"

struct loupe_given_reference {
    struct loupe_fact fact;
    uint32_t next; /* number of the next one of the same source; LOUPE_NO_GIVEN ends */
};

#define LOUPE_NO_GIVEN UINT32_MAX

struct loupe_given {
    struct loupe_vector references; /* of struct loupe_given_reference, in the order of the text */
    struct loupe_map first, last;   /* source -> number of a reference */
    struct loupe_map read;          /* addresses */
    uint32_t list;                  /* objects to name */
};

extern const struct loupe_given loupe_nothing_given;

/* The memory comes from lasting, chunks out of an arena. */
void loupe_given_init(struct loupe_given *given, const struct loupe_chunk_ops *lasting);

/* Takes the facts of a request, whose strings outlive *given. LOUPE_ELIMIT for more than
 * LOUPE_MAX_ARGUMENTS, LOUPE_ENOMEM. */
enum loupe_status loupe_given_add(struct loupe_given *given, const struct loupe_request *request);

/* The first reference of a source, or LOUPE_NO_GIVEN. */
uint32_t loupe_given_first(const struct loupe_given *given, loupe_addr source);
const struct loupe_given_reference *loupe_given_at(const struct loupe_given *given,
                                                   uint32_t number);

/* Whether the member at an address was read to its end. */
bool loupe_given_was_read(const struct loupe_given *given, loupe_addr address);

#endif
