/* loupe explain ivar-layout: which words of an object hold strong (or weak) references. */
#include "explain/explain.h"
#include "types/ivar_layout.h"
#include "shared/table.h"

#include <stdlib.h>

static const char help[] =
    "usage: loupe explain ivar-layout BYTES [--weak] [--start N] [--pointer-size 4|8] [--json]\n"
    "\n"
    "  loupe explain ivar-layout 21 11\n"
    "  loupe explain ivar-layout 01 21 11 35 21 31 --start 17\n"
    "  loupe explain ivar-layout '\\x01\\x11' --weak\n"
    "\n"
    "A class has a strong and a weak ivar layout, strings in its class_ro_t (also the result of\n"
    "class_getIvarLayout and class_getWeakIvarLayout). Each byte means: skip high nibble words, "
    "then\n"
    "low nibble words hold references; 00 ends it. A layout covers the ivars that the class "
    "itself\n"
    "declares. Its word 0 is the first word boundary at or after the class's instanceStart.\n"
    "\n"
    "  --weak             it is the weak layout\n"
    "  --start N          the class's instanceStart: shows offsets from the start of the object\n"
    "  --pointer-size 4   of a 32-bit program\n"
    "  --json             {\"slots\":[{\"word\",\"kind\"}]}, with --start also \"offset\" of "
    "each\n";

struct layout {
    const struct cli_arguments *arguments;
    struct loupe_span bytes;
    const char *kind;
    uint64_t base; /* offset of word 0 */
};

static uint64_t offset_of(const struct layout *layout, uint64_t word) {
    return layout->base + word * layout->arguments->pointer_size;
}

static bool has_start(const struct layout *layout) {
    return layout->arguments->given & CLI_OPTION_START;
}

static int print_json(const struct layout *layout) {
    struct loupe_ivar_layout_cursor cursor;
    struct loupe_word_run run;
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_json_begin_object(&json);
    loupe_json_key(&json, "slots");
    loupe_json_begin_array(&json);
    loupe_ivar_layout_begin(&cursor, layout->bytes);
    while (loupe_ivar_layout_next(&cursor, &run)) {
        for (uint32_t word = run.first; word < run.first + run.count; word++) {
            loupe_json_begin_object(&json);
            loupe_json_put_uint(&json, "word", word);
            if (has_start(layout))
                loupe_json_put_uint(&json, "offset", offset_of(layout, word));
            loupe_json_put_string(&json, "kind", layout->kind);
            loupe_json_end_object(&json);
        }
    }
    loupe_json_end_array(&json);
    loupe_json_end_object(&json);
    loupe_json_finish(&json);
    cli_end_answer();
    return CLI_OK;
}

static void add_run(struct table *table, const struct layout *layout,
                    const struct loupe_word_run *run) {
    uint64_t last = (uint64_t)run->first + run->count - 1;
    if (run->count == 1)
        table_add_format(table, "%u", run->first);
    else
        table_add_format(table, "%u-%llu", run->first, (unsigned long long)last);
    const char *sign = has_start(layout) ? "" : "+";
    if (run->count == 1)
        table_add_format(table, "%s%llu", sign, (unsigned long long)offset_of(layout, run->first));
    else
        table_add_format(table, "%s%llu to %s%llu", sign,
                         (unsigned long long)offset_of(layout, run->first), sign,
                         (unsigned long long)offset_of(layout, last));
    table_add(table, loupe_span_of(layout->kind));
}

static int print_table(const struct explain_topic *topic, const struct layout *layout) {
    static const char *const headings[] = {"word", "offset", "kind"};
    struct loupe_ivar_layout_cursor cursor;
    struct loupe_word_run run;
    struct table table;
    uint64_t words = 0;
    table_init(&table, 3, headings);
    loupe_ivar_layout_begin(&cursor, layout->bytes);
    for (; loupe_ivar_layout_next(&cursor, &run); words += run.count)
        add_run(&table, layout, &run);
    int status = CLI_OK;
    if (table.failed)
        status = explain_no_memory(topic);
    else if (!words)
        printf("no %s references\n", layout->kind);
    else
        printf("%llu %s reference%s; %s\n\n", (unsigned long long)words, layout->kind,
               words == 1 ? "" : "s",
               has_start(layout) ? "offsets from the start of the object"
                                 : "offsets from the first word of the class's own ivars");
    if (!status && words)
        table_print(&table);
    table_deinit(&table);
    return status;
}

static int print_word_layout(const struct explain_topic *topic,
                             const struct cli_arguments *arguments) {
    struct layout layout = {.arguments = arguments,
                            .kind = arguments->given & CLI_OPTION_WEAK ? "weak" : "strong"};
    int status = explain_parse_bytes(topic, arguments, &layout.bytes);
    if (status)
        return status;
    layout.base = loupe_ivar_layout_base(arguments->start, arguments->pointer_size);
    if (layout.bytes.length > LOUPE_IVAR_LAYOUT_MAX_BYTES)
        status =
            cli_misuse(topic->title, "no class has a layout of %zu bytes", layout.bytes.length);
    else
        status =
            arguments->given & CLI_OPTION_JSON ? print_json(&layout) : print_table(topic, &layout);
    free((char *)layout.bytes.bytes);
    return status;
}

const struct explain_topic explain_ivar_layout = {
    .name = "ivar-layout",
    .title = "explain ivar-layout",
    .example = "ivar-layout 21 11",
    .summary = "which words of an object hold strong or weak references",
    .help = help,
    .options = CLI_OPTION_WEAK | CLI_OPTION_START | CLI_OPTION_POINTER_SIZE,
    .run = print_word_layout,
};
