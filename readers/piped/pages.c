/* pages.c - the map is made when it is first needed, and holds until the next stop. */
#include "piped/pages.h"

#ifdef __linux__

#include "process/page_map.h"

#include <limits.h>
#include <stdlib.h>

static void *get_chunk(void *ctx, size_t size) {
    (void)ctx;
    return malloc(size);
}

static void put_chunk(void *ctx, void *chunk, size_t size) {
    (void)ctx;
    (void)size;
    free(chunk);
}

static const struct loupe_chunk_ops chunks = {.get = get_chunk, .put = put_chunk};

/* NULL: all is asked for. */
static struct loupe_page_map *pages_of(struct loupe_piped_reader *reader) {
    if (reader->is_here && !reader->looked_for_pages && reader->process <= INT_MAX)
        reader->pages = loupe_page_map_open_lazily((int)reader->process, &chunks);
    reader->looked_for_pages = true;
    return reader->pages;
}

enum loupe_status loupe_piped_pages_read(struct loupe_piped_reader *reader, loupe_addr addr,
                                         void *dst, size_t len, loupe_piped_read_present *read) {
    struct loupe_page_map *pages = pages_of(reader);
    return pages ? loupe_page_map_read(pages, addr, dst, len, read, reader)
                 : read(reader, addr, dst, len);
}

loupe_addr loupe_piped_pages_zeroes(struct loupe_piped_reader *reader, loupe_addr addr) {
    struct loupe_page_map *pages = pages_of(reader);
    return pages ? loupe_page_map_zeroes(pages, addr) : addr;
}

enum loupe_status loupe_piped_pages_visit_unread(struct loupe_piped_reader *reader,
                                                 loupe_unread_visit visit, void *visitor) {
    struct loupe_page_map *pages = pages_of(reader);
    return pages ? loupe_page_map_visit_unread(pages, visit, visitor) : LOUPE_OK;
}

void loupe_piped_pages_close(struct loupe_piped_reader *reader) {
    loupe_page_map_close(reader->pages);
    reader->pages = NULL;
    reader->looked_for_pages = false;
}

#else

enum loupe_status loupe_piped_pages_read(struct loupe_piped_reader *reader, loupe_addr addr,
                                         void *dst, size_t len, loupe_piped_read_present *read) {
    return read(reader, addr, dst, len);
}

loupe_addr loupe_piped_pages_zeroes(struct loupe_piped_reader *reader, loupe_addr addr) {
    (void)reader;
    return addr;
}

enum loupe_status loupe_piped_pages_visit_unread(struct loupe_piped_reader *reader,
                                                 loupe_unread_visit visit, void *visitor) {
    (void)reader;
    (void)visit;
    (void)visitor;
    return LOUPE_OK;
}

void loupe_piped_pages_close(struct loupe_piped_reader *reader) {
    (void)reader;
}

#endif
