#include "snapshot/file/loupe_file.h"

#include "snapshot/file/loupe_file_check.h"
#include "snapshot/values/values.h"

#include <string.h>

const uint8_t loupe_section_element_sizes[LOUPE_SECTION_END] = {
    [LOUPE_SECTION_FACTS] = sizeof(struct loupe_file_facts),
    [LOUPE_SECTION_ADDRESSES] = sizeof(uint64_t),
    [LOUPE_SECTION_BY_ADDRESS] = sizeof(uint32_t),
    [LOUPE_SECTION_CLASSES] = sizeof(uint32_t),
    [LOUPE_SECTION_SIZES] = sizeof(uint32_t),
    [LOUPE_SECTION_LARGE_SIZES] = sizeof(struct loupe_large_size),
    [LOUPE_SECTION_FIRST] = sizeof(uint32_t),
    [LOUPE_SECTION_TO] = sizeof(uint32_t),
    [LOUPE_SECTION_KINDS] = sizeof(uint8_t),
    [LOUPE_SECTION_SLOTS] = sizeof(uint32_t),
    [LOUPE_SECTION_CLASS_TABLE] = sizeof(struct loupe_snapshot_class),
    [LOUPE_SECTION_FIELDS] = sizeof(struct loupe_snapshot_field),
    [LOUPE_SECTION_ROOTS] = sizeof(struct loupe_snapshot_root),
    [LOUPE_SECTION_ROOT_NODES] = sizeof(uint32_t),
    [LOUPE_SECTION_THREADS] = sizeof(struct loupe_snapshot_thread),
    [LOUPE_SECTION_FRAMES] = sizeof(struct loupe_snapshot_frame),
    [LOUPE_SECTION_STRINGS] = sizeof(struct loupe_snapshot_string),
    [LOUPE_SECTION_TEXT] = sizeof(char),
    [LOUPE_SECTION_NOTES] = sizeof(struct loupe_snapshot_noted),
    [LOUPE_SECTION_CONTENT_LENGTHS] = sizeof(uint32_t),
    [LOUPE_SECTION_CONTENT_STARTS] = sizeof(uint64_t),
    [LOUPE_SECTION_CONTENTS] = sizeof(uint8_t),
    [LOUPE_SECTION_DOMINATORS] = sizeof(uint32_t),
    [LOUPE_SECTION_RETAINED] = sizeof(uint64_t),
    [LOUPE_SECTION_RETAINED_COUNTS] = sizeof(uint32_t),
    [LOUPE_SECTION_HEAPS] = sizeof(struct loupe_snapshot_heap),
    [LOUPE_SECTION_HEAP_RANGES] = sizeof(struct loupe_snapshot_heap_range),
    [LOUPE_SECTION_PATHS_FROM] = sizeof(uint32_t),
    [LOUPE_SECTION_PATH_LEVELS] = sizeof(uint8_t),
    [LOUPE_SECTION_PATH_RULES] = sizeof(uint64_t),
    [LOUPE_SECTION_NATIVE] = sizeof(struct loupe_file_native),
    [LOUPE_SECTION_LABELS] = sizeof(uint32_t),
    [LOUPE_SECTION_RETAIN_COUNTS] = sizeof(uint32_t),
    [LOUPE_SECTION_MARKS] = sizeof(uint8_t),
    [LOUPE_SECTION_CLASS_PLACES] = sizeof(uint64_t),
    [LOUPE_SECTION_LABEL_TABLE] = sizeof(struct loupe_label),
    [LOUPE_SECTION_ROOT_PLACES] = sizeof(struct loupe_root_place),
    [LOUPE_SECTION_ALLOCATORS] = sizeof(struct loupe_heap_allocator),
    [LOUPE_SECTION_NATIVE_NOTES] = sizeof(struct loupe_heap_note),
    [LOUPE_SECTION_RECORDER] = sizeof(struct loupe_recorder),
    [LOUPE_SECTION_STACKS] = sizeof(uint32_t),
    [LOUPE_SECTION_CALLS] = sizeof(struct loupe_recorded_call),
    [LOUPE_SECTION_VALUES] = sizeof(struct loupe_node_value),
    [LOUPE_SECTION_RECORDED_FRAMES] = sizeof(struct loupe_recorded_frame),
    [LOUPE_SECTION_DANGLING] = sizeof(struct loupe_dangling),
    [LOUPE_SECTION_DEBUG_NAMES] = sizeof(struct loupe_debug_name),
    [LOUPE_SECTION_DEBUG_TEXT] = sizeof(char),
    [LOUPE_SECTION_POINTERS] = sizeof(struct loupe_pointer_ivar),
    [LOUPE_SECTION_TAGGING] = sizeof(struct loupe_tagging),
    [LOUPE_SECTION_FIELD_TEXTS] = sizeof(struct loupe_field_text),
};

/* ---- A mapped file ---- */

struct mapped {
    const struct loupe_chunk_ops *chunks;
    struct loupe_file_tables tables;
    uint32_t *class_order;
    struct loupe_native_heap native;
    /* Where the contents of a node begin that was asked for last: most ask for one after another.
     */
    uint32_t asked;
    uint64_t asked_at;
};

static bool has_slots(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                      uint32_t first, uint32_t count, uint32_t *ret) {
    const struct mapped *mapped = ctx;
    const uint32_t *slots = mapped->tables.bytes[LOUPE_SECTION_SLOTS];
    if (!slots)
        return false;
    memcpy(ret, slots + snapshot->columns.first[node] + first, count * sizeof(*ret));
    return true;
}

static bool has_contents(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                         const uint8_t **ret, uint64_t *len_ret) {
    struct mapped *mapped = ctx;
    const uint32_t *lengths = mapped->tables.bytes[LOUPE_SECTION_CONTENT_LENGTHS];
    const uint64_t *starts = mapped->tables.bytes[LOUPE_SECTION_CONTENT_STARTS];
    const uint8_t *contents = mapped->tables.bytes[LOUPE_SECTION_CONTENTS];
    uint64_t size = mapped->tables.counts[LOUPE_SECTION_CONTENTS];
    (void)snapshot;
    if (!lengths || !starts || !contents || lengths[node] == LOUPE_NONE)
        return false;
    uint32_t from = node - node % LOUPE_CONTENT_STEP;
    bool goes_on = mapped->asked >= from && mapped->asked <= node;
    uint64_t at = goes_on ? mapped->asked_at : starts[node / LOUPE_CONTENT_STEP];
    for (uint32_t i = goes_on ? mapped->asked : from; i < node; i++)
        at += lengths[i] == LOUPE_NONE ? 0 : lengths[i];
    mapped->asked = node;
    mapped->asked_at = at;
    if (at > size || lengths[node] > size - at) /* not looked at before somebody asks */
        return false;
    *ret = contents + at;
    *len_ret = lengths[node];
    return true;
}

/* Those of a class are the contents of its object. */
static bool has_static_value(void *ctx, const struct loupe_snapshot *snapshot,
                             uint32_t class_number, uint32_t field, struct loupe_value *ret) {
    const uint8_t *bytes;
    uint64_t length, offset = 0;
    if (class_number >= snapshot->class_count)
        return false;
    const struct loupe_snapshot_class *entry = &snapshot->class_table[class_number];
    if (field >= entry->static_fields || entry->node == LOUPE_NO_NODE ||
        !has_contents(ctx, snapshot, entry->node, &bytes, &length))
        return false;
    const struct loupe_snapshot_field *fields =
        &snapshot->fields[entry->first_field + entry->instance_fields];
    for (uint32_t i = 0; i < field; i++)
        offset += loupe_value_size(fields[i].type, snapshot->address_size);
    uint32_t size = loupe_value_size(fields[field].type, snapshot->address_size);
    if (!size || offset + size > length)
        return false;
    *ret = loupe_value_decode(fields[field].type, snapshot->address_size, bytes + offset);
    return true;
}

static void deinit(void *ctx) {
    struct mapped *mapped = ctx;
    if (mapped->class_order)
        loupe_numbers_put(mapped->chunks, &mapped->class_order,
                          (uint32_t)mapped->tables.counts[LOUPE_SECTION_CLASS_TABLE]);
    loupe_chunk_put(mapped->chunks, mapped, sizeof(*mapped));
}

static const struct loupe_snapshot_ops ops = {.slots = has_slots,
                                              .contents = has_contents,
                                              .static_value = has_static_value,
                                              .deinit = deinit};

/* ---- Checking ---- */

static bool is_little_endian(void) {
    const uint16_t one = 1;
    uint8_t low;
    memcpy(&low, &one, 1);
    return low == 1;
}

/* NULL, or what is wrong. */
static const char *find_sections(struct mapped *mapped, const uint8_t *bytes, uint64_t size) {
    struct loupe_file_header header;
    memcpy(&header, bytes, sizeof(header));
    if (header.size > size)
        return "it is cut off";
    if (header.sections > (size - sizeof(header)) / sizeof(struct loupe_file_section))
        return "its table of sections does not fit into it";
    for (uint32_t i = 0; i < header.sections; i++) {
        struct loupe_file_section section;
        memcpy(&section, bytes + sizeof(header) + i * sizeof(section), sizeof(section));
        if (!section.id || section.id >= LOUPE_SECTION_END)
            continue; /* of a newer Loupe, which may be passed over */
        if (section.element_size != loupe_section_element_sizes[section.id])
            return "a section has elements of an unknown size";
        if (section.offset % LOUPE_SECTION_ALIGNMENT || section.offset > size ||
            section.count > (size - section.offset) / section.element_size)
            return "a section does not lie in it";
        if (mapped->tables.bytes[section.id])
            return "a section is there twice";
        mapped->tables.bytes[section.id] = bytes + section.offset;
        mapped->tables.counts[section.id] = section.count;
    }
    return NULL;
}

/* ---- The snapshot ---- */

static void show_sections(const struct mapped *mapped, struct loupe_snapshot *ret) {
    const void *const *sections = mapped->tables.bytes;
    const uint64_t *counts = mapped->tables.counts;
    struct loupe_file_facts facts;
    memcpy(&facts, sections[LOUPE_SECTION_FACTS], sizeof(facts));
    ret->columns = (struct loupe_columns){
        .first = sections[LOUPE_SECTION_FIRST],
        .to = sections[LOUPE_SECTION_TO],
        .kinds = sections[LOUPE_SECTION_KINDS],
        .sizes = sections[LOUPE_SECTION_SIZES],
        .roots = sections[LOUPE_SECTION_ROOT_NODES],
        .large = sections[LOUPE_SECTION_LARGE_SIZES],
        .nodes = (uint32_t)counts[LOUPE_SECTION_ADDRESSES],
        .root_count = (uint32_t)counts[LOUPE_SECTION_ROOTS],
        .large_count = (uint32_t)counts[LOUPE_SECTION_LARGE_SIZES],
    };
    ret->addresses = sections[LOUPE_SECTION_ADDRESSES];
    ret->by_address = sections[LOUPE_SECTION_BY_ADDRESS];
    ret->classes = sections[LOUPE_SECTION_CLASSES];
    ret->class_table = sections[LOUPE_SECTION_CLASS_TABLE];
    ret->fields = sections[LOUPE_SECTION_FIELDS];
    ret->roots = sections[LOUPE_SECTION_ROOTS];
    ret->threads = sections[LOUPE_SECTION_THREADS];
    ret->frames = sections[LOUPE_SECTION_FRAMES];
    ret->strings = sections[LOUPE_SECTION_STRINGS];
    ret->text = sections[LOUPE_SECTION_TEXT];
    ret->text_size = counts[LOUPE_SECTION_TEXT];
    ret->class_count = (uint32_t)counts[LOUPE_SECTION_CLASS_TABLE];
    ret->field_count = (uint32_t)counts[LOUPE_SECTION_FIELDS];
    ret->thread_count = (uint32_t)counts[LOUPE_SECTION_THREADS];
    ret->frame_count = (uint32_t)counts[LOUPE_SECTION_FRAMES];
    ret->string_count = (uint32_t)counts[LOUPE_SECTION_STRINGS];
    ret->heaps = sections[LOUPE_SECTION_HEAPS];
    ret->heap_count = (uint32_t)counts[LOUPE_SECTION_HEAPS];
    ret->heap_ranges = sections[LOUPE_SECTION_HEAP_RANGES];
    ret->heap_range_count = (uint32_t)counts[LOUPE_SECTION_HEAP_RANGES];
    ret->address_size = (uint8_t)facts.address_size;
    ret->reference_size = (uint8_t)facts.reference_size;
    ret->bytes = facts.bytes;
    ret->time = facts.time;
    ret->format = facts.format;
    ret->is_big_endian = facts.flags & LOUPE_FILE_BIG_ENDIAN;
    memcpy(ret->notes, sections[LOUPE_SECTION_NOTES],
           counts[LOUPE_SECTION_NOTES] * sizeof(ret->notes[0]));
    if (sections[LOUPE_SECTION_DOMINATORS] && sections[LOUPE_SECTION_RETAINED] &&
        sections[LOUPE_SECTION_RETAINED_COUNTS])
        ret->dominators =
            (struct loupe_stored_dominators){.immediate = sections[LOUPE_SECTION_DOMINATORS],
                                             .retained = sections[LOUPE_SECTION_RETAINED],
                                             .counts = sections[LOUPE_SECTION_RETAINED_COUNTS]};
}

static void show_native(struct mapped *mapped, struct loupe_snapshot *ret) {
    const void *const *sections = mapped->tables.bytes;
    const uint64_t *counts = mapped->tables.counts;
    struct loupe_file_native about;
    if (!sections[LOUPE_SECTION_NATIVE])
        return;
    memcpy(&about, sections[LOUPE_SECTION_NATIVE], sizeof(about));
    mapped->native =
        (struct loupe_native_heap){.slots = sections[LOUPE_SECTION_SLOTS],
                                   .labels = sections[LOUPE_SECTION_LABELS],
                                   .retain_counts = sections[LOUPE_SECTION_RETAIN_COUNTS],
                                   .marks = sections[LOUPE_SECTION_MARKS],
                                   .class_places = sections[LOUPE_SECTION_CLASS_PLACES],
                                   .label_table = sections[LOUPE_SECTION_LABEL_TABLE],
                                   .root_places = sections[LOUPE_SECTION_ROOT_PLACES],
                                   .allocators = sections[LOUPE_SECTION_ALLOCATORS],
                                   .notes = sections[LOUPE_SECTION_NATIVE_NOTES],
                                   .label_count = (uint32_t)counts[LOUPE_SECTION_LABEL_TABLE],
                                   .allocator_count = (uint32_t)counts[LOUPE_SECTION_ALLOCATORS],
                                   .note_count = (uint32_t)counts[LOUPE_SECTION_NATIVE_NOTES],
                                   .abi = about.abi,
                                   .program = about.program,
                                   .origin = about.origin,
                                   .process = about.process,
                                   .raw_blocks = about.raw_blocks,
                                   .raw_bytes = about.raw_bytes};
    mapped->native.dangling = sections[LOUPE_SECTION_DANGLING];
    mapped->native.dangling_count = (uint32_t)counts[LOUPE_SECTION_DANGLING];
    mapped->native.values = sections[LOUPE_SECTION_VALUES];
    mapped->native.value_count = (uint32_t)counts[LOUPE_SECTION_VALUES];
    mapped->native.tagging = sections[LOUPE_SECTION_TAGGING];
    mapped->native.field_texts = sections[LOUPE_SECTION_FIELD_TEXTS];
    mapped->native.field_text_count = (uint32_t)counts[LOUPE_SECTION_FIELD_TEXTS];
    mapped->native.pointers = sections[LOUPE_SECTION_POINTERS];
    mapped->native.pointer_count = (uint32_t)counts[LOUPE_SECTION_POINTERS];
    mapped->native.recorder = sections[LOUPE_SECTION_RECORDER];
    mapped->native.stacks = sections[LOUPE_SECTION_STACKS];
    mapped->native.calls = sections[LOUPE_SECTION_CALLS];
    mapped->native.frames = sections[LOUPE_SECTION_RECORDED_FRAMES];
    mapped->native.call_count = (uint32_t)counts[LOUPE_SECTION_CALLS];
    mapped->native.frame_count = (uint32_t)counts[LOUPE_SECTION_RECORDED_FRAMES];
    ret->native = &mapped->native;
    ret->names = (struct loupe_debug_names){.entries = sections[LOUPE_SECTION_DEBUG_NAMES],
                                            .text = sections[LOUPE_SECTION_DEBUG_TEXT],
                                            .text_size = counts[LOUPE_SECTION_DEBUG_TEXT],
                                            .count = (uint32_t)counts[LOUPE_SECTION_DEBUG_NAMES]};
}

static bool order_classes(struct mapped *mapped, struct loupe_snapshot *snapshot) {
    mapped->class_order = loupe_numbers_get(mapped->chunks, snapshot->class_count);
    snapshot->class_order = mapped->class_order;
    return mapped->class_order &&
           !loupe_snapshot_order_classes(snapshot, mapped->chunks, mapped->class_order);
}

static void show_paths(const struct mapped *mapped, struct loupe_snapshot *ret) {
    const void *const *sections = mapped->tables.bytes;
    if (!sections[LOUPE_SECTION_PATHS_FROM] || !sections[LOUPE_SECTION_PATH_LEVELS] ||
        !sections[LOUPE_SECTION_PATH_RULES])
        return;
    ret->paths = (struct loupe_stored_paths){.from = sections[LOUPE_SECTION_PATHS_FROM],
                                             .levels = sections[LOUPE_SECTION_PATH_LEVELS]};
    memcpy(&ret->paths.rules, sections[LOUPE_SECTION_PATH_RULES], sizeof(ret->paths.rules));
}

/* Each step leads to a node that refers to the one before, and the last to a root of its node. */
bool loupe_stored_path_is_sound(const struct loupe_snapshot *snapshot,
                                const struct loupe_shortest *paths, uint32_t node) {
    const struct loupe_columns *columns = &snapshot->columns;
    if (loupe_path_level(paths, node) == LOUPE_LEVEL_NONE)
        return true;
    for (uint32_t steps = 0; steps < columns->nodes; steps++) {
        uint32_t before = loupe_path_before(paths, node);
        if (before == LOUPE_NO_NODE)
            return paths->from[node] < columns->root_count &&
                   columns->roots[paths->from[node]] == node;
        if (before >= columns->nodes ||
            loupe_path_link(columns, LOUPE_ALL_LINKS, 0, before, node) == LOUPE_NO_EDGE)
            return false;
        node = before;
    }
    return false; /* a circle */
}

bool loupe_file_is(const uint8_t *bytes, uint64_t size) {
    return size >= sizeof(struct loupe_file_header) && memcmp(bytes, LOUPE_FILE_MAGIC, 8) == 0;
}

/* What says that the file can be mapped at all. */
static const char *check_header(const uint8_t *bytes, uint64_t size) {
    struct loupe_file_header header;
    if (!loupe_file_is(bytes, size))
        return "it does not begin as one";
    memcpy(&header, bytes, sizeof(header));
    if (!is_little_endian())
        return "this machine puts the high byte first";
    if (header.version != LOUPE_FILE_VERSION)
        return "it is of another version than 1: write it again with the loupe that reads it";
    return NULL;
}

enum loupe_status loupe_file_open(const uint8_t *bytes, uint64_t size,
                                  const struct loupe_chunk_ops *chunks, struct loupe_snapshot *ret,
                                  struct loupe_error *err) {
    struct mapped *mapped = loupe_chunk_get(chunks, sizeof(*mapped));
    if (!mapped)
        return loupe_fail(err, LOUPE_ENOMEM, 0, "the snapshot does not fit into memory");
    *mapped = (struct mapped){.chunks = chunks, .asked = LOUPE_NO_NODE};
    struct loupe_snapshot snapshot = {.ops = &ops, .ctx = mapped};
    const char *problem = check_header(bytes, size);
    if (!problem)
        problem = find_sections(mapped, bytes, size);
    if (!problem)
        problem = loupe_file_check_counts(&mapped->tables);
    if (!problem) {
        show_sections(mapped, &snapshot);
        show_paths(mapped, &snapshot);
        show_native(mapped, &snapshot);
        problem = loupe_file_check(&snapshot, mapped->tables.counts[LOUPE_SECTION_TO]);
    }
    if (!problem && !order_classes(mapped, &snapshot)) {
        deinit(mapped);
        return loupe_fail(err, LOUPE_ENOMEM, 0, "the snapshot does not fit into memory");
    }
    if (problem) {
        deinit(mapped);
        return loupe_fail(err, LOUPE_EUSAGE, 0, "this snapshot cannot be read: %s", problem);
    }
    *ret = snapshot;
    return LOUPE_OK;
}
