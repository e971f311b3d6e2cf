#include "code/reading.h"

#include "code/instruction.h"

/* Memory at a register and a displacement, or a number that may be an offset (width 0). */
struct code_access {
    int64_t displacement;
    uint32_t width;
    uint8_t base;
    bool takes_address;
};

/* arm64: what a register was set to, somewhere. */
struct code_page {
    loupe_addr page;
    uint8_t base;
};

enum { MOST_PAIRS = 1 << 16, MOST_REFERENCES = 1 << 14, LEAST_ADDRESS = 1 << 12 };

void loupe_code_reading_init(struct loupe_code_reading *reading, struct loupe_memory *memory,
                             const struct loupe_chunk_ops *chunks) {
    *reading = (struct loupe_code_reading){.memory = memory};
    loupe_vector_init(&reading->todo, chunks, sizeof(loupe_addr));
    loupe_vector_init(&reading->accesses, chunks, sizeof(struct code_access));
    loupe_vector_init(&reading->pages, chunks, sizeof(struct code_page));
    loupe_vector_init(&reading->functions, chunks, sizeof(loupe_addr));
    loupe_vector_init(&reading->places, chunks, sizeof(loupe_addr));
    loupe_vector_init(&reading->references, chunks, sizeof(loupe_addr));
    loupe_map_init(&reading->begun, chunks);
    loupe_map_init(&reading->referred, chunks);
    loupe_map_init(&reading->steps, chunks);
}

void loupe_code_reading_deinit(struct loupe_code_reading *reading) {
    loupe_vector_deinit(&reading->todo);
    loupe_vector_deinit(&reading->accesses);
    loupe_vector_deinit(&reading->pages);
    loupe_vector_deinit(&reading->functions);
    loupe_vector_deinit(&reading->places);
    loupe_vector_deinit(&reading->references);
    loupe_map_deinit(&reading->begun);
    loupe_map_deinit(&reading->referred);
    loupe_map_deinit(&reading->steps);
}

/* ---- What was seen ---- */

/* NULL, and a status, when there is no memory. */
static void *add(struct loupe_code_reading *reading, struct loupe_vector *vector) {
    void *added = reading->status ? NULL : loupe_vector_add(vector);
    if (!added)
        reading->status = LOUPE_ENOMEM;
    return added;
}

/* Whether the address is new to the map. */
static bool is_new(struct loupe_code_reading *reading, struct loupe_map *map, loupe_addr address) {
    uint32_t ignored;
    if (reading->status || loupe_map_find(map, address, &ignored))
        return false;
    reading->status = loupe_map_put(map, address, 0);
    return !reading->status;
}

static void see_reference(struct loupe_code_reading *reading, loupe_addr address) {
    loupe_addr *added;
    if (is_new(reading, &reading->referred, address) &&
        (added = add(reading, &reading->references)))
        *added = address;
}

static void see_place(struct loupe_code_reading *reading, loupe_addr address) {
    loupe_addr *added;
    uint32_t ignored;
    bool was_seen = loupe_map_find(&reading->referred, address, &ignored);
    see_reference(reading, address);
    if (!was_seen && (added = add(reading, &reading->places)))
        *added = address;
}

static void see_access(struct loupe_code_reading *reading, const struct loupe_instruction *seen) {
    struct code_access *added = add(reading, &reading->accesses);
    reading->has_index |= seen->has_index;
    reading->is_scaled |= seen->is_scaled;
    if (added)
        *added = (struct code_access){.displacement = seen->displacement,
                                      .width = seen->width,
                                      .base = seen->base,
                                      .takes_address = seen->takes_address};
}

/* A number may be an offset that is handed on, or an address where code is not position
 * independent. */
static void see_immediate(struct loupe_code_reading *reading, int64_t number) {
    struct code_access *added = add(reading, &reading->accesses);
    if (added)
        *added = (struct code_access){.displacement = number, .base = UINT8_MAX};
    if (number >= LEAST_ADDRESS)
        see_place(reading, (loupe_addr)number);
}

static void see_page(struct loupe_code_reading *reading, const struct loupe_instruction *seen) {
    struct code_page *added = add(reading, &reading->pages);
    if (added)
        *added = (struct code_page){.page = seen->reference, .base = seen->base};
}

/* What registers are known to hold, on a way without branches: pages on arm64, the place of a
 * variable on x86-64. */
struct held_pages {
    loupe_addr page[32];
    uint32_t held; /* set of 1 << register */
};

static void see(struct loupe_code_reading *reading, const struct loupe_instruction *seen,
                const struct held_pages *pages) {
    bool is_held = !seen->has_index && pages->held >> (seen->base & 31) & 1;
    if (seen->has_memory && is_held)
        see_place(reading, pages->page[seen->base & 31] + (uint64_t)seen->displacement);
    else if (seen->has_memory)
        see_access(reading, seen);
    if (seen->has_immediate)
        see_immediate(reading, seen->immediate);
    if (seen->refers)
        see_place(reading, seen->reference);
    if (seen->sets_page)
        see_page(reading, seen);
}

static void hold_pages(struct held_pages *pages, const struct loupe_instruction *seen) {
    uint8_t holder = (seen->sets_page ? seen->base : seen->holder) & 31;
    pages->held &= ~seen->clobbers;
    if (seen->sets_page || seen->holds_reference) {
        pages->page[holder] = seen->reference;
        pages->held |= UINT32_C(1) << holder;
    }
}

/* Elsewhere any page that a register is set to may be the one that a later instruction adds to. */
static void join_pages(struct loupe_code_reading *reading) {
    uint64_t pairs = (uint64_t)reading->pages.count * reading->accesses.count;
    if (pairs > MOST_PAIRS)
        reading->is_uncertain = true;
    /* Cap: everything may be touched, so that nothing is told. */
    for (uint32_t i = 0; pairs <= MOST_PAIRS && i < reading->pages.count; i++) {
        const struct code_page *page =
            loupe_vector_at(&reading->pages, i, sizeof(struct code_page));
        for (uint32_t j = 0; j < reading->accesses.count; j++) {
            const struct code_access *access =
                loupe_vector_at(&reading->accesses, j, sizeof(struct code_access));
            if (access->base == page->base)
                see_place(reading, page->page + (uint64_t)access->displacement);
        }
    }
}

/*
 * Compilers that do not optimise form the address of a table's entry in two steps: any number that
 * is added may be added to any place.
 */
static bool is_step(const struct code_access *access) {
    enum { LONGEST_STEP = 1 << 16 };
    return (!access->width || access->takes_address) && access->displacement > 0 &&
           access->displacement < LONGEST_STEP;
}

static void step_from(struct loupe_code_reading *reading, uint32_t first, int64_t step) {
    for (uint32_t i = first; i < reading->places.count && !reading->is_uncertain; i++) {
        loupe_addr place = *(const loupe_addr *)loupe_vector_at(&reading->places, i, sizeof(place));
        see_reference(reading, place + (uint64_t)step);
        reading->is_uncertain = reading->references.count > MOST_REFERENCES;
    }
}

static void take_steps(struct loupe_code_reading *reading) {
    for (uint32_t i = 0; i < reading->accesses.count; i++) {
        const struct code_access *access =
            loupe_vector_at(&reading->accesses, i, sizeof(struct code_access));
        if (!is_step(access))
            continue;
        bool first_time = is_new(reading, &reading->steps, (uint64_t)access->displacement);
        step_from(reading, first_time ? 0 : reading->stepped, access->displacement);
    }
    reading->stepped = reading->places.count;
}

/* ---- The way ---- */

static void plan(struct loupe_code_reading *reading, loupe_addr code) {
    loupe_addr *added;
    if (is_new(reading, &reading->begun, code) && (added = add(reading, &reading->todo)))
        *added = code;
}

static void see_function(struct loupe_code_reading *reading, loupe_addr code) {
    uint32_t ignored;
    loupe_addr *added;
    if (!loupe_map_find(&reading->begun, code, &ignored) &&
        (added = add(reading, &reading->functions)))
        *added = code;
}

static bool decode(const struct loupe_code_reading *reading, loupe_addr address,
                   struct loupe_instruction *ret) {
    uint8_t bytes[LOUPE_LONGEST_INSTRUCTION];
    bool is_arm = reading->memory->machine.arch == LOUPE_ARCH_ARM64;
    size_t size = is_arm ? 4 : sizeof(bytes);
    /* The last function of a library may end near what cannot be read. */
    while (size && loupe_memory_read(reading->memory, address, bytes, size))
        size--;
    if (is_arm)
        return loupe_decode_arm64(bytes, size, address, ret);
    return reading->memory->machine.arch == LOUPE_ARCH_X86_64 &&
           loupe_decode_x86_64(bytes, size, address, ret);
}

/* Along a way, until it ends or meets what was read. */
static void read_way(struct loupe_code_reading *reading, loupe_addr address) {
    struct loupe_instruction seen;
    struct held_pages pages = {.held = 0};
    do {
        if (reading->instructions++ == LOUPE_MOST_INSTRUCTIONS ||
            !decode(reading, address, &seen)) {
            reading->is_uncertain = true;
            return;
        }
        see(reading, &seen, &pages);
        hold_pages(&pages, &seen);
        reading->is_uncertain |= seen.flow == LOUPE_FLOW_LOST;
        if (seen.flow == LOUPE_FLOW_JUMP || seen.flow == LOUPE_FLOW_CALL)
            see_function(reading, seen.target);
        if (seen.flow == LOUPE_FLOW_BRANCH || seen.flow == LOUPE_FLOW_JUMP ||
            seen.flow == LOUPE_FLOW_CALL)
            plan(reading, seen.target);
        address += seen.length;
    } while (seen.flow != LOUPE_FLOW_JUMP && seen.flow != LOUPE_FLOW_LEAVE &&
             !reading->is_uncertain && is_new(reading, &reading->begun, address));
}

enum loupe_status loupe_code_reading_follow(struct loupe_code_reading *reading, loupe_addr code) {
    plan(reading, code);
    while (reading->todo.count && !reading->is_uncertain && !reading->status) {
        uint32_t last = --reading->todo.count;
        read_way(reading, *(loupe_addr *)loupe_vector_at(&reading->todo, last, sizeof(code)));
    }
    join_pages(reading);
    take_steps(reading);
    return reading->status;
}

/* ---- The answer ---- */

static bool may_touch(const struct code_access *access, uint32_t offset, uint32_t size) {
    if (access->takes_address) /* whoever gets it may go on from there */
        return access->displacement > 0 && access->displacement < (int64_t)offset + size;
    if (!access->width)
        return access->displacement == offset;
    return access->displacement < (int64_t)offset + size &&
           access->displacement + (int64_t)access->width > offset;
}

bool loupe_code_reading_may_touch(const struct loupe_code_reading *reading, uint32_t offset,
                                  uint32_t size, bool has_variable) {
    if (reading->is_uncertain || reading->is_scaled || (reading->has_index && !has_variable))
        return true;
    for (uint32_t i = 0; i < reading->accesses.count; i++) {
        if (may_touch(loupe_vector_at(&reading->accesses, i, sizeof(struct code_access)), offset,
                      size))
            return true;
    }
    return false;
}

bool loupe_code_reading_has_access(const struct loupe_code_reading *reading, int64_t displacement,
                                   uint32_t width) {
    for (uint32_t i = 0; i < reading->accesses.count; i++) {
        const struct code_access *access =
            loupe_vector_at(&reading->accesses, i, sizeof(struct code_access));
        if (access->displacement == displacement && access->width == width &&
            !access->takes_address)
            return true;
    }
    return false;
}
