/*
 * heap_dumps - what a whole heap costs: reading a dump, shortest paths,
 * dominators and retained sizes, knots, beside reading the file once and
 * stepping from record to record; then opening it again as a snapshot that was
 * saved, and telling one path, in milliseconds and microseconds.
 *
 * usage: heap_dumps [--objects POLICY] DUMP...
 *
 * One thread, its processor time, warm cache, best of three runs. Memory is the
 * most that is resident of reading, paths and dominators, all kept, beside a
 * budget of 40 bytes an object and 8 a link; the dump itself is mapped and does
 * not count. --objects prints instead what VisualVm.java prints of the same
 * dump: address, class, size, retained size of each instance.
 */
#define _GNU_SOURCE

#include "analysis/heap_knots.h"
#include "analysis/dominators/histogram.h"
#include "analysis/shortest.h"
#include "hprof/hprof.h"
#include "hprof/hprof_records.h"
#include "snapshot/file/loupe_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 3, LARGE = 1 << 17, HUGE_PAGE = 2 << 20 };

/* Of the processor, so that other programs on a busy machine do not count. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void stop(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

/* ---- Memory that is there ---- */

static size_t most_resident;

/*
 * Anonymous memory that is resident. It falls only where something large is
 * given back, so the most there ever is can be seen right before. Reserved and
 * untouched memory does not count.
 */
static size_t resident(void) {
    unsigned long all = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*u %lu %lu", &all, &shared) != 2)
        stop("/proc/self/statm", "cannot be read");
    fclose(file);
    return (all - shared) * (size_t)sysconf(_SC_PAGESIZE);
}

static void note_resident(void) {
    size_t now_resident = resident();
    most_resident = now_resident > most_resident ? now_resident : most_resident;
}

/* As the terminal tool does it. */
static void *get_pages(void *ctx, size_t bytes) {
    (void)ctx;
    if (bytes < LARGE)
        return malloc(bytes);
    void *chunk = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (chunk == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (bytes >= HUGE_PAGE)
        madvise(chunk, bytes, MADV_HUGEPAGE);
#endif
    return chunk;
}

static void put_pages(void *ctx, void *chunk, size_t bytes) {
    (void)ctx;
    if (bytes < LARGE) {
        free(chunk);
        return;
    }
    note_resident();
    munmap(chunk, bytes);
}

static const struct loupe_chunk_ops chunks = {.get = get_pages, .put = put_pages};

/* ---- One dump ---- */

struct file {
    const uint8_t *bytes;
    uint64_t size;
};

static struct file map_file(const char *path) {
    int fd = open(path, O_RDONLY);
    struct stat status;
    if (fd < 0 || fstat(fd, &status))
        stop(path, "cannot be opened");
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        stop(path, "cannot be mapped");
    return (struct file){bytes, (uint64_t)status.st_size};
}

/* The floor: every byte once, by a mapping that is new. */
static double read_once(const char *path) {
    double start = now();
    uint64_t sum = 0;
    struct file file = map_file(path);
    for (uint64_t i = 0; i + 8 <= file.size; i += 8) {
        uint64_t word;
        memcpy(&word, file.bytes + i, sizeof(word));
        sum += word;
    }
    __asm__ volatile("" : : "r"(sum)); /* so that the sum is not left out */
    munmap((void *)file.bytes, (size_t)file.size);
    return now() - start;
}

/* From record to record, also in heap segments, without looking into them. */
static double walk_records(const struct file *file) {
    double start = now();
    struct hprof_header header;
    struct hprof_record record;
    uint64_t records = 0;
    if (!hprof_read_header(file->bytes, file->size, &header))
        stop("dump", "no heap dump");
    for (uint64_t at = header.length; hprof_next_record(file->bytes, file->size, &at, &record);) {
        const uint8_t *place = file->bytes + record.start, *end = place + record.length;
        struct hprof_object object;
        bool is_heap = record.tag == HPROF_HEAP_DUMP || record.tag == HPROF_HEAP_SEGMENT;
        while (is_heap &&
               hprof_next_object(&place, end, header.id_size, &object) == HPROF_STEP_OBJECT)
            records++;
    }
    __asm__ volatile("" : : "r"(records)); /* as above */
    return now() - start;
}

struct times {
    double once, walk, parse, paths, dominators, knots, all, reopen, path;
    size_t peak;
    uint32_t nodes, links, reached, knot_count;
};

static void lower(double *best, double time) {
    *best = time < *best ? time : *best;
}

static void check(const char *what, enum loupe_status status) {
    if (status)
        stop(what, loupe_status_name(status));
}

static void open_dump(const struct file *file, struct loupe_snapshot *snapshot) {
    struct loupe_error error = {0};
    struct loupe_hprof_options options = {0};
    if (loupe_hprof_open(file->bytes, file->size, &chunks, &options, snapshot, &error))
        stop("dump", error.message);
}

static enum loupe_status write_to(void *ctx, const char *bytes, size_t size) {
    return fwrite(bytes, 1, size, ctx) == size ? LOUPE_OK : LOUPE_EUSAGE;
}

/* From a file that was just written, and is in memory. */
static double reopen(const struct loupe_snapshot *snapshot,
                     const struct loupe_dominators *dominators,
                     const struct loupe_shortest *shortest) {
    FILE *saved = tmpfile();
    struct loupe_sink sink = {.write = write_to, .ctx = saved};
    struct loupe_snapshot again;
    struct loupe_error error;
    struct stat status;
    if (!saved)
        stop("snapshot", "no temporary file");
    struct loupe_file_results results = {.dominators = dominators, .paths = shortest};
    check("snapshot", loupe_file_write(snapshot, &results, &chunks, sink));
    fflush(saved);
    double start = now();
    fstat(fileno(saved), &status);
    size_t size = (size_t)status.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fileno(saved), 0);
    if (loupe_file_open(bytes, size, &chunks, &again, &error))
        stop("snapshot", error.message);
    double took = now() - start;
    loupe_snapshot_deinit(&again);
    munmap(bytes, size);
    fclose(saved);
    return took;
}

/* Every reference of the paths of objects from all over the heap, by name; the time of one path. */
static double tell_paths(const struct loupe_snapshot *snapshot,
                         const struct loupe_shortest *shortest,
                         const struct loupe_link_policy *policy) {
    enum { PATHS = 200 };
    double start = now();
    uint32_t nodes = snapshot->columns.nodes, told = 0;
    for (uint32_t i = 0; i < PATHS; i++) {
        uint32_t node = (uint32_t)((uint64_t)nodes * i / PATHS), before;
        if (loupe_path_level(shortest, node) == LOUPE_LEVEL_NONE)
            continue;
        told++;
        for (; (before = loupe_path_before(shortest, node)) != LOUPE_NO_NODE; node = before) {
            struct loupe_link_name name;
            uint32_t link =
                loupe_path_link(&snapshot->columns, policy->paths, policy->late, before, node);
            loupe_snapshot_name_link(snapshot, before, link, &name);
        }
    }
    return told ? (now() - start) / told : 0;
}

static void time_parts(const char *path, const struct loupe_link_policy *policy,
                       struct times *best) {
    struct loupe_snapshot snapshot;
    struct loupe_shortest shortest;
    struct loupe_dominators dominators;
    struct loupe_heap_knots knots;
    lower(&best->once, read_once(path));
    size_t before = resident();
    most_resident = before;
    double start = now(), begun = start;
    struct file file = map_file(path);
    open_dump(&file, &snapshot);
    lower(&best->parse, now() - start);
    double walk = walk_records(&file);
    lower(&best->walk, walk);
    begun += walk; /* no part of the whole */
    start = now();
    struct loupe_shortest_options options = {.kinds = policy->paths, .late = policy->late};
    check("paths", loupe_shortest_find(&snapshot.columns, &options, &chunks, &shortest));
    lower(&best->paths, now() - start);
    start = now();
    check("dominators",
          loupe_dominators_by_policy(&snapshot.columns, policy, &chunks, &dominators));
    lower(&best->dominators, now() - start);
    lower(&best->all, now() - begun);
    note_resident();
    best->peak = most_resident - before;
    start = now();
    check("knots", loupe_heap_knots_find(&snapshot.columns, policy->knots, NULL, &chunks, &knots));
    lower(&best->knots, now() - start);
    lower(&best->reopen, reopen(&snapshot, &dominators, &shortest));
    lower(&best->path, tell_paths(&snapshot, &shortest, policy));
    best->nodes = snapshot.columns.nodes;
    best->links = snapshot.columns.first[best->nodes];
    best->reached = dominators.reached;
    best->knot_count = knots.count;
    loupe_heap_knots_deinit(&knots);
    loupe_dominators_deinit(&dominators);
    loupe_shortest_deinit(&shortest);
    loupe_snapshot_deinit(&snapshot);
    munmap((void *)file.bytes, (size_t)file.size);
}

static void measure(const char *path) {
    struct times best = {1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 0, 0, 0, 0, 0};
    for (int i = 0; i < RUNS; i++)
        time_parts(path, &loupe_link_policies[0], &best);
    double budget = 40.0 * best.nodes + 8.0 * best.links;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    printf("%-18s %9u %9u %7.3f %7.3f %7.3f %7.3f %7.3f %7.3f %7.3f %7.1f %7.0f%% %7.1f %7.1f\n",
           name, best.nodes, best.links, best.once, best.walk, best.parse, best.paths,
           best.dominators, best.all, best.knots, (double)best.peak / 1e6,
           100.0 * (double)best.peak / budget, best.reopen * 1e3, best.path * 1e6);
}

/* ---- Objects as VisualVM has them ---- */

static void print_objects(const char *path, const char *name) {
    const struct loupe_link_policy *policy = loupe_link_policy_named(name);
    struct file file = map_file(path);
    struct loupe_snapshot snapshot;
    struct loupe_dominators dominators;
    if (!policy)
        stop(name, "no such policy");
    open_dump(&file, &snapshot);
    check("dominators",
          loupe_dominators_by_policy(&snapshot.columns, policy, &chunks, &dominators));
    for (uint32_t node = 0; node < snapshot.columns.nodes; node++) {
        struct loupe_span class_name = loupe_snapshot_class_name(&snapshot, snapshot.classes[node]);
        printf("0x%" PRIx64 " %.*s %" PRIu64 " %" PRIu64 "\n",
               loupe_snapshot_address(&snapshot, node), (int)class_name.length, class_name.bytes,
               loupe_columns_size(&snapshot.columns, node), dominators.retained[node]);
    }
}

int main(int argc, char **argv) {
    if (argc == 4 && !strcmp(argv[1], "--objects")) {
        print_objects(argv[3], argv[2]);
        return 0;
    }
    printf("%-18s %9s %9s %7s %7s %7s %7s %7s %7s %7s %7s %8s %7s %7s\n", "dump", "objects",
           "links", "once", "walk", "parse", "paths", "dominat", "all s", "knots s", "MB", "budget",
           "open ms", "path us");
    for (int i = 1; i < argc; i++)
        measure(argv[i]);
    return 0;
}
