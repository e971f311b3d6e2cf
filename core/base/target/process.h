/*
 * process.h - what a reader can tell of a process beside its bytes: its memory, images and threads.
 *
 * Nothing here is needed to follow references. It is what the scene is made of
 * (scene/scene.h): which words can hold a reference without being in an object.
 *
 * All functions may be NULL, for what cannot be told. Those that visit call visit() for one thing
 * after the other until it returns something else than LOUPE_OK, which they return then.
 * LOUPE_EFAULT of their own: not all could be told, and the visits that were made hold. What they
 * hand over is valid until visit() returns.
 */
#ifndef LOUPE_PROCESS_H
#define LOUPE_PROCESS_H

#include "base/status.h"

/* Memory of one protection; end is excluded. */
struct loupe_process_region {
    loupe_addr start, end;
    bool readable, writable;
    bool is_stack;        /* the system says that it was made for a stack */
    bool is_of_allocator; /* the system says that malloc() made it: it has blocks, and else nothing
                             of the program's */
};

struct loupe_process_section {
    const char *name; /* ".data"; of Mach-O with or without its segment: "__DATA,__data" */
    loupe_addr start;
    uint64_t size;
    bool loaded; /* else start says nothing: what threads have copies of need not be anywhere */
    bool writable;
};

struct loupe_process_thread {
    uint64_t id; /* the system's; in some cores their number from 0 on */
    /* Where the values stand that it has of its own, by key; equal: the system does not tell. */
    loupe_addr variables_start, variables_end;
    const char *name; /* NULL: not known */
};

/* A function that a thread is in. */
struct loupe_process_frame {
    loupe_addr place;  /* the instruction it is at, or a byte of the call that it waits for */
    loupe_addr end;    /* where its part of the stack ends, the next one's begins; 0: not known */
    const char *image; /* path of the program or library; NULL: not known */
};

/* A zone of an allocator, by its own account. */
struct loupe_process_zone {
    const char *name;
    loupe_addr address;
    bool told;    /* its blocks follow: all that are in use; else it does not tell them */
    bool unasked; /* it would take memory, and a lock, to tell them: its tables are to be read */
};

/* What the kernel keeps for the process, and gives back to it some day. */
struct loupe_process_kernel_word {
    const char *holder; /* "data of file 4 in epoll 3", "value of timer 0" */
    uint64_t word;
    bool told; /* else what it holds is not told: "requests of io_uring 5" */
};

/* Why memory that may be written to is not looked at. */
enum loupe_unread_reason {
    LOUPE_UNREAD_OF_OTHERS, /* somebody else fills it in when it is looked at (userfaultfd, FUSE) */
    LOUPE_UNREAD_HIDDEN,    /* the process has no pages there, and nobody tells what it shares */
    LOUPE_UNREAD_IN_TIME,   /* the process ran on before it could be copied */
    LOUPE_UNREAD_COUNT
};

struct loupe_process_unread {
    enum loupe_unread_reason reason;
    uint64_t bytes;
    loupe_addr first;
    bool is_loss; /* something of the process may stand there */
};

typedef enum loupe_status (*loupe_region_visit)(void *visitor,
                                                const struct loupe_process_region *region);
typedef enum loupe_status (*loupe_image_visit)(void *visitor, uint32_t image, const char *path);
typedef enum loupe_status (*loupe_section_part_visit)(void *visitor,
                                                      const struct loupe_process_section *section);
typedef enum loupe_status (*loupe_thread_visit)(void *visitor, uint32_t thread,
                                                const struct loupe_process_thread *about);

typedef enum loupe_status (*loupe_process_frame_visit)(void *visitor,
                                                       const struct loupe_process_frame *frame);

typedef enum loupe_status (*loupe_kernel_word_visit)(void *visitor,
                                                     const struct loupe_process_kernel_word *word);

typedef enum loupe_status (*loupe_unread_visit)(void *visitor,
                                                const struct loupe_process_unread *unread);

typedef enum loupe_status (*loupe_zone_visit)(void *visitor, const struct loupe_process_zone *zone);
typedef enum loupe_status (*loupe_block_visit)(void *visitor, loupe_addr start, uint64_t size);

struct loupe_process_ops {
    /* All that is mapped, ascending, without memory that the host itself put there. */
    enum loupe_status (*regions)(void *ctx, loupe_region_visit visit, void *visitor);
    /* All loaded images, in any order, numbered for sections(). One may come twice. */
    enum loupe_status (*images)(void *ctx, loupe_image_visit visit, void *visitor);
    /* Sections that have no others inside; where an image does not tell of any, its segments, whose
     * names are "". */
    enum loupe_status (*sections)(void *ctx, uint32_t image, loupe_section_part_visit visit,
                                  void *visitor);
    /* All threads, the first one of the process first; numbered for the two below. */
    enum loupe_status (*threads)(void *ctx, loupe_thread_visit visit, void *visitor);
    /* A register of the innermost frame, by the name that LLDB has for it. False: not known. */
    bool (*thread_register)(void *ctx, uint32_t thread, const char *name, uint64_t *ret);
    /* Where the outermost frame that is known ends; 0: not known. */
    loupe_addr (*frames_end)(void *ctx, uint32_t thread);
    /* The frames of a thread, the innermost first, as far as they can be told. LOUPE_ELIMIT: there
     * are more than anybody follows. */
    enum loupe_status (*frames)(void *ctx, uint32_t thread, loupe_process_frame_visit visit,
                                void *visitor);
    /* All addresses that the kernel keeps, of the kinds that it tells of: data of epolls, values of
     * timers. Numbers may be left out. */
    enum loupe_status (*kernel_words)(void *ctx, loupe_kernel_word_visit visit, void *visitor);
    /* Every zone, each before its blocks, of hosts that can ask the zones themselves. LOUPE_EFAULT
     * before any visit: they cannot be asked now, and their tables are read instead. */
    enum loupe_status (*zones)(void *ctx, loupe_zone_visit visit, loupe_block_visit visit_block,
                               void *visitor);
    /* What the reader refuses to look at, so that nobody waits for it and nothing is made by a
     * look: as much as is known of it so far. LOUPE_EFAULT: nobody tells. */
    enum loupe_status (*unread)(void *ctx, loupe_unread_visit visit, void *visitor);
    /* Microseconds for which the process has stood still for the question so far; 0: it does not.
     * NULL: it stands still anyway. */
    uint64_t (*paused)(void *ctx);
};

#endif
