#include "report/objects/report_ivars.h"

#include "report/report_declared.h"

#include "runtime/abi.h"
#include "runtime/values/tagged_values.h"
#include "runtime/values/typed_values.h"
#include "types/encoding.h"
#include "types/type_text.h"

#include <string.h>

enum {
    MAX_FIELDS = 1 << 14 /* listed of one ivar; an array of numbers is one */,
    LONGEST_TYPE = 256
};

/* ---- Looking up ---- */

enum loupe_status loupe_ivar_report_make(struct loupe_target *target,
                                         const struct loupe_object *object,
                                         struct loupe_ivar_report *ret, struct loupe_error *err) {
    const struct loupe_class *level;
    enum loupe_status status = loupe_object_meant_class(target, object, &ret->cls, err);
    if (status)
        return status;
    ret->target = target;
    ret->object = object->cls->kind == LOUPE_INSTANCE_CLASS ? 0 : object->address;
    ret->level_count = 0;
    struct loupe_class_chain chain = loupe_class_chain(ret->cls);
    while ((level = loupe_class_chain_next(target, &chain))) {
        const struct loupe_class_layout **layout = &ret->layouts[ret->level_count];
        if (loupe_class_layout(target, level, layout))
            return loupe_fail_at(err, LOUPE_ENOMEM, level->address);
        if ((*layout)->damaged)
            loupe_findings_add(&target->findings, LOUPE_FINDING_CLASS_LAYOUT, level->address);
        if (level->flags & LOUPE_CLASS_SWIFT)
            loupe_findings_add(&target->findings, LOUPE_FINDING_SWIFT, level->address);
        ret->levels[ret->level_count++] = level;
    }
    if (chain.broken)
        loupe_findings_add(&target->findings, LOUPE_FINDING_CLASS_LAYOUT, ret->cls->address);
    return chain.status ? loupe_fail_at(err, chain.status, ret->cls->address) : LOUPE_OK;
}

/* ---- Ownership ---- */

/* By rising claim to be the ownership of a struct with members of several kinds. */
enum ownership { OWNS_NOTHING, UNRETAINED, WEAK, UNKNOWN, ASSUMED, STRONG };

static const char *ownership_name(enum ownership ownership) {
    static const char *const names[] = {"none",    "unretained", "weak",
                                        "unknown", "assumed",    "strong"};
    return names[ownership];
}

static enum ownership ownership_of(const struct loupe_edge *word) {
    switch ((enum loupe_ownership)word->ownership) {
    case LOUPE_STRONG:
        return STRONG;
    case LOUPE_NONOWNING_WEAK:
        return WEAK;
    case LOUPE_NONOWNING_UNRETAINED:
    case LOUPE_DISOWNED:
        return UNRETAINED;
    case LOUPE_ASSUMED:
    case LOUPE_DECLARED:
        break;
    }
    return ASSUMED;
}

/* The layouts are about words that are no objects by their encoding, too. */
static enum ownership ownership_at(const struct loupe_ivar_owners *owners,
                                   const struct loupe_class *cls, uint64_t offset,
                                   enum loupe_type_kind kind) {
    const struct loupe_edge *word = loupe_ivar_owners_in(owners, offset, offset + 1);
    bool is_object = kind == LOUPE_TYPE_OBJECT || kind == LOUPE_TYPE_BLOCK;
    bool is_isa = offset == 0;
    if (word && (is_object || ownership_of(word) == STRONG || ownership_of(word) == WEAK))
        return ownership_of(word);
    if (kind == LOUPE_TYPE_UNKNOWN)
        return UNKNOWN;
    if (is_isa || (!is_object && kind != LOUPE_TYPE_CLASS))
        return OWNS_NOTHING;
    if (cls->flags & LOUPE_CLASS_OWNERSHIP)
        return UNRETAINED;
    return is_object ? UNKNOWN : OWNS_NOTHING;
}

/* ---- Writing ---- */

struct writer {
    struct loupe_json *json;
    const struct loupe_ivar_report *report;
    const struct loupe_class *cls;
    const struct loupe_class_layout *layout;
    struct loupe_encoding_rules rules;
};

static bool holds_address(enum loupe_type_kind kind) {
    return kind == LOUPE_TYPE_OBJECT || kind == LOUPE_TYPE_BLOCK || kind == LOUPE_TYPE_CLASS ||
           kind == LOUPE_TYPE_POINTER || kind == LOUPE_TYPE_SELECTOR;
}

static void write_value(const struct writer *writer, uint64_t offset, enum loupe_type_kind kind) {
    uint64_t word;
    loupe_json_key(writer->json, "value");
    if (writer->report->object && holds_address(kind) &&
        !loupe_memory_read_word(writer->report->target->memory, writer->report->object + offset,
                                &word))
        loupe_json_address(writer->json, word);
    else
        loupe_json_null(writer->json);
}

/* What a C string, a selector or a word that is an object says, under "shown". */
static void write_shown(const struct writer *writer, uint64_t offset, enum loupe_type_kind kind,
                        struct loupe_span type) {
    enum { SHOWN_BYTES = 80 };
    struct loupe_target *target = writer->report->target;
    char text[SHOWN_BYTES];
    uint64_t word;
    size_t length = 0;
    if (!writer->report->object || !holds_address(kind) ||
        loupe_memory_read_word(target->memory, writer->report->object + offset, &word) || !word)
        return;
    if (loupe_is_c_string(type))
        length = loupe_c_string_value(target, word, text, sizeof(text));
    else if (kind == LOUPE_TYPE_OBJECT && loupe_is_tagged(target, word))
        length = loupe_tagged_value(&target->tagging, word, text, sizeof(text));
    else if (kind == LOUPE_TYPE_SELECTOR &&
             target->abi->selector_name(target, word, text, sizeof(text)))
        length = strlen(text);
    if (length)
        loupe_json_put_text(writer->json, "shown", (struct loupe_span){text, length});
}

/* Which bits of the bytes from "offset" on a bit-field takes. */
static void write_bits(const struct writer *writer, bool known, uint8_t offset, uint8_t width) {
    loupe_json_key(writer->json, "bit_offset");
    if (known)
        loupe_json_uint(writer->json, offset);
    else
        loupe_json_null(writer->json);
    loupe_json_put_uint(writer->json, "bit_width", width);
}

/* count: how many equal elements of an array the leaf begins; 1 for any other. */
static void write_field(const struct writer *writer, const struct loupe_ivar *ivar,
                        const struct loupe_leaf *leaf, uint64_t count) {
    uint64_t offset = ivar->offset + leaf->offset;
    loupe_json_begin_object(writer->json);
    loupe_json_put_string(writer->json, "path", leaf->path);
    loupe_json_key(writer->json, "offset");
    if (leaf->trust == LOUPE_TRUST_UNKNOWN)
        loupe_json_null(writer->json);
    else
        loupe_json_uint(writer->json, offset);
    loupe_json_put_uint(writer->json, "size", leaf->size);
    loupe_json_key(writer->json, "type");
    loupe_json_span(writer->json, leaf->type);
    loupe_json_put_string(writer->json, "ownership",
                          leaf->trust == LOUPE_TRUST_UNKNOWN
                              ? ownership_name(UNKNOWN)
                              : ownership_name(ownership_at(&writer->report->owners, writer->cls,
                                                            offset, leaf->kind)));
    write_value(writer, offset,
                leaf->trust == LOUPE_TRUST_UNKNOWN ? LOUPE_TYPE_UNKNOWN : leaf->kind);
    if (leaf->trust != LOUPE_TRUST_UNKNOWN)
        write_shown(writer, offset, leaf->kind, leaf->type);
    if (count > 1)
        loupe_json_put_uint(writer->json, "count", count);
    if (leaf->bit_width)
        write_bits(writer, leaf->trust != LOUPE_TRUST_UNKNOWN, leaf->bit_offset, leaf->bit_width);
    loupe_json_end_object(writer->json);
}

/* Nothing tells the elements of an array of them apart: they have neither owners nor values. */
static bool is_plain_number(const struct loupe_leaf *leaf) {
    return leaf->trust != LOUPE_TRUST_UNKNOWN &&
           (leaf->kind == LOUPE_TYPE_NUMBER || leaf->kind == LOUPE_TYPE_VECTOR);
}

/*
 * The members of a struct, union or array; of anything else an empty array. How many of them are
 * beyond MAX_FIELDS is written, too.
 */
static void write_fields(const struct writer *writer, const struct loupe_ivar *ivar,
                         const struct loupe_encoding *encoding) {
    struct loupe_encoding_cursor cursor;
    struct loupe_leaf leaf;
    uint64_t listed = 0;
    bool has_members = encoding && encoding->type.kind >= LOUPE_TYPE_STRUCT;
    loupe_json_key(writer->json, "fields");
    loupe_json_begin_array(writer->json);
    if (has_members) {
        loupe_encoding_begin(&cursor, encoding, loupe_span_of(ivar->name), MAX_FIELDS);
        while (loupe_encoding_next(&cursor, &leaf)) {
            uint64_t count =
                1 + (is_plain_number(&leaf) ? loupe_encoding_skip_elements(&cursor) : 0);
            write_field(writer, ivar, &leaf, count);
            listed += count;
        }
    }
    loupe_json_end_array(writer->json);
    if (has_members && encoding->type.leaf_count > listed)
        loupe_json_put_uint(writer->json, "fields_left_out", encoding->type.leaf_count - listed);
}

/* The strongest claim about any word of a struct, union or array. */
static enum ownership claim_about_words(const struct writer *writer, const struct loupe_ivar *ivar,
                                        const struct loupe_encoding *encoding) {
    uint64_t end = ivar->offset + (uint64_t)ivar->size;
    enum ownership strongest = OWNS_NOTHING;
    const struct loupe_edge *word;
    if (encoding->type.kind < LOUPE_TYPE_STRUCT)
        return OWNS_NOTHING;
    for (uint64_t from = ivar->offset;
         (word = loupe_ivar_owners_in(&writer->report->owners, from, end));
         from = word->offset + 1) {
        if (ownership_of(word) > strongest)
            strongest = ownership_of(word);
    }
    return strongest;
}

static enum ownership whole_ownership(const struct writer *writer, const struct loupe_ivar *ivar,
                                      const struct loupe_encoding *encoding) {
    enum ownership whole = claim_about_words(writer, ivar, encoding);
    struct loupe_encoding_cursor cursor;
    struct loupe_leaf leaf;
    loupe_encoding_begin(&cursor, encoding, loupe_span_of(""), UINT64_MAX);
    cursor.one_of_each = true; /* the elements of an array are of one type */
    while (loupe_encoding_next(&cursor, &leaf)) {
        enum ownership ownership = leaf.trust == LOUPE_TRUST_UNKNOWN
                                       ? UNKNOWN
                                       : ownership_at(&writer->report->owners, writer->cls,
                                                      ivar->offset + leaf.offset, leaf.kind);
        if (ownership > whole)
            whole = ownership;
    }
    return cursor.status ? UNKNOWN : whole;
}

/*
 * An ivar that is a bit-field. Apple's runtime tells the byte that it begins in; it follows on the
 * bit-field before it if that one ends there. GNU encodings tell the bit. *end is where the last
 * bit-field ended, in bits from the start of the object, or 0.
 */
static void write_ivar_bits(const struct writer *writer, const struct loupe_ivar *ivar,
                            const struct loupe_encoding *encoding, uint64_t *end) {
    struct loupe_encoding_cursor cursor;
    struct loupe_leaf leaf;
    uint64_t previous_end = *end, start = (uint64_t)ivar->offset * 8;
    *end = 0;
    loupe_encoding_begin(&cursor, encoding, loupe_span_of(""), 1);
    if (encoding->type.kind != LOUPE_TYPE_BITS || !loupe_encoding_next(&cursor, &leaf))
        return;
    if (previous_end / 8 == ivar->offset && previous_end > start)
        start = previous_end;
    else
        start += leaf.bit_offset;
    write_bits(writer, !writer->layout->has_unnamed_bits, (uint8_t)(start % 8), leaf.bit_width);
    *end = start + leaf.bit_width;
}

static void write_written_type(struct loupe_json *json, struct loupe_span type) {
    char text[LONGEST_TYPE];
    size_t length = loupe_type_text(type, text, sizeof(text));
    loupe_json_put_text(json, "written_type", (struct loupe_span){text, length});
}

static void write_ivar(const struct writer *writer, const struct loupe_ivar *ivar,
                       uint64_t *bits_end) {
    struct loupe_encoding encoding;
    char path[LOUPE_LONGEST_SOURCE_PATH];
    uint32_t line;
    bool parsed =
        !loupe_encoding_init(&encoding, loupe_span_of(ivar->type), &writer->rules, ivar->size);
    loupe_json_begin_object(writer->json);
    loupe_json_put_string(writer->json, "name", ivar->name);
    loupe_json_put_uint(writer->json, "offset", ivar->offset);
    loupe_json_put_uint(writer->json, "size", ivar->size);
    loupe_json_put_string(writer->json, "type", ivar->type);
    write_written_type(writer->json, loupe_span_of(ivar->type));
    loupe_json_put_string(
        writer->json, "ownership",
        ownership_name(parsed ? whole_ownership(writer, ivar, &encoding) : UNKNOWN));
    if (loupe_memory_line_of_ivar(writer->report->target->memory, loupe_span_of(writer->cls->name),
                                  loupe_span_of(ivar->name), path, sizeof(path), &line))
        loupe_report_declared(writer->json, path, line);
    write_value(writer, ivar->offset, parsed ? encoding.type.kind : LOUPE_TYPE_UNKNOWN);
    if (parsed)
        write_shown(writer, ivar->offset, encoding.type.kind, encoding.type.text);
    write_fields(writer, ivar, parsed ? &encoding : NULL);
    if (parsed)
        write_ivar_bits(writer, ivar, &encoding, bits_end);
    loupe_json_end_object(writer->json);
}

static void write_layout(struct loupe_json *json, const char *key, struct loupe_span layout) {
    loupe_json_key(json, key);
    if (layout.length)
        loupe_json_bytes(json, layout);
    else
        loupe_json_null(json);
}

static void write_level(const struct writer *writer) {
    struct loupe_json *json = writer->json;
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "class", writer->cls->name);
    loupe_json_put_uint(json, "instance_start", writer->cls->instance_start);
    loupe_json_put_uint(json, "instance_size", writer->cls->instance_size);
    write_layout(json, "strong_layout", writer->layout->strong_layout);
    write_layout(json, "weak_layout", writer->layout->weak_layout);
    loupe_json_key(json, "ivars");
    loupe_json_begin_array(json);
    uint64_t bits_end = 0;
    for (uint32_t i = 0; i < writer->layout->ivar_count; i++)
        write_ivar(writer, &writer->layout->ivars[i], &bits_end);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

static void write_class(struct loupe_json *json, const struct loupe_ivar_report *report) {
    loupe_json_key(json, "class");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "name", report->cls->name);
    loupe_json_put_address(json, "address", report->cls->address);
    loupe_json_put_string(json, "superclass",
                          report->level_count > 1 ? report->levels[1]->name : NULL);
    loupe_json_put_uint(json, "instance_size", report->cls->instance_size);
    loupe_json_key(json, "arc");
    if (report->cls->flags & LOUPE_CLASS_UNKNOWN_CODE)
        loupe_json_null(json);
    else
        loupe_json_bool(json, (report->cls->flags & LOUPE_CLASS_OWNERSHIP) != 0);
    loupe_json_end_object(json);
}

void loupe_ivar_report_write(struct loupe_json *json, const struct loupe_ivar_report *report) {
    write_class(json, report);
    loupe_json_key(json, "levels");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < report->level_count; i++) {
        struct writer writer = {.json = json,
                                .report = report,
                                .cls = report->levels[i],
                                .layout = report->layouts[i],
                                .rules = loupe_encoding_rules_of(report->target->memory->machine)};
        write_level(&writer);
    }
    loupe_json_end_array(json);
}
