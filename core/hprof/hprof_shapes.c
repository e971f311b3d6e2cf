#include "hprof/hprof_shapes.h"

#include <string.h>

/* A field as instances of one class use it. They form a ring for each class, by slot. */
struct used {
    uint32_t label, slot, next;
    uint32_t place; /* among all fields of an instance */
    uint32_t out;   /* struct hprof_out_field */
    bool is_reference;
};

static struct used *used_at(const struct hprof_shapes *shapes, uint32_t number) {
    return loupe_vector_at(&shapes->used, number, sizeof(struct used));
}

static struct hprof_out_field *out_at(const struct hprof_shapes *shapes, uint32_t number) {
    return loupe_vector_at(&shapes->out, number, sizeof(struct hprof_out_field));
}

bool hprof_has_fields(const struct loupe_snapshot *snapshot, uint32_t class_number) {
    uint32_t kind = snapshot->class_table[class_number].kind;
    return kind == LOUPE_CLASS_INSTANCES || kind == LOUPE_CLASS_BLOCKS ||
           kind == LOUPE_CLASS_BYREFS;
}

/* ---- What instances use ---- */

static bool keeps_alive(const struct hprof_shapes *shapes, uint32_t link) {
    uint8_t kind = shapes->snapshot->columns.kinds[link];
    return kind != LOUPE_LINK_WEAK && kind != LOUPE_LINK_UNOWNED;
}

static bool can_be_field(const struct loupe_native_heap *native, uint32_t link) {
    uint32_t number = native->labels[link];
    if (number == LOUPE_NONE)
        return true;
    const struct loupe_label *label = &native->label_table[number];
    return !(label->flags & LOUPE_LABEL_INDEXED) && label->kind != LOUPE_EDGE_ELEMENT &&
           label->kind != LOUPE_EDGE_KEY && label->kind != LOUPE_EDGE_VALUE;
}

/* Links of a node come in the order of their slots, mostly: the one after the last is looked at
 * first. */
static uint32_t find_used(const struct hprof_shapes *shapes, uint32_t class_number, uint32_t link,
                          uint32_t cursor) {
    const struct loupe_native_heap *native = shapes->snapshot->native;
    const struct hprof_class_shape *shape = &shapes->classes[class_number];
    uint32_t at = cursor == LOUPE_NONE ? shape->first_used : used_at(shapes, cursor)->next;
    for (uint32_t i = 0; i < shape->used; i++) {
        const struct used *used = used_at(shapes, at);
        if (used->slot == native->slots[link] && used->label == native->labels[link] &&
            used->is_reference == keeps_alive(shapes, link))
            return at;
        at = used->next;
    }
    return LOUPE_NONE;
}

/* Before the first one of a higher slot. */
static void insert(struct hprof_shapes *shapes, struct hprof_class_shape *shape, uint32_t number) {
    struct used *added = used_at(shapes, number);
    uint32_t before = LOUPE_NONE, at = shape->first_used;
    for (uint32_t i = 0; i < shape->used && used_at(shapes, at)->slot <= added->slot; i++) {
        before = at;
        at = used_at(shapes, at)->next;
    }
    if (!shape->used) {
        added->next = number;
        shape->first_used = number;
    } else if (before == LOUPE_NONE) {
        uint32_t last = at;
        while (used_at(shapes, last)->next != at)
            last = used_at(shapes, last)->next;
        used_at(shapes, last)->next = number;
        added->next = at;
        shape->first_used = number;
    } else {
        used_at(shapes, before)->next = number;
        added->next = at;
    }
    shape->used++;
}

static enum loupe_status add_used(struct hprof_shapes *shapes, uint32_t class_number, uint32_t link,
                                  uint32_t *cursor) {
    const struct loupe_native_heap *native = shapes->snapshot->native;
    struct hprof_class_shape *shape = &shapes->classes[class_number];
    bool is_word = native->labels[link] == LOUPE_NONE;
    if (shape->used == HPROF_MOST_CLASS_FIELDS ||
        (is_word && shape->words == HPROF_MOST_CLASS_WORDS))
        return LOUPE_OK;
    struct used *used = loupe_vector_add(&shapes->used);
    if (!used)
        return LOUPE_ENOMEM;
    *used = (struct used){.label = native->labels[link],
                          .slot = native->slots[link],
                          .out = LOUPE_NONE,
                          .is_reference = keeps_alive(shapes, link)};
    shape->words += is_word;
    *cursor = shapes->used.count - 1;
    insert(shapes, shape, *cursor);
    return LOUPE_OK;
}

static enum loupe_status find_all_used(struct hprof_shapes *shapes) {
    const struct loupe_snapshot *snapshot = shapes->snapshot;
    const struct loupe_columns *columns = &snapshot->columns;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t node = 0; node < columns->nodes && !status; node++) {
        uint32_t class_number = snapshot->classes[node], cursor = LOUPE_NONE;
        if (!hprof_has_fields(snapshot, class_number))
            continue;
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
            if (!can_be_field(snapshot->native, link))
                continue;
            uint32_t found = find_used(shapes, class_number, link, cursor);
            if (found != LOUPE_NONE)
                cursor = found;
            else if ((status = add_used(shapes, class_number, link, &cursor)))
                break;
        }
        if (node % 4096 == 0 && !status)
            status = loupe_columns_status(columns, true);
    }
    return status;
}

/* ---- Whose they are ---- */

static uint32_t superclass_of(const struct hprof_shapes *shapes, uint32_t class_number) {
    uint32_t above = shapes->snapshot->class_table[class_number].superclass;
    /* What has fields inherits them from what has some. */
    return above != LOUPE_NONE && hprof_has_fields(shapes->snapshot, above) ? above : LOUPE_NONE;
}

static bool is_named(const struct hprof_shapes *shapes, uint32_t class_number, uint32_t name) {
    const struct loupe_snapshot *snapshot = shapes->snapshot;
    if (snapshot->class_table[class_number].name == name)
        return true;
    struct loupe_span a = loupe_snapshot_class_name(snapshot, class_number),
                      b = loupe_snapshot_string(snapshot, name);
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

static uint32_t own_field(const struct hprof_shapes *shapes, uint32_t class_number,
                          const struct used *used) {
    uint32_t at = shapes->classes[class_number].first_own;
    while (at != LOUPE_NONE) {
        const struct hprof_out_field *field = out_at(shapes, at);
        if (field->label == used->label && field->slot == used->slot &&
            field->is_reference == used->is_reference)
            return at;
        at = field->next;
    }
    return LOUPE_NONE;
}

/* The class that declares a field which instances of a class use. */
static uint32_t owner_of(const struct hprof_shapes *shapes, uint32_t class_number,
                         const struct used *used) {
    uint32_t at = class_number, name = LOUPE_NONE;
    if (used->label != LOUPE_NONE)
        name = shapes->snapshot->native->label_table[used->label].declared_by;
    /* Cap: the note of too many fields. */
    for (unsigned i = 0; at != LOUPE_NONE && i < LOUPE_MOST_SUPERCLASSES; i++) {
        bool owns = used->label == LOUPE_NONE ? own_field(shapes, at, used) != LOUPE_NONE
                                              : name != LOUPE_NONE && is_named(shapes, at, name);
        if (owns)
            return at;
        at = superclass_of(shapes, at);
    }
    return class_number;
}

static enum loupe_status give_to_owner(struct hprof_shapes *shapes, uint32_t class_number,
                                       struct used *used) {
    uint32_t owner = owner_of(shapes, class_number, used);
    struct hprof_class_shape *shape = &shapes->classes[owner];
    used->out = own_field(shapes, owner, used);
    if (used->out != LOUPE_NONE)
        return LOUPE_OK;
    struct hprof_out_field *out = loupe_vector_add(&shapes->out);
    if (!out)
        return LOUPE_ENOMEM;
    used->out = shapes->out.count - 1;
    *out = (struct hprof_out_field){.label = used->label,
                                    .slot = used->slot,
                                    .next = LOUPE_NONE,
                                    .number = shape->own,
                                    .is_reference = used->is_reference};
    if (shape->own)
        out_at(shapes, shape->last_own)->next = used->out;
    else
        shape->first_own = used->out;
    shape->last_own = used->out;
    shape->own++;
    return LOUPE_OK;
}

/* Classes so that none comes before its superclass; those of a circle as they come. */
static void order_classes(const struct hprof_shapes *shapes, uint32_t *order, uint32_t *depths) {
    uint32_t count = shapes->snapshot->class_count, placed = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t depth = 0;
        /* Cap: the note of too many fields. */
        for (uint32_t at = superclass_of(shapes, i);
             at != LOUPE_NONE && depth < LOUPE_MOST_SUPERCLASSES; depth++)
            at = superclass_of(shapes, at);
        depths[i] = depth;
    }
    /* Cap: the note of too many fields. */
    for (uint32_t depth = 0; depth <= LOUPE_MOST_SUPERCLASSES && placed < count; depth++) {
        for (uint32_t i = 0; i < count; i++) {
            if (depths[i] == depth)
                order[placed++] = i;
        }
    }
}

/* Those that something describes first: they may belong to a class that comes before. */
static enum loupe_status give_all(struct hprof_shapes *shapes, const uint32_t *order) {
    enum loupe_status status = LOUPE_OK;
    for (unsigned words = 0; words < 2; words++) {
        for (uint32_t i = 0; i < shapes->snapshot->class_count && !status; i++) {
            uint32_t at = shapes->classes[order[i]].first_used;
            for (uint32_t j = 0; j < shapes->classes[order[i]].used && !status; j++) {
                struct used *used = used_at(shapes, at);
                if ((used->label == LOUPE_NONE) == (words == 1))
                    status = give_to_owner(shapes, order[i], used);
                at = used->next;
            }
        }
    }
    return status;
}

/* ---- Where they stand in an instance ---- */

static uint32_t place_of(const struct hprof_shapes *shapes, uint32_t class_number, uint32_t owner,
                         uint32_t number) {
    uint32_t before = 0;
    /* Cap: the note of too many fields. */
    for (unsigned i = 0; class_number != owner && i < LOUPE_MOST_SUPERCLASSES; i++) {
        before += shapes->classes[class_number].own;
        class_number = superclass_of(shapes, class_number);
    }
    return before + number;
}

static void place_all(struct hprof_shapes *shapes, const uint32_t *order) {
    for (uint32_t i = 0; i < shapes->snapshot->class_count; i++) {
        struct hprof_class_shape *shape = &shapes->classes[order[i]];
        uint32_t above = superclass_of(shapes, order[i]), at = shape->first_used;
        shape->inherited = above == LOUPE_NONE ? 0 : hprof_field_count(shapes, above);
        for (uint32_t j = 0; j < shape->used; j++) {
            struct used *used = used_at(shapes, at);
            uint32_t owner = owner_of(shapes, order[i], used);
            used->place = place_of(shapes, order[i], owner, out_at(shapes, used->out)->number);
            at = used->next;
        }
    }
}

/* ---- All of it ---- */

static enum loupe_status give_and_place(struct hprof_shapes *shapes) {
    uint32_t count = shapes->snapshot->class_count;
    uint32_t *order = loupe_numbers_get(shapes->chunks, count);
    uint32_t *depths = loupe_numbers_get(shapes->chunks, count);
    enum loupe_status status = order && depths ? LOUPE_OK : LOUPE_ENOMEM;
    if (!status) {
        order_classes(shapes, order, depths);
        status = give_all(shapes, order);
    }
    if (!status)
        place_all(shapes, order);
    if (order)
        loupe_numbers_put(shapes->chunks, &order, count);
    if (depths)
        loupe_numbers_put(shapes->chunks, &depths, count);
    return status;
}

static size_t classes_size(const struct hprof_shapes *shapes) {
    return ((size_t)shapes->snapshot->class_count + 1) * sizeof(*shapes->classes);
}

enum loupe_status hprof_shapes_find(const struct loupe_snapshot *snapshot,
                                    const struct loupe_chunk_ops *chunks,
                                    struct hprof_shapes *ret) {
    *ret = (struct hprof_shapes){.snapshot = snapshot, .chunks = chunks};
    ret->classes = loupe_chunk_get(chunks, classes_size(ret));
    if (!ret->classes)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < snapshot->class_count; i++)
        ret->classes[i] = (struct hprof_class_shape){
            .first_used = LOUPE_NONE, .first_own = LOUPE_NONE, .last_own = LOUPE_NONE};
    loupe_vector_init(&ret->used, chunks, sizeof(struct used));
    loupe_vector_init(&ret->out, chunks, sizeof(struct hprof_out_field));
    enum loupe_status status = find_all_used(ret);
    if (!status)
        status = give_and_place(ret);
    if (status)
        hprof_shapes_deinit(ret);
    return status;
}

void hprof_shapes_deinit(struct hprof_shapes *shapes) {
    loupe_vector_deinit(&shapes->used);
    loupe_vector_deinit(&shapes->out);
    loupe_chunk_put(shapes->chunks, shapes->classes, classes_size(shapes));
}

uint32_t hprof_field_of(const struct hprof_shapes *shapes, uint32_t class_number, uint32_t link,
                        uint32_t *cursor) {
    if (!can_be_field(shapes->snapshot->native, link))
        return LOUPE_NONE;
    uint32_t found = find_used(shapes, class_number, link, *cursor);
    if (found == LOUPE_NONE)
        return LOUPE_NONE;
    *cursor = found;
    return used_at(shapes, found)->place;
}
