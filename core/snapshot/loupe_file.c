#include "snapshot/loupe_file.h"

#include "recorded/recorded.h"
#include "snapshot/loupe_sections.h"

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
    [LOUPE_SECTION_REMARKS] = sizeof(struct loupe_heap_remark),
    [LOUPE_SECTION_RECORDER] = sizeof(struct loupe_recorder),
    [LOUPE_SECTION_STACKS] = sizeof(uint32_t),
    [LOUPE_SECTION_CALLS] = sizeof(struct loupe_recorded_call),
    [LOUPE_SECTION_RECORDED_FRAMES] = sizeof(struct loupe_recorded_frame),
};

/* ---- A mapped file ---- */

struct mapped {
    const struct loupe_chunk_ops *chunks;
    const void *sections[LOUPE_SECTION_END]; /* NULL: not there */
    uint64_t counts[LOUPE_SECTION_END];
    uint32_t *class_order;
    struct loupe_native_heap native;
};

static bool has_slots(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                      uint32_t first, uint32_t count, uint32_t *ret) {
    const struct mapped *mapped = ctx;
    const uint32_t *slots = mapped->sections[LOUPE_SECTION_SLOTS];
    if (!slots)
        return false;
    memcpy(ret, slots + snapshot->columns.first[node] + first, count * sizeof(*ret));
    return true;
}

static bool has_contents(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                         const uint8_t **ret, uint64_t *len_ret) {
    const struct mapped *mapped = ctx;
    const uint32_t *lengths = mapped->sections[LOUPE_SECTION_CONTENT_LENGTHS];
    const uint64_t *starts = mapped->sections[LOUPE_SECTION_CONTENT_STARTS];
    const uint8_t *contents = mapped->sections[LOUPE_SECTION_CONTENTS];
    uint64_t size = mapped->counts[LOUPE_SECTION_CONTENTS];
    (void)snapshot;
    if (!lengths || !starts || !contents || lengths[node] == LOUPE_NONE)
        return false;
    uint64_t at = starts[node / LOUPE_CONTENT_STEP];
    for (uint32_t i = node - node % LOUPE_CONTENT_STEP; i < node; i++)
        at += lengths[i] == LOUPE_NONE ? 0 : lengths[i];
    if (at > size || lengths[node] > size - at) /* not looked at before somebody asks */
        return false;
    *ret = contents + at;
    *len_ret = lengths[node];
    return true;
}

static void deinit(void *ctx) {
    struct mapped *mapped = ctx;
    if (mapped->class_order)
        loupe_numbers_put(mapped->chunks, &mapped->class_order,
                          (uint32_t)mapped->counts[LOUPE_SECTION_CLASS_TABLE]);
    loupe_chunk_put(mapped->chunks, mapped, sizeof(*mapped));
}

static const struct loupe_snapshot_ops ops = {
    .slots = has_slots, .contents = has_contents, .deinit = deinit};

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
        if (mapped->sections[section.id])
            return "a section is there twice";
        mapped->sections[section.id] = bytes + section.offset;
        mapped->counts[section.id] = section.count;
    }
    return NULL;
}

/* Those of a native heap are all there, or none. */
static const char *check_native_sections(const struct mapped *mapped) {
    bool native = mapped->sections[LOUPE_SECTION_NATIVE];
    for (unsigned id = LOUPE_SECTION_NATIVE; id <= LOUPE_SECTION_REMARKS; id++) {
        if (native != !!mapped->sections[id])
            return "a section of a native heap is missing";
        if (mapped->counts[id] > UINT32_MAX)
            return "a table is too long";
    }
    return native && !mapped->sections[LOUPE_SECTION_SLOTS]
               ? "a section of a native heap is missing"
               : NULL;
}

static const char *check_recorded_sections(const struct mapped *mapped) {
    bool recorded = mapped->sections[LOUPE_SECTION_RECORDER];
    for (unsigned id = LOUPE_SECTION_RECORDER; id <= LOUPE_SECTION_RECORDED_FRAMES; id++) {
        if (recorded != !!mapped->sections[id])
            return "a section of recorded stacks is missing";
        if (mapped->counts[id] > UINT32_MAX)
            return "a table is too long";
    }
    return recorded && !mapped->sections[LOUPE_SECTION_NATIVE]
               ? "it has recorded stacks and no native heap"
               : NULL;
}

/* Sections that there must be, and how many elements those of nodes and links have. */
static const char *check_counts(const struct mapped *mapped) {
    const uint64_t *counts = mapped->counts;
    uint64_t nodes = counts[LOUPE_SECTION_ADDRESSES], links = counts[LOUPE_SECTION_TO];
    for (unsigned id = LOUPE_SECTION_FACTS; id <= LOUPE_SECTION_NOTES; id++) {
        if (!mapped->sections[id] && id != LOUPE_SECTION_SLOTS)
            return "a section is missing";
    }
    if (nodes > LOUPE_MAX_NODES || links >= UINT32_MAX)
        return "it has more objects than can be numbered";
    for (unsigned id = LOUPE_SECTION_CLASS_TABLE; id <= LOUPE_SECTION_TEXT; id++) {
        if (counts[id] > UINT32_MAX)
            return "a table is too long";
    }
    if (counts[LOUPE_SECTION_HEAPS] > UINT32_MAX || counts[LOUPE_SECTION_HEAP_RANGES] > UINT32_MAX)
        return "a table is too long";
    const struct {
        unsigned id;
        uint64_t count;
    } wanted[] = {
        {LOUPE_SECTION_FACTS, 1},
        {LOUPE_SECTION_BY_ADDRESS, nodes},
        {LOUPE_SECTION_CLASSES, nodes},
        {LOUPE_SECTION_SIZES, nodes},
        {LOUPE_SECTION_FIRST, nodes + 1},
        {LOUPE_SECTION_KINDS, links},
        {LOUPE_SECTION_ROOT_NODES, counts[LOUPE_SECTION_ROOTS]},
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        if (counts[wanted[i].id] != wanted[i].count)
            return "a section has more or fewer elements than it should";
    }
    if (counts[LOUPE_SECTION_NOTES] > LOUPE_NOTE_COUNT) /* an older Loupe knows fewer of them */
        return "it has notes of a newer Loupe";
    const struct {
        unsigned id;
        uint64_t count;
    } optional[] = {
        {LOUPE_SECTION_SLOTS, links},
        {LOUPE_SECTION_CONTENT_LENGTHS, nodes},
        {LOUPE_SECTION_CONTENT_STARTS, nodes / LOUPE_CONTENT_STEP + 1},
        {LOUPE_SECTION_DOMINATORS, nodes},
        {LOUPE_SECTION_RETAINED, nodes},
        {LOUPE_SECTION_RETAINED_COUNTS, nodes},
        {LOUPE_SECTION_PATHS_FROM, nodes},
        {LOUPE_SECTION_PATH_LEVELS, nodes / 2 + 1},
        {LOUPE_SECTION_PATH_RULES, 1},
        {LOUPE_SECTION_NATIVE, 1},
        {LOUPE_SECTION_LABELS, links},
        {LOUPE_SECTION_RETAIN_COUNTS, nodes},
        {LOUPE_SECTION_MARKS, nodes},
        {LOUPE_SECTION_CLASS_PLACES, counts[LOUPE_SECTION_CLASS_TABLE]},
        {LOUPE_SECTION_ROOT_PLACES, counts[LOUPE_SECTION_ROOTS]},
        {LOUPE_SECTION_RECORDER, 1},
        {LOUPE_SECTION_STACKS, nodes},
    };
    for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++) {
        if (mapped->sections[optional[i].id] && counts[optional[i].id] != optional[i].count)
            return "a section has more or fewer elements than it should";
    }
    const char *problem = check_native_sections(mapped);
    return problem ? problem : check_recorded_sections(mapped);
}

static bool all_below(const uint32_t *numbers, uint64_t count, uint32_t end) {
    uint32_t most = 0;
    for (uint64_t i = 0; i < count; i++)
        most = numbers[i] > most ? numbers[i] : most;
    return !count || most < end;
}

static bool is_below_or_none(uint32_t number, uint32_t end) {
    return number < end || number == UINT32_MAX;
}

static bool in_table(uint64_t first, uint64_t count, uint64_t end) {
    return first + count <= end;
}

static bool classes_are_valid(const struct loupe_snapshot *snapshot) {
    for (uint32_t i = 0; i < snapshot->class_count; i++) {
        const struct loupe_snapshot_class *entry = &snapshot->class_table[i];
        uint64_t fields = (uint64_t)entry->instance_fields + entry->static_fields;
        if (!is_below_or_none(entry->name, snapshot->string_count) ||
            !is_below_or_none(entry->superclass, snapshot->class_count) ||
            !is_below_or_none(entry->node, snapshot->columns.nodes) ||
            entry->kind >= LOUPE_CLASS_KIND_COUNT ||
            !in_table(entry->first_field, fields, snapshot->field_count))
            return false;
    }
    for (uint32_t i = 0; i < snapshot->field_count; i++) {
        if (!is_below_or_none(snapshot->fields[i].name, snapshot->string_count))
            return false;
    }
    return true;
}

static bool roots_are_valid(const struct loupe_snapshot *snapshot) {
    for (uint32_t i = 0; i < snapshot->columns.root_count; i++) {
        const struct loupe_snapshot_root *root = &snapshot->roots[i];
        if (root->node != snapshot->columns.roots[i] || root->kind >= LOUPE_HEAP_ROOT_KIND_COUNT ||
            !is_below_or_none(root->thread, snapshot->thread_count))
            return false;
        if (root->frame != LOUPE_NONE &&
            (root->thread == LOUPE_NONE ||
             root->frame >= snapshot->threads[root->thread].frame_count))
            return false;
    }
    for (uint32_t i = 0; i < snapshot->thread_count; i++) {
        const struct loupe_snapshot_thread *thread = &snapshot->threads[i];
        if (!is_below_or_none(thread->node, snapshot->columns.nodes) ||
            !is_below_or_none(thread->name, snapshot->string_count) ||
            !in_table(thread->first_frame, thread->frame_count, snapshot->frame_count))
            return false;
    }
    for (uint32_t i = 0; i < snapshot->frame_count; i++) {
        const struct loupe_snapshot_frame *frame = &snapshot->frames[i];
        if (!is_below_or_none(frame->class_name, snapshot->string_count) ||
            !is_below_or_none(frame->method, snapshot->string_count) ||
            !is_below_or_none(frame->source, snapshot->string_count))
            return false;
    }
    return true;
}

static bool strings_are_valid(const struct loupe_snapshot *snapshot) {
    for (uint32_t i = 0; i < snapshot->string_count; i++) {
        const struct loupe_snapshot_string *string = &snapshot->strings[i];
        if (!in_table(string->offset, string->length, snapshot->text_size))
            return false;
    }
    return is_below_or_none(snapshot->format, snapshot->string_count);
}

static bool heaps_are_valid(const struct loupe_snapshot *snapshot) {
    for (uint32_t i = 0; i < snapshot->heap_count; i++) {
        if (!is_below_or_none(snapshot->heaps[i].name, snapshot->string_count))
            return false;
    }
    for (uint32_t i = 0; i < snapshot->heap_range_count; i++) {
        const struct loupe_snapshot_heap_range *range = &snapshot->heap_ranges[i];
        if (range->first >= snapshot->columns.nodes ||
            !is_below_or_none(range->heap, snapshot->heap_count) ||
            (i && range->first < snapshot->heap_ranges[i - 1].first))
            return false;
    }
    return true;
}

/* A dominator keeps more nodes than what it dominates, so nothing dominates itself in a circle. */
static bool dominators_are_valid(const struct loupe_snapshot *snapshot) {
    const struct loupe_stored_dominators *stored = &snapshot->dominators;
    uint32_t nodes = snapshot->columns.nodes;
    for (uint32_t i = 0; stored->immediate && i < nodes; i++) {
        uint32_t by = stored->immediate[i];
        if (by < nodes ? stored->counts[by] <= stored->counts[i]
                       : by != nodes && by != LOUPE_NO_NODE)
            return false;
    }
    return true;
}

static bool sizes_are_valid(const struct loupe_snapshot *snapshot) {
    const struct loupe_columns *columns = &snapshot->columns;
    uint64_t large = 0;
    for (uint32_t i = 0; i < columns->nodes; i++)
        large += columns->sizes[i] == LOUPE_LARGE_SIZE;
    for (uint32_t i = 0; i < columns->large_count; i++) {
        if (columns->large[i].node >= columns->nodes ||
            (i && columns->large[i].node <= columns->large[i - 1].node))
            return false;
    }
    return large == columns->large_count;
}

static bool labels_are_valid(const struct loupe_snapshot *snapshot, uint64_t links) {
    const struct loupe_native_heap *native = snapshot->native;
    for (uint32_t i = 0; i < native->label_count; i++) {
        const struct loupe_label *label = &native->label_table[i];
        const uint32_t strings[] = {label->name,       label->path,  label->declared_by,
                                    label->assumption, label->doubt, label->evidence};
        for (unsigned k = 0; k < sizeof(strings) / sizeof(strings[0]); k++) {
            if (!is_below_or_none(strings[k], snapshot->string_count))
                return false;
        }
        if (label->kind >= LOUPE_EDGE_KIND_COUNT)
            return false;
    }
    for (uint64_t i = 0; i < links; i++) {
        if (!is_below_or_none(native->labels[i], native->label_count))
            return false;
    }
    return true;
}

/* Callers come first, so that no stack runs in a circle. */
static bool stacks_are_valid(const struct loupe_snapshot *snapshot) {
    const struct loupe_native_heap *native = snapshot->native;
    uint32_t strings = snapshot->string_count;
    for (uint32_t i = 0; native->recorder && i < snapshot->columns.nodes; i++) {
        if (!is_below_or_none(native->stacks[i], native->call_count))
            return false;
    }
    for (uint32_t i = 0; i < native->call_count; i++) {
        const struct loupe_recorded_call *call = &native->calls[i];
        if (call->frame >= native->frame_count ||
            (call->caller != LOUPE_CALLER_CUT && !is_below_or_none(call->caller, i)))
            return false;
    }
    for (uint32_t i = 0; i < native->frame_count; i++) {
        const struct loupe_recorded_frame *frame = &native->frames[i];
        if (!is_below_or_none(frame->function, strings) ||
            !is_below_or_none(frame->image, strings) || !is_below_or_none(frame->file, strings))
            return false;
    }
    return !native->recorder || native->recorder->state <= LOUPE_RECORDED_OTHER_VERSION;
}

static bool native_is_valid(const struct loupe_snapshot *snapshot, uint64_t links) {
    const struct loupe_native_heap *native = snapshot->native;
    uint32_t strings = snapshot->string_count;
    for (uint32_t i = 0; i < snapshot->columns.root_count; i++) {
        const struct loupe_root_place *place = &native->root_places[i];
        if (!is_below_or_none(place->image, strings) || !is_below_or_none(place->name, strings))
            return false;
    }
    for (uint32_t i = 0; i < native->allocator_count; i++) {
        const struct loupe_heap_allocator *allocator = &native->allocators[i];
        if (!is_below_or_none(allocator->name, strings) ||
            !is_below_or_none(allocator->why, strings))
            return false;
    }
    for (uint32_t i = 0; i < native->remark_count; i++) {
        const struct loupe_heap_remark *remark = &native->remarks[i];
        if (!is_below_or_none(remark->code, strings) || !is_below_or_none(remark->text, strings))
            return false;
    }
    return is_below_or_none(native->abi, strings) && is_below_or_none(native->program, strings) &&
           native->origin <= LOUPE_ORIGIN_CORE && labels_are_valid(snapshot, links) &&
           stacks_are_valid(snapshot);
}

static const char *check(const struct loupe_snapshot *snapshot, uint64_t links) {
    uint32_t nodes = snapshot->columns.nodes;
    if (snapshot->columns.first[nodes] != links)
        return "the links of its objects are not as many as there are";
    if (!loupe_columns_are_valid(&snapshot->columns) || !sizes_are_valid(snapshot))
        return "its objects or references lead outside";
    if (!all_below(snapshot->by_address, nodes, nodes) ||
        !all_below(snapshot->classes, nodes, snapshot->class_count))
        return "an object has a number that there is not";
    if (!strings_are_valid(snapshot) || !classes_are_valid(snapshot) || !roots_are_valid(snapshot))
        return "its classes, roots or names lead outside";
    if (!heaps_are_valid(snapshot))
        return "its heaps lead outside";
    if (!dominators_are_valid(snapshot))
        return "its dominators are no tree";
    if (snapshot->native && !native_is_valid(snapshot, links))
        return "its references, allocators or remarks lead outside";
    if (snapshot->address_size != 4 && snapshot->address_size != 8)
        return "its addresses have neither 4 nor 8 bytes";
    return NULL;
}

/* ---- The snapshot ---- */

static void show_sections(const struct mapped *mapped, struct loupe_snapshot *ret) {
    const void *const *sections = mapped->sections;
    const uint64_t *counts = mapped->counts;
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
    const void *const *sections = mapped->sections;
    const uint64_t *counts = mapped->counts;
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
                                   .remarks = sections[LOUPE_SECTION_REMARKS],
                                   .label_count = (uint32_t)counts[LOUPE_SECTION_LABEL_TABLE],
                                   .allocator_count = (uint32_t)counts[LOUPE_SECTION_ALLOCATORS],
                                   .remark_count = (uint32_t)counts[LOUPE_SECTION_REMARKS],
                                   .abi = about.abi,
                                   .program = about.program,
                                   .origin = about.origin,
                                   .process = about.process,
                                   .raw_blocks = about.raw_blocks,
                                   .raw_bytes = about.raw_bytes};
    mapped->native.recorder = sections[LOUPE_SECTION_RECORDER];
    mapped->native.stacks = sections[LOUPE_SECTION_STACKS];
    mapped->native.calls = sections[LOUPE_SECTION_CALLS];
    mapped->native.frames = sections[LOUPE_SECTION_RECORDED_FRAMES];
    mapped->native.call_count = (uint32_t)counts[LOUPE_SECTION_CALLS];
    mapped->native.frame_count = (uint32_t)counts[LOUPE_SECTION_RECORDED_FRAMES];
    ret->native = &mapped->native;
}

static bool order_classes(struct mapped *mapped, struct loupe_snapshot *snapshot) {
    mapped->class_order = loupe_numbers_get(mapped->chunks, snapshot->class_count);
    snapshot->class_order = mapped->class_order;
    return mapped->class_order &&
           !loupe_snapshot_order_classes(snapshot, mapped->chunks, mapped->class_order);
}

static void show_paths(const struct mapped *mapped, struct loupe_snapshot *ret) {
    const void *const *sections = mapped->sections;
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
    *mapped = (struct mapped){.chunks = chunks};
    struct loupe_snapshot snapshot = {.ops = &ops, .ctx = mapped};
    const char *problem = check_header(bytes, size);
    if (!problem)
        problem = find_sections(mapped, bytes, size);
    if (!problem)
        problem = check_counts(mapped);
    if (!problem) {
        show_sections(mapped, &snapshot);
        show_paths(mapped, &snapshot);
        show_native(mapped, &snapshot);
        problem = check(&snapshot, mapped->counts[LOUPE_SECTION_TO]);
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
