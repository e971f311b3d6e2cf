#define _DEFAULT_SOURCE /* getrlimit() */

#include "shared/memory_room.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096, LONGEST_TEXT = 1 << 14 };

/* Beyond this a limit of cgroups of version 1 is none. */
#define NO_LIMIT ((uint64_t)1 << 60)

static void take(struct memory_room *room, uint64_t left, const char *by) {
    if (left < room->left)
        *room = (struct memory_room){left, by};
}

/* ---- Files of numbers ---- */

/* "" where it cannot be read. */
static void read_file(const char *folder, const char *name, char text[LONGEST_TEXT]) {
    char path[LONGEST_PATH];
    size_t length = 0;
    int written = snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = written > 0 && (size_t)written < sizeof(path) ? fopen(path, "re") : NULL;
    if (file) {
        length = fread(text, 1, LONGEST_TEXT - 1, file);
        fclose(file);
    }
    text[length] = '\0';
}

static bool read_number(const char *folder, const char *name, uint64_t *ret) {
    char text[LONGEST_TEXT], *end;
    read_file(folder, name, text);
    *ret = strtoull(text, &end, 10);
    return end != text;
}

/* The number behind a word at the beginning of a line: "file 4096", "MemAvailable:   12 kB". */
static uint64_t number_of(const char *text, const char *word) {
    size_t length = strlen(word);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, word, length) == 0)
            return strtoull(line + length, NULL, 10);
    }
    return 0;
}

/* ---- Containers ---- */

struct version {
    const char *limit, *used, *cache; /* cache: of files, which gives way */
};

static const struct version versions[] = {
    {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_cache "},
    {"memory.max", "memory.current", "file "}};

static void look_at_group(struct memory_room *room, const char *folder,
                          const struct version *version) {
    char text[LONGEST_TEXT];
    uint64_t limit, used;
    if (!read_number(folder, version->limit, &limit) || limit >= NO_LIMIT ||
        !read_number(folder, version->used, &used))
        return;
    read_file(folder, "memory.stat", text);
    uint64_t cache = number_of(text, version->cache);
    used = used > cache ? used - cache : 0;
    take(room, limit > used ? limit - used : 0, "this container");
}

/* A group, and those around it. A container may see its own as the topmost one. */
static void look_at_groups(struct memory_room *room, const char *mount, const char *path,
                           const struct version *version) {
    char folder[LONGEST_PATH];
    int written = snprintf(folder, sizeof(folder), "%s%s", mount, path);
    if (written < 0 || (size_t)written >= sizeof(folder))
        return;
    size_t top = strlen(mount);
    for (size_t length = (size_t)written; length > top;) {
        look_at_group(room, folder, version);
        while (length > top && folder[length - 1] != '/')
            length--;
        folder[length > top ? length - 1 : top] = '\0';
        length = length > top ? length - 1 : top;
    }
    look_at_group(room, mount, version);
}

static bool is_of_memory(const char *controllers, size_t length) {
    static const char memory[] = "memory";
    for (size_t at = 0; at + sizeof(memory) - 1 <= length; at++) {
        bool begins = !at || controllers[at - 1] == ',';
        size_t end = at + sizeof(memory) - 1;
        if (begins && !strncmp(controllers + at, memory, sizeof(memory) - 1) &&
            (end == length || controllers[end] == ','))
            return true;
    }
    return false;
}

/* "4:memory:/docker/12", "0::/user.slice". */
static void look_at_line(struct memory_room *room, const char *root, char *line) {
    char mount[LONGEST_PATH];
    char *controllers = strchr(line, ':'),
         *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
        return;
    size_t length = (size_t)(path - controllers) - 1;
    if (!length) { /* version 2: alone, or beside the others */
        snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup", root);
        look_at_groups(room, mount, path + 1, &versions[1]);
        snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup/unified", root);
        look_at_groups(room, mount, path + 1, &versions[1]);
    } else if (is_of_memory(controllers + 1, length)) {
        snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup/memory", root);
        look_at_groups(room, mount, path + 1, &versions[0]);
    }
}

static void look_at_containers(struct memory_room *room, const char *root) {
    char text[LONGEST_TEXT], folder[LONGEST_PATH], *rest = text;
    snprintf(folder, sizeof(folder), "%s/proc/self", root);
    read_file(folder, "cgroup", text);
    for (char *line; (line = strtok_r(rest, "\n", &rest));)
        look_at_line(room, root, line);
}

/* ---- The machine ---- */

static void look_at_machine(struct memory_room *room, const char *root) {
    char text[LONGEST_TEXT], folder[LONGEST_PATH];
    snprintf(folder, sizeof(folder), "%s/proc", root);
    read_file(folder, "meminfo", text);
    if (number_of(text, "MemAvailable:"))
        take(room, (number_of(text, "MemAvailable:") + number_of(text, "SwapFree:")) * 1024,
             "this machine");
}

struct memory_room memory_room_below(const char *root) {
    struct memory_room room = {UINT64_MAX, ""};
    look_at_machine(&room, root);
    look_at_containers(&room, root);
    return room;
}

/* ---- This process ---- */

static void look_at_limit(struct memory_room *room, int resource, uint64_t used) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return;
    take(room, limit.rlim_cur > used ? limit.rlim_cur - used : 0, "ulimit");
}

struct memory_room memory_room(void) {
    struct memory_room room = memory_room_below("");
    char text[LONGEST_TEXT];
    read_file("/proc/self", "status", text);
    look_at_limit(&room, RLIMIT_AS, number_of(text, "VmSize:") * 1024);
    look_at_limit(&room, RLIMIT_DATA, number_of(text, "VmData:") * 1024);
    return room;
}
