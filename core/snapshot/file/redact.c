#include "snapshot/file/redact.h"

#include "base/numbers.h"
#include "base/sort.h"
#include "snapshot/native.h"

#include <string.h>

struct redacted {
    const struct loupe_snapshot *original;
    const struct loupe_chunk_ops *chunks;
    enum loupe_redaction redaction;
    struct loupe_snapshot_string *strings;
    struct loupe_snapshot_thread *threads;
    struct loupe_label *labels; /* of a native heap; or NULL */
    char *text;
    uint8_t *kept;   /* by string: whether anything but a thread is called so */
    uint32_t *order; /* strings that are kept, by where they begin */
    struct loupe_native_heap native;
};

/* ---- What is asked of the original ---- */

static bool slots_of(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                     uint32_t first, uint32_t count, uint32_t *ret) {
    const struct loupe_snapshot *original = ((struct redacted *)ctx)->original;
    (void)snapshot;
    return original->ops->slots &&
           original->ops->slots(original->ctx, original, node, first, count, ret);
}

static bool hides(const struct redacted *redacted, const struct loupe_snapshot *snapshot,
                  uint32_t node) {
    /* Of native heaps a word may be a short string. */
    return redacted->redaction == LOUPE_REDACT_VALUES || snapshot->native ||
           snapshot->class_table[snapshot->classes[node]].kind == LOUPE_CLASS_PRIMITIVE_ARRAYS;
}

static bool contents_of(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                        const uint8_t **ret, uint64_t *len_ret) {
    const struct loupe_snapshot *original = ((struct redacted *)ctx)->original;
    return !hides(ctx, snapshot, node) && original->ops->contents &&
           original->ops->contents(original->ctx, original, node, ret, len_ret);
}

static bool static_value_of(void *ctx, const struct loupe_snapshot *snapshot, uint32_t class_number,
                            uint32_t field, struct loupe_value *ret) {
    const struct loupe_snapshot *original = ((struct redacted *)ctx)->original;
    (void)snapshot;
    return ((struct redacted *)ctx)->redaction != LOUPE_REDACT_VALUES &&
           original->ops->static_value &&
           original->ops->static_value(original->ctx, original, class_number, field, ret);
}

static bool find_in_original(void *ctx, loupe_addr address, uint32_t *ret) {
    return loupe_snapshot_find(((struct redacted *)ctx)->original, address, ret);
}

static void sort_original(void *ctx, uint32_t *nodes) {
    loupe_snapshot_sort(((struct redacted *)ctx)->original, nodes);
}

/* ---- Which strings stay ---- */

static void keep(struct redacted *redacted, uint32_t string) {
    if (string != LOUPE_NONE)
        redacted->kept[string] = 1;
}

static void keep_native(struct redacted *redacted) {
    const struct loupe_snapshot *snapshot = redacted->original;
    const struct loupe_native_heap *native = snapshot->native;
    for (uint32_t i = 0; i < native->label_count; i++) {
        const struct loupe_label *label = &redacted->labels[i];
        const uint32_t strings[] = {label->name,       label->path,  label->declared_by,
                                    label->assumption, label->doubt, label->evidence};
        for (unsigned k = 0; k < sizeof(strings) / sizeof(strings[0]); k++)
            keep(redacted, strings[k]);
    }
    for (uint32_t i = 0; i < snapshot->columns.root_count; i++) {
        keep(redacted, native->root_places[i].image);
        keep(redacted, native->root_places[i].name);
    }
    for (uint32_t i = 0; i < native->allocator_count; i++) {
        keep(redacted, native->allocators[i].name);
        keep(redacted, native->allocators[i].why);
    }
    for (uint32_t i = 0; i < native->note_count; i++) {
        keep(redacted, native->notes[i].code);
        keep(redacted, native->notes[i].text);
    }
    for (uint32_t i = 0; i < native->pointer_count; i++)
        keep(redacted, native->pointers[i].name);
    for (uint32_t i = 0; i < native->dangling_count; i++) {
        keep(redacted, native->dangling[i].was);
        keep(redacted, native->dangling[i].why);
    }
    for (uint32_t i = 0; i < native->frame_count; i++) {
        keep(redacted, native->frames[i].function);
        keep(redacted, native->frames[i].image);
        keep(redacted, native->frames[i].file);
    }
    keep(redacted, native->abi);
    keep(redacted, native->program);
}

static void keep_names(struct redacted *redacted) {
    const struct loupe_snapshot *snapshot = redacted->original;
    for (uint32_t i = 0; i < snapshot->class_count; i++)
        keep(redacted, snapshot->class_table[i].name);
    for (uint32_t i = 0; i < snapshot->field_count; i++)
        keep(redacted, snapshot->fields[i].name);
    for (uint32_t i = 0; i < snapshot->heap_count; i++)
        keep(redacted, snapshot->heaps[i].name);
    for (uint32_t i = 0; i < snapshot->frame_count; i++) {
        keep(redacted, snapshot->frames[i].class_name);
        keep(redacted, snapshot->frames[i].method);
        keep(redacted, snapshot->frames[i].source);
    }
    keep(redacted, snapshot->format);
    if (snapshot->native)
        keep_native(redacted);
}

/* ---- Labels ---- */

/* What a label by a key becomes; they stand behind the text, and their strings behind the others.
 */
static const char *const nameless[] = {"[*]", "key"};
enum { NAMELESS = 2, NAMELESS_LENGTH = 3 };

/* An element by its key has the key's text for a name, in quotes, as no name in a program has. */
static bool is_by_key(const struct loupe_snapshot *snapshot, const struct loupe_label *label) {
    struct loupe_span name = loupe_snapshot_string(snapshot, label->name);
    struct loupe_span path = loupe_snapshot_string(snapshot, label->path);
    return (name.length && memchr(name.bytes, '"', name.length)) ||
           (path.length && memchr(path.bytes, '"', path.length));
}

static void copy_labels(struct redacted *redacted) {
    const struct loupe_snapshot *snapshot = redacted->original;
    for (uint32_t i = 0; snapshot->native && i < snapshot->native->label_count; i++) {
        struct loupe_label *label = &redacted->labels[i];
        *label = snapshot->native->label_table[i];
        if (!is_by_key(snapshot, label))
            continue;
        label->name = LOUPE_NONE;
        label->path = snapshot->string_count + (label->kind == LOUPE_EDGE_KEY);
    }
}

static void add_nameless(struct redacted *redacted) {
    const struct loupe_snapshot *snapshot = redacted->original;
    for (uint32_t i = 0; i < sizeof(nameless) / sizeof(*nameless); i++) {
        uint64_t at = snapshot->text_size + (uint64_t)i * NAMELESS_LENGTH;
        memcpy(redacted->text + at, nameless[i], NAMELESS_LENGTH);
        redacted->strings[snapshot->string_count + i] =
            (struct loupe_snapshot_string){(uint32_t)at, NAMELESS_LENGTH};
    }
}

/* ---- Copies ---- */

static bool begins_before(const void *ctx, const void *a, const void *b) {
    const struct loupe_snapshot_string *strings = ctx;
    return strings[*(const uint32_t *)a].offset < strings[*(const uint32_t *)b].offset;
}

/* Strings may overlap, in a damaged file as many as there are: no byte is copied twice. */
static void copy_text(struct redacted *redacted) {
    const struct loupe_snapshot *snapshot = redacted->original;
    uint32_t count = 0;
    uint64_t copied = 0;
    for (uint32_t i = 0; i < snapshot->string_count; i++) {
        redacted->strings[i] = (struct loupe_snapshot_string){0};
        if (!redacted->kept[i])
            continue;
        redacted->strings[i] = snapshot->strings[i];
        redacted->order[count++] = i;
    }
    loupe_sort(redacted->order, count, sizeof(*redacted->order), begins_before, redacted->strings);
    memset(redacted->text, 0, snapshot->text_size);
    for (uint32_t i = 0; i < count; i++) {
        const struct loupe_snapshot_string *string = &redacted->strings[redacted->order[i]];
        uint64_t end = (uint64_t)string->offset + string->length;
        uint64_t start = string->offset > copied ? string->offset : copied;
        if (end <= start)
            continue;
        memcpy(redacted->text + start, snapshot->text + start, end - start);
        copied = end;
    }
}

static void copy_threads(struct redacted *redacted) {
    const struct loupe_snapshot *snapshot = redacted->original;
    for (uint32_t i = 0; i < snapshot->thread_count; i++) {
        redacted->threads[i] = snapshot->threads[i];
        redacted->threads[i].name = LOUPE_NONE;
    }
}

static size_t strings_size(const struct redacted *redacted) {
    return ((size_t)redacted->original->string_count + NAMELESS + 1) * sizeof(*redacted->strings);
}

/* Of those that are added, too, which keep() may be told of. */
static size_t kept_size(const struct redacted *redacted) {
    return (size_t)redacted->original->string_count + NAMELESS + 1;
}

static size_t threads_size(const struct redacted *redacted) {
    return (redacted->original->thread_count + (size_t)1) * sizeof(*redacted->threads);
}

static size_t labels_size(const struct redacted *redacted) {
    const struct loupe_native_heap *native = redacted->original->native;
    return ((native ? native->label_count : 0) + (size_t)1) * sizeof(*redacted->labels);
}

static size_t text_size(const struct redacted *redacted) {
    return redacted->original->text_size + (size_t)NAMELESS * NAMELESS_LENGTH + 1;
}

static bool make_room(struct redacted *redacted) {
    const struct loupe_snapshot *snapshot = redacted->original;
    redacted->strings = loupe_chunk_get(redacted->chunks, strings_size(redacted));
    redacted->threads = loupe_chunk_get(redacted->chunks, threads_size(redacted));
    redacted->labels = loupe_chunk_get(redacted->chunks, labels_size(redacted));
    redacted->text = loupe_chunk_get(redacted->chunks, text_size(redacted));
    redacted->kept = loupe_chunk_get(redacted->chunks, kept_size(redacted));
    redacted->order = loupe_numbers_get(redacted->chunks, snapshot->string_count);
    if (redacted->kept)
        memset(redacted->kept, 0, kept_size(redacted));
    return redacted->strings && redacted->threads && redacted->labels && redacted->text &&
           redacted->kept && redacted->order;
}

static void put_kept(struct redacted *redacted) {
    uint32_t strings = redacted->original->string_count;
    loupe_chunk_put(redacted->chunks, redacted->kept, kept_size(redacted));
    if (redacted->order)
        loupe_numbers_put(redacted->chunks, &redacted->order, strings);
    redacted->kept = NULL;
}

static void deinit(void *ctx) {
    struct redacted *redacted = ctx;
    put_kept(redacted);
    loupe_chunk_put(redacted->chunks, redacted->strings, strings_size(redacted));
    loupe_chunk_put(redacted->chunks, redacted->threads, threads_size(redacted));
    loupe_chunk_put(redacted->chunks, redacted->labels, labels_size(redacted));
    loupe_chunk_put(redacted->chunks, redacted->text, text_size(redacted));
    loupe_chunk_put(redacted->chunks, redacted, sizeof(*redacted));
}

enum loupe_status loupe_snapshot_redact(const struct loupe_snapshot *original,
                                        enum loupe_redaction redaction,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_snapshot *ret) {
    static const struct loupe_snapshot_ops ops = {.slots = slots_of,
                                                  .contents = contents_of,
                                                  .static_value = static_value_of,
                                                  .find = find_in_original,
                                                  .sort = sort_original,
                                                  .deinit = deinit};
    struct redacted *redacted = loupe_chunk_get(chunks, sizeof(*redacted));
    if (!redacted || original->text_size > UINT32_MAX - NAMELESS * NAMELESS_LENGTH ||
        original->string_count > UINT32_MAX - NAMELESS - 1) {
        loupe_chunk_put(chunks, redacted, sizeof(*redacted));
        return LOUPE_ENOMEM;
    }
    *redacted = (struct redacted){.original = original, .chunks = chunks, .redaction = redaction};
    if (!make_room(redacted)) {
        deinit(redacted);
        return LOUPE_ENOMEM;
    }
    copy_labels(redacted);
    keep_names(redacted);
    copy_text(redacted);
    add_nameless(redacted);
    copy_threads(redacted);
    put_kept(redacted);
    *ret = *original;
    ret->strings = redacted->strings;
    ret->threads = redacted->threads;
    ret->text = redacted->text;
    ret->string_count += NAMELESS;
    ret->text_size += NAMELESS * NAMELESS_LENGTH;
    if (original->native) { /* without what objects say of themselves */
        redacted->native = *original->native;
        redacted->native.values = NULL;
        redacted->native.value_count = 0;
        redacted->native.field_texts = NULL;
        redacted->native.field_text_count = 0;
        redacted->native.items = NULL;
        redacted->native.item_count = 0;
        redacted->native.tagging = NULL;
        redacted->native.label_table = redacted->labels;
        ret->native = &redacted->native;
    }
    ret->ops = &ops;
    ret->ctx = redacted;
    return LOUPE_OK;
}
