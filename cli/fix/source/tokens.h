/*
 * tokens.h - a source of C or Objective-C as tokens: enough to find declarations, and nothing of
 * what a compiler knows.
 *
 * Comments are left out, texts are one token, and what preprocessors read is kept apart: how many
 * #if a token stands in (the guard around a whole header is none), and which names are macros here.
 * The bytes may be anything.
 */
#ifndef LOUPE_CLI_FIX_TOKENS_H
#define LOUPE_CLI_FIX_TOKENS_H

#include "base/arena.h"
#include "base/status.h"

enum fix_token_kind {
    FIX_WORD,    /* a name, a keyword, or "@property" */
    FIX_LITERAL, /* a text, a character, a number */
    FIX_MARK     /* any other character */
};

struct fix_token {
    enum fix_token_kind kind;
    uint32_t offset, length;
    uint32_t conditions; /* #if around it */
};

struct fix_source {
    struct loupe_span text;
    struct fix_token *tokens;
    uint32_t count, capacity;
    struct loupe_span *macros; /* names that a #define has here */
    uint32_t macro_count, macro_capacity;
};

/* text.length < 4 GB; it must stay. LOUPE_EUSAGE: a comment, a text or an #if has no end, or an end
 * no beginning; LOUPE_ENOMEM. */
enum loupe_status fix_read_tokens(struct loupe_span text, struct loupe_arena *arena,
                                  struct fix_source *ret);

/* The text of a token; empty for one behind the last. */
struct loupe_span fix_token_text(const struct fix_source *source, uint32_t index);
/* Where one that is there begins and ends, in the bytes. */
size_t fix_token_start(const struct fix_source *source, uint32_t index);
size_t fix_token_end(const struct fix_source *source, uint32_t index);
bool fix_token_is(const struct fix_source *source, uint32_t index, const char *text);
/* Whether it is a name: no keyword with an @, no number. */
bool fix_is_name(const struct fix_source *source, uint32_t index);
/* Whether a text is what a name can be in C; letters beyond ASCII are letters. */
bool fix_can_be_name(struct loupe_span text);
bool fix_is_macro_here(const struct fix_source *source, struct loupe_span name);

/* The bracket that closes the one at a token; the count of tokens where none does. */
uint32_t fix_closing(const struct fix_source *source, uint32_t open);
/* The bracket that opens the one at a token; 0 where none does. */
uint32_t fix_opening(const struct fix_source *source, uint32_t close);

#endif
