#define _DEFAULT_SOURCE /* madvise() and what goes with it */

#include "heaps/opened/heap_file.h"

#include "debuginfod/debuginfod.h"
#include "shared/amounts.h"
#include "shared/memory_room.h"
#include "heaps/opened/heap_target.h"
#include "heaps/opened/unpack.h"
#include "heaps/progress.h"
#include "hprof/hprof.h"
#include "questions/freed_object.h"
#include "snapshot/file/loupe_file.h"
#include "snapshot/file/mapping.h"
#include "snapshot/file/redact.h"
#include "heaps/opened/byte_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

/* ---- Memory ---- */

enum { LARGE = 1 << 17, HUGE_PAGE = 2 << 20 };

/* Dumps up to this size are fetched at once; of larger ones what is passed over stays unread. */
#define MOST_AT_ONCE ((uint64_t)1 << 31)

/* What is large is reserved without being there, and goes when it is given back. */
static void *get_chunk(void *ctx, size_t size) {
    (void)ctx;
    if (size < LARGE)
        return malloc(size);
    void *chunk = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (chunk == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (size >= HUGE_PAGE)
        madvise(chunk, size, MADV_HUGEPAGE); /* only a wish */
#endif
    return chunk;
}

static void put_chunk(void *ctx, void *chunk, size_t size) {
    (void)ctx;
    if (size < LARGE)
        free(chunk);
    else
        munmap(chunk, size);
}

const struct loupe_chunk_ops heap_chunks = {.get = get_chunk, .put = put_chunk};

/* ---- Progress ---- */

static bool show_progress(void *ctx, uint64_t done, uint64_t of) {
    (void)ctx;
    progress_at(done, of);
    return *heap_stop;
}

/* ---- Bytes ---- */

/* Not the file's fault: a limit of the shell, or a machine with too little. */
static const char no_room[] =
    "there is no room for it in the address space: it is larger than this "
    "process may take (ulimit -v)";

static const char *map_descriptor(int descriptor, struct heap_file *file) {
    struct stat status;
    if (fstat(descriptor, &status))
        return strerror(errno);
    if (S_ISDIR(status.st_mode))
        return "is a directory";
    if (!S_ISREG(status.st_mode))
        return "is not a plain file";
    if (!status.st_size)
        return "is empty";
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes == MAP_FAILED)
        return errno == ENOMEM ? no_room : strerror(errno);
    file->bytes = bytes;
    file->size = (uint64_t)status.st_size;
    return NULL;
}

static void unmap(struct heap_file *file) {
    if (file->bytes)
        munmap((void *)(uintptr_t)file->bytes, (size_t)file->size);
    file->bytes = NULL;
}

/* A dump is read from its beginning to its end: one request costs less than a fault a page. */
static void fetch(const struct heap_file *file) {
#ifdef MADV_POPULATE_READ
    if (file->size <= MOST_AT_ONCE)
        madvise((void *)(uintptr_t)file->bytes, (size_t)file->size, MADV_POPULATE_READ);
#endif
    (void)file;
}

/* A file that has no name any more: its pages need not stay in memory, as ours would. NULL, or why
 * there is none. */
static const char *open_nameless(int *ret) {
    const char *folder = getenv("TMPDIR");
    char name[4096];
    if ((size_t)snprintf(name, sizeof(name), "%s/loupe-XXXXXX",
                         folder && *folder ? folder : "/tmp") >= sizeof(name))
        return "the name of the temporary folder (TMPDIR) is too long";
    *ret = mkstemp(name);
    if (*ret < 0)
        return "no file can be made in the temporary folder (TMPDIR)";
    unlink(name);
    return NULL;
}

static const char *unpack(struct heap_file *file, const char *name) {
    int descriptor;
    const char *no_file = open_nameless(&descriptor);
    if (no_file)
        return no_file;
    progress_begin("unpacking", name);
    uint64_t damage = UINT64_MAX;
    struct heap_unpacking unpacking = {descriptor, show_progress, NULL};
    const char *problem = heap_unpack(file->bytes, file->size, &unpacking, &damage);
    struct heap_file unpacked = {.is_damaged = damage != UINT64_MAX, .damaged_at = damage};
    if (!problem && !lseek(descriptor, 0, SEEK_END))
        problem = "its packed data are damaged";
    if (!problem)
        problem = map_descriptor(descriptor, &unpacked);
    close(descriptor);
    if (problem)
        return problem;
    unmap(file);
    *file = unpacked;
    return NULL;
}

/* ---- Standard input ---- */

static bool is_input(const char *path) {
    return strcmp(path, "-") == 0;
}

static bool write_all(int to, const char *bytes, size_t length) {
    while (length) {
        ssize_t written = write(to, bytes, length);
        if (written < 0 && errno != EINTR)
            return false;
        bytes += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static const char *copy_input(int to) {
    static uint8_t bytes[1 << 16];
    uint64_t done = 0;
    for (;;) {
        size_t got = 0;
        const char *problem = byte_stream_wait(STDIN_FILENO, heap_stop, bytes, sizeof(bytes), &got);
        if (problem || !got)
            return problem;
        if (!write_all(to, (const char *)bytes, got))
            return "there is no room for it in the temporary folder (TMPDIR)";
        done += got;
        progress_at(done, 0);
    }
}

/* A pipe has no place to go back to, and a heap is read from several. */
static const char *read_input(struct heap_file *file) {
    struct stat status;
    int descriptor;
    if (isatty(STDIN_FILENO))
        return BYTE_STREAM_NOT_PIPED;
    if (!fstat(STDIN_FILENO, &status) && S_ISREG(status.st_mode))
        return map_descriptor(STDIN_FILENO, file);
    const char *problem = open_nameless(&descriptor);
    if (problem)
        return problem;
    progress_begin("copying", "standard input");
    problem = copy_input(descriptor);
    if (!problem)
        problem = map_descriptor(descriptor, file);
    close(descriptor);
    return problem;
}

static bool is_minidump(const struct heap_file *file) {
    return file->size >= 4 && memcmp(file->bytes, "MDMP", 4) == 0;
}

/* Why a zip archive is not read; NULL: it is none. */
static const char *refuse_zip(const struct heap_file *file) {
    enum { FLAGS_AT = 6, IS_ENCRYPTED = 1 };
    if (file->size <= FLAGS_AT || memcmp(file->bytes, "PK\3\4", 4) != 0)
        return NULL;
    return file->bytes[FLAGS_AT] & IS_ENCRYPTED
               ? "a zip archive with a password: unpack it first"
               : "a zip archive: unpack it first, or unzip -p FILE | loupe heap -";
}

/* ---- The snapshot ---- */

/* Bytes that reading and any question take at most, but for the file itself: measured. */
enum { BASE = 16 << 20, AN_OBJECT = 52, A_REFERENCE = 5 };

struct fitting {
    struct heap_file *file;
    struct memory_room room;
};

static bool fits(void *ctx, const struct loupe_hprof_extent *extent) {
    struct fitting *fitting = ctx;
    uint64_t needed = extent->objects * AN_OBJECT + extent->references * A_REFERENCE;
    if (needed + BASE <= fitting->room.left)
        return true;
    double whole = extent->done ? (double)extent->of / (double)extent->done : 1;
    snprintf(fitting->file->why, sizeof(fitting->file->why),
             "heap that does not fit: it needs about %s, and %s has %s left",
             cli_bytes((uint64_t)((double)needed * whole) + BASE), fitting->room.by,
             cli_bytes(fitting->room.left));
    return false;
}

static enum loupe_status read_bytes(struct heap_file *file, const struct heap_query *query,
                                    struct loupe_error *error) {
    static const char java[] = "JAVA PROFILE ";
    const struct verb_values *given = &query->options;
    if (loupe_file_is(file->bytes, file->size))
        return loupe_file_open(file->bytes, file->size, &heap_chunks, &file->snapshot, error);
    if (is_minidump(file))
        return loupe_fail(
            error, LOUPE_EUSAGE, 0,
            "a minidump, such as LLDB's save-core writes on Linux: open it in LLDB (lldb -c FILE, "
            "then loupe leaks). This tool reads gcore's cores and snapshots that "
            "loupe snapshot saves in LLDB");
    if (refuse_zip(file))
        return loupe_fail(error, LOUPE_EUSAGE, 0, "%s", refuse_zip(file));
    if (file->size < sizeof(java) - 1 || memcmp(file->bytes, java, sizeof(java) - 1) != 0)
        return loupe_fail(
            error, LOUPE_EUSAGE, 0,
            "unknown file format; expected a .loupe snapshot, an ELF or Mach-O core, or a "
            "Java or Android heap dump");
    fetch(file);
    const char *tool = given->count_as ? given->count_as : "loupe";
    bool is_visualvm = strcmp(tool, "visualvm") == 0;
    struct fitting fitting = {.file = file, .room = memory_room()};
    struct loupe_hprof_options options = {.dump = (uint32_t)given->dump,
                                          .fits = fits,
                                          .fits_ctx = &fitting,
                                          .sizes_of_visualvm = is_visualvm,
                                          .without_constants = strcmp(tool, "loupe") != 0,
                                          .arrays_without_classes = is_visualvm,
                                          .roots_of_mat = strcmp(tool, "mat") == 0,
                                          .progress = show_progress};
    return loupe_hprof_open(file->bytes, file->size, &heap_chunks, &options, &file->snapshot,
                            error);
}

/* What stands in the file at a path. NULL, or why there is nothing. */
static const char *read_named(struct heap_file *file, const char *path) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const char *problem = descriptor < 0 ? strerror(errno) : map_descriptor(descriptor, file);
    if (descriptor >= 0)
        close(descriptor);
    return problem;
}

static const char *read_path(struct heap_file *file, const char *path, const char *name) {
    const char *problem = is_input(path) ? read_input(file) : read_named(file, path);
    return !problem && heap_packed_by(file->bytes, file->size) ? unpack(file, name) : problem;
}

/* A heap, or the process that has one. */
static enum loupe_status open_bytes(struct heap_file *file, uint64_t process,
                                    const struct heap_query *query, struct loupe_error *error) {
    if (file->bytes && loupe_core_kind(file->bytes, file->size) == LOUPE_NO_CORE)
        return read_bytes(file, query, error);
    enum loupe_status status = heap_target_open(file, process, query, error);
    if (!status && !heap_asks_target(query))
        status = heap_target_snapshot(file, query, error);
    if (!status && !heap_asks_target(query) && !query->names.table.count &&
        heap_target_name(file, query->verb->shows_roots))
        status =
            loupe_fail(error, LOUPE_ENOMEM, 0, "out of memory while reading the names of blocks");
    return status;
}

/* ---- Names that were made short ---- */

static void note_mapping(const char *path, const struct loupe_mapped *mapped) {
    if (!mapped->classes)
        cli_note("%s: no class of this heap is in it: is it of the same build?",
                 cli_printable(loupe_span_of(path)));
    if (mapped->ambiguous)
        cli_note("%s: %u short name%s of fields or methods stand%s for several, and stay",
                 cli_printable(loupe_span_of(path)), mapped->ambiguous,
                 mapped->ambiguous == 1 ? "" : "s", mapped->ambiguous == 1 ? "s" : "");
}

/* The exit status. */
static int map_names(struct heap_file *file, const struct heap_query *query) {
    const char *path = query->options.mapping;
    struct heap_file mapping = {.bytes = NULL};
    struct loupe_mapped mapped;
    const char *problem = file->snapshot.native ? "only heaps of Java and Android have such names"
                                                : read_named(&mapping, path);
    struct loupe_snapshot *below = &file->below[file->below_count];
    *below = file->snapshot;
    struct loupe_span text = {(const char *)mapping.bytes, (size_t)mapping.size};
    enum loupe_status status =
        problem ? LOUPE_EUSAGE
                : loupe_snapshot_rename(below, text, &heap_chunks, &file->snapshot, &mapped);
    unmap(&mapping);
    file->below_count += !status;
    if (!status)
        note_mapping(path, &mapped);
    return status ? heap_fail(query, status, "--mapping %s: %s", cli_printable(loupe_span_of(path)),
                              problem                  ? problem
                              : status == LOUPE_ENOMEM ? "out of memory"
                                                       : "it names no class as R8 and ProGuard do")
                  : CLI_OK;
}

/* Before the memory goes. A number that names no object of this heap is nothing to anybody. */
static void look_at_operand(struct heap_file *file, const struct heap_query *query) {
    struct heap_freed *freed = &file->freed;
    if (!file->reader || !query->operand_count ||
        !heap_operand_address(query, query->operands[0], &freed->address) ||
        !loupe_was_freed(loupe_reader_memory(file->reader), &heap_chunks, freed->address,
                         &freed->mark))
        *freed = (struct heap_freed){.mark = LOUPE_FREED_NO_MARK};
}

/* Whether its classes are counted instead: then nothing is said. */
static bool is_too_large(struct heap_file *file, const char *path, const struct heap_query *query,
                         enum loupe_status status, const char *problem) {
    bool is_here = file->bytes || !is_input(path);
    if (!query->may_count_classes || !heap_can_count_classes(query) || file->reader || !is_here ||
        (status != LOUPE_ENOMEM && status != LOUPE_ELIMIT))
        return false;
    file->is_too_large = true;
    if (!*file->why)
        snprintf(file->why, sizeof(file->why), "heap that does not fit: %s",
                 problem ? problem : "out of memory");
    return true;
}

int heap_file_open(struct heap_file *file, const char *path, const struct heap_query *query) {
    const char *name = query->called ? query->called : is_input(path) ? "standard input" : path;
    struct loupe_error error = {0};
    uint64_t process = 0;
    const char *problem = heap_names_process(path, &process) ? NULL : read_path(file, path, name);
    progress_begin("reading", name);
    enum loupe_status status = problem ? *heap_stop           ? LOUPE_ETIMEOUT
                                         : problem == no_room ? LOUPE_ENOMEM
                                                              : LOUPE_EUSAGE
                                       : open_bytes(file, process, query, &error);
    progress_end();
    if (is_too_large(file, path, query, status, problem))
        return CLI_FAILURE;
    if (file->reader && !(process && loupe_process_has_ended(process)))
        heap_target_note(file, name);
    debuginfod_note();
    if (status) {
        char why[sizeof(file->why)];
        memcpy(why, file->why, sizeof(why));
        heap_file_close(file);
        return heap_fail(query, status == LOUPE_ELIMIT ? LOUPE_ENOMEM : status, "%s: %s",
                         cli_printable(loupe_span_of(name)),
                         problem                  ? problem
                         : status == LOUPE_ELIMIT ? why
                                                  : error.message);
    }
    if (heap_asks_target(query) && file->reader)
        return CLI_OK;
    if (process)
        file->snapshot.pause = loupe_reader_pause(file->reader);
    look_at_operand(file, query);
    if (file->reader)
        file->build = loupe_reader_build(file->reader);
    loupe_reader_close(file->reader); /* a process goes on */
    file->reader = NULL;
    file->has_snapshot = true;
    if (file->is_damaged)
        file->snapshot.notes[LOUPE_NOTE_PACKED] =
            (struct loupe_snapshot_noted){.count = 1, .example = file->damaged_at};
    file->snapshot.columns.stop = heap_stop;
    if (query->names.table.count && file->snapshot.native)
        file->snapshot.names = query->names.table;
    progress_begin("searching", name); /* until there is an answer */
    return query->options.mapping ? map_names(file, query) : CLI_OK;
}

enum loupe_status heap_file_hide_values(struct heap_file *file) {
    struct loupe_snapshot *below = &file->below[file->below_count];
    *below = file->snapshot;
    enum loupe_status status =
        loupe_snapshot_redact(below, LOUPE_REDACT_VALUES, &heap_chunks, &file->snapshot);
    file->below_count += !status;
    return status;
}

void heap_file_forget(struct heap_file *file) {
    if (file->has_snapshot)
        loupe_snapshot_deinit(&file->snapshot);
    while (file->below_count)
        loupe_snapshot_deinit(&file->below[--file->below_count]);
    loupe_reader_close(file->reader);
    debuginfod_note(); /* of what an answer about the target itself asked for */
    names_deinit(&file->names);
    *file = (struct heap_file){.bytes = file->bytes, .size = file->size};
}

void heap_file_close(struct heap_file *file) {
    heap_file_forget(file);
    unmap(file);
}
