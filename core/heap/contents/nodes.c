/* What stands in the blocks of a heap. */
#include "blocks/byref.h"
#include "edges/roots/pools.h"
#include "heap/snapshot_builder.h"
#include "runtime/freed.h"

#include <string.h>

#define NO_ISA UINT32_MAX

static uint8_t word_size(const struct loupe_snapshot_builder *builder) {
    return builder->target->memory->machine.pointer_size;
}

static bool read_word(const struct loupe_snapshot_builder *builder, loupe_addr address,
                      uint64_t *ret) {
    return !loupe_memory_read_word(builder->target->memory, address, ret);
}

/* ---- Classes of first words ---- */

static bool may_hold_class(const struct loupe_snapshot_builder *builder, uint32_t block,
                           loupe_addr address) {
    return builder->blocks->starts[block] == address &&
           loupe_blocks_size(builder->blocks, block) >=
               (uint64_t)builder->target->abi->class_words * word_size(builder);
}

/* Whether a class can be there, without a look at it: most words of raw memory lead to none, and
 * what is looked at is remembered for ever. */
static bool may_be_class(const struct loupe_snapshot_builder *builder, loupe_addr address) {
    uint32_t block;
    return loupe_blocks_find(builder->blocks, address, &block)
               ? may_hold_class(builder, block, address)
               : loupe_ranges_hold(&builder->readable, address);
}

/* Where an isa has bits that are no part of an address, one of them is above this or below it. */
#define ISA_ADDRESS_BITS UINT64_C(0x00007ffffffffff8)

/* Leads into a block, as most words of raw memory do, where no class can be. */
static bool is_no_isa(const struct loupe_snapshot_builder *builder, uint64_t word) {
    uint32_t block;
    return (word & ISA_ADDRESS_BITS) == word && loupe_blocks_find(builder->blocks, word, &block) &&
           !may_hold_class(builder, block, word);
}

static enum loupe_status look_at_isa(struct loupe_snapshot_builder *builder, uint64_t isa,
                                     uint32_t *ret) {
    struct loupe_target *target = builder->target;
    struct loupe_class ignored;
    const struct loupe_class *cls;
    const char *why;
    *ret = NO_ISA;
    if ((isa & ISA_ADDRESS_BITS) == isa && !may_be_class(builder, isa))
        return LOUPE_OK;
    loupe_addr address = target->abi->class_of_isa(target, isa);
    if (!address || (address != isa && !may_be_class(builder, address)))
        return LOUPE_OK;
    enum loupe_status status = target->abi->read_class(target, address, &ignored, &why);
    if (!status)
        status = loupe_class_at(target, address, &cls, NULL);
    if (!status)
        *ret = cls->number;
    if (!status)
        status = loupe_map_put(&builder->isas, isa, cls->number);
    return status == LOUPE_ENOMEM || status == LOUPE_ETIMEOUT ? status : LOUPE_OK;
}

/* The class that a word leads to as an isa; NULL: none. */
static enum loupe_status class_of_word(struct loupe_snapshot_builder *builder, uint64_t isa,
                                       const struct loupe_class **ret) {
    struct loupe_known_word *known =
        &builder->recent[loupe_hash(isa) % (sizeof(builder->recent) / sizeof(builder->recent[0]))];
    enum loupe_status status = LOUPE_OK;
    *ret = NULL;
    if (isa < LOUPE_PAGE_SIZE || is_no_isa(builder, isa))
        return LOUPE_OK;
    if (known->word != isa) {
        known->word = isa;
        if (!loupe_map_find(&builder->isas, isa, &known->class_number))
            status = look_at_isa(builder, isa, &known->class_number);
        if (status)
            known->word = 0;
    }
    if (!status && known->class_number != NO_ISA)
        *ret = loupe_class_numbered(builder->target, known->class_number);
    return status;
}

/* ---- Forms ---- */

static void set_form(struct loupe_snapshot_builder *builder, uint32_t block,
                     enum loupe_heap_form form, uint32_t class_number) {
    unsigned marks = builder->marks[block] & LOUPE_HEAP_PUBLIC_MARKS;
    builder->marks[block] = (uint8_t)(marks | (unsigned)form << LOUPE_HEAP_FORM_SHIFT);
    builder->classes[block] = class_number;
}

static uint32_t retains_of(enum loupe_retain_count known, uint64_t count) {
    if (known == LOUPE_COUNT_IMMORTAL)
        return LOUPE_RETAINS_IMMORTAL;
    if (known != LOUPE_COUNT_KNOWN)
        return LOUPE_RETAINS_UNKNOWN;
    return count < LOUPE_RETAINS_MOST ? (uint32_t)count : LOUPE_RETAINS_MOST;
}

static void count_freed(struct loupe_snapshot_builder *builder, loupe_addr address) {
    if (!builder->counts.freed++)
        builder->counts.first_freed = address;
}

/* In what is only guessed to be in use, one that counts no owner was freed. */
static bool is_live(struct loupe_snapshot_builder *builder, uint32_t block, uint32_t retains) {
    if (retains)
        return true;
    if (builder->marks[block] & LOUPE_NODE_GUESSED)
        return false;
    builder->marks[block] |= LOUPE_NODE_DYING;
    return true;
}

static void take_object(struct loupe_snapshot_builder *builder, uint32_t block, loupe_addr address,
                        uint64_t isa, const struct loupe_class *cls) {
    struct loupe_object object = {.address = address, .isa = isa, .cls = cls};
    uint64_t count = 0;
    enum loupe_retain_count known =
        builder->target->abi->retain_count(builder->target, &object, &count);
    uint32_t retains = retains_of(known, count);
    if (known == LOUPE_COUNT_IMPOSSIBLE || !is_live(builder, block, retains)) {
        count_freed(builder, address);
        return;
    }
    builder->addresses[block] = address;
    builder->retain_counts[block] = retains;
    set_form(builder, block, LOUPE_HEAP_OBJECT,
             loupe_heap_class_of_object(&builder->tables, &object));
}

static bool take_block(struct loupe_snapshot_builder *builder, uint32_t number, loupe_addr address,
                       const struct loupe_class *cls) {
    struct loupe_target *target = builder->target;
    struct loupe_block block;
    if (loupe_block_read(target->memory, address, target->abi->block_traits(target), &block,
                         NULL) ||
        block.storage == LOUPE_BLOCK_GLOBAL ||
        block.size > loupe_blocks_size(builder->blocks, number))
        return false;
    uint32_t retains = block.has_retain_count ? block.retain_count : LOUPE_RETAINS_UNKNOWN;
    if (!is_live(builder, number, retains)) {
        count_freed(builder, address);
        return false;
    }
    builder->retain_counts[number] = retains;
    set_form(builder, number, LOUPE_HEAP_BLOCK,
             loupe_heap_class_of_block(&builder->tables, cls, block.invoke));
    return true;
}

/* One that lives where it is: nothing else leads to itself there. */
static bool take_byref(struct loupe_snapshot_builder *builder, uint32_t number, loupe_addr address,
                       uint64_t isa) {
    struct loupe_target *target = builder->target;
    const struct loupe_block_traits *traits = target->abi->block_traits(target);
    struct loupe_byref byref;
    uint64_t forwarding;
    if (isa != traits->byref_heap_isa ||
        !read_word(builder, address + word_size(builder), &forwarding) ||
        loupe_memory_strip(target->memory, forwarding) != address ||
        loupe_byref_read_header(target->memory, address, traits, &byref, NULL) || !byref.on_heap ||
        byref.size > loupe_blocks_size(builder->blocks, number))
        return false;
    builder->retain_counts[number] =
        byref.has_retain_count ? byref.retain_count : LOUPE_RETAINS_UNKNOWN;
    set_form(builder, number, LOUPE_HEAP_BYREF,
             loupe_heap_plain_class(&builder->tables, LOUPE_CLASS_BYREFS));
    return true;
}

void loupe_heap_take_runtimes(struct loupe_snapshot_builder *builder, uint32_t block,
                              enum loupe_heap_form form) {
    set_form(builder, block, form, loupe_heap_plain_class(&builder->tables, LOUPE_CLASS_RUNTIME));
}

static bool is_class(struct loupe_snapshot_builder *builder, loupe_addr address) {
    const struct loupe_class *ignored;
    return !loupe_class_at(builder->target, address, &ignored, NULL);
}

/* A record begins with what all of them begin with, then comes its object. */
static bool is_weak_record(const struct loupe_snapshot_builder *builder, uint32_t block,
                           loupe_addr address) {
    enum { RECORD_WORDS = 3 };
    uint64_t object;
    uint32_t named;
    return builder->target->abi->is_weak_record &&
           loupe_blocks_size(builder->blocks, block) >=
               (uint64_t)RECORD_WORDS * word_size(builder) &&
           read_word(builder, address + word_size(builder), &object) &&
           loupe_blocks_find(builder->blocks, object, &named) &&
           builder->blocks->starts[named] + builder->object_offset == object &&
           builder->target->abi->is_weak_record(builder->target, address);
}

/* Where the runtime puts words before its objects, only those that are not made as NSObject's have
 * none. */
static bool may_begin_block(struct loupe_snapshot_builder *builder, const struct loupe_class *cls) {
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level, *root = cls;
    if (!builder->object_offset)
        return true;
    while ((level = loupe_class_chain_next(builder->target, &chain)))
        root = level;
    return strcmp(root->name, "NSObject") != 0 && strcmp(root->name, "NSProxy") != 0;
}

/* ---- One block ---- */

static bool fits(const struct loupe_snapshot_builder *builder, uint32_t block,
                 const struct loupe_class *cls, uint64_t offset) {
    return cls->instance_size >= word_size(builder) &&
           offset + cls->instance_size <= loupe_blocks_size(builder->blocks, block);
}

/* What its first word says. False: nothing. */
static enum loupe_status classify_start(struct loupe_snapshot_builder *builder, uint32_t block,
                                        loupe_addr start, uint64_t isa, bool *ret) {
    const struct loupe_class *cls;
    enum loupe_status status = class_of_word(builder, isa, &cls);
    *ret = false;
    if (status || !cls)
        return status;
    if (cls->kind == LOUPE_INSTANCE_BLOCK) {
        *ret = take_block(builder, block, start, cls);
    } else if (cls->kind == LOUPE_INSTANCE_CLASS) {
        *ret = is_class(builder, start);
        if (*ret)
            loupe_heap_take_runtimes(builder, block, LOUPE_HEAP_CLASS);
    } else if (fits(builder, block, cls, 0) && may_begin_block(builder, cls)) {
        take_object(builder, block, start, isa, cls);
        *ret = true;
    }
    return LOUPE_OK;
}

static enum loupe_status classify_behind(struct loupe_snapshot_builder *builder, uint32_t block,
                                         loupe_addr start) {
    loupe_addr address = start + builder->object_offset;
    const struct loupe_class *cls;
    uint64_t isa;
    if (!builder->object_offset ||
        loupe_blocks_size(builder->blocks, block) <
            (uint64_t)builder->object_offset + word_size(builder) ||
        !read_word(builder, address, &isa))
        return LOUPE_OK;
    enum loupe_status status = class_of_word(builder, isa, &cls);
    if (!status && cls && cls->kind == LOUPE_INSTANCE_OBJECT &&
        fits(builder, block, cls, builder->object_offset))
        take_object(builder, block, address, isa, cls);
    return status;
}

bool loupe_heap_pool_in(const struct loupe_snapshot_builder *builder, uint32_t block,
                        struct loupe_pool_page *ret) {
    loupe_addr start = builder->blocks->starts[block];
    struct loupe_range memory = {start, start + loupe_blocks_size(builder->blocks, block)};
    return builder->target->abi->pool_in &&
           builder->target->abi->pool_in(builder->target, memory, ret);
}

static enum loupe_status take_of_other_language(struct loupe_snapshot_builder *builder,
                                                uint32_t block, uint64_t first) {
    bool is_swifts;
    enum loupe_status status = loupe_heap_take_swift_object(builder, block, first, &is_swifts);
    return status || is_swifts ? status : loupe_heap_take_cxx_object(builder, block, first);
}

static enum loupe_status classify(struct loupe_snapshot_builder *builder, uint32_t block) {
    loupe_addr start = builder->blocks->starts[block];
    struct loupe_pool_page page;
    uint64_t isa;
    bool done;
    if (loupe_blocks_size(builder->blocks, block) < word_size(builder) ||
        !read_word(builder, start, &isa))
        return LOUPE_OK;
    enum loupe_status status = classify_start(builder, block, start, isa, &done);
    if (status || done)
        return status;
    status = classify_behind(builder, block, start);
    if (status || loupe_heap_form(builder, block) != LOUPE_HEAP_RAW)
        return status;
    if (take_byref(builder, block, start, isa))
        return LOUPE_OK;
    if (loupe_pool_page_at(builder->target, start, &page) ||
        loupe_heap_pool_in(builder, block, &page))
        loupe_heap_take_runtimes(builder, block, LOUPE_HEAP_POOL);
    else if (is_weak_record(builder, block, start))
        loupe_heap_take_runtimes(builder, block, LOUPE_HEAP_RECORD);
    else
        status = take_of_other_language(builder, block, isa);
    return status;
}

/* ---- Where objects stand in their blocks ---- */

enum { MOST_OFFSETS = 32, ENOUGH = 1024 };

static enum loupe_status count_objects(struct loupe_snapshot_builder *builder, uint32_t block,
                                       uint32_t counts[MOST_OFFSETS], uint32_t *most) {
    loupe_addr start = builder->blocks->starts[block];
    uint64_t size = loupe_blocks_size(builder->blocks, block);
    uint32_t before = builder->target->abi->words_before_object;
    enum loupe_status status = LOUPE_OK;
    for (unsigned words = 0; !status && before >> words; words++) {
        uint64_t offset = (uint64_t)words * word_size(builder), isa;
        const struct loupe_class *cls;
        if (!(before >> words & 1) || size < offset + word_size(builder) ||
            !read_word(builder, start + offset, &isa))
            continue;
        status = class_of_word(builder, isa, &cls);
        if (status || !cls || cls->kind != LOUPE_INSTANCE_OBJECT ||
            !fits(builder, block, cls, offset))
            continue;
        counts[words]++;
        *most = counts[words] > *most ? counts[words] : *most;
    }
    return status;
}

/* The distance that most have, of those that the runtime may have. Where there are none, the
 * smallest. */
static enum loupe_status find_object_offset(struct loupe_snapshot_builder *builder) {
    uint32_t before = builder->target->abi->words_before_object, most = 0;
    uint32_t counts[MOST_OFFSETS] = {0};
    enum loupe_status status = LOUPE_OK;
    bool one = (before & (before - 1)) == 0;
    /* Cap: enough to tell where objects stand in their blocks. */
    for (uint32_t i = 0; !one && !status && i < builder->heap_nodes && most < ENOUGH; i++)
        status = count_objects(builder, i, counts, &most);
    /* Cap: all of a table. */
    for (unsigned words = 0; words < MOST_OFFSETS; words++) {
        if (before >> words & 1 && counts[words] == most) {
            builder->object_offset = words * word_size(builder);
            break;
        }
    }
    return status;
}

/* ---- All blocks ---- */

static enum loupe_status take_readable(struct loupe_snapshot_builder *builder) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < builder->scene->regions.count; i++) {
        const struct loupe_process_region *region =
            loupe_vector_at(&builder->scene->regions, i, sizeof(struct loupe_process_region));
        if (region->readable)
            status = loupe_ranges_add(&builder->readable, region->start, region->end);
    }
    loupe_ranges_join(&builder->readable, 0);
    return status;
}

static void begin_nodes(struct loupe_snapshot_builder *builder) {
    uint32_t raw = loupe_heap_plain_class(&builder->tables, LOUPE_CLASS_RAW), owner = 0;
    const struct loupe_blocks *blocks = builder->blocks;
    for (uint32_t i = 0; i < builder->heap_nodes; i++) {
        while (owner + 1 < blocks->owner_count && blocks->owners[owner + 1].first <= i)
            owner++;
        bool guessed = blocks->owner_count &&
                       loupe_blocks_allocator(blocks, blocks->owners[owner].allocator)->guessed;
        builder->addresses[i] = blocks->starts[i];
        builder->classes[i] = raw;
        builder->retain_counts[i] = LOUPE_RETAINS_UNKNOWN;
        builder->marks[i] = guessed ? LOUPE_NODE_GUESSED : 0;
    }
}

/* Of a block that comes soon: fetches what tells where its first words lead. */
static void look_ahead(const struct loupe_snapshot_builder *builder, uint32_t block) {
    const struct loupe_memory *memory = builder->target->memory;
    const uint32_t offsets[] = {0, builder->object_offset};
    if (block >= builder->heap_nodes)
        return;
    for (unsigned i = 0; i < (builder->object_offset ? 2 : 1); i++) {
        const uint8_t *bytes = loupe_memory_peek(
            memory, builder->blocks->starts[block] + offsets[i], memory->machine.pointer_size);
        if (bytes)
            loupe_blocks_expect(builder->blocks,
                                loupe_load_word(memory->machine.pointer_size, bytes));
    }
}

enum loupe_status loupe_heap_classify(struct loupe_snapshot_builder *builder) {
    enum { BLOCKS_BETWEEN_CHECKS = 1 << 14, BLOCKS_AHEAD = 16, BLOCKS_FAR_AHEAD = 32 };
    enum loupe_status status = take_readable(builder);
    begin_nodes(builder);
    if (!status)
        status = find_object_offset(builder);
    for (uint32_t i = 0; !status && i < builder->heap_nodes; i++) {
        loupe_heap_fetch(builder, i + BLOCKS_FAR_AHEAD);
        look_ahead(builder, i + BLOCKS_AHEAD);
        status = i % BLOCKS_BETWEEN_CHECKS == 0 && loupe_memory_interrupted(builder->target->memory)
                     ? LOUPE_ETIMEOUT
                     : classify(builder, i);
    }
    return status ? status : builder->tables.status;
}

/* ---- Nodes that references lead to ---- */

static uint32_t class_of_object(struct loupe_snapshot_builder *builder,
                                const struct loupe_object *object, enum loupe_heap_form *form_ret) {
    struct loupe_target *target = builder->target;
    struct loupe_block block;
    switch (loupe_object_kind(object)) {
    case LOUPE_NODE_BLOCK:
        *form_ret = LOUPE_HEAP_BLOCK;
        return loupe_heap_class_of_block(&builder->tables, object->cls,
                                         loupe_block_read(target->memory, object->address,
                                                          target->abi->block_traits(target), &block,
                                                          NULL)
                                             ? 0
                                             : block.invoke);
    case LOUPE_NODE_CLASS:
        *form_ret = LOUPE_HEAP_CLASS;
        return loupe_heap_plain_class(&builder->tables, LOUPE_CLASS_RUNTIME);
    default:
        *form_ret = LOUPE_HEAP_OBJECT;
        return loupe_heap_class_of_object(&builder->tables, object);
    }
}

static enum loupe_status add_outside(struct loupe_snapshot_builder *builder, loupe_addr address,
                                     uint32_t class_number, enum loupe_heap_form form,
                                     uint32_t *ret) {
    struct loupe_outside_node *added = loupe_heap_node_count(builder) < LOUPE_MAX_NODES
                                           ? loupe_vector_add(&builder->outside)
                                           : NULL;
    if (!added || class_number == LOUPE_NONE)
        return LOUPE_ENOMEM;
    *added = (struct loupe_outside_node){
        .address = address, .class_number = class_number, .form = (uint16_t)form};
    *ret = loupe_heap_node_count(builder) - 1;
    return loupe_map_put(&builder->outside_index, address, *ret);
}

/* An object that its block does not have where others have it: from now on it does. */
static void reconsider(struct loupe_snapshot_builder *builder, uint32_t block,
                       const struct loupe_object *object, uint32_t *ret) {
    enum { FARTHEST = 64 }; /* bytes that an allocator of the program's puts before an object */
    loupe_addr offset = object->address - builder->blocks->starts[block];
    if (offset > FARTHEST || loupe_object_kind(object) != LOUPE_NODE_OBJECT ||
        !fits(builder, block, object->cls, offset))
        return;
    take_object(builder, block, object->address, object->isa, object->cls);
    if (loupe_heap_form(builder, block) != LOUPE_HEAP_OBJECT)
        return;
    builder->changed++;
    *ret = block;
}

enum loupe_status loupe_heap_object_node(struct loupe_snapshot_builder *builder, loupe_addr address,
                                         uint32_t *ret) {
    struct loupe_object object;
    enum loupe_heap_form form;
    uint32_t block;
    *ret = LOUPE_NO_NODE;
    bool in_block = loupe_blocks_find(builder->blocks, address, &block);
    if (in_block && loupe_heap_form(builder, block) != LOUPE_HEAP_RAW) {
        *ret = builder->addresses[block] == address ? block : LOUPE_NO_NODE;
        return LOUPE_OK;
    }
    if (!in_block && loupe_map_find(&builder->outside_index, address, ret))
        return LOUPE_OK;
    enum loupe_status status = loupe_object_at(builder->target, address, &object, NULL);
    if (status)
        return status == LOUPE_ENOMEM || status == LOUPE_ETIMEOUT ? status : LOUPE_OK;
    if (in_block) {
        reconsider(builder, block, &object, ret);
        return LOUPE_OK;
    }
    if (loupe_ranges_hold(&builder->scene->not_objects, address))
        return LOUPE_OK;
    uint32_t class_number = class_of_object(builder, &object, &form);
    return add_outside(builder, address, class_number, form, ret);
}

enum loupe_status loupe_heap_byref_node(struct loupe_snapshot_builder *builder, loupe_addr address,
                                        uint32_t *ret) {
    struct loupe_target *target = builder->target;
    struct loupe_byref byref;
    uint32_t block;
    *ret = LOUPE_NO_NODE;
    enum loupe_status status = loupe_byref_read_header(
        target->memory, address, target->abi->block_traits(target), &byref, NULL);
    if (status)
        return status == LOUPE_ENOTOBJECT || status == LOUPE_EFAULT ? LOUPE_OK : status;
    if (loupe_blocks_find(builder->blocks, byref.address, &block)) {
        if (loupe_heap_form(builder, block) == LOUPE_HEAP_BYREF)
            *ret = block;
        return LOUPE_OK;
    }
    if (loupe_map_find(&builder->outside_index, byref.address, ret))
        return LOUPE_OK;
    return add_outside(builder, byref.address,
                       loupe_heap_plain_class(&builder->tables, LOUPE_CLASS_BYREFS),
                       LOUPE_HEAP_BYREF, ret);
}

/* ---- As a walk knows them ---- */

static struct loupe_node node_of(const struct loupe_snapshot_builder *builder, loupe_addr address,
                                 uint32_t class_number, enum loupe_heap_form form) {
    static const uint8_t kinds[LOUPE_HEAP_FORM_COUNT] = {
        [LOUPE_HEAP_RAW] = LOUPE_NODE_RAW,     [LOUPE_HEAP_OBJECT] = LOUPE_NODE_OBJECT,
        [LOUPE_HEAP_BLOCK] = LOUPE_NODE_BLOCK, [LOUPE_HEAP_BYREF] = LOUPE_NODE_BYREF,
        [LOUPE_HEAP_CLASS] = LOUPE_NODE_CLASS, [LOUPE_HEAP_POOL] = LOUPE_NODE_RAW,
        [LOUPE_HEAP_RECORD] = LOUPE_NODE_RAW,  [LOUPE_HEAP_TABLE] = LOUPE_NODE_RAW,
        [LOUPE_HEAP_CONTROL] = LOUPE_NODE_RAW, [LOUPE_HEAP_MANAGED] = LOUPE_NODE_RAW,
        [LOUPE_HEAP_COUNTED] = LOUPE_NODE_RAW};
    const struct loupe_class *cls = loupe_heap_class_at(&builder->tables, class_number)->cls;
    struct loupe_object object;
    if (form == LOUPE_HEAP_CLASS && !loupe_object_at(builder->target, address, &object, NULL))
        cls = object.cls;
    enum loupe_node_kind kind = (enum loupe_node_kind)kinds[form];
    return (struct loupe_node){.address = address,
                               .tag = loupe_node_tag(kind, cls ? cls->number : 0)};
}

struct loupe_node loupe_heap_node(const struct loupe_snapshot_builder *builder, uint32_t number) {
    if (number < builder->heap_nodes)
        return node_of(builder, builder->addresses[number], builder->classes[number],
                       loupe_heap_form(builder, number));
    const struct loupe_outside_node *node = loupe_outside_at(builder, number - builder->heap_nodes);
    return node_of(builder, node->address, node->class_number, (enum loupe_heap_form)node->form);
}
