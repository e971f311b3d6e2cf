/*
 * scene.h - what a process consists of, as far as it can hold objects without being in one: the
 * data of its images, the stacks, registers and own variables of its threads, all memory that a
 * word can stand in. It says where roots are looked for, each place with its kind and owner, and
 * where none can be.
 *
 * Made of what the reader tells (base/target/process.h) and what a request adds. Which sections
 * hold no reference, where a thread's variables lie, how much below a stack pointer is in use: all
 * of that is known here, by runtime and platform, and to nobody else.
 *
 * What could not be looked at is a gap, with an owner too.
 */
#ifndef LOUPE_SCENE_H
#define LOUPE_SCENE_H

#include "base/target/process.h"
#include "base/target/target.h"
#include "graph/paths_from_roots.h"
#include "request/request.h"
#include "scene/ranges.h"

/* Memory that is scanned word by word, or, where it is empty, one word. */
struct loupe_root_source {
    enum loupe_root_kind kind;
    struct loupe_range memory;
    loupe_addr word;           /* what a register holds, or a person named */
    const char *image;         /* path of the image whose data it is; NULL: none's */
    uint64_t thread;           /* id of the thread that it belongs to */
    bool of_thread;            /* it belongs to one */
    const char *register_name; /* NULL: no register */
    const char *holder;        /* what of the kernel has the word; NULL: it is not the kernel's */
};

enum loupe_scene_gap_kind {
    LOUPE_GAP_POOLS,              /* objects that autorelease pools will release */
    LOUPE_GAP_REGIONS,            /* memory that the reader did not tell of */
    LOUPE_GAP_IMAGES,             /* the data of images that the reader did not tell of */
    LOUPE_GAP_DATA_PART,          /* data of an image beyond a limit */
    LOUPE_GAP_SYSTEM_DATA,        /* data of the system's libraries beyond a limit */
    LOUPE_GAP_THREADS,            /* threads that the reader did not tell of */
    LOUPE_GAP_STACK,              /* the stack of a thread */
    LOUPE_GAP_STACK_PART,         /* some of it, beyond a limit */
    LOUPE_GAP_REGISTERS,          /* the registers of a thread */
    LOUPE_GAP_THREAD_LOCAL,       /* variables that threads have of their own */
    LOUPE_GAP_LATER_THREAD_LOCAL, /* those of libraries that were loaded later */
    LOUPE_GAP_RAW_MEMORY,         /* memory of C and C++ that is no object */
    LOUPE_GAP_RESERVED,           /* regions larger than any program fills */
    LOUPE_GAP_OF_OTHERS,          /* what somebody else fills in when it is looked at */
    LOUPE_GAP_SHARED,             /* what only the kernel could read of what is shared */
    LOUPE_GAP_NOT_COPIED,         /* what was not read before the process ran on */
    LOUPE_GAP_BEYOND_GIVEN,       /* all that the roots which were named do not reach */
    LOUPE_GAP_COUNT
};

struct loupe_scene_gap {
    enum loupe_scene_gap_kind kind;
    const char *image; /* NULL: of no single one */
    uint64_t thread;   /* id of the one it belongs to */
    bool of_thread;
    uint64_t bytes; /* 0: not known */
};

/* "autorelease-pools" and so on. Static storage. */
const char *loupe_scene_gap_name(enum loupe_scene_gap_kind kind);
/* That of memory which the reader does not look at. */
enum loupe_scene_gap_kind loupe_scene_gap_of_unread(enum loupe_unread_reason reason);

struct loupe_scene {
    struct loupe_target *target;
    struct loupe_vector regions;     /* of struct loupe_process_region, ascending */
    struct loupe_vector sources;     /* of struct loupe_root_source: where roots are looked for */
    struct loupe_vector gaps;        /* of struct loupe_scene_gap */
    struct loupe_ranges not_objects; /* tables whose places look like objects; joined */
    struct loupe_ranges writable;    /* what a word can stand in that leads to an object; joined */
    struct loupe_ranges unused;      /* what is not searched though it can be written */
    bool kernel_told;                /* what the kernel keeps is among the sources, but of these: */
    uint32_t kernel_untold;          /* things of the kernel that hold words nobody tells */
    bool has_swift;                  /* an image of it was made by the compiler of Swift */
    uint64_t thread_local_size;      /* bytes that all images have of variables for each thread */
};

/* Its memory is the target's, and lasts as long as its arena. */
void loupe_scene_init(struct loupe_scene *scene, struct loupe_target *target);

/*
 * Takes the roots that a request names, or, where it names none, all that the reader and the
 * request tell of the process. The runtime is known. What cannot be told is a gap, no failure.
 * Names are copied to the target's arena; those of the request stay its own. LOUPE_ENOMEM.
 */
enum loupe_status loupe_scene_take(struct loupe_scene *scene, const struct loupe_request *request);

static inline const struct loupe_root_source *loupe_scene_source(const struct loupe_scene *scene,
                                                                 uint32_t index) {
    return loupe_vector_at(&scene->sources, index, sizeof(struct loupe_root_source));
}
static inline const struct loupe_scene_gap *loupe_scene_gap(const struct loupe_scene *scene,
                                                            uint32_t index) {
    return loupe_vector_at(&scene->gaps, index, sizeof(struct loupe_scene_gap));
}

#endif
