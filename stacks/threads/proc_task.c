#include "threads/proc_task.h"

#include "kernel/system.h"

#include <string.h>

enum { MAX_PATH = 64, MAX_FILE = 2048 };

/* A file of the thread, as far as it fits, NUL-ended. */
static bool read_file(uint64_t id, const char *name, char text[MAX_FILE]) {
    char path[MAX_PATH];
    loupe_format(path, sizeof(path), "/proc/self/task/%llu/%s", (unsigned long long)id, name);
    int file = loupe_system_open(path);
    if (file < 0)
        return false;
    long length = loupe_system_read(file, text, MAX_FILE - 1);
    loupe_system_close(file);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

static uint64_t hex_at(const char *text) {
    uint64_t value = 0;
    for (;; text++) {
        unsigned letter = (unsigned char)*text;
        unsigned digit = letter - (letter >= 'a' ? 'a' - 10u : '0');
        if (digit > 15)
            return value;
        value = value << 4 | digit;
    }
}

static size_t line_length(const char *text) {
    size_t length = 0;
    while (text[length] && text[length] != '\n')
        length++;
    return length;
}

/* What stands behind a word at the beginning of a line; NULL where no line begins so. */
static const char *behind(const char *text, const char *word) {
    for (;;) {
        size_t length = line_length(text);
        if (loupe_span_starts_with((struct loupe_span){text, length}, word))
            return text + strlen(word);
        if (!text[length])
            return NULL;
        text += length + 1;
    }
}

static enum loupe_task_state state_of(char letter) {
    switch (letter) {
    case 'R':
        return LOUPE_TASK_RUNS;
    case 'D':
        return LOUPE_TASK_IN_KERNEL;
    case 'T':
        return LOUPE_TASK_STOPPED;
    case 't':
        return LOUPE_TASK_TRACED;
    case 'X':
    case 'x':
    case 'Z':
        return LOUPE_TASK_DEAD;
    default:
        return LOUPE_TASK_WAITS;
    }
}

bool loupe_task_read(uint64_t id, struct loupe_task *ret) {
    char text[MAX_FILE];
    if (!read_file(id, "status", text))
        return false;
    const char *state = behind(text, "State:\t"), *blocked = behind(text, "SigBlk:\t");
    const char *waits = behind(text, "voluntary_ctxt_switches:\t");
    *ret = (struct loupe_task){.state = state ? state_of(*state) : LOUPE_TASK_RUNS,
                               .blocked = blocked ? hex_at(blocked) : 0};
    if (waits)
        loupe_parse_decimal(&waits, text + strlen(text), UINT64_MAX, &ret->waits);
    if (read_file(id, "schedstat", text)) {
        const char *cursor = text, *end = text + strlen(text);
        uint64_t waited = 0;
        loupe_parse_decimal(&cursor, end, UINT64_MAX, &ret->nanoseconds);
        cursor += *cursor == ' ';
        loupe_parse_decimal(&cursor, end, UINT64_MAX, &waited);
        ret->nanoseconds += waited;
    }
    return true;
}

void loupe_task_name(uint64_t id, char ret[LOUPE_TASK_NAME_SIZE]) {
    char text[MAX_FILE];
    ret[0] = '\0';
    if (!read_file(id, "comm", text))
        return;
    size_t length = line_length(text);
    length = length < LOUPE_TASK_NAME_SIZE ? length : LOUPE_TASK_NAME_SIZE - 1;
    memcpy(ret, text, length);
    ret[length] = '\0';
}

/* The last two numbers of the line: "-1 0x7ffc1000 0x4010" of a stopped thread, with six arguments
 * in between of one in a system call; "running" of another. */
bool loupe_task_waiting_at(uint64_t id, uint64_t *sp_ret, uint64_t *pc_ret) {
    char text[MAX_FILE];
    const char *last = NULL, *before = NULL;
    if (!read_file(id, "syscall", text))
        return false;
    for (const char *at = text; at[0] && at[1]; at++) {
        if (at[0] == '0' && at[1] == 'x') {
            before = last;
            last = at + 2;
        }
    }
    if (!before)
        return false;
    *sp_ret = hex_at(before);
    *pc_ret = hex_at(last);
    return *sp_ret != 0;
}
