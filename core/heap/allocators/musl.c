/*
 * musl's malloc since 1.2.1 ("mallocng"), on 64 bits. Blocks are slots of groups, up to 32 of one
 * size each; a record elsewhere says which of them are free. Records stand in pages that begin with
 * a secret, which the allocator's own variables begin with, too: so they are found without a
 * symbol.
 */
#include "heap/allocators/allocation_scan.h"

#include <string.h>

enum {
    WORD = 8,
    UNIT = 16,
    PAGE = 4096,
    MAX_PAGES = 1 << 20, /* of records */

    PAGE_NEXT = 8,
    PAGE_COUNT = 16,
    PAGE_RECORDS = 24,

    RECORD_SIZE = 40,
    RECORD_GROUP = 16,
    RECORD_FREE = 24, /* two sets of slots, 32 bits each */
    RECORD_SHAPE = 32,

    RECORDS_OF_PAGE = (PAGE - PAGE_RECORDS) / RECORD_SIZE
};

/* Of the words that a slot of a class has, in units. */
static const uint16_t class_units[] = {
    1,   2,   3,   4,    5,    6,    7,    8,    9,    10,   12,   15,   18,   20,   25,   31,
    36,  42,  50,  63,   72,   84,   102,  127,  146,  170,  204,  255,  292,  340,  409,  511,
    584, 682, 818, 1023, 1169, 1364, 1637, 2047, 2340, 2730, 3276, 4095, 4680, 5460, 6552, 8191};

struct musl {
    struct loupe_allocation_scan *scan;
    struct loupe_memory *memory;
    uint64_t secret;
    loupe_addr first_page; /* of records; 0: there is no such allocator */
    loupe_addr last_page;  /* as its variables say */
    uint32_t allocator;
};

static bool read_word(const struct musl *musl, loupe_addr address, uint64_t *ret) {
    return loupe_memory_read_word(musl->memory, address, ret) == LOUPE_OK;
}

static void damage(const struct musl *musl, loupe_addr place) {
    loupe_allocation_scan_damage(musl->scan, musl->allocator, place,
                                 "some of its records make no sense");
}

/* ---- One group ---- */

struct group {
    loupe_addr record, storage;
    uint64_t stride; /* from slot to slot; the last four bytes of each are the next one's header */
    uint32_t free;   /* set of slots */
    uint32_t last;   /* slot */
    bool is_alone;   /* one slot, mapped by itself */
};

static bool read_group(const struct musl *musl, loupe_addr record, struct group *ret) {
    uint64_t group, back, free, shape;
    if (!read_word(musl, record + RECORD_GROUP, &group) ||
        !read_word(musl, record + RECORD_FREE, &free) ||
        !read_word(musl, record + RECORD_SHAPE, &shape) || !read_word(musl, group, &back) ||
        back != record)
        return false;
    uint64_t class = shape >> 6 & 63, pages = shape >> 12;
    uint32_t available = (uint32_t)free, freed = (uint32_t)(free >> 32);
    *ret = (struct group){.record = record,
                          .storage = group + UNIT,
                          .free = available | freed,
                          .last = (uint32_t)(shape & 31)};
    if (group % UNIT || available & freed || (uint64_t)ret->free >> ret->last >> 1)
        return false;
    ret->is_alone = !ret->last && pages;
    if (ret->is_alone)
        ret->stride = pages * PAGE - UNIT;
    else if (class < sizeof(class_units) / sizeof(class_units[0]))
        ret->stride = (uint64_t)class_units[class] * UNIT;
    return ret->stride && pages < UINT64_C(1) << 40;
}

/*
 * Four bytes stand before each block: 0; the slot's number and how much of the slot is not used (5:
 * that is said at its end, 6: the slot is a group of smaller ones); how many units behind the
 * storage's start it begins. A block that does not begin at its slot's start has such bytes there
 * too, with 7.
 */
enum { UNUSED_AT_END = 5, IS_GROUP = 6, BEGINS_LATER = 7, HEADER = 4 };

struct header {
    uint32_t slot, kind, offset;
};

static bool read_header(const struct musl *musl, loupe_addr block, struct header *ret) {
    uint32_t word;
    if (loupe_memory_read_u32(musl->memory, block - HEADER, &word))
        return false;
    *ret = (struct header){.slot = word >> 8 & 31, .kind = word >> 13 & 7, .offset = word >> 16};
    return true;
}

/* Whether a group stands there that its record knows of. */
static bool is_group(const struct musl *musl, loupe_addr place) {
    uint64_t record, group;
    return read_word(musl, place, &record) && read_word(musl, record + RECORD_GROUP, &group) &&
           group == place;
}

static enum loupe_status take_slot(const struct musl *musl, const struct group *group,
                                   uint32_t slot) {
    loupe_addr start = group->storage + group->stride * slot, end = start + group->stride - HEADER;
    loupe_addr block = start;
    struct header header;
    uint32_t unused;
    bool is_right = read_header(musl, block, &header);
    if (is_right && header.kind == BEGINS_LATER) {
        block += (uint64_t)header.offset * UNIT;
        is_right = block > start && block < end && read_header(musl, block, &header);
    }
    unused = header.kind;
    if (is_right && header.kind == UNUSED_AT_END)
        is_right = !loupe_memory_read_u32(musl->memory, end - HEADER, &unused);
    if (!is_right || header.slot != slot || header.kind > IS_GROUP ||
        (uint64_t)header.offset * UNIT != block - group->storage || unused > end - block ||
        (header.kind == IS_GROUP && !is_group(musl, block))) {
        damage(musl, block);
        return LOUPE_OK;
    }
    uint64_t size = end - block - unused;
    /* What asks for nothing has a place all the same. */
    return header.kind == IS_GROUP
               ? LOUPE_OK
               : loupe_allocation_scan_add(musl->scan, block, size ? size : 1, musl->allocator);
}

static enum loupe_status take_group(const struct musl *musl, loupe_addr record) {
    struct loupe_allocator *allocator = loupe_allocation_scan_at(musl->scan, musl->allocator);
    struct group group;
    enum loupe_status status = LOUPE_OK;
    if (!read_group(musl, record, &group)) {
        damage(musl, record);
        return LOUPE_OK;
    }
    for (uint32_t slot = 0; !status && slot <= group.last; slot++) {
        if (!(group.free >> slot & 1)) {
            status = take_slot(musl, &group, slot);
            continue;
        }
        allocator->free_blocks++;
        allocator->free_bytes += group.stride - HEADER;
    }
    return status ? status
                  : loupe_ranges_add(&musl->scan->explained, group.storage - UNIT,
                                     group.storage + group.stride * (group.last + 1));
}

/* ---- All of them ---- */

static enum loupe_status take_page(const struct musl *musl, loupe_addr page) {
    uint32_t count;
    enum loupe_status status = LOUPE_OK;
    if (loupe_memory_read_u32(musl->memory, page + PAGE_COUNT, &count) || count > RECORDS_OF_PAGE) {
        damage(musl, page);
        count = RECORDS_OF_PAGE;
    }
    for (uint32_t i = 0; !status && i < count; i++) {
        loupe_addr record = page + PAGE_RECORDS + (loupe_addr)i * RECORD_SIZE;
        uint64_t group;
        if (read_word(musl, record + RECORD_GROUP, &group) && group)
            status = take_group(musl, record);
    }
    return status ? status : loupe_ranges_add(&musl->scan->explained, page, page + PAGE);
}

static enum loupe_status take_pages(const struct musl *musl) {
    loupe_addr page = musl->first_page, last = 0;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && page; i++) {
        uint64_t check;
        if (i == MAX_PAGES || !read_word(musl, page, &check) || check != musl->secret) {
            damage(musl, page);
            break;
        }
        if (loupe_memory_ends_at(musl->memory, i))
            return LOUPE_ETIMEOUT;
        last = page;
        status = take_page(musl, page);
        if (!read_word(musl, page + PAGE_NEXT, &page)) {
            damage(musl, page);
            break;
        }
    }
    if (!status && last != musl->last_page)
        damage(musl, last);
    return status;
}

/* ---- Where they begin ---- */

static bool begins_with_secret(const struct musl *musl, loupe_addr page) {
    uint64_t word;
    return page && page % PAGE == 0 && read_word(musl, page, &word) && word == musl->secret;
}

/* A page of records has one at least that makes sense, of a group that leads back to it. */
static bool is_page(const struct musl *musl, loupe_addr page) {
    uint32_t count;
    if (!begins_with_secret(musl, page) ||
        loupe_memory_read_u32(musl->memory, page + PAGE_COUNT, &count) || count > RECORDS_OF_PAGE)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct group group;
        if (read_group(musl, page + PAGE_RECORDS + (loupe_addr)i * RECORD_SIZE, &group))
            return true;
    }
    return false;
}

/*
 * The allocator's variables begin with the secret; where the size of pages is not the same on all
 * machines of a kind, that comes next. Then there is whether they are ready, and six words behind
 * that the first page of records and the last one. Either the last page or that may be damaged.
 */
static bool is_state(struct musl *musl, loupe_addr address, unsigned words_of_size) {
    loupe_addr ready = address + (1 + words_of_size) * WORD, first = ready + 6 * WORD;
    uint32_t is_ready;
    return read_word(musl, address, &musl->secret) && musl->secret &&
           is_page(musl, musl->first_page) && read_word(musl, first + WORD, &musl->last_page) &&
           ((!loupe_memory_read_u32(musl->memory, ready, &is_ready) && is_ready == 1) ||
            begins_with_secret(musl, musl->last_page));
}

/* The next word of a page's variables that could lead to a page of records. False: none does. */
static bool find_first_page(struct musl *musl, loupe_addr *at, loupe_addr end) {
    uint8_t copy[PAGE];
    const uint8_t *bytes = loupe_memory_view(musl->memory, *at, (size_t)(end - *at), copy);
    for (; bytes && *at + WORD <= end; *at += WORD, bytes += WORD) {
        memcpy(&musl->first_page, bytes, WORD);
        if (musl->first_page && musl->first_page % PAGE == 0)
            return true;
    }
    return false;
}

/* In the variables of images: by the first page, since few words have so many zeros at their ends.
 */
static enum loupe_status find_state_in(struct musl *musl, struct loupe_range data,
                                       loupe_addr *ret) {
    enum { FIRST_PAGE = 7 /* words behind the secret, or one more */, PAGES_BETWEEN_CHECKS = 64 };
    loupe_addr at = (data.start + WORD - 1) & ~(loupe_addr)(WORD - 1), page_end;
    for (uint64_t page = 1; at < data.end; at = page_end, page++) {
        at = loupe_memory_next_word(musl->memory, at, data.end);
        page_end = (at | (PAGE - 1)) + 1;
        page_end = page_end < data.end ? page_end : data.end;
        if (page % PAGES_BETWEEN_CHECKS == 0 && loupe_memory_interrupted(musl->memory))
            return LOUPE_ETIMEOUT;
        for (; find_first_page(musl, &at, page_end); at += WORD) {
            for (unsigned words_of_size = 0; words_of_size < 2; words_of_size++) {
                uint64_t distance = (FIRST_PAGE + words_of_size) * WORD;
                if (at - data.start < distance || !is_state(musl, at - distance, words_of_size))
                    continue;
                *ret = at - distance;
                return LOUPE_OK;
            }
        }
    }
    return LOUPE_OK;
}

static enum loupe_status find_state(struct musl *musl, loupe_addr *ret) {
    const struct loupe_scene *scene = musl->scan->scene;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && !*ret && i < scene->sources.count; i++) {
        const struct loupe_root_source *source = loupe_scene_source(scene, i);
        if (source->kind == LOUPE_ROOT_GLOBAL)
            status = find_state_in(musl, source->memory, ret);
    }
    return status;
}

enum loupe_status loupe_take_musl(struct loupe_allocation_scan *scan) {
    struct musl musl = {.scan = scan, .memory = scan->target->memory};
    loupe_addr state = 0;
    if (musl.memory->machine.pointer_size != WORD)
        return LOUPE_OK;
    enum loupe_status status = find_state(&musl, &state);
    if (status || !state)
        return status;
    status = loupe_allocation_scan_allocator(
        scan, (struct loupe_allocator){.name = "musl mallocng", .address = state}, &musl.allocator);
    return status ? status : take_pages(&musl);
}
