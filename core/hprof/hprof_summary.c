/* One pass over a heap dump that comes byte after byte. */
#include "hprof/hprof_summary.h"

#include "hprof/hprof_heap.h"
#include "hprof/hprof_stream.h"

enum {
    MOST_NAMES = 64 << 20,   /* bytes: strings and loaded classes */
    LONGEST_NAME = 1 << 16,  /* no class has a longer one */
    MOST_CLASSES = 48 << 20, /* bytes of their records, and of objects that tell sizes */
    SAMPLE = 4 << 20,        /* of the latter */
    LONGEST_SAMPLED = 1 << 14,
    MOST_COUNTED = 1 << 20, /* classes */
    MOST_WAITING = 1 << 12, /* arrays, until it is known how large arrays are */
    LONGEST_CLASS = 16 << 20,
    LONGEST_FIXED = 64 /* of a record, what is not variable */
};

/* What was counted of a class. */
struct counted {
    uint64_t id;
    uint64_t instances, data; /* data: bytes of their fields in the dump */
    struct loupe_class_sum arrays;
};

/* An array whose size is not known yet. */
struct waiting {
    uint64_t class_id; /* 0: of primitives */
    uint32_t type, length;
};

struct summing {
    struct hprof_stream stream;
    struct hprof_header header;
    struct loupe_hprof_options options;
    struct hprof_kept names, kept; /* kept: records of the heap */
    struct loupe_map number_of;    /* id -> counted */
    struct loupe_vector counted, waiting;
    struct loupe_class_sum primitives[HPROF_PRIMITIVE_TYPES];
    struct loupe_class_sum unnamed;
    struct loupe_size_model model;
    bool has_model, is_chosen; /* is_chosen: this dump of the file is asked about */
    size_t sampled;
    uint32_t dumps;
    uint64_t records;
    struct loupe_snapshot_noted notes[LOUPE_NOTE_COUNT];
};

static void note(struct summing *summing, enum loupe_snapshot_note what, uint64_t example) {
    struct loupe_snapshot_noted *noted = &summing->notes[what];
    if (!noted->count++)
        noted->example = example;
}

/* ---- The small dump ---- */

static void put_u4(uint8_t *to, uint32_t number) {
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(number >> 8 * (3 - i));
}

/* Opens what was kept: what stands before the heap, and the heap as one segment. The bytes have to
 * stay. */
static enum loupe_status open_kept(struct summing *summing, struct loupe_snapshot *ret,
                                   struct loupe_error *err) {
    struct hprof_kept *names = &summing->names;
    uint8_t head[HPROF_RECORD_HEADER] = {HPROF_HEAP_SEGMENT};
    static const uint8_t end[HPROF_RECORD_HEADER] = {HPROF_HEAP_END};
    struct loupe_hprof_options options = {.as_java = true,
                                          .sizes_of_visualvm = summing->options.sizes_of_visualvm};
    names->most = SIZE_MAX / 4;
    put_u4(head + 5, (uint32_t)summing->kept.used);
    bool is_whole = hprof_keep(&summing->stream, names, head, sizeof(head)) &&
                    (!summing->kept.used || hprof_keep(&summing->stream, names, summing->kept.bytes,
                                                       summing->kept.used)) &&
                    hprof_keep(&summing->stream, names, end, sizeof(end));
    if (!is_whole)
        return loupe_fail(err, LOUPE_ENOMEM, 0, "out of memory while counting classes");
    return loupe_hprof_open(names->bytes, names->used, summing->stream.chunks, &options, ret, err);
}

/* How large objects are, by those that were kept so far. */
static void tell_model(struct summing *summing) {
    size_t used = summing->names.used, most = summing->names.most;
    struct loupe_snapshot snapshot;
    struct loupe_error ignored;
    enum loupe_status status = open_kept(summing, &snapshot, &ignored);
    if (!status) {
        summing->model = ((const struct hprof_heap *)snapshot.ctx)->size_model;
        loupe_snapshot_deinit(&snapshot);
        summing->has_model = true;
    }
    if (!summing->stream.status)
        summing->stream.status = status;
    summing->names.used = used;
    summing->names.most = most;
}

/* ---- Counting ---- */

static struct counted *counted_of(struct summing *summing, uint64_t id) {
    uint32_t number;
    if (loupe_map_find(&summing->number_of, id, &number))
        return loupe_vector_at(&summing->counted, number, sizeof(struct counted));
    if (summing->counted.count == MOST_COUNTED)
        return NULL;
    struct counted *counted = loupe_vector_add(&summing->counted);
    if (!counted || loupe_map_put(&summing->number_of, id, summing->counted.count - 1)) {
        summing->stream.status = LOUPE_ENOMEM;
        return NULL;
    }
    *counted = (struct counted){.id = id};
    return counted;
}

static void add_array(struct summing *summing, const struct waiting *array) {
    uint32_t element = array->class_id ? 0 : hprof_value_size(array->type, 0);
    struct counted *counted = array->class_id ? counted_of(summing, array->class_id) : NULL;
    struct loupe_class_sum *sum = counted           ? &counted->arrays
                                  : array->class_id ? &summing->unnamed
                                                    : &summing->primitives[array->type];
    sum->count++;
    sum->bytes += loupe_size_of_array(&summing->model, element, array->length);
}

static void add_waiting(struct summing *summing) {
    for (uint32_t i = 0; i < summing->waiting.count; i++)
        add_array(summing, loupe_vector_at(&summing->waiting, i, sizeof(struct waiting)));
    summing->waiting.count = 0;
}

static void stop_sampling(struct summing *summing) {
    tell_model(summing);
    if (summing->has_model)
        add_waiting(summing);
}

static void count_array(struct summing *summing, uint64_t class_id, uint32_t type,
                        uint32_t length) {
    struct waiting array = {class_id, type, length};
    if (!summing->has_model && summing->waiting.count == MOST_WAITING)
        stop_sampling(summing);
    if (summing->has_model) {
        add_array(summing, &array);
        return;
    }
    struct waiting *added = summing->stream.status ? NULL : loupe_vector_add(&summing->waiting);
    if (added)
        *added = array;
    else
        summing->stream.status = LOUPE_ENOMEM;
}

static void count_instance(struct summing *summing, uint64_t class_id, uint32_t length) {
    struct counted *counted = counted_of(summing, class_id);
    if (!counted) {
        summing->unnamed.count++;
        return;
    }
    counted->instances++;
    counted->data += length;
}

/* ---- Records of the heap ---- */

/* Of an object with contents: how long it is without them; 0: it is something else. */
static size_t fixed_part(uint8_t tag, uint32_t id_size) {
    switch (tag) {
    case HPROF_INSTANCE:
    case HPROF_OBJECT_ARRAY:
        return 1 + 2 * id_size + 8;
    case HPROF_PRIMITIVE_ARRAY:
        return 1 + id_size + 9;
    default:
        return 0;
    }
}

/* In the window is its fixed part. */
static struct hprof_object read_fixed(const uint8_t *at, uint32_t id_size) {
    struct hprof_object ret = {.tag = at[0], .id = hprof_id(at + 1, id_size)};
    if (ret.tag == HPROF_INSTANCE) {
        ret.class_id = hprof_id(at + id_size + 5, id_size);
        ret.count = hprof_u4(at + 2 * id_size + 5);
        ret.body_length = ret.count;
        return ret;
    }
    ret.count = hprof_u4(at + id_size + 5);
    if (ret.tag == HPROF_OBJECT_ARRAY) {
        ret.class_id = hprof_id(at + id_size + 9, id_size);
        ret.body_length = (uint64_t)ret.count * id_size;
    } else {
        ret.type = at[id_size + 9];
        ret.body_length = (uint64_t)ret.count * hprof_value_size(ret.type, 0);
    }
    return ret;
}

static void count_object(struct summing *summing, const struct hprof_object *object) {
    if (object->tag == HPROF_INSTANCE)
        count_instance(summing, object->class_id, object->count);
    else
        count_array(summing, object->tag == HPROF_OBJECT_ARRAY ? object->class_id : 0, object->type,
                    object->count);
}

/* Those that are kept are counted in the end, as the small dump has them. */
static bool sample(struct summing *summing, uint64_t length) {
    if (summing->has_model || length > LONGEST_SAMPLED)
        return false;
    if (summing->sampled + length > SAMPLE) {
        stop_sampling(summing);
        return false;
    }
    summing->sampled += length;
    return hprof_stream_keep(&summing->stream, &summing->kept, length);
}

static enum hprof_step take_object(struct summing *summing, size_t fixed, uint64_t *left) {
    struct hprof_stream *stream = &summing->stream;
    size_t there = hprof_stream_fill(stream, fixed);
    if (there < fixed || *left < fixed)
        return HPROF_STEP_CUT;
    struct hprof_object object = read_fixed(hprof_stream_at(stream), summing->header.id_size);
    uint64_t length = fixed + object.body_length;
    bool is_known = object.tag != HPROF_PRIMITIVE_ARRAY || hprof_value_size(object.type, 0);
    bool is_last = stream->is_over && length > hprof_stream_fill(stream, fixed);
    if (!is_known || length > *left || is_last)
        return HPROF_STEP_CUT;
    *left -= length;
    if (sample(summing, length))
        return HPROF_STEP_OBJECT;
    if (hprof_stream_skip(stream, length) < length)
        return HPROF_STEP_CUT;
    count_object(summing, &object);
    return HPROF_STEP_OBJECT;
}

/* The record in the window, once all of it is there. */
static enum hprof_step see_small(struct summing *summing, uint64_t left, struct hprof_object *ret,
                                 size_t *length_ret) {
    struct hprof_stream *stream = &summing->stream;
    for (size_t wanted = LONGEST_FIXED;; wanted *= 2) {
        size_t there = hprof_stream_fill(stream, wanted);
        bool is_all = there < wanted || there >= left || wanted > LONGEST_CLASS;
        const uint8_t *start = hprof_stream_at(stream), *at = start;
        const uint8_t *end = start + (there < left ? there : (size_t)left);
        *ret = (struct hprof_object){.tag = *start};
        enum hprof_step step = hprof_next_small(&at, end, summing->header.id_size, ret);
        if (step != HPROF_STEP_CUT || is_all) {
            *length_ret = (size_t)(at - start);
            return step;
        }
    }
}

/* Classes, and what says nothing of sizes. */
static enum hprof_step take_small(struct summing *summing, uint64_t *left) {
    struct hprof_object object;
    size_t length;
    enum hprof_step step = see_small(summing, *left, &object, &length);
    if (step != HPROF_STEP_OBJECT)
        return step;
    *left -= length;
    if (object.tag == HPROF_CLASS && hprof_stream_keep(&summing->stream, &summing->kept, length))
        return step;
    if (object.tag == HPROF_CLASS)
        note(summing, LOUPE_NOTE_LIMIT, object.id);
    else
        hprof_stream_skip(&summing->stream, length);
    if (object.tag == HPROF_ARRAY_WITHOUT_DATA) {
        note(summing, LOUPE_NOTE_NO_DATA, object.id);
        count_array(summing, 0, object.type, object.count);
    }
    return step;
}

static void tell_progress(struct summing *summing) {
    const struct loupe_hprof_options *options = &summing->options;
    enum { RECORDS_BETWEEN = 1 << 14 };
    if (++summing->records % RECORDS_BETWEEN || !options->progress)
        return;
    if (options->progress(options->progress_ctx, summing->stream.position,
                          summing->stream.source->size) &&
        !summing->stream.status)
        summing->stream.status = LOUPE_ETIMEOUT;
}

/* Up to `left` bytes of a dump, or to the end of all. */
static void take_segment(struct summing *summing, uint64_t left) {
    struct hprof_stream *stream = &summing->stream;
    enum hprof_step step = HPROF_STEP_OBJECT;
    uint64_t at = stream->position;
    while (left && step == HPROF_STEP_OBJECT && hprof_stream_fill(stream, 1) && !stream->status) {
        at = stream->position;
        size_t fixed = fixed_part(*hprof_stream_at(stream), summing->header.id_size);
        step = fixed ? take_object(summing, fixed, &left) : take_small(summing, &left);
        tell_progress(summing);
    }
    if (stream->status)
        return;
    /* Where the file ends before its record says so, that was noted by its record. */
    if (step == HPROF_STEP_UNKNOWN)
        note(summing, LOUPE_NOTE_UNKNOWN_OBJECT, at);
    else if (step == HPROF_STEP_CUT)
        note(summing, stream->is_over ? LOUPE_NOTE_CUT_OFF : LOUPE_NOTE_BAD_OBJECT, at);
    else if (left)
        note(summing, LOUPE_NOTE_CUT_OFF, stream->position);
    hprof_stream_skip(stream, left);
}

/* ---- Records of the file ---- */

static void forget_heap(struct summing *summing) {
    summing->kept.used = summing->sampled = 0;
    summing->has_model = false;
    summing->counted.count = summing->waiting.count = 0;
    loupe_map_clear(&summing->number_of);
    memset(summing->primitives, 0, sizeof(summing->primitives));
    summing->unnamed = (struct loupe_class_sum){0};
}

/* The last dump of a file is asked about, unless another one is. */
static void begin_dump(struct summing *summing) {
    bool was_chosen = summing->is_chosen;
    summing->dumps++;
    summing->is_chosen = !summing->options.dump || summing->options.dump == summing->dumps;
    if (summing->dumps > 1 && (was_chosen || !summing->is_chosen))
        note(summing, LOUPE_NOTE_OTHER_DUMP, summing->stream.position);
    if (summing->is_chosen)
        forget_heap(summing);
}

/* As hprof_next_record() takes it: a dump in one record may be longer than its length can say. */
static uint64_t heap_length(struct summing *summing, uint8_t tag, uint32_t said) {
    struct hprof_stream *stream = &summing->stream;
    uint64_t size = stream->source->size;
    uint64_t left = size > stream->position ? size - stream->position : 0;
    bool is_longer = tag == HPROF_HEAP_DUMP && left > UINT32_MAX && (uint32_t)(left - said) == 0;
    if (is_longer)
        return left;
    if (said || !hprof_stream_fill(stream, HPROF_RECORD_HEADER))
        return said;
    /* One that was never closed goes on to the end. */
    uint8_t next = *hprof_stream_at(stream);
    bool is_object = fixed_part(next, 8) || next == HPROF_CLASS || next >= 0x80;
    return is_object ? UINT64_MAX : 0;
}

static void take_heap(struct summing *summing, uint8_t tag, uint32_t said, bool *in_segments) {
    bool is_segment = tag == HPROF_HEAP_SEGMENT;
    if (!is_segment || !*in_segments)
        begin_dump(summing);
    *in_segments = is_segment;
    uint64_t length = heap_length(summing, tag, said);
    if (!summing->is_chosen) {
        hprof_stream_skip(&summing->stream, length);
        return;
    }
    take_segment(summing, length);
}

/* What names classes is kept, with the head of its record. */
static void take_name(struct summing *summing, const uint8_t *head, uint32_t length) {
    struct hprof_kept *names = &summing->names;
    struct hprof_stream *stream = &summing->stream;
    size_t before = names->used;
    uint64_t start = stream->position;
    if (length > LONGEST_NAME || !hprof_keep(stream, names, head, HPROF_RECORD_HEADER))
        hprof_stream_skip(stream, length);
    else if (!hprof_stream_keep(stream, names, length))
        names->used = before;
    if (stream->position - start < length)
        note(summing, LOUPE_NOTE_CUT_OFF, stream->position);
}

static void take_record(struct summing *summing, bool *in_segments) {
    struct hprof_stream *stream = &summing->stream;
    uint8_t head[HPROF_RECORD_HEADER];
    memcpy(head, hprof_stream_at(stream), sizeof(head));
    hprof_stream_skip(stream, sizeof(head));
    uint32_t length = hprof_u4(head + 5);
    switch (head[0]) {
    case HPROF_HEAP_DUMP:
    case HPROF_HEAP_SEGMENT:
        take_heap(summing, head[0], length, in_segments);
        return;
    case HPROF_STRING:
    case HPROF_LOAD_CLASS:
        take_name(summing, head, length);
        return;
    case HPROF_HEAP_END:
        *in_segments = false;
        break;
    case HPROF_UNLOAD_CLASS:
    case HPROF_FRAME:
    case HPROF_TRACE:
    case HPROF_ALLOC_SITES:
    case HPROF_HEAP_SUMMARY:
    case HPROF_START_THREAD:
    case HPROF_END_THREAD:
    case HPROF_CPU_SAMPLES:
    case HPROF_CONTROL_SETTINGS:
        break;
    default:
        note(summing, LOUPE_NOTE_UNKNOWN_RECORD, stream->position - sizeof(head));
    }
    if (hprof_stream_skip(stream, length) < length)
        note(summing, LOUPE_NOTE_CUT_OFF, stream->position);
}

static void take_all(struct summing *summing) {
    struct hprof_stream *stream = &summing->stream;
    bool in_segments = false;
    while (!stream->status && hprof_stream_fill(stream, HPROF_RECORD_HEADER)) {
        if (hprof_stream_fill(stream, HPROF_RECORD_HEADER) < HPROF_RECORD_HEADER) {
            note(summing, LOUPE_NOTE_CUT_OFF, stream->position);
            break;
        }
        take_record(summing, &in_segments);
    }
    if (in_segments && !summing->notes[LOUPE_NOTE_CUT_OFF].count)
        note(summing, LOUPE_NOTE_CUT_OFF, stream->position);
}

/* ---- Sums ---- */

static void add_sum(struct loupe_hprof_summary *ret, uint32_t class_number, uint64_t count,
                    uint64_t bytes) {
    struct loupe_class_sum *sum =
        class_number == LOUPE_NONE ? &ret->unnamed : &ret->sums[class_number];
    sum->count += count;
    sum->bytes += bytes;
    ret->objects += count;
    ret->bytes += bytes;
}

static void add_counted(const struct summing *summing, struct loupe_hprof_summary *ret,
                        const struct counted *counted) {
    const struct hprof_heap *heap = ret->classes.ctx;
    uint32_t number = LOUPE_NONE;
    bool is_known = loupe_map_find(&heap->class_by_id, counted->id, &number);
    uint64_t size = is_known ? ret->classes.class_table[number].instance_size : 0;
    if (!size && counted->instances) /* of a class that is not described */
        size = loupe_size_of_instance(&summing->model, 0, counted->data / counted->instances, 0);
    add_sum(ret, is_known ? number : LOUPE_NONE, counted->instances, counted->instances * size);
    add_sum(ret, is_known ? number : LOUPE_NONE, counted->arrays.count, counted->arrays.bytes);
}

static void add_up(const struct summing *summing, struct loupe_hprof_summary *ret) {
    const struct loupe_snapshot *classes = &ret->classes;
    const struct hprof_heap *heap = classes->ctx;
    for (uint32_t node = 0; node < classes->columns.nodes; node++)
        add_sum(ret, classes->classes[node], 1, loupe_columns_size(&classes->columns, node));
    for (uint32_t i = 0; i < summing->counted.count; i++)
        add_counted(summing, ret, loupe_vector_at(&summing->counted, i, sizeof(struct counted)));
    /* Cap: all types. */
    for (uint32_t type = 0; type < HPROF_PRIMITIVE_TYPES; type++)
        add_sum(ret, heap->primitive_arrays[type], summing->primitives[type].count,
                summing->primitives[type].bytes);
    add_sum(ret, LOUPE_NONE, summing->unnamed.count, summing->unnamed.bytes);
}

static enum loupe_status finish(struct summing *summing, struct loupe_hprof_summary *ret,
                                struct loupe_error *err) {
    if (!summing->has_model)
        stop_sampling(summing);
    if (summing->stream.status)
        return loupe_fail(err, summing->stream.status, 0, "out of memory while counting classes");
    enum loupe_status status = open_kept(summing, &ret->classes, err);
    if (status)
        return status;
    const struct loupe_chunk_ops *chunks = summing->stream.chunks;
    size_t room = (ret->classes.class_count + (size_t)1) * sizeof(*ret->sums);
    ret->sums = loupe_chunk_get(chunks, room);
    if (!ret->sums) {
        loupe_snapshot_deinit(&ret->classes);
        return loupe_fail(err, LOUPE_ENOMEM, 0, "out of memory while counting classes");
    }
    memset(ret->sums, 0, room);
    ret->chunks = chunks;
    ret->read = summing->stream.position;
    ret->dump = summing->names.bytes; /* they go with the names in it */
    ret->dump_room = summing->names.room;
    summing->names.bytes = NULL;
    summing->names.room = 0;
    memcpy(ret->classes.notes, summing->notes, sizeof(summing->notes));
    add_up(summing, ret);
    return LOUPE_OK;
}

/* ---- All ---- */

static enum loupe_status begin(struct summing *summing, struct loupe_error *err) {
    struct hprof_stream *stream = &summing->stream;
    size_t there = hprof_stream_fill(stream, LONGEST_FIXED);
    if (stream->status)
        return loupe_fail(err, stream->status, 0, "it cannot be read");
    if (!hprof_read_header(hprof_stream_at(stream), there, &summing->header))
        return hprof_fail_header(err);
    if (hprof_stream_keep(stream, &summing->names, summing->header.length))
        return LOUPE_OK;
    return loupe_fail(err, LOUPE_ENOMEM, 0, "out of memory while counting classes");
}

static enum loupe_status summarize(struct summing *summing, struct loupe_hprof_summary *ret,
                                   struct loupe_error *err) {
    enum loupe_status status = begin(summing, err);
    if (status)
        return status;
    take_all(summing);
    switch (summing->stream.status) {
    case LOUPE_OK:
        break;
    case LOUPE_ETIMEOUT:
        return hprof_fail_stopped(err);
    case LOUPE_EFAULT:
        return loupe_fail(err, LOUPE_EFAULT, 0, "it cannot be read to its end");
    default:
        return loupe_fail(err, summing->stream.status, 0, "out of memory while counting classes");
    }
    if (summing->options.dump > summing->dumps)
        return hprof_fail_number(err, summing->dumps, summing->options.dump);
    return finish(summing, ret, err);
}

enum loupe_status loupe_hprof_summarize(const struct loupe_byte_source *source,
                                        const struct loupe_chunk_ops *chunks,
                                        const struct loupe_hprof_options *options,
                                        struct loupe_hprof_summary *ret, struct loupe_error *err) {
    struct summing summing = {.names.most = MOST_NAMES, .kept.most = MOST_CLASSES};
    struct loupe_hprof_summary made = {.objects = 0};
    if (options)
        summing.options = *options;
    if (hprof_stream_init(&summing.stream, source, chunks))
        return loupe_fail(err, LOUPE_ENOMEM, 0, "out of memory while counting classes");
    loupe_map_init(&summing.number_of, chunks);
    loupe_vector_init(&summing.counted, chunks, sizeof(struct counted));
    loupe_vector_init(&summing.waiting, chunks, sizeof(struct waiting));
    enum loupe_status status = summarize(&summing, &made, err);
    if (!status)
        *ret = made;
    loupe_vector_deinit(&summing.waiting);
    loupe_vector_deinit(&summing.counted);
    loupe_map_deinit(&summing.number_of);
    loupe_chunk_put(chunks, summing.kept.bytes, summing.kept.room);
    loupe_chunk_put(chunks, summing.names.bytes, summing.names.room);
    hprof_stream_deinit(&summing.stream);
    return status;
}

void loupe_hprof_summary_deinit(struct loupe_hprof_summary *summary) {
    loupe_chunk_put(summary->chunks, summary->sums,
                    (summary->classes.class_count + (size_t)1) * sizeof(*summary->sums));
    loupe_snapshot_deinit(&summary->classes);
    loupe_chunk_put(summary->chunks, summary->dump, summary->dump_room);
}
