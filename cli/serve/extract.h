/*
 * extract.h - a part of an answer that a client can hold: one page of its list, and of everything
 * else as much as fits, with what was left out.
 */
#ifndef LOUPE_SERVE_EXTRACT_H
#define LOUPE_SERVE_EXTRACT_H

#include "base/json.h"
#include "answers/json_tree.h"

enum { EXTRACT_LEFT_OUT = 12 };

struct extract {
    const char *list;  /* a member of the answer; NULL: no pages */
    uint64_t first;    /* of its rows */
    uint32_t most;     /* rows */
    size_t most_bytes; /* of the whole, about */
    size_t most_text;  /* of one text; 0: as much as a text that is to be read has */
    struct loupe_arena *arena;
    /* What became of it: */
    uint32_t shown; /* rows */
    bool has_more;
    struct extract_left_out {
        char where[120]; /* as in "suspects[].addresses" */
        uint64_t count;
        bool is_text;
    } left_out[EXTRACT_LEFT_OUT];
    uint32_t left_out_count;
    bool no_memory;
};

/* The answer as the next value; its "objects" by address are those that rows name. */
void extract_write(struct extract *extract, struct loupe_json *json,
                   const struct json_value *answer);
/* "page" and "left_out", into the object that is open. cursor: of the next page; NULL: there is
 * none. */
void extract_describe(const struct extract *extract, struct loupe_json *json, const char *cursor);

#endif
