/*
 * What libraries are known to leave behind (rules/known_leaks.def), among what nothing leads to:
 * marked, and named where it is no object. What is alive keeps its name whatever it looks like.
 */
#include "heap/snapshot_builder.h"
#include "runtime/values/string_text.h"

#include <string.h>

#include "../rules/known_leaks.def"

struct known_leak {
    enum known_leak_form form;
    const char *detail, *name, *runtime;
};

static const struct known_leak known_leaks[] = {
#define KNOWN_LEAK(form, detail, name, runtime, library, versions, most, proof)                    \
    {form, detail, name, runtime},
#include "../rules/known_leaks.def"
#undef KNOWN_LEAK
};
enum { KNOWN_LEAK_COUNT = sizeof(known_leaks) / sizeof(known_leaks[0]) };

enum seen { LOST, ALIVE, OF_PROGRAM /* lost, and no library's */ };

/* ---- What nothing leads to ---- */

struct reaching {
    const struct loupe_snapshot_builder *builder;
    uint8_t *seen; /* by node: enum seen */
    uint32_t *stack;
    uint32_t count, nodes;
};

static void reach(struct reaching *reaching, uint32_t node) {
    if (node >= reaching->nodes || reaching->seen[node])
        return;
    reaching->seen[node] = ALIVE;
    reaching->stack[reaching->count++] = node;
}

static void reach_column(struct reaching *reaching, const struct loupe_vector *to, uint32_t first,
                         uint32_t end) {
    for (uint32_t i = first; i < end; i++)
        reach(reaching, *(const uint32_t *)loupe_vector_at(to, i, sizeof(uint32_t)));
}

static uint32_t outside_end(const struct loupe_snapshot_builder *builder, uint32_t index) {
    return *(const uint32_t *)loupe_vector_at(&builder->outside_ends, index, sizeof(uint32_t));
}

static void reach_outside(struct reaching *reaching, uint32_t index) {
    const struct loupe_snapshot_builder *builder = reaching->builder;
    uint32_t in_heap = builder->heap_nodes ? builder->found.ends[builder->heap_nodes - 1] : 0;
    if (index < builder->outside_ends.count)
        reach_column(reaching, &builder->found.to,
                     index ? outside_end(builder, index - 1) : in_heap,
                     outside_end(builder, index));
}

/* Along references of any kind, and words: what is left is lost whatever they own. */
static void reach_all(struct reaching *reaching) {
    const struct loupe_snapshot_builder *builder = reaching->builder;
    for (uint32_t i = 0; i < builder->roots.count; i++) {
        const struct loupe_snapshot_root *root =
            loupe_vector_at(&builder->roots, i, sizeof(struct loupe_snapshot_root));
        reach(reaching, root->node);
    }
    while (reaching->count) {
        uint32_t node = reaching->stack[--reaching->count];
        if (node >= builder->heap_nodes) {
            reach_outside(reaching, node - builder->heap_nodes);
            continue;
        }
        reach_column(reaching, &builder->found.to, node ? builder->found.ends[node - 1] : 0,
                     builder->found.ends[node]);
        reach_column(reaching, &builder->words.to, node ? builder->words.ends[node - 1] : 0,
                     builder->words.ends[node]);
    }
}

/* ---- Forms ---- */

enum { MOST_WORDS = 64 };

struct looking {
    struct loupe_snapshot_builder *builder;
    uint8_t *seen;                            /* by node */
    uint32_t class_numbers[KNOWN_LEAK_COUNT]; /* of the names; LOUPE_NONE: not made yet */
    uint32_t of_runtime[KNOWN_LEAK_COUNT];    /* numbers of those that the runtime has */
    uint32_t count;
};

static void list_of_runtime(struct looking *looking) {
    for (uint32_t number = 0; number < KNOWN_LEAK_COUNT; number++) {
        if (strcmp(known_leaks[number].runtime, looking->builder->target->abi->name) == 0)
            looking->of_runtime[looking->count++] = number;
    }
}

static uint64_t word_at(const struct loupe_snapshot_builder *builder, loupe_addr address,
                        unsigned index) {
    uint8_t size = builder->target->memory->machine.pointer_size;
    uint64_t word = 0;
    return loupe_memory_read_word(builder->target->memory, address + (loupe_addr)index * size,
                                  &word)
               ? 0
               : word;
}

static uint64_t words_of(const struct loupe_snapshot_builder *builder, uint32_t block) {
    return loupe_blocks_size(builder->blocks, block) /
           builder->target->memory->machine.pointer_size;
}

static bool is_of_cxx(const struct loupe_snapshot_builder *builder, uint32_t block) {
    enum loupe_heap_form form = loupe_heap_form(builder, block);
    return form == LOUPE_HEAP_CONTROL || form == LOUPE_HEAP_MANAGED || form == LOUPE_HEAP_COUNTED ||
           (form == LOUPE_HEAP_RAW &&
            builder->classes[block] != builder->tables.plain_classes[LOUPE_CLASS_RAW] &&
            loupe_heap_class_entry(&builder->tables, builder->classes[block])->kind ==
                LOUPE_CLASS_RAW &&
            !loupe_heap_class_at(&builder->tables, builder->classes[block])->is_shape);
}

/* The allocator gives a word more than the two. */
static bool is_cell_size(const struct loupe_snapshot_builder *builder, uint32_t block) {
    uint64_t words = words_of(builder, block);
    return words == 2 || words == 3;
}

static bool ends_in(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Of that very class; what inherits from it is somebody else's. */
static bool is_instance(const struct looking *looking, uint32_t block,
                        const struct known_leak *leak) {
    const struct loupe_snapshot_builder *builder = looking->builder;
    const struct loupe_heap_class *cls =
        loupe_heap_class_at(&builder->tables, builder->classes[block]);
    char text[LOUPE_MAX_SELECTOR];
    if (loupe_heap_form(builder, block) != LOUPE_HEAP_OBJECT || !cls->cls ||
        strcmp(cls->cls->name, leak->name) != 0)
        return false;
    return leak->form == OBJECT ||
           (loupe_string_text(builder->target, builder->addresses[block], text, sizeof(text)) &&
            ends_in(text, leak->detail));
}

/* Where something was freed there may be nothing, or whatever is there by now. */
static bool may_be_freed(const struct loupe_snapshot_builder *builder, uint64_t word) {
    return word - builder->blocks->lowest < builder->blocks->extent &&
           word % builder->target->memory->machine.pointer_size == 0;
}

static bool is_list_of_freed(const struct looking *looking, uint32_t block) {
    const struct loupe_snapshot_builder *builder = looking->builder;
    uint64_t next = word_at(builder, builder->addresses[block], 1);
    uint32_t after;
    return is_cell_size(builder, block) &&
           may_be_freed(builder, word_at(builder, builder->addresses[block], 0)) &&
           (!next ||
            (loupe_blocks_find(builder->blocks, next, &after) &&
             builder->blocks->starts[after] == next &&
             loupe_heap_form(builder, after) == LOUPE_HEAP_RAW && is_cell_size(builder, after)));
}

/*
 * A list whose elements are all there, and lost like it, is no list of freed ones: two cells in a
 * row that lead to the starts of such blocks are the program's.
 */
static bool has_element(const struct looking *looking, uint32_t block) {
    const struct loupe_snapshot_builder *builder = looking->builder;
    uint64_t word = word_at(builder, builder->addresses[block], 0);
    uint32_t element;
    return loupe_blocks_find(builder->blocks, word, &element) && looking->seen[element] != ALIVE &&
           builder->addresses[element] == word &&
           (loupe_heap_form(builder, element) != LOUPE_HEAP_RAW || !is_cell_size(builder, element));
}

/* What objects of C++ have is theirs: a vector of one element is as large as a cell. Of those that
 * are no larger the last words may be old ones, of a cell that was there before. */
static void set_parts_aside(struct looking *looking) {
    const struct loupe_snapshot_builder *builder = looking->builder;
    for (uint32_t block = 0; block < builder->heap_nodes; block++) {
        if (looking->seen[block] == ALIVE || !is_of_cxx(builder, block) ||
            is_cell_size(builder, block))
            continue;
        for (uint32_t i = block ? builder->words.ends[block - 1] : 0;
             i < builder->words.ends[block]; i++) {
            uint32_t to =
                *(const uint32_t *)loupe_vector_at(&builder->words.to, i, sizeof(uint32_t));
            if (looking->seen[to] == LOST)
                looking->seen[to] = OF_PROGRAM;
        }
    }
}

static void set_programs_aside(struct looking *looking) {
    struct loupe_snapshot_builder *builder = looking->builder;
    for (uint32_t block = 0; block < builder->heap_nodes; block++) {
        uint32_t after;
        if (looking->seen[block] == ALIVE || loupe_heap_form(builder, block) != LOUPE_HEAP_RAW ||
            !is_cell_size(builder, block) || !has_element(looking, block))
            continue;
        uint64_t next = word_at(builder, builder->addresses[block], 1);
        if (!loupe_blocks_find(builder->blocks, next, &after) ||
            builder->blocks->starts[after] != next || looking->seen[after] == ALIVE ||
            !is_cell_size(builder, after) || !has_element(looking, after))
            continue;
        looking->seen[block] = OF_PROGRAM;
        looking->seen[after] = OF_PROGRAM;
    }
}

/* What was asked for is just as long as the text. */
static bool is_selector_name(const struct looking *looking, uint32_t block) {
    enum { ROUNDED_BY = 24 };
    const struct loupe_snapshot_builder *builder = looking->builder;
    char text[LOUPE_MAX_SELECTOR];
    uint64_t size = loupe_blocks_size(builder->blocks, block);
    if (!builder->target->abi->has_selector || size > sizeof(text) ||
        loupe_memory_read_string(builder->target->memory, builder->addresses[block], text,
                                 sizeof(text), NULL))
        return false;
    size_t length = strlen(text) + 1;
    return length <= size && size - length < ROUNDED_BY &&
           builder->target->abi->has_selector(builder->target, text);
}

static bool is_in_image(const struct loupe_snapshot_builder *builder, loupe_addr address,
                        const char *part) {
    for (uint32_t i = 0; i < builder->scene->sources.count; i++) {
        const struct loupe_root_source *source = loupe_scene_source(builder->scene, i);
        if (source->image &&
            address - source->memory.start < source->memory.end - source->memory.start)
            return loupe_span_contains(loupe_span_of(source->image), part);
    }
    return false;
}

static bool is_method_list(const struct looking *looking, uint32_t block, const char *image) {
    enum { METHOD_WORDS = 3 };
    const struct loupe_snapshot_builder *builder = looking->builder;
    uint8_t size = builder->target->memory->machine.pointer_size;
    loupe_addr address = builder->addresses[block];
    uint64_t words = words_of(builder, block), first = word_at(builder, address, 0);
    char name[LOUPE_MAX_SELECTOR];
    unsigned count = 0;
    while (first && count < words && count < MOST_WORDS &&
           word_at(builder, address, count) == first + (uint64_t)count * METHOD_WORDS * size)
        count++;
    return count && count < words && count < MOST_WORDS && !word_at(builder, address, count) &&
           is_in_image(builder, first, image) &&
           builder->target->abi->selector_name(builder->target, word_at(builder, first, 0), name,
                                               sizeof(name));
}

/* Of an object that has died the record stays for whoever still refers to it: a leak like others.
 */
static bool is_weak_record(const struct looking *looking, uint32_t block) {
    struct loupe_target *target = looking->builder->target;
    uint64_t object;
    return loupe_heap_form(looking->builder, block) == LOUPE_HEAP_RECORD &&
           target->abi->weak_record_object &&
           target->abi->weak_record_object(target, looking->builder->addresses[block], &object) &&
           object;
}

static bool is_left(const struct looking *looking, uint32_t block, const struct known_leak *leak) {
    if (leak->form == OVER_RETAINED) /* it is in use */
        return false;
    if (leak->form == OBJECT || leak->form == STRING)
        return is_instance(looking, block, leak);
    if (leak->form == WEAK_RECORD)
        return is_weak_record(looking, block);
    if (loupe_heap_form(looking->builder, block) != LOUPE_HEAP_RAW ||
        is_of_cxx(looking->builder, block))
        return false;
    return leak->form == LIST_OF_FREED   ? is_list_of_freed(looking, block)
           : leak->form == SELECTOR_NAME ? is_selector_name(looking, block)
                                         : is_method_list(looking, block, leak->detail);
}

/* ---- All of them ---- */

static void mark(struct looking *looking, uint32_t block, uint32_t number) {
    struct loupe_snapshot_builder *builder = looking->builder;
    uint32_t *class_number = &looking->class_numbers[number];
    builder->marks[block] |= LOUPE_NODE_LEFT_BEHIND;
    if (loupe_heap_form(builder, block) != LOUPE_HEAP_RAW)
        return;
    if (*class_number == LOUPE_NONE)
        *class_number = loupe_heap_raw_class(&builder->tables, known_leaks[number].name);
    builder->classes[block] = *class_number;
}

static enum loupe_status look_at_all(struct looking *looking) {
    enum { BLOCKS_BETWEEN_CHECKS = 1 << 10 };
    struct loupe_snapshot_builder *builder = looking->builder;
    for (uint32_t block = 0; block < builder->heap_nodes; block++) {
        if (block % BLOCKS_BETWEEN_CHECKS == 0 && loupe_memory_interrupted(builder->target->memory))
            return LOUPE_ETIMEOUT;
        uint32_t i = looking->seen[block] ? looking->count : 0;
        while (i < looking->count && !is_left(looking, block, &known_leaks[looking->of_runtime[i]]))
            i++;
        if (i < looking->count)
            mark(looking, block, looking->of_runtime[i]);
    }
    return LOUPE_OK;
}

enum loupe_status loupe_heap_mark_left_behind(struct loupe_snapshot_builder *builder) {
    uint32_t nodes = loupe_heap_node_count(builder);
    size_t bytes = (size_t)nodes + 1, stack_bytes = bytes * sizeof(uint32_t);
    struct looking looking = {.builder = builder};
    list_of_runtime(&looking);
    if (!looking.count)
        return LOUPE_OK;
    struct reaching reaching = {.builder = builder, .nodes = nodes};
    reaching.seen = loupe_chunk_get(builder->chunks, bytes);
    reaching.stack = loupe_chunk_get(builder->chunks, stack_bytes);
    enum loupe_status status = reaching.seen && reaching.stack ? LOUPE_OK : LOUPE_ENOMEM;
    if (!status) {
        looking.seen = reaching.seen;
        memset(reaching.seen, 0, bytes);
        memset(looking.class_numbers, 0xff, sizeof(looking.class_numbers));
        reach_all(&reaching);
        set_programs_aside(&looking);
        set_parts_aside(&looking);
        status = look_at_all(&looking);
    }
    loupe_chunk_put(builder->chunks, reaching.seen, bytes);
    loupe_chunk_put(builder->chunks, reaching.stack, stack_bytes);
    return status;
}
