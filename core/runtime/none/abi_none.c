/*
 * A process without an Objective-C runtime: of C, of C++. It has no classes and no objects, so that
 * no word is an isa; whole heaps are all that can be asked about.
 */
#include "blocks/block.h"
#include "runtime/abi.h"

static enum loupe_status detect(struct loupe_target *target) {
    (void)target;
    return LOUPE_ENORUNTIME;
}

static loupe_addr class_of_isa(const struct loupe_target *target, uint64_t isa) {
    (void)target, (void)isa;
    return 0;
}

static enum loupe_status read_class(struct loupe_target *target, loupe_addr address,
                                    struct loupe_class *ret, const char **why_ret) {
    (void)target, (void)address, (void)ret;
    *why_ret = "the process has no Objective-C runtime";
    return LOUPE_ENOTOBJECT;
}

static enum loupe_status read_layout(struct loupe_target *target, const struct loupe_class *cls,
                                     struct loupe_class_layout *ret) {
    (void)target, (void)cls;
    *ret = (struct loupe_class_layout){0};
    return LOUPE_OK;
}

static bool next_method(struct loupe_target *target, const struct loupe_class *cls,
                        struct loupe_method_cursor *cursor, struct loupe_method *ret) {
    (void)target, (void)cls, (void)cursor, (void)ret;
    return false;
}

static bool selector_name(struct loupe_target *target, loupe_addr selector, char *dst, size_t cap) {
    (void)target, (void)selector, (void)dst, (void)cap;
    return false;
}

static unsigned relatives(struct loupe_target *target, const struct loupe_class *cls,
                          loupe_addr ret[LOUPE_MAX_RELATIVES]) {
    (void)target, (void)cls, (void)ret;
    return 0;
}

static enum loupe_retain_count retain_count(struct loupe_target *target,
                                            const struct loupe_object *object, uint64_t *ret) {
    (void)target, (void)object, (void)ret;
    return LOUPE_COUNT_UNKNOWN;
}

static const struct loupe_block_traits *block_traits(const struct loupe_target *target) {
    static const struct loupe_block_traits none = {.byref_heap_isa = UINT64_MAX};
    (void)target;
    return &none;
}

static const char *const root_symbols[] = {NULL};
static const unsigned container_rule_count = 0;
static const struct loupe_filters filters = {0};

const struct loupe_abi loupe_abi_none = {.name = "none",
                                         .detect = detect,
                                         .class_of_isa = class_of_isa,
                                         .read_class = read_class,
                                         .read_layout = read_layout,
                                         .next_method = next_method,
                                         .selector_name = selector_name,
                                         .relatives = relatives,
                                         .root_symbols = root_symbols,
                                         .class_words = 1,
                                         .words_before_object = 1,
                                         .retain_count = retain_count,
                                         .container_rule_count = &container_rule_count,
                                         .filters = &filters,
                                         .block_traits = block_traits};
