/*
 * drawing.h - answers of the tool as pages, drawings and reports for machines.
 */
#ifndef LOUPE_CLI_DRAWING_H
#define LOUPE_CLI_DRAWING_H

#include "answers/json_tree.h"
#include "pictures/picture.h"

enum drawing_format {
    DRAWING_HTML,
    DRAWING_DOT,
    DRAWING_GITHUB,
    DRAWING_GITLAB,
    DRAWING_MARKDOWN,
    DRAWING_SARIF,
    DRAWING_JUNIT,
    DRAWING_WORDS,       /* what is to be said of it, as JSON: for the commands in lldb */
    DRAWING_FORMAT_COUNT /* none */
};

/* By its name: html, dot, github, … DRAWING_FORMAT_COUNT: there is none. */
enum drawing_format drawing_format_named(const char *name);
/* By the ending of a file's name. */
enum drawing_format drawing_format_of_file(const char *path);

struct drawing {
    enum drawing_format format;
    const char *path;  /* NULL: stdout */
    const char *title; /* NULL: what is found says it */
    bool all;          /* nothing is folded in a drawing for Graphviz */
    bool append;       /* of reports: behind those that the file has */
    /* Of reports, where a line is not known: what the user named, and what was asked about. NULL:
     * nothing. */
    const char *anchor, *program;
    const char *topic; /* of messages */
    const char *input; /* the file of the answer, for messages; NULL: it is in none */
};

/* Writes the picture, with the patterns that come with loupe. The exit status, after a message. */
int draw_picture(struct picture *picture, const struct drawing *drawing);
/* The same of an answer, a line of JSON. */
int draw_answer(struct loupe_span answer, const struct drawing *drawing);
/* The same of one that was read. */
int draw_tree(const struct json_value *tree, struct loupe_arena *arena,
              const struct drawing *drawing);

#endif
