#include "shared/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Messages ---- */

/* A line has room for a path, and for as many words as anybody says. */
enum { PRINTABLE_SIZE = 160, PRINTABLE_COUNT = 4, LONGEST_LINE = 8192 };

const char *cli_printable(struct loupe_span text) {
    static char buffers[PRINTABLE_COUNT][PRINTABLE_SIZE];
    static unsigned next;
    char *buffer = buffers[next++ % PRINTABLE_COUNT];
    size_t used = 0;
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.bytes[i];
        if (used + sizeof("\\xff...") > PRINTABLE_SIZE) {
            memcpy(buffer + used, "...", 3);
            used += 3;
            break;
        }
        if (c >= 0x20 && c < 0x7f)
            buffer[used++] = (char)c;
        else
            used += (size_t)snprintf(buffer + used, PRINTABLE_SIZE - used, "\\x%02x", c);
    }
    buffer[used] = '\0';
    return buffer;
}

static void put(const char *text) {
    struct loupe_sink sink = cli_message_sink();
    sink.write(sink.ctx, text, strlen(text));
}

static char last_complaint[LONGEST_LINE];

static void say_line(const char *topic, const char *line, const char *end) {
    put("loupe: ");
    if (topic) {
        put(topic);
        put(": ");
    }
    put(line);
    put(end);
}

void cli_note(const char *format, ...) {
    char line[LONGEST_LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    say_line(NULL, line, "\n");
}

int cli_fail(int status, const char *topic, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_complaint, sizeof(last_complaint), format, arguments);
    va_end(arguments);
    say_line(topic, last_complaint, "\n");
    return status;
}

int cli_misuse(const char *topic, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_complaint, sizeof(last_complaint), format, arguments);
    va_end(arguments);
    say_line(topic, last_complaint, " (see --help)\n");
    return CLI_NONSENSE;
}

const char *cli_last_complaint(void) {
    return last_complaint;
}

void cli_repeat(struct loupe_span messages, const char *verb, const char *topic) {
    char said[64], instead[64];
    size_t skipped = loupe_format(said, sizeof(said), "loupe: %s: ", verb);
    loupe_format(instead, sizeof(instead), "loupe: %s: ", topic);
    while (messages.length) {
        const char *end = memchr(messages.bytes, '\n', messages.length);
        size_t length = end ? (size_t)(end - messages.bytes) + 1 : messages.length;
        bool is_of_verb = length > skipped && memcmp(messages.bytes, said, skipped) == 0;
        size_t from = is_of_verb ? skipped : 0;
        struct loupe_sink sink = cli_message_sink();
        put(is_of_verb ? instead : "");
        sink.write(sink.ctx, messages.bytes + from, length - from);
        messages = (struct loupe_span){messages.bytes + length, messages.length - length};
    }
}

/* ---- Numbers and options ---- */

bool cli_parse_number(const char *text, uint64_t max, uint64_t *ret) {
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    if (!strchr(hex ? "0123456789abcdefABCDEF" : "0123456789", *digits) || !*digits)
        return false;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(digits, &end, hex ? 16 : 10);
    if (*end || errno || value > max)
        return false;
    *ret = value;
    return true;
}

static const struct option {
    const char *name, *short_name;
    enum cli_option option;
    bool has_value;
} options[] = {
    {"--json", "-j", CLI_OPTION_JSON, false},
    {"--help", "-h", CLI_OPTION_HELP, false},
    {"--pointer-size", NULL, CLI_OPTION_POINTER_SIZE, true},
    {"--weak", NULL, CLI_OPTION_WEAK, false},
    {"--start", NULL, CLI_OPTION_START, true},
    {"--size", NULL, CLI_OPTION_SIZE, true},
    {"--limit", NULL, CLI_OPTION_LIMIT, true},
};

/* The option that a word spells. *value_ret: what follows its '=', or NULL. */
static const struct option *find_option(const char *word, const char **value_ret) {
    *value_ret = NULL;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        size_t length = strlen(options[i].name);
        if (options[i].short_name && strcmp(word, options[i].short_name) == 0)
            return &options[i];
        if (strncmp(word, options[i].name, length) != 0)
            continue;
        if (word[length] == '=')
            *value_ret = word + length + 1;
        if (word[length] == '=' || word[length] == '\0')
            return &options[i];
    }
    return NULL;
}

static bool take_value(enum cli_option option, const char *value, struct cli_arguments *ret) {
    uint64_t number;
    switch (option) {
    case CLI_OPTION_POINTER_SIZE:
        if (!cli_parse_number(value, 8, &number) || (number != 4 && number != 8))
            return false;
        ret->pointer_size = (uint8_t)number;
        return true;
    case CLI_OPTION_START:
        if (!cli_parse_number(value, UINT32_MAX / 2, &number))
            return false;
        ret->start = (uint32_t)number;
        return true;
    case CLI_OPTION_SIZE:
        return cli_parse_number(value, UINT64_MAX, &ret->size) && ret->size > 0;
    case CLI_OPTION_LIMIT:
        return cli_parse_number(value, UINT64_MAX, &ret->limit);
    default:
        return false;
    }
}

/* A word that starts with '-' is an option unless it is a negative number. */
static bool looks_like_option(const char *word) {
    return word[0] == '-' && word[1] != '\0' && !(word[1] >= '0' && word[1] <= '9');
}

static int take_option(const char *topic, const char **words, unsigned count, unsigned *at,
                       unsigned allowed, struct cli_arguments *ret) {
    const char *word = words[*at], *value;
    const struct option *option = find_option(word, &value);
    if (!option || !(allowed & option->option))
        return cli_misuse(topic, "unknown option %s", cli_printable(loupe_span_of(word)));
    if (!option->has_value && value)
        return cli_misuse(topic, "%s takes no value", option->name);
    if (option->has_value) {
        if (!value && *at + 1 < count)
            value = words[++*at];
        if (!value)
            return cli_misuse(topic, "%s needs a value", option->name);
        if (!take_value(option->option, value, ret))
            return cli_misuse(topic, "%s cannot be '%s'", option->name,
                              cli_printable(loupe_span_of(value)));
    }
    ret->given |= option->option;
    return CLI_OK;
}

unsigned cli_leading_options(const char **words, unsigned count) {
    unsigned at = 0;
    while (at < count && looks_like_option(words[at])) {
        const char *value;
        const struct option *option = find_option(words[at], &value);
        at += option && option->has_value && !value ? 2 : 1;
    }
    return at < count ? at : count;
}

int cli_parse_arguments(const char *topic, const char **words, unsigned count, unsigned allowed,
                        struct cli_arguments *ret) {
    bool options_ended = false;
    *ret = (struct cli_arguments){.pointer_size = 8, .words = words};
    for (unsigned at = 0; at < count; at++) {
        if (!options_ended && strcmp(words[at], "--") == 0) {
            options_ended = true;
        } else if (!options_ended && looks_like_option(words[at])) {
            int status = take_option(topic, words, count, &at, allowed, ret);
            if (status)
                return status;
        } else {
            words[ret->word_count++] = words[at];
        }
    }
    return CLI_OK;
}

/* ---- Memory and output for the core ---- */

static void *get_chunk(void *ctx, size_t size) {
    (void)ctx;
    return malloc(size);
}

static void put_chunk(void *ctx, void *chunk, size_t size) {
    (void)ctx;
    (void)size;
    free(chunk);
}

static void *resize_chunk(void *ctx, void *chunk, size_t size, size_t wanted) {
    (void)ctx;
    (void)size;
    return realloc(chunk, wanted);
}

const struct loupe_chunk_ops cli_chunks = {
    .get = get_chunk, .put = put_chunk, .resize = resize_chunk};
