/* A copy of what git tracks. */
#define _GNU_SOURCE

#include "fix/tracked_copy.h"

#include "shared/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_LISTED = 64 << 20, MOST_FILES = 200000, COPIED_AT_ONCE = 1 << 16, DEEPEST = 200 };

/* ---- What git says ---- */

/* Between fork() and exec(). Nothing that a tree has in its configuration is run. */
static void become_git(const char *folder, const char *const words[], int output) {
    const char *all[16] = {"git", "-C", folder, "-c", "core.fsmonitor=false"};
    unsigned count = 5;
    for (unsigned i = 0; words[i]; i++)
        all[count++] = words[i];
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    execvp("git", (char *const *)(void *)all);
    _exit(127);
}

static char *read_all(int from, size_t *ret_length) {
    size_t length = 0, capacity = 1 << 12;
    char *bytes = malloc(capacity);
    while (bytes) {
        ssize_t got = read(from, bytes + length, capacity - length - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        length += (size_t)got;
        if (length + 1 < capacity)
            continue;
        char *more = capacity < MOST_LISTED ? realloc(bytes, capacity * 2) : NULL;
        if (!more)
            free(bytes);
        bytes = more;
        capacity *= 2;
    }
    *ret_length = length;
    if (bytes)
        bytes[length] = '\0';
    return bytes;
}

/* What it prints, to be freed; NULL: it failed, or says too much. */
static char *ask_git(const char *folder, const char *const words[], size_t *ret_length) {
    int both[2], status = -1;
    if (pipe(both))
        return NULL;
    fcntl(both[0], F_SETFD, FD_CLOEXEC);
    fcntl(both[1], F_SETFD, FD_CLOEXEC);
    pid_t child = fork();
    if (child == 0)
        become_git(folder, words, both[1]);
    close(both[1]);
    char *said = child > 0 ? read_all(both[0], ret_length) : NULL;
    close(both[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (status == 0)
        return said;
    free(said);
    return NULL;
}

/* One line of it. */
static bool ask_for_path(const char *folder, const char *what, char ret[FIX_LONGEST_PATH]) {
    const char *const words[] = {"rev-parse", what, NULL};
    size_t length;
    char *said = ask_git(folder, words, &length);
    bool fits = said && length < FIX_LONGEST_PATH && !memchr(said, '\0', length);
    if (fits)
        loupe_format(ret, FIX_LONGEST_PATH, "%.*s", (int)strcspn(said, "\n"), said);
    free(said);
    return fits;
}

/* ---- One file ---- */

/* The folder that a path is in, name by name, made where wanted. -1: errno. */
static int open_folder_of(int root, const char *path, bool makes, const char **name_ret) {
    int folder = dup(root);
    for (const char *slash = strchr(path, '/'); folder >= 0 && slash; slash = strchr(path, '/')) {
        char name[FIX_LONGEST_PATH];
        loupe_format(name, sizeof(name), "%.*s", (int)(slash - path), path);
        if (makes)
            mkdirat(folder, name, 0700);
        int next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(folder);
        folder = next;
        path = slash + 1;
    }
    *name_ret = path;
    return folder;
}

static bool write_all(int file, const char *bytes, size_t length) {
    while (length) {
        ssize_t put = write(file, bytes, length);
        if (put < 0 && errno != EINTR)
            return false;
        bytes += put > 0 ? put : 0;
        length -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

static bool copy_bytes(int from, int to) {
    char bytes[COPIED_AT_ONCE];
    ssize_t got;
    while ((got = read(from, bytes, sizeof(bytes))) != 0) {
        if (got < 0 && errno != EINTR)
            return false;
        if (got > 0 && !write_all(to, bytes, (size_t)got))
            return false;
    }
    return true;
}

static bool copy_file(int from, int to, const char *name, mode_t mode) {
    int old = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    int new = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode & 0700);
    bool done = old >= 0 && new >= 0 && copy_bytes(old, new);
    int problem = errno;
    if (old >= 0)
        close(old);
    if (new >= 0)
        close(new);
    errno = problem;
    return done;
}

/* Whether what a link says leads nowhere out of the tree; depth: of the folder that it is in. */
static bool stays_inside(const char *target, int depth) {
    if (*target == '/')
        return false;
    for (const char *part = target; *part;) {
        size_t length = strcspn(part, "/");
        bool is_up = length == 2 && memcmp(part, "..", 2) == 0;
        depth += is_up ? -1 : length && !(length == 1 && *part == '.');
        if (depth < 0)
            return false;
        part += length + (part[length] == '/');
    }
    return true;
}

static int depth_of(const char *path) {
    int depth = 0;
    for (; *path; path++)
        depth += *path == '/';
    return depth;
}

static bool copy_link(int from, int to, const char *name, const char *path,
                      struct fix_reason *reason) {
    char target[FIX_LONGEST_PATH];
    ssize_t length = readlinkat(from, name, target, sizeof(target) - 1);
    target[length > 0 ? length : 0] = '\0';
    if (length <= 0 || !stays_inside(target, depth_of(path)))
        return fix_refuse(reason, "%s is a link that leads out of the tree",
                          cli_printable(loupe_span_of(path)));
    return symlinkat(target, to, name) == 0 ||
           fix_refuse(reason, "%s cannot be copied: %s", cli_printable(loupe_span_of(path)),
                      strerror(errno));
}

/* A file that is not there was removed and not yet told to git; a folder is another repository. */
static bool copy_one(int root, int tree, const char *path, struct fix_reason *reason) {
    const char *name, *same;
    struct stat about;
    int from = open_folder_of(root, path, false, &name);
    int to = open_folder_of(tree, path, true, &same);
    bool is_there = from >= 0 && fstatat(from, name, &about, AT_SYMLINK_NOFOLLOW) == 0;
    bool done = to >= 0 || fix_refuse(reason, "%s cannot be copied: %s",
                                      cli_printable(loupe_span_of(path)), strerror(errno));
    if (done && is_there && S_ISLNK(about.st_mode))
        done = copy_link(from, to, name, path, reason);
    else if (done && is_there && S_ISREG(about.st_mode))
        done = copy_file(from, to, name, about.st_mode) ||
               fix_refuse(reason, "%s cannot be copied: %s", cli_printable(loupe_span_of(path)),
                          strerror(errno));
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return done;
}

/* ---- The tree ---- */

static bool copy_listed(const char *top, const char *tree, const char *listed, size_t length,
                        struct fix_reason *reason) {
    int from = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int to = open(tree, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool done = (from >= 0 && to >= 0) ||
                fix_refuse(reason, "the tree cannot be copied: %s", strerror(errno));
    unsigned files = 0;
    for (size_t i = 0; done && i < length; i += strlen(listed + i) + 1) {
        if (files++ == MOST_FILES)
            done = fix_refuse(reason, "git tracks more than %d files", MOST_FILES);
        else if (strlen(listed + i) >= FIX_LONGEST_PATH)
            done = fix_refuse(reason, "git tracks a file whose path is too long");
        else
            done = copy_one(from, to, listed + i, reason);
    }
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return done;
}

static bool make_folder(struct fix_copy *copy, char tree[FIX_LONGEST_PATH],
                        struct fix_reason *reason) {
    const char *place = getenv("TMPDIR");
    loupe_format(copy->folder, sizeof(copy->folder) - 16, "%s/loupe-fix-XXXXXX",
                 place && *place ? place : "/tmp");
    if (!mkdtemp(copy->folder))
        return fix_refuse(reason, "no folder can be made for a copy of the sources: %s",
                          strerror(errno));
    loupe_format(tree, FIX_LONGEST_PATH, "%s/tree", copy->folder);
    if (mkdir(tree, 0700) == 0)
        return true;
    fix_remove_copy(copy);
    return fix_refuse(reason, "no copy of the sources can be made: %s", strerror(errno));
}

bool fix_copy_tracked(const char *folder, struct fix_copy *ret, struct fix_reason *reason) {
    const char *const words[] = {"ls-files", "-z", NULL};
    char top[FIX_LONGEST_PATH], tree[FIX_LONGEST_PATH];
    size_t length = 0;
    if (!ask_for_path(folder, "--show-toplevel", top) ||
        !ask_for_path(folder, "--show-prefix", ret->prefix))
        return fix_refuse(reason, "%s is in no tree of git, which tells what is to be copied",
                          cli_printable(loupe_span_of(folder)));
    char *listed = ask_git(top, words, &length);
    if (!listed)
        return fix_refuse(reason, "git does not say what it tracks");
    bool done = make_folder(ret, tree, reason);
    if (done && !copy_listed(top, tree, listed, length, reason)) {
        fix_remove_copy(ret);
        done = false;
    }
    free(listed);
    return done;
}

bool fix_write_copied(const struct fix_copy *copy, const char *path, struct loupe_span bytes,
                      struct fix_reason *reason) {
    char whole[2 * FIX_LONGEST_PATH], tree[FIX_LONGEST_PATH];
    const char *name;
    loupe_format(tree, sizeof(tree), "%s/tree", copy->folder);
    loupe_format(whole, sizeof(whole), "%s%s", copy->prefix, path);
    int root = open(tree, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int folder = root >= 0 ? open_folder_of(root, whole, false, &name) : -1;
    int file = folder >= 0
                   ? openat(folder, name, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY)
                   : -1;
    bool done = file >= 0 && write_all(file, bytes.bytes, bytes.length);
    if (!done)
        fix_refuse(reason, "%s is not among what git tracks, or cannot be written in the copy: %s",
                   cli_printable(loupe_span_of(path)), strerror(errno));
    for (unsigned i = 0; i < 3; i++) {
        int one = (int[]){root, folder, file}[i];
        if (one >= 0)
            close(one);
    }
    return done;
}

/* ---- Its end ---- */

/* What is below an open folder, which is closed; nothing of it is followed. */
static bool empty_folder(int folder, unsigned depth) {
    DIR *listed = depth < DEEPEST ? fdopendir(folder) : NULL;
    const struct dirent *entry;
    bool done = listed != NULL;
    if (!listed)
        close(folder);
    while (listed && (entry = readdir(listed))) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || unlinkat(folder, name, 0) == 0)
            continue;
        int below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        done &= below >= 0 && empty_folder(below, depth + 1) &&
                unlinkat(folder, name, AT_REMOVEDIR) == 0;
    }
    if (listed)
        closedir(listed);
    return done;
}

bool fix_remove_copy(const struct fix_copy *copy) {
    int folder = open(copy->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return folder >= 0 && empty_folder(folder, 0) && rmdir(copy->folder) == 0;
}
