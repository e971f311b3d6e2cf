/* The arguments of a tool's call: each checked against the table of verbs before anything is
 * opened.
 */
#define _DEFAULT_SOURCE /* realpath(), st_mtim */

#include "serve/call.h"

#include "base/fnv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_TEXT = 4095 };
#define MOST_ROWS_BEFORE ((uint64_t)1000000000)

static bool refuse(struct call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(struct call *call, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    loupe_format_list(call->problem, sizeof(call->problem), format, arguments);
    va_end(arguments);
    return false;
}

/* ---- By the schema ---- */

/* Of some with bars between them; NULL: of any. */
static bool is_one_of(struct loupe_span text, const char *choices) {
    while (choices && *choices) {
        size_t length = strcspn(choices, "|");
        if (length == text.length && !memcmp(text.bytes, choices, length))
            return true;
        choices += length + (choices[length] == '|');
    }
    return !choices;
}

/* "0x" and so many hexadecimal digits, as the schema's patterns have it. */
static bool is_address(struct loupe_span text) {
    bool is_one =
        text.length > 2 && text.length <= 18 && text.bytes[0] == '0' && text.bytes[1] == 'x';
    for (size_t i = 2; is_one && i < text.length; i++)
        is_one = text.bytes[i] && strchr("0123456789abcdefABCDEF", text.bytes[i]);
    return is_one;
}

/* "12a", as the schema's pattern has it: it becomes a word of a line. */
static bool is_fix(struct loupe_span text) {
    size_t digits = 0;
    while (digits < text.length && text.bytes[digits] >= '0' && text.bytes[digits] <= '9')
        digits++;
    return digits && digits <= 6 && digits + 1 == text.length && text.bytes[digits] >= 'a' &&
           text.bytes[digits] <= 'z';
}

static bool take_text(struct call *call, enum tool_argument argument) {
    const struct tool_argument_facts facts = tool_argument(argument);
    struct loupe_span text = call->given[argument]->text;
    if (call->given[argument]->kind != JSON_TEXT)
        return refuse(call, "%s is a text", facts.name);
    if (!text.length || text.length > LONGEST_TEXT || memchr(text.bytes, '\0', text.length))
        return refuse(call, "%s is empty, longer than %d bytes, or has a NUL in it", facts.name,
                      LONGEST_TEXT);
    call->texts[argument] = loupe_arena_copy_string(call->arena, text);
    if (!call->texts[argument])
        return refuse(call, "out of memory");
    if (argument == ARGUMENT_OBJECT && !is_address(text))
        return refuse(call, "object is an address such as 0x7f12a0; '%s' is not",
                      cli_printable(text));
    if (argument == ARGUMENT_FIX && !is_fix(text))
        return refuse(call, "fix is a number and a letter, such as 1a; '%s' is not",
                      cli_printable(text));
    return is_one_of(text, tool_choices(argument)) ||
           refuse(call, "%s is one of %s, not '%s'", facts.name, tool_choices(argument),
                  cli_printable(text));
}

static bool take_number(struct call *call, enum tool_argument argument) {
    const struct tool_argument_facts facts = tool_argument(argument);
    const struct json_value *value = call->given[argument];
    const char *cursor = value->text.bytes;
    bool is_number = value->kind == JSON_NUMBER &&
                     loupe_parse_decimal(&cursor, cursor + value->text.length, facts.most,
                                         &call->numbers[argument]) &&
                     cursor == value->text.bytes + value->text.length &&
                     call->numbers[argument] >= facts.least;
    return is_number || refuse(call, "%s is a whole number from %llu to %llu", facts.name,
                               (unsigned long long)facts.least, (unsigned long long)facts.most);
}

static bool take_flag(struct call *call, enum tool_argument argument) {
    enum json_kind kind = call->given[argument]->kind;
    call->numbers[argument] = kind == JSON_TRUE;
    return kind == JSON_TRUE || kind == JSON_FALSE ||
           refuse(call, "%s is true or false", tool_argument(argument).name);
}

static bool take(struct call *call, const struct json_value *value) {
    char known[300];
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++) {
        enum tool_argument argument = (enum tool_argument)i;
        const struct tool_argument_facts facts = tool_argument(argument);
        if (!call->tool->takes[i] || !loupe_span_equals(value->key, facts.name))
            continue;
        call->given[i] = value;
        switch (facts.kind) {
        case ARGUMENT_IS_NUMBER:
            return take_number(call, argument);
        case ARGUMENT_IS_FLAG:
            return take_flag(call, argument);
        case ARGUMENT_IS_TEXT:
            return take_text(call, argument);
        }
    }
    tool_name_arguments(call->tool, known, sizeof(known));
    return refuse(call, "%s has no argument '%s'; it takes %s", call->tool->name,
                  cli_printable(value->key), known);
}

static bool take_all(struct call *call, const struct json_value *arguments) {
    if (arguments->kind != JSON_NULL && arguments->kind != JSON_OBJECT)
        return refuse(call, "arguments is an object");
    JSON_EACH(value, arguments) {
        if (value->kind != JSON_NULL && !take(call, value))
            return false;
    }
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++) {
        if (call->tool->needs[i] && !call->given[i])
            return refuse(call, "%s needs the argument %s", call->tool->name,
                          tool_argument((enum tool_argument)i).name);
    }
    bool has_subject = call->given[ARGUMENT_OBJECT] || call->given[ARGUMENT_CLASS];
    return !call->tool->needs_subject || has_subject ||
           refuse(call, "%s needs the argument object or class", call->tool->name);
}

/* ---- Files ---- */

static bool is_within(const char *path, const char *folder) {
    char *real = realpath(path, NULL);
    size_t length = strlen(folder);
    bool is_root = length == 1;
    bool within =
        real &&
        (is_root || (!strncmp(real, folder, length) && (real[length] == '/' || !real[length])));
    free(real);
    return within;
}

/* A number alone would be a process. */
static bool name_file(struct call *call, enum tool_argument argument) {
    const char *text = call->texts[argument];
    if (strspn(text, "0123456789") != strlen(text))
        return true;
    char *name = loupe_arena_alloc(call->arena, strlen(text) + 3);
    if (!name)
        return refuse(call, "out of memory");
    loupe_format(name, strlen(text) + 3, "./%s", text);
    call->texts[argument] = name;
    return true;
}

static bool check_file(struct call *call, enum tool_argument argument) {
    struct stat status;
    const char *path = call->texts[argument];
    const char *shown = cli_printable(loupe_span_of(path));
    if (stat(path, &status))
        return refuse(call, "%s: %s", shown, strerror(errno));
    if (argument == ARGUMENT_SYSROOT || argument == ARGUMENT_PROGRAM || argument == ARGUMENT_SOURCE)
        return true;
    if (S_ISDIR(status.st_mode))
        return refuse(call, "%s: is a directory", shown);
    if (!S_ISREG(status.st_mode))
        return refuse(call, "%s: is not a plain file", shown);
#ifdef __APPLE__
    const struct timespec *changed = &status.st_mtimespec;
#else
    const struct timespec *changed = &status.st_mtim;
#endif
    const uint64_t identity[] = {(uint64_t)status.st_dev, (uint64_t)status.st_ino,
                                 (uint64_t)status.st_size, (uint64_t)changed->tv_sec,
                                 (uint64_t)changed->tv_nsec};
    call->files = loupe_fnv_bytes(call->files, identity, sizeof(identity));
    return true;
}

static bool check_files(struct call *call, const char *within) {
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++) {
        enum tool_argument argument = (enum tool_argument)i;
        if (!call->texts[i] || !tool_argument(argument).is_path)
            continue;
        if (!name_file(call, argument))
            return false;
        if (within && !is_within(call->texts[i], within))
            return refuse(call,
                          "%s is not there, or not within %s, which is all that this server "
                          "may read",
                          cli_printable(loupe_span_of(call->texts[i])),
                          cli_printable(loupe_span_of(within)));
        if (!check_file(call, argument))
            return false;
    }
    return true;
}

/* ---- Pages ---- */

/* All but where the page begins and how long it is. */
static void hash_arguments(struct call *call) {
    call->hash = loupe_fnv_span(call->files, loupe_span_of(call->tool->name));
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++) {
        if (i == ARGUMENT_LIMIT || i == ARGUMENT_CURSOR || i == ARGUMENT_TIMEOUT || !call->given[i])
            continue;
        call->hash = loupe_fnv_number(call->hash, i);
        call->hash = loupe_fnv_number(call->hash, call->numbers[i]);
        call->hash = loupe_fnv_span(call->hash, call->given[i]->text);
    }
}

const char *call_cursor(const struct call *call, uint32_t shown, char *dst, size_t cap) {
    loupe_format(dst, cap, "%llu-%llx", (unsigned long long)(call->first + shown),
                 (unsigned long long)call->hash);
    return dst;
}

static bool take_cursor(struct call *call) {
    struct call there = *call;
    char again[48];
    const char *text = call->texts[ARGUMENT_CURSOR], *cursor = text;
    if (!text)
        return true;
    bool is_ours =
        loupe_parse_decimal(&cursor, text + strlen(text), MOST_ROWS_BEFORE, &there.first);
    if (!is_ours || strcmp(call_cursor(&there, 0, again, sizeof(again)), text) != 0)
        return refuse(call, "the cursor is of another call: all other arguments have to be the "
                            "same, and the file unchanged; without a cursor the first page comes");
    call->first = there.first;
    return true;
}

bool call_take_arguments(struct call *call, const struct json_value *arguments, const char *within,
                         uint64_t seconds) {
    const struct tool *tool = call->tool;
    call->files = LOUPE_FNV_BASIS;
    if (!take_all(call, arguments))
        return false;
    if (!call->given[ARGUMENT_TIMEOUT])
        call->numbers[ARGUMENT_TIMEOUT] = seconds;
    call->rows = call->given[ARGUMENT_LIMIT] ? (uint32_t)call->numbers[ARGUMENT_LIMIT] : tool->page;
    call->list = call->given[ARGUMENT_OBJECT] && tool->list_of_one ? tool->list_of_one : tool->list;
    if (!check_files(call, within))
        return false;
    hash_arguments(call);
    return take_cursor(call);
}
