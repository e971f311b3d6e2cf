/* The helper linked into a program that asks about its own objects, as a unit test would. */
#include "check.h"
#include "emulated.h"
#include "loupe_helper.h"
#include "made_block.h"

#include <Foundation/Foundation.h>
#include <fcntl.h>
#include <objc/runtime.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

OBJC_EXTERN uintptr_t _objc_rootRetainCount(id object);

@interface Owner : NSObject
@property(nonatomic, copy) void (^handler)(void);
@property(nonatomic, strong) NSObject *other;
@end
@implementation Owner
@end

static bool has(const char *answer, const char *text) {
    bool found = strstr(answer, text) != NULL;
    if (!found)
        printf("    no %s in %s\n", text, answer);
    return found;
}

static const void *address_of(id object) {
    return (__bridge const void *)object;
}

static Owner *owner_in_a_cycle(void) {
    Owner *owner = [Owner new];
    owner.handler = ^{
        (void)owner;
    };
    return owner;
}

static Owner *owner_with_a_weak_capture(void) {
    Owner *owner = [Owner new];
    __weak Owner *weak = owner;
    owner.handler = ^{
        (void)weak;
    };
    return owner;
}

static void test_cycle_is_counted_and_shown(void) {
    Owner *owner = owner_in_a_cycle();
    CHECK_EQ(loupe_count_cycles(address_of(owner)), 1);
    const char *answer = loupe_retain_cycles(address_of(owner));
    CHECK(has(answer, "\"status\":\"ok\""));
    CHECK(has(answer, "\"knots_found\":1"));
    CHECK(has(answer, "\"path\":\"_handler\""));
    owner.handler = nil;
    CHECK_EQ(loupe_count_cycles(address_of(owner)), 0);
}

static void test_weak_capture_is_no_cycle(void) {
    Owner *owner = owner_with_a_weak_capture();
    CHECK_EQ(loupe_count_cycles(address_of(owner)), 0);
}

static void test_cycle_further_away_is_counted(void) {
    Owner *owner = [Owner new];
    Owner *cyclic = owner_in_a_cycle();
    owner.other = cyclic;
    CHECK_EQ(loupe_count_cycles(address_of(owner)), 1);
    cyclic.handler = nil;
}

static void test_what_is_no_object_cannot_be_counted(void) {
    int local = 0;
    CHECK_EQ(loupe_count_cycles(NULL), UINT32_MAX);
    CHECK_EQ(loupe_count_cycles(&local), UINT32_MAX);
    CHECK_EQ(loupe_count_cycles((void *)8), UINT32_MAX);
    CHECK(has(loupe_retain_cycles((void *)8), "\"status\":\"error\""));
}

static void test_walk_that_reached_its_limit_is_not_called_free_of_cycles(void) {
    Owner *first = [Owner new], *second = [Owner new];
    first.other = second;
    second.other = [Owner new];
    CHECK(has(loupe_ask("retain-cycles", address_of(first), 2, 0, 0, 0), "\"incomplete\""));
    CHECK(has(loupe_ask("retain-cycles", address_of(first), 10, 0, 0, 0), "\"status\":\"ok\""));
}

static void test_block_answers_name_its_helpers(void) {
    Owner *owner = owner_with_a_weak_capture();
    const char *answer = loupe_block_layout(address_of(owner.handler));
    CHECK(has(answer, "\"kind\":\"weak\""));
    CHECK(has(answer, "__block_descriptor_40_e8_32w"));
    answer = loupe_dispose_probe(address_of(owner.handler));
    CHECK(has(answer, "\"kind\":\"weak\""));
    CHECK(has(answer, "\"cached\":false"));
    CHECK(has(loupe_dispose_probe(address_of(owner.handler)), "\"cached\":true"));
}

static void test_probe_is_skipped_with_a_reason_where_nothing_is_disposed_of(void) {
    int number = 4;
    void (^plain)(void) = ^{
        (void)number;
    };
    CHECK(has(loupe_dispose_probe(address_of(plain)), "\"skipped\":\"it has no dispose helper\""));
    CHECK(has(loupe_dispose_probe(address_of([NSObject new])), "it has no .cxx_destruct"));
    CHECK(has(loupe_dispose_probe(&number), "\"not-an-object\""));
}

static void test_classes_and_ivars_are_described(void) {
    CHECK(has(loupe_ivar_layout(address_of([Owner new])), "\"name\":\"_handler\""));
    CHECK(has(loupe_ivar_layout((__bridge const void *)[Owner class]), "\"name\":\"_other\""));
    Owner *owner = owner_in_a_cycle();
    CHECK(has(loupe_strong_refs(address_of(owner)), "\"path\":\"_handler\""));
    owner.handler = nil;
}

/* ---- The stack below the asking function ---- */

enum { UNUSED_STACK = 64 * 1024 /* as docs/protocol.md says */, CLASS_WORDS = 5 };

/* Copies of a class all over a frame that is gone at return. The address of one that is so deep
 * that no call from here reaches it. */
__attribute__((noinline, no_sanitize("address"))) static uintptr_t leave_copies(const void *cls) {
    enum { COPIES = UNUSED_STACK / (CLASS_WORDS * sizeof(uintptr_t)) - 100 };
    const size_t size = CLASS_WORDS * sizeof(uintptr_t);
    volatile uintptr_t *copies = __builtin_alloca(COPIES * size);
    for (size_t i = 0; i < COPIES * CLASS_WORDS; i++)
        copies[i] = ((const uintptr_t *)cls)[i % CLASS_WORDS];
    return (uintptr_t)copies;
}

static void test_class_on_a_frame_that_is_gone_is_none(void) {
    uintptr_t likeness[8] = {(uintptr_t)[Owner class]};
    CHECK(has(loupe_strong_refs(likeness), "\"class\":\"Owner\""));
    likeness[0] = leave_copies((__bridge const void *)[Owner class]);
    CHECK(has(loupe_strong_refs(likeness), "is not a class: it cannot be read"));
}

#define PAINT 0x6c6f757065UL

__attribute__((noinline, no_sanitize("address"))) static volatile uintptr_t *paint(size_t words) {
    volatile uintptr_t *lowest = __builtin_alloca(words * sizeof(uintptr_t));
    for (size_t i = 0; i < words; i++)
        lowest[i] = PAINT;
    return lowest;
}

/* How many bytes of the stack below here a question uses, whose scan finds the object. */
__attribute__((noinline, no_sanitize("address"))) static size_t depth_of(const char *query,
                                                                         const void *object) {
    enum { WORDS = 3 * UNUSED_STACK / sizeof(uintptr_t) };
    const void *data[] = {object};
    char arguments[96];
    snprintf(arguments, sizeof(arguments), "list 10;scan data %p %p", (void *)data,
             (void *)(data + 1));
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    volatile uintptr_t *lowest = paint(WORDS);
    loupe_ask_with(query, object, 0, 0, 0, 0, arguments);
    size_t clean = 0;
    while (clean < WORDS && lowest[clean] == PAINT)
        clean++;
    return here - (uintptr_t)(lowest + clean);
}

/* So that all that the helper leaves on the stack, after a debugger's call, is passed over by what
 * reads from outside. A quarter is left for the call. */
static void test_questions_need_less_stack_than_is_left_out(void) {
    static const char *const queries[] = {"ivar-layout", "strong-refs", "retain-cycles",
                                          "incoming-refs"};
    Owner *owner = owner_in_a_cycle();
    for (unsigned i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
        CHECK(depth_of(queries[i], address_of(owner)) < UNUSED_STACK * 3 / 4);
    CHECK(depth_of("block-layout", address_of(owner.handler)) < UNUSED_STACK * 3 / 4);
    owner.handler = nil;
}

/* A block made by hand, whose dispose helper asks while the probe runs it. */
void __destroy_helper_block_asks(void *block);
void __destroy_helper_block_forks(void *block);
void __destroy_helper_block_never_returns(void *block);

static char answer_inside[256];
static jmp_buf cut_off;

static void ignore(void *block) {
    (void)block;
}

static void ignore_copy(void *to, const void *from) {
    (void)to;
    (void)from;
}

__attribute__((noinline)) void __destroy_helper_block_asks(void *block) {
    strncpy(answer_inside, loupe_retain_cycles(block), sizeof(answer_inside) - 1);
}

static const void *asked_in_child;
static int status_of_child = -1;

__attribute__((noinline)) void __destroy_helper_block_forks(void *block) {
    (void)block;
    pid_t child = fork();
    if (child == 0)
        _exit(loupe_count_cycles(asked_in_child) == 1 ? 0 : 1);
    waitpid(child, &status_of_child, 0);
}

__attribute__((noinline)) void __destroy_helper_block_never_returns(void *block) {
    (void)block;
    longjmp(cut_off, 1);
}

static struct made_block hand_made(void (*dispose)(void *)) {
    static struct {
        unsigned long reserved, size;
        void (*copy)(void *, const void *);
        void (*dispose)(void *);
    } descriptors[6];
    static unsigned count;
    descriptors[count].size = sizeof(struct made_block);
    descriptors[count].copy = ignore_copy;
    descriptors[count].dispose = dispose;
    return (struct made_block){.isa = _NSConcreteMallocBlock,
                            .flags = 0x03000002, /* on the heap, with helpers, one owner */
                            .invoke = ignore,
                            .descriptor = (const void *)&descriptors[count++]};
}

static unsigned calls;

__attribute__((noinline)) static void destroys_otherwise(void *block) {
    (void)block;
    calls++;
}

static void test_helper_that_is_not_clangs_never_runs(void) {
    struct made_block block = hand_made(destroys_otherwise);
    CHECK(has(loupe_dispose_probe(&block), "what destroys it is not clang's: destroys_otherwise"));
    block = hand_made((void (*)(void *))labs);
    CHECK(has(loupe_dispose_probe(&block), "its code is not that of one loaded image"));
    CHECK_EQ(calls, 0);
}

static void test_call_within_a_call_is_refused_and_disturbs_nothing(void) {
    struct made_block block = hand_made(__destroy_helper_block_asks);
    const char *answer = loupe_dispose_probe(&block);
    CHECK(has(answer_inside, "another question is under way"));
    CHECK(has(answer_inside, "\"query\":\"retain-cycles\""));
    CHECK(has(answer, "\"skipped\":null"));
    CHECK(has(answer, "\"captures\":[]"));
}

static void test_child_of_a_fork_may_ask_while_its_parent_does(void) {
    struct made_block block = hand_made(__destroy_helper_block_forks);
    Owner *owner = owner_in_a_cycle();
    asked_in_child = address_of(owner);
    CHECK(has(loupe_dispose_probe(&block), "\"skipped\":null"));
    CHECK_EQ(status_of_child, 0);
    owner.handler = nil;
}

static void test_memory_of_a_call_that_was_cut_off_is_given_back(void) {
    struct made_block block = hand_made(__destroy_helper_block_never_returns);
    Owner *owner = [Owner new];
    loupe_ask("strong-refs", address_of(owner), 0, 0, 0, 0);
    size_t before = bytes_mapped();
    for (unsigned i = 0; i < 3; i++)
        if (setjmp(cut_off) == 0)
            loupe_ask("dispose-probe", &block, 0, 0, 0, LOUPE_ASK_TAKE_OVER);
    CHECK(bytes_mapped() > before);
    loupe_ask("strong-refs", address_of(owner), 0, 0, 0, LOUPE_ASK_TAKE_OVER);
    CHECK_EQ(bytes_mapped(), before);
}

/* As when a debugger ends an expression that takes too long. */
static void test_call_that_was_cut_off_can_be_taken_over(void) {
    struct made_block block = hand_made(__destroy_helper_block_never_returns);
    Owner *owner = [Owner new];
    if (setjmp(cut_off) == 0) {
        loupe_dispose_probe(&block);
        CHECK(!"the helper returned");
    }
    CHECK(has(loupe_strong_refs(address_of(owner)), "another question is under way"));
    CHECK_EQ(loupe_count_cycles(address_of(owner)), UINT32_MAX);
    const char *answer =
        loupe_ask("strong-refs", address_of(owner), 0, 0, 0, LOUPE_ASK_TAKE_OVER);
    CHECK(has(answer, "\"status\":\"ok\""));
    CHECK_EQ(loupe_count_cycles(address_of(owner)), 0);
}

struct racer {
    pthread_t thread;
    const void *object;
    atomic_bool *stop;
    unsigned counted, refused, wrong;
};

/* Numbers only: the text of an answer may be gone when the other thread has asked. */
static void ask_once(struct racer *racer) {
    unsigned cycles = loupe_count_cycles(racer->object);
    racer->counted += cycles == 0;
    racer->refused += cycles == UINT32_MAX;
    racer->wrong += cycles != 0 && cycles != UINT32_MAX;
}

static void *race(void *argument) {
    struct racer *racer = argument;
    while (!atomic_load(racer->stop))
        ask_once(racer);
    return NULL;
}

static void test_second_thread_is_refused_while_the_first_one_asks(void) {
    Owner *owner = [Owner new];
    atomic_bool stop = false;
    struct racer racer = {.object = address_of(owner), .stop = &stop};
    struct racer own = {.object = address_of(owner)};
    pthread_create(&racer.thread, NULL, race, &racer);
    while (own.counted < 100 || own.refused < 10)
        ask_once(&own);
    atomic_store(&stop, true);
    pthread_join(racer.thread, NULL);
    CHECK_EQ(own.wrong + racer.wrong, 0);
}

/* ---- Roots, without a debugger that names them ---- */

static Owner *held_by_a_global;
static _Thread_local void *of_each_thread;

static struct {
    pthread_barrier_t has_it, may_go;
    _Atomic(long) id;
} holder;

static void *hold_on_the_stack(void *object) {
    void *volatile local = object;
    of_each_thread = object;
    holder.id = syscall(SYS_gettid);
    pthread_barrier_wait(&holder.has_it);
    pthread_barrier_wait(&holder.may_go);
    of_each_thread = NULL;
    return local;
}

/* Whether there is {"kind":KIND,...,"thread":ID} */
static bool is_root_of_thread(const char *text, const char *kind, long id) {
    char start[64], thread[64];
    snprintf(start, sizeof(start), "{\"kind\":\"%s\",", kind);
    snprintf(thread, sizeof(thread), "\"thread\":%ld}", id);
    for (const char *root = strstr(text, start); root; root = strstr(root + 1, start)) {
        const char *end = strchr(root, '}');
        if (end && (size_t)(end - root) >= strlen(thread) &&
            memcmp(end + 1 - strlen(thread), thread, strlen(thread)) == 0)
            return true;
    }
    return false;
}

static void test_incoming_finds_globals_and_the_stacks_of_all_threads(void) {
    pthread_t thread;
    held_by_a_global = owner_in_a_cycle();
    const void *object = address_of(held_by_a_global);
    pthread_barrier_init(&holder.has_it, NULL, 2);
    pthread_barrier_init(&holder.may_go, NULL, 2);
    CHECK_EQ(pthread_create(&thread, NULL, hold_on_the_stack, (void *)object), 0);
    pthread_barrier_wait(&holder.has_it);
    const char *text = loupe_ask("incoming-refs", object, 0, 0, 0, 0);
    const bool told = kernel_tells_of_threads();
    for (unsigned i = 0; told && i < 1000 && !is_root_of_thread(text, "stack", holder.id); i++) {
        usleep(1000); /* it may be on its way to where it waits */
        text = loupe_ask("incoming-refs", object, 0, 0, 0, 0);
    }
    if (!told)
        printf("skipped: roots of another thread: /proc tells of an emulator's in its place\n");
    CHECK(!told || is_root_of_thread(text, "stack", holder.id));
    CHECK(is_root_of_thread(text, "stack", getpid()));
    CHECK(!told || is_root_of_thread(text, "thread-local", holder.id) ||
          has(text, "{\"what\":\"thread-local\"}")); /* glibc before 2.34, musl */
    CHECK(!is_root_of_thread(text, "thread-local", getpid()));
    CHECK(has(text, "{\"kind\":\"data\","));
    CHECK(has(text, "\"holders_found\":1"));
    CHECK(has(text, "{\"what\":\"registers\","));
    pthread_barrier_wait(&holder.may_go);
    pthread_join(thread, NULL);
    held_by_a_global.handler = nil;
    held_by_a_global = nil;
}

/* ---- Little stack ---- */

#if __has_feature(address_sanitizer) /* which itself needs more */
enum { SMALLEST_STACK = 1 << 20 };
#else
enum { SMALLEST_STACK = 16 << 10 };
#endif

static void *ask_everything_about(void *context) {
    Owner *owner = (__bridge Owner *)context;
    const void *block = (__bridge const void *)owner.handler;
    char word[64];
    snprintf(word, sizeof(word), "scan data %p %p", &block, &block + 1);
    CHECK_EQ(loupe_count_cycles(context), 1);
    CHECK(has(loupe_strong_refs(context), "_handler"));
    CHECK(has(loupe_ivar_layout(context), "_handler"));
    CHECK(has(loupe_block_layout(block), "\"kind\":\"strong\""));
    CHECK(has(loupe_dispose_probe(block), "\"skipped\":null"));
    CHECK(has(loupe_dispose_probe(context), "\"levels\""));
    CHECK(has(loupe_ask_with("incoming-refs", context, 0, 0, 0, 0, word), "\"holders_found\":1"));
    return NULL;
}

static void test_thread_with_the_smallest_stack_may_ask(void) {
    Owner *owner = owner_in_a_cycle();
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, SMALLEST_STACK)) { /* arm64 takes more */
        size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN);
        CHECK_EQ(pthread_attr_setstacksize(&attributes, least), 0);
    }
    CHECK_EQ(pthread_create(&thread, &attributes, ask_everything_about,
                            (void *)address_of(owner)), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    owner.handler = nil;
}

static void test_reply_stays_readable_until_the_next_call(void) {
    Owner *owner = [Owner new];
    const char *answer = loupe_ivar_layout(address_of(owner));
    owner = nil;
    size_t length = strlen(answer);
    CHECK(length > 100 && answer[length - 1] == '}');
}

/* Where it cannot be taken for a reference. */
static uintptr_t hidden_ring;
static Owner *held_owner;

@interface Lost : Owner
@end
@implementation Lost
@end

__attribute__((noinline)) static void lose_a_ring(void) {
    Owner *one = [Lost new], *other = [Lost new];
    one.other = other;
    other.other = one;
    hidden_ring = ~(uintptr_t)address_of(one);
}

__attribute__((noinline)) static void break_the_ring(void) {
    ((__bridge Owner *)(void *)~hidden_ring).other = nil;
}

/* What an allocator of a sanitizer gave out is found by looking for objects. */
static void test_leaks_are_found_and_what_is_held_is_none(void) {
    held_owner = [Owner new];
    held_owner.other = [NSObject new];
    lose_a_ring();
    paint(UNUSED_STACK / sizeof(uintptr_t));
    const char *answer = loupe_leaks();
    CHECK(has(answer, "\"kind\":\"cycle\",\"degree\":\"lost\""));
    CHECK(has(answer, "\"class\":\"Lost\""));
    CHECK(!strstr(answer, "\"class\":\"Owner\""));
    break_the_ring();
    CHECK(!strstr(loupe_leaks(), "\"class\":\"Lost\""));
    held_owner = nil;
}

static void *wait_for_byte(void *pipe_end) {
    char byte;
    (void)!read(*(int *)pipe_end, &byte, 1);
    return NULL;
}

/* Nobody stops them from inside: so the answer may not be taken for whole. */
static void test_leaks_say_that_other_threads_ran(void) {
    int ends[2];
    pthread_t thread;
    CHECK_EQ(pipe(ends), 0);
    CHECK_EQ(pthread_create(&thread, NULL, wait_for_byte, &ends[0]), 0);
    const char *answer = loupe_leaks();
    CHECK(has(answer, "\"query\":\"leaks\""));
    CHECK(has(answer, "\"status\":\"incomplete\""));
    CHECK(has(answer, "\"code\":\"threads-ran\""));
    CHECK(write(ends[1], "x", 1) == 1);
    pthread_join(thread, NULL);
    answer = loupe_leaks();
    CHECK(!strstr(answer, "threads-ran"));
    CHECK(!kernel_tells_of_threads() ||
          !strstr(answer, "\"code\":\"registers\"")); /* it knows its own */
    close(ends[0]);
    close(ends[1]);
}

static void test_snapshot_is_written_to_its_file(void) {
    char path[] = "/tmp/loupe-questions-XXXXXX", magic[8] = "";
    int file = mkstemp(path);
    CHECK(file >= 0);
    CHECK(has(loupe_snapshot(path), "\"query\":\"snapshot\""));
    close(file);
    file = open(path, O_RDONLY);
    CHECK(read(file, magic, sizeof(magic)) == (ssize_t)sizeof(magic));
    CHECK(memcmp(magic, "LOUPE\r\n\x1a", sizeof(magic)) == 0);
    close(file);
    unlink(path);
}

/* Where no byte can be written; what is among the system's devices is not ours to remove. Takes a
 * machine on which the test may make a file there. */
static void test_what_is_the_systems_is_not_removed(void) {
    char ours[] = "/tmp/loupe-questions-XXXXXX", systems[] = "/dev/loupe-questions-XXXXXX";
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = RLIM_INFINITY};
    struct rlimit before;
    int files[] = {mkstemp(ours), mkstemp(systems)};
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &none);
    const bool told = bytes_mapped() > 0; /* qemu writes a file of its own for who reads the map */
    if (!told)
        printf("skipped: an emulator has no map of the process where no file may be written\n");
    CHECK(!told || has(loupe_snapshot(ours), "\"status\":\"error\""));
    CHECK(!told || access(ours, F_OK) != 0);
    if (told && files[1] >= 0) {
        CHECK(has(loupe_snapshot(systems), "\"status\":\"error\""));
        CHECK(access(systems, F_OK) == 0);
    }
    setrlimit(RLIMIT_FSIZE, &before);
    close(files[0]);
    close(files[1]);
    unlink(ours);
    unlink(systems);
}

int main(void) {
    @autoreleasepool {
        RUN(test_cycle_is_counted_and_shown);
        RUN(test_weak_capture_is_no_cycle);
        RUN(test_cycle_further_away_is_counted);
        RUN(test_what_is_no_object_cannot_be_counted);
        RUN(test_walk_that_reached_its_limit_is_not_called_free_of_cycles);
        RUN(test_block_answers_name_its_helpers);
        RUN(test_probe_is_skipped_with_a_reason_where_nothing_is_disposed_of);
        RUN(test_classes_and_ivars_are_described);
        RUN(test_helper_that_is_not_clangs_never_runs);
        RUN(test_call_within_a_call_is_refused_and_disturbs_nothing);
        RUN(test_class_on_a_frame_that_is_gone_is_none);
        RUN(test_questions_need_less_stack_than_is_left_out);
        RUN(test_child_of_a_fork_may_ask_while_its_parent_does);
        RUN(test_call_that_was_cut_off_can_be_taken_over);
        RUN(test_memory_of_a_call_that_was_cut_off_is_given_back);
        RUN(test_second_thread_is_refused_while_the_first_one_asks);
        RUN(test_incoming_finds_globals_and_the_stacks_of_all_threads);
        RUN(test_thread_with_the_smallest_stack_may_ask);
        RUN(test_reply_stays_readable_until_the_next_call);
        RUN(test_leaks_are_found_and_what_is_held_is_none);
        RUN(test_leaks_say_that_other_threads_ran);
        RUN(test_snapshot_is_written_to_its_file);
        RUN(test_what_is_the_systems_is_not_removed);
    }
    return check_report();
}
