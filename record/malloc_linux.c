/*
 * Stands in the place of malloc and its family when the library is preloaded, and calls the next
 * ones in the order of the dynamic linker: glibc's, or those that the program brought along.
 *
 * What one allocator function calls in turn is its own business, and no block of the program: only
 * the outermost call of a thread counts.
 */
#include "counts.h"
#include "recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* ---- The next ones ---- */

typedef void *malloc_fn(size_t);
typedef void free_fn(void *);
typedef void *calloc_fn(size_t, size_t);
typedef void *realloc_fn(void *, size_t);
typedef void *reallocarray_fn(void *, size_t, size_t);
typedef void *memalign_fn(size_t, size_t);
typedef int posix_memalign_fn(void **, size_t, size_t);
typedef int dlclose_fn(void *);

static struct {
    malloc_fn *malloc, *valloc, *pvalloc;
    free_fn *free;
    calloc_fn *calloc;
    realloc_fn *realloc;
    reallocarray_fn *reallocarray;
    memalign_fn *memalign, *aligned_alloc;
    posix_memalign_fn *posix_memalign;
} next;

/* What is asked for while the next ones are looked up: dlsym() allocates now and then. */
static struct {
    _Alignas(16) char bytes[1 << 14];
    size_t used;
} early;

static bool is_early(const void *block) {
    uintptr_t address = (uintptr_t)block, start = (uintptr_t)early.bytes;
    return address >= start && address < start + sizeof(early.bytes);
}

/* Zeroed, and never given back; its size stands before it. */
static void *get_early(size_t size) {
    const size_t unit = _Alignof(max_align_t);
    if (size > sizeof(early.bytes))
        return NULL;
    size_t rounded = (size + 2 * unit - 1) / unit * unit;
    size_t start = __atomic_fetch_add(&early.used, rounded, __ATOMIC_RELAXED);
    if (start + rounded > sizeof(early.bytes))
        return NULL;
    memcpy(early.bytes + start, &size, sizeof(size));
    return early.bytes + start + unit;
}

static size_t early_size(const void *block) {
    size_t size;
    memcpy(&size, (const char *)block - _Alignof(max_align_t), sizeof(size));
    return size;
}

/* A function of ISO C is no object, but dlsym() returns one. */
#define FIND(name)                                                                                 \
    do {                                                                                           \
        void *found = dlsym(RTLD_NEXT, #name);                                                     \
        memcpy(&next.name, &found, sizeof(found));                                                 \
    } while (0)

static _Thread_local bool looks_up __attribute__((tls_model("initial-exec")));

/* False: it is being looked up. malloc comes last, since it says that all are there. */
static bool know_next(void) {
    if (__atomic_load_n(&next.malloc, __ATOMIC_ACQUIRE))
        return true;
    if (looks_up)
        return false;
    looks_up = true;
    FIND(free);
    FIND(calloc);
    FIND(realloc);
    FIND(reallocarray);
    FIND(memalign);
    FIND(aligned_alloc);
    FIND(posix_memalign);
    FIND(valloc);
    FIND(pvalloc);
    loupe_recorder_begin();
    FIND(malloc);
    looks_up = false;
    return next.malloc != NULL;
}

/* ---- Calls ---- */

/*
 * The frame of the outermost call that has not returned; a call from further out shows that it
 * never will, since a longjmp() led out of it.
 */
static _Thread_local uintptr_t outermost __attribute__((tls_model("initial-exec")));

struct call {
    uintptr_t frame;
    bool counts;
};

static inline struct call begin_call(const void *frame) {
    struct call call = {(uintptr_t)frame, false};
    bool is_outermost = !outermost || call.frame >= outermost;
    if (is_outermost)
        outermost = call.frame;
    call.counts = is_outermost && loupe_recorder_is_on();
    return call;
}

static inline void end_call(const struct call *call) {
    if (outermost == call->frame)
        outermost = 0;
}

/* Of the exported function that it stands in. */
#define BEGIN_CALL() begin_call(__builtin_frame_address(0))

/* Inlined, so that the frame is that of the exported function. */
__attribute__((always_inline)) static inline void *gave(const struct call *call, void *block) {
    end_call(call); /* what a signal handler gets from here on is its own */
    if (block && call->counts) {
        struct loupe_frame frame;
        loupe_frame_capture(&frame);
        loupe_recorder_gave(block, &frame);
    }
    return block;
}

static void *fail(int reason) {
    errno = reason;
    return NULL;
}

/* ---- The family ---- */

EXPORTED void *malloc(size_t size) {
    if (!know_next())
        return get_early(size);
    struct call call = BEGIN_CALL();
    return gave(&call, next.malloc(size));
}

EXPORTED void free(void *block) {
    if (!block || is_early(block) || !know_next())
        return;
    struct call call = BEGIN_CALL();
    if (call.counts)
        loupe_recorder_takes(block);
    next.free(block);
    end_call(&call);
}

/* C23: the same, for allocators that use what is told. */
void free_sized(void *block, size_t size);
void free_aligned_sized(void *block, size_t alignment, size_t size);

EXPORTED void free_sized(void *block, size_t size) {
    (void)size;
    free(block);
}

EXPORTED void free_aligned_sized(void *block, size_t alignment, size_t size) {
    (void)alignment;
    (void)size;
    free(block);
}

EXPORTED void *calloc(size_t count, size_t size) {
    size_t bytes;
    if (!know_next())
        return __builtin_mul_overflow(count, size, &bytes) ? NULL : get_early(bytes);
    struct call call = BEGIN_CALL();
    return gave(&call, next.calloc(count, size));
}

/* Out of the early ones, into a real one. */
static void *leave_early(void *block, size_t size) {
    void *copy = malloc(size);
    size_t old = early_size(block);
    if (copy)
        memcpy(copy, block, old < size ? old : size);
    return copy;
}

/* The old block is out of the table before another thread can get its address. */
__attribute__((always_inline)) static inline void *
resized(const struct call *call, void *block, uint32_t stack, size_t size, void *result) {
    bool is_kept = !result && block && size;
    if (is_kept && stack)
        loupe_recorder_keeps(block, stack);
    return gave(call, result);
}

EXPORTED void *realloc(void *block, size_t size) {
    if (is_early(block) || !know_next())
        return block ? leave_early(block, size) : get_early(size);
    struct call call = BEGIN_CALL();
    uint32_t stack = block && call.counts ? loupe_recorder_takes(block) : 0;
    return resized(&call, block, stack, size, next.realloc(block, size));
}

EXPORTED void *reallocarray(void *block, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return fail(ENOMEM);
    if (is_early(block) || !know_next())
        return block ? leave_early(block, bytes) : get_early(bytes);
    struct call call = BEGIN_CALL();
    uint32_t stack = block && call.counts ? loupe_recorder_takes(block) : 0;
    void *result =
        next.reallocarray ? next.reallocarray(block, count, size) : next.realloc(block, bytes);
    return resized(&call, block, stack, bytes, result);
}

EXPORTED void *memalign(size_t alignment, size_t size) {
    if (!know_next() || !next.memalign)
        return fail(ENOMEM);
    struct call call = BEGIN_CALL();
    return gave(&call, next.memalign(alignment, size));
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size) {
    if (!know_next() || !next.aligned_alloc)
        return fail(ENOMEM);
    struct call call = BEGIN_CALL();
    return gave(&call, next.aligned_alloc(alignment, size));
}

EXPORTED int posix_memalign(void **block, size_t alignment, size_t size) {
    if (!know_next() || !next.posix_memalign)
        return ENOMEM;
    struct call call = BEGIN_CALL();
    int failure = next.posix_memalign(block, alignment, size);
    gave(&call, failure ? NULL : *block);
    return failure;
}

EXPORTED void *valloc(size_t size) {
    if (!know_next() || !next.valloc)
        return fail(ENOMEM);
    struct call call = BEGIN_CALL();
    return gave(&call, next.valloc(size));
}

EXPORTED void *pvalloc(size_t size) {
    if (!know_next() || !next.pvalloc)
        return fail(ENOMEM);
    struct call call = BEGIN_CALL();
    return gave(&call, next.pvalloc(size));
}

/* ---- The program ---- */

/* Other code may come to stand where the library was. */
EXPORTED int dlclose(void *library) {
    dlclose_fn *next_dlclose;
    void *found = dlsym(RTLD_NEXT, "dlclose");
    memcpy(&next_dlclose, &found, sizeof(found));
    int failure = next_dlclose(library);
    loupe_unwind_forget();
    return failure;
}

/*
 * Before the program's main() all classes are there that it was linked with, and no object of
 * theirs but those that initialisers made.
 */
typedef int main_fn(int, char **, char **);
typedef int start_fn(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                     void *);
start_fn __libc_start_main;

static main_fn *program;

static int start_program(int argc, char **argv, char **environment) {
    loupe_counts_begin();
    return program(argc, argv, environment);
}

EXPORTED int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void),
                               void (*fini)(void), void (*loader_fini)(void), void *stack_end) {
    start_fn *next_start;
    void *found = dlsym(RTLD_NEXT, "__libc_start_main");
    memcpy(&next_start, &found, sizeof(found));
    program = main;
    return next_start(getenv("LOUPE_RECORD") ? start_program : main, argc, argv, init, fini,
                      loader_fini, stack_end);
}

/* By its name even the linker of this library finds the malloc that the program brought along. */
static bool is_in_this_library(const void *function) {
    Dl_info found, own;
    return dladdr(function, &found) && dladdr(&next, &own) && found.dli_fbase == own.dli_fbase;
}

/* The one that the program's calls reach. */
__attribute__((constructor)) static void look_at_program(void) {
    if (!know_next() || !loupe_recorder_is_on())
        return;
    loupe_recorder_limit(getenv("LOUPE_RECORD_LIMIT"));
    const char *classes = getenv("LOUPE_RECORD");
    if (classes && *classes && loupe_recorder_counts())
        loupe_counts_choose(classes);
    if (!is_in_this_library(dlsym(RTLD_DEFAULT, "malloc")))
        loupe_recorder_is_bypassed();
}
