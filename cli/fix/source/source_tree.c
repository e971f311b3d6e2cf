/* Sources below a folder. */
#define _GNU_SOURCE

#include "fix/source/source_tree.h"

#include "shared/cli.h"
#include "fix/source/swift_tokens.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_ENTRIES = 200000,
    DEEPEST = 32,
    LONGEST_PATH = 4096,
    LARGEST_FILE = 8 << 20,
    LARGEST_ALL = 512 << 20,
    PART_ROOM = 40
};

bool fix_refuse(struct fix_reason *reason, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    loupe_format_list(reason->text, sizeof(reason->text), format, arguments);
    va_end(arguments);
    return false;
}

/* ---- Reading one ---- */

static bool cannot_read(struct fix_reason *reason, const char *path, const char *why) {
    return fix_refuse(reason, "%s cannot be read: %s", cli_printable(loupe_span_of(path)), why);
}

/* Regular files alone; a pipe is not waited for. -1: errno. */
static int open_plain(int folder, const char *name, int flags, struct stat *about) {
    int file = openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return -1;
    if (fstat(file, about) == 0)
        return file;
    close(file);
    return -1;
}

/* All bytes of a file of a known size, in memory of malloc. NULL: it changed meanwhile, cannot be
 * read, or there is no memory. */
static char *read_bytes(int file, size_t size) {
    char *bytes = malloc(size + 1);
    size_t used = 0;
    while (bytes && used < size) {
        ssize_t got = read(file, bytes + used, size - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            free(bytes);
            return NULL;
        }
        used += (size_t)got;
    }
    return bytes;
}

/* ---- Looking below a folder ---- */

struct search {
    struct loupe_span word;
    struct loupe_arena *arena;
    struct fix_files *found;
    struct fix_reason *reason;
    bool is_swift;           /* what is looked for; else C and what is made of it */
    char path[LONGEST_PATH]; /* of the entry looked at */
    size_t length;
    uint32_t entries;
    uint64_t bytes;
};

static bool ends_in(const char *name, const char *ending) {
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

static bool is_source(const struct search *search, const char *name) {
    static const char *const ends[] = {".h", ".m", ".mm", ".hpp", ".hh", ".cpp", ".cc", ".cxx"};
    bool is_source = false;
    if (search->is_swift)
        return ends_in(name, ".swift");
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        is_source |= ends_in(name, ends[i]);
    return is_source;
}

static bool has_word(struct loupe_span text, struct loupe_span word) {
    for (size_t i = 0; word.length && i + word.length <= text.length; i++) {
        const char *next = memchr(text.bytes + i, word.bytes[0], text.length - word.length - i + 1);
        if (!next)
            return false;
        if (memcmp(next, word.bytes, word.length) == 0)
            return true;
        i = (size_t)(next - text.bytes);
    }
    return false;
}

static bool add_source(struct search *search, struct loupe_span text, int64_t changed) {
    struct fix_files *found = search->found;
    struct fix_file file = {.changed = changed};
    struct loupe_span path = {search->path, search->length};
    file.path = loupe_arena_copy_string(search->arena, path);
    enum loupe_status status = search->is_swift
                                   ? fix_read_swift_tokens(text, search->arena, &file.source)
                                   : fix_read_tokens(text, search->arena, &file.source);
    if (status == LOUPE_EUSAGE)
        return cannot_read(search->reason, search->path,
                           "a comment, a text or an #if in it has no end, or it has raw texts");
    found->items = loupe_arena_grow(search->arena, found->items, found->count, &found->capacity,
                                    sizeof(*found->items));
    if (status || !file.path || !found->items)
        return fix_refuse(search->reason, "out of memory");
    found->items[found->count++] = file;
    return true;
}

static bool look_at_file(struct search *search, int file, const struct stat *about) {
    size_t size = (size_t)about->st_size;
    search->bytes += size;
    if (about->st_size > LARGEST_FILE || search->bytes > LARGEST_ALL)
        return cannot_read(search->reason, search->path, "it is too large");
    char *bytes = read_bytes(file, size);
    if (!bytes)
        return cannot_read(search->reason, search->path, "its end was not reached");
    bool done = true;
    if (has_word((struct loupe_span){bytes, size}, search->word)) {
        char *copy = loupe_arena_copy_string(search->arena, (struct loupe_span){bytes, size});
        done = copy ? add_source(search, (struct loupe_span){copy, size}, about->st_mtime)
                    : fix_refuse(search->reason, "out of memory");
    }
    free(bytes);
    return done;
}

static bool look_below(struct search *search, int folder, unsigned depth);

/* Links, pipes and what vanished are nothing to look at. */
static bool look_at_entry(struct search *search, int folder, const char *name, unsigned depth) {
    struct stat about;
    if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? true : cannot_read(search->reason, name, strerror(errno));
    bool is_folder = S_ISDIR(about.st_mode);
    if (!is_folder && !(S_ISREG(about.st_mode) && is_source(search, name)))
        return true;
    size_t before = search->length, length = strlen(name);
    if (before + length + 2 > sizeof(search->path) || depth == DEEPEST)
        return fix_refuse(search->reason, "the folders below %s are too deep to be searched",
                          cli_printable(loupe_span_of(search->path)));
    if (before)
        search->path[search->length++] = '/';
    memcpy(search->path + search->length, name, length + 1);
    search->length += length;
    int file = open_plain(folder, name, is_folder ? O_RDONLY | O_DIRECTORY : O_RDONLY, &about);
    bool done = file < 0    ? cannot_read(search->reason, search->path, strerror(errno))
                : is_folder ? look_below(search, file, depth + 1)
                            : !S_ISREG(about.st_mode) || look_at_file(search, file, &about);
    if (file >= 0 && !is_folder)
        close(file);
    search->length = before;
    search->path[before] = '\0';
    return done;
}

/* Closes the folder. Hidden ones are those of tools. */
static bool look_below(struct search *search, int folder, unsigned depth) {
    DIR *entries = fdopendir(folder);
    if (!entries) {
        close(folder);
        return cannot_read(search->reason, search->path, strerror(errno));
    }
    bool done = true;
    struct dirent *entry;
    while (done && (entry = readdir(entries))) {
        if (++search->entries > MOST_ENTRIES)
            done = fix_refuse(search->reason,
                              "more than %d files are below the folder: name a smaller one with "
                              "--source",
                              (int)MOST_ENTRIES);
        else if (entry->d_name[0] != '.')
            done = look_at_entry(search, dirfd(entries), entry->d_name, depth);
    }
    closedir(entries);
    return done;
}

static int compare_paths(const void *a, const void *b) {
    return strcmp(((const struct fix_file *)a)->path, ((const struct fix_file *)b)->path);
}

static bool find(struct search *search, const char *folder) {
    struct fix_files *ret = search->found;
    *ret = (struct fix_files){.count = 0};
    int root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return cannot_read(search->reason, folder, strerror(errno));
    bool done = look_below(search, root, 0);
    if (done && ret->count)
        qsort(ret->items, ret->count, sizeof(*ret->items), compare_paths);
    return done;
}

bool fix_find_sources(const char *folder, struct loupe_span word, struct loupe_arena *arena,
                      struct fix_files *ret, struct fix_reason *reason) {
    struct search search = {.word = word, .arena = arena, .found = ret, .reason = reason};
    return find(&search, folder);
}

bool fix_find_swift(const char *folder, struct loupe_span word, struct loupe_arena *arena,
                    struct fix_files *ret, struct fix_reason *reason) {
    struct search search = {
        .word = word, .arena = arena, .found = ret, .reason = reason, .is_swift = true};
    return find(&search, folder);
}

/* ---- Writing one ---- */

/* The folder that a file is in, name by name; name_ret: its own. -1: errno. */
static int open_folder_of(const char *root, const char *path, const char **name_ret) {
    int folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (const char *slash = strchr(path, '/'); folder >= 0 && slash; slash = strchr(path, '/')) {
        char name[LONGEST_PATH];
        loupe_format(name, sizeof(name), "%.*s", (int)(slash - path), path);
        int next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(folder);
        folder = next;
        path = slash + 1;
    }
    *name_ret = path;
    return folder;
}

static bool is_unchanged(int folder, const char *name, struct loupe_span old, mode_t *mode_ret) {
    struct stat about = {.st_size = 0};
    int file = open_plain(folder, name, O_RDONLY, &about);
    bool same = file >= 0 && S_ISREG(about.st_mode) && (uint64_t)about.st_size == old.length;
    char *bytes = same ? read_bytes(file, old.length) : NULL;
    same = bytes && memcmp(bytes, old.bytes, old.length) == 0;
    *mode_ret = about.st_mode & 0777;
    free(bytes);
    if (file >= 0)
        close(file);
    return same;
}

static bool write_bytes(int file, struct loupe_span bytes) {
    for (size_t used = 0; used < bytes.length;) {
        ssize_t put = write(file, bytes.bytes + used, bytes.length - used);
        if (put < 0 && errno != EINTR)
            return false;
        used += put > 0 ? (size_t)put : 0;
    }
    return fsync(file) == 0;
}

static bool replace_in(int folder, const char *name, struct loupe_span bytes, mode_t mode) {
    char part[PART_ROOM];
    loupe_format(part, sizeof(part), ".loupe-fix-%ld", (long)getpid());
    int file = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    bool done = write_bytes(file, bytes) && fchmod(file, mode) == 0;
    done = close(file) == 0 && done && renameat(folder, part, folder, name) == 0;
    int problem = errno;
    if (!done)
        unlinkat(folder, part, 0);
    errno = problem;
    return done;
}

bool fix_replace(const char *root, const struct fix_file *file, struct loupe_span bytes,
                 struct fix_reason *reason) {
    const char *name;
    mode_t mode;
    int folder = open_folder_of(root, file->path, &name);
    if (folder < 0)
        return cannot_read(reason, file->path, strerror(errno));
    bool done = is_unchanged(folder, name, file->source.text, &mode)
                    ? replace_in(folder, name, bytes, mode) ||
                          fix_refuse(reason, "%s cannot be written: %s",
                                     cli_printable(loupe_span_of(file->path)), strerror(errno))
                    : fix_refuse(reason, "%s changed while it was read",
                                 cli_printable(loupe_span_of(file->path)));
    close(folder);
    return done;
}

/* ---- The file of an answer ---- */

/* Parts of two paths, from their ends on, that are the same. */
static unsigned parts_in_common(struct loupe_span a, struct loupe_span b) {
    unsigned parts = 0;
    size_t i = a.length, k = b.length;
    while (i && k && a.bytes[i - 1] == b.bytes[k - 1]) {
        i--;
        k--;
        parts += a.bytes[i] == '/';
    }
    bool ends = (!i || a.bytes[i - 1] == '/') && (!k || b.bytes[k - 1] == '/');
    return parts + (ends && i < a.length && a.bytes[i] != '/');
}

bool fix_choose_file(const struct fix_files *files, struct loupe_span path,
                     const struct fix_file **ret, struct fix_reason *reason) {
    unsigned best = 0, count = 0;
    for (uint32_t i = 0; i < files->count; i++) {
        unsigned parts = parts_in_common(path, loupe_span_of(files->items[i].path));
        if (parts > best)
            count = 0;
        if (parts >= best && parts) {
            best = parts;
            count++;
            *ret = &files->items[i];
        }
    }
    if (count == 1)
        return true;
    return fix_refuse(reason,
                      count
                          ? "more than one source is called as %s: name a smaller folder with "
                            "--source"
                          : "%s is not below the folder of --source, or does not name the variable",
                      cli_printable(path));
}
