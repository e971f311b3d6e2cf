/* What threads hold: their stacks, their registers, the variables that each has of its own. */
#include "runtime/abi.h"
#include "scene/glibc_threads.h"
#include "scene/parts.h"
#include "scene/registers.h"

#include <string.h>

enum {
    ONE_STACK = 16 << 20, /* bytes of one stack that are scanned */
    /* Bytes of what the C library keeps of a thread at its thread pointer, values by key among it:
     * as many as glibc's. */
    CONTROL_BLOCK = 0x900
};

struct thread {
    uint64_t id;
    loupe_addr stack_pointer, thread_pointer; /* 0: not known */
    struct loupe_range variables;             /* that the thread has of its own; empty: not known */
    uint32_t number;                          /* the reader's */
    const struct loupe_known_register *known; /* NULL: the reader is asked */
    uint32_t known_count;
};

struct taker {
    struct loupe_scene *scene;
    const struct loupe_registers *names;
    struct loupe_vector threads; /* of struct thread */
};

static const struct loupe_process_ops *process_of(const struct loupe_scene *scene) {
    return scene->target->memory->ops->process;
}

static struct thread *thread_at(const struct taker *taker, uint32_t index) {
    return loupe_vector_at(&taker->threads, index, sizeof(struct thread));
}

static const struct loupe_process_region *writable_region(const struct loupe_scene *scene,
                                                          loupe_addr address) {
    const struct loupe_process_region *region = loupe_scene_region(scene, address);
    return region && region->writable ? region : NULL;
}

/* ---- Registers ---- */

static bool register_named(const struct taker *taker, const struct thread *thread, const char *name,
                           uint64_t *ret) {
    const struct loupe_process_ops *process = process_of(taker->scene);
    for (uint32_t i = 0; i < thread->known_count; i++) {
        if (strcmp(thread->known[i].name, name) == 0) {
            *ret = thread->known[i].value;
            return true;
        }
    }
    return !thread->known && process && process->thread_register &&
           process->thread_register(taker->scene->target->memory->ctx, thread->number, name, ret);
}

static void find_pointers(const struct taker *taker, struct thread *thread) {
    const char *const *name = taker->names->stack_pointers;
    while (*name && !register_named(taker, thread, *name, &thread->stack_pointer))
        name++;
    if (taker->names->thread_pointer)
        register_named(taker, thread, taker->names->thread_pointer, &thread->thread_pointer);
    /* lldb 19 reads another register from minidumps of x86-64. */
    if (!writable_region(taker->scene, thread->thread_pointer))
        thread->thread_pointer = 0;
}

static bool is_repeated(const uint64_t *words, unsigned count, uint64_t word) {
    for (unsigned i = 0; i < count; i++)
        if (words[i] == word)
            return true;
    return false;
}

/* Those of the innermost frame; what callers kept in registers is on the stack. */
static enum loupe_status add_registers(const struct taker *taker, const struct thread *thread) {
    enum { MOST_REGISTERS = 64 };
    uint64_t words[MOST_REGISTERS];
    unsigned count = 0;
    bool any = false;
    enum loupe_status status = LOUPE_OK;
    for (const char *const *name = taker->names->general; !status && *name; name++) {
        uint64_t word;
        if (!register_named(taker, thread, *name, &word))
            continue;
        any = true;
        if (word < LOUPE_PAGE_SIZE || is_repeated(words, count, word))
            continue;
        words[count++] = word;
        status = loupe_scene_add_source(taker->scene,
                                        (struct loupe_root_source){.kind = LOUPE_ROOT_REGISTER,
                                                                   .word = word,
                                                                   .of_thread = true,
                                                                   .thread = thread->id,
                                                                   .register_name = *name});
    }
    if (!status && !any)
        status =
            loupe_scene_add_gap(taker->scene, (struct loupe_scene_gap){.kind = LOUPE_GAP_REGISTERS,
                                                                       .of_thread = true,
                                                                       .thread = thread->id});
    return status;
}

/* ---- Variables of its own ---- */

static loupe_addr lower_of(loupe_addr a, loupe_addr b) {
    return a < b ? a : b;
}

static loupe_addr higher_of(loupe_addr a, loupe_addr b) {
    return a > b ? a : b;
}

/* As the system tells them, as far as they can be written. */
static void keep_writable(const struct taker *taker, struct loupe_range *variables) {
    const struct loupe_process_region *region = writable_region(taker->scene, variables->start);
    variables->end = region ? lower_of(region->end, variables->end) : variables->start;
}

/* Around the thread pointer, but nothing of an unused stack, at whose end they may stand. */
static void find_variables(const struct taker *taker, struct thread *thread) {
    if (thread->variables.start < thread->variables.end) {
        keep_writable(taker, &thread->variables);
        return;
    }
    uint64_t below = taker->scene->thread_local_size, above = CONTROL_BLOCK;
    loupe_addr pointer = thread->thread_pointer, start;
    const struct loupe_process_region *region = writable_region(taker->scene, pointer);
    if (!pointer || !region)
        return;
    if (!taker->names->variables_below) {
        below = CONTROL_BLOCK;
        above = taker->scene->thread_local_size;
    }
    start = region->start;
    if (thread->stack_pointer >= start && thread->stack_pointer < pointer)
        start = thread->stack_pointer;
    thread->variables.start = pointer - start > below ? pointer - below : start;
    thread->variables.end = lower_of(region->end, pointer + above);
}

static enum loupe_status add_variables(const struct taker *taker, const struct thread *thread) {
    if (thread->variables.start >= thread->variables.end)
        return LOUPE_OK;
    return loupe_scene_add_source(taker->scene,
                                  (struct loupe_root_source){.kind = LOUPE_ROOT_THREAD_LOCAL,
                                                             .memory = thread->variables,
                                                             .of_thread = true,
                                                             .thread = thread->id});
}

/* ---- Stacks ---- */

/* Where its memory ends; if that is not known, where its outermost frame does. */
static loupe_addr end_of_stack(const struct taker *taker, const struct thread *thread) {
    const struct loupe_process_ops *process = process_of(taker->scene);
    const struct loupe_process_region *region =
        writable_region(taker->scene, thread->stack_pointer);
    if (region)
        return region->end;
    loupe_addr end = 0;
    if (!thread->known && process && process->frames_end)
        end = process->frames_end(taker->scene->target->memory->ctx, thread->number);
    return higher_of(end, thread->stack_pointer);
}

/* From the red zone on: what the innermost function has there may be stale as any word of a stack.
 */
static loupe_addr start_of_stack(const struct taker *taker, const struct thread *thread) {
    uint64_t red_zone = loupe_red_zone(&taker->scene->target->memory->machine);
    const struct loupe_process_region *region =
        writable_region(taker->scene, thread->stack_pointer);
    if (!region || thread->stack_pointer < red_zone)
        return thread->stack_pointer;
    return higher_of(region->start, thread->stack_pointer - red_zone);
}

/* Without the thread's variables, which have a source of their own. */
static struct loupe_range stack_of(const struct taker *taker, const struct thread *thread) {
    struct loupe_range stack = {0};
    if (!thread->stack_pointer)
        return stack;
    stack.start = start_of_stack(taker, thread);
    stack.end = end_of_stack(taker, thread);
    const struct loupe_range *variables = &thread->variables;
    if (stack.start < variables->end && variables->end - 1 < stack.end)
        stack.end = lower_of(stack.end, variables->start);
    return stack;
}

static enum loupe_status add_stack(const struct taker *taker, const struct thread *thread) {
    struct loupe_range stack = stack_of(taker, thread);
    struct loupe_scene_gap gap = {.kind = LOUPE_GAP_STACK, .of_thread = true, .thread = thread->id};
    if (stack.start >= stack.end)
        return loupe_scene_add_gap(taker->scene, gap);
    enum loupe_status status = LOUPE_OK;
    if (stack.end - stack.start > ONE_STACK) {
        gap.kind = LOUPE_GAP_STACK_PART;
        gap.bytes = stack.end - stack.start - ONE_STACK;
        stack.end = stack.start + ONE_STACK;
        status = loupe_scene_add_gap(taker->scene, gap);
    }
    if (!status)
        status = loupe_scene_add_source(taker->scene,
                                        (struct loupe_root_source){.kind = LOUPE_ROOT_STACK,
                                                                   .memory = stack,
                                                                   .of_thread = true,
                                                                   .thread = thread->id});
    return status;
}

static bool holds_a_thread_pointer(const struct taker *taker,
                                   const struct loupe_process_region *region) {
    for (uint32_t i = 0; i < taker->threads.count; i++) {
        loupe_addr pointer = thread_at(taker, i)->thread_pointer;
        if (pointer >= region->start && pointer < region->end)
            return true;
    }
    return false;
}

/* Below the stack pointer: all of a stack that the system or the C library made, a little of any
 * other. */
static enum loupe_status leave_out_unused(const struct taker *taker, const struct thread *thread) {
    struct loupe_scene *scene = taker->scene;
    const struct loupe_process_region *region = loupe_scene_region(scene, thread->stack_pointer);
    uint64_t red_zone = loupe_red_zone(&scene->target->memory->machine);
    if (!thread->stack_pointer || !region || thread->stack_pointer < red_zone)
        return LOUPE_OK;
    loupe_addr start = region->start;
    bool is_whole =
        region->is_stack || holds_a_thread_pointer(taker, region) ||
        loupe_scene_is_darwins_stack(scene->target->memory, region, thread->stack_pointer);
    if (!is_whole && thread->stack_pointer > LOUPE_UNUSED_STACK)
        start = higher_of(start, thread->stack_pointer - LOUPE_UNUSED_STACK);
    return loupe_ranges_add(&scene->unused, start, thread->stack_pointer - red_zone);
}

/* ---- Threads ---- */

static enum loupe_status add_thread(struct taker *taker, struct thread thread) {
    struct thread *added = loupe_vector_add(&taker->threads);
    if (!added)
        return LOUPE_ENOMEM;
    *added = thread;
    find_pointers(taker, added);
    return LOUPE_OK;
}

static enum loupe_status take_thread(void *visitor, uint32_t number,
                                     const struct loupe_process_thread *about) {
    return add_thread(visitor, (struct thread){.id = about->id,
                                               .number = number,
                                               .variables = {.start = about->variables_start,
                                                             .end = about->variables_end}});
}

static enum loupe_status take_known(struct taker *taker, const struct loupe_request *request) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t first = 0, next; !status && first < request->register_count; first = next) {
        const struct loupe_known_register *known = &request->registers[first];
        for (next = first; next < request->register_count; next++)
            if (request->registers[next].thread != known->thread)
                break;
        status = add_thread(
            taker,
            (struct thread){.id = known->thread, .known = known, .known_count = next - first});
    }
    return status;
}

static enum loupe_status take_variables(void *visitor, uint32_t number,
                                        const struct loupe_process_thread *about) {
    const struct taker *taker = visitor;
    (void)number;
    for (uint32_t i = 0; i < taker->threads.count; i++)
        if (thread_at(taker, i)->id == about->id)
            thread_at(taker, i)->variables =
                (struct loupe_range){.start = about->variables_start, .end = about->variables_end};
    return LOUPE_OK;
}

/* Threads whose registers a debugger says have their variables where the system does. */
static enum loupe_status join_variables(struct taker *taker) {
    const struct loupe_process_ops *process = process_of(taker->scene);
    enum loupe_status status =
        process && process->threads
            ? process->threads(taker->scene->target->memory->ctx, take_variables, taker)
            : LOUPE_OK;
    return status == LOUPE_ENOMEM ? status : LOUPE_OK;
}

static enum loupe_status list_threads(struct taker *taker, const struct loupe_request *request) {
    const struct loupe_process_ops *process = process_of(taker->scene);
    enum loupe_status status = LOUPE_EFAULT;
    if (request->register_count)
        status = take_known(taker, request) ? LOUPE_ENOMEM : join_variables(taker);
    else if (process && process->threads)
        status = process->threads(taker->scene->target->memory->ctx, take_thread, taker);
    if (status == LOUPE_EFAULT)
        status =
            loupe_scene_add_gap(taker->scene, (struct loupe_scene_gap){.kind = LOUPE_GAP_THREADS});
    return status;
}

static void take_glibcs(void *visitor, const struct loupe_glibc_thread *found) {
    const struct taker *taker = visitor;
    for (uint32_t i = 0; i < taker->threads.count; i++) {
        struct thread *thread = thread_at(taker, i);
        if (thread->id == found->id && !thread->thread_pointer)
            thread->thread_pointer = found->thread_pointer;
    }
}

/* From glibc where the register is not known: to the process itself that of other threads, to
 * debuggers that do not tell it any. */
static void find_all_variables(struct taker *taker) {
    bool missing = false;
    for (uint32_t i = 0; i < taker->threads.count; i++)
        missing |= !thread_at(taker, i)->thread_pointer;
    if (missing && taker->names->thread_pointer)
        loupe_glibc_threads(taker->scene->target, take_glibcs, taker);
    for (uint32_t i = 0; i < taker->threads.count; i++)
        find_variables(taker, thread_at(taker, i));
}

static enum loupe_status add_all(const struct taker *taker) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < taker->threads.count; i++) {
        const struct thread *thread = thread_at(taker, i);
        status = add_variables(taker, thread);
        if (!status)
            status = add_stack(taker, thread);
        if (!status)
            status = add_registers(taker, thread);
        if (!status)
            status = leave_out_unused(taker, thread);
    }
    return status;
}

/* ---- Stacks of threads that have ended ---- */

struct ended_stacks {
    const struct taker *taker;
    enum loupe_status status;
};

static const struct loupe_process_region *region_at(const struct loupe_scene *scene, uint32_t i) {
    return loupe_vector_at(&scene->regions, i, sizeof(struct loupe_process_region));
}

/* The region of an address, where a guard stands below it: else it may begin with memory of others,
 * which the kernel joins with a stack. NULL. Regions rise. */
static const struct loupe_process_region *guarded_around(const struct loupe_scene *scene,
                                                         loupe_addr address) {
    uint32_t low = 0, high = scene->regions.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (region_at(scene, middle)->end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || low == scene->regions.count || region_at(scene, low)->start > address)
        return NULL;
    const struct loupe_process_region *below = region_at(scene, low - 1);
    return below->end == region_at(scene, low)->start && !below->readable ? region_at(scene, low)
                                                                          : NULL;
}

static bool is_in_use(const struct taker *taker, const struct loupe_range *stack) {
    for (uint32_t i = 0; i < taker->threads.count; i++) {
        const struct thread *thread = thread_at(taker, i);
        if (thread->stack_pointer >= stack->start && thread->stack_pointer < stack->end)
            return true;
    }
    return false;
}

/* Words of a stack that nobody runs on keep nothing. */
static void leave_out_ended(void *visitor, loupe_addr pthread) {
    struct ended_stacks *stacks = visitor;
    struct loupe_scene *scene = stacks->taker->scene;
    const struct loupe_process_region *region = guarded_around(scene, pthread);
    if (stacks->status || !region)
        return;
    struct loupe_range stack = {region->start, pthread};
    if (!is_in_use(stacks->taker, &stack))
        stacks->status = loupe_ranges_add(&scene->unused, stack.start, stack.end);
}

static enum loupe_status leave_out_all_ended(const struct taker *taker) {
    struct ended_stacks stacks = {.taker = taker};
    loupe_glibc_ended_threads(taker->scene->target, leave_out_ended, &stacks);
    return stacks.status;
}

static bool all_variables_are_known(const struct taker *taker) {
    for (uint32_t i = 0; i < taker->threads.count; i++)
        if (thread_at(taker, i)->variables.start >= thread_at(taker, i)->variables.end)
            return false;
    return taker->threads.count > 0;
}

/* Pages of pools are found from a thread's variables. */
static enum loupe_status add_gaps(const struct taker *taker) {
    const struct loupe_abi *abi = taker->scene->target->abi;
    bool known = all_variables_are_known(taker);
    bool pools_are_seen = abi->pools_are_objects || (known && (abi->pool_page || abi->pool_in));
    enum loupe_status status = LOUPE_OK;
    if (!pools_are_seen)
        status =
            loupe_scene_add_gap(taker->scene, (struct loupe_scene_gap){.kind = LOUPE_GAP_POOLS});
    if (!status)
        status = loupe_scene_add_gap(
            taker->scene, (struct loupe_scene_gap){.kind = known ? LOUPE_GAP_LATER_THREAD_LOCAL
                                                                 : LOUPE_GAP_THREAD_LOCAL});
    return status;
}

enum loupe_status loupe_scene_take_threads(struct loupe_scene *scene,
                                           const struct loupe_request *request) {
    struct taker taker = {.scene = scene,
                          .names = loupe_registers_of(&scene->target->memory->machine)};
    loupe_vector_init(&taker.threads, scene->target->chunks, sizeof(struct thread));
    enum loupe_status status = list_threads(&taker, request);
    if (!status)
        find_all_variables(&taker);
    if (!status)
        status = add_all(&taker);
    if (!status)
        status = leave_out_all_ended(&taker);
    if (!status)
        status = add_gaps(&taker);
    loupe_vector_deinit(&taker.threads);
    return status;
}
