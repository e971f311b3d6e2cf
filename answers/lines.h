/*
 * lines.h - text about an answer, line by line: how it looks, where it goes, and the names of
 * objects and references in it. All text of the target in it is escaped (visible.h).
 */
#ifndef LOUPE_ANSWERS_LINES_H
#define LOUPE_ANSWERS_LINES_H

#include "answers/answer.h"
#include "answers/visible.h"
#include "base/json.h"

/* Who shows it, and so what a reader can type next. */
enum answer_host { ANSWER_IN_DEBUGGER, ANSWER_IN_TERMINAL, ANSWER_IN_PROGRAM };

struct answer_look {
    enum answer_host host;
    bool unicode; /* else ASCII alone is drawn with */
    bool color;
    bool verbose; /* nothing is folded */
};

struct answer_glyphs {
    const char *top, *side, *bottom, *gap, *arrow, *bullet;
};

struct answer_lines {
    const struct answer *answer;
    struct answer_look look;
    const struct answer_glyphs *glyphs;
    struct loupe_sink sink;
    enum loupe_status status; /* of the sink; the first failure stays */
    bool was_colored;         /* before what is painted as a whole began */
    struct visible line;      /* the one that is being written */
};

void answer_lines_init(struct answer_lines *lines, const struct answer *answer,
                       const struct answer_look *look, struct loupe_sink sink);

/* ---- Onto the line ---- */

/* As loupe_format(); of texts of ours. */
void answer_say(struct answer_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "5772"; in a terminal "5,772". */
void answer_say_number(struct answer_lines *lines, uint64_t number);
/* "3 × ". */
void answer_say_times(struct answer_lines *lines, uint64_t count);
/* "1 object", "2 objects". */
void answer_say_count(struct answer_lines *lines, uint64_t count, const char *noun);
void answer_say_text(struct answer_lines *lines, struct loupe_span text);
/* "1 entry", "2 entries". */
void answer_say_plural(struct answer_lines *lines, uint64_t count, const char *noun,
                       const char *nouns);
/* "1.2 MB". */
void answer_say_bytes(struct answer_lines *lines, uint64_t bytes);
void answer_say_spaces(struct answer_lines *lines, size_t count);
/* "  " and ASCII at the right of so many columns. */
void answer_say_right(struct answer_lines *lines, const char *text, size_t width);
/* What stands before item i of so many: "a, b and c". */
void answer_say_joint(struct answer_lines *lines, uint64_t i, uint64_t count);
/* The characters of a text. */
size_t answer_width(struct loupe_span text);
/* Hands the line on. */
void answer_end_line(struct answer_lines *lines);
/* What is said of it so far, where a line may grow longer than there is room for. */
void answer_hand_on(struct answer_lines *lines);

/* Colours by meaning; nothing where there are none. */
void answer_paint_name(struct answer_lines *lines);
void answer_paint_cut(struct answer_lines *lines);
void answer_paint_place(struct answer_lines *lines);
void answer_paint_faint(struct answer_lines *lines);
void answer_paint_good(struct answer_lines *lines);
void answer_paint_end(struct answer_lines *lines);
/* From here on one colour, which nothing in it ends. */
void answer_begin_whole(struct answer_lines *lines, void (*paint)(struct answer_lines *lines));
void answer_end_whole(struct answer_lines *lines);

/* ---- Names ---- */

/* "PhotoCell 0x1f00", "block 0x2f00", "__block variable me 0x3f00". */
void answer_say_thing(struct answer_lines *lines, struct loupe_span address);
/* The same painted, and of a block where it was written. */
void answer_say_thing_in_full(struct answer_lines *lines, struct loupe_span address);
/* The class as it is in the source; may be empty. */
struct loupe_span answer_class(const struct answer *answer, struct loupe_span address);
/* The name of a reference that a person would write, else where it stands. */
void answer_say_path(struct answer_lines *lines, const struct json_value *edge);
/* A line of a way: the reference, and what it leads to. */
void answer_say_step(struct answer_lines *lines, const struct json_value *edge);
/* "user info" of "user-info": a kind of reference as people say it. */
void answer_say_kind_word(struct answer_lines *lines, struct loupe_span kind);
/* "ivar", "captured", "ivar, assumed". */
void answer_say_kind(struct answer_lines *lines, const struct json_value *edge);
/* "at PhotoCell.m:42 in -[PhotoCell load]" of the code of a block; without debug info, its symbol.
 * Nothing where that is not known either. */
void answer_say_code(struct answer_lines *lines, const struct json_value *invoke);
/* "PhotoCell.m:42" of what has a file and a line; nothing without a file. */
void answer_say_place(struct answer_lines *lines, const struct json_value *place);

/* ---- Lists of names ---- */

enum { ANSWER_MOST_NAMES = 64 };

/* Each once, in the order of their bytes. */
struct answer_names {
    struct loupe_span items[ANSWER_MOST_NAMES];
    uint32_t count;
    bool has_more; /* that found no room */
};

void answer_add_name(struct answer_names *names, struct loupe_span name);

#endif
