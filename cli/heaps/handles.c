/* Numbers for what an answer shows, kept until the next question. */
#define _POSIX_C_SOURCE 200809L /* mkdir() with links, strdup(), isatty() */

#include "heaps/handles.h"

#include "shared/cli.h"
#include "shared/new_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096, LONGEST_LINE = 128, LARGEST_NUMBER = 4095 };

struct entry {
    uint64_t number;
    struct handle handle;
};

static struct entry *entries;
static size_t entry_count, entry_room;

void handles_show(uint64_t number, loupe_addr object, uint64_t fingerprint) {
    if (number > LARGEST_NUMBER)
        return;
    if (entry_count == entry_room) {
        size_t room = 2 * entry_room + 16;
        struct entry *grown = realloc(entries, room * sizeof(*entries));
        if (!grown)
            return;
        entries = grown;
        entry_room = room;
    }
    entries[entry_count++] = (struct entry){number, {.object = object, .fingerprint = fingerprint}};
}

/* ---- Where they are kept ---- */

/* False: nowhere. */
static bool find_place(char *ret, bool will_be_written) {
    const char *named = getenv("LOUPE_HANDLES"), *state = getenv("XDG_STATE_HOME"),
               *home = getenv("HOME");
    int length = -1;
    if (named && *named)
        length = snprintf(ret, LONGEST_PATH, "%s", named);
    else if (will_be_written && !isatty(STDOUT_FILENO))
        return false;
    else if (state && *state == '/')
        length = snprintf(ret, LONGEST_PATH, "%s/loupe/handles", state);
    else if (home && *home == '/')
        length = snprintf(ret, LONGEST_PATH, "%s/.local/state/loupe/handles", home);
    return length > 0 && length < LONGEST_PATH;
}

/* Which file or process it is, whatever it is called. */
static void name_file(const char *file, char *ret, size_t room) {
    struct stat about;
    bool is_process = file[strspn(file, "0123456789")] == '\0';
    if (!is_process && !stat(file, &about))
        snprintf(ret, room, "file %" PRIuMAX " %" PRIuMAX " %" PRIdMAX " %" PRIdMAX,
                 (uintmax_t)about.st_dev, (uintmax_t)about.st_ino, (intmax_t)about.st_size,
                 (intmax_t)about.st_mtime);
    else
        snprintf(ret, room, "process %.60s", file);
}

void handles_keep(const char *file) {
    char path[LONGEST_PATH], beside[LONGEST_PATH + NEW_FILE_ENDING], name[LONGEST_LINE];
    if (!entry_count || !find_place(path, true))
        return;
    new_file_folders(path);
    FILE *kept = new_file_beside(path, beside);
    if (!kept)
        return;
    name_file(file, name, sizeof(name));
    fprintf(kept, "%s\n", name);
    for (size_t i = 0; i < entry_count; i++)
        fprintf(kept, "%" PRIu64 " %" PRIx64 " %" PRIx64 "\n", entries[i].number,
                entries[i].handle.object, entries[i].handle.fingerprint);
    entry_count = 0;
    if (fclose(kept) || rename(beside, path))
        unlink(beside);
}

/* ---- What they mean ---- */

bool handles_is_one(const char *word, uint64_t *number_ret) {
    const char *digits = word + (*word == '#');
    size_t length = strspn(digits, "0123456789");
    return length && !digits[length] && cli_parse_number(digits, LARGEST_NUMBER, number_ret);
}

static const char *find_in(FILE *kept, const char *file, uint64_t number, struct handle *ret) {
    char line[LONGEST_LINE], name[LONGEST_LINE];
    struct entry entry;
    if (file)
        name_file(file, name, sizeof(name) - 1);
    if (!fgets(line, sizeof(line), kept))
        return "no answer has shown any yet";
    line[strcspn(line, "\n")] = '\0';
    if (file && strcmp(line, name) != 0)
        return "the last answer was about another file, or the file has changed";
    while (fgets(line, sizeof(line), kept)) {
        if (sscanf(line, "%" SCNu64 " %" SCNx64 " %" SCNx64, &entry.number, &entry.handle.object,
                   &entry.handle.fingerprint) == 3 &&
            entry.number == number) {
            *ret = entry.handle;
            return NULL;
        }
    }
    return "the last answer has no such number";
}

const char *handles_find(const char *file, uint64_t number, struct handle *ret) {
    char path[LONGEST_PATH];
    FILE *kept = find_place(path, false) ? new_file_that_is_there(path) : NULL;
    if (!kept)
        return "no answer has shown any yet at a terminal";
    const char *problem = find_in(kept, file, number, ret);
    fclose(kept);
    return problem;
}
