/*
 * What an NSInvocation of gnustep-base holds: its target and its arguments, if it was told to
 * retain them (NSInvocation.m, GSFFIInvocation.m, cifframe.m).
 */
#include "runtime/containers/containers_gnustep.h"

#include "types/encoding.h"

enum { MAX_TYPES = 4096 /* bytes of a method's types */, FIRST_ARGUMENT = 2, MAX_ARGUMENTS = 14 };

static const char *const argument_names[MAX_ARGUMENTS] = {
    [2] = "argument 2",   [3] = "argument 3",   [4] = "argument 4",   [5] = "argument 5",
    [6] = "argument 6",   [7] = "argument 7",   [8] = "argument 8",   [9] = "argument 9",
    [10] = "argument 10", [11] = "argument 11", [12] = "argument 12", [13] = "argument 13"};

/*
 * Where the values of a frame are. libffi's description of the call stands at its start, and the
 * frame repeats two of its fields, which must agree.
 */
static bool find_values(struct loupe_target *target, loupe_addr frame, uint32_t count,
                        loupe_addr *ret) {
    enum { CIF_ARGUMENTS = 4, CIF_TYPES = 8, ARGUMENTS = 32, TYPES = 40, VALUES = 48 };
    struct loupe_memory *memory = target->memory;
    uint32_t cif_count, frame_count;
    uint64_t cif_types, types;
    return frame && !loupe_memory_read_u32(memory, frame + CIF_ARGUMENTS, &cif_count) &&
           !loupe_memory_read_u32(memory, frame + ARGUMENTS, &frame_count) &&
           gnustep_read_word(target, frame + CIF_TYPES, &cif_types) &&
           gnustep_read_word(target, frame + TYPES, &types) && cif_count == count &&
           frame_count == count && cif_types == types && types &&
           gnustep_read_word(target, frame + VALUES, ret) && *ret;
}

/* The types of the method: each is followed by the place of its argument in a frame of old. */
static bool read_types(struct loupe_target *target, const struct loupe_object *object,
                       const char **ret) {
    loupe_addr slot;
    uint64_t address, types;
    struct loupe_object signature;
    return gnustep_find_ivar(target, object, "_sig", &slot) &&
           gnustep_read_word(target, slot, &address) &&
           loupe_object_at(target, address, &signature, NULL) == LOUPE_OK &&
           gnustep_find_ivar(target, &signature, "_methodTypes", &slot) &&
           gnustep_read_word(target, slot, &types) &&
           loupe_target_string(target, types, MAX_TYPES, ret) == LOUPE_OK;
}

/* The first type of *text, which moves behind it and its place. */
static bool take_type(struct loupe_target *target, struct loupe_span *text,
                      struct loupe_type *ret) {
    struct loupe_encoding_rules rules = loupe_encoding_rules_of(target->memory->machine);
    size_t length;
    if (!text->length || loupe_type_parse(*text, &rules, ret, &length))
        return false;
    while (length < text->length && (text->bytes[length] == '-' || text->bytes[length] == '+' ||
                                     (text->bytes[length] >= '0' && text->bytes[length] <= '9')))
        length++;
    text->bytes += length;
    text->length -= length;
    return true;
}

/* The arguments that are objects, behind self and _cmd. False: some may be missing. */
static bool add_arguments(struct loupe_target *target, const char *types, loupe_addr values,
                          uint32_t count, struct loupe_contents *ret) {
    struct loupe_span rest = loupe_span_of(types);
    struct loupe_type type;
    uint64_t value;
    if (count > MAX_ARGUMENTS || !take_type(target, &rest, &type)) /* what it returns */
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!take_type(target, &rest, &type) ||
            !gnustep_read_word(target, gnustep_word_at(target, values, i), &value))
            return false;
        bool is_object = type.kind == LOUPE_TYPE_OBJECT || type.kind == LOUPE_TYPE_BLOCK;
        if (i >= FIRST_ARGUMENT && is_object)
            gnustep_add_run(ret, value, 1, LOUPE_EDGE_ELEMENT)->name = argument_names[i];
    }
    return true;
}

bool gnustep_find_invocation(struct loupe_target *target, const struct loupe_object *object,
                             const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    loupe_addr flag_at, frame_at, count_at, values;
    uint64_t frame;
    uint32_t count;
    uint8_t retained;
    const char *types;
    if (!loupe_container_find_ivars(target, object, rule, ret) ||
        !gnustep_find_ivar(target, object, "_argsRetained", &flag_at) ||
        !gnustep_find_ivar(target, object, "_cframe", &frame_at) ||
        !gnustep_find_ivar(target, object, "_numArgs", &count_at) ||
        loupe_memory_read(target->memory, flag_at, &retained, 1) ||
        !gnustep_read_word(target, frame_at, &frame) ||
        loupe_memory_read_u32(target->memory, count_at, &count))
        return false;
    ret->is_partial =
        retained && count > FIRST_ARGUMENT &&
        !(find_values(target, frame, count, &values) && read_types(target, object, &types) &&
          add_arguments(target, types, values, count, ret));
    return true;
}
