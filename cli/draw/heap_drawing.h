/*
 * heap_drawing.h - answers about heaps as pages, drawings and reports for machines.
 */
#ifndef LOUPE_CLI_HEAP_DRAWING_H
#define LOUPE_CLI_HEAP_DRAWING_H

#include "draw/drawing.h"
#include "heaps/heap_question.h"
#include "heaps/opened/heap_run.h"

/* Whether --html, --dot or --format ask for one of the answer. */
bool heap_wants_drawing(const struct heap_query *query);

/* Answers as asked, and draws that instead of showing it. The exit status. */
int heap_draw_answer(const struct heap_run *run, int (*answer)(struct heap_run *run));

/* --html and --dot of the verb whose page is that of the whole heap; "-": on stdout. The exit
 * status.
 */
int heap_draw_whole(const struct heap_query *query);

/* Whether a snapshot becomes a picture by the name of the file: .html, .dot. */
bool heap_is_drawing(const char *path);
/* The whole snapshot, with its knots and suspects. path NULL: on stdout. The exit status, after a
 * message. */
int heap_draw_snapshot(struct heap_question *question, enum drawing_format format,
                       const char *path);

#endif
