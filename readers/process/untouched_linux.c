#define _GNU_SOURCE

#include "process/untouched.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Words of pagemap: one for each page. */
#define IS_PRESENT (UINT64_C(1) << 63)
#define IS_SWAPPED (UINT64_C(1) << 62)

enum {
    PATH_SIZE = 64,
    WORDS = 1 << 13,          /* that are asked for at once */
    MOST_OF_REGION_SHIFT = 36 /* what is larger nobody reads (scene/reserved.c) */
};

static const struct loupe_range *hole_at(const struct loupe_vector *holes, uint32_t number) {
    return loupe_vector_at(holes, number, sizeof(struct loupe_range));
}

/* ---- Finding them ---- */

struct search {
    const struct loupe_reader *reader;
    struct loupe_vector *holes;
    int pagemap;
    uint64_t page;
    uint64_t words[WORDS];
};

static enum loupe_status add_page(struct search *search, loupe_addr start, loupe_addr region) {
    uint32_t count = search->holes->count;
    struct loupe_range *last =
        count ? loupe_vector_at(search->holes, count - 1, sizeof(*last)) : NULL;
    if (last && last->end == start && start != region) {
        last->end += search->page;
        return LOUPE_OK;
    }
    struct loupe_range *added = loupe_vector_add(search->holes);
    if (!added)
        return LOUPE_ENOMEM;
    *added = (struct loupe_range){.start = start, .end = start + search->page};
    return LOUPE_OK;
}

static bool is_over(const struct loupe_reader *reader) {
    const struct loupe_reader_options *options = &reader->options;
    return options->interrupted && options->interrupted(options->interrupted_ctx);
}

/* What nobody tells about is read. */
static enum loupe_status search_region(struct search *search,
                                       const struct loupe_process_region *region) {
    enum loupe_status status = LOUPE_OK;
    loupe_addr at = region->start;
    while (!status && at < region->end && !is_over(search->reader)) {
        uint64_t pages = (region->end - at) / search->page;
        size_t wanted = (pages < WORDS ? (size_t)pages : WORDS) * sizeof(uint64_t);
        ssize_t got = pread(search->pagemap, search->words, wanted,
                            (off_t)(at / search->page * sizeof(uint64_t)));
        if (got < (ssize_t)sizeof(uint64_t))
            break;
        for (size_t i = 0; !status && i < (size_t)got / sizeof(uint64_t); i++, at += search->page)
            if (!(search->words[i] & (IS_PRESENT | IS_SWAPPED)))
                status = add_page(search, at, region->start);
    }
    return status;
}

static bool may_have_holes(const struct loupe_reader_region *region) {
    return region->is_private && region->about.readable &&
           region->about.end - region->about.start <= UINT64_C(1) << MOST_OF_REGION_SHIFT;
}

enum loupe_status loupe_untouched_find(const struct loupe_reader *reader,
                                       struct loupe_vector *holes) {
    char path[PATH_SIZE];
    enum loupe_status status = LOUPE_OK;
    struct search search = {.reader = reader, .holes = holes};
    snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)reader->thread);
    search.pagemap = open(path, O_RDONLY | O_CLOEXEC);
    search.page = (uint64_t)sysconf(_SC_PAGESIZE);
    for (uint32_t i = 0; !status && search.pagemap >= 0 && i < reader->regions.count; i++) {
        const struct loupe_reader_region *region = loupe_reader_region_at(reader, i);
        if (may_have_holes(region))
            status = search_region(&search, &region->about);
    }
    if (search.pagemap >= 0)
        close(search.pagemap);
    return status;
}

/* ---- Asking for one ---- */

bool loupe_untouched_at(const struct loupe_vector *holes, loupe_addr addr, loupe_addr end,
                        loupe_addr *end_ret) {
    uint32_t low = 0, high = holes->count;
    while (low < high) { /* the first one that ends behind the address */
        uint32_t middle = low + (high - low) / 2;
        if (hole_at(holes, middle)->end <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    const struct loupe_range *hole = low < holes->count ? hole_at(holes, low) : NULL;
    bool is_inside = hole && hole->start <= addr;
    loupe_addr limit = !hole ? end : is_inside ? hole->end : hole->start;
    *end_ret = limit < end ? limit : end;
    return is_inside;
}
