/* A file of /proc. */
#include "process/proc_file.h"

#include <stdio.h>
#include <stdlib.h>

char *loupe_proc_read_whole(const char *path, size_t *length_ret) {
    size_t capacity = 64 * 1024, length = 0, got;
    FILE *file = fopen(path, "re");
    char *text = file ? malloc(capacity) : NULL;
    while (text && (got = fread(text + length, 1, capacity - length - 1, file)) > 0) {
        length += got;
        if (length + 1 < capacity)
            continue;
        char *larger = realloc(text, capacity * 2);
        if (!larger)
            free(text);
        text = larger;
        capacity *= 2;
    }
    if (file)
        fclose(file);
    if (text)
        text[length] = '\0';
    *length_ret = length;
    return text;
}
