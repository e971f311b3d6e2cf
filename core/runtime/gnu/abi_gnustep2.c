#include "runtime/gnu/abi_gnustep2.h"

#include "runtime/containers/containers.h"

enum { MAX_HIDDEN = 8 /* hidden classes in front of a class; there are one or two */ };

static void detect_blocks(struct loupe_target *target, struct gnustep2_state *state) {
    abi_find_block_classes(target, &state->blocks);
    /* A blocks runtime of its own, like Apple's, in place of the one that is built in. */
    if (abi_has_symbol(target, "_Block_use_RR2"))
        state->block_traits = (struct loupe_block_traits){.count = LOUPE_BLOCK_COUNT_IN_FLAGS_BY_2,
                                                          .byref_count_mask = 0xfffe,
                                                          .byref_count_unit = 2};
    else
        state->block_traits = (struct loupe_block_traits){.count = LOUPE_BLOCK_COUNT_IN_RESERVED,
                                                          .byref_count_mask = 0xffffff,
                                                          .byref_count_unit = 1,
                                                          .byref_heap_isa = 1,
                                                          .heap_isa = state->blocks.addresses[0]};
}

static enum loupe_status detect(struct loupe_target *target) {
    if (!abi_has_symbol(target, "__objc_load"))
        return LOUPE_ENORUNTIME;
    struct gnustep2_state *state = loupe_arena_alloc(&target->arena, sizeof(*state));
    if (!state)
        return LOUPE_ENOMEM;
    target->abi_state = state;
    bool wide = target->memory->machine.pointer_size == 8;
    target->tagged_mask = wide ? 7 : 1;
    target->tagging.form = wide ? LOUPE_TAGS_GNUSTEP : LOUPE_TAGS_NONE;
    detect_blocks(target, state);
    return LOUPE_OK;
}

static const struct loupe_block_traits *block_traits(const struct loupe_target *target) {
    return &gnustep2_state_of(target)->block_traits;
}

/* ---- Classes ---- */

static bool read_info(const struct loupe_target *target, loupe_addr cls, uint64_t *ret) {
    return cls % target->memory->machine.pointer_size == 0 &&
           loupe_memory_read_word(target->memory, abi_word(target, cls, GNU_CLASS_INFO), ret) ==
               LOUPE_OK;
}

/* Any memory may have the bit, such as an entry of a table with classes for keys; a hidden class
 * has what the one behind it has (associate.mm). */
static bool is_hidden(const struct loupe_target *target, loupe_addr cls, loupe_addr *behind_ret) {
    uint64_t info, words[GNU_CLASS_WORD_COUNT], behind[GNU_CLASS_WORD_COUNT];
    if (!read_info(target, cls, &info) || !(info & GNUSTEP2_HIDDEN) ||
        !gnu_read_class_words(target, cls, words))
        return false;
    *behind_ret = loupe_memory_strip(target->memory, words[GNU_CLASS_SUPERCLASS]);
    return *behind_ret % target->memory->machine.pointer_size == 0 &&
           gnu_read_class_words(target, *behind_ret, behind) &&
           words[GNU_CLASS_ISA] == behind[GNU_CLASS_ISA] &&
           words[GNU_CLASS_INSTANCE_SIZE] == behind[GNU_CLASS_INSTANCE_SIZE];
}

/* An object with associations has a class of its own in front of the one it says it has. */
static loupe_addr class_of_isa(const struct loupe_target *target, uint64_t isa) {
    loupe_addr cls = loupe_memory_strip(target->memory, isa), behind;
    /* Cap: the hidden class itself, with all ivars it inherits. */
    for (unsigned i = 0; i < MAX_HIDDEN && is_hidden(target, cls, &behind); i++)
        cls = behind;
    return cls;
}

static const char *refuse_words(struct loupe_target *target,
                                const uint64_t words[GNU_CLASS_WORD_COUNT]) {
    uint64_t info;
    if (!(words[GNU_CLASS_INFO] & GNUSTEP2_RESOLVED))
        return "the runtime has not resolved it";
    if (!abi_is_instance_size(target, words[GNU_CLASS_INSTANCE_SIZE]))
        return ABI_CLASS_IMPOSSIBLE_SIZE;
    if (!read_info(target, words[GNU_CLASS_ISA], &info) || !(info & GNUSTEP2_META))
        return ABI_CLASS_NO_METACLASS;
    return NULL;
}

static uint32_t class_flags(struct loupe_target *target,
                            const uint64_t words[GNU_CLASS_WORD_COUNT]) {
    uint32_t flags = LOUPE_CLASS_NO_MEMBERS;
    if (words[GNU_CLASS_INFO] & GNUSTEP2_META)
        flags |= LOUPE_CLASS_META;
    if (!words[GNU_CLASS_SUPERCLASS])
        flags |= LOUPE_CLASS_ROOT;
    switch (gnustep2_mode(target, words[GNU_CLASS_IVARS])) {
    case LOUPE_MODE_ARC:
        return flags | LOUPE_CLASS_OWNERSHIP;
    case LOUPE_MODE_UNKNOWN:
        return flags | LOUPE_CLASS_UNKNOWN_CODE;
    case LOUPE_MODE_MANUAL:
        break;
    }
    return flags;
}

static enum loupe_status read_valid_class(struct loupe_target *target, loupe_addr address,
                                          struct loupe_class *ret, const char **why_ret) {
    uint64_t words[GNU_CLASS_WORD_COUNT];
    if (address % target->memory->machine.pointer_size)
        return abi_refuse(ABI_CLASS_UNALIGNED, why_ret);
    if (!gnu_read_class_words(target, address, words))
        return abi_refuse_unreadable(ABI_CLASS_UNREADABLE, why_ret);
    if ((*why_ret = refuse_words(target, words)))
        return LOUPE_ENOTOBJECT;
    *ret = (struct loupe_class){.address = address,
                                .superclass = class_of_isa(target, words[GNU_CLASS_SUPERCLASS]),
                                .isa = words[GNU_CLASS_ISA],
                                .data = address,
                                .flags = class_flags(target, words),
                                .instance_size = (uint32_t)words[GNU_CLASS_INSTANCE_SIZE]};
    enum loupe_status status =
        abi_read_class_name(target, words[GNU_CLASS_NAME], &ret->name, why_ret);
    if (status)
        return status;
    if (words[GNU_CLASS_INFO] & GNUSTEP2_META)
        ret->kind = LOUPE_INSTANCE_CLASS;
    else if ((words[GNU_CLASS_INFO] & GNUSTEP2_BLOCK) ||
             abi_is_block_class(&gnustep2_state_of(target)->blocks, address))
        ret->kind = LOUPE_INSTANCE_BLOCK;
    ret->instance_start = gnu_instance_start(target, ret->superclass, ret->instance_size);
    return status;
}

/* The classes of blocks are filled in by a call that a program without Foundation need not make. */
static enum loupe_status read_class(struct loupe_target *target, loupe_addr address,
                                    struct loupe_class *ret, const char **why_ret) {
    enum loupe_status status = read_valid_class(target, address, ret, why_ret);
    if (status == LOUPE_ENOTOBJECT &&
        abi_is_block_class(&gnustep2_state_of(target)->blocks, address)) {
        *ret = abi_bare_block_class(target, address);
        return LOUPE_OK;
    }
    return status;
}

/* ---- Counts: the word before the object, its top bit set once it was referenced weakly ---- */

static enum loupe_retain_count retain_count(struct loupe_target *target,
                                            const struct loupe_object *object, uint64_t *ret) {
    uint8_t pointer_size = target->memory->machine.pointer_size;
    uint64_t info, word, given_back, weak_bit = (uint64_t)1 << (8 * pointer_size - 1);
    if (object->cls->kind == LOUPE_INSTANCE_CLASS)
        return LOUPE_COUNT_IMMORTAL;
    if (!read_info(target, object->cls->address, &info))
        return LOUPE_COUNT_UNKNOWN;
    if (info & GNUSTEP2_PERMANENT)
        return LOUPE_COUNT_IMMORTAL;
    if (!(info & GNUSTEP2_FAST_ARC) &&
        !read_info(target, gnustep2_counted_as(target, object->cls)->address, &info))
        return LOUPE_COUNT_UNKNOWN;
    if (!(info & GNUSTEP2_FAST_ARC) || !gnu_retains_given_back(target, object, &given_back) ||
        loupe_memory_read_word(target->memory, object->address - pointer_size, &word))
        return LOUPE_COUNT_UNKNOWN;
    word &= weak_bit - 1;
    if (word == weak_bit - 1) { /* it is being deallocated */
        *ret = 0;
        return LOUPE_COUNT_KNOWN;
    }
    if (word > INT32_MAX)
        return gnu_counting_of(target, object->cls) == GNU_COUNTS_NEVER ? LOUPE_COUNT_IMMORTAL
                                                                        : LOUPE_COUNT_IMPOSSIBLE;
    *ret = word + 1 + given_back;
    return LOUPE_COUNT_KNOWN;
}

static loupe_addr ivar_destructor(struct loupe_target *target, const struct loupe_class *cls) {
    loupe_addr word = abi_word(target, cls->address, GNUSTEP2_CLASS_CXX_DESTRUCT), code;
    return loupe_memory_read_pointer(target->memory, word, &code) ? 0 : code;
}

static bool has_associations(struct loupe_target *target) {
    (void)target;
    return true;
}

/*
 * ---- Pools: struct arc_autorelease_pool (arc.mm). A page is a list of objects, behind the page
 * before it, which is full, and the place where the next object goes. When a pool is emptied that
 * place goes down, and the objects above it stay where they were. ----
 */

enum { POOL_PREVIOUS, POOL_INSERT, POOL_OBJECTS };

static uint64_t pool_words(const struct loupe_target *target) {
    const uint64_t page = 4096, size = target->memory->machine.pointer_size;
    return POOL_OBJECTS + page / size - 2 * size;
}

static bool is_full_pool(struct loupe_target *target, loupe_addr page) {
    loupe_addr insert;
    return !loupe_memory_read_pointer(target->memory, abi_word(target, page, POOL_INSERT),
                                      &insert) &&
           insert == page + pool_words(target) * target->memory->machine.pointer_size;
}

static bool pool_in(struct loupe_target *target, struct loupe_range memory,
                    struct loupe_pool_page *ret) {
    enum {
        ROUNDED_BY = 16,
        ONE = 63 /* an entry owns one retain: the highest bit of none is set */
    };
    uint8_t pointer_size = target->memory->machine.pointer_size;
    uint64_t size = memory.end - memory.start, used = pool_words(target) * pointer_size;
    loupe_addr previous, insert, first = abi_word(target, memory.start, POOL_OBJECTS);
    if (size < used || size - used >= ROUNDED_BY ||
        loupe_memory_read_pointer(target->memory, memory.start, &previous) ||
        loupe_memory_read_pointer(target->memory, abi_word(target, memory.start, POOL_INSERT),
                                  &insert) ||
        insert < first || insert > memory.start + used || insert % pointer_size ||
        (previous && !is_full_pool(target, previous)))
        return false;
    *ret = (struct loupe_pool_page){.start = first,
                                    .end = insert,
                                    .parent = previous,
                                    .address_mask = UINT64_MAX,
                                    .count_shift = ONE};
    return true;
}

static const char *const root_symbols[] = {"._OBJC_CLASS_NSObject", "._OBJC_CLASS_NSProxy",
                                           "_OBJC_CLASS_NSObject", "_OBJC_CLASS_Object", NULL};

const struct loupe_abi loupe_abi_gnustep2 = {.name = "gnustep2",
                                             .detect = detect,
                                             .class_of_isa = class_of_isa,
                                             .read_class = read_class,
                                             .read_layout = gnustep2_read_layout,
                                             .next_method = gnustep2_next_method,
                                             .selector_name = gnustep2_selector_name,
                                             .relatives = gnustep2_relatives,
                                             .root_symbols = root_symbols,
                                             .next_class = gnustep2_next_class,
                                             .ivar_destructor = ivar_destructor,
                                             .class_words = 16,
                                             .words_before_object = 1 << 1,
                                             .class_of_zombie = gnustep_class_of_zombie,
                                             .retain_count = retain_count,
                                             .container_rules = loupe_containers_gnustep,
                                             .container_rule_count = &loupe_container_count_gnustep,
                                             .filters = &loupe_gnustep_filters,
                                             .class_in_table = GNU_CLASS_OF_ATTRIBUTES,
                                             .pool_in = pool_in,
                                             .is_weak_record = gnustep2_is_weak_record,
                                             .weak_record_object = gnustep2_weak_record_object,
                                             .weak_table = gnustep2_weak_table,
                                             .block_traits = block_traits,
                                             .has_associations = has_associations,
                                             .may_have_associations =
                                                 gnustep2_may_have_associations,
                                             .next_association = gnustep2_next_association};
