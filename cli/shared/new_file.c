/* Files that are written to, by their owner alone. */
#define _GNU_SOURCE

#include "shared/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOR_OWNER = 0600, FOLDER_FOR_OWNER = 0700 };

static bool starts_with(const char *path, const char *start) {
    return strncmp(path, start, strlen(start)) == 0;
}

/* Links there are the system's. */
static bool is_systems(const char *path) {
    return starts_with(path, "/proc/") ||
           (starts_with(path, "/dev/") && !starts_with(path, "/dev/shm/"));
}

static int open_for_owner(const char *path, int flags) {
    return open(path, flags | O_CLOEXEC | O_NOCTTY | (is_systems(path) ? 0 : O_NOFOLLOW),
                FOR_OWNER);
}

int new_file_open(const char *path) {
    struct stat about;
    if (is_systems(path))
        return open_for_owner(path, O_WRONLY | O_CREAT | O_TRUNC);
    int file = open_for_owner(path, O_WRONLY | O_CREAT | O_EXCL);
    if (file >= 0 || errno != EEXIST || lstat(path, &about))
        return file;
    if (!S_ISREG(about.st_mode) && !S_ISLNK(about.st_mode))
        return open_for_owner(path, O_WRONLY);
    return unlink(path) ? -1 : open_for_owner(path, O_WRONLY | O_CREAT | O_EXCL);
}

static FILE *with_buffer(int file, const char *mode) {
    FILE *opened = file < 0 ? NULL : fdopen(file, mode);
    if (file >= 0 && !opened)
        close(file);
    return opened;
}

FILE *new_file(const char *path) {
    return with_buffer(new_file_open(path), "wb");
}

FILE *new_file_that_is_there(const char *path) {
    return with_buffer(open_for_owner(path, O_RDWR), "r+b");
}

void new_file_remove(const char *path) {
    struct stat about;
    if (!is_systems(path) && !lstat(path, &about) && S_ISREG(about.st_mode))
        unlink(path);
}

void new_file_folders(char *path) {
    for (char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
        *end = 0;
        mkdir(path, FOLDER_FOR_OWNER);
        *end = '/';
    }
}

FILE *new_file_beside(const char *path, char *beside) {
    size_t length = strlen(path);
    struct stat about;
    bool is_there = !lstat(path, &about);
    if (is_systems(path) || (is_there && !S_ISREG(about.st_mode) && !S_ISLNK(about.st_mode))) {
        errno = EINVAL;
        return NULL;
    }
    memcpy(beside, path, length);
    memcpy(beside + length, ".part-XXXXXX", NEW_FILE_ENDING);
    return with_buffer(mkstemp(beside), "wb");
}
