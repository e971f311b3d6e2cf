/* loupe explain symbol: what the name of a block's descriptor or helper says. */
#include "blocks/block_symbol.h"
#include "explain/explain.h"
#include "explain/captures.h"

#include <string.h>

static const char help[] =
    "usage: loupe explain symbol NAME [--pointer-size 4|8] [--json]\n"
    "\n"
    "  loupe explain symbol '__block_descriptor_60_e8_32s40r48w_e5_v8@?0l'\n"
    "  loupe explain symbol __copy_helper_block_e8_32s40w\n"
    "  loupe explain symbol ___destroy_helper_block_e4_20s24r --pointer-size 4\n"
    "\n"
    "clang writes into the names of a block's descriptor and helpers what they do: s retains an\n"
    "object, o does so under manual retain/release, b copies a block, r shares a __block "
    "variable,\n"
    "w is weak, u is an object that is not retained, c a C++ object, n a struct with any of "
    "these.\n"
    "lldb shows the names with `image lookup --address`.\n"
    "\n"
    "In the program, a byte 01 stands where the signature has an @. Write it as @, as \\x01, or "
    "leave\n"
    "it out as terminals do.\n"
    "\n"
    "  --pointer-size 4   of a 32-bit program\n"
    "  --json             {\"captures\":[{\"offset\",\"size\",\"kind\"}],\"other\":[...]}; "
    "captures being\n"
    "                     strong, block, byref, weak, unretained, unknown (a C++ object, with its\n"
    "                     \"type\"); other being data, and in names of helpers what they do not "
    "name\n";

struct question {
    const struct explain_topic *topic;
    const struct cli_arguments *arguments;
    struct loupe_arena arena;
    struct loupe_block_symbol symbol;
    struct loupe_captures captures;
};

/* ---- Input ---- */

/* lldb writes module`symbol. */
static const char *skip_module(const char *text) {
    const char *tick = strrchr(text, '`');
    return tick && tick[1] ? tick + 1 : text;
}

/* \x01 as four characters becomes the byte that it stands for, as anyone writes it. */
static struct loupe_span unescape(struct loupe_arena *arena, const char *text) {
    char *copy = loupe_arena_copy_string(arena, loupe_span_of(text)), *end = copy;
    for (const char *at = text; copy && *at; at++) {
        bool escaped = strncmp(at, "\\x01", 4) == 0 || strncmp(at, "\\x1", 3) == 0;
        *end++ = escaped ? '\x01' : *at;
        if (escaped)
            at += at[2] == '0' ? 3 : 2;
    }
    return (struct loupe_span){.bytes = copy, .length = copy ? (size_t)(end - copy) : 0};
}

/* The last "_e", number, "_" in a name: there the signature starts. */
static bool find_signature(struct loupe_span name, size_t *start_ret, uint64_t *length_ret) {
    for (size_t i = name.length; i-- > 2;) {
        const char *cursor = name.bytes + i, *end = name.bytes + name.length;
        if (cursor[-2] == '_' && cursor[-1] == 'e' &&
            loupe_parse_decimal(&cursor, end, name.length * 2, length_ret) && cursor < end &&
            *cursor == '_') {
            *start_ret = (size_t)(cursor + 1 - name.bytes);
            return true;
        }
    }
    return false;
}

static enum loupe_status parse(struct question *question, struct loupe_span name,
                               struct loupe_error *err) {
    struct loupe_symbol_context context = {.pointer_size = question->arguments->pointer_size};
    return loupe_block_symbol_parse(&question->arena, name, &context, &question->symbol, err);
}

/*
 * A signature that lost bytes 01 on a terminal is shorter than it says. As many as are missing make
 * the name whole again; where they stood matters to nothing but the signature, which is then not
 * shown.
 */
static enum loupe_status parse_with_lost_bytes(struct question *question, struct loupe_span name) {
    size_t start;
    uint64_t length;
    if (!find_signature(name, &start, &length))
        return LOUPE_EUSAGE;
    enum loupe_status status = LOUPE_EUSAGE;
    for (uint64_t lost = 1; lost <= length && lost <= 64 && status == LOUPE_EUSAGE; lost++) {
        struct loupe_span whole = {.length = name.length + lost};
        char *copy = loupe_arena_alloc(&question->arena, whole.length);
        if (!copy)
            return LOUPE_ENOMEM;
        memcpy(copy, name.bytes, start);
        memset(copy + start, 1, lost);
        memcpy(copy + start + lost, name.bytes + start, name.length - start);
        whole.bytes = copy;
        status = parse(question, whole, NULL);
    }
    question->symbol.signature.length = 0;
    return status;
}

static int read_symbol(struct question *question) {
    const char *title = question->topic->title;
    const struct cli_arguments *arguments = question->arguments;
    struct loupe_error err = {.message = ""};
    if (arguments->word_count != 1 || !*arguments->words[0])
        return cli_misuse(title, "%s",
                          arguments->word_count > 1 ? "one name at a time: quote it for the shell"
                                                    : "no name given");
    struct loupe_span name = unescape(&question->arena, skip_module(arguments->words[0]));
    if (!name.bytes)
        return explain_no_memory(question->topic);
    enum loupe_status status = parse(question, name, &err);
    if (status == LOUPE_EUSAGE)
        status = parse_with_lost_bytes(question, name);
    if (!status)
        status = loupe_captures_of_symbol(&question->arena, &question->symbol,
                                          arguments->pointer_size, &question->captures);
    if (status == LOUPE_ENOMEM)
        return explain_no_memory(question->topic);
    if (status)
        return cli_misuse(title, "%s",
                          *err.message ? cli_printable(loupe_span_of(err.message))
                                       : "the captures do not fit into the block's size");
    return CLI_OK;
}

/* ---- Output ---- */

static int print_json(const struct question *question) {
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_json_begin_object(&json);
    show_captures_json(&json, &question->captures);
    if (!question->symbol.says_captures)
        loupe_json_put_bool(&json, "incomplete", true);
    loupe_json_end_object(&json);
    loupe_json_finish(&json);
    cli_end_answer();
    return CLI_OK;
}

static void print_descriptor(const struct loupe_block_symbol *symbol) {
    printf("descriptor of a block of %u bytes; it has %s\n", symbol->size,
           symbol->has_helpers ? "copy and dispose helpers"
                               : "no helpers, so it owns nothing of its own");
    if (symbol->signature.length) {
        printf("signature ");
        for (size_t i = 0; i < symbol->signature.length; i++) {
            char c = symbol->signature.bytes[i];
            fputs(c == '\x01' ? "@" : cli_printable((struct loupe_span){&c, 1}), stdout);
        }
        putchar('\n');
    }
}

static int print_table(const struct question *question) {
    const struct loupe_block_symbol *symbol = &question->symbol;
    if (symbol->form == LOUPE_SYMBOL_DESCRIPTOR && symbol->says_captures)
        print_descriptor(symbol);
    else
        printf("%s of a block\n", symbol->form == LOUPE_SYMBOL_DESCRIPTOR    ? "descriptor"
                                  : symbol->form == LOUPE_SYMBOL_COPY_HELPER ? "copy helper"
                                                                             : "dispose helper");
    if (!symbol->says_captures) {
        puts("\nits name says nothing about captures: plain C, or an old compiler");
        return CLI_OK;
    }
    return show_captures_table(&question->captures) ? CLI_OK : explain_no_memory(question->topic);
}

static int print_symbol(const struct explain_topic *topic, const struct cli_arguments *arguments) {
    struct question question = {.topic = topic, .arguments = arguments};
    loupe_arena_init(&question.arena, &cli_chunks);
    int status = read_symbol(&question);
    if (!status)
        status =
            arguments->given & CLI_OPTION_JSON ? print_json(&question) : print_table(&question);
    loupe_arena_deinit(&question.arena);
    return status;
}

const struct explain_topic explain_symbol = {
    .name = "symbol",
    .title = "explain symbol",
    .example = "symbol __copy_helper_block_e8_32s40w",
    .summary = "what a block captures, by the name of its descriptor or of a helper",
    .help = help,
    .options = CLI_OPTION_POINTER_SIZE,
    .run = print_symbol,
};
