/*
 * answer.h - an answer of the protocol about knots, read as a tree: what its objects and references
 * are called, and what its fixes say.
 */
#ifndef LOUPE_ANSWERS_ANSWER_H
#define LOUPE_ANSWERS_ANSWER_H

#include "answers/fix_sentence.h"
#include "answers/json_tree.h"
#include "base/map.h"

struct answer {
    const struct json_value *root;
    struct loupe_arena *arena;
    struct loupe_map numbers;          /* address -> described */
    const struct json_value **objects; /* by their numbers */
    /* What is known of the code that the block at an address runs and is not in the answer: "in
     * -[PhotoScreen didOpen]"; false: nothing. NULL: nobody to ask. */
    bool (*code)(const char *address, char *dst, size_t cap);
    /* The same: what the variable is called that has the word at an address. */
    bool (*variable)(const char *address, char *dst, size_t cap);
};

/* Everything lives in the arena, and the tree has to last. LOUPE_ENOMEM: nothing is to be closed.
 */
enum loupe_status answer_open(struct answer *answer, const struct json_value *root,
                              struct loupe_arena *arena);
void answer_close(struct answer *answer);

/* The number that "0x1f00" is; 0 for anything else. */
uint64_t answer_address(struct loupe_span text);

/* What it says of an address; of kind JSON_NULL where that is nothing. */
const struct json_value *answer_object(const struct answer *answer, struct loupe_span address);

/* Of what stands in a file: its name as it is to be shown. Empty: it is not known. */
struct loupe_span answer_file_name(const struct json_value *place);
/* What a reference is called; empty, or "+0x20", where it has no name. */
struct loupe_span answer_path(const struct json_value *edge);
/* What the code of a block is called, where somebody is there to ask. Cut to cap bytes. */
bool answer_code_of(const struct answer *answer, struct loupe_span address, char *dst, size_t cap);
/* Whether a value says something: neither null, false, 0 nor empty. */
bool answer_is_set(const struct json_value *value);

enum { ANSWER_LONGEST_FIX = 512 };

/* "Mail.m:57" of what has "file" and "line"; empty where it has no file. Returns the length. */
size_t answer_place(const struct json_value *place, char *dst, size_t cap);

/* The sentence of one fix of a knot, cut to cap bytes with its NUL (cap > 0); its length. */
size_t answer_fix_text(const struct answer *answer, const struct json_value *fix, char *dst,
                       size_t cap);

#endif
