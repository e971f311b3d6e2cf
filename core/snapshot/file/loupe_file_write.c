/* Writes a snapshot: sections are packed once to be measured, then put one behind the other. */
#include "base/numbers.h"
#include "snapshot/file/loupe_file.h"
#include "snapshot/file/loupe_sections.h"
#include "snapshot/values/values.h"

#include <string.h>

enum { BUFFER_SIZE = 1 << 16, MOST_STATIC_BYTES = 1 << 16 };

struct writer {
    const struct loupe_snapshot *snapshot;
    const struct loupe_chunk_ops *chunks;
    struct loupe_sink sink;
    enum loupe_status status; /* the first failure; later calls do nothing */
    bool measures;            /* nothing is written, only counted */
    uint64_t written, used;
    uint32_t *sorted;           /* nodes, by address */
    uint32_t *content_lengths;  /* by node; LOUPE_NONE: not known */
    uint64_t content_size;      /* unpacked */
    uint64_t *content_starts;   /* of each 64th node, packed */
    struct loupe_packer packer; /* of the section that is written */
    char buffer[BUFFER_SIZE];
    uint8_t statics[MOST_STATIC_BYTES]; /* of the class that is written */
};

/* ---- Bytes ---- */

static void flush(struct writer *writer) {
    if (writer->used && !writer->status)
        writer->status = writer->sink.write(writer->sink.ctx, writer->buffer, writer->used);
    writer->used = 0;
}

static void put(struct writer *writer, const void *bytes, uint64_t size) {
    writer->written += size;
    if (writer->measures)
        return;
    if (size > BUFFER_SIZE - writer->used)
        flush(writer);
    if (size > BUFFER_SIZE) {
        if (!writer->status)
            writer->status = writer->sink.write(writer->sink.ctx, bytes, size);
        return;
    }
    if (size)
        memcpy(writer->buffer + writer->used, bytes, size);
    writer->used += size;
}

/* An element of the section. */
static void put_element(struct writer *writer, uint64_t value) {
    uint8_t bytes[LOUPE_PACKED_MOST];
    put(writer, bytes, loupe_pack(&writer->packer, value, bytes));
}

/* An array of numbers, as its section is packed. */
static void put_array(struct writer *writer, const void *elements, uint64_t count) {
    const uint32_t *shorts = elements;
    const uint64_t *longs = elements;
    const uint8_t *bytes = elements;
    unsigned size = writer->packer.element;
    if (writer->packer.packing == LOUPE_PACKED_NOT) {
        put(writer, elements, count * size);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        put_element(writer, size == sizeof(*shorts)  ? shorts[i]
                            : size == sizeof(*longs) ? longs[i]
                                                     : bytes[i]);
}

static void pad(struct writer *writer) {
    static const char zeros[LOUPE_SECTION_ALIGNMENT];
    put(writer, zeros, (0 - writer->written) % LOUPE_SECTION_ALIGNMENT);
}

/* ---- Contents ---- */

/* Values of static fields, as those of an instance; none where they do not fit or are not known. */
static uint32_t statics_of(struct writer *writer, uint32_t class_number, const uint8_t **ret) {
    const struct loupe_snapshot *snapshot = writer->snapshot;
    const struct loupe_snapshot_class *entry = &snapshot->class_table[class_number];
    const struct loupe_snapshot_field *fields =
        &snapshot->fields[entry->first_field + entry->instance_fields];
    uint32_t used = 0;
    for (uint32_t i = 0; i < entry->static_fields; i++) {
        struct loupe_value value;
        uint32_t size = loupe_value_size(fields[i].type, snapshot->address_size);
        if (size > MOST_STATIC_BYTES - used ||
            !loupe_snapshot_static_value(snapshot, class_number, i, &value))
            return LOUPE_NONE;
        loupe_value_encode(value, size, writer->statics + used);
        used += size;
    }
    *ret = writer->statics;
    return used ? used : LOUPE_NONE;
}

static uint32_t content_of(struct writer *writer, uint32_t node, const uint8_t **ret) {
    const struct loupe_snapshot *snapshot = writer->snapshot;
    uint32_t kind = snapshot->class_table[snapshot->classes[node]].kind, is_class;
    uint64_t length;
    if (kind == LOUPE_CLASS_OBJECT_ARRAYS)
        return LOUPE_NONE;
    if (!loupe_snapshot_contents(snapshot, node, ret, &length)) {
        is_class = kind == LOUPE_CLASS_INSTANCES && snapshot->ops->static_value
                       ? loupe_snapshot_class_at(snapshot, node)
                       : LOUPE_NONE;
        return is_class == LOUPE_NONE ? LOUPE_NONE : statics_of(writer, is_class, ret);
    }
    if (kind == LOUPE_CLASS_PRIMITIVE_ARRAYS && length > LOUPE_FILE_ARRAY_BYTES)
        return LOUPE_FILE_ARRAY_BYTES;
    return length < LOUPE_NONE ? (uint32_t)length : LOUPE_NONE;
}

static size_t starts_size(const struct writer *writer) {
    return ((size_t)writer->snapshot->columns.nodes / LOUPE_CONTENT_STEP + 1) * sizeof(uint64_t);
}

static void measure_contents(struct writer *writer) {
    uint32_t nodes = writer->snapshot->columns.nodes;
    const uint8_t *bytes;
    writer->content_lengths = loupe_numbers_get(writer->chunks, nodes);
    writer->content_starts = loupe_chunk_get(writer->chunks, starts_size(writer));
    if (!writer->content_lengths || !writer->content_starts) {
        writer->status = LOUPE_ENOMEM;
        return;
    }
    memset(writer->content_starts, 0, starts_size(writer));
    for (uint32_t i = 0; i < nodes && !writer->status; i++) {
        uint32_t length = content_of(writer, i, &bytes);
        writer->status = loupe_columns_status(&writer->snapshot->columns, true);
        writer->content_lengths[i] = length;
        writer->content_size += length == LOUPE_NONE ? 0 : length;
    }
}

static void put_addresses(struct writer *writer) {
    for (uint32_t i = 0; i < writer->snapshot->columns.nodes; i++)
        put_element(writer, loupe_snapshot_address(writer->snapshot, i));
}

static void put_by_address(struct writer *writer) {
    uint32_t nodes = writer->snapshot->columns.nodes;
    if (!writer->sorted) {
        writer->sorted = loupe_numbers_get(writer->chunks, nodes);
        if (!writer->sorted) {
            writer->status = LOUPE_ENOMEM;
            return;
        }
        loupe_snapshot_sort(writer->snapshot, writer->sorted);
    }
    put_array(writer, writer->sorted, nodes);
}

static void put_content(struct writer *writer, const uint8_t *bytes, uint32_t length,
                        uint64_t *before) {
    uint8_t group[LOUPE_GROUP + 1];
    for (uint32_t i = 0; i < length; i += LOUPE_GROUP) {
        size_t part = length - i < LOUPE_GROUP ? length - i : LOUPE_GROUP;
        put(writer, group, loupe_pack_group(bytes + i, part, before, group));
    }
}

static void put_contents(struct writer *writer) {
    const uint8_t *bytes;
    uint64_t before = 0, start = writer->written;
    for (uint32_t i = 0; i < writer->snapshot->columns.nodes && !writer->status; i++) {
        uint32_t length = content_of(writer, i, &bytes);
        writer->status = loupe_columns_status(&writer->snapshot->columns, true);
        if (i % LOUPE_CONTENT_STEP == 0) {
            writer->content_starts[i / LOUPE_CONTENT_STEP] = writer->written - start;
            before = 0;
        }
        if (length != LOUPE_NONE)
            put_content(writer, bytes, length, &before);
    }
}

/* ---- Slots ---- */

static uint32_t most_links(const struct loupe_columns *columns) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < columns->nodes; i++) {
        uint32_t links = columns->first[i + 1] - columns->first[i];
        most = links > most ? links : most;
    }
    return most;
}

static void put_slots(struct writer *writer) {
    const struct loupe_snapshot *snapshot = writer->snapshot;
    const struct loupe_columns *columns = &snapshot->columns;
    uint32_t room = most_links(columns);
    uint32_t *slots = loupe_numbers_get(writer->chunks, room);
    if (!slots) {
        writer->status = LOUPE_ENOMEM;
        return;
    }
    for (uint32_t i = 0; i < columns->nodes && !writer->status; i++) {
        uint32_t links = columns->first[i + 1] - columns->first[i];
        writer->status = loupe_columns_status(columns, true);
        if (!snapshot->ops->slots(snapshot->ctx, snapshot, i, 0, links, slots))
            memset(slots, 0xff, links * sizeof(*slots)); /* LOUPE_SLOT_UNKNOWN */
        put_array(writer, slots, links);
    }
    loupe_numbers_put(writer->chunks, &slots, room);
}

/* ---- Sections ---- */

struct sections {
    const void *bytes[LOUPE_SECTION_END]; /* NULL: written by a function, or not at all */
    uint64_t counts[LOUPE_SECTION_END], sizes[LOUPE_SECTION_END]; /* elements; bytes in the file */
    bool there[LOUPE_SECTION_END];
};

static void set(struct sections *sections, enum loupe_file_part id, const void *bytes,
                uint64_t count) {
    sections->bytes[id] = bytes;
    sections->counts[id] = count;
    sections->there[id] = true;
}

static void list_columns(const struct loupe_snapshot *snapshot, struct sections *ret) {
    const struct loupe_columns *columns = &snapshot->columns;
    uint64_t nodes = columns->nodes, links = columns->first[nodes];
    set(ret, LOUPE_SECTION_ADDRESSES, NULL, nodes);
    set(ret, LOUPE_SECTION_BY_ADDRESS, NULL, nodes);
    set(ret, LOUPE_SECTION_CLASSES, snapshot->classes, nodes);
    set(ret, LOUPE_SECTION_SIZES, columns->sizes, nodes);
    set(ret, LOUPE_SECTION_LARGE_SIZES, columns->large, columns->large_count);
    set(ret, LOUPE_SECTION_FIRST, columns->first, nodes + 1);
    set(ret, LOUPE_SECTION_TO, columns->to, links);
    set(ret, LOUPE_SECTION_KINDS, columns->kinds, links);
    set(ret, LOUPE_SECTION_ROOT_NODES, columns->roots, columns->root_count);
}

static void list_tables(const struct loupe_snapshot *snapshot, struct sections *ret) {
    set(ret, LOUPE_SECTION_CLASS_TABLE, snapshot->class_table, snapshot->class_count);
    set(ret, LOUPE_SECTION_FIELDS, snapshot->fields, snapshot->field_count);
    set(ret, LOUPE_SECTION_ROOTS, snapshot->roots, snapshot->columns.root_count);
    set(ret, LOUPE_SECTION_THREADS, snapshot->threads, snapshot->thread_count);
    set(ret, LOUPE_SECTION_FRAMES, snapshot->frames, snapshot->frame_count);
    set(ret, LOUPE_SECTION_STRINGS, snapshot->strings, snapshot->string_count);
    set(ret, LOUPE_SECTION_TEXT, snapshot->text, snapshot->text_size);
    set(ret, LOUPE_SECTION_NOTES, snapshot->notes, LOUPE_NOTE_COUNT);
    if (snapshot->heap_count) {
        set(ret, LOUPE_SECTION_HEAPS, snapshot->heaps, snapshot->heap_count);
        set(ret, LOUPE_SECTION_HEAP_RANGES, snapshot->heap_ranges, snapshot->heap_range_count);
    }
}

static void list_native(const struct loupe_snapshot *snapshot,
                        const struct loupe_file_native *about, struct sections *ret) {
    const struct loupe_native_heap *native = snapshot->native;
    uint64_t nodes = snapshot->columns.nodes, links = snapshot->columns.first[nodes];
    set(ret, LOUPE_SECTION_NATIVE, about, 1);
    set(ret, LOUPE_SECTION_LABELS, native->labels, links);
    set(ret, LOUPE_SECTION_RETAIN_COUNTS, native->retain_counts, nodes);
    set(ret, LOUPE_SECTION_MARKS, native->marks, nodes);
    set(ret, LOUPE_SECTION_CLASS_PLACES, native->class_places, snapshot->class_count);
    set(ret, LOUPE_SECTION_LABEL_TABLE, native->label_table, native->label_count);
    set(ret, LOUPE_SECTION_ROOT_PLACES, native->root_places, snapshot->columns.root_count);
    set(ret, LOUPE_SECTION_ALLOCATORS, native->allocators, native->allocator_count);
    set(ret, LOUPE_SECTION_NATIVE_NOTES, native->notes, native->note_count);
    set(ret, LOUPE_SECTION_DANGLING, native->dangling, native->dangling_count);
    set(ret, LOUPE_SECTION_VALUES, native->values, native->value_count);
    set(ret, LOUPE_SECTION_POINTERS, native->pointers, native->pointer_count);
    if (native->field_text_count)
        set(ret, LOUPE_SECTION_FIELD_TEXTS, native->field_texts, native->field_text_count);
    if (native->item_count)
        set(ret, LOUPE_SECTION_ITEMS, native->items, native->item_count);
    if (native->tagging)
        set(ret, LOUPE_SECTION_TAGGING, native->tagging, 1);
    if (snapshot->names.count) {
        set(ret, LOUPE_SECTION_DEBUG_NAMES, snapshot->names.entries, snapshot->names.count);
        set(ret, LOUPE_SECTION_DEBUG_TEXT, snapshot->names.text, snapshot->names.text_size);
    }
    if (!native->recorder)
        return;
    set(ret, LOUPE_SECTION_RECORDER, native->recorder, 1);
    set(ret, LOUPE_SECTION_STACKS, native->stacks, nodes);
    set(ret, LOUPE_SECTION_CALLS, native->calls, native->call_count);
    set(ret, LOUPE_SECTION_RECORDED_FRAMES, native->frames, native->frame_count);
}

static void list_sections(const struct writer *writer, const struct loupe_file_facts *facts,
                          const struct loupe_file_results *results, struct sections *ret) {
    const struct loupe_dominators *dominators = results->dominators;
    const struct loupe_snapshot *snapshot = writer->snapshot;
    uint64_t nodes = snapshot->columns.nodes;
    set(ret, LOUPE_SECTION_FACTS, facts, 1);
    list_columns(snapshot, ret);
    list_tables(snapshot, ret);
    if (snapshot->ops->slots)
        set(ret, LOUPE_SECTION_SLOTS, NULL, snapshot->columns.first[nodes]);
    set(ret, LOUPE_SECTION_CONTENT_LENGTHS, writer->content_lengths, nodes);
    set(ret, LOUPE_SECTION_CONTENT_STARTS, writer->content_starts, nodes / LOUPE_CONTENT_STEP + 1);
    set(ret, LOUPE_SECTION_CONTENTS, NULL, writer->content_size);
    if (dominators) {
        set(ret, LOUPE_SECTION_DOMINATORS, dominators->immediate, nodes);
        set(ret, LOUPE_SECTION_RETAINED, dominators->retained, nodes);
        set(ret, LOUPE_SECTION_RETAINED_COUNTS, dominators->counts, nodes);
    }
    if (results->paths) {
        set(ret, LOUPE_SECTION_PATHS_FROM, results->paths->from, nodes);
        set(ret, LOUPE_SECTION_PATH_LEVELS, results->paths->levels, nodes / 2 + 1);
        set(ret, LOUPE_SECTION_PATH_RULES, &results->rules, 1);
    }
}

static uint64_t aligned(uint64_t offset) {
    return (offset + LOUPE_SECTION_ALIGNMENT - 1) & ~(uint64_t)(LOUPE_SECTION_ALIGNMENT - 1);
}

static uint64_t head_size(const struct sections *sections) {
    uint64_t size = sizeof(struct loupe_file_header);
    /* Cap: all of a table. */
    for (unsigned id = 1; id < LOUPE_SECTION_END; id++)
        size += sections->there[id] ? sizeof(struct loupe_file_section) : 0;
    return aligned(size);
}

static uint64_t file_size(const struct sections *sections) {
    uint64_t size = head_size(sections);
    /* Cap: all of a table. */
    for (unsigned id = 1; id < LOUPE_SECTION_END; id++)
        size = aligned(size + sections->sizes[id]);
    return size;
}

static void put_head(struct writer *writer, const struct sections *sections) {
    struct loupe_file_header header = {.version = LOUPE_FILE_VERSION, .size = file_size(sections)};
    memcpy(header.magic, LOUPE_FILE_MAGIC, sizeof(header.magic));
    /* Cap: all of a table. */
    for (unsigned id = 1; id < LOUPE_SECTION_END; id++)
        header.sections += sections->there[id];
    put(writer, &header, sizeof(header));
    uint64_t offset = head_size(sections);
    /* Cap: all of a table. */
    for (unsigned id = 1; id < LOUPE_SECTION_END; id++) {
        if (!sections->there[id])
            continue;
        struct loupe_file_section section = {.id = id,
                                             .element_size = loupe_section_element_sizes[id],
                                             .offset = offset,
                                             .count = sections->counts[id],
                                             .size = sections->sizes[id],
                                             .packing = loupe_section_packings[id]};
        put(writer, &section, sizeof(section));
        offset = aligned(offset + section.size);
    }
    pad(writer);
}

static void put_section(struct writer *writer, const struct sections *sections, unsigned id) {
    uint8_t rest = 0;
    writer->packer = (struct loupe_packer){.packing = loupe_section_packings[id],
                                           .element = loupe_section_element_sizes[id]};
    if (id == LOUPE_SECTION_ADDRESSES)
        put_addresses(writer);
    else if (id == LOUPE_SECTION_BY_ADDRESS)
        put_by_address(writer);
    else if (id == LOUPE_SECTION_SLOTS)
        put_slots(writer);
    else if (id == LOUPE_SECTION_CONTENTS)
        put_contents(writer);
    else
        put_array(writer, sections->bytes[id], sections->counts[id]);
    size_t length = loupe_pack_end(&writer->packer, &rest);
    put(writer, &rest, length);
}

/* From the last to the first: where contents start is known when they were packed. */
static void measure_sections(struct writer *writer, struct sections *sections) {
    writer->measures = true;
    for (unsigned id = LOUPE_SECTION_END; --id && !writer->status;) {
        uint64_t before = writer->written;
        if (sections->there[id])
            put_section(writer, sections, id);
        sections->sizes[id] = writer->written - before;
    }
    writer->measures = false;
    writer->written = 0;
}

static void put_sections(struct writer *writer, const struct sections *sections) {
    /* Cap: all of a table. */
    for (unsigned id = 1; id < LOUPE_SECTION_END && !writer->status; id++) {
        if (!sections->there[id])
            continue;
        put_section(writer, sections, id);
        pad(writer);
    }
}

/* ---- The file ---- */

/* What is to be written, and what of it stands nowhere else. */
struct plan {
    struct sections sections;
    struct loupe_file_facts facts;
    struct loupe_file_native native;
};

static struct loupe_file_native native_facts(const struct loupe_native_heap *native) {
    return (struct loupe_file_native){.process = native->process,
                                      .raw_blocks = native->raw_blocks,
                                      .raw_bytes = native->raw_bytes,
                                      .abi = native->abi,
                                      .program = native->program,
                                      .origin = native->origin};
}

static void make_plan(struct writer *writer, const struct loupe_file_results *results,
                      struct plan *ret) {
    const struct loupe_snapshot *snapshot = writer->snapshot;
    *ret = (struct plan){.facts = {.bytes = snapshot->bytes,
                                   .time = snapshot->time,
                                   .address_size = snapshot->address_size,
                                   .reference_size = snapshot->reference_size,
                                   .format = snapshot->format,
                                   .flags = snapshot->is_big_endian ? LOUPE_FILE_BIG_ENDIAN : 0}};
    measure_contents(writer);
    if (writer->status)
        return;
    list_sections(writer, &ret->facts, results, &ret->sections);
    if (snapshot->native) {
        ret->native = native_facts(snapshot->native);
        list_native(snapshot, &ret->native, &ret->sections);
    }
    measure_sections(writer, &ret->sections);
}

/* NULL: no memory. */
static struct writer *make_writer(const struct loupe_snapshot *snapshot,
                                  const struct loupe_chunk_ops *chunks) {
    struct writer *writer = loupe_chunk_get(chunks, sizeof(*writer));
    if (!writer)
        return NULL;
    writer->snapshot = snapshot;
    writer->chunks = chunks;
    writer->status = LOUPE_OK;
    writer->written = writer->used = writer->content_size = 0;
    writer->content_lengths = writer->sorted = NULL;
    writer->content_starts = NULL;
    writer->measures = false;
    return writer;
}

static enum loupe_status end_writer(struct writer *writer) {
    enum loupe_status status = writer->status;
    if (writer->content_lengths)
        loupe_numbers_put(writer->chunks, &writer->content_lengths,
                          writer->snapshot->columns.nodes);
    if (writer->sorted)
        loupe_numbers_put(writer->chunks, &writer->sorted, writer->snapshot->columns.nodes);
    if (writer->content_starts)
        loupe_chunk_put(writer->chunks, writer->content_starts, starts_size(writer));
    loupe_chunk_put(writer->chunks, writer, sizeof(*writer));
    return status;
}

enum loupe_status loupe_file_write(const struct loupe_snapshot *snapshot,
                                   const struct loupe_file_results *results,
                                   const struct loupe_chunk_ops *chunks, struct loupe_sink sink) {
    struct writer *writer = make_writer(snapshot, chunks);
    struct plan plan;
    if (!writer)
        return LOUPE_ENOMEM;
    writer->sink = sink;
    make_plan(writer, results, &plan);
    if (!writer->status) {
        put_head(writer, &plan.sections);
        put_sections(writer, &plan.sections);
        flush(writer);
    }
    return end_writer(writer);
}

enum loupe_status loupe_file_measure(const struct loupe_snapshot *snapshot,
                                     const struct loupe_file_results *results,
                                     const struct loupe_chunk_ops *chunks, uint64_t *ret) {
    struct writer *writer = make_writer(snapshot, chunks);
    struct plan plan;
    if (!writer)
        return LOUPE_ENOMEM;
    make_plan(writer, results, &plan);
    *ret = writer->status ? 0 : file_size(&plan.sections);
    return end_writer(writer);
}
