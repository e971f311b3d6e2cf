/* What shared_ptrs and Swift count, and which words are references that were counted. */
#include "base/numbers.h"
#include "heap/snapshot_builder.h"
#include "snapshot/without_stacks.h"

#include <string.h>

/* More of them than that is no count. */
enum { MOST_POINTERS = 1 << 28 };

static uint8_t word_size(const struct loupe_snapshot_builder *builder) {
    return builder->target->memory->machine.pointer_size;
}

static bool read_word(const struct loupe_snapshot_builder *builder, loupe_addr address,
                      uint64_t *ret) {
    return !loupe_memory_read_word(builder->target->memory, address, ret);
}

/* ---- Control blocks ---- */

static const struct loupe_control_class *
class_of_control(const struct loupe_snapshot_builder *builder, uint32_t block) {
    uint64_t vtable;
    uint32_t number;
    if (!read_word(builder, builder->blocks->starts[block], &vtable) ||
        !loupe_map_find(&builder->control_vtables, vtable, &number))
        return NULL;
    return loupe_vector_at(&builder->controls, number, sizeof(struct loupe_control_class));
}

/* Bytes of a count: those of libc++ are words. */
static uint8_t count_size(const struct loupe_snapshot_builder *builder,
                          const struct loupe_control_layout *layout) {
    return layout->counts_one_less ? word_size(builder) : 4;
}

unsigned loupe_heap_object_in_control(const struct loupe_snapshot_builder *builder,
                                      const struct loupe_control_layout *layout) {
    return word_size(builder) + 2u * count_size(builder, layout);
}

/* The numbers of shared_ptrs and of weak_ptrs. False: no shared_ptr is left. */
static bool read_counts(const struct loupe_snapshot_builder *builder, loupe_addr control,
                        const struct loupe_control_layout *layout, struct loupe_counted *ret) {
    uint8_t size = count_size(builder, layout);
    uint8_t bytes[2 * sizeof(uint64_t)];
    if (loupe_memory_read(builder->target->memory, control + word_size(builder), bytes,
                          (size_t)2 * size))
        return false;
    uint64_t strong = loupe_load_word(size, bytes), weak = loupe_load_word(size, bytes + size);
    strong += layout->counts_one_less;
    weak += layout->counts_one_less;
    if (!strong || strong > MOST_POINTERS || !weak || weak > MOST_POINTERS)
        return false;
    ret->strong = (uint32_t)strong;
    ret->weak = (uint32_t)weak - 1;
    return true;
}

/* Whether a block may be the object: nothing else says what it is, or the same. */
static bool may_be_managed(const struct loupe_snapshot_builder *builder, uint32_t block) {
    return loupe_heap_form(builder, block) == LOUPE_HEAP_RAW &&
           builder->counted_nodes[block] == LOUPE_NONE;
}

/* A deleter with something in it stands before the pointer. */
static uint32_t managed_block(const struct loupe_snapshot_builder *builder, uint32_t control,
                              unsigned offset) {
    loupe_addr start = builder->blocks->starts[control];
    uint64_t size = loupe_blocks_size(builder->blocks, control), word;
    uint32_t block;
    for (unsigned at = offset; at + word_size(builder) <= size && at <= offset + word_size(builder);
         at += word_size(builder)) {
        if (read_word(builder, start + at, &word) &&
            loupe_blocks_find(builder->blocks, loupe_memory_strip(builder->target->memory, word),
                              &block) &&
            builder->blocks->starts[block] == loupe_memory_strip(builder->target->memory, word) &&
            block != control && may_be_managed(builder, block))
            return block;
    }
    return control;
}

static void set_form(struct loupe_snapshot_builder *builder, uint32_t block,
                     enum loupe_heap_form form) {
    unsigned marks = builder->marks[block] & LOUPE_HEAP_PUBLIC_MARKS;
    builder->marks[block] = (uint8_t)(marks | (unsigned)form << LOUPE_HEAP_FORM_SHIFT);
}

/* What a vtable says of an object that its control block knows as one of a base is better. Any
 * other is that of a member, which stands first: of what a std::function of libc++ keeps in itself.
 */
static bool is_kind_of(const struct loupe_snapshot_builder *builder, uint32_t number,
                       uint32_t ancestor) {
    enum { MOST_LEVELS = 32 };
    /* Cap: superclasses further up, which no program has. */
    for (unsigned level = 0; level < MOST_LEVELS && number != LOUPE_NONE; level++) {
        if (number == ancestor)
            return true;
        number = loupe_heap_class_entry(&builder->tables, number)->superclass;
    }
    return false;
}

static enum loupe_status take_control(struct loupe_snapshot_builder *builder, uint32_t block) {
    const struct loupe_control_class *control = class_of_control(builder, block);
    struct loupe_counted counted = {.control = block, .node = block};
    if (!control || loupe_blocks_size(builder->blocks, block) < (uint64_t)3 * word_size(builder) ||
        !read_counts(builder, builder->blocks->starts[block], &control->layout, &counted))
        return LOUPE_OK;
    unsigned behind = loupe_heap_object_in_control(builder, &control->layout);
    if (control->layout.holds_object)
        counted.offset = behind;
    else
        counted.node = managed_block(builder, block, behind);
    struct loupe_counted *added = loupe_vector_add(&builder->counted);
    if (!added)
        return LOUPE_ENOMEM;
    *added = counted;
    builder->counted_nodes[block] = builder->counted_nodes[counted.node] =
        builder->counted.count - 1;
    builder->retain_counts[counted.node] = counted.strong;
    if (counted.node == block)
        return LOUPE_OK;
    set_form(builder, counted.node, LOUPE_HEAP_MANAGED);
    if (!is_kind_of(builder, builder->classes[counted.node], control->managed))
        builder->classes[counted.node] = control->managed;
    return LOUPE_OK;
}

/* ---- Objects of Swift ---- */

/* One that counts more than can be is like any memory. */
static enum loupe_status take_swift_object(struct loupe_snapshot_builder *builder, uint32_t block) {
    struct loupe_swift_counts counts =
        loupe_swift_counts_at(builder->target, builder->blocks->starts[block]);
    if (counts.life != LOUPE_SWIFT_ALIVE || counts.strong > MOST_POINTERS ||
        counts.unowned > MOST_POINTERS)
        return LOUPE_OK;
    struct loupe_counted *counted = loupe_vector_add(&builder->counted);
    if (!counted)
        return LOUPE_ENOMEM;
    *counted = (struct loupe_counted){.control = block,
                                      .node = block,
                                      .strong = (uint32_t)counts.strong,
                                      .weak = (uint32_t)counts.unowned,
                                      .is_swifts = true};
    builder->counted_nodes[block] = builder->counted.count - 1;
    builder->retain_counts[block] = counted->strong;
    return LOUPE_OK;
}

/* ---- All of them ---- */

static enum loupe_status take(struct loupe_snapshot_builder *builder, uint32_t block) {
    switch (loupe_heap_form(builder, block)) {
    case LOUPE_HEAP_CONTROL:
        return take_control(builder, block);
    case LOUPE_HEAP_COUNTED:
        return take_swift_object(builder, block);
    default:
        return LOUPE_OK;
    }
}

enum loupe_status loupe_heap_find_counted(struct loupe_snapshot_builder *builder) {
    enum { BLOCKS_BETWEEN_CHECKS = 1 << 14 };
    enum loupe_status status = LOUPE_OK;
    if (!builder->controls.count && !builder->swift_classes.count)
        return LOUPE_OK;
    builder->counted_nodes = loupe_numbers_get(builder->chunks, builder->heap_nodes);
    if (!builder->counted_nodes)
        return LOUPE_ENOMEM;
    memset(builder->counted_nodes, 0xff, (size_t)builder->heap_nodes * sizeof(uint32_t));
    for (uint32_t i = 0; !status && i < builder->heap_nodes; i++) {
        if (i % BLOCKS_BETWEEN_CHECKS == 0 && loupe_memory_interrupted(builder->target->memory))
            return LOUPE_ETIMEOUT;
        status = take(builder, i);
    }
    return status;
}

struct loupe_counted *loupe_heap_counted(const struct loupe_snapshot_builder *builder,
                                         uint32_t block) {
    uint32_t number = builder->counted_nodes && block < builder->heap_nodes
                          ? builder->counted_nodes[block]
                          : LOUPE_NONE;
    return number != LOUPE_NONE
               ? loupe_vector_at(&builder->counted, number, sizeof(struct loupe_counted))
               : NULL;
}

/* ---- Words ---- */

/* A std::atomic of shared_ptrs has marks in the low bits. */
static bool leads_to_start(const struct loupe_snapshot_builder *builder,
                           const struct loupe_waiting_word *waiting, uint32_t block) {
    return waiting->word - builder->blocks->starts[block] < word_size(builder);
}

/* The first word of a pair leads to the object itself, and is the same reference: the second takes
 * its place. */
static bool replaces_last(const struct loupe_snapshot_builder *builder,
                          const struct loupe_waiting_word *waiting, uint32_t to) {
    const struct loupe_link_columns *links = &builder->words;
    uint32_t count = links->to.count, from = waiting->from;
    uint64_t offset = waiting->place - builder->addresses[from];
    return count > (from ? links->ends[from - 1] : 0) &&
           *(uint32_t *)loupe_vector_at(&links->to, count - 1, sizeof(uint32_t)) == to &&
           *(uint32_t *)loupe_vector_at(&links->slots, count - 1, sizeof(uint32_t)) ==
               offset - word_size(builder);
}

/* Bytes of a block before the object of C++ that is in it. */
static uint64_t object_start(const struct loupe_snapshot_builder *builder, uint32_t node) {
    bool is_of_cxx = node < builder->heap_nodes && loupe_heap_form(builder, node) == LOUPE_HEAP_RAW;
    return is_of_cxx ? loupe_heap_class_at(&builder->tables, builder->classes[node])->place : 0;
}

/* A shared_ptr goes by its slot; in an object that its control block holds, by where that has it.
 */
static uint32_t label_of(struct loupe_snapshot_builder *builder, uint32_t from, uint64_t slot) {
    const struct loupe_counted *holder = loupe_heap_form(builder, from) == LOUPE_HEAP_CONTROL
                                             ? loupe_heap_counted(builder, from)
                                             : NULL;
    uint64_t start = holder ? holder->offset : object_start(builder, from);
    uint64_t offset = slot >= start ? slot - start : slot;
    uint64_t place = offset / word_size(builder);
    bool by_slot = offset == slot || place + 1 >= LOUPE_MEMBER_LABELS;
    uint32_t *label = &builder->member_labels[by_slot ? LOUPE_MEMBER_LABELS - 1 : place];
    if (*label == LOUPE_NONE)
        *label = by_slot ? loupe_heap_pointer_label(&builder->tables)
                         : loupe_heap_shared_ptr_label(&builder->tables, offset);
    return *label;
}

/* swifts: what is known of one to an object of Swift; NULL: it is a shared_ptr or a weak_ptr. */
static enum loupe_status add_counted_word(struct loupe_snapshot_builder *builder,
                                          const struct loupe_waiting_word *waiting, uint32_t to,
                                          const struct loupe_swift_reference *swifts) {
    struct loupe_link_columns *links = &builder->words;
    uint64_t slot = waiting->place - builder->addresses[waiting->from];
    bool replaces = !swifts && replaces_last(builder, waiting, to);
    if (!swifts && slot >= word_size(builder))
        slot -= word_size(builder); /* of the pair */
    if (!replaces && links->to.count >= LOUPE_MOST_LINKS - builder->found.to.count) {
        builder->counts.not_linked++;
        return LOUPE_OK;
    }
    if (!replaces && (!loupe_vector_extend(&links->to) || !loupe_vector_extend(&links->slots)))
        return LOUPE_ENOMEM;
    uint32_t word = links->to.count - 1;
    struct loupe_counted_word *counted = loupe_vector_add(&builder->counted_words);
    if (!counted)
        return LOUPE_ENOMEM;
    *(uint32_t *)loupe_vector_at(&links->to, word, sizeof(uint32_t)) = to;
    if (swifts && swifts->number != LOUPE_NONE)
        slot = swifts->number;
    *(uint32_t *)loupe_vector_at(&links->slots, word, sizeof(uint32_t)) =
        slot < LOUPE_SLOT_SPECIAL ? (uint32_t)slot : LOUPE_SLOT_UNKNOWN;
    *counted = (struct loupe_counted_word){
        .from = waiting->from,
        .word = word,
        .label = swifts ? swifts->label : label_of(builder, waiting->from, slot),
        .is_unowned = swifts && swifts->ownership != LOUPE_SWIFT_STRONG,
        .is_certain = swifts && swifts->is_certain};
    return LOUPE_OK;
}

/* An object that knows itself weakly is of std::enable_shared_from_this. */
static bool is_own_weak(struct loupe_counted *counted, uint32_t from) {
    if (from != counted->node || !counted->weak)
        return false;
    counted->weak--;
    return true;
}

/* A reference that is known to be unowned is not one of those that count. */
static enum loupe_status add_swift_word(struct loupe_snapshot_builder *builder,
                                        const struct loupe_waiting_word *waiting,
                                        struct loupe_counted *counted) {
    struct loupe_swift_reference reference;
    uint64_t slot = waiting->place - builder->addresses[waiting->from];
    enum loupe_status status =
        loupe_heap_swift_reference(builder, waiting->from, slot, counted->node, &reference);
    if (status)
        return status;
    counted->found += reference.ownership == LOUPE_SWIFT_STRONG;
    counted->certain += reference.is_certain;
    counted->weak -= reference.ownership == LOUPE_SWIFT_UNOWNED && counted->weak;
    return add_counted_word(builder, waiting, counted->node, &reference);
}

enum loupe_status loupe_heap_take_counted_word(struct loupe_snapshot_builder *builder,
                                               const struct loupe_waiting_word *waiting,
                                               uint32_t block, bool *ret) {
    enum loupe_heap_form form = loupe_heap_form(builder, block);
    *ret = false;
    if (form != LOUPE_HEAP_CONTROL && form != LOUPE_HEAP_MANAGED && form != LOUPE_HEAP_COUNTED)
        return LOUPE_OK;
    struct loupe_counted *counted = loupe_heap_counted(builder, block);
    if (!counted)
        return LOUPE_OK;
    bool is_in_control = waiting->from == counted->control && counted->node != counted->control;
    *ret = is_in_control || (block == counted->control && leads_to_start(builder, waiting, block));
    *ret = *ret && !(counted->is_swifts && waiting->is_complement);
    if (*ret && counted->is_swifts)
        return add_swift_word(builder, waiting, counted);
    if (!*ret || is_in_control || is_own_weak(counted, waiting->from))
        return LOUPE_OK;
    counted->found++;
    return add_counted_word(builder, waiting, counted->node, NULL);
}

enum loupe_status loupe_heap_counted_root(struct loupe_snapshot_builder *builder,
                                          const struct loupe_waiting_word *waiting,
                                          uint32_t *node) {
    struct loupe_counted *counted = loupe_heap_counted(builder, *node);
    if (!counted)
        return LOUPE_OK;
    if (*node != counted->control || !leads_to_start(builder, waiting, *node)) {
        uint32_t *observer = loupe_vector_add(&builder->observers);
        if (observer)
            *observer = builder->roots.count;
        return observer ? LOUPE_OK : LOUPE_ENOMEM;
    }
    counted->found++;
    counted->outside += !loupe_root_may_be_stale(&builder->root);
    *node = counted->node;
    return LOUPE_OK;
}
