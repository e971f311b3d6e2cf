/*
 * unread.h - members that may own objects in a way that nothing in the target describes: C++
 * objects in ivars and captures, collections of an unknown layout, plain pointers. What they are
 * and which objects have one, so that a host with debug info can look, and ask again with what it
 * found (facts.h).
 */
#ifndef LOUPE_UNREAD_H
#define LOUPE_UNREAD_H

#include "base/target/target.h"
#include "base/text.h"
#include "base/vector.h"
#include "blocks/captures.h"
#include "edges/facts.h"
#include "graph/graph.h"

/* A member of all objects of a class, or of all blocks or byrefs of one shape. */
struct loupe_unread_member {
    enum loupe_finding reason;
    enum loupe_node_kind kind;   /* of what it is a member of */
    const char *class_name;      /* the class that declares it; NULL for blocks and byrefs */
    struct loupe_span name;      /* empty: it has none that the target knows */
    struct loupe_span type;      /* "vector<id>", mangled in blocks; empty: not known */
    uint32_t offset;             /* bytes from the start of the object */
    uint32_t size;               /* bytes; 0: not known */
    enum loupe_memory_mode mode; /* of the class that declares it, of the block's code */
    bool is_pointer;             /* met only where plain_pointer.h finds what `reason` says */
    uint32_t pointed_size;       /* of a pointer: bytes that its type says are there; 0: none */
    bool guessed;                /* what it seems to own is followed: no finding */
    uint64_t count;              /* objects that were met, without those that a host has read */
    uint64_t listed;             /* of them, on this page or one before */
    loupe_addr example;          /* the first of them */
    uint32_t first, last;        /* in objects, on this page; LOUPE_NO_UNREAD: none */
};

struct loupe_unread_object {
    loupe_addr address;
    loupe_addr holder; /* of a byref: the block that led to it; else 0 */
    uint32_t member;   /* number of it */
    uint32_t next;     /* in objects, of the member on this page; LOUPE_NO_UNREAD ends */
};

#define LOUPE_NO_UNREAD UINT32_MAX

struct loupe_unread {
    struct loupe_vector members; /* of struct loupe_unread_member */
    struct loupe_vector objects; /* of struct loupe_unread_object: the first ones that were met */
    const struct loupe_facts *facts; /* what the host has read */
    uint32_t most_objects;           /* that are kept; 0 at first, as the next */
    uint32_t page_size;              /* objects that are listed at once */
    uint32_t page_start, page_end;   /* in objects: those that are listed now */
};

void loupe_unread_init(struct loupe_unread *unread, const struct loupe_facts *facts,
                       const struct loupe_chunk_ops *chunks);

/* Forgets all objects, not the members: they are to be met anew. */
void loupe_unread_forget(struct loupe_unread *unread);

/* Lists the objects that come after those listed now, in place of them. */
void loupe_unread_turn_page(struct loupe_unread *unread);

/* Adds a member that no object has yet, whose count is 0. LOUPE_ENOMEM. */
enum loupe_status loupe_unread_add(struct loupe_unread *unread,
                                   const struct loupe_unread_member *member);

static inline struct loupe_unread_member *loupe_unread_member(const struct loupe_unread *unread,
                                                              uint32_t number) {
    return loupe_vector_at(&unread->members, number, sizeof(struct loupe_unread_member));
}

/*
 * An object with the member was met; holder as in struct loupe_unread_object. Counts it, here and
 * in the findings, unless the host has read it: *was_read_ret. LOUPE_ENOMEM.
 */
enum loupe_status loupe_unread_note(struct loupe_unread *unread, uint32_t member, loupe_addr object,
                                    loupe_addr holder, struct loupe_findings *findings,
                                    bool *was_read_ret);

/*
 * Whether the word at an offset of an object lies in one of these members, and the host has read
 * that one.
 */
bool loupe_unread_was_read(const struct loupe_unread *unread, uint32_t first_member,
                           uint32_t member_count, loupe_addr object, uint32_t offset);

#endif
