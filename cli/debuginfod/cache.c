#define _DEFAULT_SOURCE /* fstatat(), utimes() */

#include "debuginfod/cache.h"

#include "shared/new_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { FOR_OWNER = 0700, FOR_OTHERS = 0077, MOST_FILES = 1 << 14, SECONDS_OF_A_PART = 24 * 3600 };

const char *cache_open(char ret[LONGEST_CACHE]) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct stat about;
    int length = -1;
    if (cache && *cache == '/')
        length = snprintf(ret, LONGEST_CACHE, "%s/loupe/debuginfod", cache);
    else if (home && *home == '/')
        length = snprintf(ret, LONGEST_CACHE, "%s/.cache/loupe/debuginfod", home);
    if (length <= 0 || length >= LONGEST_CACHE)
        return "neither XDG_CACHE_HOME nor HOME names a folder";
    new_file_folders(ret);
    mkdir(ret, FOR_OWNER);
    if (lstat(ret, &about) || !S_ISDIR(about.st_mode))
        return "the folder cannot be made";
    if (about.st_uid != geteuid() || about.st_mode & FOR_OTHERS)
        return "the folder is not its owner's alone (mode 0700)";
    return NULL;
}

/* ---- Room ---- */

struct kept {
    char name[256];
    uint64_t size;
    time_t used;
};

static int by_age(const void *a, const void *b) {
    const struct kept *one = a, *other = b;
    return (one->used > other->used) - (one->used < other->used);
}

static bool is_part(const char *name) {
    return strstr(name, ".part-") != NULL;
}

/* What cannot be looked at is none of ours. */
static bool look_at(int folder, const char *name, struct kept *ret) {
    struct stat about;
    if (strlen(name) >= sizeof(ret->name) || fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) ||
        !S_ISREG(about.st_mode))
        return false;
    strcpy(ret->name, name);
    ret->size = (uint64_t)about.st_size;
    ret->used = about.st_mtime;
    return true;
}

/* Returns how many there are; *size_ret: of all of them. */
static unsigned list(DIR *folder, struct kept *kept, uint64_t *size_ret) {
    time_t now = time(NULL);
    unsigned count = 0;
    /* Cap: files beyond it stay until others are gone. */
    for (struct dirent *entry = readdir(folder); entry && count < MOST_FILES;
         entry = readdir(folder)) {
        struct kept *one = &kept[count];
        if (!look_at(dirfd(folder), entry->d_name, one))
            continue;
        if (is_part(one->name) && one->used + SECONDS_OF_A_PART < now) {
            unlinkat(dirfd(folder), one->name, 0);
            continue;
        }
        *size_ret += one->size;
        count += !is_part(one->name);
    }
    return count;
}

void cache_make_room(const char *path, uint64_t room) {
    struct kept *kept = malloc(MOST_FILES * sizeof(*kept));
    DIR *folder = kept ? opendir(path) : NULL;
    uint64_t size = 0;
    if (folder) {
        unsigned count = list(folder, kept, &size);
        qsort(kept, count, sizeof(*kept), by_age);
        for (unsigned i = 0; i < count && size > room; i++) {
            if (!unlinkat(dirfd(folder), kept[i].name, 0))
                size -= kept[i].size;
        }
        closedir(folder);
    }
    free(kept);
}

void cache_touch(const char *path) {
    utimes(path, NULL);
}
