#include "heap/recorded_stacks.h"

#include "base/sort.h"
#include "scene/sections.h"
#include "types/method_symbol.h"

enum { BLOCKS_BETWEEN_CHECKS = 1 << 12, NAME_SIZE = 1024 };

/* A section of an image that is loaded and cannot be written. */
struct loupe_code_stretch {
    loupe_addr start, end;
    uint32_t image; /* string: its path */
    uint32_t flags; /* of frames in it */
};

void loupe_heap_stacks_init(struct loupe_heap_stacks *stacks, struct loupe_heap_tables *tables) {
    const struct loupe_chunk_ops *chunks = tables->chunks;
    *stacks = (struct loupe_heap_stacks){.tables = tables};
    loupe_vector_init(&stacks->of_blocks, chunks, sizeof(uint32_t));
    loupe_vector_init(&stacks->calls, chunks, sizeof(struct loupe_recorded_call));
    loupe_vector_init(&stacks->frames, chunks, sizeof(struct loupe_recorded_frame));
    loupe_vector_init(&stacks->recorder, chunks, sizeof(struct loupe_recorder));
    loupe_vector_init(&stacks->code, chunks, sizeof(struct loupe_code_stretch));
    loupe_map_init(&stacks->call_by_number, chunks);
    loupe_map_init(&stacks->frame_by_address, chunks);
}

void loupe_heap_stacks_deinit(struct loupe_heap_stacks *stacks) {
    loupe_vector_deinit(&stacks->of_blocks);
    loupe_vector_deinit(&stacks->calls);
    loupe_vector_deinit(&stacks->frames);
    loupe_vector_deinit(&stacks->recorder);
    loupe_vector_deinit(&stacks->code);
    loupe_map_deinit(&stacks->call_by_number);
    loupe_map_deinit(&stacks->frame_by_address);
}

/* ---- Where code is ---- */

struct code_search {
    struct loupe_heap_stacks *stacks;
    struct loupe_code_stretch next; /* what the sections of one image have in common */
};

static enum loupe_status take_section(void *visitor, const struct loupe_process_section *section) {
    struct code_search *search = visitor;
    if (!section->loaded || section->writable || !section->size ||
        section->size > UINT64_MAX - section->start)
        return LOUPE_OK;
    struct loupe_code_stretch *added = loupe_vector_add(&search->stacks->code);
    if (!added)
        return LOUPE_ENOMEM;
    *added = search->next;
    added->start = section->start;
    added->end = section->start + section->size;
    return LOUPE_OK;
}

static enum loupe_status take_image(void *visitor, uint32_t image, const char *path) {
    struct code_search *search = visitor;
    struct loupe_heap_tables *tables = search->stacks->tables;
    const struct loupe_memory *memory = tables->target->memory;
    search->next = (struct loupe_code_stretch){
        .image = loupe_heap_text(tables, path),
        .flags = loupe_image_is_systems(path) ? LOUPE_FRAME_FOREIGN : 0};
    enum loupe_status status =
        memory->ops->process->sections(memory->ctx, image, take_section, search);
    return status == LOUPE_EFAULT ? LOUPE_OK : status; /* its frames are without a library */
}

static bool starts_before(const void *ctx, const void *a, const void *b) {
    const struct loupe_code_stretch *left = a, *right = b;
    (void)ctx;
    return left->start < right->start;
}

/* The stretch that holds an address, or NULL. */
static struct loupe_code_stretch *code_at(const struct loupe_heap_stacks *stacks,
                                          loupe_addr address) {
    uint32_t low = 0, high = stacks->code.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct loupe_code_stretch *code =
            loupe_vector_at(&stacks->code, middle, sizeof(*code));
        if (code->start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    struct loupe_code_stretch *found =
        low ? loupe_vector_at(&stacks->code, low - 1, sizeof(*found)) : NULL;
    return found && address < found->end ? found : NULL;
}

/* The runtime and the Foundation allocate for others: who called them is asked for, whatever folder
 * they stand in. */
static void mark_library_of(struct loupe_heap_stacks *stacks, const char *name) {
    loupe_addr function;
    if (loupe_memory_find_symbol(stacks->tables->target->memory, name, &function))
        return;
    const struct loupe_code_stretch *there = code_at(stacks, function);
    for (uint32_t i = 0; there && i < stacks->code.count; i++) {
        struct loupe_code_stretch *code = loupe_vector_at(&stacks->code, i, sizeof(*code));
        if (code->image == there->image)
            code->flags |= LOUPE_FRAME_FOREIGN;
    }
}

static enum loupe_status find_code(struct loupe_heap_stacks *stacks) {
    const struct loupe_memory *memory = stacks->tables->target->memory;
    const struct loupe_process_ops *process = memory->ops->process;
    struct code_search search = {.stacks = stacks};
    if (!process || !process->images || !process->sections)
        return LOUPE_OK;
    enum loupe_status status = process->images(memory->ctx, take_image, &search);
    loupe_vector_sort(&stacks->code, starts_before, NULL);
    static const char *const functions[] = {"class_addMethod", "NSLog"};
    for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        mark_library_of(stacks, functions[i]);
    return status == LOUPE_ENOMEM ? status : LOUPE_OK;
}

/* ---- Frames ---- */

/* What is called returns to where the call ends: the call itself is before that. */
static void name_frame(struct loupe_heap_stacks *stacks, struct loupe_recorded_frame *frame) {
    struct loupe_memory *memory = stacks->tables->target->memory;
    char text[NAME_SIZE], method[NAME_SIZE];
    loupe_addr place = frame->address - 1;
    const struct loupe_code_stretch *code = code_at(stacks, place);
    uint64_t offset;
    uint32_t line;
    if (code) {
        frame->image = code->image;
        frame->flags = code->flags;
    }
    if (loupe_memory_name_address(memory, place, text, sizeof(text), &offset)) {
        loupe_method_of_symbol(text, method, sizeof(method));
        frame->function = loupe_heap_text(stacks->tables, method);
    }
    if (loupe_memory_line_of_address(memory, place, text, sizeof(text), &line)) {
        frame->file = loupe_heap_text(stacks->tables, text);
        frame->line = line;
    }
}

static enum loupe_status frame_of(struct loupe_heap_stacks *stacks, loupe_addr address,
                                  uint32_t *ret) {
    if (loupe_map_find(&stacks->frame_by_address, address, ret))
        return LOUPE_OK;
    struct loupe_recorded_frame *frame = loupe_vector_add(&stacks->frames);
    if (!frame)
        return LOUPE_ENOMEM;
    *frame = (struct loupe_recorded_frame){
        .address = address, .function = LOUPE_NONE, .image = LOUPE_NONE, .file = LOUPE_NONE};
    if (address)
        name_frame(stacks, frame);
    *ret = stacks->frames.count - 1;
    return loupe_map_put(&stacks->frame_by_address, address, *ret);
}

/* ---- Stacks ---- */

static enum loupe_status add_call(struct loupe_heap_stacks *stacks, uint32_t number,
                                  loupe_addr address, uint32_t *caller) {
    struct loupe_recorded_call call = {.caller = *caller};
    enum loupe_status status = frame_of(stacks, address, &call.frame);
    struct loupe_recorded_call *added = status ? NULL : loupe_vector_add(&stacks->calls);
    if (!added)
        return LOUPE_ENOMEM;
    *added = call;
    *caller = stacks->calls.count - 1;
    return loupe_map_put(&stacks->call_by_number, number, *caller);
}

/* The call of a number of the recorder, with those that led to it as far as they are new. */
static enum loupe_status call_of(struct loupe_heap_stacks *stacks, uint32_t number, uint32_t *ret) {
    struct loupe_record_node nodes[LOUPE_RECORD_MOST_FRAMES];
    uint32_t numbers[LOUPE_RECORD_MOST_FRAMES], count = 0;
    bool is_known = loupe_map_find(&stacks->call_by_number, number, ret);
    /* Cap: the stack is not whole. */
    while (!is_known && count < LOUPE_RECORD_MOST_FRAMES &&
           loupe_recorded_node(stacks->recorded, number, &nodes[count])) {
        numbers[count] = number;
        number = nodes[count++].caller;
        if (number >= numbers[count - 1]) /* who calls was there first: this is damage */
            break;
        is_known = loupe_map_find(&stacks->call_by_number, number, ret);
    }
    if (!is_known && !count)
        *ret = LOUPE_NONE;
    else if (!is_known)
        *ret = number == LOUPE_RECORD_WHOLE ? LOUPE_NONE : LOUPE_CALLER_CUT;
    enum loupe_status status = LOUPE_OK;
    while (!status && count--)
        status = add_call(stacks, numbers[count], nodes[count].frame, ret);
    return status;
}

static enum loupe_status take_block(struct loupe_heap_stacks *stacks, loupe_addr start) {
    uint32_t *call = loupe_vector_add(&stacks->of_blocks);
    if (!call)
        return LOUPE_ENOMEM;
    *call = LOUPE_NONE;
    uint32_t stack = loupe_recorded_stack(stacks->recorded, start);
    return stack ? call_of(stacks, stack, call) : LOUPE_OK;
}

static enum loupe_status take_recorder(struct loupe_heap_stacks *stacks) {
    const struct loupe_recorded *recorded = stacks->recorded;
    struct loupe_recorder *recorder = loupe_vector_add(&stacks->recorder);
    if (!recorder)
        return LOUPE_ENOMEM;
    *recorder = (struct loupe_recorder){.state = (uint32_t)recorded->state,
                                        .blocks_left_out = recorded->header.blocks_left_out,
                                        .stacks_left_out = recorded->header.stacks_left_out};
    return LOUPE_OK;
}

enum loupe_status loupe_heap_stacks_take(struct loupe_heap_stacks *stacks,
                                         const struct loupe_blocks *blocks) {
    struct loupe_target *target = stacks->tables->target;
    stacks->recorded = loupe_recorded_of(target);
    if (!stacks->recorded)
        return LOUPE_OK;
    enum loupe_status status = take_recorder(stacks);
    if (!status)
        status = find_code(stacks);
    for (uint32_t i = 0; !status && i < blocks->count; i++) {
        status = i % BLOCKS_BETWEEN_CHECKS == 0 && loupe_memory_interrupted(target->memory)
                     ? LOUPE_ETIMEOUT
                     : take_block(stacks, blocks->starts[i]);
    }
    return status;
}
