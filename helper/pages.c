#include "pages.h"

#include <stdint.h>
#include <sys/mman.h>

/* Before each chunk; 64 bytes, so that chunks start on a cache line. */
struct page_header {
    struct page_header *next;
    struct page_header **link; /* what points to this header */
    size_t size;               /* with this header */
    uint8_t pad[40];
};

static struct page_header *outstanding;

void *loupe_pages_map(size_t size) {
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void loupe_pages_unmap(void *pages, size_t size) {
    if (pages)
        munmap(pages, size);
}

static void *get_pages(void *ctx, size_t size) {
    (void)ctx;
    if (size > SIZE_MAX / 2)
        return NULL;
    struct page_header *header = loupe_pages_map(size + sizeof(*header));
    if (!header)
        return NULL;
    *header = (struct page_header){
        .next = outstanding, .link = &outstanding, .size = size + sizeof(*header)};
    if (outstanding)
        outstanding->link = &header->next;
    outstanding = header;
    return header + 1;
}

static void put_pages(void *ctx, void *chunk, size_t size) {
    (void)ctx;
    (void)size;
    struct page_header *header = (struct page_header *)chunk - 1;
    *header->link = header->next;
    if (header->next)
        header->next->link = header->link;
    loupe_pages_unmap(header, header->size);
}

const struct loupe_chunk_ops loupe_pages = {.get = get_pages, .put = put_pages};

void loupe_pages_reclaim(void) {
    while (outstanding)
        put_pages(NULL, outstanding + 1, 0);
}
