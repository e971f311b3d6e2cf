#include "runtime/apple/abi_apple.h"

#include "runtime/containers/containers.h"

/* ---- Forms of the isa (objc4-951 isa.h) ---- */

enum { NO_BIT = 64 };

static const struct apple_isa_form forms[] = {
    /* x86_64 */
    {.magic_mask = 0x001f800000000001,
     .magic_value = 0x001d800000000001,
     .class_mask = 0x00007ffffffffff8,
     .weakly_referenced = 53,
     .has_side_table = 55,
     .extra_shift = 56},
    /* arm64, devices without pointer signatures */
    {.magic_mask = 0x000003f000000001,
     .magic_value = 0x000001a000000001,
     .class_mask = 0x0000000ffffffff8,
     .weakly_referenced = 42,
     .has_side_table = 44,
     .extra_shift = 45},
    /* arm64e, and every arm64 simulator; signature bits go by loupe_memory_strip() */
    {.magic_mask = 1,
     .magic_value = 1,
     .class_mask = 0x007ffffffffffff8,
     .weakly_referenced = 2,
     .has_side_table = 55,
     .extra_shift = 56},
};
enum { FORM_X86_64, FORM_ARM64, FORM_ARM64E, FORM_COUNT };

static bool read_symbol_word(struct loupe_target *target, const char *name, uint64_t *ret) {
    loupe_addr address;
    return loupe_memory_find_symbol(target->memory, name, &address) == LOUPE_OK &&
           loupe_memory_read_word(target->memory, address, ret) == LOUPE_OK;
}

static void set_isa_by_arch(struct loupe_target *target, struct apple_state *state) {
    switch (target->memory->machine.arch) {
    case LOUPE_ARCH_X86_64:
        state->isa = forms[FORM_X86_64];
        break;
    case LOUPE_ARCH_ARM64:
        state->isa = forms[FORM_ARM64E];
        break;
    default:
        state->isa = (struct apple_isa_form){.magic_mask = 1, .class_mask = ~(uint64_t)3};
        return;
    }
    state->has_packed_isa = true;
}

/* The bits that no known form describes are left alone: then no count is known. */
static void set_isa_by_magic(struct apple_state *state, uint64_t class_mask, uint64_t magic_mask,
                             uint64_t magic_value) {
    state->has_packed_isa = (magic_mask & magic_value & 1) != 0;
    state->isa = (struct apple_isa_form){
        .has_side_table = NO_BIT, .weakly_referenced = NO_BIT, .extra_shift = NO_BIT};
    for (unsigned i = 0; i < FORM_COUNT; i++) {
        if (forms[i].magic_mask == magic_mask)
            state->isa = forms[i];
    }
    state->isa.magic_mask = magic_mask;
    state->isa.magic_value = magic_value;
    state->isa.class_mask = class_mask;
}

static void detect_isa(struct loupe_target *target, struct apple_state *state) {
    uint64_t class_mask, magic_mask, magic_value;
    if (read_symbol_word(target, "objc_debug_isa_class_mask", &class_mask) && class_mask &&
        read_symbol_word(target, "objc_debug_isa_magic_mask", &magic_mask) &&
        read_symbol_word(target, "objc_debug_isa_magic_value", &magic_value))
        set_isa_by_magic(state, class_mask, magic_mask, magic_value);
    else
        set_isa_by_arch(target, state);
}

static void detect_indexed_isa(struct loupe_target *target, struct apple_state *state) {
    uint64_t shift;
    loupe_addr table;
    if (target->memory->machine.pointer_size == 4 &&
        read_symbol_word(target, "objc_debug_indexed_isa_magic_mask", &state->indexed_magic_mask) &&
        read_symbol_word(target, "objc_debug_indexed_isa_magic_value",
                         &state->indexed_magic_value) &&
        read_symbol_word(target, "objc_debug_indexed_isa_index_mask", &state->index_mask) &&
        read_symbol_word(target, "objc_debug_indexed_isa_index_shift", &shift) && shift < 32 &&
        state->indexed_magic_value &&
        loupe_memory_find_symbol(target->memory, "objc_indexed_classes", &table) == LOUPE_OK) {
        state->index_shift = (uint32_t)shift;
        state->indexed_classes = table;
    }
}

static void detect_masks(struct loupe_target *target, struct apple_state *state) {
    bool wide = target->memory->machine.pointer_size == 8;
    if (!read_symbol_word(target, "objc_debug_class_rw_data_mask", &state->data_mask) ||
        !state->data_mask)
        state->data_mask = wide ? 0x00007ffffffffff8 : 0xfffffffc;
    /* Before objc4-750, which brought the symbol, that bit meant something else. */
    if (!read_symbol_word(target, "objc_debug_swift_stable_abi_bit", &state->swift_bit))
        state->swift_bit = abi_has_symbol(target, "objc_debug_isa_class_mask") ? 0 : 2;
    /* Addresses have neither bit, so without the symbol both places of the tag are refused. */
    if (!read_symbol_word(target, "objc_debug_taggedpointer_mask", &target->tagged_mask))
        target->tagged_mask = wide ? (uint64_t)1 << 63 | 1 : 0;
}

/* Words stand as they are before objc4-750, which brought the obfuscator, and tags before objc4-818
 * permutes them. */
static void detect_tagging(struct loupe_target *target) {
    enum { HIGH_SHIFT = 60 };
    struct loupe_tagging *tagging = &target->tagging;
    loupe_addr address;
    uint32_t shift;
    /* Cap: all of a table. */
    for (uint8_t i = 0; i < LOUPE_BASIC_TAGS; i++)
        tagging->permutation[i] = i;
    if (target->memory->machine.pointer_size != 8 ||
        loupe_memory_find_symbol(target->memory, "objc_debug_taggedpointer_slot_shift", &address) ||
        loupe_memory_read_u32(target->memory, address, &shift))
        return;
    if (target->tagged_mask == 1)
        tagging->form = LOUPE_TAGS_LOW;
    else if (target->tagged_mask == (uint64_t)1 << 63)
        tagging->form = shift == HIGH_SHIFT ? LOUPE_TAGS_HIGH : LOUPE_TAGS_SPLIT;
    if (!read_symbol_word(target, "objc_debug_taggedpointer_obfuscator", &tagging->obfuscator))
        tagging->obfuscator = 0;
    if (!loupe_memory_find_symbol(target->memory, "objc_debug_tag60_permutations", &address) &&
        loupe_memory_read(target->memory, address, tagging->permutation,
                          sizeof(tagging->permutation)))
        tagging->form = LOUPE_TAGS_NONE;
}

/* Lists moved out of class_rw where this version begins. */
static void detect_class_form(struct loupe_target *target, struct apple_state *state) {
    loupe_addr address;
    uint32_t version;
    state->has_rw_ext =
        loupe_memory_find_symbol(target->memory, "objc_class_abi_version", &address) == LOUPE_OK &&
        loupe_memory_read_u32(target->memory, address, &version) == LOUPE_OK && version;
}

static void detect_blocks(struct loupe_target *target, struct apple_state *state) {
    abi_find_block_classes(target, &state->block_classes);
    state->block_traits = (struct loupe_block_traits){.count = LOUPE_BLOCK_COUNT_IN_FLAGS_BY_2,
                                                      .byref_count_mask = 0xfffe,
                                                      .byref_count_unit = 2,
                                                      .has_layouts = true};
}

/* A reader without symbols cannot tell; then classes that validate are the proof. */
static bool is_present(const struct loupe_target *target) {
    static const char *const names[] = {"objc_debug_isa_class_mask",
                                        "objc_debug_class_rw_data_mask",
                                        "objc_debug_taggedpointer_mask", "_objc_empty_cache"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (abi_has_symbol(target, names[i]))
            return true;
    }
    return !target->memory->ops->find_symbol;
}

static enum loupe_status detect(struct loupe_target *target) {
    if (!is_present(target))
        return LOUPE_ENORUNTIME;
    struct apple_state *state = loupe_arena_alloc(&target->arena, sizeof(*state));
    if (!state)
        return LOUPE_ENOMEM;
    target->abi_state = state;
    loupe_map_init(&state->associations, &target->arena_chunks);
    loupe_map_init(&state->side_counts, &target->arena_chunks);
    loupe_map_init(&state->weak_slots, &target->arena_chunks);
    loupe_vector_init(&state->own_tables, &target->arena_chunks, sizeof(struct apple_dense_map));
    detect_isa(target, state);
    detect_indexed_isa(target, state);
    detect_masks(target, state);
    detect_tagging(target);
    detect_class_form(target, state);
    detect_blocks(target, state);
    apple_detect_counts(target);
    loupe_memory_find_symbol(target->memory, "_ZN4objc19AssociationsManager11_mapStorageE",
                             &state->association_table);
    return LOUPE_OK;
}

/* ---- Objects ---- */

static loupe_addr class_of_isa(const struct loupe_target *target, uint64_t isa) {
    const struct apple_state *state = apple_state_of(target);
    if (state->indexed_classes && (isa & state->indexed_magic_mask) == state->indexed_magic_value) {
        loupe_addr cls = 0;
        uint64_t index = (isa & state->index_mask) >> state->index_shift;
        loupe_memory_read_pointer(
            target->memory, state->indexed_classes + index * target->memory->machine.pointer_size,
            &cls);
        return cls;
    }
    return loupe_memory_strip(target->memory, isa & state->isa.class_mask);
}

static bool may_have_associations(const struct loupe_target *target, uint64_t isa) {
    const struct apple_state *state = apple_state_of(target);
    return !apple_is_packed(state, isa) || (isa & 2) != 0;
}

/* objc_storeStrong() of objc4-950 leaves this in a slot while it works on it. */
static bool is_in_flux(const struct loupe_target *target, uint64_t word) {
    return word == (target->memory->machine.pointer_size == 8 ? 0x400000000000bad0 : 0xbad0);
}

static const struct loupe_block_traits *block_traits(const struct loupe_target *target) {
    return &apple_state_of(target)->block_traits;
}

/* ---- Tables ---- */

bool apple_read_dense_map(struct loupe_target *target, loupe_addr address,
                          struct apple_dense_map *ret) {
    uint32_t counts[3]; /* entries, tombstones, buckets */
    struct apple_dense_map map = {0};
    if (loupe_memory_read_pointer(target->memory, address, &map.buckets) ||
        loupe_memory_read(target->memory, abi_word(target, address, 1), counts, sizeof(counts)))
        return false;
    map.bucket_count = counts[2];
    bool sane =
        map.bucket_count <= APPLE_MAX_BUCKETS && (map.bucket_count & (map.bucket_count - 1)) == 0 &&
        (uint64_t)counts[0] + counts[1] <= counts[2] && (map.bucket_count == 0 || map.buckets != 0);
    if (sane)
        *ret = map;
    return sane;
}

static const char *const root_symbols[] = {"OBJC_CLASS_$_NSObject", "OBJC_CLASS_$_NSProxy",
                                           "OBJC_CLASS_$_Object", NULL};

const struct loupe_abi loupe_abi_apple = {.name = "apple",
                                          .detect = detect,
                                          .class_of_isa = class_of_isa,
                                          .read_class = apple_read_class,
                                          .read_layout = apple_read_layout,
                                          .next_method = apple_next_method,
                                          .selector_name = apple_selector_name,
                                          .relatives = apple_relatives,
                                          .hand_over_class_memory = apple_hand_over_class_memory,
                                          .root_symbols = root_symbols,
                                          .ivar_destructor = apple_ivar_destructor,
                                          .class_words = 5,
                                          .words_before_object = 1 << 0,
                                          .retain_count = apple_retain_count,
                                          .type_of_object = apple_type_of_object,
                                          .name_type = apple_name_type,
                                          .weakness = apple_weakness,
                                          .is_in_flux = is_in_flux,
                                          .container_rules = loupe_containers_apple,
                                          .container_rule_count = &loupe_container_count_apple,
                                          .filters = &loupe_apple_filters,
                                          .block_traits = block_traits,
                                          .has_associations = apple_has_associations,
                                          .pool_page = apple_pool_page,
                                          .may_have_associations = may_have_associations,
                                          .next_association = apple_next_association,
                                          .next_unused = apple_next_unused};
