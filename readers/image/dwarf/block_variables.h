/*
 * block_variables.h - what the variables are called that blocks capture, by DWARF's description of
 * block literals, versions 4 and 5: the structure that the function of a block takes as its hidden
 * first parameter has a member for each.
 *
 * Any bytes may stand there. What makes no sense tells nothing, and a file that asks for more work
 * than its size gives reason for tells nothing of the rest.
 */
#ifndef LOUPE_READERS_BLOCK_VARIABLES_H
#define LOUPE_READERS_BLOCK_VARIABLES_H

#include "image/dwarf/entries.h"

/* function: of the file, not where it was loaded; offset: in the block. Of a structure each member
 * is one: "record.owner"; the name stays during the visit. */
typedef void loupe_block_variable_visitor(void *ctx, uint64_t function, uint32_t offset,
                                          struct loupe_span name);

/* Visits the captured variables of all blocks of the file. LOUPE_ENOMEM. */
enum loupe_status loupe_block_variables_visit(const struct loupe_dwarf_sections *sections,
                                              const struct loupe_chunk_ops *chunks,
                                              loupe_block_variable_visitor *visit, void *ctx);

#endif
