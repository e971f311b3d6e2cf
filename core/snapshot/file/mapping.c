#include "snapshot/file/mapping.h"

#include "base/sort.h"
#include "base/vector.h"

#include <string.h>

/* ---- The file ---- */

struct mapped_class {
    struct loupe_span shortened, original;
    uint32_t number; /* in the file: its members have it */
};

struct member {
    struct loupe_span shortened, original;
    uint32_t owner;
    bool is_method;
};

struct mapping {
    struct loupe_vector classes; /* of struct mapped_class, by their short names */
    struct loupe_vector members; /* of struct member, by owner, sort and short name */
};

static struct loupe_span trimmed(struct loupe_span text) {
    while (text.length && (text.bytes[0] == ' ' || text.bytes[0] == '\t'))
        text = (struct loupe_span){text.bytes + 1, text.length - 1};
    while (text.length && (unsigned char)text.bytes[text.length - 1] <= ' ')
        text.length--;
    return text;
}

static struct loupe_span next_line(struct loupe_span *text) {
    const char *end = memchr(text->bytes, '\n', text->length);
    size_t length = end ? (size_t)(end - text->bytes) : text->length;
    struct loupe_span line = {text->bytes, length};
    size_t taken = end ? length + 1 : length;
    *text = (struct loupe_span){text->bytes + taken, text->length - taken};
    return line;
}

/* "a -> b" */
static bool split(struct loupe_span line, struct loupe_span *left, struct loupe_span *right) {
    static const char arrow[] = " -> ";
    enum { LENGTH = sizeof(arrow) - 1 };
    for (size_t i = 0; i + LENGTH < line.length; i++) {
        if (memcmp(line.bytes + i, arrow, LENGTH) == 0) {
            *left = trimmed((struct loupe_span){line.bytes, i});
            *right =
                trimmed((struct loupe_span){line.bytes + i + LENGTH, line.length - i - LENGTH});
            return left->length && right->length;
        }
    }
    return false;
}

/* Of "13:17:void add(com.shop.Item):20:24" the name. */
static struct loupe_span name_of_member(struct loupe_span text, bool *is_method) {
    while (text.length && ((text.bytes[0] >= '0' && text.bytes[0] <= '9') || text.bytes[0] == ':'))
        text = (struct loupe_span){text.bytes + 1, text.length - 1};
    const char *space = text.length ? memchr(text.bytes, ' ', text.length) : NULL;
    if (!space)
        return (struct loupe_span){NULL, 0};
    size_t behind = (size_t)(space - text.bytes) + 1, length = 0;
    text = (struct loupe_span){text.bytes + behind, text.length - behind};
    while (length < text.length && text.bytes[length] != '(' && text.bytes[length] != ':')
        length++;
    *is_method = length < text.length && text.bytes[length] == '(';
    return (struct loupe_span){text.bytes, length};
}

static enum loupe_status add_class(struct mapping *mapping, struct loupe_span left,
                                   struct loupe_span right) {
    struct mapped_class *added = loupe_vector_add(&mapping->classes);
    if (!added)
        return LOUPE_ENOMEM;
    *added = (struct mapped_class){.shortened = {right.bytes, right.length - 1},
                                   .original = left,
                                   .number = mapping->classes.count - 1};
    return LOUPE_OK;
}

/* Lines of the class that came last. What an inlined method of another class is called is no name
 * in this one. */
static enum loupe_status add_member(struct mapping *mapping, struct loupe_span left,
                                    struct loupe_span right) {
    bool is_method = false;
    struct loupe_span name = name_of_member(left, &is_method);
    if (!mapping->classes.count || !name.length || memchr(name.bytes, '.', name.length))
        return LOUPE_OK;
    struct member *added = loupe_vector_add(&mapping->members);
    if (!added)
        return LOUPE_ENOMEM;
    *added = (struct member){.shortened = right,
                             .original = name,
                             .owner = mapping->classes.count - 1,
                             .is_method = is_method};
    return LOUPE_OK;
}

static enum loupe_status read_line(struct mapping *mapping, struct loupe_span line) {
    struct loupe_span left, right;
    if (!line.length || line.bytes[0] == '#' || !split(line, &left, &right))
        return LOUPE_OK;
    bool is_member = line.bytes[0] == ' ' || line.bytes[0] == '\t';
    if (is_member)
        return add_member(mapping, left, right);
    return right.length > 1 && right.bytes[right.length - 1] == ':'
               ? add_class(mapping, left, right)
               : LOUPE_OK;
}

/* ---- Order ---- */

static int compare(struct loupe_span a, struct loupe_span b) {
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter ? memcmp(a.bytes, b.bytes, shorter) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static bool class_is_before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return compare(((const struct mapped_class *)a)->shortened,
                   ((const struct mapped_class *)b)->shortened) < 0;
}

static int compare_members(const struct member *a, const struct member *b) {
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    if (a->is_method != b->is_method)
        return a->is_method ? 1 : -1;
    return compare(a->shortened, b->shortened);
}

/* Equal ones by what they stand for, so that the first and the last tell whether all are the same.
 */
static bool member_is_before(const void *ctx, const void *a, const void *b) {
    int order = compare_members(a, b);
    (void)ctx;
    return order ? order < 0
                 : compare(((const struct member *)a)->original,
                           ((const struct member *)b)->original) < 0;
}

static const struct mapped_class *find_class(const struct mapping *mapping,
                                             struct loupe_span shortened) {
    uint32_t low = 0, high = mapping->classes.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct mapped_class *at =
            loupe_vector_at(&mapping->classes, middle, sizeof(struct mapped_class));
        int order = compare(at->shortened, shortened);
        if (!order)
            return at;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static const struct member *member_at(const struct mapping *mapping, uint32_t index) {
    return loupe_vector_at(&mapping->members, index, sizeof(struct member));
}

/* The first member that does not come before a wanted one, or that comes behind it. */
static uint32_t bound(const struct mapping *mapping, const struct member *wanted, bool behind) {
    uint32_t low = 0, high = mapping->members.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare_members(member_at(mapping, middle), wanted);
        if (order < 0 || (behind && !order))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What a short name stands for; empty: nothing, or *ambiguous_ret several. */
static struct loupe_span find_member(const struct mapping *mapping, const struct member *wanted,
                                     bool *ambiguous_ret) {
    uint32_t first = bound(mapping, wanted, false), end = bound(mapping, wanted, true);
    struct loupe_span none = {NULL, 0};
    *ambiguous_ret = false;
    if (first == end)
        return none;
    struct loupe_span found = member_at(mapping, first)->original;
    *ambiguous_ret = compare(found, member_at(mapping, end - 1)->original) != 0;
    return *ambiguous_ret ? none : found;
}

/* ---- The snapshot ---- */

struct renamed {
    const struct loupe_snapshot *original;
    const struct loupe_chunk_ops *chunks;
    struct loupe_arena arena; /* the tables below */
    struct mapping mapping;
    struct loupe_snapshot_class *classes;
    struct loupe_snapshot_field *fields;
    struct loupe_snapshot_frame *frames;
    struct loupe_snapshot_string *strings;
    const struct mapped_class **found; /* by class: what it is in the mapping; or NULL */
    bool *is_named;                    /* by field */
    char *text;
    uint64_t text_used, text_size;
    uint32_t string_count;
    struct loupe_mapped mapped;
};

static bool slots_of(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                     uint32_t first, uint32_t count, uint32_t *ret) {
    const struct loupe_snapshot *original = ((struct renamed *)ctx)->original;
    (void)snapshot;
    return original->ops->slots &&
           original->ops->slots(original->ctx, original, node, first, count, ret);
}

static bool contents_of(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                        const uint8_t **ret, uint64_t *len_ret) {
    const struct loupe_snapshot *original = ((struct renamed *)ctx)->original;
    (void)snapshot;
    return original->ops->contents &&
           original->ops->contents(original->ctx, original, node, ret, len_ret);
}

static bool static_value_of(void *ctx, const struct loupe_snapshot *snapshot, uint32_t class_number,
                            uint32_t field, struct loupe_value *ret) {
    const struct loupe_snapshot *original = ((struct renamed *)ctx)->original;
    (void)snapshot;
    return original->ops->static_value &&
           original->ops->static_value(original->ctx, original, class_number, field, ret);
}

static bool find_in_original(void *ctx, loupe_addr address, uint32_t *ret) {
    return loupe_snapshot_find(((struct renamed *)ctx)->original, address, ret);
}

static void sort_original(void *ctx, uint32_t *nodes) {
    loupe_snapshot_sort(((struct renamed *)ctx)->original, nodes);
}

static void deinit(void *ctx) {
    struct renamed *renamed = ctx;
    loupe_vector_deinit(&renamed->mapping.classes);
    loupe_vector_deinit(&renamed->mapping.members);
    loupe_arena_deinit(&renamed->arena);
    loupe_chunk_put(renamed->chunks, renamed, sizeof(*renamed));
}

/* Names longer than any program has are not taken: a file may have one for a million arrays. */
enum { MOST_NAME = 4096 };

/* A new string of a name and a tail. */
static uint32_t add_string(struct renamed *renamed, struct loupe_span name,
                           struct loupe_span tail) {
    uint64_t at = renamed->text_used;
    memcpy(renamed->text + at, name.bytes, name.length);
    if (tail.length)
        memcpy(renamed->text + at + name.length, tail.bytes, tail.length);
    renamed->text_used += name.length + tail.length;
    renamed->strings[renamed->string_count] =
        (struct loupe_snapshot_string){(uint32_t)at, (uint32_t)(name.length + tail.length)};
    return renamed->string_count++;
}

/* "[][]" */
static struct loupe_span brackets_of(struct loupe_span name) {
    size_t at = name.length;
    while (at >= 2 && name.bytes[at - 2] == '[' && name.bytes[at - 1] == ']')
        at -= 2;
    return (struct loupe_span){name.bytes + at, name.length - at};
}

static const struct mapped_class *find_class_of(const struct renamed *renamed,
                                                struct loupe_span name) {
    struct loupe_span element = {name.bytes, name.length - brackets_of(name).length};
    const struct mapped_class *found = find_class(&renamed->mapping, element);
    return found && found->original.length + name.length <= MOST_NAME ? found : NULL;
}

/* The member of a class that has such a name now; empty: it keeps the one that it has. */
static struct loupe_span new_name(struct renamed *renamed, const struct mapped_class *owner,
                                  uint32_t string, bool is_method) {
    struct member wanted = {.shortened = loupe_snapshot_string(renamed->original, string),
                            .owner = owner->number,
                            .is_method = is_method};
    bool is_ambiguous;
    struct loupe_span found = find_member(&renamed->mapping, &wanted, &is_ambiguous);
    renamed->mapped.ambiguous += is_ambiguous;
    return found.length <= MOST_NAME ? found : (struct loupe_span){NULL, 0};
}

/* Either counts the bytes of new names, or writes them. */
struct pass {
    struct renamed *renamed;
    bool writes;
};

static void rename_string(const struct pass *pass, struct loupe_span name, struct loupe_span tail,
                          uint32_t *string) {
    if (!name.length)
        return;
    if (pass->writes)
        *string = add_string(pass->renamed, name, tail);
    else
        pass->renamed->text_size += name.length + tail.length;
}

/* Tables of fields may overlap in a damaged file: each field is looked at once. */
static void rename_fields(const struct pass *pass, uint32_t class_number) {
    struct renamed *renamed = pass->renamed;
    const struct loupe_snapshot_class *entry = &renamed->classes[class_number];
    uint32_t end = entry->first_field + entry->instance_fields + entry->static_fields;
    for (uint32_t i = entry->first_field; i < end && renamed->is_named[i] != pass->writes; i++) {
        renamed->is_named[i] = pass->writes;
        struct loupe_span name =
            new_name(renamed, renamed->found[class_number], renamed->fields[i].name, false);
        renamed->mapped.fields += pass->writes && name.length;
        rename_string(pass, name, (struct loupe_span){NULL, 0}, &renamed->fields[i].name);
    }
}

static void rename_classes(const struct pass *pass) {
    struct renamed *renamed = pass->renamed;
    for (uint32_t i = 0; i < renamed->original->class_count; i++) {
        struct loupe_span name = loupe_snapshot_class_name(renamed->original, i);
        if (!renamed->found[i])
            continue;
        rename_string(pass, renamed->found[i]->original, brackets_of(name),
                      &renamed->classes[i].name);
        renamed->mapped.classes += pass->writes;
        rename_fields(pass, i);
    }
}

static void rename_frames(const struct pass *pass) {
    struct renamed *renamed = pass->renamed;
    for (uint32_t i = 0; i < renamed->original->frame_count; i++) {
        struct loupe_snapshot_frame *frame = &renamed->frames[i];
        const struct loupe_snapshot_frame *was = &renamed->original->frames[i];
        const struct mapped_class *found =
            find_class_of(renamed, loupe_snapshot_string(renamed->original, was->class_name));
        if (!found)
            continue;
        struct loupe_span method = new_name(renamed, found, was->method, true);
        rename_string(pass, found->original, (struct loupe_span){NULL, 0}, &frame->class_name);
        rename_string(pass, method, (struct loupe_span){NULL, 0}, &frame->method);
    }
}

/* ---- All ---- */

static enum loupe_status read_mapping(struct renamed *renamed, struct loupe_span text) {
    struct mapping *mapping = &renamed->mapping;
    enum loupe_status status = LOUPE_OK;
    while (text.length && !status)
        status = read_line(mapping, next_line(&text));
    if (!status && !mapping->classes.count)
        return LOUPE_EUSAGE;
    loupe_vector_sort(&mapping->classes, class_is_before, NULL);
    loupe_vector_sort(&mapping->members, member_is_before, NULL);
    return status;
}

static void *copy_table(struct renamed *renamed, const void *from, size_t count, size_t size) {
    void *copy = loupe_arena_alloc_array(&renamed->arena, count + 1, size);
    if (copy && count)
        memcpy(copy, from, count * size);
    return copy;
}

static bool copy_tables(struct renamed *renamed) {
    const struct loupe_snapshot *from = renamed->original;
    size_t strings = (size_t)from->string_count + from->class_count + from->field_count +
                     2 * (size_t)from->frame_count;
    renamed->classes =
        copy_table(renamed, from->class_table, from->class_count, sizeof(*renamed->classes));
    renamed->fields =
        copy_table(renamed, from->fields, from->field_count, sizeof(*renamed->fields));
    renamed->frames =
        copy_table(renamed, from->frames, from->frame_count, sizeof(*renamed->frames));
    renamed->strings =
        loupe_arena_alloc_array(&renamed->arena, strings + 1, sizeof(*renamed->strings));
    renamed->found = loupe_arena_alloc_array(&renamed->arena, (size_t)from->class_count + 1,
                                             sizeof(const struct mapped_class *));
    renamed->is_named = loupe_arena_alloc_array(&renamed->arena, (size_t)from->field_count + 1,
                                                sizeof(*renamed->is_named));
    bool has_room = renamed->classes && renamed->fields && renamed->frames && renamed->strings &&
                    renamed->found && renamed->is_named && strings < LOUPE_NONE;
    if (has_room && from->string_count)
        memcpy(renamed->strings, from->strings, from->string_count * sizeof(*renamed->strings));
    renamed->string_count = from->string_count;
    return has_room;
}

static enum loupe_status rename_all(struct renamed *renamed) {
    const struct loupe_snapshot *from = renamed->original;
    if (!copy_tables(renamed))
        return LOUPE_ENOMEM;
    memset(renamed->is_named, true, from->field_count);
    for (uint32_t i = 0; i < from->class_count; i++)
        renamed->found[i] = find_class_of(renamed, loupe_snapshot_class_name(from, i));
    struct pass count = {renamed, false}, write = {renamed, true};
    renamed->text_size = renamed->text_used = from->text_size;
    rename_classes(&count);
    rename_frames(&count);
    if (renamed->text_size > UINT32_MAX)
        return LOUPE_ENOMEM;
    renamed->text = loupe_arena_alloc(&renamed->arena, (size_t)renamed->text_size + 1);
    if (!renamed->text)
        return LOUPE_ENOMEM;
    memcpy(renamed->text, from->text, (size_t)from->text_size);
    renamed->mapped.ambiguous = 0;
    rename_classes(&write);
    rename_frames(&write);
    return LOUPE_OK;
}

static void set(struct renamed *renamed, struct loupe_snapshot *ret) {
    static const struct loupe_snapshot_ops ops = {.slots = slots_of,
                                                  .contents = contents_of,
                                                  .static_value = static_value_of,
                                                  .find = find_in_original,
                                                  .sort = sort_original,
                                                  .deinit = deinit};
    *ret = *renamed->original;
    ret->class_table = renamed->classes;
    ret->fields = renamed->fields;
    ret->frames = renamed->frames;
    ret->strings = renamed->strings;
    ret->text = renamed->text;
    ret->text_size = renamed->text_used;
    ret->string_count = renamed->string_count;
    ret->paths = (struct loupe_stored_paths){.from = NULL};
    ret->ops = &ops;
    ret->ctx = renamed;
}

enum loupe_status loupe_snapshot_rename(const struct loupe_snapshot *original,
                                        struct loupe_span mapping,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_snapshot *ret, struct loupe_mapped *mapped) {
    struct renamed *renamed = loupe_chunk_get(chunks, sizeof(*renamed));
    if (!renamed)
        return LOUPE_ENOMEM;
    *renamed = (struct renamed){.original = original, .chunks = chunks};
    loupe_arena_init(&renamed->arena, chunks);
    loupe_vector_init(&renamed->mapping.classes, chunks, sizeof(struct mapped_class));
    loupe_vector_init(&renamed->mapping.members, chunks, sizeof(struct member));
    enum loupe_status status = read_mapping(renamed, mapping);
    if (!status)
        status = rename_all(renamed);
    if (status) {
        deinit(renamed);
        return status;
    }
    loupe_vector_deinit(&renamed->mapping.classes);
    loupe_vector_deinit(&renamed->mapping.members);
    set(renamed, ret);
    *mapped = renamed->mapped;
    return LOUPE_OK;
}
