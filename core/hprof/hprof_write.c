#include "hprof/hprof_write.h"

#include "base/text.h"
#include "hprof/hprof_output.h"
#include "hprof/hprof_own.h"
#include "hprof/hprof_shapes.h"
#include "snapshot/values/native_names.h"

#include <string.h>

enum { MOST_FILE_NAME = 256, ID_SIZE = 8, WORD = 8, NO_STACK = 1, NO_FRAME = -1 };

/* What a dump has to have of Java, and what is ours; ids are odd, as no object's is. */
enum own_class {
    OWN_TOP, /* java.lang.Object */
    OWN_CLASS,
    OWN_STRING,
    OWN_THREAD,
    OWN_BYTES,
    OWN_ARRAYS,
    OWN_REFERENCE, /* VisualVM does not work without it and the four that inherit from it */
    OWN_WEAK,
    OWN_SOFT,
    OWN_FINAL,
    OWN_PHANTOM,
    OWN_SYSTEM, /* VisualVM looks into its properties, which are none */
    OWN_PROPERTIES,
    OWN_ALL, /* loupe.Object */
    OWN_COUNT
};

/* Names that are no strings of the snapshot, behind those of our classes. */
enum own_string {
    OWN_VALUE = OWN_COUNT,
    OWN_NAME,
    OWN_REFERENT,
    OWN_PROPS,
    OWN_TABLE,
    OWN_RETAINS,
    OWN_SIZE,
    OWN_ELEMENTS,
    OWN_STRINGS
};

static const char *const own_strings[OWN_STRINGS] = {
    [OWN_TOP] = "java/lang/Object",
    [OWN_CLASS] = "java/lang/Class",
    [OWN_STRING] = "java/lang/String",
    [OWN_THREAD] = "java/lang/Thread",
    [OWN_BYTES] = "[B",
    [OWN_ARRAYS] = "[Ljava/lang/Object;",
    [OWN_REFERENCE] = "java/lang/ref/Reference",
    [OWN_WEAK] = "java/lang/ref/WeakReference",
    [OWN_SOFT] = "java/lang/ref/SoftReference",
    [OWN_FINAL] = "java/lang/ref/FinalReference",
    [OWN_PHANTOM] = "java/lang/ref/PhantomReference",
    [OWN_SYSTEM] = "java/lang/System",
    [OWN_PROPERTIES] = "java/util/Properties",
    [OWN_ALL] = LOUPE_HPROF_TOP_CLASS,
    [OWN_VALUE] = "value",
    [OWN_NAME] = "name",
    [OWN_REFERENT] = "referent",
    [OWN_PROPS] = "props",
    [OWN_TABLE] = "table",
    [OWN_RETAINS] = LOUPE_HPROF_RETAINS_FIELD,
    [OWN_SIZE] = LOUPE_HPROF_SIZE_FIELD,
    [OWN_ELEMENTS] = LOUPE_HPROF_ARRAY_FIELD,
};

enum { LEAST_ODD_ID = 1, OWN_FIELD_BYTES = 4 + 8 + ID_SIZE };

struct dump {
    const struct loupe_snapshot *snapshot;
    struct hprof_shapes shapes;
    struct hprof_output *out;
    uint64_t *values; /* of an instance's fields */
    uint32_t most_fields;
    uint64_t field_names; /* id of the string of the first field */
};

/* ---- Ids ---- */

static uint64_t own_id(unsigned number) {
    return LEAST_ODD_ID + 2 * (uint64_t)number;
}

static uint64_t own_string_id(unsigned number) {
    return 1 + (uint64_t)number;
}

static uint64_t class_name_id(uint32_t class_number) {
    return own_string_id(OWN_STRINGS) + class_number;
}

/* A thread has three objects: itself, its name, and the bytes of that. */
static uint64_t thread_id(const struct dump *dump, uint32_t thread, unsigned part) {
    return own_id(OWN_COUNT + dump->snapshot->class_count + 3 * thread + part);
}

/* The properties of the system, and the array of them. */
static uint64_t properties_id(const struct dump *dump, unsigned part) {
    return thread_id(dump, dump->snapshot->thread_count, part);
}

static bool is_class_object(const struct dump *dump, uint32_t node) {
    return loupe_snapshot_class_at(dump->snapshot, node) != LOUPE_NONE;
}

static uint64_t class_id(const struct dump *dump, uint32_t number) {
    uint32_t node = dump->snapshot->class_table[number].node;
    if (node != LOUPE_NO_NODE && loupe_snapshot_class_at(dump->snapshot, node) == number)
        return loupe_snapshot_address(dump->snapshot, node);
    return own_id(OWN_COUNT + number);
}

static uint64_t elements_id(const struct dump *dump, uint32_t node) {
    return loupe_snapshot_address(dump->snapshot, node) | 1;
}

/* ---- Names ---- */

/* " (Feed.m:42)": where the blocks of a class are written, if that is known. */
static size_t put_place(const struct loupe_snapshot *snapshot, uint32_t class_number, char *dst,
                        size_t cap) {
    struct loupe_written written = {.file = ""};
    if (!loupe_native_class_written(snapshot, class_number, &written) || !*written.file)
        return 0;
    const char *name = written.file;
    for (const char *at = name; *at; at++)
        name = *at == '/' ? at + 1 : name;
    return loupe_format(dst, cap, " (%.*s:%u)", MOST_FILE_NAME, name, (unsigned)written.line);
}

static void put_class_name(struct dump *dump, uint32_t number) {
    char name[1024];
    struct loupe_span span = loupe_snapshot_class_name(dump->snapshot, number);
    int length = span.length < sizeof(name) / 2 ? (int)span.length : (int)sizeof(name) / 2;
    bool is_array = !hprof_has_fields(dump->snapshot, number);
    size_t used =
        loupe_format(name, sizeof(name), is_array ? "[L%.*s;" : "%.*s", length, span.bytes);
    used += put_place(dump->snapshot, number, name + used, sizeof(name) - used);
    hprof_put_string(dump->out, class_name_id(number), (struct loupe_span){name, used});
}

/* Of a field that something describes. */
static struct loupe_span label_name(const struct dump *dump, uint32_t class_number,
                                    const struct hprof_out_field *field) {
    const struct loupe_label *label = &dump->snapshot->native->label_table[field->label];
    const char *captured =
        label->kind == LOUPE_EDGE_CAPTURE
            ? loupe_native_class_capture(dump->snapshot, class_number, field->slot)
            : NULL;
    return captured ? loupe_span_of(captured) : loupe_snapshot_string(dump->snapshot, label->path);
}

static void put_field_name(struct dump *dump, uint32_t class_number, uint32_t number) {
    const struct hprof_out_field *field = hprof_out_field(&dump->shapes, number);
    char offset[24];
    struct loupe_span name = {"", 0};
    if (field->label != LOUPE_NONE)
        name = label_name(dump, class_number, field);
    if (!name.length)
        name = (struct loupe_span){
            offset, loupe_format(offset, sizeof(offset), "+%u", (unsigned)field->slot)};
    hprof_put_string(dump->out, dump->field_names + number, name);
}

static void put_names(struct dump *dump) {
    /* Cap: all of a table. */
    for (unsigned i = 0; i < OWN_STRINGS; i++)
        hprof_put_string(dump->out, own_string_id(i), loupe_span_of(own_strings[i]));
    for (uint32_t i = 0; i < dump->snapshot->class_count; i++)
        put_class_name(dump, i);
    dump->field_names = class_name_id(dump->snapshot->class_count);
    for (uint32_t i = 0; i < dump->snapshot->class_count; i++) {
        uint32_t at = dump->shapes.classes[i].first_own;
        for (uint32_t j = 0; j < dump->shapes.classes[i].own; j++) {
            put_field_name(dump, i, at);
            at = hprof_out_field(&dump->shapes, at)->next;
        }
    }
}

static void put_loaded_class(struct dump *dump, uint32_t serial, uint64_t id, uint64_t name) {
    hprof_put_record(dump->out, HPROF_LOAD_CLASS, 4 + ID_SIZE + 4 + ID_SIZE);
    hprof_put_u4(dump->out, serial);
    hprof_put_u8(dump->out, id);
    hprof_put_u4(dump->out, NO_STACK);
    hprof_put_u8(dump->out, name);
}

static void put_loaded_classes(struct dump *dump) {
    for (unsigned i = 0; i < OWN_COUNT; i++)
        put_loaded_class(dump, 1 + i, own_id(i), own_string_id(i));
    for (uint32_t i = 0; i < dump->snapshot->class_count; i++)
        put_loaded_class(dump, 1 + OWN_COUNT + i, class_id(dump, i), class_name_id(i));
}

/* ---- Threads ---- */

/* Trace 1 stands for none, as in dumps of HotSpot. */
static void put_traces(struct dump *dump) {
    for (uint32_t i = 0; i <= dump->snapshot->thread_count; i++) {
        hprof_put_record(dump->out, HPROF_TRACE, 12);
        hprof_put_u4(dump->out, NO_STACK + i);
        hprof_put_u4(dump->out, i);
        hprof_put_u4(dump->out, 0);
    }
}

static void put_thread_root(struct dump *dump, uint32_t thread) {
    hprof_put_object(dump->out, HPROF_ROOT_THREAD_OBJECT, 1 + ID_SIZE + 8);
    hprof_put_u8(dump->out, thread_id(dump, thread, 0));
    hprof_put_u4(dump->out, thread + 1);
    hprof_put_u4(dump->out, NO_STACK + thread + 1);
}

static void put_instance_of(struct dump *dump, uint64_t id, enum own_class of, uint64_t value) {
    hprof_put_object(dump->out, HPROF_INSTANCE, 1 + 2 * ID_SIZE + 8 + ID_SIZE);
    hprof_put_u8(dump->out, id);
    hprof_put_u4(dump->out, NO_STACK);
    hprof_put_u8(dump->out, own_id(of));
    hprof_put_u4(dump->out, ID_SIZE);
    hprof_put_u8(dump->out, value);
}

static void put_thread(struct dump *dump, uint32_t thread) {
    enum { MOST_TEXT = 256 };
    const struct loupe_snapshot_thread *about = &dump->snapshot->threads[thread];
    char number[40];
    struct loupe_span name = loupe_snapshot_string(dump->snapshot, about->name);
    if (!name.length)
        name = (struct loupe_span){
            number, loupe_format(number, sizeof(number), "thread %u", (unsigned)about->serial)};
    uint32_t length = name.length < MOST_TEXT ? (uint32_t)name.length : MOST_TEXT;
    put_instance_of(dump, thread_id(dump, thread, 0), OWN_THREAD, thread_id(dump, thread, 1));
    put_instance_of(dump, thread_id(dump, thread, 1), OWN_STRING, thread_id(dump, thread, 2));
    hprof_put_object(dump->out, HPROF_PRIMITIVE_ARRAY, 1 + ID_SIZE + 9 + length);
    hprof_put_u8(dump->out, thread_id(dump, thread, 2));
    hprof_put_u4(dump->out, NO_STACK);
    hprof_put_u4(dump->out, length);
    hprof_put_u1(dump->out, LOUPE_VALUE_BYTE);
    hprof_put_bytes(dump->out, name.bytes, length);
}

/* ---- Roots ---- */

static void put_root(struct dump *dump, const struct loupe_snapshot_root *root, uint64_t slot) {
    struct hprof_output *out = dump->out;
    uint64_t id = loupe_snapshot_address(dump->snapshot, root->node);
    uint32_t serial = root->thread < dump->snapshot->thread_count ? root->thread + 1 : 0;
    switch (root->kind) {
    case LOUPE_ROOT_GLOBAL:
    case LOUPE_ROOT_GIVEN:
        hprof_put_object(out, HPROF_ROOT_JNI_GLOBAL, 1 + 2 * ID_SIZE);
        hprof_put_u8(out, id);
        hprof_put_u8(out, slot);
        return;
    case LOUPE_ROOT_STACK:
    case LOUPE_ROOT_REGISTER:
    case LOUPE_ROOT_THREAD_LOCAL:
    case LOUPE_ROOT_POOL:
        hprof_put_object(out,
                         root->kind == LOUPE_ROOT_STACK || root->kind == LOUPE_ROOT_REGISTER
                             ? HPROF_ROOT_JAVA_FRAME
                             : HPROF_ROOT_JNI_LOCAL,
                         1 + ID_SIZE + 8);
        hprof_put_u8(out, id);
        hprof_put_u4(out, serial);
        hprof_put_u4(out, (uint32_t)NO_FRAME);
        return;
    default:
        hprof_put_object(out, HPROF_ROOT_UNKNOWN, 1 + ID_SIZE);
        hprof_put_u8(out, id);
    }
}

/* Before the objects: a file that is cut off still has them. */
static void put_roots(struct dump *dump) {
    const struct loupe_snapshot *snapshot = dump->snapshot;
    for (uint32_t i = 0; i < snapshot->thread_count; i++)
        put_thread_root(dump, i);
    for (uint32_t i = 0; i < snapshot->columns.root_count; i++)
        put_root(dump, &snapshot->roots[i],
                 snapshot->native->root_places ? snapshot->native->root_places[i].slot : 0);
    for (unsigned i = 0; i < OWN_COUNT; i++) {
        hprof_put_object(dump->out, HPROF_ROOT_STICKY_CLASS, 1 + ID_SIZE);
        hprof_put_u8(dump->out, own_id(i));
    }
}

/* ---- Classes ---- */

struct class_dump {
    uint64_t id, super;
    uint32_t instance_size, statics, fields;
};

enum { STATIC_SIZE = 2 * ID_SIZE + 1, FIELD_SIZE = ID_SIZE + 1 };

/* Up to the static fields. */
static void begin_class(struct dump *dump, const struct class_dump *about) {
    struct hprof_output *out = dump->out;
    hprof_put_object(out, HPROF_CLASS,
                     1 + 7 * ID_SIZE + 8 + 2 + 2 + (uint64_t)about->statics * STATIC_SIZE + 2 +
                         (uint64_t)about->fields * FIELD_SIZE);
    hprof_put_u8(out, about->id);
    hprof_put_u4(out, NO_STACK);
    hprof_put_u8(out, about->super);
    hprof_put_zeros(out, 5 * ID_SIZE);
    hprof_put_u4(out, about->instance_size);
    hprof_put_u2(out, 0);
    hprof_put_u2(out, (uint16_t)about->statics);
}

static void put_field(struct dump *dump, uint64_t name, enum loupe_value_type type) {
    hprof_put_u8(dump->out, name);
    hprof_put_u1(dump->out, (uint8_t)type);
}

/* The one field of a class of Java; 0: it has none. */
static unsigned only_field(enum own_class number) {
    return number == OWN_STRING       ? OWN_VALUE
           : number == OWN_THREAD     ? OWN_NAME
           : number == OWN_REFERENCE  ? OWN_REFERENT
           : number == OWN_PROPERTIES ? OWN_TABLE
                                      : 0;
}

static void put_own_class(struct dump *dump, enum own_class number) {
    struct class_dump about = {.id = own_id(number)};
    about.super = number == OWN_TOP                             ? 0
                  : number >= OWN_WEAK && number <= OWN_PHANTOM ? own_id(OWN_REFERENCE)
                                                                : own_id(OWN_TOP);
    about.fields = number == OWN_ALL ? 3 : only_field(number) != 0;
    about.instance_size = number == OWN_ALL ? OWN_FIELD_BYTES : about.fields * ID_SIZE;
    about.statics = number == OWN_SYSTEM;
    begin_class(dump, &about);
    if (number == OWN_SYSTEM) {
        put_field(dump, own_string_id(OWN_PROPS), LOUPE_VALUE_OBJECT);
        hprof_put_u8(dump->out, properties_id(dump, 0));
    }
    hprof_put_u2(dump->out, (uint16_t)about.fields);
    if (only_field(number))
        put_field(dump, own_string_id(only_field(number)), LOUPE_VALUE_OBJECT);
    if (number == OWN_ALL) {
        put_field(dump, own_string_id(OWN_RETAINS), LOUPE_VALUE_INT);
        put_field(dump, own_string_id(OWN_SIZE), LOUPE_VALUE_LONG);
        put_field(dump, own_string_id(OWN_ELEMENTS), LOUPE_VALUE_OBJECT);
    }
}

static bool keeps_alive(const struct loupe_snapshot *snapshot, uint32_t link) {
    uint8_t kind = snapshot->columns.kinds[link];
    return kind != LOUPE_LINK_WEAK && kind != LOUPE_LINK_UNOWNED;
}

/* What a class object refers to: one static field each, all named after what they are. */
static uint32_t static_count(const struct dump *dump, uint32_t node) {
    const struct loupe_columns *columns = &dump->snapshot->columns;
    uint32_t count = 0;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++)
        count += keeps_alive(dump->snapshot, link) && count < UINT16_MAX;
    return count;
}

static void put_statics(struct dump *dump, uint32_t node, uint32_t count) {
    const struct loupe_snapshot *snapshot = dump->snapshot;
    uint32_t link = snapshot->columns.first[node];
    for (uint32_t i = 0; i < count; link++) {
        if (!keeps_alive(snapshot, link))
            continue;
        hprof_put_u8(dump->out, own_string_id(OWN_ELEMENTS));
        hprof_put_u1(dump->out, LOUPE_VALUE_OBJECT);
        hprof_put_u8(dump->out, loupe_snapshot_address(snapshot, snapshot->columns.to[link]));
        i++;
    }
}

static uint64_t superclass_id(const struct dump *dump, uint32_t number) {
    const struct loupe_snapshot *snapshot = dump->snapshot;
    uint32_t above = snapshot->class_table[number].superclass;
    if (!hprof_has_fields(snapshot, number))
        return own_id(OWN_TOP);
    return above != LOUPE_NONE && hprof_has_fields(snapshot, above) ? class_id(dump, above)
                                                                    : own_id(OWN_ALL);
}

static uint64_t data_size(const struct dump *dump, uint32_t class_number) {
    return (uint64_t)hprof_field_count(&dump->shapes, class_number) * WORD + OWN_FIELD_BYTES;
}

static void put_class(struct dump *dump, uint32_t number) {
    const struct loupe_snapshot_class *entry = &dump->snapshot->class_table[number];
    const struct hprof_class_shape *shape = &dump->shapes.classes[number];
    struct class_dump about = {.id = class_id(dump, number), .super = superclass_id(dump, number)};
    bool is_node = about.id != own_id(OWN_COUNT + number);
    about.fields = shape->own;
    about.statics = is_node ? static_count(dump, entry->node) : 0;
    if (hprof_has_fields(dump->snapshot, number))
        about.instance_size =
            entry->instance_size ? entry->instance_size : (uint32_t)data_size(dump, number);
    begin_class(dump, &about);
    if (is_node)
        put_statics(dump, entry->node, about.statics);
    hprof_put_u2(dump->out, (uint16_t)about.fields);
    uint32_t at = shape->first_own;
    for (uint32_t i = 0; i < about.fields; i++) {
        const struct hprof_out_field *field = hprof_out_field(&dump->shapes, at);
        put_field(dump, dump->field_names + at,
                  field->is_reference ? LOUPE_VALUE_OBJECT : LOUPE_VALUE_LONG);
        at = field->next;
    }
}

static void put_classes(struct dump *dump) {
    for (unsigned i = 0; i < OWN_COUNT; i++)
        put_own_class(dump, (enum own_class)i);
    for (uint32_t i = 0; i < dump->snapshot->class_count; i++)
        put_class(dump, i);
}

/* ---- Objects ---- */

static void put_array_head(struct dump *dump, uint64_t id, uint32_t count, uint64_t of) {
    hprof_put_object(dump->out, HPROF_OBJECT_ARRAY,
                     1 + 2 * ID_SIZE + 8 + (uint64_t)count * ID_SIZE);
    hprof_put_u8(dump->out, id);
    hprof_put_u4(dump->out, NO_STACK);
    hprof_put_u4(dump->out, count);
    hprof_put_u8(dump->out, of);
}

/*
 * Memory word by word: nil but where a link stands. Those out of order, or behind its end, follow
 * it, so that none is lost.
 */
static void put_memory(struct dump *dump, uint32_t node) {
    enum { MOST_WORDS = 1 << 28 };
    const struct loupe_snapshot *snapshot = dump->snapshot;
    const struct loupe_columns *columns = &snapshot->columns;
    uint64_t size = loupe_columns_size(columns, node);
    uint32_t words = size / WORD < MOST_WORDS ? (uint32_t)(size / WORD) : MOST_WORDS;
    uint32_t at = 0, late = 0;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        uint32_t word = snapshot->native->slots[link] / WORD;
        bool fits = word >= at && word < words;
        late += !fits && keeps_alive(snapshot, link);
        at = fits ? word + 1 : at;
    }
    put_array_head(dump, loupe_snapshot_address(snapshot, node), words + late,
                   class_id(dump, snapshot->classes[node]));
    at = 0;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        uint32_t word = snapshot->native->slots[link] / WORD;
        if (word < at || word >= words)
            continue;
        hprof_put_zeros(dump->out, (uint64_t)(word - at) * WORD);
        hprof_put_u8(dump->out, keeps_alive(snapshot, link)
                                    ? loupe_snapshot_address(snapshot, columns->to[link])
                                    : 0);
        at = word + 1;
    }
    hprof_put_zeros(dump->out, (uint64_t)(words - at) * WORD);
    at = 0;
    for (uint32_t link = columns->first[node]; late; link++) {
        uint32_t word = snapshot->native->slots[link] / WORD;
        bool fits = word >= at && word < words;
        at = fits ? word + 1 : at;
        if (fits || !keeps_alive(snapshot, link))
            continue;
        hprof_put_u8(dump->out, loupe_snapshot_address(snapshot, columns->to[link]));
        late--;
    }
}

/* Fills dump->values, and returns how many links are in no field. */
static uint32_t take_values(struct dump *dump, uint32_t node, uint32_t fields) {
    const struct loupe_snapshot *snapshot = dump->snapshot;
    const struct loupe_columns *columns = &snapshot->columns;
    uint32_t cursor = LOUPE_NONE, others = 0;
    memset(dump->values, 0, (size_t)fields * sizeof(*dump->values));
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        uint32_t place = hprof_field_of(&dump->shapes, snapshot->classes[node], link, &cursor);
        if (place < fields && !dump->values[place])
            dump->values[place] = loupe_snapshot_address(snapshot, columns->to[link]);
        else
            others += keeps_alive(snapshot, link);
    }
    return others;
}

static void put_others(struct dump *dump, uint32_t node, uint32_t fields, uint32_t others) {
    const struct loupe_snapshot *snapshot = dump->snapshot;
    const struct loupe_columns *columns = &snapshot->columns;
    uint32_t cursor = LOUPE_NONE, left = others;
    memset(dump->values, 0, (size_t)fields * sizeof(*dump->values));
    put_array_head(dump, elements_id(dump, node), others, own_id(OWN_ARRAYS));
    for (uint32_t link = columns->first[node]; left; link++) {
        uint32_t place = hprof_field_of(&dump->shapes, snapshot->classes[node], link, &cursor);
        if (place < fields && !dump->values[place]) {
            dump->values[place] = 1;
        } else if (keeps_alive(snapshot, link)) {
            hprof_put_u8(dump->out, loupe_snapshot_address(snapshot, columns->to[link]));
            left--;
        }
    }
}

static void put_instance(struct dump *dump, uint32_t node) {
    const struct loupe_snapshot *snapshot = dump->snapshot;
    struct hprof_output *out = dump->out;
    uint32_t class_number = snapshot->classes[node];
    uint32_t fields = hprof_field_count(&dump->shapes, class_number);
    uint64_t size = data_size(dump, class_number);
    uint32_t others = take_values(dump, node, fields);
    hprof_put_object(out, HPROF_INSTANCE, 1 + 2 * ID_SIZE + 8 + size);
    uint8_t *head = hprof_room(out, 2 * ID_SIZE + 8);
    hprof_store_u8(head, loupe_snapshot_address(snapshot, node));
    hprof_store_u4(head + 8, NO_STACK);
    hprof_store_u8(head + 12, class_id(dump, class_number));
    hprof_store_u4(head + 20, (uint32_t)size);
    hprof_put_u8s(out, dump->values, fields);
    uint8_t *tail = hprof_room(out, OWN_FIELD_BYTES);
    hprof_store_u4(tail, snapshot->native->retain_counts[node]);
    hprof_store_u8(tail + 4, loupe_columns_size(&snapshot->columns, node));
    hprof_store_u8(tail + 12, others ? elements_id(dump, node) : 0);
    if (others)
        put_others(dump, node, fields, others);
}

/* The addresses that an object some way ahead refers to are anywhere in a large table. */
static void fetch_ahead(const struct dump *dump, uint32_t node) {
    enum { AHEAD = 12, MOST_LINKS = 8 };
    const struct loupe_snapshot *snapshot = dump->snapshot;
    const struct loupe_columns *columns = &snapshot->columns;
    if (columns->nodes - node <= AHEAD || !snapshot->addresses)
        return;
    uint32_t first = columns->first[node + AHEAD], end = columns->first[node + AHEAD + 1];
    /* Cap: hints to the processor. */
    for (uint32_t link = first; link < end && link - first < MOST_LINKS; link++)
        loupe_prefetch(&snapshot->addresses[columns->to[link]]);
}

static void put_objects(struct dump *dump) {
    const struct loupe_snapshot *snapshot = dump->snapshot;
    put_instance_of(dump, properties_id(dump, 0), OWN_PROPERTIES, properties_id(dump, 1));
    put_array_head(dump, properties_id(dump, 1), 0, own_id(OWN_ARRAYS));
    for (uint32_t i = 0; i < snapshot->thread_count; i++)
        put_thread(dump, i);
    for (uint32_t node = 0; node < snapshot->columns.nodes && !dump->out->status; node++) {
        fetch_ahead(dump, node);
        if (is_class_object(dump, node))
            continue;
        if (hprof_has_fields(snapshot, snapshot->classes[node]))
            put_instance(dump, node);
        else
            put_memory(dump, node);
        if (node % 4096 == 0 && !dump->out->status)
            dump->out->status = loupe_columns_status(&snapshot->columns, true);
    }
}

/* ---- The file ---- */

static void put_header(struct dump *dump) {
    static const char format[] = "JAVA PROFILE 1.0.2";
    hprof_put_bytes(dump->out, format, sizeof(format));
    hprof_put_u4(dump->out, ID_SIZE);
    hprof_put_u8(dump->out, dump->snapshot->time);
}

static uint32_t most_fields(const struct hprof_shapes *shapes) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < shapes->snapshot->class_count; i++) {
        uint32_t fields = hprof_field_count(shapes, i);
        most = fields > most ? fields : most;
    }
    return most;
}

static void put_all(struct dump *dump, const struct loupe_chunk_ops *chunks) {
    put_header(dump);
    hprof_put_own_part(dump->out, dump->snapshot, chunks);
    put_names(dump);
    put_loaded_classes(dump);
    put_traces(dump);
    put_classes(dump);
    put_roots(dump);
    put_objects(dump);
    hprof_put_end(dump->out);
}

enum loupe_status loupe_hprof_write(const struct loupe_snapshot *snapshot,
                                    const struct loupe_chunk_ops *chunks, struct loupe_sink sink) {
    struct dump dump = {.snapshot = snapshot};
    enum loupe_status status = hprof_shapes_find(snapshot, chunks, &dump.shapes);
    if (status)
        return status;
    uint32_t room = most_fields(&dump.shapes);
    size_t values_size = ((size_t)room + 1) * sizeof(*dump.values);
    dump.values = loupe_chunk_get(chunks, values_size);
    dump.out = loupe_chunk_get(chunks, sizeof(*dump.out));
    status = dump.values && dump.out ? LOUPE_OK : LOUPE_ENOMEM;
    if (!status) {
        *dump.out = (struct hprof_output){.sink = sink};
        put_all(&dump, chunks);
        status = dump.out->status;
    }
    if (dump.values)
        loupe_chunk_put(chunks, dump.values, values_size);
    if (dump.out)
        loupe_chunk_put(chunks, dump.out, sizeof(*dump.out));
    hprof_shapes_deinit(&dump.shapes);
    return status;
}
