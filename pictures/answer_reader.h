/*
 * answer_reader.h - what the files that read answers share: objects by their addresses, arrows.
 */
#ifndef LOUPE_PICTURES_ANSWER_READER_H
#define LOUPE_PICTURES_ANSWER_READER_H

#include "answers/answer.h"
#include "pictures/picture.h"

struct answer_reader {
    struct picture *picture;
    const struct json_value *answer;
    struct answer said;                  /* the same, for sentences */
    const struct json_value **described; /* objects that the answer describes, by number */
    uint32_t described_count, described_capacity;
    struct loupe_map numbers; /* address -> number among those */
    struct loupe_map things;  /* address -> thing */
    uint32_t earlier;         /* findings of answers that were read before */
};

/* All of these fail with LOUPE_ENOMEM. */

/* Lets an object be known by its address before somebody refers to it. */
enum loupe_status answer_describe(struct answer_reader *reader, struct loupe_span address,
                                  const struct json_value *object);
/* The thing at an address; one that nothing describes has no class. */
enum loupe_status answer_thing(struct answer_reader *reader, struct loupe_span address,
                               uint32_t *ret);
/* An EDGE. */
enum loupe_status answer_arrow(struct answer_reader *reader, const struct json_value *edge,
                               struct picture_arrow *ret);

/* ---- answer_knots.c, answer_paths.c: the parts of an answer that are findings ---- */

enum loupe_status answer_knots(struct answer_reader *reader);
enum loupe_status answer_leaks(struct answer_reader *reader);
enum loupe_status answer_suspects(struct answer_reader *reader);
enum loupe_status answer_paths(struct answer_reader *reader);

#endif
