#include "text/native_text.h"

#include "shared/amounts.h"
#include "shared/cli.h"
#include "report/class_words.h"
#include "snapshot/values/native_names.h"
#include "text/worded_names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

struct text text_say(const char *format, ...) {
    struct text ret;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ret.text, sizeof(ret.text), format, arguments);
    va_end(arguments);
    return ret;
}

/* ---- Objects ---- */

static bool is_unnamed_memory(struct loupe_span name) {
    return loupe_span_equals(name, "(raw memory)");
}

struct loupe_span words_class_name(struct loupe_span name) {
    return is_unnamed_memory(name) ? loupe_span_of("non-object") : name;
}

struct text text_of_class(const struct loupe_snapshot *snapshot, uint32_t node) {
    if (loupe_native_node_kind(snapshot, node) == LOUPE_NODE_BLOCK)
        return text_say("block");
    struct loupe_span name = words_class_name(loupe_native_class_name(snapshot, node));
    return text_say("%s", cli_printable(loupe_public_class_name(name)));
}

struct text text_of_object(const struct loupe_snapshot *snapshot, uint32_t node) {
    struct text name = text_of_class(snapshot, node);
    bool is_class = loupe_snapshot_class_at(snapshot, node) != LOUPE_NONE;
    if (is_unnamed_memory(loupe_native_class_name(snapshot, node)))
        return text_say("%s (%s) 0x%" PRIx64, name.text,
                        cli_bytes(loupe_columns_size(&snapshot->columns, node)),
                        loupe_snapshot_address(snapshot, node));
    return text_say("%s%s 0x%" PRIx64, is_class ? "class " : "", name.text,
                    loupe_snapshot_address(snapshot, node));
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "PhotoCell.m:42", or nothing. */
static struct text place_of(const struct loupe_written *written) {
    const char *file = cli_printable(loupe_span_of(base_name(written->file)));
    return written->line && *file ? text_say("%s:%" PRIu32, file, written->line)
                                  : text_say("%s", file);
}

/* Of the blocks of a class; empty texts where nothing is known. */
static struct loupe_written written_of(const struct loupe_snapshot *snapshot,
                                       uint32_t class_number) {
    struct loupe_written written = {.function = "", .file = ""};
    loupe_native_class_written(snapshot, class_number, &written);
    return written;
}

/* Of a block's function, as the source knows it: the class of the block is called after it. */
static struct text symbol_of(const struct loupe_snapshot *snapshot, uint32_t class_number) {
    struct loupe_span name = loupe_snapshot_class_name(snapshot, class_number);
    const char prefix[] = "block ";
    if (!loupe_span_starts_with(name, prefix))
        return text_say("%s", "");
    name.bytes += sizeof(prefix) - 1;
    name.length -= sizeof(prefix) - 1;
    return text_say("%s", cli_printable(name));
}

/* " at PhotoCell.m:42 in -[PhotoCell show]", " that runs __f_block_invoke", or nothing. */
static struct text writing_of(const struct loupe_snapshot *snapshot, uint32_t class_number) {
    struct loupe_written written = written_of(snapshot, class_number);
    struct text place = place_of(&written), symbol = symbol_of(snapshot, class_number);
    const char *in = cli_printable(loupe_span_of(written.function));
    if (*place.text || *in)
        return text_say("%s%s%s%s", *place.text ? " at " : "", place.text, *in ? " in " : "", in);
    return text_say("%s%s", *symbol.text ? " that runs " : "", symbol.text);
}

struct text text_of_all(const struct loupe_snapshot *snapshot, uint32_t class_number) {
    bool is_block =
        snapshot->native && snapshot->class_table[class_number].kind == LOUPE_CLASS_BLOCKS;
    if (is_block)
        return text_say("block%s", writing_of(snapshot, class_number).text);
    struct loupe_span name = loupe_snapshot_class_name(snapshot, class_number);
    return text_say("%s", cli_printable(words_class_name(name)));
}

struct text text_of_block(const struct loupe_snapshot *snapshot, uint32_t node) {
    struct loupe_written written = written_of(snapshot, snapshot->classes[node]);
    struct text place = place_of(&written), symbol = symbol_of(snapshot, snapshot->classes[node]);
    struct loupe_span name = loupe_snapshot_class_name(snapshot, snapshot->classes[node]);
    if (loupe_span_starts_with(name, "closure "))
        return text_say("%s%s%s", cli_printable(name), *place.text ? " at " : "", place.text);
    if (*place.text)
        return text_say("the block at %s", place.text);
    if (*symbol.text)
        return text_say("the block that runs %s", symbol.text);
    return text_say("the block 0x%" PRIx64, loupe_snapshot_address(snapshot, node));
}

struct text text_of_declaration(const struct loupe_snapshot *snapshot,
                                const struct loupe_label *label) {
    struct loupe_written declared = {.function = "", .file = ""};
    if (label)
        loupe_native_declared(snapshot, label, &declared);
    return place_of(&declared);
}

/* ---- References ---- */

static void say_fix(const struct loupe_heap_graph *graph, const struct loupe_advice *advice,
                    char *dst, size_t cap) {
    snprintf(dst, cap, "%s", text_of_advice(graph, advice).text);
}

static void say_root(const struct loupe_snapshot *snapshot, uint32_t root, char *dst, size_t cap) {
    if (!root_name(snapshot, root, dst, cap))
        dst[0] = '\0';
}

const struct loupe_heap_names words_names = {.fix = say_fix, .root = say_root};

struct text text_of_link(const struct loupe_snapshot *snapshot, uint32_t node, uint32_t link) {
    char path[LOUPE_MAX_PATH];
    const char *name = loupe_native_capture_name(snapshot, node, link);
    const struct loupe_pointer_ivar *ivar =
        name ? NULL : loupe_native_pointer(snapshot, node, link);
    if (ivar)
        return text_say("%s", cli_printable(loupe_snapshot_string(snapshot, ivar->name)));
    loupe_native_path(snapshot, link, path);
    if (!name && strncmp(path, "+0x", 3) == 0) /* people count bytes as debuggers' tables do */
        return text_say("+%" PRIu32, snapshot->native->slots[link]);
    return text_say("%s", cli_printable(loupe_span_of(name ? name : path)));
}

/* ---- Edges ---- */

uint32_t words_link(const struct loupe_heap_graph *graph, uint32_t from, uint32_t edge_id) {
    struct loupe_edge edge = loupe_graph_edge(&graph->graph, edge_id);
    return loupe_heap_graph_link(graph, from, &edge);
}

struct text text_of_path(const struct loupe_heap_graph *graph, uint32_t from, uint32_t edge) {
    uint32_t link = words_link(graph, from, edge);
    return link == LOUPE_NO_EDGE
               ? text_say("?")
               : text_of_link(graph->snapshot, loupe_heap_graph_node(graph, from), link);
}
