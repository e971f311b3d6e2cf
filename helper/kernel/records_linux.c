/* Files of /proc, some whole records at a time. */
#include "kernel/records.h"

#include "kernel/system.h"

#include <string.h>

enum { ROOM = 64 << 10 };

/* Up to where the records that begin in a text are whole. */
static size_t end_of_whole(const char *text, size_t length, const char *last_line) {
    size_t end = length, prefix = strlen(last_line);
    while (end) {
        size_t start = end - 1; /* of the line that ends at end, if one does */
        while (start && text[start - 1] != '\n')
            start--;
        if (text[end - 1] == '\n' && end - start > prefix &&
            memcmp(text + start, last_line, prefix) == 0)
            return end;
        end = start;
    }
    return 0;
}

static enum loupe_status visit_whole(char *text, size_t end, loupe_records_visit_some visit,
                                     void *visitor) {
    char next = text[end];
    text[end] = '\0';
    enum loupe_status status = visit(visitor, text);
    text[end] = next;
    return status;
}

static enum loupe_status visit_file(int file, char *text, const char *last_line,
                                    loupe_records_visit_some visit, void *visitor) {
    size_t length = 0;
    long got;
    enum loupe_status status = LOUPE_OK;
    while (!status && (got = loupe_system_read(file, text + length, ROOM - 1 - length)) > 0) {
        length += (size_t)got;
        size_t end = end_of_whole(text, length, last_line);
        if (end)
            status = visit_whole(text, end, visit, visitor);
        memmove(text, text + end, length - end);
        length -= end;
    }
    return status || !length ? status : LOUPE_EFAULT;
}

enum loupe_status loupe_records_visit(const struct loupe_chunk_ops *chunks, const char *path,
                                      const char *last_line, loupe_records_visit_some visit,
                                      void *visitor) {
    int file = loupe_system_open(path);
    if (file < 0)
        return LOUPE_EFAULT;
    char *text = loupe_chunk_get(chunks, ROOM);
    enum loupe_status status =
        text ? visit_file(file, text, last_line, visit, visitor) : LOUPE_ENOMEM;
    loupe_chunk_put(chunks, text, ROOM);
    loupe_system_close(file);
    return status;
}
