/*
 * answer.h - pictures of answers that docs/protocol.md describes: retain-cycles, cycles, leaks,
 * suspects, path, retained.
 *
 * An answer may come from anywhere, also from a file that somebody made: what is not there is
 * passed over, and nothing in it is believed to be in range.
 */
#ifndef LOUPE_PICTURES_ANSWER_H
#define LOUPE_PICTURES_ANSWER_H

#include "answers/json_tree.h"
#include "pictures/picture.h"

/*
 * *ret points into the answer's tree, its text and the arena, which must stay. An answer that is an
 * error makes a picture that says so. LOUPE_EUSAGE: no answer that can be drawn; LOUPE_ENOMEM.
 */
enum loupe_status picture_of_answer(const struct json_value *answer, struct loupe_arena *arena,
                                    struct picture *ret, struct loupe_error *err);

/* Adds the findings of another answer to a picture; as above. */
enum loupe_status picture_add_answer(struct picture *picture, const struct json_value *answer,
                                     struct loupe_error *err);

#endif
