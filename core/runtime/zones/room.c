#include "runtime/zones/room.h"

#include "base/map.h"
#include "base/vector.h"
#include "runtime/free_chunks.h"
#include "runtime/zones/nano.h"
#include "runtime/zones/scalable.h"
#include "runtime/zones/xzone.h"

typedef uint64_t (*room_in_zone)(struct loupe_memory *memory, loupe_addr zone, loupe_addr address);

struct known_zone {
    loupe_addr address;
    room_in_zone room;
};

struct loupe_rooms {
    struct loupe_vector zones; /* of struct known_zone */
    bool has_list;             /* malloc() is Apple's */
    bool has_others;           /* zones whose tables are not known */
    bool was_listed;
    struct loupe_map listed; /* start of a block -> bytes, at most UINT32_MAX */
};

/* ---- Zones whose tables are known ---- */

/* NULL: no kind that is known. */
static room_in_zone reader_of(struct loupe_memory *memory, loupe_addr zone, uint32_t type) {
    struct loupe_xzone_zone xzone;
    struct loupe_nano nano;
    if (type == LOUPE_ZONE_XZONE)
        return loupe_xzone_read(memory, zone, &xzone) ? loupe_xzone_room : NULL;
    if (type != LOUPE_ZONE_OF_NO_TYPE)
        return NULL;
    if (loupe_nano_read(memory, zone, &nano))
        return loupe_nano_room;
    return loupe_zone_is_scalable(memory, zone) ? loupe_scalable_room : NULL;
}

static void add_zone(struct loupe_rooms *rooms, struct loupe_memory *memory, loupe_addr zone,
                     uint32_t type) {
    room_in_zone room = reader_of(memory, zone, type);
    struct known_zone *added = room ? loupe_vector_add(&rooms->zones) : NULL;
    if (added)
        *added = (struct known_zone){.address = zone, .room = room};
    else
        rooms->has_others = true;
}

static void add_zones(struct loupe_rooms *rooms, struct loupe_memory *memory) {
    loupe_addr list, zone;
    uint32_t count = 0;
    rooms->has_list = loupe_zone_list(memory, &list, &count);
    rooms->has_others = !rooms->has_list || count > LOUPE_MAX_ZONES;
    /* Cap: how large the memory is, is not known. */
    for (uint32_t i = 0; i < count && i < LOUPE_MAX_ZONES; i++) {
        if (!loupe_zone_word(memory, list + (loupe_addr)i * sizeof(zone), &zone) || !zone)
            continue;
        uint32_t type = loupe_zone_type(memory, zone);
        loupe_addr wrapped = loupe_zone_wrapped(memory, zone, type);
        add_zone(rooms, memory, zone, type);
        if (wrapped)
            add_zone(rooms, memory, wrapped, loupe_zone_type(memory, wrapped));
    }
}

/* NULL: there is no memory for it. */
static struct loupe_rooms *rooms_of(struct loupe_target *target) {
    struct loupe_rooms *rooms = target->rooms;
    if (rooms || !(rooms = loupe_arena_alloc(&target->arena, sizeof(*rooms))))
        return rooms;
    *rooms = (struct loupe_rooms){.was_listed = false};
    loupe_vector_init(&rooms->zones, &target->arena_chunks, sizeof(struct known_zone));
    loupe_map_init(&rooms->listed, &target->arena_chunks);
    add_zones(rooms, target->memory);
    target->rooms = rooms;
    return rooms;
}

/* ---- Others, which a host can ask ---- */

static enum loupe_status pass_zone(void *visitor, const struct loupe_process_zone *zone) {
    (void)visitor;
    (void)zone;
    return LOUPE_OK;
}

static enum loupe_status note_block(void *visitor, loupe_addr start, uint64_t size) {
    struct loupe_rooms *rooms = visitor;
    return loupe_map_put(&rooms->listed, start, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX);
}

/* Once, for all of them: a zone tells either everything or nothing. */
static uint64_t room_as_listed(struct loupe_rooms *rooms, const struct loupe_memory *memory,
                               loupe_addr address) {
    const struct loupe_process_ops *process = memory->ops->process;
    uint32_t room;
    if (!process || !process->zones)
        return 0;
    if (!rooms->was_listed)
        (void)process->zones(memory->ctx, pass_zone, note_block, rooms);
    rooms->was_listed = true;
    return loupe_map_find(&rooms->listed, address, &room) ? room : 0;
}

uint64_t loupe_room_at(struct loupe_target *target, loupe_addr address) {
    struct loupe_memory *memory = target->memory;
    struct loupe_rooms *rooms = rooms_of(target);
    uint64_t room = 0;
    if (!rooms || !rooms->has_list)
        room = loupe_chunk_room(memory, address);
    for (uint32_t i = 0; rooms && !room && i < rooms->zones.count; i++) {
        const struct known_zone *zone = loupe_vector_at(&rooms->zones, i, sizeof(*zone));
        room = zone->room(memory, zone->address, address);
    }
    return room || !rooms || !rooms->has_others ? room : room_as_listed(rooms, memory, address);
}
