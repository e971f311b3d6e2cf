#include "reply.h"

#include "kernel/kernel.h"
#include "memory/pages.h"

#include <string.h>

enum { FIRST_CAPACITY = 64 * 1024 };

static char *reply;
static size_t length, capacity;

void loupe_reply_clear(void) {
    char *old = reply;
    reply = NULL;
    length = 0;
    loupe_pages_unmap(old, capacity);
    capacity = 0;
}

static enum loupe_status grow(size_t needed) {
    size_t larger = capacity ? capacity : FIRST_CAPACITY;
    while (larger < needed) {
        if (larger > SIZE_MAX / 2)
            return LOUPE_ENOMEM;
        larger *= 2;
    }
    if (larger == capacity)
        return LOUPE_OK;
    char *pages = loupe_pages_map(larger);
    if (!pages)
        return LOUPE_ENOMEM;
    loupe_kernel_prefer_huge(pages, larger);
    if (length)
        memcpy(pages, reply, length);
    loupe_pages_unmap(reply, capacity);
    reply = pages;
    capacity = larger;
    return LOUPE_OK;
}

static enum loupe_status append(void *ctx, const char *bytes, size_t len) {
    (void)ctx;
    enum loupe_status status = grow(length + len + 1);
    if (status)
        return status;
    memcpy(reply + length, bytes, len);
    length += len;
    reply[length] = '\0';
    return LOUPE_OK;
}

struct loupe_sink loupe_reply_sink(void) {
    return (struct loupe_sink){.write = append};
}

const char *loupe_reply_text(void) {
    return reply;
}
