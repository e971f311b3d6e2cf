/* Names in dumps of Java's machines: strings, classes, fields, arrays. */
#include "hprof/hprof_heap.h"
#include "hprof/hprof_write.h"

/* ---- Strings ---- */

static struct hprof_string *string_at(const struct hprof_heap *heap, uint32_t index) {
    return (struct hprof_string *)heap->strings.items + index;
}

static char *text_room(struct hprof_heap *heap, size_t length) {
    if (heap->text_used + length > UINT32_MAX) {
        heap->status = LOUPE_ENOMEM;
        return NULL;
    }
    if (heap->text_used + length > heap->text_room) {
        uint64_t room = 2 * (heap->text_used + length) + 4096;
        char *larger = loupe_chunk_get(heap->chunks, room);
        if (!larger) {
            heap->status = LOUPE_ENOMEM;
            return NULL;
        }
        if (heap->text_used)
            memcpy(larger, heap->text, heap->text_used);
        loupe_chunk_put(heap->chunks, heap->text, heap->text_room);
        heap->text = larger;
        heap->text_room = room;
    }
    return heap->text + heap->text_used;
}

uint32_t hprof_add_text(struct hprof_heap *heap, const char *bytes, size_t length) {
    char *place = text_room(heap, length);
    struct loupe_snapshot_string *string =
        place ? hprof_grow(heap, &heap->text_strings, sizeof(*string)) : NULL;
    if (!string)
        return LOUPE_NONE;
    memcpy(place, bytes, length);
    *string = (struct loupe_snapshot_string){(uint32_t)heap->text_used, (uint32_t)length};
    heap->text_used += length;
    return heap->text_strings.count - 1;
}

uint32_t hprof_intern(struct hprof_heap *heap, uint64_t string_id) {
    uint32_t index;
    if (!loupe_map_find(&heap->string_by_id, string_id, &index))
        return LOUPE_NONE;
    struct hprof_string *string = string_at(heap, index);
    if (string->number == LOUPE_NONE)
        string->number =
            hprof_add_text(heap, (const char *)heap->bytes + string->start, string->length);
    return string->number;
}

static void read_string(struct hprof_heap *heap, const struct hprof_record *record) {
    uint32_t id_size = heap->header.id_size;
    if (record->length < id_size) {
        hprof_note(heap, LOUPE_NOTE_BAD_RECORD, record->start);
        return;
    }
    struct hprof_string *string = hprof_grow(heap, &heap->strings, sizeof(*string));
    if (!string)
        return;
    *string = (struct hprof_string){.start = record->start + id_size,
                                    .length = (uint32_t)(record->length - id_size),
                                    .number = LOUPE_NONE};
    heap->status =
        loupe_map_put(&heap->string_by_id, hprof_id(heap->bytes + record->start, id_size),
                      heap->strings.count - 1);
}

/* ---- Names of classes ---- */

static const char *primitive_name(char descriptor, uint8_t *type_ret) {
    *type_ret = LOUPE_VALUE_NONE;
    static const struct {
        char descriptor;
        uint8_t type;
        const char *name;
    } primitives[] = {
        {'Z', LOUPE_VALUE_BOOLEAN, "boolean"}, {'C', LOUPE_VALUE_CHAR, "char"},
        {'F', LOUPE_VALUE_FLOAT, "float"},     {'D', LOUPE_VALUE_DOUBLE, "double"},
        {'B', LOUPE_VALUE_BYTE, "byte"},       {'S', LOUPE_VALUE_SHORT, "short"},
        {'I', LOUPE_VALUE_INT, "int"},         {'J', LOUPE_VALUE_LONG, "long"},
    };
    for (size_t i = 0; i < sizeof(primitives) / sizeof(primitives[0]); i++) {
        if (primitives[i].descriptor != descriptor)
            continue;
        *type_ret = primitives[i].type;
        return primitives[i].name;
    }
    return NULL;
}

/* "[[I" as "int[][]", "[Ljava/lang/Object;" as "java.lang.Object[]", "a/b" as "a.b". */
static uint32_t add_class_name(struct hprof_heap *heap, struct loupe_span raw) {
    size_t dimensions = 0;
    uint8_t type;
    while (dimensions < raw.length && dimensions < 255 && raw.bytes[dimensions] == '[')
        dimensions++;
    struct loupe_span element = {raw.bytes + dimensions, raw.length - dimensions};
    if (dimensions && element.length == 1 && primitive_name(element.bytes[0], &type))
        element = loupe_span_of(primitive_name(element.bytes[0], &type));
    else if (dimensions && element.length > 2 && element.bytes[0] == 'L' &&
             element.bytes[element.length - 1] == ';')
        element = (struct loupe_span){element.bytes + 1, element.length - 2};
    else if (dimensions) /* no descriptor of an array: as it stands */
        return hprof_add_text(heap, raw.bytes, raw.length);
    uint32_t number = hprof_add_text(heap, element.bytes, element.length);
    if (number == LOUPE_NONE)
        return number;
    struct loupe_snapshot_string *string =
        (struct loupe_snapshot_string *)heap->text_strings.items + number;
    char *name = heap->text + string->offset;
    for (size_t i = 0; i < element.length; i++)
        name[i] = name[i] == '/' ? '.' : name[i];
    if (!text_room(heap, 2 * dimensions))
        return LOUPE_NONE;
    for (size_t i = 0; i < dimensions; i++)
        memcpy(heap->text + heap->text_used + 2 * i, "[]", 2);
    heap->text_used += 2 * dimensions;
    string->length += (uint32_t)(2 * dimensions);
    return number;
}

/* Dumps of HotSpot name arrays by descriptors, those of Android as people do. */
static uint8_t primitive_array_type(struct loupe_span name) {
    uint8_t type;
    for (const char *descriptor = "ZCFDBSIJ"; *descriptor; descriptor++) {
        const char *word = primitive_name(*descriptor, &type);
        size_t length = strlen(word);
        if (name.length == length + 2 && memcmp(name.bytes, word, length) == 0 &&
            memcmp(name.bytes + length, "[]", 2) == 0)
            return type;
    }
    return LOUPE_VALUE_NONE;
}

static struct loupe_span text_of(const struct hprof_heap *heap, uint32_t number) {
    if (number == LOUPE_NONE)
        return (struct loupe_span){"", 0};
    const struct loupe_snapshot_string *string =
        (const struct loupe_snapshot_string *)heap->text_strings.items + number;
    return (struct loupe_span){heap->text + string->offset, string->length};
}

static void name_class(struct hprof_heap *heap, uint32_t number) {
    struct hprof_class *class_at = hprof_class_at(heap, number);
    char unknown[48];
    uint32_t name;
    if (class_at->name != LOUPE_NONE) {
        const struct hprof_string *string = string_at(heap, class_at->name);
        name = add_class_name(
            heap, (struct loupe_span){(const char *)heap->bytes + string->start, string->length});
    } else {
        size_t length = loupe_format(unknown, sizeof(unknown), "class 0x%llx without a name",
                                     (unsigned long long)class_at->id);
        name = hprof_add_text(heap, unknown, length);
    }
    hprof_entry_at(heap, number)->name = name;
}

/* ---- Classes ---- */

static uint32_t make_class(struct hprof_heap *heap, uint64_t id) {
    struct hprof_class *class_at = hprof_grow(heap, &heap->classes, sizeof(*class_at));
    struct loupe_snapshot_class *entry =
        class_at ? hprof_grow(heap, &heap->class_table, sizeof(*entry)) : NULL;
    if (!entry)
        return LOUPE_NONE;
    *class_at = (struct hprof_class){.id = id, .name = LOUPE_NONE, .size_at = LOUPE_NONE};
    *entry = (struct loupe_snapshot_class){
        .name = LOUPE_NONE, .superclass = LOUPE_NONE, .node = LOUPE_NO_NODE};
    return heap->classes.count - 1;
}

uint32_t hprof_class_of(struct hprof_heap *heap, uint64_t id) {
    uint32_t number;
    if (id == heap->last_class_id && heap->last_class != LOUPE_NONE)
        return heap->last_class;
    if (!loupe_map_find(&heap->class_by_id, id, &number)) {
        number = make_class(heap, id);
        if (number != LOUPE_NONE && loupe_map_put(&heap->class_by_id, id, number))
            heap->status = LOUPE_ENOMEM;
    }
    heap->last_class_id = id;
    heap->last_class = number;
    return number;
}

static void load_class(struct hprof_heap *heap, const struct hprof_record *record) {
    uint32_t id_size = heap->header.id_size, string;
    const uint8_t *body = heap->bytes + record->start;
    if (record->length < 8 + 2 * id_size) {
        hprof_note(heap, LOUPE_NOTE_BAD_RECORD, record->start);
        return;
    }
    uint64_t id = hprof_id(body + 4, id_size);
    uint32_t number = hprof_class_of(heap, id), serial = hprof_u4(body);
    if (number == LOUPE_NONE)
        return;
    if (loupe_map_put(&heap->class_by_serial, serial, number))
        heap->status = LOUPE_ENOMEM;
    if (loupe_map_find(&heap->string_by_id, hprof_id(body + 8 + id_size, id_size), &string))
        hprof_class_at(heap, number)->name = string;
}

uint32_t hprof_primitive_array_class(struct hprof_heap *heap, uint32_t type) {
    return heap->primitive_arrays[type];
}

/* Which classes hold arrays of primitives; those that no record loads are made up. */
void hprof_find_primitive_arrays(struct hprof_heap *heap) {
    uint8_t type;
    /* Cap: all of a table. */
    for (uint32_t i = 0; i < HPROF_PRIMITIVE_TYPES; i++)
        heap->primitive_arrays[i] = LOUPE_NONE;
    for (uint32_t i = 0; i < heap->classes.count && !heap->status; i++) {
        name_class(heap, i);
        type = primitive_array_type(text_of(heap, hprof_entry_at(heap, i)->name));
        if (type != LOUPE_VALUE_NONE && heap->primitive_arrays[type] == LOUPE_NONE)
            heap->primitive_arrays[type] = i;
    }
    for (const char *descriptor = "ZCFDBSIJ"; *descriptor && !heap->status; descriptor++) {
        char raw[2] = {'[', *descriptor};
        primitive_name(*descriptor, &type);
        if (heap->primitive_arrays[type] != LOUPE_NONE)
            continue;
        uint32_t number = make_class(heap, 0);
        if (number == LOUPE_NONE)
            return;
        hprof_entry_at(heap, number)->name =
            add_class_name(heap, (struct loupe_span){raw, sizeof(raw)});
        heap->primitive_arrays[type] = number;
    }
}

/* ---- What the record of a class says ---- */

static const uint8_t *skip_constants(const uint8_t *at, uint32_t id_size) {
    uint32_t count = hprof_u2(at);
    for (at += 2; count; count--)
        at += 3 + hprof_value_size(at[2], id_size);
    return at;
}

const uint8_t *hprof_class_constants(const uint8_t *record, uint32_t id_size) {
    return record + 7 * id_size + 8;
}

const uint8_t *hprof_class_statics(const uint8_t *record, uint32_t id_size) {
    return skip_constants(hprof_class_constants(record, id_size), id_size);
}

static void add_field(struct hprof_heap *heap, const uint8_t *at) {
    uint32_t name = hprof_intern(heap, hprof_id(at, heap->header.id_size));
    struct loupe_snapshot_field *field = hprof_grow(heap, &heap->fields, sizeof(*field));
    if (field)
        *field = (struct loupe_snapshot_field){.name = name, .type = at[heap->header.id_size]};
}

bool hprof_describe_class(struct hprof_heap *heap, const struct hprof_object *record,
                          uint32_t *class_ret) {
    uint32_t id_size = heap->header.id_size, number = hprof_class_of(heap, record->id);
    if (number == LOUPE_NONE || hprof_class_at(heap, number)->dump)
        return false;
    struct hprof_class *class_at = hprof_class_at(heap, number);
    struct loupe_snapshot_class *entry = hprof_entry_at(heap, number);
    const uint8_t *statics = hprof_class_statics(record->body, id_size), *at = statics + 2;
    class_at->dump = (uint64_t)(record->body - heap->bytes);
    class_at->super = hprof_id(record->body + id_size + 4, id_size);
    entry->dump_size = hprof_u4(record->body + 7 * id_size + 4);
    entry->static_fields = hprof_u2(statics);
    for (uint32_t i = 0; i < entry->static_fields; i++)
        at += id_size + 1 + hprof_value_size(at[id_size], id_size);
    entry->first_field = heap->fields.count;
    entry->instance_fields = hprof_u2(at);
    at += 2;
    for (uint32_t i = 0; i < entry->instance_fields; i++, at += id_size + 1)
        add_field(heap, at);
    at = statics + 2;
    for (uint32_t i = 0; i < entry->static_fields; i++) {
        add_field(heap, at);
        at += id_size + 1 + hprof_value_size(at[id_size], id_size);
    }
    *class_ret = number;
    return true;
}

/* ---- When all classes are known ---- */

static bool is_array_name(struct loupe_span name) {
    return name.length > 2 && memcmp(name.bytes + name.length - 2, "[]", 2) == 0;
}

static void find_superclass(struct hprof_heap *heap, uint32_t number) {
    uint32_t super;
    uint64_t id = hprof_class_at(heap, number)->super;
    if (id && loupe_map_find(&heap->class_by_id, id, &super) && super != number)
        hprof_entry_at(heap, number)->superclass = super;
}

/* By the class of its kind of reference that is nearest above it. */
static uint8_t referent_kind(const struct hprof_heap *heap, uint32_t number) {
    static const struct {
        const char *name;
        uint8_t kind;
    } kinds[] = {
        {"java.lang.ref.SoftReference", LOUPE_LINK_SOFT},
        {"java.lang.ref.WeakReference", LOUPE_LINK_WEAK},
        {"java.lang.ref.PhantomReference", LOUPE_LINK_PHANTOM},
        {"java.lang.ref.FinalReference", LOUPE_LINK_FINAL},
        {"java.lang.ref.FinalizerReference", LOUPE_LINK_FINAL}, /* Android's */
    };
    /* Cap: the note of too many fields. */
    for (uint32_t steps = 0; number != LOUPE_NONE && steps < LOUPE_MOST_SUPERCLASSES; steps++) {
        const struct loupe_snapshot_class *entry = hprof_entry_at(heap, number);
        for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
            if (loupe_span_equals(text_of(heap, entry->name), kinds[i].name))
                return kinds[i].kind;
        }
        number = entry->superclass;
    }
    return LOUPE_LINK_WEAK;
}

/* Whether instances tell in a field how large they are: only in dumps that we wrote. */
static bool says_size(const struct hprof_heap *heap, const struct loupe_snapshot_class *entry,
                      const struct loupe_snapshot_field *field) {
    return field->type == LOUPE_VALUE_LONG &&
           loupe_span_equals(text_of(heap, entry->name), LOUPE_HPROF_TOP_CLASS) &&
           loupe_span_equals(text_of(heap, field->name), LOUPE_HPROF_SIZE_FIELD);
}

/* What pads_levels adds behind the fields of one class. */
static void add_padding(struct hprof_class *class_at, uint32_t references, uint32_t others) {
    class_at->padding[0] += -(others + 4 * references) & 3;
    class_at->padding[1] += -(others + 8 * references) & 7;
}

static void list_references(struct hprof_heap *heap, uint32_t number) {
    uint32_t id_size = heap->header.id_size, offset = 0, ancestor = number;
    struct hprof_class *class_at = hprof_class_at(heap, number);
    class_at->first_reference = heap->references.count;
    /* Cap: the note of too many fields. */
    for (uint32_t steps = 0; ancestor != LOUPE_NONE && steps < LOUPE_MOST_SUPERCLASSES; steps++) {
        const struct loupe_snapshot_class *entry = hprof_entry_at(heap, ancestor);
        heap->field_visits += entry->instance_fields;
        if (heap->field_visits > HPROF_MOST_FIELD_VISITS)
            break;
        uint32_t references = class_at->reference_count, others = 0;
        bool holds_referent =
            loupe_span_equals(text_of(heap, entry->name), "java.lang.ref.Reference");
        for (uint32_t i = 0; i < entry->instance_fields; i++) {
            const struct loupe_snapshot_field *field =
                (const struct loupe_snapshot_field *)heap->fields.items + entry->first_field + i;
            if (field->type == LOUPE_VALUE_OBJECT) {
                struct hprof_reference *reference =
                    hprof_grow(heap, &heap->references, sizeof(*reference));
                if (!reference)
                    return;
                bool is_referent =
                    holds_referent && loupe_span_equals(text_of(heap, field->name), "referent");
                reference->offset = offset;
                reference->kind = is_referent ? referent_kind(heap, number) : LOUPE_LINK_STRONG;
                class_at->reference_count++;
            } else {
                others += hprof_value_size(field->type, id_size);
            }
            if (!heap->options.sizes_of_visualvm && says_size(heap, entry, field)) {
                class_at->size_at = offset;
                heap->is_native = true;
            }
            offset += hprof_value_size(field->type, id_size);
        }
        add_padding(class_at, class_at->reference_count - references, others);
        ancestor = entry->superclass;
    }
    if (ancestor != LOUPE_NONE) /* fields are left, or superclasses run in a circle */
        hprof_note(heap, LOUPE_NOTE_MANY_FIELDS, class_at->id);
    class_at->instance_bytes = offset;
}

/* Every class object has a class, also in a dump that does not describe it. */
static void make_class_of_classes(struct hprof_heap *heap) {
    heap->class_of_classes = make_class(heap, 0);
    if (!heap->status)
        hprof_entry_at(heap, heap->class_of_classes)->name =
            hprof_add_text(heap, "java.lang.Class", strlen("java.lang.Class"));
}

void hprof_finish_classes(struct hprof_heap *heap) {
    heap->class_of_classes = LOUPE_NONE;
    for (uint32_t i = 0; i < heap->classes.count && !heap->status; i++) {
        struct loupe_snapshot_class *entry = hprof_entry_at(heap, i);
        if (entry->name == LOUPE_NONE)
            name_class(heap, i);
        struct loupe_span name = text_of(heap, entry->name);
        uint8_t type = primitive_array_type(name);
        hprof_class_at(heap, i)->element = type;
        entry->kind = type != LOUPE_VALUE_NONE ? LOUPE_CLASS_PRIMITIVE_ARRAYS
                      : is_array_name(name)    ? LOUPE_CLASS_OBJECT_ARRAYS
                                               : LOUPE_CLASS_INSTANCES;
        if (loupe_span_equals(name, "java.lang.Class") && heap->class_of_classes == LOUPE_NONE)
            heap->class_of_classes = i;
        find_superclass(heap, i);
    }
    if (heap->class_of_classes == LOUPE_NONE && !heap->status)
        make_class_of_classes(heap);
    for (uint32_t i = 0; i < heap->classes.count && !heap->status; i++)
        list_references(heap, i);
}

/* ---- Frames, stacks and threads outside of heap segments ---- */

static void read_frame(struct hprof_heap *heap, const struct hprof_record *record) {
    uint32_t id_size = heap->header.id_size, class_number;
    const uint8_t *body = heap->bytes + record->start;
    if (record->length < 4 * id_size + 8) {
        hprof_note(heap, LOUPE_NOTE_BAD_RECORD, record->start);
        return;
    }
    struct hprof_frame *frame = hprof_grow(heap, &heap->frames, sizeof(*frame));
    if (!frame)
        return;
    frame->method = hprof_id(body + id_size, id_size);
    frame->source = hprof_id(body + 3 * id_size, id_size);
    frame->line = (int32_t)hprof_u4(body + 4 * id_size + 4);
    frame->class_number = LOUPE_NONE;
    if (loupe_map_find(&heap->class_by_serial, hprof_u4(body + 4 * id_size), &class_number))
        frame->class_number = class_number;
    if (loupe_map_put(&heap->frame_by_id, hprof_id(body, id_size), heap->frames.count - 1))
        heap->status = LOUPE_ENOMEM;
}

static void read_trace(struct hprof_heap *heap, const struct hprof_record *record) {
    const uint8_t *body = heap->bytes + record->start;
    if (record->length < 12 || (record->length - 12) / heap->header.id_size < hprof_u4(body + 8)) {
        hprof_note(heap, LOUPE_NOTE_BAD_RECORD, record->start);
        return;
    }
    struct hprof_trace *trace = hprof_grow(heap, &heap->traces, sizeof(*trace));
    if (!trace)
        return;
    *trace = (struct hprof_trace){.serial = hprof_u4(body),
                                  .thread = hprof_u4(body + 4),
                                  .frame_count = hprof_u4(body + 8),
                                  .frames = record->start + 12};
    if (loupe_map_put(&heap->trace_by_serial, trace->serial, heap->traces.count - 1))
        heap->status = LOUPE_ENOMEM;
}

static void read_thread(struct hprof_heap *heap, const struct hprof_record *record) {
    uint32_t id_size = heap->header.id_size, string;
    const uint8_t *body = heap->bytes + record->start;
    if (record->length < 8 + 4 * id_size) {
        hprof_note(heap, LOUPE_NOTE_BAD_RECORD, record->start);
        return;
    }
    struct hprof_thread *thread = hprof_thread_of(heap, hprof_u4(body));
    if (!thread)
        return;
    thread->id = hprof_id(body + 4, id_size);
    thread->trace = hprof_u4(body + 4 + id_size);
    if (loupe_map_find(&heap->string_by_id, hprof_id(body + 8 + id_size, id_size), &string))
        thread->name = string;
}

struct hprof_thread *hprof_thread_of(struct hprof_heap *heap, uint32_t serial) {
    uint32_t number;
    if (loupe_map_find(&heap->thread_by_serial, serial, &number))
        return (struct hprof_thread *)heap->threads.items + number;
    struct hprof_thread *thread = hprof_grow(heap, &heap->threads, sizeof(*thread));
    if (!thread)
        return NULL;
    *thread = (struct hprof_thread){
        .serial = serial, .trace = LOUPE_NONE, .name = LOUPE_NONE, .first_local = LOUPE_NONE};
    if (loupe_map_put(&heap->thread_by_serial, serial, heap->threads.count - 1))
        heap->status = LOUPE_ENOMEM;
    return thread;
}

/* ---- The file ---- */

static void add_segment(struct hprof_heap *heap, const struct hprof_record *record) {
    struct hprof_segment *segment = hprof_grow(heap, &heap->segments, sizeof(*segment));
    if (segment)
        *segment = (struct hprof_segment){
            .start = record->start, .end = record->start + record->length, .dump = heap->dumps};
}

/* Segments follow each other to the end of their dump; a dump in one piece has no end of its own.
 */
static void read_record(struct hprof_heap *heap, const struct hprof_record *record,
                        bool *in_segments) {
    switch (record->tag) {
    case HPROF_STRING:
        read_string(heap, record);
        break;
    case HPROF_LOAD_CLASS:
        load_class(heap, record);
        break;
    case HPROF_FRAME:
        read_frame(heap, record);
        break;
    case HPROF_TRACE:
        read_trace(heap, record);
        break;
    case HPROF_START_THREAD:
        read_thread(heap, record);
        break;
    case HPROF_HEAP_DUMP:
        heap->dumps++;
        *in_segments = false;
        add_segment(heap, record);
        break;
    case HPROF_HEAP_SEGMENT:
        heap->dumps += !*in_segments;
        *in_segments = true;
        add_segment(heap, record);
        break;
    case HPROF_HEAP_END:
        *in_segments = false;
        break;
    case HPROF_UNLOAD_CLASS:
    case HPROF_END_THREAD:
    case HPROF_ALLOC_SITES:
    case HPROF_HEAP_SUMMARY:
    case HPROF_CPU_SAMPLES:
    case HPROF_CONTROL_SETTINGS:
        break; /* say nothing of the heap */
    default:
        hprof_note(heap, LOUPE_NOTE_UNKNOWN_RECORD, record->start - HPROF_RECORD_HEADER);
    }
}

void hprof_read_outside(struct hprof_heap *heap) {
    uint64_t at = heap->header.length;
    struct hprof_record record;
    bool in_segments = false, was_cut_off = false;
    while (!heap->status && hprof_next_record(heap->bytes, heap->size, &at, &record)) {
        bool is_heap = record.tag == HPROF_HEAP_DUMP || record.tag == HPROF_HEAP_SEGMENT;
        if (record.cut_off)
            hprof_note(heap, LOUPE_NOTE_CUT_OFF, record.start);
        if (!record.cut_off || is_heap)
            read_record(heap, &record, &in_segments);
        was_cut_off = record.cut_off;
    }
    if (in_segments && !was_cut_off) /* the end of a dump in segments is a record of its own */
        hprof_note(heap, LOUPE_NOTE_CUT_OFF, heap->size);
}
