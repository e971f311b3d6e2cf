#include "heap/values.h"

#include "runtime/values/object_values.h"
#include "runtime/values/typed_values.h"
#include "snapshot/values/values.h"
#include "types/encoding.h"

#include <string.h>

/* What the word of a field leads to, beside objects. */
enum text_kind { NO_TEXT, STRING_OF_C, SELECTOR };

/* Where a field stands in an object; what it is there for is in the field of the same number. */
struct value_place {
    uint32_t offset;
    uint8_t size;                  /* bytes in the object */
    uint8_t bit_offset, bit_width; /* width 0: no bit-field */
    bool is_signed;
    uint8_t text; /* enum text_kind */
};

struct taker {
    struct loupe_snapshot_builder *builder;
    struct loupe_heap_values *values;
    uint64_t text_bytes;
    bool is_cut; /* the class at hand has more fields than are kept */
};

/* ---- Fields ---- */

/* The value's type, and whether it is signed; LOUPE_VALUE_NONE: it is not kept. */
static uint32_t type_of_number(char type, uint64_t size, bool *is_signed) {
    static const char with_sign[] = {'c', 's', 'i', 'l', 'q'};
    *is_signed = memchr(with_sign, type, sizeof(with_sign)) != NULL;
    switch (type) {
    case 'B':
        return LOUPE_VALUE_BOOLEAN;
    case 'c':
        return LOUPE_VALUE_BYTE;
    case 'C':
    case 's':
        return LOUPE_VALUE_SHORT;
    case 'S':
    case 'i':
        return LOUPE_VALUE_INT;
    case 'f':
        return size == 4 ? LOUPE_VALUE_FLOAT : LOUPE_VALUE_NONE;
    case 'd':
        return size == 8 ? LOUPE_VALUE_DOUBLE : LOUPE_VALUE_NONE;
    case 'l':
    case 'q':
        return size == 4 ? LOUPE_VALUE_INT : LOUPE_VALUE_LONG;
    case 'I':
        return LOUPE_VALUE_LONG;
    case 'L':
    case 'Q':
        return size == 4 ? LOUPE_VALUE_LONG : LOUPE_VALUE_UNSIGNED;
    default:
        return LOUPE_VALUE_NONE;
    }
}

static char first_type(struct loupe_span type) {
    static const char qualifiers[] = {'r', 'n', 'N', 'o', 'O', 'R', 'V', 'A', 'j'};
    size_t at = 0;
    while (at < type.length && memchr(qualifiers, type.bytes[at], sizeof(qualifiers)))
        at++;
    return at < type.length ? type.bytes[at] : ' ';
}

static enum text_kind text_of(const struct loupe_leaf *leaf) {
    if (leaf->kind == LOUPE_TYPE_SELECTOR)
        return SELECTOR;
    return leaf->kind == LOUPE_TYPE_POINTER && loupe_is_c_string(leaf->type) ? STRING_OF_C
                                                                             : NO_TEXT;
}

/* What leads to a text is kept as an address as well: readers that know of no texts have that. */
static uint32_t type_of(const struct loupe_leaf *leaf, bool *is_signed) {
    *is_signed = false;
    if (text_of(leaf) != NO_TEXT)
        return LOUPE_VALUE_OBJECT;
    switch (leaf->kind) {
    case LOUPE_TYPE_OBJECT:
    case LOUPE_TYPE_BLOCK:
    case LOUPE_TYPE_CLASS:
        return LOUPE_VALUE_OBJECT;
    case LOUPE_TYPE_NUMBER:
        return type_of_number(first_type(leaf->type), leaf->size, is_signed);
    case LOUPE_TYPE_BITS:
        return leaf->bit_width == 1 ? LOUPE_VALUE_BOOLEAN : LOUPE_VALUE_UNSIGNED;
    default:
        return LOUPE_VALUE_NONE;
    }
}

/* "store" of "store._M_refcount._M_pi": what the language keeps for libraries is no name for
 * people. */
static struct loupe_span without_librarys(const char *path) {
    struct loupe_span name = loupe_span_of(path);
    for (size_t at = 1; at + 2 < name.length; at++) {
        char first = path[at + 2];
        if (path[at] == '.' && path[at + 1] == '_' &&
            (first == '_' || (first >= 'A' && first <= 'Z')))
            name.length = at;
    }
    return name;
}

static enum loupe_status add_pointer(struct taker *taker, uint32_t class_number, uint64_t offset,
                                     const struct loupe_leaf *leaf) {
    if (leaf->trust == LOUPE_TRUST_UNKNOWN || offset == 0 || offset > LOUPE_MAX_INSTANCE)
        return LOUPE_OK;
    struct loupe_pointer_ivar *pointer = loupe_vector_add(&taker->values->pointers);
    if (!pointer)
        return LOUPE_ENOMEM;
    *pointer = (struct loupe_pointer_ivar){
        .class_number = class_number,
        .offset = (uint32_t)offset,
        .name = loupe_heap_string(&taker->builder->tables, without_librarys(leaf->path))};
    return LOUPE_OK;
}

static enum loupe_status add_field(struct taker *taker, const struct loupe_ivar *ivar,
                                   const struct loupe_leaf *leaf) {
    bool is_signed;
    uint32_t type = type_of(leaf, &is_signed);
    uint64_t offset = ivar->offset + leaf->offset;
    if (type == LOUPE_VALUE_NONE || leaf->trust == LOUPE_TRUST_UNKNOWN || leaf->size > 8 ||
        offset == 0 || offset + leaf->size > LOUPE_MAX_INSTANCE)
        return LOUPE_OK;
    struct loupe_snapshot_field *field = loupe_vector_add(&taker->values->fields);
    struct value_place *place = field ? loupe_vector_add(&taker->values->places) : NULL;
    if (!place)
        return LOUPE_ENOMEM;
    *field = (struct loupe_snapshot_field){
        .name = loupe_heap_string(&taker->builder->tables, loupe_span_of(leaf->path)),
        .type = type};
    *place = (struct value_place){.offset = (uint32_t)offset,
                                  .size = (uint8_t)leaf->size,
                                  .bit_offset = leaf->bit_offset,
                                  .bit_width = leaf->bit_width,
                                  .is_signed = is_signed,
                                  .text = (uint8_t)text_of(leaf)};
    return LOUPE_OK;
}

static enum loupe_status add_ivar(struct taker *taker, uint32_t class_number,
                                  const struct loupe_ivar *ivar, uint32_t most) {
    struct loupe_encoding_rules rules =
        loupe_encoding_rules_of(taker->builder->target->memory->machine);
    struct loupe_encoding encoding;
    struct loupe_encoding_cursor cursor;
    struct loupe_leaf leaf;
    enum loupe_status status = LOUPE_OK;
    if (loupe_encoding_init(&encoding, loupe_span_of(ivar->type), &rules, ivar->size))
        return LOUPE_OK;
    loupe_encoding_begin(&cursor, &encoding, loupe_span_of(ivar->name), most);
    while (!status && loupe_encoding_next(&cursor, &leaf)) {
        if (leaf.kind == LOUPE_TYPE_POINTER)
            status = add_pointer(taker, class_number, ivar->offset + leaf.offset, &leaf);
        if (!status)
            status = add_field(taker, ivar, &leaf);
    }
    taker->is_cut |= cursor.status == LOUPE_ENCODING_TRUNCATED;
    return status;
}

/* A class that stands below its own, for one of many types, has no ivars of its own. */
static bool has_own_ivars(const struct loupe_snapshot_builder *builder, uint32_t number) {
    const struct loupe_heap_class *about = loupe_heap_class_at(&builder->tables, number);
    const struct loupe_snapshot_class *entry = loupe_heap_class_entry(&builder->tables, number);
    return entry->kind == LOUPE_CLASS_INSTANCES && about->cls &&
           (entry->superclass == LOUPE_NONE ||
            loupe_heap_class_at(&builder->tables, entry->superclass)->cls != about->cls);
}

static enum loupe_status add_class(struct taker *taker, uint32_t number) {
    const struct loupe_class_layout *layout;
    struct loupe_snapshot_builder *builder = taker->builder;
    struct loupe_snapshot_class *entry = loupe_heap_class_entry(&builder->tables, number);
    entry->first_field = taker->values->fields.count;
    if (!has_own_ivars(builder, number))
        return LOUPE_OK;
    enum loupe_status status = loupe_class_layout(
        builder->target, loupe_heap_class_at(&builder->tables, number)->cls, &layout);
    taker->is_cut = false;
    for (uint32_t i = 0; !status && !taker->is_cut && i < layout->ivar_count; i++) {
        uint32_t used = taker->values->fields.count - entry->first_field;
        status = add_ivar(taker, number, &layout->ivars[i], LOUPE_MOST_CLASS_VALUES - used);
    }
    builder->counts.classes_cut += taker->is_cut;
    entry->instance_fields = taker->values->fields.count - entry->first_field;
    return status;
}

/* ---- Nodes ---- */

static loupe_addr address_of(const struct loupe_snapshot_builder *builder, uint32_t node) {
    return node < builder->heap_nodes
               ? builder->addresses[node]
               : loupe_outside_at(builder, node - builder->heap_nodes)->address;
}

static uint32_t class_of(const struct loupe_snapshot_builder *builder, uint32_t node) {
    return node < builder->heap_nodes
               ? builder->classes[node]
               : loupe_outside_at(builder, node - builder->heap_nodes)->class_number;
}

static bool is_object(const struct loupe_snapshot_builder *builder, uint32_t node) {
    enum loupe_heap_form form =
        node < builder->heap_nodes
            ? loupe_heap_form(builder, node)
            : (enum loupe_heap_form)loupe_outside_at(builder, node - builder->heap_nodes)->form;
    return form == LOUPE_HEAP_OBJECT;
}

/* Bytes of all fields of instances, superclasses included. */
static uint64_t contents_size(const struct taker *taker, uint32_t class_number) {
    const struct loupe_snapshot_builder *builder = taker->builder;
    uint8_t word = builder->target->memory->machine.pointer_size;
    uint64_t size = 0;
    /* Cap: superclasses further up, which no class has. */
    for (unsigned level = 0; class_number != LOUPE_NONE && level < LOUPE_MAX_CLASS_DEPTH; level++) {
        const struct loupe_snapshot_class *entry =
            loupe_heap_class_entry(&builder->tables, class_number);
        for (uint32_t i = 0; i < entry->instance_fields; i++) {
            const struct loupe_snapshot_field *field =
                loupe_vector_at(&taker->values->fields, entry->first_field + i, sizeof(*field));
            size += loupe_value_size(field->type, word);
        }
        class_number = entry->superclass;
    }
    return size;
}

static enum loupe_status measure(struct taker *taker) {
    const struct loupe_snapshot_builder *builder = taker->builder;
    struct loupe_heap_values *values = taker->values;
    uint32_t classes = builder->tables.class_table.count;
    uint32_t *sizes = loupe_numbers_get(builder->chunks, classes);
    if (!sizes)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < classes; i++) {
        uint64_t size = contents_size(taker, i);
        sizes[i] = size && size < LOUPE_MAX_INSTANCE ? (uint32_t)size : LOUPE_NONE;
    }
    for (uint32_t i = 0; i < values->nodes; i++) {
        if (i % LOUPE_CONTENT_STEP == 0)
            values->starts[i / LOUPE_CONTENT_STEP] = values->size;
        values->lengths[i] = is_object(builder, i) ? sizes[class_of(builder, i)] : LOUPE_NONE;
        values->size += values->lengths[i] == LOUPE_NONE ? 0 : values->lengths[i];
    }
    loupe_numbers_put(builder->chunks, &sizes, classes);
    return LOUPE_OK;
}

static uint64_t read_place(const struct loupe_snapshot_builder *builder, loupe_addr address,
                           const struct value_place *place, uint32_t type) {
    uint8_t bytes[sizeof(uint64_t)] = {0};
    uint64_t bits = 0;
    if (loupe_memory_read(builder->target->memory, address + place->offset, bytes, place->size))
        return 0;
    for (unsigned i = place->size; i-- > 0;)
        bits = bits << 8 | bytes[i];
    if (place->bit_width)
        return bits >> place->bit_offset & (UINT64_MAX >> (64 - place->bit_width));
    if (place->is_signed && place->size < sizeof(bits) && bits >> (8 * place->size - 1))
        bits |= UINT64_MAX << (8 * place->size);
    return type == LOUPE_VALUE_OBJECT ? loupe_memory_strip(builder->target->memory, bits) : bits;
}

/* ---- Texts ---- */

/* False: there is no room for more, and it is counted. */
static bool take_room(struct taker *taker, size_t length) {
    if (taker->text_bytes > LOUPE_MOST_VALUE_TEXTS) {
        taker->builder->counts.texts_left_out++;
        return false;
    }
    taker->text_bytes += length;
    return true;
}

static enum loupe_status put_text(struct taker *taker, uint32_t node) {
    struct loupe_snapshot_builder *builder = taker->builder;
    char text[LOUPE_MOST_VALUE_TEXT];
    struct loupe_object object = {
        .address = address_of(builder, node),
        .cls = loupe_heap_class_at(&builder->tables, class_of(builder, node))->cls};
    size_t length =
        object.cls ? loupe_object_value(builder->target, &object, text, sizeof(text)) : 0;
    if (!length || !take_room(taker, length))
        return LOUPE_OK;
    struct loupe_node_value *value = loupe_vector_add(&taker->values->texts);
    if (!value)
        return LOUPE_ENOMEM;
    *value = (struct loupe_node_value){
        .node = node,
        .text = loupe_heap_string(&builder->tables, (struct loupe_span){text, length})};
    return LOUPE_OK;
}

static size_t say_field(struct loupe_target *target, enum text_kind kind, uint64_t word, char *dst,
                        size_t cap) {
    if (kind == STRING_OF_C)
        return loupe_c_string_value(target, word, dst, cap);
    return target->abi->selector_name(target, word, dst, cap) ? strlen(dst) : 0;
}

/* Of a field whose word leads to a text. */
static enum loupe_status put_field_text(struct taker *taker, uint32_t node, uint32_t field,
                                        enum text_kind kind, uint64_t word) {
    char text[LOUPE_MOST_VALUE_TEXT];
    struct loupe_snapshot_builder *builder = taker->builder;
    size_t length = word ? say_field(builder->target, kind, word, text, sizeof(text)) : 0;
    if (!length || !take_room(taker, length))
        return LOUPE_OK;
    struct loupe_field_text *said = loupe_vector_add(&taker->values->field_texts);
    if (!said)
        return LOUPE_ENOMEM;
    *said = (struct loupe_field_text){
        .node = node,
        .field = field,
        .text = loupe_heap_string(&builder->tables, (struct loupe_span){text, length})};
    return LOUPE_OK;
}

/* ---- All ---- */

/* The fields that one class declares. */
static enum loupe_status put_level(struct taker *taker, uint32_t node,
                                   const struct loupe_snapshot_class *entry, uint8_t **at) {
    const struct loupe_snapshot_builder *builder = taker->builder;
    uint8_t word = builder->target->memory->machine.pointer_size;
    loupe_addr address = address_of(builder, node);
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = entry->first_field;
         !status && i < entry->first_field + entry->instance_fields; i++) {
        const struct loupe_snapshot_field *field =
            loupe_vector_at(&taker->values->fields, i, sizeof(*field));
        const struct value_place *place =
            loupe_vector_at(&taker->values->places, i, sizeof(*place));
        uint32_t size = loupe_value_size(field->type, word);
        uint64_t bits = read_place(builder, address, place, field->type);
        loupe_value_encode((struct loupe_value){.bits = bits}, size, *at);
        *at += size;
        if (place->text != NO_TEXT)
            status = put_field_text(taker, node, i, (enum text_kind)place->text, bits);
    }
    return status;
}

static enum loupe_status put_contents(struct taker *taker, uint32_t node, uint8_t *at) {
    const struct loupe_snapshot_builder *builder = taker->builder;
    uint32_t class_number = class_of(builder, node);
    enum loupe_status status = LOUPE_OK;
    /* Cap: superclasses further up, which no class has. */
    for (unsigned level = 0; !status && class_number != LOUPE_NONE && level < LOUPE_MAX_CLASS_DEPTH;
         level++) {
        const struct loupe_snapshot_class *entry =
            loupe_heap_class_entry(&builder->tables, class_number);
        status = put_level(taker, node, entry, &at);
        class_number = entry->superclass;
    }
    return status;
}

static enum loupe_status take_nodes(struct taker *taker) {
    enum { NODES_BETWEEN_CHECKS = 1 << 12 };
    struct loupe_heap_values *values = taker->values;
    uint8_t *at = values->contents;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < values->nodes; i++) {
        if (i % NODES_BETWEEN_CHECKS == 0 &&
            loupe_memory_interrupted(taker->builder->target->memory))
            return LOUPE_ETIMEOUT;
        if (values->lengths[i] != LOUPE_NONE) {
            status = put_contents(taker, i, at);
            at += values->lengths[i];
        }
        if (!status && is_object(taker->builder, i))
            status = put_text(taker, i);
    }
    return status;
}

enum loupe_status loupe_heap_take_values(struct loupe_snapshot_builder *builder,
                                         struct loupe_heap_values *ret) {
    struct taker taker = {.builder = builder, .values = ret};
    enum loupe_status status = LOUPE_OK;
    *ret = (struct loupe_heap_values){.nodes = loupe_heap_node_count(builder)};
    loupe_vector_init(&ret->fields, builder->chunks, sizeof(struct loupe_snapshot_field));
    loupe_vector_init(&ret->pointers, builder->chunks, sizeof(struct loupe_pointer_ivar));
    loupe_vector_init(&ret->places, builder->chunks, sizeof(struct value_place));
    loupe_vector_init(&ret->texts, builder->chunks, sizeof(struct loupe_node_value));
    loupe_vector_init(&ret->field_texts, builder->chunks, sizeof(struct loupe_field_text));
    for (uint32_t i = 0; !status && i < builder->tables.class_table.count; i++)
        status = add_class(&taker, i);
    ret->lengths = loupe_numbers_get(builder->chunks, ret->nodes);
    ret->starts = loupe_chunk_get(builder->chunks, loupe_heap_values_starts(ret));
    if (!status)
        status = ret->lengths && ret->starts ? measure(&taker) : LOUPE_ENOMEM;
    if (!status) {
        ret->contents = loupe_chunk_get(builder->chunks, ret->size + 1);
        status = ret->contents ? take_nodes(&taker) : LOUPE_ENOMEM;
    }
    return status;
}

void loupe_heap_values_deinit(struct loupe_heap_values *values,
                              const struct loupe_chunk_ops *chunks) {
    loupe_vector_deinit(&values->fields);
    loupe_vector_deinit(&values->pointers);
    loupe_vector_deinit(&values->places);
    loupe_vector_deinit(&values->texts);
    loupe_vector_deinit(&values->field_texts);
    if (values->lengths)
        loupe_numbers_put(chunks, &values->lengths, values->nodes);
    loupe_chunk_put(chunks, values->starts, loupe_heap_values_starts(values));
    loupe_chunk_put(chunks, values->contents, values->size + 1);
}
