/* loupe explain encoding: the members of an encoded type; the parts of a signature. */
#include "types/encoding.h"

#include "types/type_text.h"
#include "explain/explain.h"
#include "shared/table.h"

#include <string.h>

static const char help[] =
    "usage: loupe explain encoding TYPE [--size N] [--limit N] [--pointer-size 4|8] [--json]\n"
    "\n"
    "  loupe explain encoding '{S=\"a\"i\"o\"@\"NSObject\"}'\n"
    "  loupe explain encoding '{?=\"c\"c\"o\"@}' --size 9      it is packed, then\n"
    "  loupe explain encoding 'v24@0:8@16'                 a method's or block's signature\n"
    "\n"
    "A type as @encode and the runtime write it, quoted for the shell. Shows every member that "
    "has\n"
    "no members itself, where the C rules put it. Members without a name are numbered from 0.\n"
    "\n"
    "  --size N           the size of the whole (of the ivar, as the runtime knows it). An "
    "encoding\n"
    "                     does not tell packing, the declared types of bit-fields or the sizes of\n"
    "                     vectors; with the size they are found\n"
    "  --limit N          show at most N members (default: 1000)\n"
    "  --pointer-size 4   of a 32-bit program\n"
    "  --json             "
    "{\"size\",\"alignment\",\"members\":[{\"path\",\"type\",\"offset\",\"size\"}]};\n"
    "                     of a signature "
    "{\"size\":null,\"members\":[],\"signature\":[{\"type\",\"offset\"}]}\n";

enum { DEFAULT_LIMIT = 1000 };

struct question {
    const struct explain_topic *topic;
    const struct cli_arguments *arguments;
    struct loupe_span text;
    struct loupe_encoding encoding;
    struct loupe_encoding_cursor cursor;
};

static bool known(enum loupe_encoding_trust trust) {
    return trust != LOUPE_TRUST_UNKNOWN;
}

/* ---- Types ---- */

static void begin_walk(struct question *question) {
    const struct cli_arguments *arguments = question->arguments;
    uint64_t limit = arguments->given & CLI_OPTION_LIMIT ? arguments->limit : DEFAULT_LIMIT;
    loupe_encoding_begin(&question->cursor, &question->encoding, loupe_span_of(""), limit);
}

static void json_uint_or_null(struct loupe_json *json, const char *key, bool is_known,
                              uint64_t value) {
    loupe_json_key(json, key);
    if (is_known)
        loupe_json_uint(json, value);
    else
        loupe_json_null(json);
}

static void json_flag(struct loupe_json *json, const char *key, bool value) {
    if (value)
        loupe_json_put_bool(json, key, true);
}

/* A size that was told and that fits checks the guesses. */
static bool is_assumed(const struct question *question, enum loupe_encoding_trust trust) {
    return trust == LOUPE_TRUST_ASSUMED && !question->encoding.fits;
}

static bool has_known_size(const struct loupe_leaf *leaf) {
    return leaf->kind != LOUPE_TYPE_UNKNOWN || leaf->size;
}

static void json_leaf(struct loupe_json *json, const struct question *question,
                      const struct loupe_leaf *leaf) {
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "path", leaf->path);
    loupe_json_key(json, "type");
    loupe_json_span(json, leaf->type);
    json_uint_or_null(json, "offset", known(leaf->trust), leaf->offset);
    json_uint_or_null(json, "size", has_known_size(leaf), leaf->size);
    if (leaf->bit_width) {
        json_uint_or_null(json, "bit_offset", known(leaf->trust), leaf->bit_offset);
        json_uint_or_null(json, "bit_width", true, leaf->bit_width);
    }
    json_flag(json, "assumed", is_assumed(question, leaf->trust));
    loupe_json_end_object(json);
}

static int print_json(struct question *question) {
    const struct loupe_type *type = &question->encoding.type;
    struct loupe_leaf leaf;
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_json_begin_object(&json);
    json_uint_or_null(&json, "size", known(type->trust), type->size);
    json_uint_or_null(&json, "alignment", known(type->trust), type->alignment);
    json_flag(&json, "assumed", is_assumed(question, type->trust));
    if (question->arguments->given & CLI_OPTION_SIZE)
        loupe_json_put_bool(&json, "fits", question->encoding.fits);
    loupe_json_key(&json, "members");
    loupe_json_begin_array(&json);
    begin_walk(question);
    while (loupe_encoding_next(&question->cursor, &leaf))
        json_leaf(&json, question, &leaf);
    loupe_json_end_array(&json);
    json_flag(&json, "truncated", question->cursor.status == LOUPE_ENCODING_TRUNCATED);
    loupe_json_end_object(&json);
    loupe_json_finish(&json);
    cli_end_answer();
    return CLI_OK;
}

/* The C type, with what Objective-C calls some of them. */
static void add_type(struct table *table, struct loupe_span type) {
    static const struct {
        const char *encoding, *also;
    } named[] = {{"c", " or BOOL"}, {"q", " or NSInteger"}, {"Q", " or NSUInteger"}};
    char words[160 + sizeof(" or NSUInteger")];
    size_t length = loupe_type_text(type, words, 160);
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        if (loupe_span_equals(type, named[i].encoding))
            length += loupe_format(words + length, sizeof(words) - length, "%s", named[i].also);
    }
    table_add(table,
              type.length ? (struct loupe_span){words, length} : loupe_span_of("no encoding"));
}

static void add_leaf(struct table *table, const struct question *question,
                     const struct loupe_leaf *leaf) {
    const char *doubt = is_assumed(question, leaf->trust) ? "~" : "";
    if (!known(leaf->trust))
        table_add_format(table, "?");
    else if (leaf->bit_width)
        table_add_format(table, "%s%llu.%u", doubt, (unsigned long long)leaf->offset,
                         leaf->bit_offset);
    else
        table_add_format(table, "%s%llu", doubt, (unsigned long long)leaf->offset);
    if (leaf->bit_width)
        table_add_format(table, "%u bit%s", leaf->bit_width, leaf->bit_width == 1 ? "" : "s");
    else if (has_known_size(leaf))
        table_add_format(table, "%llu", (unsigned long long)leaf->size);
    else
        table_add_format(table, "?");
    table_add(table, loupe_span_of(*leaf->path ? leaf->path : "(itself)"));
    table_add(table, leaf->type);
    add_type(table, leaf->type);
}

static void print_size(const struct question *question) {
    const struct loupe_type *type = &question->encoding.type;
    const char *doubt = is_assumed(question, type->trust) ? "~" : "";
    if (!known(type->trust))
        printf("size unknown");
    else
        printf("%s%llu byte%s, aligned to %s%llu", doubt, (unsigned long long)type->size,
               type->size == 1 ? "" : "s", doubt, (unsigned long long)type->alignment);
    if (question->encoding.rules.pack)
        printf(", packed to %u", question->encoding.rules.pack);
    putchar('\n');
}

/* What the numbers of the table rest on. */
static void print_notes(const struct question *question, bool assumed, uint64_t shown) {
    const struct loupe_type *type = &question->encoding.type;
    bool sized = question->arguments->given & CLI_OPTION_SIZE;
    if (question->cursor.status == LOUPE_ENCODING_TRUNCATED)
        printf("\n%llu of %llu members shown (--limit)\n", (unsigned long long)shown,
               (unsigned long long)type->leaf_count);
    if (sized && !question->encoding.fits)
        printf("\nnothing that an encoding leaves open makes it %llu bytes: do not trust these "
               "offsets\n",
               (unsigned long long)question->arguments->size);
    else if (assumed && !sized)
        printf("\n~ assumes that %s; --size N checks it\n", type->guesses & LOUPE_GUESS_BITS
                                                                ? "bit-fields are declared int"
                                                                : "an empty struct takes a byte");
    if (!known(type->trust) && !sized)
        printf("\n? stands after a type without an encoding, such as a vector; --size N may find "
               "it\n");
}

static int print_table_of_leaves(struct question *question) {
    static const char *const headings[] = {"offset", "size", "member", "type", "C type"};
    struct loupe_leaf leaf;
    struct table table;
    bool assumed = is_assumed(question, question->encoding.type.trust);
    uint64_t shown = 0;
    table_init(&table, 5, headings);
    begin_walk(question);
    for (; loupe_encoding_next(&question->cursor, &leaf); shown++) {
        add_leaf(&table, question, &leaf);
        assumed = assumed || is_assumed(question, leaf.trust);
    }
    bool failed = table.failed;
    if (!failed) {
        print_size(question);
        if (shown) {
            putchar('\n');
            table_print(&table);
        }
        print_notes(question, assumed, shown);
    }
    table_deinit(&table);
    return failed ? explain_no_memory(question->topic) : CLI_OK;
}

/* ---- Signatures ---- */

/* Only in a signature a type has digits behind it: the frame offset. */
static bool looks_like_signature(struct loupe_span text) {
    struct loupe_signature_part part;
    enum loupe_encoding_status status;
    return loupe_signature_next(&text, &part, &status) && part.has_offset;
}

/* Leaves in *rest what is not understood, if anything. */
static enum loupe_encoding_status check_signature(struct loupe_span *rest) {
    struct loupe_signature_part part;
    enum loupe_encoding_status status;
    struct loupe_span before = *rest;
    while (loupe_signature_next(rest, &part, &status)) {
        if (!part.has_offset) {
            *rest = before;
            return LOUPE_ENCODING_MALFORMED;
        }
        before = *rest;
    }
    return status;
}

static int print_signature_json(struct loupe_span text) {
    struct loupe_signature_part part;
    enum loupe_encoding_status status;
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_json_begin_object(&json);
    loupe_json_key(&json, "size");
    loupe_json_null(&json);
    loupe_json_key(&json, "members");
    loupe_json_begin_array(&json);
    loupe_json_end_array(&json);
    loupe_json_key(&json, "signature");
    loupe_json_begin_array(&json);
    while (loupe_signature_next(&text, &part, &status)) {
        loupe_json_begin_object(&json);
        loupe_json_key(&json, "type");
        loupe_json_span(&json, part.type);
        loupe_json_key(&json, "offset");
        loupe_json_int(&json, part.offset);
        loupe_json_end_object(&json);
    }
    loupe_json_end_array(&json);
    loupe_json_end_object(&json);
    loupe_json_finish(&json);
    cli_end_answer();
    return CLI_OK;
}

static void add_part(struct table *table, unsigned number,
                     const struct loupe_signature_part *part) {
    if (number == 0)
        table_add_format(table, "result");
    else
        table_add_format(table, "argument %u", number - 1);
    table_add(table, part->type);
    add_type(table, part->type);
}

static int print_signature_table(const struct question *question) {
    static const char *const headings[] = {"part", "type", "C type"};
    struct loupe_span rest = question->text;
    struct loupe_signature_part part;
    enum loupe_encoding_status status;
    struct table table;
    int64_t frame = 0;
    table_init(&table, 3, headings);
    for (unsigned i = 0; loupe_signature_next(&rest, &part, &status); i++) {
        if (i == 0)
            frame = part.offset;
        add_part(&table, i, &part);
    }
    bool failed = table.failed;
    if (!failed) {
        printf("signature of a method or block; its arguments take %lld bytes\n\n",
               (long long)frame);
        table_print(&table);
    }
    table_deinit(&table);
    return failed ? explain_no_memory(question->topic) : CLI_OK;
}

/* ---- The question ---- */

static int fail_at(const struct question *question, const char *what, size_t where) {
    struct loupe_span rest = {.bytes = question->text.bytes + where,
                              .length = question->text.length - where};
    if (!rest.length)
        return cli_misuse(question->topic->title, "%s, after character %zu", what, where);
    return cli_misuse(question->topic->title, "%s, at character %zu: '%s'", what, where + 1,
                      cli_printable(rest));
}

static int explain_type(struct question *question) {
    const struct cli_arguments *arguments = question->arguments;
    /* x86_64 where it matters, which is for long double alone. */
    struct loupe_encoding_rules rules = loupe_encoding_rules_of((struct loupe_machine){
        .pointer_size = arguments->pointer_size,
        .arch = arguments->pointer_size == 8 ? LOUPE_ARCH_X86_64 : LOUPE_ARCH_OTHER});
    size_t length;
    enum loupe_encoding_status status =
        loupe_type_parse(question->text, &rules, &question->encoding.type, &length);
    if (status)
        return fail_at(question, loupe_encoding_status_text(status), length);
    if (length < question->text.length)
        return fail_at(question, length ? "more than one type" : "not a type encoding", length);
    uint64_t known_size = arguments->given & CLI_OPTION_SIZE ? arguments->size : 0;
    loupe_encoding_init(&question->encoding, question->text, &rules, known_size);
    return arguments->given & CLI_OPTION_JSON ? print_json(question)
                                              : print_table_of_leaves(question);
}

static int explain_signature(const struct question *question) {
    struct loupe_span rest = question->text;
    enum loupe_encoding_status status = check_signature(&rest);
    if (status)
        return fail_at(question, loupe_encoding_status_text(status),
                       question->text.length - rest.length);
    return question->arguments->given & CLI_OPTION_JSON ? print_signature_json(question->text)
                                                        : print_signature_table(question);
}

static int print_encoding(const struct explain_topic *topic,
                          const struct cli_arguments *arguments) {
    static struct question question;
    question.topic = topic;
    question.arguments = arguments;
    if (arguments->word_count != 1)
        return cli_misuse(topic->title, "%s: quote it for the shell",
                          arguments->word_count ? "one type at a time" : "no type given");
    question.text = loupe_span_of(arguments->words[0]);
    if (!question.text.length)
        return cli_misuse(topic->title,
                          "an empty encoding says nothing (clang writes it for vectors)");
    return looks_like_signature(question.text) ? explain_signature(&question)
                                               : explain_type(&question);
}

const struct explain_topic explain_encoding = {
    .name = "encoding",
    .title = "explain encoding",
    .example = "encoding '{S=\"a\"i\"o\"@}'",
    .summary = "the members of a type, with their offsets and sizes",
    .help = help,
    .options = CLI_OPTION_SIZE | CLI_OPTION_LIMIT | CLI_OPTION_POINTER_SIZE,
    .run = print_encoding,
};
