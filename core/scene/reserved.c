/*
 * Memory that a program has addresses of, and no words in: what sanitizers keep about each address,
 * and regions that are larger than any program fills. Nobody can read all of it, and it would say
 * nothing. And what the helper has for itself, whose words are copies.
 */
#include "scene/own_pages.h"
#include "scene/parts.h"

#include <string.h>

enum {
    MOST_OF_REGION_SHIFT = 36, /* 64 GB can be in use */
    SHADOW_SHIFT = 3           /* AddressSanitizer has one byte for eight */
};

/* Symbols of AddressSanitizer's library: the variable that says where its bytes begin. */
static const char shadow_variable[] = "__asan_shadow_memory_dynamic_address";

static bool is_too_large(const struct loupe_process_region *region) {
    return region->readable && region->writable &&
           region->end - region->start > UINT64_C(1) << MOST_OF_REGION_SHIFT;
}

/* Empty: there is none. The library takes a page before it, too. */
static struct loupe_range find_shadow(const struct loupe_target *target) {
    const struct loupe_memory *memory = target->memory;
    const uint64_t addresses = UINT64_C(1) << (memory->machine.arch == LOUPE_ARCH_ARM64 ? 48 : 47);
    struct loupe_range shadow = {0};
    loupe_addr variable, start;
    if (!loupe_memory_find_symbol(memory, shadow_variable, &variable) &&
        !loupe_memory_read_word(target->memory, variable, &start) && start >= LOUPE_PAGE_SIZE &&
        start < addresses)
        shadow = (struct loupe_range){.start = start - LOUPE_PAGE_SIZE,
                                      .end = start + (addresses >> SHADOW_SHIFT)};
    return shadow;
}

static enum loupe_status leave_out_helpers(struct loupe_scene *scene,
                                           const struct loupe_process_region *region) {
    struct loupe_own_pages pages;
    uint64_t size = region->end - region->start;
    if (!region->readable || !region->writable || region->start % LOUPE_OWN_PAGES_ALIGNMENT ||
        size < sizeof(pages) ||
        loupe_memory_read_once(scene->target->memory, region->start, &pages, sizeof(pages)) ||
        memcmp(pages.magic, LOUPE_OWN_PAGES_MAGIC, sizeof(pages.magic)) != 0 ||
        pages.start != region->start || pages.size > size)
        return LOUPE_OK;
    return loupe_ranges_add(&scene->unused, region->start, region->start + pages.size);
}

/* The bytes for low addresses are few, so that they are known only by those for high ones. */
enum loupe_status loupe_scene_leave_out_reserved(struct loupe_scene *scene) {
    struct loupe_range shadow = {0};
    bool is_searched = false;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < scene->regions.count; i++) {
        const struct loupe_process_region *region =
            loupe_vector_at(&scene->regions, i, sizeof(*region));
        status = leave_out_helpers(scene, region);
        if (status || !is_too_large(region))
            continue;
        if (!is_searched)
            shadow = find_shadow(scene->target);
        is_searched = true;
        if (region->start >= shadow.start && region->end <= shadow.end)
            continue;
        status = loupe_ranges_add(&scene->unused, region->start, region->end);
        if (!status)
            status = loupe_scene_add_gap(
                scene, (struct loupe_scene_gap){.kind = LOUPE_GAP_RESERVED,
                                                .bytes = region->end - region->start});
    }
    if (!status && shadow.start < shadow.end)
        status = loupe_ranges_add(&scene->unused, shadow.start, shadow.end);
    return status;
}
