/*
 * backtraces.h - the question where threads of this process are: taken, named, written.
 */
#ifndef LOUPE_STACKS_BACKTRACES_H
#define LOUPE_STACKS_BACKTRACES_H

#include "backtraces/report.h"

struct loupe_backtraces_question {
    struct loupe_threads_wanted wanted;
    const struct loupe_frame *own; /* of the thread that asks: the function that was called */
    const char *arguments;         /* "register": the threads that a debugger holds, or NULL */
    bool as_text;                  /* for people, else JSON */
};

/* images and memory are of this process. LOUPE_OK also where the answer is an error; else the
 * sink's failure. */
enum loupe_status loupe_backtraces_answer(const struct loupe_backtraces_question *question,
                                          struct loupe_images *images, struct loupe_memory *memory,
                                          const struct loupe_chunk_ops *chunks,
                                          struct loupe_sink sink);

/* That there is no answer, and why: a line for people, else JSON. */
enum loupe_status loupe_backtraces_write_error(bool as_text, const struct loupe_envelope *envelope,
                                               const struct loupe_error *err,
                                               struct loupe_sink sink);

#endif
