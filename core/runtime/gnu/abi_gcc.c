#include "runtime/gnu/abi_gcc.h"

#include "runtime/containers/containers.h"

/* Bits of a class's info word; its high half numbers the class. */
enum { INFO_CLASS = 1, INFO_META = 2, INFO_RESOLVED = 8 };

/* libobjc2 has the loading function of this runtime too, for what old compilers made. */
static enum loupe_status detect(struct loupe_target *target) {
    if (!abi_has_symbol(target, "__objc_exec_class") || abi_has_symbol(target, "__objc_load"))
        return LOUPE_ENORUNTIME;
    struct gcc_state *state = loupe_arena_alloc(&target->arena, sizeof(*state));
    if (!state)
        return LOUPE_ENOMEM;
    target->abi_state = state;
    target->tagged_mask = 0;
    abi_find_block_classes(target, &state->blocks);
    state->block_traits = (struct loupe_block_traits){.count = LOUPE_BLOCK_COUNT_IN_FLAGS_BY_1,
                                                      .byref_count_mask = 0xffff,
                                                      .byref_count_unit = 1,
                                                      .leaves_objects = true};
    return LOUPE_OK;
}

static loupe_addr class_of_isa(const struct loupe_target *target, uint64_t isa) {
    return loupe_memory_strip(target->memory, isa);
}

static const struct loupe_block_traits *block_traits(const struct loupe_target *target) {
    return &gcc_state_of(target)->block_traits;
}

/* ---- Classes ---- */

static bool has_info(struct loupe_target *target, loupe_addr address, uint64_t bits) {
    uint64_t words[GNU_CLASS_WORD_COUNT];
    return address % target->memory->machine.pointer_size == 0 &&
           gnu_read_class_words(target, address, words) &&
           (words[GNU_CLASS_INFO] & (INFO_CLASS | INFO_META)) == bits;
}

static const char *refuse_words(struct loupe_target *target,
                                const uint64_t words[GNU_CLASS_WORD_COUNT]) {
    uint64_t kind = words[GNU_CLASS_INFO] & (INFO_CLASS | INFO_META);
    if (kind != INFO_CLASS && kind != INFO_META)
        return "it is neither a class nor a metaclass";
    if (!abi_is_instance_size(target, words[GNU_CLASS_INSTANCE_SIZE]))
        return ABI_CLASS_IMPOSSIBLE_SIZE;
    if (!has_info(target, words[GNU_CLASS_ISA], INFO_META))
        return ABI_CLASS_NO_METACLASS;
    return NULL;
}

static enum loupe_status read_class(struct loupe_target *target, loupe_addr address,
                                    struct loupe_class *ret, const char **why_ret) {
    uint64_t words[GNU_CLASS_WORD_COUNT];
    if (abi_is_block_class(&gcc_state_of(target)->blocks, address)) {
        *ret = abi_bare_block_class(target, address);
        return LOUPE_OK;
    }
    if (address % target->memory->machine.pointer_size)
        return abi_refuse(ABI_CLASS_UNALIGNED, why_ret);
    if (!gnu_read_class_words(target, address, words))
        return abi_refuse_unreadable(ABI_CLASS_UNREADABLE, why_ret);
    if ((*why_ret = refuse_words(target, words)))
        return LOUPE_ENOTOBJECT;
    /* Until the runtime links a class its superclass is a name. */
    bool resolved = (words[GNU_CLASS_INFO] & INFO_RESOLVED) != 0;
    *ret = (struct loupe_class){.address = address,
                                .superclass = resolved ? words[GNU_CLASS_SUPERCLASS] : 0,
                                .isa = words[GNU_CLASS_ISA],
                                .data = address,
                                .instance_size = (uint32_t)words[GNU_CLASS_INSTANCE_SIZE]};
    enum loupe_status status =
        abi_read_class_name(target, words[GNU_CLASS_NAME], &ret->name, why_ret);
    if (status)
        return status;
    if (words[GNU_CLASS_INFO] & INFO_META) {
        ret->flags |= LOUPE_CLASS_META;
        ret->kind = LOUPE_INSTANCE_CLASS;
    }
    if (!ret->superclass)
        ret->flags |= LOUPE_CLASS_ROOT;
    else if (gcc_has_own_release(target, address))
        ret->flags |= LOUPE_CLASS_OWN_RELEASE;
    ret->instance_start = gnu_instance_start(target, ret->superclass, ret->instance_size);
    return status;
}

/* ---- Counts ---- */

/* The word before the object; where gnustep-base was built without atomic words it is half a word,
 * and the half before it is padding. */
static enum loupe_retain_count count_before(struct loupe_target *target,
                                            const struct loupe_object *object, uint64_t given_back,
                                            uint64_t *ret) {
    uint64_t word;
    uint8_t pointer_size = target->memory->machine.pointer_size;
    if (loupe_memory_read_word(target->memory, object->address - pointer_size, &word))
        return LOUPE_COUNT_UNKNOWN;
    if (word > UINT32_MAX && (uint32_t)word == 0)
        word >>= 32;
    if (word > INT32_MAX)
        return LOUPE_COUNT_IMPOSSIBLE;
    *ret = word + 1 + given_back;
    return LOUPE_COUNT_KNOWN;
}

/* Before the object, as of others; an old NSProxy counted in the ivar that it still has. What is
 * not used is 0. */
static enum loupe_retain_count count_in_proxy(struct loupe_target *target,
                                              const struct loupe_object *object, uint64_t *ret) {
    uint64_t word;
    if (loupe_memory_read_word(target->memory, abi_word(target, object->address, 1), &word) ||
        word > INT32_MAX)
        return LOUPE_COUNT_UNKNOWN;
    return count_before(target, object, word, ret);
}

/* Where instances of a class have their counts: its memo, since its names tell. */
enum counting {
    COUNTS_NEVER = 1,
    COUNTS_BEFORE,
    COUNTS_OF_WINDOW,
    COUNTS_IN_PROXY,
    COUNTS_UNKNOWN
};

static bool has_own_release(struct loupe_target *target, const struct loupe_class *cls) {
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level;
    while ((level = loupe_class_chain_next(target, &chain))) {
        if (level->flags & LOUPE_CLASS_OWN_RELEASE)
            return true;
    }
    return false;
}

static enum counting find_counting(struct loupe_target *target, const struct loupe_class *cls) {
    enum gnu_counting counting = gnu_counting_of(target, cls);
    if (counting == GNU_COUNTS_NEVER)
        return COUNTS_NEVER;
    if (counting == GNU_COUNTS_OTHERWISE || has_own_release(target, cls))
        return COUNTS_UNKNOWN;
    if (counting == GNU_COUNTS_IN_PROXY)
        return COUNTS_IN_PROXY;
    switch (gnu_giving_back_of(target, cls)) {
    case GNU_GIVES_NOTHING_BACK:
        return COUNTS_BEFORE;
    case GNU_GIVES_BACK_IN_CONTEXT:
        return COUNTS_OF_WINDOW;
    case GNU_GIVES_BACK_UNKNOWN:
        break;
    }
    return COUNTS_UNKNOWN;
}

static enum loupe_retain_count retain_count(struct loupe_target *target,
                                            const struct loupe_object *object, uint64_t *ret) {
    const struct loupe_class *cls = object->cls;
    uint64_t given_back;
    if (cls->kind == LOUPE_INSTANCE_CLASS)
        return LOUPE_COUNT_IMMORTAL;
    if (!cls->memo)
        loupe_class_keep_memo(target, cls, (uint8_t)find_counting(target, cls));
    switch ((enum counting)cls->memo) {
    case COUNTS_NEVER:
        return LOUPE_COUNT_IMMORTAL;
    case COUNTS_BEFORE:
        return count_before(target, object, 0, ret);
    case COUNTS_OF_WINDOW:
        return gnu_retains_given_back(target, object, &given_back)
                   ? count_before(target, object, given_back, ret)
                   : LOUPE_COUNT_UNKNOWN;
    case COUNTS_IN_PROXY:
        return count_in_proxy(target, object, ret);
    case COUNTS_UNKNOWN:
        break;
    }
    return LOUPE_COUNT_UNKNOWN;
}

static const char *const root_symbols[] = {"_OBJC_Class_NSObject", "_OBJC_Class_NSProxy",
                                           "_OBJC_Class_Object", "_OBJC_Class_Protocol", NULL};

const struct loupe_abi loupe_abi_gcc = {.name = "gcc",
                                        .detect = detect,
                                        .class_of_isa = class_of_isa,
                                        .read_class = read_class,
                                        .read_layout = gcc_read_layout,
                                        .next_method = gcc_next_method,
                                        .selector_name = gcc_selector_name,
                                        .has_selector = gcc_has_selector,
                                        .relatives = gcc_relatives,
                                        .root_symbols = root_symbols,
                                        .next_class = gcc_next_class,
                                        .class_words = 13,
                                        .words_before_object = 1 << 2 | 1 << 4 | 1 << 8,
                                        .class_of_zombie = gnustep_class_of_zombie,
                                        .retain_count = retain_count,
                                        .pools_are_objects = true,
                                        .leaves_padding = true,
                                        .container_rules = loupe_containers_gnustep,
                                        .container_rule_count = &loupe_container_count_gnustep,
                                        .filters = &loupe_gnustep_filters,
                                        .class_in_table = GNU_CLASS_OF_ATTRIBUTES,
                                        .without_weak_references = true,
                                        .block_traits = block_traits,
                                        .next_unused = gcc_next_unused};
