/* Words that the kernel keeps for this process: data of epoll, timers. */
#include "kernel/kernel_words.h"

#include "base/text.h"
#include "linux/proc_kernel.h"
#include "kernel/entries.h"
#include "kernel/system.h"

#include <string.h>

enum { MAX_PATH = 64, MAX_HOLDER = 96, PART = 4096 };

typedef bool next_word(const char **cursor, struct loupe_proc_word *ret);

struct asking {
    loupe_kernel_word_visit visit;
    void *visitor;
    const char *format; /* of what has a word: by its number, and that of the file */
    next_word *next;
    uint64_t file;
    bool all_told;
};

/* ---- A file, some lines after the other ---- */

static enum loupe_status visit_lines(const struct asking *asking, const char *lines) {
    struct loupe_proc_word item;
    enum loupe_status status = LOUPE_OK;
    while (!status && asking->next(&lines, &item)) {
        char holder[MAX_HOLDER];
        struct loupe_process_kernel_word word = {.holder = holder, .word = item.word, .told = true};
        loupe_format(holder, sizeof(holder), asking->format, (unsigned long long)item.number,
                     (unsigned long long)asking->file);
        status = asking->visit(asking->visitor, &word);
    }
    return status;
}

/* Where the last line in some text ends; 0: none does. */
static size_t end_of_lines(const char *text, size_t length) {
    while (length && text[length - 1] != '\n')
        length--;
    return length;
}

static enum loupe_status visit_file(struct asking *asking, const char *path) {
    char text[PART + 1], kept;
    size_t length = 0, end;
    long got = 0;
    enum loupe_status status = LOUPE_OK;
    int file = loupe_system_open(path);
    if (file < 0) {
        asking->all_told = false;
        return LOUPE_OK;
    }
    while (!status && (got = loupe_system_read(file, text + length, PART - length)) > 0) {
        length += (size_t)got;
        end = end_of_lines(text, length);
        kept = text[end];
        text[end] = '\0';
        status = visit_lines(asking, text);
        text[end] = kept;
        length -= end;
        memmove(text, text + end, length);
        if (length == PART)
            length = 0; /* no line that is looked for is as long */
    }
    asking->all_told &= got >= 0;
    loupe_system_close(file);
    return status;
}

/* ---- All files and timers ---- */

/* Only those of epolls have such lines. */
static enum loupe_status visit_number(void *visitor, uint64_t number) {
    struct asking *asking = visitor;
    char path[MAX_PATH];
    loupe_format(path, sizeof(path), "/proc/self/fdinfo/%llu", (unsigned long long)number);
    asking->file = number;
    return visit_file(asking, path);
}

enum loupe_status loupe_kernel_words_visit(loupe_kernel_word_visit visit, void *visitor) {
    struct asking asking = {.visit = visit,
                            .visitor = visitor,
                            .format = "data of file %llu in epoll %llu",
                            .next = loupe_proc_epoll_next,
                            .all_told = true};
    enum loupe_status status = loupe_entries_visit("/proc/self/fdinfo", visit_number, &asking);
    if (status)
        return status;
    asking.format = "value of timer %llu";
    asking.next = loupe_proc_timers_next;
    status = visit_file(&asking, "/proc/self/timers");
    return !status && !asking.all_told ? LOUPE_EFAULT : status;
}
