/* loupe explain layout: a block's extended layout, as a word or as bytes. */
#include "blocks/block_layout.h"
#include "explain/explain.h"
#include "explain/captures.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: loupe explain layout WORD|BYTES [--start N] [--pointer-size 4|8] [--json]\n"
    "\n"
    "  loupe explain layout 0x111                  the layout word of the block's descriptor\n"
    "  loupe explain layout 3f 30 40 50 00         the bytes that it points to\n"
    "  loupe explain layout '\\x3f\\x30@P'           the same as a debugger prints a string\n"
    "  loupe explain layout 0x100 --start 40       a __block variable that starts at 40\n"
    "\n"
    "The extended layout of a block (libclosure: the last word of its descriptor) says which\n"
    "captured words are objects. A word below 0x1000 is the layout itself, 0xXYZ: X strong words,\n"
    "then Y byrefs, then Z weak slots. Any other is the address of bytes 0xPN up to 00, each N + "
    "1\n"
    "times P: 1 bytes and 2 words that are no objects, 3 strong, 4 byref, 5 weak, 6 unretained.\n"
    "\n"
    "It says what was captured, not what is owned: a block without copy and dispose helpers owns\n"
    "nothing. Captures start after the header, at 32; at 20 with 4-byte pointers.\n"
    "\n"
    "  --start N          where the bytes that it describes start\n"
    "  --pointer-size 4   of a 32-bit program\n"
    "  --json             {\"captures\":[{\"offset\",\"size\",\"kind\"}],\"other\":[...]}, "
    "captures being\n"
    "                     strong, byref, weak, unretained, unknown; other being data\n";

struct question {
    const struct explain_topic *topic;
    const struct cli_arguments *arguments;
    struct loupe_arena arena;
    struct loupe_span bytes; /* as given, with what may stand behind the terminator */
    struct loupe_layout layout;
    struct loupe_captures captures;
};

/* ---- Input ---- */

/* A single 0x...: the word in the descriptor. */
static bool is_word(const struct cli_arguments *arguments) {
    return arguments->word_count == 1 && arguments->words[0][0] == '0' &&
           (arguments->words[0][1] | 0x20) == 'x' && !strpbrk(arguments->words[0], " ,");
}

static int decode_word(struct question *question) {
    const char *text = question->arguments->words[0];
    const char *title = question->topic->title;
    uint64_t word;
    if (!cli_parse_number(text, UINT64_MAX, &word))
        return cli_misuse(title, "'%s' is not a word as 0x111", cli_printable(loupe_span_of(text)));
    if (word >= LOUPE_LAYOUT_INLINE_END)
        return cli_misuse(title,
                          "0x%llx is an address: give the bytes that are there up to 00, as in "
                          "3f 30 40 50 00",
                          (unsigned long long)word);
    if (loupe_layout_decode_inline(&question->arena, (uint32_t)word,
                                   question->arguments->pointer_size, LOUPE_LAYOUT_NO_LIMIT,
                                   &question->layout))
        return explain_no_memory(question->topic);
    return CLI_OK;
}

static unsigned char stopping_byte(const struct question *question) {
    return (unsigned char)question->layout.bytes.bytes[question->layout.run_count];
}

static int decode_bytes(struct question *question) {
    int status = explain_parse_bytes(question->topic, question->arguments, &question->bytes);
    if (status)
        return status;
    if (loupe_layout_decode_bytes(&question->arena, question->bytes,
                                  question->arguments->pointer_size, LOUPE_LAYOUT_NO_LIMIT,
                                  &question->layout))
        return explain_no_memory(question->topic);
    if (question->layout.end == LOUPE_LAYOUT_BAD_BYTE && !question->layout.run_count)
        return cli_misuse(question->topic->title, "a layout does not start with %02x",
                          stopping_byte(question));
    return CLI_OK;
}

/* ---- Output ---- */

static void move_captures(struct question *question) {
    uint32_t header = 3u * question->arguments->pointer_size + 8;
    for (uint32_t i = 0; i < question->captures.count; i++)
        question->captures.items[i].offset += question->arguments->start - header;
}

static int print_json(const struct question *question) {
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_json_begin_object(&json);
    show_captures_json(&json, &question->captures);
    if (question->layout.end != LOUPE_LAYOUT_ENDED)
        loupe_json_put_bool(&json, "incomplete", true);
    loupe_json_end_object(&json);
    loupe_json_finish(&json);
    cli_end_answer();
    return CLI_OK;
}

static const char *unit_of(enum loupe_layout_op op) {
    if (op == LOUPE_LAYOUT_BYTES)
        return "byte";
    return op == LOUPE_LAYOUT_WORDS || op == LOUPE_LAYOUT_RESERVED ? "word" : "";
}

/* "17 strong, 1 byref, 2 words of data": runs of one kind add up. */
static void print_runs(const struct loupe_layout *layout) {
    if (!layout->run_count)
        printf("no objects");
    for (uint32_t i = 0; i < layout->run_count;) {
        enum loupe_layout_op op = layout->runs[i].op;
        uint64_t count = 0;
        const char *separator = i ? ", " : "";
        for (; i < layout->run_count && layout->runs[i].op == op; i++)
            count += layout->runs[i].count;
        const char *unit = unit_of(op);
        if (*unit)
            printf("%s%llu %s%s of %s", separator, (unsigned long long)count, unit,
                   count == 1 ? "" : "s", op == LOUPE_LAYOUT_RESERVED ? "unknown kind" : "data");
        else
            printf("%s%llu %s", separator, (unsigned long long)count, loupe_layout_op_name(op));
    }
    putchar('\n');
}

static void print_notes(const struct question *question) {
    const struct loupe_layout *layout = &question->layout;
    if (layout->end == LOUPE_LAYOUT_BAD_BYTE)
        printf("\n%02x has no meaning: what follows is not known\n", stopping_byte(question));
    else if (layout->end == LOUPE_LAYOUT_OVERRUN)
        printf("\nit describes more than any block holds; the rest is left out\n");
    else if (layout->is_inline && !layout->word)
        printf("\nfor Apple's runtimes: no objects; for others: no information\n");
    if (layout->end == LOUPE_LAYOUT_ENDED && question->bytes.length > layout->bytes.length + 1)
        printf("\nthe bytes after the 00 are not part of it\n");
}

static int print_table(struct question *question) {
    const struct loupe_layout *layout = &question->layout;
    if (layout->is_inline) {
        printf("0x%03llx: ", (unsigned long long)layout->word);
    } else {
        const char *hex = explain_hex(&question->arena, layout->bytes);
        if (!hex)
            return explain_no_memory(question->topic);
        printf("%s%s", hex, *hex ? ": " : "");
    }
    print_runs(layout);
    if (question->captures.count && !show_captures_table(&question->captures))
        return explain_no_memory(question->topic);
    print_notes(question);
    return CLI_OK;
}

static int explain(struct question *question) {
    const struct cli_arguments *arguments = question->arguments;
    if (!arguments->word_count)
        return cli_misuse(question->topic->title,
                          "no layout given: a word as 0x111 or bytes as 3f 30 40 50 00");
    int status = is_word(arguments) ? decode_word(question) : decode_bytes(question);
    if (status)
        return status;
    if (loupe_captures_of_layout(&question->arena, &question->layout, arguments->pointer_size,
                                 &question->captures))
        return explain_no_memory(question->topic);
    if (arguments->given & CLI_OPTION_START)
        move_captures(question);
    return arguments->given & CLI_OPTION_JSON ? print_json(question) : print_table(question);
}

static int print_capture_layout(const struct explain_topic *topic,
                                const struct cli_arguments *arguments) {
    struct question question = {.topic = topic, .arguments = arguments};
    loupe_arena_init(&question.arena, &cli_chunks);
    int status = explain(&question);
    loupe_arena_deinit(&question.arena);
    free((char *)question.bytes.bytes);
    return status;
}

const struct explain_topic explain_layout = {
    .name = "layout",
    .title = "explain layout",
    .example = "layout 3f 30 40 50 00",
    .summary = "what a block captures, by its extended layout",
    .help = help,
    .options = CLI_OPTION_START | CLI_OPTION_POINTER_SIZE,
    .run = print_capture_layout,
};
