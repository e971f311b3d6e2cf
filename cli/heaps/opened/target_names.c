/* Where the functions of blocks were written, what these capture, where ivars are declared, and
 * which variables roots stand in, of a target that is read without a debugger. */
#include "base/numbers.h"
#include "cycles/system_classes.h"
#include "heaps/opened/heap_target.h"

#include "scene/variable_name.h"
#include "shared/buffer.h"
#include "snapshot/values/native_names.h"
#include "swift/places.h"
#include "types/method_symbol.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 2048, LONGEST_START = 64 };

/* Lines as names.h has them. */
struct lines {
    struct loupe_sink sink;
    enum loupe_status status;
};

static void put(struct lines *to, const char *bytes, size_t length) {
    if (!to->status)
        to->status = to->sink.write(to->sink.ctx, bytes, length);
}

static void put_format(struct lines *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put_format(struct lines *to, const char *format, ...) {
    char text[LONGEST_START];
    va_list arguments;
    va_start(arguments, format);
    size_t length = loupe_format_list(text, sizeof(text), format, arguments);
    va_end(arguments);
    put(to, text, length);
}

/* A tab or the end of a line in a name would end it. */
static void put_word(struct lines *to, struct loupe_span word) {
    for (size_t i = 0; i < word.length; i++)
        put(to, (unsigned char)word.bytes[i] < ' ' ? "?" : &word.bytes[i], 1);
}

static void put_block(struct lines *to, const struct loupe_memory *memory, loupe_addr function) {
    char symbol[TEXT_SIZE], path[TEXT_SIZE], around[TEXT_SIZE] = "";
    uint64_t offset = 0;
    uint32_t line;
    if (!loupe_memory_line_of_address(memory, function, path, sizeof(path), &line))
        return;
    bool named = loupe_memory_name_address(memory, function, symbol, sizeof(symbol), &offset);
    put_format(to, "block\t0x%" PRIx64 "\t%" PRIu32 "\t", function, line);
    if (named && !offset)
        loupe_function_around_block(symbol, around, sizeof(around));
    put_word(to, loupe_span_of(around));
    put(to, "\t", 1);
    put_word(to, loupe_span_of(path));
    put(to, "\n", 1);
}

static void put_capture(void *ctx, uint64_t function, uint32_t offset, struct loupe_span name) {
    struct lines *to = ctx;
    put_format(to, "capture\t0x%" PRIx64 "\t%" PRIu32 "\t", function, offset);
    put_word(to, name);
    put(to, "\n", 1);
}

static void put_root(struct lines *to, const struct loupe_memory *memory, loupe_addr slot) {
    char name[LOUPE_VARIABLE_NAME_SIZE];
    if (!loupe_variable_name(memory, slot, name))
        return;
    put_format(to, "root\t0x%" PRIx64 "\t", slot);
    put_word(to, loupe_span_of(name));
    put(to, "\t\n", 2);
}

/* ---- Closures of Swift ---- */

struct closures {
    struct lines *to;
    const struct loupe_snapshot *snapshot;
    struct loupe_swift_lowering *lowering;
};

/* One that a closure of a class captured something in; LOUPE_NO_NODE: there is none. */
static uint32_t example_of(const struct loupe_snapshot *snapshot, uint32_t class_number) {
    for (uint32_t node = 0; node < snapshot->columns.nodes; node++)
        if (snapshot->classes[node] == class_number)
            return node;
    return LOUPE_NO_NODE;
}

/* Behind the parameters of the closure itself come those for what it captured. Each word of a value
 * goes by its name. */
static void put_captures(const struct closures *closures, uint32_t class_number,
                         const struct loupe_span *names, uint32_t count) {
    const struct loupe_snapshot *snapshot = closures->snapshot;
    struct loupe_swift_capture captures[LOUPE_MOST_CLOSURE_PARAMETERS];
    uint32_t node = example_of(snapshot, class_number), word = snapshot->address_size;
    if (node == LOUPE_NO_NODE)
        return;
    uint32_t found = loupe_swift_captures_at(
        closures->lowering, loupe_snapshot_address(snapshot, node),
        loupe_columns_size(&snapshot->columns, node), captures, LOUPE_MOST_CLOSURE_PARAMETERS);
    for (uint32_t i = 0; found <= count && i < found; i++) {
        for (uint32_t at = 0; at < captures[i].size; at += word)
            put_capture(closures->to, snapshot->native->class_places[class_number],
                        captures[i].offset + at, names[count - found + i]);
    }
}

static void visit_parameters(void *ctx, uint64_t function, const struct loupe_span *names,
                             uint32_t count) {
    const struct closures *closures = ctx;
    const struct loupe_snapshot *snapshot = closures->snapshot;
    for (uint32_t i = 0; i < snapshot->class_count; i++)
        if (snapshot->class_table[i].kind == LOUPE_CLASS_RAW &&
            snapshot->native->class_places[i] == function)
            put_captures(closures, i, names, count);
}

static enum loupe_status put_all_closures(struct lines *to, const struct loupe_snapshot *snapshot,
                                          struct loupe_reader *reader) {
    struct loupe_target target;
    struct closures closures = {
        .to = to, .snapshot = snapshot, .lowering = malloc(sizeof(*closures.lowering))};
    enum loupe_status status = closures.lowering ? LOUPE_OK : LOUPE_ENOMEM;
    loupe_target_init(&target, loupe_reader_memory(reader), &heap_chunks);
    if (!status)
        loupe_swift_lowering_init(closures.lowering, &target);
    for (uint32_t i = 0; !status && i < snapshot->class_count; i++) {
        loupe_addr function = snapshot->native->class_places[i];
        if (snapshot->class_table[i].kind == LOUPE_CLASS_RAW && function)
            status = loupe_reader_visit_closure_parameters(reader, function, visit_parameters,
                                                           &closures);
    }
    loupe_target_deinit(&target);
    free(closures.lowering);
    return status;
}

static enum loupe_status put_all_blocks(struct lines *to, const struct loupe_snapshot *snapshot,
                                        struct loupe_reader *reader) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < snapshot->class_count; i++) {
        loupe_addr function = snapshot->native->class_places[i];
        if (!loupe_native_class_has_function(snapshot, i))
            continue;
        put_block(to, loupe_reader_memory(reader), function);
        status = loupe_reader_visit_block_variables(reader, function, put_capture, to);
    }
    return status;
}

static void put_ivar(struct lines *to, const struct loupe_memory *memory,
                     struct loupe_span class_name, struct loupe_span ivar) {
    char path[TEXT_SIZE];
    uint32_t line;
    ivar = loupe_ivar_of_field(ivar);
    if (!loupe_memory_line_of_ivar(memory, class_name, ivar, path, sizeof(path), &line))
        return;
    put_format(to, "ivar\t");
    put_word(to, class_name);
    put(to, ".", 1);
    put_word(to, ivar);
    put_format(to, "\t%" PRIu32 "\t", line);
    put_word(to, loupe_span_of(path));
    put(to, "\n", 1);
}

static void put_all_ivars(struct lines *to, const struct loupe_snapshot *snapshot,
                          const struct loupe_memory *memory) {
    for (uint32_t i = 0; i < snapshot->class_count; i++) {
        const struct loupe_snapshot_class *row = &snapshot->class_table[i];
        for (uint32_t k = 0; k < row->instance_fields; k++)
            put_ivar(to, memory, loupe_snapshot_string(snapshot, row->name),
                     loupe_snapshot_string(snapshot, snapshot->fields[row->first_field + k].name));
    }
}

/* ---- Members of objects of C++ ---- */

/* Classes of a snapshot that are called after one of C++, behind whose name something may stand:
 * where the object is. */
struct cxx_classes {
    const struct loupe_snapshot *snapshot;
    struct lines *to;
    struct loupe_wanted_classes wanted;
    uint32_t *next;        /* by class: another one of the same name, or LOUPE_NONE */
    struct loupe_map seen; /* class and offset: what one file tells another need not */
};

static struct loupe_span class_of_object(struct loupe_span name) {
    static const char *const behind[] = {" (make_shared)", " (exception)"};
    for (unsigned i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
        size_t tail = strlen(behind[i]);
        if (name.length > tail && memcmp(name.bytes + name.length - tail, behind[i], tail) == 0)
            name.length -= tail;
    }
    return name;
}

/* Members of the library's own classes have no names for people. */
static enum loupe_status add_cxx_class(struct cxx_classes *classes, uint32_t number) {
    struct loupe_span name = loupe_snapshot_class_name(classes->snapshot, number);
    if (classes->snapshot->class_table[number].kind != LOUPE_CLASS_RAW ||
        loupe_is_class_of_memory(name) || loupe_span_starts_with(name, "std::"))
        return LOUPE_OK;
    uint32_t first;
    enum loupe_status status =
        loupe_wanted_add(&classes->wanted, class_of_object(name), number, &first);
    if (status || first == number)
        return status;
    classes->next[number] = classes->next[first];
    classes->next[first] = number;
    return LOUPE_OK;
}

/* A line for each word: a shared_ptr has two, and a map seven. */
static void put_member_of(struct cxx_classes *classes, uint32_t number,
                          const struct loupe_class_member *member) {
    enum { WORD = 8, MOST_WORDS = 64 };
    const struct loupe_snapshot *snapshot = classes->snapshot;
    uint64_t start = snapshot->native->class_places[number];
    uint32_t ignored;
    /* The rest of a large array goes by its offsets. */
    uint64_t words = (member->size + WORD - 1) / WORD;
    words = words < MOST_WORDS ? words : MOST_WORDS;
    for (uint64_t i = 0; i < words; i++) {
        uint64_t offset = start + member->offset + i * WORD;
        if (offset % WORD || offset > UINT32_MAX ||
            loupe_map_find(&classes->seen, (uint64_t)number << 32 | offset, &ignored))
            continue;
        if (loupe_map_put(&classes->seen, (uint64_t)number << 32 | offset, 0))
            return;
        put_format(classes->to, "member\t%" PRIu32 "\t", (uint32_t)offset);
        put_word(classes->to, member->name);
        put(classes->to, "\t", 1);
        put_word(classes->to, loupe_snapshot_class_name(snapshot, number));
        put(classes->to, "\n", 1);
    }
}

static void put_member(void *ctx, const struct loupe_class_member *member) {
    struct cxx_classes *classes = ctx;
    for (uint32_t number = member->wanted; number != LOUPE_NONE; number = classes->next[number])
        put_member_of(classes, number, member);
}

static void note_missing(const struct loupe_members_missing *missing) {
    if (missing->units)
        cli_note("names of members of C++ may be missing: %" PRIu64
                 " units of debug information are in other files or not understood",
                 missing->units);
}

static enum loupe_status put_members(struct cxx_classes *classes, struct loupe_reader *reader) {
    struct loupe_members_missing missing;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < classes->snapshot->class_count; i++) {
        classes->next[i] = LOUPE_NONE;
        status = add_cxx_class(classes, i);
    }
    if (status || !classes->wanted.by_key.count)
        return status;
    status =
        loupe_reader_visit_class_members(reader, &classes->wanted, put_member, classes, &missing);
    note_missing(&missing);
    return status;
}

static enum loupe_status put_all_members(struct lines *to, const struct heap_file *file) {
    const struct loupe_chunk_ops *chunks = &cli_chunks;
    struct cxx_classes classes = {.snapshot = &file->snapshot, .to = to};
    classes.next = loupe_numbers_get(chunks, file->snapshot.class_count);
    if (!classes.next)
        return LOUPE_ENOMEM;
    loupe_wanted_init(&classes.wanted, chunks);
    loupe_map_init(&classes.seen, chunks);
    enum loupe_status status = put_members(&classes, file->reader);
    loupe_map_deinit(&classes.seen);
    loupe_wanted_deinit(&classes.wanted);
    loupe_numbers_put(chunks, &classes.next, file->snapshot.class_count);
    return status;
}

static void put_roots(struct lines *to, const struct loupe_snapshot *snapshot,
                      const struct loupe_memory *memory) {
    for (uint32_t i = 0; i < snapshot->columns.root_count; i++)
        if (snapshot->roots[i].kind == LOUPE_ROOT_GLOBAL && snapshot->native->root_places[i].slot)
            put_root(to, memory, snapshot->native->root_places[i].slot);
}

static void put_all(struct lines *to, const struct heap_file *file, bool roots) {
    const struct loupe_memory *memory = loupe_reader_memory(file->reader);
    enum loupe_status status = put_all_blocks(to, &file->snapshot, file->reader);
    if (!status)
        status = put_all_closures(to, &file->snapshot, file->reader);
    if (!status)
        status = put_all_members(to, file);
    to->status = to->status ? to->status : status;
    put_all_ivars(to, &file->snapshot, memory);
    if (roots)
        put_roots(to, &file->snapshot, memory);
    put(to, "", 1);
}

const char *heap_target_name(struct heap_file *file, bool roots) {
    struct cli_buffer text = {.bytes = NULL};
    struct lines to = {.sink = cli_buffer_sink(&text)};
    if (!file->snapshot.native)
        return NULL;
    put_all(&to, file, roots);
    const char *problem = to.status ? "out of memory" : names_take(text.bytes, &file->names);
    cli_buffer_deinit(&text);
    file->snapshot.names = file->names.table;
    return problem;
}
