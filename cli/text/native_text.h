/*
 * native_text.h - what is said of objects and references of a native heap: with names of blocks
 * and captures where the snapshot has them, everything of the target escaped.
 */
#ifndef LOUPE_CLI_NATIVE_TEXT_H
#define LOUPE_CLI_NATIVE_TEXT_H

#include "cycles/cycles.h"
#include "leaks/heap_graph.h"
#include "report/advice.h"

enum { WORDS_SIZE = 512 };

/* A text that is cut where it does not fit. */
struct text {
    char text[WORDS_SIZE];
};

/* As snprintf(); what comes from the target is to be printable. */
struct text text_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What a class of an answer is called: "non-object" of memory without a class. */
struct loupe_span words_class_name(struct loupe_span name);
/* "PhotoScreen", "block", "non-object". */
struct text text_of_class(const struct loupe_snapshot *snapshot, uint32_t node);
/* What all of a class are: "PhotoScreen", "block at PhotoCell.m:42 in -[PhotoCell show]". */
struct text text_of_all(const struct loupe_snapshot *snapshot, uint32_t class_number);
/* "PhotoScreen 0x1f00", "block 0x2f00", "non-object (48 bytes) 0x3f00". */
struct text text_of_object(const struct loupe_snapshot *snapshot, uint32_t node);
/* "the block at PhotoCell.m:42", else by its function, else by its address. */
struct text text_of_block(const struct loupe_snapshot *snapshot, uint32_t node);
/* "Mail.m:57": where the ivar of a label is declared, or nothing. */
struct text text_of_declaration(const struct loupe_snapshot *snapshot,
                                const struct loupe_label *label);
/* "_next", "self", "[3]", "+16": of a link of a node. */
struct text text_of_link(const struct loupe_snapshot *snapshot, uint32_t node, uint32_t link);

/* The same names for answers in JSON. */
extern const struct loupe_heap_names words_names;

/* ---- Of edges of a graph ---- */

uint32_t words_link(const struct loupe_heap_graph *graph, uint32_t from, uint32_t edge);
/* "_next", ... */
struct text text_of_path(const struct loupe_heap_graph *graph, uint32_t from, uint32_t edge);

/* What to change, as one sentence (text_of_fix.c). */
struct text text_of_advice(const struct loupe_heap_graph *graph, const struct loupe_advice *advice);

#endif
