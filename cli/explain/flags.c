/* loupe explain flags: the flags of a block. */
#include "blocks/block.h"
#include "explain/explain.h"
#include "shared/table.h"

#include <string.h>

static const char help[] =
    "usage: loupe explain flags NUMBER [--json]\n"
    "\n"
    "  loupe explain flags 0xc2000000\n"
    "  loupe explain flags -1040187392     the same, as an int\n"
    "\n"
    "The flags of a block are the int after its isa (on 64-bit machines at offset 8). The "
    "compiler\n"
    "sets some, the runtime others; on Apple's systems bits 1 to 15 count the owners.\n"
    "\n"
    "  --json   {\"names\":[...],\"retain_count\":N,\"unknown\":\"0x...\"}, the last two if not "
    "0\n";

/* What each flag means, found by its mask. */
static const struct {
    uint32_t mask;
    const char *words;
} meanings[] = {
    {LOUPE_BLOCK_DEALLOCATING, "it is being deallocated, where the runtime is Apple's"},
    {LOUPE_BLOCK_INLINE_LAYOUT_STRING, "with SMALL_DESCRIPTOR: the layout stands in place"},
    {LOUPE_BLOCK_SMALL_DESCRIPTOR, "the descriptor holds relative pointers"},
    {LOUPE_BLOCK_IS_NOESCAPE, "on the stack, for a parameter that does not keep it"},
    {LOUPE_BLOCK_NEEDS_FREE, "on the heap"},
    {LOUPE_BLOCK_HAS_COPY_DISPOSE, "has copy and dispose helpers: it may own captures"},
    {LOUPE_BLOCK_HAS_CTOR, "the helpers run C++ code"},
    {LOUPE_BLOCK_IS_GC, "garbage collected (obsolete)"},
    {LOUPE_BLOCK_IS_GLOBAL, "static: copying it gives the same block"},
    {LOUPE_BLOCK_USE_STRET, "returns a struct in memory"},
    {LOUPE_BLOCK_HAS_SIGNATURE, "the descriptor has a signature"},
    {LOUPE_BLOCK_HAS_EXTENDED_LAYOUT, "the descriptor has an extended layout (not always filled)"},
};

static const char *meaning(uint32_t mask) {
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
        if (meanings[i].mask == mask)
            return meanings[i].words;
    }
    return "";
}

static unsigned bit_number(uint32_t mask) {
    unsigned bit = 0;
    while (mask >>= 1)
        bit++;
    return bit;
}

static uint32_t owners(uint32_t flags) {
    return (flags & LOUPE_BLOCK_REFCOUNT_MASK) / 2;
}

static uint32_t unknown_bits(uint32_t flags) {
    uint32_t unknown = flags & ~LOUPE_BLOCK_REFCOUNT_MASK;
    for (unsigned i = 0; i < loupe_block_flag_name_count; i++)
        unknown &= ~loupe_block_flag_names[i].mask;
    return unknown;
}

static int print_json(uint32_t flags) {
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_json_begin_object(&json);
    loupe_json_key(&json, "names");
    loupe_json_begin_array(&json);
    for (unsigned i = 0; i < loupe_block_flag_name_count; i++) {
        if (flags & loupe_block_flag_names[i].mask)
            loupe_json_string(&json, loupe_block_flag_names[i].name);
    }
    loupe_json_end_array(&json);
    if (owners(flags))
        loupe_json_put_uint(&json, "retain_count", owners(flags));
    if (unknown_bits(flags))
        loupe_json_put_address(&json, "unknown", unknown_bits(flags));
    loupe_json_end_object(&json);
    loupe_json_finish(&json);
    cli_end_answer();
    return CLI_OK;
}

static void add_flag(struct table *table, const struct loupe_flag_name *flag) {
    table_add_format(table, "%u", bit_number(flag->mask));
    table_add_format(table, "0x%08x", flag->mask);
    table_add(table, loupe_span_of(flag->name));
    table_add(table, loupe_span_of(meaning(flag->mask)));
}

static void add_number(struct table *table, const char *bits, uint32_t value, const char *name,
                       const char *words) {
    if (!value)
        return;
    table_add(table, loupe_span_of(bits));
    table_add_format(table, "0x%08x", value);
    table_add(table, loupe_span_of(name));
    table_add(table, loupe_span_of(words));
}

static int print_table(const struct explain_topic *topic, uint32_t flags) {
    static const char *const headings[] = {"bit", "mask", "name", "meaning"};
    struct table table;
    char count[64];
    loupe_format(count, sizeof(count), "%u owner%s, where the runtime is Apple's", owners(flags),
                 owners(flags) == 1 ? "" : "s");
    table_init(&table, 4, headings);
    add_number(&table, "1-15", flags & LOUPE_BLOCK_REFCOUNT_MASK, "(count)", count);
    for (unsigned i = 0; i < loupe_block_flag_name_count; i++) {
        if (flags & loupe_block_flag_names[i].mask)
            add_flag(&table, &loupe_block_flag_names[i]);
    }
    add_number(&table, "16-20", unknown_bits(flags), "(unknown)", "bits without a meaning");
    bool failed = table.failed;
    if (!failed) {
        printf("block flags 0x%08x\n", flags);
        if (flags) {
            putchar('\n');
            table_print(&table);
        }
        if (!(flags & LOUPE_BLOCK_HAS_COPY_DISPOSE))
            printf("\nwithout HAS_COPY_DISPOSE: it owns no captures\n");
        else if (flags & LOUPE_BLOCK_IS_NOESCAPE)
            printf("\nwith IS_NOESCAPE: it owns no captures\n");
    }
    table_deinit(&table);
    return failed ? explain_no_memory(topic) : CLI_OK;
}

/* Debuggers print the flags as an int. */
static bool parse_flags(const char *text, uint32_t *ret) {
    uint64_t value;
    bool negative = text[0] == '-';
    uint64_t max = negative ? (uint64_t)INT32_MAX + 1 : UINT32_MAX;
    if (!cli_parse_number(text + negative, max, &value))
        return false;
    *ret = negative ? 0u - (uint32_t)value : (uint32_t)value;
    return true;
}

static int print_flags(const struct explain_topic *topic, const struct cli_arguments *arguments) {
    uint32_t flags;
    if (arguments->word_count != 1)
        return cli_misuse(topic->title, "%s",
                          arguments->word_count ? "one number at a time" : "no number given");
    if (!parse_flags(arguments->words[0], &flags))
        return cli_misuse(topic->title, "'%s' is not a number of 32 bits (such as 0xc2000000)",
                          cli_printable(loupe_span_of(arguments->words[0])));
    return arguments->given & CLI_OPTION_JSON ? print_json(flags) : print_table(topic, flags);
}

const struct explain_topic explain_flags = {
    .name = "flags",
    .title = "explain flags",
    .example = "flags 0xc2000000",
    .summary = "the flags of a block",
    .help = help,
    .options = 0,
    .run = print_flags,
};
