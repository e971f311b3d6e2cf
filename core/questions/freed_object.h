/*
 * freed_object.h - questions about what was freed: who keeps it is no question any more, who still
 * points there is.
 */
#ifndef LOUPE_FREED_OBJECT_H
#define LOUPE_FREED_OBJECT_H

#include "leaks/memory_owners.h"
#include "questions/answering.h"
#include "runtime/freed.h"

/* Refuses an object that reads as well as ever where the question asks what keeps things alive, and
 * it was freed for certain. Who refers to a zombie is answered as of any object. Fills the error.
 */
enum loupe_status loupe_answering_refuse_freed(struct loupe_answering *answering);

/* Writes the answer to a question that was refused: of what was freed for certain, where the
 * question is about owners, with who still points there. */
void loupe_answering_report_refusal(struct loupe_answering *answering);

/* Keys of an answer: references to what was freed, of a heap that was searched. LOUPE_ENOMEM. */
enum loupe_status loupe_answering_report_dangling(struct loupe_answering *answering,
                                                  struct loupe_memory_owners *owners);

/* Whether what was at an address of some memory was freed for certain, asked without a question.
 * Not its class, which lasts no longer. */
bool loupe_was_freed(struct loupe_memory *memory, const struct loupe_chunk_ops *chunks,
                     loupe_addr address, enum loupe_freed_mark *ret);

#endif
