/*
 * The blocks of programs that know the truth about themselves: none is missed, none that was freed
 * is shown.
 *
 * usage: test_live_blocks HISTORY_PROGRAM LOOKS [TUNABLES [HISTORIES]]
 *        test_live_blocks HISTORY_PROGRAM named ALLOCATOR [LIBRARY]
 *   the latter where another allocator is at work, loaded before the program.
 */
#define _GNU_SOURCE
#include "check.h"
#include "memory/drawn_heap.h"
#include "heap/allocators/blocks.h"
#include "record.h"
#include "runtime/abi.h"
#include "target/reader.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RECORD_BITS = 17 }; /* as history.c has it */

struct program {
    int pid, commands, answers;
    struct record *record;
};

static const char *history;
static unsigned looks, histories = 1;

static struct program start(uint64_t seed, unsigned threads, unsigned operations, unsigned largest,
                            const char *trouble) {
    int memory = memfd_create("loupe-record", 0), commands[2], answers[2];
    struct program program = {0};
    if (memory < 0 || ftruncate(memory, (off_t)record_size(RECORD_BITS)) || pipe(commands) ||
        pipe(answers))
        abort();
    program.record = mmap(NULL, record_size(RECORD_BITS), PROT_READ, MAP_SHARED, memory, 0);
    program.pid = fork();
    if (!program.pid) {
        char numbers[7][24];
        snprintf(numbers[0], sizeof(numbers[0]), "%d", memory);
        snprintf(numbers[1], sizeof(numbers[1]), "%d", commands[0]);
        snprintf(numbers[2], sizeof(numbers[2]), "%d", answers[1]);
        snprintf(numbers[3], sizeof(numbers[3]), "%llu", (unsigned long long)seed);
        snprintf(numbers[4], sizeof(numbers[4]), "%u", threads);
        snprintf(numbers[5], sizeof(numbers[5]), "%u", operations);
        snprintf(numbers[6], sizeof(numbers[6]), "%u", largest);
        close(commands[1]);
        close(answers[0]);
        execl(history, history, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4],
              numbers[5], numbers[6], trouble, (char *)NULL);
        _exit(127);
    }
    close(memory);
    close(commands[0]);
    close(answers[1]);
    program.commands = commands[1];
    program.answers = answers[0];
    return program;
}

static void stop(struct program *program) {
    int status;
    close(program->commands);
    CHECK_EQ(waitpid(program->pid, &status, 0), program->pid);
    CHECK_EQ(status, 0);
    close(program->answers);
    munmap(program->record, record_size(RECORD_BITS));
}

static bool go_on(const struct program *program) {
    char byte = 'g';
    return write(program->commands, &byte, 1) == 1 && read(program->answers, &byte, 1) == 1;
}

/* ---- What is found beside what there is ---- */

struct view {
    struct loupe_reader *reader;
    struct loupe_target target;
    struct loupe_scene scene;
    struct loupe_blocks blocks;
};

static bool open_view(struct view *view, int pid) {
    static const struct loupe_abi no_runtime = {.name = "none"};
    struct loupe_reader_options options = {.chunks = &drawn_chunks};
    struct loupe_request request = {0};
    struct loupe_error error;
    if (!CHECK_EQ(loupe_process_open((uint64_t)pid, &options, &view->reader, &error), LOUPE_OK)) {
        fprintf(stderr, "%s\n", error.message);
        return false;
    }
    loupe_target_init(&view->target, loupe_reader_memory(view->reader), &drawn_chunks);
    view->target.abi = &no_runtime;
    loupe_scene_init(&view->scene, &view->target);
    CHECK_EQ(loupe_scene_take(&view->scene, &request), LOUPE_OK);
    loupe_blocks_init(&view->blocks, &drawn_chunks);
    CHECK_EQ(loupe_blocks_take(&view->blocks, &view->target, &view->scene), LOUPE_OK);
    return true;
}

static void close_view(struct view *view) {
    loupe_blocks_deinit(&view->blocks);
    loupe_target_deinit(&view->target);
    loupe_reader_close(view->reader);
}

static unsigned missed_blocks(const struct view *view, struct record *record) {
    unsigned missed = 0;
    for (uint32_t i = 0; i < record_places(record); i++) {
        const struct record_place *place = &record->places[i];
        uint32_t block = 0;
        if (!record_is_live(place))
            continue;
        loupe_addr start = record_address(place);
        uint64_t asked = record_asked(place);
        loupe_addr last = start + (asked ? asked - 1 : 0);
        if (!loupe_blocks_find(&view->blocks, last, &block) ||
            view->blocks.starts[block] != start) {
            fprintf(stderr, "missed: %llx, %llu bytes asked for; what was found there: %llx\n",
                    (unsigned long long)start, (unsigned long long)asked,
                    (unsigned long long)view->blocks.starts[block]);
            missed++;
        }
    }
    return missed;
}

/*
 * Those that the program was not given: what threads have of the library's, a vector of their
 * variables' places, and a cache of malloc's, which cannot be told from zeros while it is empty.
 */
static unsigned foreign_blocks(const struct view *view, struct record *record, unsigned threads) {
    enum {
        VARIABLES = 0x118,
        MORE_VARIABLES = 0x128,
        CACHE = 0x288,
        LARGER_CACHE = 0x298,
        NEWER_CACHE = 0x2f8, /* of 2.42: full numbers and no chunk; of 2.43 it can be larger */
        NEWEST_CACHE = 0x308,
        MAPPED_CACHE = 4080
    };
    unsigned foreign = 0, caches = 0, variables = 0;
    for (uint32_t i = 0; i < view->blocks.count; i++) {
        uint64_t size = loupe_blocks_size(&view->blocks, i);
        if (record_find(record, view->blocks.starts[i]))
            continue;
        bool is_known = size == VARIABLES || size == MORE_VARIABLES
                            ? variables++ < threads
                            : (size == CACHE || size == LARGER_CACHE || size == NEWER_CACHE ||
                               size == NEWEST_CACHE || size == MAPPED_CACHE) &&
                                  caches++ < threads + 1;
        if (!is_known) {
            fprintf(stderr, "foreign: %llx, %llu bytes\n",
                    (unsigned long long)view->blocks.starts[i], (unsigned long long)size);
            foreign++;
        }
    }
    return foreign;
}

static void check_look(const struct program *program, unsigned threads) {
    struct view view;
    if (!open_view(&view, program->pid))
        return;
    unsigned missed = missed_blocks(&view, program->record);
    unsigned foreign = foreign_blocks(&view, program->record, threads);
    CHECK_EQ(missed, 0);
    CHECK_EQ(foreign, 0);
    for (uint32_t i = 0; i < view.blocks.allocators.count; i++) {
        const struct loupe_allocator *allocator = loupe_blocks_allocator(&view.blocks, i);
        CHECK_STR(allocator->doubt ? allocator->doubt : "exact", "exact");
        if (!CHECK_EQ(allocator->damaged, 0))
            fprintf(stderr, "%s at %llx: %u blocks, first damage at %llx\n", allocator->name,
                    (unsigned long long)allocator->address, allocator->blocks,
                    (unsigned long long)allocator->first_damaged);
    }
    if (missed || foreign)
        fprintf(stderr, "%u live, %u blocks, %u missed, %u foreign\n", program->record->live,
                view.blocks.count, missed, foreign);
    close_view(&view);
}

/* False: something was wrong at a look, and it is still so at the next ones. */
static bool look_at_history(uint64_t seed, unsigned threads, unsigned largest,
                            const char *trouble) {
    struct program program = start(seed, threads, 3000 / threads, largest, trouble);
    int failures = check_failures;
    for (unsigned i = 0; i < looks && check_failures == failures && CHECK(go_on(&program)); i++)
        check_look(&program, threads);
    stop(&program);
    if (check_failures != failures)
        fprintf(stderr, "in the history of seed %llu, %u threads, %u bytes at most, %s\n",
                (unsigned long long)seed, threads, largest, trouble);
    return check_failures == failures;
}

static void look_often(unsigned threads, unsigned largest, const char *trouble) {
    for (unsigned i = 0; i < histories; i++)
        if (!look_at_history(threads + UINT64_C(1000) * i, threads, largest, trouble))
            break;
}

static void test_one_thread(void) {
    look_often(1, 100000, "none");
}

static void test_many_threads(void) {
    look_often(6, 100000, "none");
}

static void test_blocks_that_are_mapped_by_themselves(void) {
    look_often(3, 3000000, "none");
    look_often(3, 3000000, "split");
}

static void test_somebody_else_moves_the_end_of_data(void) {
    look_often(1, 200000, "brk");
    look_often(4, 100000, "brk");
}

static void test_data_can_not_grow(void) {
    look_often(1, 100000, "no-brk");
    look_often(3, 100000, "no-brk");
}

/* ---- An allocator that is known by name alone ---- */

static const char *allocator_name, *library;

static void test_another_allocator_is_named_and_not_called_exact(void) {
    struct program program;
    struct view view;
    bool is_named = false;
    if (library)
        setenv("LD_PRELOAD", library, 1);
    program = start(1, 2, 1000, 10000, "none");
    unsetenv("LD_PRELOAD");
    if (CHECK(go_on(&program)) && open_view(&view, program.pid)) {
        for (uint32_t i = 0; i < view.blocks.allocators.count; i++) {
            const struct loupe_allocator *allocator = loupe_blocks_allocator(&view.blocks, i);
            bool is_it = strcmp(allocator->name, allocator_name) == 0;
            is_named |= is_it && allocator->guessed && allocator->doubt;
            CHECK_STR(is_it || allocator->guessed || !allocator->doubt ? "" : allocator->doubt, "");
        }
        CHECK(is_named);
        for (uint32_t i = 0; i < view.blocks.count; i++) {
            uint32_t owner = loupe_blocks_owner(&view.blocks, i);
            CHECK(loupe_blocks_allocator(&view.blocks, owner)->guessed ||
                  !record_find(program.record, view.blocks.starts[i]));
        }
        close_view(&view);
    }
    stop(&program);
}

int main(int count, char **arguments) {
    if (count < 3)
        return 2;
    history = arguments[1];
    if (strcmp(arguments[2], "named") == 0 && count > 3) {
        allocator_name = arguments[3];
        library = count > 4 ? arguments[4] : NULL;
        RUN(test_another_allocator_is_named_and_not_called_exact);
        return check_report();
    }
    looks = (unsigned)strtoul(arguments[2], NULL, 0);
    if (count > 3)
        setenv("GLIBC_TUNABLES", arguments[3], 1);
    if (count > 4)
        histories = (unsigned)strtoul(arguments[4], NULL, 0);
    RUN(test_one_thread);
    RUN(test_many_threads);
    RUN(test_blocks_that_are_mapped_by_themselves);
    RUN(test_somebody_else_moves_the_end_of_data);
    RUN(test_data_can_not_grow);
    return check_report();
}
