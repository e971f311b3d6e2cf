/* Words that the kernel keeps for another process: data of epoll, timers. */
#define _GNU_SOURCE

#include "process/kernel_words.h"

#include "linux/proc_kernel.h"
#include "process/proc_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 300, HOLDER_SIZE = PATH_SIZE };

/* Numbers, as those of files, are no addresses: they are left out here. */
static enum loupe_status add(struct loupe_reader *reader, const char *holder, uint64_t word,
                             bool told) {
    if (told && !loupe_reader_region(reader, word))
        return LOUPE_OK;
    struct loupe_process_kernel_word *added = loupe_vector_add(&reader->kernel_words);
    const char *kept = added ? loupe_reader_keep_text(reader, holder, strlen(holder)) : NULL;
    if (!kept)
        return LOUPE_ENOMEM;
    *added = (struct loupe_process_kernel_word){.holder = kept, .word = word, .told = told};
    return LOUPE_OK;
}

static enum loupe_status take_epoll(struct loupe_reader *reader, const char *number) {
    char path[PATH_SIZE], holder[HOLDER_SIZE];
    size_t length;
    struct loupe_proc_word item;
    enum loupe_status status = LOUPE_OK;
    snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", (int)reader->thread, number);
    char *text = loupe_proc_read_whole(path, &length);
    const char *cursor = text;
    if (!text)
        reader->kernel_words_told = false;
    while (text && !status && loupe_proc_epoll_next(&cursor, &item)) {
        snprintf(holder, sizeof(holder), "data of file %llu in epoll %s",
                 (unsigned long long)item.number, number);
        status = add(reader, holder, item.word, true);
    }
    free(text);
    return status;
}

static enum loupe_status take_file(struct loupe_reader *reader, const char *number) {
    char path[PATH_SIZE], what[64], holder[HOLDER_SIZE];
    snprintf(path, sizeof(path), "/proc/%d/fd/%s", (int)reader->thread, number);
    ssize_t length = readlink(path, what, sizeof(what) - 1);
    if (length < 0)
        return LOUPE_OK; /* "." and ".." */
    what[length] = '\0';
    if (strcmp(what, "anon_inode:[eventpoll]") == 0)
        return take_epoll(reader, number);
    if (strcmp(what, "anon_inode:[io_uring]") != 0)
        return LOUPE_OK;
    snprintf(holder, sizeof(holder), "requests of io_uring %s", number);
    return add(reader, holder, 0, false);
}

static enum loupe_status take_files(struct loupe_reader *reader) {
    char path[PATH_SIZE];
    const struct dirent *entry;
    enum loupe_status status = LOUPE_OK;
    snprintf(path, sizeof(path), "/proc/%d/fd", (int)reader->thread);
    DIR *folder = opendir(path);
    if (!folder)
        reader->kernel_words_told = false;
    while (folder && !status && (entry = readdir(folder)))
        status = take_file(reader, entry->d_name);
    if (folder)
        closedir(folder);
    return status;
}

static enum loupe_status take_timers(struct loupe_reader *reader) {
    char path[PATH_SIZE], holder[HOLDER_SIZE];
    size_t length;
    struct loupe_proc_word item;
    enum loupe_status status = LOUPE_OK;
    snprintf(path, sizeof(path), "/proc/%d/timers", (int)reader->thread);
    char *text = loupe_proc_read_whole(path, &length);
    const char *cursor = text;
    if (!text)
        reader->kernel_words_told = false; /* a kernel without it */
    while (text && !status && loupe_proc_timers_next(&cursor, &item)) {
        snprintf(holder, sizeof(holder), "value of timer %llu", (unsigned long long)item.number);
        status = add(reader, holder, item.word, true);
    }
    free(text);
    return status;
}

enum loupe_status loupe_process_take_kernel_words(struct loupe_reader *reader) {
    reader->kernel_words_told = true;
    enum loupe_status status = take_files(reader);
    return status ? status : take_timers(reader);
}
