/*
 * facts.h - what a host knows of members that nothing in the target describes: references that a
 * debugger found in C++ objects by debug info, in collections by its formatters (request.h,
 * `facts`), and which members it has read to their end, so that they are not counted as not
 * followed, and nothing is guessed about them (`read`).
 */
#ifndef LOUPE_FACTS_H
#define LOUPE_FACTS_H

#include "base/map.h"
#include "base/vector.h"
#include "request/request.h"

struct loupe_known_fact {
    struct loupe_fact fact;
    uint32_t next; /* number of the next one of the same source; LOUPE_NO_FACT ends */
};

#define LOUPE_NO_FACT UINT32_MAX

struct loupe_facts {
    struct loupe_vector references; /* of struct loupe_known_fact, in the order of the text */
    struct loupe_map first, last;   /* source -> number of a reference */
    struct loupe_map read;          /* addresses */
};

extern const struct loupe_facts loupe_no_facts;

/* The memory comes from arena_chunks, chunks out of an arena. */
void loupe_facts_init(struct loupe_facts *facts, const struct loupe_chunk_ops *arena_chunks);

/* Takes the facts of a request, whose strings outlive *facts. LOUPE_ELIMIT for more than
 * LOUPE_MAX_ARGUMENTS, LOUPE_ENOMEM. */
enum loupe_status loupe_facts_add(struct loupe_facts *facts, const struct loupe_request *request);

/* The first reference of a source, or LOUPE_NO_FACT. */
uint32_t loupe_facts_first(const struct loupe_facts *facts, loupe_addr source);
const struct loupe_known_fact *loupe_facts_at(const struct loupe_facts *facts, uint32_t number);

/* Whether the member at an address was read to its end. */
bool loupe_facts_have_read(const struct loupe_facts *facts, loupe_addr address);

#endif
