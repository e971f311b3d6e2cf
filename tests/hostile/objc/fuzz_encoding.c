/*
 * Any bytes as a type encoding and as a signature. The first byte chooses the rules, the second the
 * size that is known and the offset that is asked for.
 */
#include "fuzz_target.h"

#include "types/encoding.h"

#include <string.h>

enum { MOST_LEAVES = 300 };

static struct loupe_encoding_cursor cursor, other_cursor;

static struct loupe_encoding_rules choose_rules(uint8_t choice) {
    struct loupe_machine machine = {.pointer_size = choice & 1 ? 4 : 8,
                                    .arch = choice & 2 ? LOUPE_ARCH_ARM64 : LOUPE_ARCH_X86_64};
    struct loupe_encoding_rules rules = loupe_encoding_rules_of(machine);
    if (choice & 4)
        rules.wide_alignment = 4;
    if (choice & 8)
        rules.pack = (uint8_t)(1u << (choice >> 6));
    if (choice & 16)
        rules.loose_bits = !rules.loose_bits;
    if (choice & 32)
        rules.unknown_size = rules.unknown_alignment = 16;
    return rules;
}

static bool is_inside(struct loupe_span part, struct loupe_span whole) {
    return part.bytes >= whole.bytes && part.bytes <= whole.bytes + whole.length &&
           part.length <= (size_t)(whole.bytes + whole.length - part.bytes);
}

static void check_type(const struct loupe_type *type, struct loupe_span text) {
    FUZZ_CHECK(is_inside(type->text, text));
    FUZZ_CHECK(type->alignment >= 1);
    FUZZ_CHECK(type->size <= 2 * LOUPE_ENCODING_MAX_SIZE);
    FUZZ_CHECK(type->object_count <= type->leaf_count);
    FUZZ_CHECK(type->trust != LOUPE_TRUST_UNKNOWN || type->size == 0);
}

static void check_leaf(const struct loupe_leaf *leaf, const struct loupe_encoding *encoding) {
    FUZZ_CHECK(is_inside(leaf->type, encoding->type.text));
    FUZZ_CHECK(leaf->kind < LOUPE_TYPE_STRUCT);
    FUZZ_CHECK(strlen(leaf->path) < LOUPE_ENCODING_PATH_SIZE);
    FUZZ_CHECK((leaf->kind == LOUPE_TYPE_BITS) == (leaf->bit_width > 0));
    if (encoding->type.trust != LOUPE_TRUST_UNKNOWN && encoding->type.kind != LOUPE_TYPE_BITS)
        FUZZ_CHECK(leaf->offset + leaf->size <= encoding->type.size);
}

/* Walks, and returns the number of leaves. */
static uint64_t check_walk(const struct loupe_encoding *encoding, bool objects_only) {
    struct loupe_leaf leaf;
    uint64_t count = 0;
    loupe_encoding_begin(&cursor, encoding, loupe_span_of("root"), MOST_LEAVES);
    cursor.objects_only = objects_only;
    for (; loupe_encoding_next(&cursor, &leaf); count++)
        check_leaf(&leaf, encoding);
    FUZZ_CHECK(cursor.status == LOUPE_ENCODING_OK || cursor.status == LOUPE_ENCODING_TRUNCATED);
    return count;
}

static void check_encoding(const struct loupe_encoding *encoding, uint64_t offset) {
    uint64_t leaves = check_walk(encoding, false);
    FUZZ_CHECK(cursor.status || leaves == encoding->type.leaf_count);
    uint64_t objects = check_walk(encoding, true);
    FUZZ_CHECK(cursor.status || objects == encoding->type.object_count);
    char path[40];
    struct loupe_leaf leaf;
    if (loupe_encoding_path_at(encoding, loupe_span_of("root"), offset, path, sizeof(path), &leaf))
        FUZZ_CHECK(leaf.offset <= offset && (!leaf.size || offset - leaf.offset < leaf.size));
    FUZZ_CHECK(strlen(path) < sizeof(path) && strncmp(path, "root", 4) == 0);
}

/* What is exact does not depend on how bit-fields were declared. */
static void check_trust(const struct loupe_encoding *encoding) {
    for (uint8_t unit = 1; unit <= 8; unit = (uint8_t)(unit * 2)) {
        struct loupe_encoding other;
        struct loupe_encoding_rules rules = encoding->rules;
        struct loupe_leaf leaf, other_leaf;
        rules.bit_unit = unit;
        if (loupe_encoding_init(&other, encoding->type.text, &rules, 0))
            continue; /* a size that is too large in one of them */
        if (encoding->type.trust == LOUPE_TRUST_EXACT)
            FUZZ_CHECK(other.type.size == encoding->type.size &&
                       other.type.alignment == encoding->type.alignment);
        loupe_encoding_begin(&cursor, encoding, loupe_span_of(""), MOST_LEAVES);
        loupe_encoding_begin(&other_cursor, &other, loupe_span_of(""), MOST_LEAVES);
        while (loupe_encoding_next(&cursor, &leaf) &&
               loupe_encoding_next(&other_cursor, &other_leaf)) {
            if (leaf.trust == LOUPE_TRUST_EXACT)
                FUZZ_CHECK(other_leaf.offset == leaf.offset &&
                           other_leaf.bit_offset == leaf.bit_offset);
        }
    }
}

static void check_signature(struct loupe_span text) {
    struct loupe_signature_part part;
    enum loupe_encoding_status status;
    struct loupe_span rest = text;
    while (loupe_signature_next(&rest, &part, &status)) {
        FUZZ_CHECK(is_inside(part.type, text) && is_inside(rest, text));
        FUZZ_CHECK(part.type.length || part.has_offset);
    }
    FUZZ_CHECK(status || rest.length == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    struct loupe_encoding_rules rules = choose_rules(data[0]);
    struct loupe_span text = {.bytes = (const char *)data + 2, .length = size - 2};
    struct loupe_type type, again;
    struct loupe_encoding encoding;
    size_t length;
    enum loupe_encoding_status status = loupe_type_parse(text, &rules, &type, &length);
    FUZZ_CHECK(length <= text.length);
    FUZZ_CHECK(loupe_encoding_init(&encoding, text, &rules, data[1]) == status);
    if (!status) {
        check_type(&type, text);
        FUZZ_CHECK(type.text.length == length);
        FUZZ_CHECK(loupe_type_parse(type.text, &rules, &again, NULL) == LOUPE_ENCODING_OK);
        FUZZ_CHECK(again.size == type.size && again.leaf_count == type.leaf_count);
        FUZZ_CHECK(!encoding.fits || encoding.type.size == data[1]);
        check_encoding(&encoding, data[1]);
        check_trust(&encoding);
    }
    check_signature(text);
    return 0;
}
