#include "heap/tables.h"

#include "base/fnv.h"
#include "edges/details/describe.h"
#include "runtime/freed.h"
#include "scene/place_in_image.h"
#include "swift/symbol_names.h"

#include <string.h>

enum { FIRST_TEXT = 1 << 14 };

void loupe_heap_tables_init(struct loupe_heap_tables *tables, struct loupe_target *target) {
    const struct loupe_chunk_ops *chunks = target->chunks;
    *tables = (struct loupe_heap_tables){.target = target, .chunks = chunks};
    loupe_vector_init(&tables->strings, chunks, sizeof(struct loupe_snapshot_string));
    loupe_vector_init(&tables->class_table, chunks, sizeof(struct loupe_snapshot_class));
    loupe_vector_init(&tables->classes, chunks, sizeof(struct loupe_heap_class));
    loupe_vector_init(&tables->labels, chunks, sizeof(struct loupe_label));
    loupe_map_init(&tables->string_index, chunks);
    loupe_map_init(&tables->by_class, chunks);
    loupe_map_init(&tables->by_type, chunks);
    loupe_map_init(&tables->storage_by_class, chunks);
    loupe_map_init(&tables->by_invoke, chunks);
    loupe_map_init(&tables->by_name, chunks);
    loupe_map_init(&tables->label_index, chunks);
    loupe_map_init(&tables->quick_labels, chunks);
    for (unsigned i = 0; i < LOUPE_CLASS_KIND_COUNT; i++)
        tables->plain_classes[i] = LOUPE_NONE;
}

void loupe_heap_tables_deinit(struct loupe_heap_tables *tables) {
    loupe_chunk_put(tables->chunks, tables->text, tables->text_capacity);
    loupe_vector_deinit(&tables->strings);
    loupe_vector_deinit(&tables->class_table);
    loupe_vector_deinit(&tables->classes);
    loupe_vector_deinit(&tables->labels);
    loupe_map_deinit(&tables->string_index);
    loupe_map_deinit(&tables->by_class);
    loupe_map_deinit(&tables->by_type);
    loupe_map_deinit(&tables->storage_by_class);
    loupe_map_deinit(&tables->by_invoke);
    loupe_map_deinit(&tables->by_name);
    loupe_map_deinit(&tables->label_index);
    loupe_map_deinit(&tables->quick_labels);
}

static uint32_t fail(struct loupe_heap_tables *tables) {
    tables->status = LOUPE_ENOMEM;
    return LOUPE_NONE;
}

/* Under which a number is found again. Without memory it is given out once more. */
static uint32_t remember(struct loupe_heap_tables *tables, struct loupe_map *index, uint64_t key,
                         uint32_t number) {
    if (loupe_map_put(index, key, number))
        fail(tables);
    return number;
}

/* ---- Strings ---- */

static bool make_room(struct loupe_heap_tables *tables, size_t length) {
    size_t capacity = tables->text_capacity ? tables->text_capacity : FIRST_TEXT;
    while (capacity - tables->text_size < length)
        capacity *= 2;
    if (capacity > UINT32_MAX)
        return false;
    if (capacity == tables->text_capacity)
        return true;
    char *larger = loupe_chunk_get(tables->chunks, capacity);
    if (!larger)
        return false;
    if (tables->text_size)
        memcpy(larger, tables->text, tables->text_size);
    loupe_chunk_put(tables->chunks, tables->text, tables->text_capacity);
    tables->text = larger;
    tables->text_capacity = capacity;
    return true;
}

static bool is_string(const struct loupe_heap_tables *tables, uint32_t number,
                      struct loupe_span text) {
    const struct loupe_snapshot_string *string =
        loupe_vector_at(&tables->strings, number, sizeof(struct loupe_snapshot_string));
    return string->length == text.length &&
           (!text.length || memcmp(tables->text + string->offset, text.bytes, text.length) == 0);
}

uint32_t loupe_heap_string(struct loupe_heap_tables *tables, struct loupe_span text) {
    uint64_t key = loupe_fnv_span(LOUPE_FNV_BASIS, text);
    uint32_t number;
    if (loupe_map_find(&tables->string_index, key, &number) && is_string(tables, number, text))
        return number;
    struct loupe_snapshot_string *added =
        make_room(tables, text.length) ? loupe_vector_add(&tables->strings) : NULL;
    if (!added)
        return fail(tables);
    *added = (struct loupe_snapshot_string){.offset = (uint32_t)tables->text_size,
                                            .length = (uint32_t)text.length};
    if (text.length)
        memcpy(tables->text + tables->text_size, text.bytes, text.length);
    tables->text_size += text.length;
    return remember(tables, &tables->string_index, key, tables->strings.count - 1);
}

uint32_t loupe_heap_text(struct loupe_heap_tables *tables, const char *text) {
    return text && text[0] ? loupe_heap_string(tables, loupe_span_of(text)) : LOUPE_NONE;
}

/* ---- Classes ---- */

struct loupe_span loupe_heap_class_name(const struct loupe_heap_tables *tables, uint32_t number) {
    const struct loupe_snapshot_string *name =
        loupe_vector_at(&tables->strings, loupe_heap_class_entry(tables, number)->name,
                        sizeof(struct loupe_snapshot_string));
    return (struct loupe_span){.bytes = tables->text + name->offset, .length = name->length};
}

static uint32_t add_class(struct loupe_heap_tables *tables, enum loupe_class_kind kind,
                          const char *name, struct loupe_heap_class about) {
    struct loupe_heap_class *added = loupe_vector_add(&tables->classes);
    struct loupe_snapshot_class *entry = added ? loupe_vector_add(&tables->class_table) : NULL;
    if (!entry)
        return fail(tables);
    *added = about;
    added->is_zombie = kind == LOUPE_CLASS_INSTANCES && about.cls && loupe_freed_is_zombie(name);
    tables->has_zombies |= added->is_zombie;
    uint32_t size = kind == LOUPE_CLASS_INSTANCES && about.cls ? about.cls->instance_size : 0;
    *entry = (struct loupe_snapshot_class){.name = loupe_heap_string(tables, loupe_span_of(name)),
                                           .superclass = LOUPE_NONE,
                                           .node = LOUPE_NO_NODE,
                                           .instance_size = size,
                                           .dump_size = size,
                                           .kind = (uint32_t)kind};
    return tables->class_table.count - 1;
}

static uint32_t add_instances(struct loupe_heap_tables *tables, const struct loupe_class *cls) {
    return remember(tables, &tables->by_class, cls->address,
                    add_class(tables, LOUPE_CLASS_INSTANCES, cls->name,
                              (struct loupe_heap_class){.cls = cls, .place = cls->address}));
}

uint32_t loupe_heap_class_of(struct loupe_heap_tables *tables, const struct loupe_class *cls) {
    uint32_t found = LOUPE_NONE, below = LOUPE_NONE, number;
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level;
    if (loupe_map_find(&tables->by_class, cls->address, &number))
        return number;
    while ((level = loupe_class_chain_next(tables->target, &chain))) {
        bool known = loupe_map_find(&tables->by_class, level->address, &number);
        if (!known)
            number = add_instances(tables, level);
        if (number == LOUPE_NONE)
            return LOUPE_NONE;
        if (below != LOUPE_NONE)
            loupe_heap_class_entry(tables, below)->superclass = number;
        else
            found = number;
        if (known)
            break;
        below = number;
    }
    return found;
}

uint32_t loupe_heap_class_of_object(struct loupe_heap_tables *tables,
                                    const struct loupe_object *object) {
    enum { TYPE_BITS = 16 };
    struct loupe_target *target = tables->target;
    const struct loupe_class *cls = object->cls;
    char name[LOUPE_MAX_CLASS_NAME];
    uint32_t number, own = loupe_heap_class_of(tables, cls), type = 0;
    if (cls->flags & LOUPE_CLASS_MANY_TYPES)
        type = target->abi->type_of_object(target, object->address);
    if (!type || own == LOUPE_NONE)
        return own;
    uint64_t key = cls->address << TYPE_BITS | type;
    if (loupe_map_find(&tables->by_type, key, &number))
        return number;
    target->abi->name_type(target, cls, type, name, sizeof(name));
    number = add_class(tables, LOUPE_CLASS_INSTANCES, name,
                       (struct loupe_heap_class){.cls = cls, .place = cls->address});
    if (number != LOUPE_NONE)
        loupe_heap_class_entry(tables, number)->superclass = own;
    return remember(tables, &tables->by_type, key, number);
}

/* A block is called after its function; in a stripped program by where that stands. */
static void name_block(struct loupe_heap_tables *tables, loupe_addr invoke, char *dst, size_t cap) {
    char symbol[LOUPE_MAX_PATH];
    uint64_t offset;
    bool named = invoke &&
                 loupe_memory_name_address(tables->target->memory, invoke, symbol, sizeof(symbol),
                                           &offset) &&
                 offset == 0;
    if (!named && invoke)
        named = loupe_place_in_image(tables->target->memory, invoke, symbol, sizeof(symbol));
    loupe_format(dst, cap, named ? "block %s" : "block", symbol);
}

uint32_t loupe_heap_class_of_block(struct loupe_heap_tables *tables, const struct loupe_class *cls,
                                   loupe_addr invoke) {
    char name[LOUPE_MAX_PATH + 8];
    uint32_t number, own = cls ? loupe_heap_class_of(tables, cls) : LOUPE_NONE;
    if (loupe_map_find(&tables->by_invoke, invoke, &number))
        return number;
    name_block(tables, invoke, name, sizeof(name));
    number = add_class(tables, LOUPE_CLASS_BLOCKS, name,
                       (struct loupe_heap_class){.cls = cls, .place = invoke});
    if (number != LOUPE_NONE)
        loupe_heap_class_entry(tables, number)->superclass = own;
    return remember(tables, &tables->by_invoke, invoke, number);
}

/* "closure #1 in Screen.bind()", or where its code is. False: not known. */
static bool name_closure(const struct loupe_heap_tables *tables, loupe_addr code, char *dst,
                         size_t cap) {
    const struct loupe_memory *memory = tables->target->memory;
    char symbol[LOUPE_MAX_PATH], place[LOUPE_MAX_PATH];
    uint64_t offset;
    if (!code)
        return false;
    if (loupe_memory_name_address(memory, code, symbol, sizeof(symbol), &offset) && offset == 0) {
        if (loupe_swift_closure_name(symbol, dst, cap))
            return true;
        if (loupe_swift_is_thunk(symbol)) {
            loupe_format(dst, cap, "closure that calls another");
            return true;
        }
    }
    if (!loupe_place_in_image(memory, code, place, sizeof(place)))
        return false;
    loupe_format(dst, cap, "closure %s", place);
    return true;
}

/* The function that was written; what a closure's word leads to may only pass its context on. */
static loupe_addr written_function(const struct loupe_heap_tables *tables, loupe_addr code) {
    const struct loupe_memory *memory = tables->target->memory;
    char symbol[LOUPE_MAX_PATH];
    uint64_t offset;
    loupe_addr found;
    if (!code || !loupe_memory_name_address(memory, code, symbol, sizeof(symbol), &offset) ||
        offset)
        return code;
    size_t length = loupe_swift_symbol_length(symbol);
    if (!symbol[length])
        return code;
    symbol[length] = '\0';
    return loupe_memory_find_symbol(memory, symbol, &found) ? code : found;
}

uint32_t loupe_heap_class_of_closure(struct loupe_heap_tables *tables, loupe_addr code) {
    char name[LOUPE_MAX_PATH + 16];
    uint32_t number;
    bool ignored;
    if (loupe_map_find(&tables->by_invoke, code, &number))
        return number;
    if (!name_closure(tables, code, name, sizeof(name)))
        return remember(tables, &tables->by_invoke, code,
                        loupe_heap_class_called(tables, "closure context", &ignored));
    loupe_addr function = written_function(tables, code);
    return remember(tables, &tables->by_invoke, code,
                    add_class(tables, LOUPE_CLASS_RAW, name,
                              (struct loupe_heap_class){.cls = NULL, .place = function}));
}

uint32_t loupe_heap_class_of_storage(struct loupe_heap_tables *tables,
                                     const struct loupe_class *cls) {
    char name[LOUPE_MAX_CLASS_NAME + 16];
    uint32_t number;
    if (loupe_map_find(&tables->storage_by_class, cls->address, &number))
        return number;
    loupe_format(name, sizeof(name), "%s (storage)", cls->name);
    return remember(
        tables, &tables->storage_by_class, cls->address,
        add_class(tables, LOUPE_CLASS_STORAGE, name, (struct loupe_heap_class){.cls = NULL}));
}

uint32_t loupe_heap_raw_class(struct loupe_heap_tables *tables, const char *name) {
    return add_class(tables, LOUPE_CLASS_RAW, name, (struct loupe_heap_class){.cls = NULL});
}

uint32_t loupe_heap_class_called(struct loupe_heap_tables *tables, const char *name, bool *is_new) {
    uint32_t string = loupe_heap_string(tables, loupe_span_of(name)), number;
    *is_new = false;
    if (string == LOUPE_NONE || loupe_map_find(&tables->by_name, string, &number))
        return string == LOUPE_NONE ? LOUPE_NONE : number;
    *is_new = true;
    return remember(tables, &tables->by_name, string, loupe_heap_raw_class(tables, name));
}

enum loupe_status loupe_heap_class_like(struct loupe_heap_tables *tables, uint32_t number,
                                        const char *behind, uint32_t *ret) {
    enum { MOST_NAME = 2048 + 16 }; /* of a class of C++, and what stands behind it */
    char name[MOST_NAME];
    struct loupe_span of = loupe_heap_class_name(tables, number);
    bool ignored;
    loupe_format(name, sizeof(name), "%.*s%s", (int)of.length, of.bytes, behind);
    *ret = loupe_heap_class_called(tables, name, &ignored);
    return *ret == LOUPE_NONE ? LOUPE_ENOMEM : LOUPE_OK;
}

uint32_t loupe_heap_plain_class(struct loupe_heap_tables *tables, enum loupe_class_kind kind) {
    static const char *const names[LOUPE_CLASS_KIND_COUNT] = {
        [LOUPE_CLASS_INSTANCES] = "(object)",      [LOUPE_CLASS_BLOCKS] = "block",
        [LOUPE_CLASS_BYREFS] = "__block variable", [LOUPE_CLASS_RAW] = "(raw memory)",
        [LOUPE_CLASS_STORAGE] = "(storage)",       [LOUPE_CLASS_RUNTIME] = "(runtime)"};
    uint32_t *number = &tables->plain_classes[kind];
    if (*number == LOUPE_NONE)
        *number = add_class(tables, kind, names[kind], (struct loupe_heap_class){.cls = NULL});
    return *number;
}

/* ---- Labels ---- */

/* Elements beyond so many different labels are not named by their keys. */
enum { MOST_KEYED_LABELS = 1 << 18 };

static uint32_t add_label(struct loupe_heap_tables *tables, const struct loupe_label *label) {
    uint64_t key = loupe_fnv_bytes(LOUPE_FNV_BASIS, label, sizeof(*label));
    uint32_t number;
    if (loupe_map_find(&tables->label_index, key, &number) &&
        memcmp(loupe_vector_at(&tables->labels, number, sizeof(*label)), label, sizeof(*label)) ==
            0)
        return number;
    struct loupe_label *added = loupe_vector_add(&tables->labels);
    if (!added)
        return fail(tables);
    *added = *label;
    return remember(tables, &tables->label_index, key, tables->labels.count - 1);
}

static uint8_t flags_of(const struct loupe_edge *edge, const struct loupe_edge_label *about,
                        bool indexed) {
    bool assumed = edge->ownership == LOUPE_ASSUMED || edge->ownership == LOUPE_DECLARED;
    unsigned flags = (assumed ? LOUPE_LABEL_ASSUMED : 0) |
                     (edge->ownership == LOUPE_DECLARED ? LOUPE_LABEL_DECLARED : 0) |
                     (about->manual ? LOUPE_LABEL_MANUAL : 0) |
                     (edge->shared ? LOUPE_LABEL_SHARED : 0) | (indexed ? LOUPE_LABEL_INDEXED : 0) |
                     (about->has_offset ? LOUPE_LABEL_HAS_OFFSET : 0);
    return (uint8_t)flags;
}

static uint32_t label_of(struct loupe_heap_tables *tables, const struct loupe_edge *edge,
                         const struct loupe_edge_label *about, enum loupe_doubt doubt,
                         bool indexed) {
    struct loupe_label label;
    memset(&label, 0, sizeof(label)); /* it is hashed and written as it stands */
    label.name = loupe_heap_text(tables, about->name);
    label.path = loupe_heap_text(tables, about->path);
    label.declared_by = loupe_heap_text(tables, about->declared_by);
    label.assumption = loupe_heap_text(
        tables, loupe_owns_nothing(edge) ? loupe_nonowning_reason(edge) : about->assumption);
    label.doubt = loupe_heap_text(tables, about->doubt);
    label.evidence = loupe_heap_text(tables, about->evidence);
    label.kind = edge->kind;
    label.flags = flags_of(edge, about, indexed);
    label.doubts = (uint8_t)doubt;
    return add_label(tables, &label);
}

/* Where the key of an element stands; 0: it has none. */
static loupe_addr key_of(const struct loupe_slot_group *group, loupe_addr slot, uint32_t number) {
    if (group->chains)
        return group->key_in_node ? slot - group->slot_in_node + group->key_in_node : 0;
    return group->keys ? group->keys + (loupe_addr)(number - group->start) * group->key_stride : 0;
}

/* Elements of a group that have no names of their own share a label. */
static uint32_t label_of_element(struct loupe_heap_tables *tables, struct loupe_walk *walk,
                                 const struct loupe_edge *edge,
                                 const struct loupe_slot_group *group, loupe_addr slot) {
    bool indexed = group->ordered && !group->name;
    struct loupe_group_slot place = {.address = slot, .key = key_of(group, slot, edge->offset)};
    struct loupe_edge_label about;
    memset(&about, 0, sizeof(about));
    if (place.key && tables->labels.count >= MOST_KEYED_LABELS) {
        place.key = 0;
        tables->unnamed++;
    }
    if (!indexed || place.key)
        loupe_container_name_slot(walk, group, &place, edge->offset, &about);
    if (indexed && !about.name[0])
        about.path[0] = '\0';
    return label_of(tables, edge, &about, LOUPE_NO_DOUBT, indexed && !about.name[0]);
}

/* One number for all references of objects of a class that are called the same. */
static uint64_t quick_key(const struct loupe_node *from, const struct loupe_edge *edge) {
    uint64_t what = (uint64_t)from->tag << 32 | edge->offset;
    uint64_t how = (uint64_t)edge->detail << 32 | (uint64_t)edge->source << 24 |
                   (uint64_t)edge->kind << 16 | (uint64_t)edge->ownership << 8 | edge->shared;
    return loupe_hash(what) ^ loupe_hash(~how);
}

static bool is_of_shape(const struct loupe_edge *edge) {
    return edge->kind == LOUPE_EDGE_IVAR || edge->kind == LOUPE_EDGE_CAPTURE ||
           edge->kind == LOUPE_EDGE_BYREF;
}

uint32_t loupe_heap_label(struct loupe_heap_tables *tables, struct loupe_walk *walk,
                          struct loupe_node from, const struct loupe_edge *edge,
                          const struct loupe_slot_group *group, loupe_addr slot) {
    struct loupe_edge_label about;
    bool by_shape = !group && edge->source != LOUPE_FACT_SOURCE && is_of_shape(edge);
    uint64_t key = quick_key(&from, edge);
    uint32_t number;
    if (group)
        return label_of_element(tables, walk, edge, group, slot);
    if (by_shape && loupe_map_find(&tables->quick_labels, key, &number))
        return number;
    enum loupe_doubt doubt = loupe_describe_reference(walk, from, edge, &about);
    number = label_of(tables, edge, &about, doubt, false);
    return by_shape ? remember(tables, &tables->quick_labels, key, number) : number;
}

static struct loupe_label plain_label(enum loupe_edge_kind kind) {
    struct loupe_label label;
    memset(&label, 0, sizeof(label)); /* it is hashed and written as it stands */
    label.name = label.path = label.declared_by = LOUPE_NONE;
    label.assumption = label.doubt = label.evidence = LOUPE_NONE;
    label.kind = (uint8_t)kind;
    return label;
}

static uint32_t shared_ptr_label(struct loupe_heap_tables *tables, const char *path) {
    struct loupe_label label = plain_label(LOUPE_EDGE_SHARED_PTR);
    label.path = loupe_heap_text(tables, path);
    return add_label(tables, &label);
}

uint32_t loupe_heap_pointer_label(struct loupe_heap_tables *tables) {
    return shared_ptr_label(tables, NULL);
}

uint32_t loupe_heap_shared_ptr_label(struct loupe_heap_tables *tables, uint64_t offset) {
    char path[LOUPE_MAX_PATH];
    loupe_format(path, sizeof(path), "+%llu", (unsigned long long)offset);
    return shared_ptr_label(tables, path);
}

uint32_t loupe_heap_control_label(struct loupe_heap_tables *tables) {
    return shared_ptr_label(tables, "control block");
}

/* With the line that it was written in, where debug information has that. */
static uint32_t closure_text(struct loupe_heap_tables *tables, loupe_addr code) {
    char name[LOUPE_MAX_PATH], file[LOUPE_MAX_PATH], text[2 * LOUPE_MAX_PATH];
    uint32_t line;
    if (!name_closure(tables, code, name, sizeof(name)))
        return LOUPE_NONE;
    if (!loupe_memory_line_of_address(tables->target->memory, written_function(tables, code), file,
                                      sizeof(file), &line))
        return loupe_heap_text(tables, name);
    const char *slash = loupe_find_last_char(file, '/');
    loupe_format(text, sizeof(text), "%s at %s:%u", name, slash ? slash + 1 : file, line);
    return loupe_heap_text(tables, text);
}

uint32_t loupe_heap_swift_label(struct loupe_heap_tables *tables,
                                const struct loupe_heap_swift_label *about) {
    struct loupe_label label =
        plain_label(about->is_captured ? LOUPE_EDGE_CAPTURE : LOUPE_EDGE_IVAR);
    label.name = label.path = loupe_heap_text(tables, about->name);
    label.flags = about->is_numbered ? LOUPE_LABEL_INDEXED : LOUPE_LABEL_HAS_OFFSET;
    if (about->is_part)
        label.flags |= LOUPE_LABEL_PART;
    if (about->is_element)
        label.kind = LOUPE_EDGE_ELEMENT;
    if (about->closure)
        label.declared_by = closure_text(tables, about->closure);
    return add_label(tables, &label);
}

uint32_t loupe_heap_ivar_label(struct loupe_heap_tables *tables, uint32_t number) {
    struct loupe_label label =
        *(const struct loupe_label *)loupe_vector_at(&tables->labels, number, sizeof(label));
    if (label.kind != LOUPE_EDGE_CAPTURE || label.declared_by != LOUPE_NONE)
        return number;
    label.kind = LOUPE_EDGE_IVAR;
    return add_label(tables, &label);
}
