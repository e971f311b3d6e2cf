#include "snapshot/file/loupe_file_check.h"

#include "recorded/recorded.h"
#include "snapshot/file/loupe_sections.h"
#include "snapshot/native.h"

/* ---- The tables ---- */

/* Those of a native heap are all there, or none. */
static const char *check_native_sections(const struct loupe_file_tables *tables) {
    bool native = tables->bytes[LOUPE_SECTION_NATIVE];
    /* Cap: all of a table. */
    for (unsigned id = LOUPE_SECTION_NATIVE; id <= LOUPE_SECTION_NATIVE_NOTES; id++) {
        if (native != !!tables->bytes[id])
            return "a section of a native heap is missing";
        if (tables->counts[id] > UINT32_MAX)
            return "a table is too long";
    }
    return native && !tables->bytes[LOUPE_SECTION_SLOTS] ? "a section of a native heap is missing"
                                                         : NULL;
}

static const char *check_recorded_sections(const struct loupe_file_tables *tables) {
    bool recorded = tables->bytes[LOUPE_SECTION_RECORDER];
    /* Cap: all sections of a kind. */
    for (unsigned id = LOUPE_SECTION_RECORDER; id <= LOUPE_SECTION_RECORDED_FRAMES; id++) {
        if (recorded != !!tables->bytes[id])
            return "a section of recorded stacks is missing";
        if (tables->counts[id] > UINT32_MAX)
            return "a table is too long";
    }
    return recorded && !tables->bytes[LOUPE_SECTION_NATIVE]
               ? "it has recorded stacks and no native heap"
               : NULL;
}

static const char *check_name_sections(const struct loupe_file_tables *tables) {
    bool named = tables->bytes[LOUPE_SECTION_DEBUG_NAMES];
    if (named != !!tables->bytes[LOUPE_SECTION_DEBUG_TEXT])
        return "a section of names is missing";
    if (tables->counts[LOUPE_SECTION_DEBUG_NAMES] > UINT32_MAX)
        return "a table is too long";
    return named && !tables->bytes[LOUPE_SECTION_NATIVE] ? "it has names and no native heap" : NULL;
}

/* Of sections that may be missing. */
static const char *check_optional_counts(const struct loupe_file_tables *tables) {
    const uint64_t *counts = tables->counts;
    uint64_t nodes = counts[LOUPE_SECTION_ADDRESSES], links = counts[LOUPE_SECTION_TO];
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
        {LOUPE_SECTION_TAGGING, 1},
        {LOUPE_SECTION_STACKS, nodes},
    };
    for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++) {
        if (tables->bytes[optional[i].id] && counts[optional[i].id] != optional[i].count)
            return "a section has more or fewer elements than it should";
    }
    if (counts[LOUPE_SECTION_DANGLING] > LOUPE_MOST_DANGLING ||
        counts[LOUPE_SECTION_ITEMS] > LOUPE_MOST_VALUE_ITEMS)
        return "a table is too long";
    if (counts[LOUPE_SECTION_VALUES] > nodes ||
        (tables->bytes[LOUPE_SECTION_VALUES] && !tables->bytes[LOUPE_SECTION_NATIVE]))
        return "it has more values than objects";
    return counts[LOUPE_SECTION_FIELD_TEXTS] > UINT32_MAX ? "a table is too long" : NULL;
}

const char *loupe_file_check_counts(const struct loupe_file_tables *tables) {
    const uint64_t *counts = tables->counts;
    uint64_t nodes = counts[LOUPE_SECTION_ADDRESSES], links = counts[LOUPE_SECTION_TO];
    /* Cap: all of a table. */
    for (unsigned id = LOUPE_SECTION_FACTS; id <= LOUPE_SECTION_NOTES; id++) {
        if (!tables->bytes[id] && id != LOUPE_SECTION_SLOTS)
            return "a section is missing";
    }
    if (nodes > LOUPE_MAX_NODES || links >= UINT32_MAX)
        return "it has more objects than can be numbered";
    /* Cap: all of a table. */
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
    const char *problem = check_optional_counts(tables);
    if (!problem)
        problem = check_native_sections(tables);
    if (!problem)
        problem = check_recorded_sections(tables);
    return problem ? problem : check_name_sections(tables);
}

/* ---- What stands in them ---- */

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
        if (root->node != snapshot->columns.roots[i] || root->kind >= LOUPE_ROOT_KIND_COUNT ||
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

static bool dangling_are_valid(const struct loupe_snapshot *snapshot) {
    const struct loupe_native_heap *native = snapshot->native;
    for (uint32_t i = 0; i < native->dangling_count; i++) {
        const struct loupe_dangling *dangling = &native->dangling[i];
        if (dangling->from >= snapshot->columns.nodes ||
            (i && dangling->from < native->dangling[i - 1].from) ||
            dangling->label >= native->label_count || dangling->kind >= LOUPE_LINK_KIND_COUNT ||
            !is_below_or_none(dangling->was, snapshot->string_count) ||
            !is_below_or_none(dangling->why, snapshot->string_count))
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

static bool values_are_valid(const struct loupe_snapshot *snapshot) {
    const struct loupe_native_heap *native = snapshot->native;
    for (uint32_t i = 0; i < native->value_count; i++) {
        if (native->values[i].node >= snapshot->columns.nodes ||
            !is_below_or_none(native->values[i].text, snapshot->string_count))
            return false;
    }
    return true;
}

/* They are searched for by class. */
static bool pointers_are_valid(const struct loupe_snapshot *snapshot) {
    const struct loupe_native_heap *native = snapshot->native;
    for (uint32_t i = 0; i < native->pointer_count; i++) {
        const struct loupe_pointer_ivar *pointer = &native->pointers[i];
        if (pointer->class_number >= snapshot->class_count ||
            (i && pointer->class_number < native->pointers[i - 1].class_number) ||
            !is_below_or_none(pointer->name, snapshot->string_count))
            return false;
    }
    return true;
}

/* They are searched for by node. */
static bool field_texts_are_valid(const struct loupe_snapshot *snapshot) {
    const struct loupe_native_heap *native = snapshot->native;
    for (uint32_t i = 0; i < native->field_text_count; i++) {
        const struct loupe_field_text *said = &native->field_texts[i];
        if (said->node >= snapshot->columns.nodes ||
            (i && said->node < native->field_texts[i - 1].node) ||
            !is_below_or_none(said->text, snapshot->string_count))
            return false;
    }
    return true;
}

static bool items_are_valid(const struct loupe_snapshot *snapshot) {
    const struct loupe_native_heap *native = snapshot->native;
    for (uint32_t i = 0; i < native->item_count; i++) {
        const struct loupe_value_item *item = &native->items[i];
        if (item->node >= snapshot->columns.nodes || item->label >= native->label_count ||
            (i && item->node < native->items[i - 1].node))
            return false;
    }
    return true;
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
    for (uint32_t i = 0; i < native->note_count; i++) {
        const struct loupe_heap_note *note = &native->notes[i];
        if (!is_below_or_none(note->code, strings) || !is_below_or_none(note->text, strings))
            return false;
    }
    if (native->tagging && native->tagging->form >= LOUPE_TAG_FORM_COUNT)
        return false;
    return is_below_or_none(native->abi, strings) && is_below_or_none(native->program, strings) &&
           native->origin <= LOUPE_ORIGIN_CORE && labels_are_valid(snapshot, links) &&
           values_are_valid(snapshot) && pointers_are_valid(snapshot) &&
           field_texts_are_valid(snapshot) && items_are_valid(snapshot) &&
           dangling_are_valid(snapshot) && stacks_are_valid(snapshot);
}

const char *loupe_file_check(const struct loupe_snapshot *snapshot, uint64_t links) {
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
        return "its references, allocators or notes point outside";
    if (!loupe_debug_names_are_valid(&snapshot->names))
        return "its names lead outside, or are not sorted";
    if (snapshot->address_size != 4 && snapshot->address_size != 8)
        return "its addresses have neither 4 nor 8 bytes";
    return NULL;
}
