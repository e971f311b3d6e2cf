#include "stalls/sample.h"

#include "backtraces/report.h"
#include "kernel/kernel.h"
#include "memory/pages.h"
#include "runtime/abi.h"
#include "self_reader.h"
#include "tables/unwind_rules.h"
#include "unwind/own_images.h"
#include "unwind/own_memory.h"

#include <string.h>

#if defined(__linux__)
#include "threads/proc_task.h"
#endif

/* ---- The main thread ---- */

static enum loupe_status note_first(void *visitor, uint32_t number,
                                    const struct loupe_process_thread *about) {
    uint64_t *id = visitor;
    if (number == 0)
        *id = about->id;
    return LOUPE_ELIMIT; /* no more are needed */
}

uint64_t loupe_sample_main_thread(void) {
    uint64_t id = 0;
    loupe_threads_list(note_first, &id);
    return id;
}

bool loupe_sample_is_standing(void) {
#if defined(__linux__)
    struct loupe_task task;
    return loupe_task_read((uint64_t)loupe_kernel_process(), &task) &&
           (task.state == LOUPE_TASK_TRACED || task.state == LOUPE_TASK_STOPPED);
#else
    return false; /* the watching thread stands, too, and notices that */
#endif
}

/* ---- One stack ---- */

struct stack {
    size_t depth;
    bool is_whole;
    uint64_t frames[LOUPE_SAMPLE_DEPTH];
    uint8_t interrupted[LOUPE_SAMPLE_DEPTH];
};

/* One thread watches, and it alone takes stacks. */
static struct stack taken;

static bool take(struct stack *ret, bool only_waiting) {
    struct loupe_stacks stacks;
    uint64_t id = loupe_sample_main_thread();
    ret->depth = 0;
    loupe_stacks_init(&stacks, &loupe_pages);
    if (id && id != loupe_own_thread_id() && !loupe_stacks_take_one(&stacks, id, only_waiting) &&
        stacks.used <= LOUPE_SAMPLE_DEPTH) {
        memcpy(ret->frames, stacks.addresses, stacks.used * sizeof(*ret->frames));
        memcpy(ret->interrupted, stacks.interrupted, stacks.used);
        ret->depth = stacks.used;
        ret->is_whole = loupe_stacks_are_whole(&stacks);
    }
    loupe_stacks_deinit(&stacks);
    return ret->depth != 0;
}

/* ---- What stays ---- */

static loupe_addr function_at(loupe_addr place) {
    struct loupe_own_memory own;
    uint8_t piece[LOUPE_OWN_MEMORY_PIECE];
    struct loupe_unwind_tables tables;
    struct loupe_unwind_rules rules;
    loupe_own_memory_init(&own, piece, sizeof(piece));
    return loupe_own_images_find(place, &tables) &&
                   loupe_unwind_rules_find(&own.memory, &tables, place, &rules)
               ? rules.code.start
               : 0;
}

static loupe_addr place_of(const uint64_t *frames, const uint8_t *interrupted, size_t index) {
    return frames[index] - !interrupted[index];
}

/* How many frames of both are the same, from the outermost one in; the innermost of them may have
 * gone on within its function. */
static size_t common_depth(const struct loupe_samples *samples, const struct stack *stack) {
    size_t most = samples->depth < stack->depth ? samples->depth : stack->depth, same = 0;
    while (same < most &&
           samples->frames[samples->depth - 1 - same] == stack->frames[stack->depth - 1 - same])
        same++;
    if (same == most)
        return same;
    loupe_addr before =
        function_at(place_of(samples->frames, samples->interrupted, samples->depth - 1 - same));
    return before && before == function_at(place_of(stack->frames, stack->interrupted,
                                                    stack->depth - 1 - same))
               ? same + 1
               : same;
}

/* ---- What it did in between ---- */

/* What the system tells of a thread that has not waited since is behind: how long it waits for a
 * processor comes with its next turn. */
static uint64_t nanoseconds_run(const struct loupe_thread_activity *before,
                                const struct loupe_thread_activity *after, uint64_t between) {
    uint64_t run = after->run_time - before->run_time;
    bool went_on = after->counts_waits && after->is_runnable && after->waits == before->waits;
    return went_on || run > between ? between : run;
}

static void count_time(struct loupe_samples *samples, const struct loupe_thread_activity *now,
                       uint64_t time) {
    uint64_t between = (time - samples->last_time) * 1000;
    samples->between += between;
    samples->ran += nanoseconds_run(&samples->last, now, between);
}

void loupe_sample_take(struct loupe_samples *samples) {
    /* Before it is stopped, which the system tells in place of that. */
    struct loupe_thread_activity before = {.run_time = 0};
    uint64_t id = loupe_sample_main_thread(), time = loupe_kernel_microseconds();
    if (!loupe_thread_activity(id, &before) || !take(&taken, false))
        return;
    size_t depth = samples->count ? common_depth(samples, &taken) : taken.depth;
    memcpy(samples->frames, taken.frames + (taken.depth - depth), depth * sizeof(uint64_t));
    memcpy(samples->interrupted, taken.interrupted + (taken.depth - depth), depth);
    samples->depth = depth;
    samples->is_cut |= !taken.is_whole;
    if (samples->count++)
        count_time(samples, &before, time);
    samples->runnable += before.is_runnable;
    samples->last = before;
    loupe_thread_activity(id, &samples->last);
    samples->last_time = loupe_kernel_microseconds();
}

/* A system that does not tell of waiting (Darwin) does not tell how long a thread waited for a
 * processor either: one that computes on a busy machine is known by what it did when it was
 * stopped. So is one that was stopped once. */
double loupe_sample_busy(const struct loupe_samples *samples) {
    double ran = samples->between ? (double)samples->ran / (double)samples->between : 0;
    double runnable = samples->count ? (double)samples->runnable / samples->count : 0;
    bool is_told = samples->last.counts_waits && samples->between;
    return is_told || ran > runnable ? ran : runnable;
}

/* ---- Names ---- */

enum { MOST_TEXT = 1 << 20 };

static char text[MOST_TEXT];
static size_t text_length;

static enum loupe_status append(void *ctx, const char *bytes, size_t length) {
    (void)ctx;
    if (length >= MOST_TEXT - text_length)
        return LOUPE_ELIMIT;
    memcpy(text + text_length, bytes, length);
    text_length += length;
    text[text_length] = '\0';
    return LOUPE_OK;
}

/* Runs visit with the frames as a stack of the main thread, and what names it. */
static bool
with_names(const uint64_t *frames, const uint8_t *interrupted, size_t depth, bool is_whole,
           void (*visit)(const struct loupe_stacks *stacks, struct loupe_naming *naming, void *ctx),
           void *ctx) {
    struct loupe_self self;
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_stacks stacks;
    struct loupe_naming naming;
    struct loupe_thread_stack thread = {.id = loupe_sample_main_thread(),
                                        .end =
                                            is_whole ? LOUPE_UNWIND_OUTERMOST : LOUPE_UNWIND_LOST};
    if (loupe_self_init(&self, &loupe_pages))
        return false;
    self.regions.may_change = true;
    loupe_memory_init(&memory, &loupe_self_ops, &self, loupe_own_machine, &loupe_pages);
    loupe_target_init(&target, &memory, &loupe_pages);
    loupe_stacks_init(&stacks, &loupe_pages);
    loupe_thread_name(thread.id, thread.name, sizeof(thread.name));
    loupe_abi_detect(&target, NULL);
    bool done = !loupe_stacks_add(&stacks, &thread, frames, interrupted, depth) &&
                !loupe_naming_init(&naming, &stacks, &self.images, &target);
    if (done) {
        visit(&stacks, &naming, ctx);
        loupe_naming_deinit(&naming);
    }
    loupe_stacks_deinit(&stacks);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    loupe_self_deinit(&self);
    loupe_pages_reclaim();
    return done;
}

static void write_text(const struct loupe_stacks *stacks, struct loupe_naming *naming, void *ctx) {
    const struct loupe_envelope envelope = {
        .query = "backtraces", .engine = "helper", .pointer_size = sizeof(void *)};
    (void)ctx;
    if (loupe_stacks_write_text(stacks, naming, &envelope,
                                loupe_report_clock(naming->target->memory),
                                (struct loupe_sink){.write = append}))
        text_length = 0;
}

const char *loupe_sample_text(const struct loupe_samples *samples) {
    text_length = 0;
    return with_names(samples->frames, samples->interrupted, samples->depth, !samples->is_cut,
                      write_text, NULL) &&
                   text_length
               ? text
               : NULL;
}

struct search {
    const char *part;
    bool found;
};

static void look_for(const struct loupe_stacks *stacks, struct loupe_naming *naming, void *ctx) {
    struct search *search = ctx;
    struct loupe_frame_name name;
    for (size_t i = 0; i < stacks->used && !search->found; i++) {
        loupe_naming_at(naming, stacks, i, &name);
        search->found =
            name.has_symbol && loupe_span_contains(loupe_span_of(name.symbol), search->part);
    }
}

bool loupe_sample_is_in(const char *part) {
    struct search search = {.part = part};
    return take(&taken, true) &&
           with_names(taken.frames, taken.interrupted, taken.depth, true, look_for, &search) &&
           search.found;
}
