/* What is left over in tables of the runtime, and in what libdispatch keeps for later: words that
 * hold nothing. */
#include "heap/snapshot_builder.h"

/* The part of a stretch that is in the block in which it begins. */
static loupe_addr end_in_block(const struct loupe_snapshot_builder *builder,
                               const struct loupe_range *stretch) {
    uint32_t block;
    if (!loupe_blocks_find(builder->blocks, stretch->start, &block))
        return stretch->start;
    loupe_addr end = builder->blocks->starts[block] + loupe_blocks_size(builder->blocks, block);
    return stretch->end < end ? stretch->end : end;
}

/* ---- Continuations of libdispatch ---- */

/* What a thread has freed of them, and keeps: dispatch_continuation_s in inline_internal.h. */
enum { COUNT = 1, NEXT = 2, FUNCTION = 4, END = 8, MOST_BYTES = 96, MOST_CACHED = 1024 };

struct runs_job {
    loupe_addr known; /* 0: none yet */
};

/* The function that runs what a task of Swift does next. Without symbols it is not known. */
static bool runs_job(const struct loupe_snapshot_builder *builder, loupe_addr function,
                     struct runs_job *found) {
    char name[LOUPE_MAX_PATH];
    uint64_t offset;
    if (found->known)
        return function == found->known;
    uint32_t block;
    if (loupe_blocks_find(builder->blocks, function, &block) ||
        !loupe_memory_name_address(builder->target->memory, function, name, sizeof(name),
                                   &offset) ||
        offset || !loupe_span_contains(loupe_span_of(name), "swift_run_job"))
        return false;
    found->known = function;
    return true;
}

/* One that is free has in the first half of its priority how many the thread has, with itself. */
static bool is_free(const struct loupe_snapshot_builder *builder, uint32_t block,
                    struct runs_job *found) {
    struct loupe_memory *memory = builder->target->memory;
    loupe_addr start = builder->blocks->starts[block];
    uint32_t next_count;
    uint64_t words[END], size = loupe_blocks_size(builder->blocks, block);
    if (size < sizeof(words) || size > MOST_BYTES ||
        loupe_memory_read(memory, start, words, sizeof(words)) || !(uint32_t)words[COUNT] ||
        (uint32_t)words[COUNT] > MOST_CACHED || !runs_job(builder, words[FUNCTION], found))
        return false;
    if (!words[NEXT])
        return (uint32_t)words[COUNT] == 1;
    return !loupe_memory_read_u32(memory, words[NEXT] + COUNT * sizeof(*words), &next_count) &&
           next_count + 1 == (uint32_t)words[COUNT];
}

/* The task that one was about last may be gone, or be kept by nothing else. */
static enum loupe_status leave_out_continuations(struct loupe_snapshot_builder *builder) {
    struct runs_job found = {0};
    enum loupe_status status = LOUPE_OK;
    if (!builder->scene->has_swift || builder->target->memory->machine.pointer_size != 8)
        return LOUPE_OK;
    for (uint32_t i = 0; !status && i < builder->heap_nodes; i++) {
        if (loupe_heap_form(builder, i) != LOUPE_HEAP_RAW || !is_free(builder, i, &found))
            continue;
        /* Cap: all of its words. */
        for (unsigned word = FUNCTION; !status && word < END; word++)
            status = loupe_word_set_add(&builder->described,
                                        builder->blocks->starts[i] + word * sizeof(uint64_t));
    }
    return status;
}

/* ---- Of both ---- */

enum loupe_status loupe_heap_leave_out_unused(struct loupe_snapshot_builder *builder) {
    struct loupe_target *target = builder->target;
    enum loupe_status status = LOUPE_OK;
    struct loupe_range stretch;
    uint64_t cursor = 0;
    while (!status && target->abi->next_unused &&
           target->abi->next_unused(target, &cursor, &stretch)) {
        loupe_addr end = end_in_block(builder, &stretch);
        for (loupe_addr at = stretch.start; !status && at < end;
             at += target->memory->machine.pointer_size)
            status = loupe_word_set_add(&builder->described, at);
        if (!status && loupe_memory_interrupted(target->memory))
            status = LOUPE_ETIMEOUT;
    }
    return status ? status : leave_out_continuations(builder);
}
