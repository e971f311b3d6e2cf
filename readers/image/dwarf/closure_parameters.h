/*
 * closure_parameters.h - what the parameters of Swift's functions are called, by DWARF, versions 4
 * and 5: what a closure captured comes behind those of its own.
 *
 * Any bytes may stand there. What makes no sense tells nothing, and a file that asks for more work
 * than its size gives reason for tells nothing of the rest.
 */
#ifndef LOUPE_READERS_CLOSURE_PARAMETERS_H
#define LOUPE_READERS_CLOSURE_PARAMETERS_H

#include "image/dwarf/entries.h"

enum { LOUPE_MOST_CLOSURE_PARAMETERS = 64 };

/* function: of the file, not where it was loaded; the names stay during the visit. */
typedef void loupe_closure_parameters_visitor(void *ctx, uint64_t function,
                                              const struct loupe_span *names, uint32_t count);

/* Visits all functions of Swift that have some; one that has more than so many, not. LOUPE_ENOMEM.
 */
enum loupe_status loupe_closure_parameters_visit(const struct loupe_dwarf_sections *sections,
                                                 const struct loupe_chunk_ops *chunks,
                                                 loupe_closure_parameters_visitor *visit,
                                                 void *ctx);

#endif
