/*
 * The rules of this directory: no malloc, no lock, no stdio, no Objective-C message, no static
 * constructor, nothing exported but the API. Memory comes from the kernel. errno is the program's.
 */
#include "loupe_helper.h"

#include "backtraces/backtraces.h"
#include "loupe.h"
#include "kernel/kernel.h"
#include "memory/own_stack.h"
#include "memory/pages.h"
#include "probe/detectors.h"
#include "probe/probe.h"
#include "reply.h"
#include "report/report.h"
#include "self_reader.h"
#include "threads/listing.h"
#include "threads/threads.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#define TEXT_OF(number) #number
#define TEXT(macro)     TEXT_OF(macro)

#define ENVELOPE(query)                                                                            \
    "{\"loupe\":1,\"query\":" query ",\"engine\":\"helper\",\"status\":\"error\",\"abi\":null,"    \
    "\"pointer_size\":" TEXT(__SIZEOF_POINTER__) ",\"error\":"

#define BUSY      "another question is under way; if it was cut off, ask with LOUPE_ASK_TAKE_OVER"
#define NO_MEMORY "out of memory: ask with a lower limit"

/* What a refused call returns: the reply buffer belongs to the call that runs. */
#define REFUSAL(query)                                                                             \
    ENVELOPE("\"" query "\"")                                                                      \
    "{\"code\":\"usage\",\"message\":\"" BUSY "\",\"address\":null,\"detail\":\"busy\"}}"

/* The helper's own questions, beside those of the core. */
enum { DISPOSE_PROBE = LOUPE_QUERY_COUNT, BACKTRACES, QUESTION_COUNT };
#define DISPOSE_PROBE_NAME "dispose-probe"
#define BACKTRACES_NAME    "backtraces"

#define REFUSAL_OF(id, name, function, need) [LOUPE_QUERY_##id] = REFUSAL(name),
static const char *const refusals[QUESTION_COUNT] = {[DISPOSE_PROBE] = REFUSAL(DISPOSE_PROBE_NAME),
                                                     [BACKTRACES] = REFUSAL(BACKTRACES_NAME),
                                                     LOUPE_QUESTIONS(REFUSAL_OF)};
#undef REFUSAL_OF

static const char unknown_query[] =
    ENVELOPE("null") "{\"code\":\"usage\",\"message\":\"no such question: "
                     "there are " LOUPE_QUESTION_NAMES BACKTRACES_NAME " and " DISPOSE_PROBE_NAME
                     "\","
                     "\"address\":null,\"detail\":\"no-such-question\"}}";
static const char no_memory[] =
    ENVELOPE("null") "{\"code\":\"internal\",\"message\":\"" NO_MEMORY "\",\"address\":null,"
                     "\"detail\":\"no-memory\"}}";

static const char no_memory_text[] = "error: " NO_MEMORY "\n";
static const char busy_text[] = "error: " BUSY "\n";

/* The process in which a question is under way; 0: none. */
static _Atomic(int) busy;

struct call {
    unsigned question; /* enum loupe_query or one of the helper's own */
    const void *address;
    uint64_t limit;
    uint32_t max_rings, milliseconds, flags;
    struct loupe_tally *tally;
    const char *arguments;
    struct loupe_threads_wanted wanted; /* of BACKTRACES */
    bool as_text;                       /* the answer is for people, no JSON */
    const char *file;                   /* of a snapshot; NULL: none */
    loupe_addr frame;                   /* of the entry point */
    struct loupe_frame registers;       /* there */
};

/* The child of a fork has none of the threads that may have been asking. */
static bool take(void) {
    int process = loupe_kernel_process(), owner = 0;
    return atomic_compare_exchange_strong(&busy, &owner, process) ||
           (owner != process && atomic_compare_exchange_strong(&busy, &owner, process));
}

/* Takes the helper for one question; false while another one has it. */
static bool begin(uint32_t flags) {
    if (!take() && !(flags & LOUPE_ASK_TAKE_OVER))
        return false;
    loupe_threads_let_go(); /* which a question held that was cut off */
    loupe_detectors_reclaim();
    loupe_pages_reclaim();
    loupe_reply_clear();
    return true;
}

static void end(void) {
    loupe_pages_reclaim();
    atomic_store(&busy, 0);
}

static const char *name_of(unsigned question) {
    if (question == BACKTRACES)
        return BACKTRACES_NAME;
    return question == DISPOSE_PROBE ? DISPOSE_PROBE_NAME
                                     : loupe_query_name((enum loupe_query)question);
}

static void answer_without_memory_map(const struct call *call, enum loupe_status status) {
    struct loupe_error err;
    struct loupe_envelope envelope = {
        .query = name_of(call->question), .engine = "helper", .pointer_size = sizeof(void *)};
    if (status == LOUPE_EFAULT)
        loupe_fail(
            &err, LOUPE_EINTERNAL, 0,
            "the map of this process's memory (on Linux /proc/self/maps) cannot be read: ask "
            "in LLDB, with --engine memory");
    else
        loupe_fail(&err, status, 0, "out of memory");
    loupe_backtraces_write_error(call->as_text, &envelope, &err, loupe_reply_sink());
}

/* ---- The file of a snapshot ---- */

struct snapshot_file {
    const char *path;
    int number;
    bool made;
};

static enum loupe_status write_to_file(void *ctx, const char *bytes, size_t len) {
    struct snapshot_file *file = ctx;
    if (!file->made)
        file->number = loupe_kernel_create(file->path);
    file->made = true;
    bool written = file->number >= 0 && loupe_kernel_write(file->number, bytes, len);
    return written ? LOUPE_OK : LOUPE_EUSAGE;
}

/* One that is not whole goes. False: it did although the answer has been written. */
static bool end_file(struct snapshot_file *file, bool whole) {
    if (!file->made || file->number < 0)
        return true;
    bool closed = loupe_kernel_close(file->number);
    if (whole && closed)
        return true;
    loupe_kernel_remove(file->path);
    return !whole;
}

static void answer_not_written(const struct loupe_question *question) {
    struct loupe_json json;
    struct loupe_error err;
    struct loupe_envelope envelope = {.query = loupe_query_name(question->query),
                                      .engine = question->engine,
                                      .pointer_size = sizeof(void *)};
    loupe_reply_clear();
    loupe_fail(&err, LOUPE_EUSAGE, 0, LOUPE_SNAPSHOT_NOT_WRITTEN);
    loupe_json_init(&json, loupe_reply_sink());
    loupe_report_error(&json, &envelope, &err);
    loupe_json_finish(&json);
}

/* The heap and what leads into it are looked at while nothing else runs, where that can be had. */
static bool others_wait(const struct call *call) {
    bool is_of_all = call->question == LOUPE_QUERY_INCOMING_REFS ||
                     call->question == LOUPE_QUERY_SNAPSHOT || call->question == LOUPE_QUERY_LEAKS;
    return call->flags & LOUPE_ASK_OTHERS_WAIT || (is_of_all && loupe_threads_hold());
}

static void answer_question(const struct call *call, bool others_run, struct loupe_memory *memory) {
    struct snapshot_file file = {.path = call->file};
    struct loupe_question question = {.query = (enum loupe_query)call->question,
                                      .address = (uintptr_t)call->address,
                                      .limit = call->limit,
                                      .max_rings = call->max_rings,
                                      .engine = "helper",
                                      .tally = call->tally,
                                      .arguments = call->arguments,
                                      .process = (uint64_t)loupe_kernel_process(),
                                      .time = loupe_kernel_time(),
                                      .others_run = others_run};
    if (call->file)
        question.file = (struct loupe_sink){.write = write_to_file, .ctx = &file};
    enum loupe_status status = loupe_answer(memory, &loupe_pages, &question, loupe_reply_sink());
    if (!end_file(&file, status == LOUPE_OK))
        answer_not_written(&question);
}

static void answer_call(const struct call *call, bool others_run) {
    struct loupe_self self;
    struct loupe_memory memory;
    loupe_addr address = (uintptr_t)call->address;
    enum loupe_status status = loupe_self_init(&self, &loupe_pages);
    if (status) {
        answer_without_memory_map(call, status);
        return;
    }
    loupe_memory_init(&memory, &loupe_self_ops, &self, loupe_own_machine, &loupe_pages);
    self.own_stack_pointer = call->frame;
    self.asked_from = call->registers;
    loupe_memory_leave_out_stack(&memory, call->frame);
    loupe_memory_set_limit(&memory, (uint64_t)call->milliseconds * 1000);
    if (call->question == DISPOSE_PROBE) {
        loupe_probe(&self, &memory, &loupe_pages, address, loupe_reply_sink());
    } else if (call->question == BACKTRACES) {
        self.regions.may_change = true;
        struct loupe_backtraces_question question = {.wanted = call->wanted,
                                                     .own = &call->registers,
                                                     .arguments = call->arguments,
                                                     .as_text = call->as_text};
        loupe_backtraces_answer(&question, &self.images, &memory, &loupe_pages, loupe_reply_sink());
    } else {
        answer_question(call, others_run, &memory);
    }
    loupe_memory_deinit(&memory);
    loupe_self_deinit(&self);
}

static void answer(void *ctx) {
    const struct call *call = ctx;
    answer_call(call, !others_wait(call));
    loupe_threads_let_go();
}

/*
 * From the frame of the entry point down, which is where this is inlined, the stack is ours, no
 * part of the program. A debugger, whose call made that frame, says where the program's own stack
 * ends (docs/protocol.md).
 */
__attribute__((always_inline)) static inline const char *ask(struct call *call) {
    int program_errno = errno;
    if (!begin(call->flags))
        return call->as_text ? busy_text : refusals[call->question];
    loupe_frame_capture(&call->registers);
    call->frame = (uintptr_t)__builtin_frame_address(0);
    loupe_run_on_own_stack(answer, call);
    const char *text = loupe_reply_text();
    end();
    errno = program_errno;
    return text ? text : call->as_text ? no_memory_text : no_memory;
}

/* ---- The API ---- */

uint32_t loupe_helper_version(void) {
    return LOUPE_HELPER_VERSION;
}

__attribute__((always_inline)) static inline const char *ask_named(const char *query,
                                                                   struct call *call) {
    enum loupe_query known;
    if (!query)
        return unknown_query;
    if (strcmp(query, DISPOSE_PROBE_NAME) == 0)
        call->question = DISPOSE_PROBE;
    else if (strcmp(query, BACKTRACES_NAME) == 0)
        call->question = BACKTRACES;
    else if (loupe_query_named(query, &known))
        call->question = known;
    else
        return unknown_query;
    return ask(call);
}

const char *loupe_ask(const char *query, const void *address, uint64_t limit, uint32_t max_rings,
                      uint32_t milliseconds, uint32_t flags) {
    return ask_named(query, &(struct call){.address = address,
                                           .limit = limit,
                                           .max_rings = max_rings,
                                           .milliseconds = milliseconds,
                                           .flags = flags});
}

const char *loupe_ask_with(const char *query, const void *address, uint64_t limit,
                           uint32_t max_rings, uint32_t milliseconds, uint32_t flags,
                           const char *arguments) {
    return ask_named(query, &(struct call){.address = address,
                                           .limit = limit,
                                           .max_rings = max_rings,
                                           .milliseconds = milliseconds,
                                           .flags = flags,
                                           .arguments = arguments});
}

const char *loupe_snapshot(const char *file) {
    return loupe_snapshot_with(file, 0, 0, NULL);
}

const char *loupe_snapshot_with(const char *file, uint32_t milliseconds, uint32_t flags,
                                const char *arguments) {
    return ask(&(struct call){.question = LOUPE_QUERY_SNAPSHOT,
                              .milliseconds = milliseconds,
                              .flags = flags,
                              .arguments = arguments,
                              .file = file});
}

const char *loupe_leaks(void) {
    return ask(&(struct call){.question = LOUPE_QUERY_LEAKS});
}

const char *loupe_block_layout(const void *block) {
    return ask(&(struct call){.question = LOUPE_QUERY_BLOCK_LAYOUT, .address = block});
}

const char *loupe_ivar_layout(const void *object_or_class) {
    return ask(&(struct call){.question = LOUPE_QUERY_IVAR_LAYOUT, .address = object_or_class});
}

const char *loupe_dispose_probe(const void *block_or_object) {
    return ask(&(struct call){.question = DISPOSE_PROBE, .address = block_or_object});
}

const char *loupe_strong_refs(const void *object) {
    return ask(&(struct call){.question = LOUPE_QUERY_STRONG_REFS, .address = object});
}

const char *loupe_retain_cycles(const void *object) {
    return ask(&(struct call){.question = LOUPE_QUERY_RETAIN_CYCLES, .address = object});
}

unsigned loupe_count_cycles(const void *object) {
    struct loupe_tally tally = {0};
    ask(&(struct call){.question = LOUPE_QUERY_RETAIN_CYCLES, .address = object, .tally = &tally});
    return tally.certain_knots || tally.complete ? tally.certain_knots : UINT32_MAX;
}

/* ---- Stacks ---- */

const char *loupe_backtraces(void) {
    return ask(&(struct call){.question = BACKTRACES, .as_text = true});
}

const char *loupe_backtrace_main(void) {
    return ask(
        &(struct call){.question = BACKTRACES, .as_text = true, .wanted = {.only_first = true}});
}

const char *loupe_backtrace_of_id(uint64_t id) {
    /* 0 is nobody's, and stands for any. */
    return ask(&(struct call){
        .question = BACKTRACES, .as_text = true, .wanted = {.id = id ? id : UINT64_MAX}});
}

const char *loupe_backtrace_of_pthread(const void *pthread) {
    uint64_t id = loupe_thread_id_of(pthread);
    return ask(&(struct call){
        .question = BACKTRACES, .as_text = true, .wanted = {.id = id ? id : UINT64_MAX}});
}

const char *loupe_backtrace_of_name(const char *name) {
    return ask(&(struct call){
        .question = BACKTRACES, .as_text = true, .wanted = {.name = name ? name : ""}});
}
