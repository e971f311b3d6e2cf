/*
 * captures.h - the captures of a block, as a table or as JSON.
 *
 * In JSON, "captures" lists the references and what may hold some (C++ objects), so that a layout
 * and a symbol that describe the same block give the same list; the bytes between them, which only
 * some sources describe, are in "other". The table has both.
 */
#ifndef LOUPE_CLI_EXPLAIN_CAPTURES_H
#define LOUPE_CLI_EXPLAIN_CAPTURES_H

#include "blocks/captures.h"
#include "explain/explain.h"

/* Writes the keys "captures" and "other" into an object. */
void show_captures_json(struct loupe_json *json, const struct loupe_captures *captures);

/* Prints the table, or that there is nothing. False: no memory. */
bool show_captures_table(const struct loupe_captures *captures);

#endif
