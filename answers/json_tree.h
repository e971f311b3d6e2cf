/*
 * json_tree.h - an answer of the protocol, read back: JSON as a tree in an arena.
 *
 * Reads what base/json.c writes, and any other JSON: the bytes may come from anywhere. Whoever asks
 * for what is not there gets a value of kind JSON_NULL, so that questions can follow each other
 * without a look in between.
 */
#ifndef LOUPE_ANSWERS_JSON_TREE_H
#define LOUPE_ANSWERS_JSON_TREE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"

enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_ARRAY,
    JSON_OBJECT
};

struct json_value {
    enum json_kind kind;
    uint32_t count;         /* of an array or object: its values */
    struct loupe_span key;  /* in an object: UTF-8 */
    struct loupe_span text; /* UTF-8 of a text; the digits of a number */
    const struct json_value *first, *next;
};

/* Deeper than any answer; and nobody's stack grows with it. */
enum { JSON_DEEPEST = 64 };

/*
 * The whole text is one value. Spans point into text, which must stay, or into the arena.
 * LOUPE_EUSAGE: it is no JSON, *err says at which byte; LOUPE_ENOMEM, which *err says too.
 */
enum loupe_status json_read(struct loupe_span text, struct loupe_arena *arena,
                            const struct json_value **ret, struct loupe_error *err);

/* The last member of that name; JSON_NULL where there is none or value is no object. Never NULL. */
const struct json_value *json_member(const struct json_value *value, const char *name);
/* Empty where it is no text. */
struct loupe_span json_text(const struct json_value *value, const char *name);
/* 0 where it is no whole number that fits. */
uint64_t json_uint(const struct json_value *value, const char *name);
/* The same of a value itself. */
uint64_t json_number(const struct json_value *value);
/* Whether there is a member of that name, null or not. */
bool json_has(const struct json_value *value, const char *name);
bool json_texts_equal(struct loupe_span a, struct loupe_span b);
bool json_is_true(const struct json_value *value, const char *name);

/* Each value of an array or object. */
#define JSON_EACH(item, value)                                                                     \
    for (const struct json_value *item = (value)->first; item; item = item->next)

#endif
