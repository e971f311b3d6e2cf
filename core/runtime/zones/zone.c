#include "runtime/zones/zone.h"

enum { INTROSPECTION_TYPE = 128, FIRST_WITH_TYPE = 14 };

uint32_t loupe_zone_version(struct loupe_memory *memory, loupe_addr zone) {
    uint32_t version;
    return loupe_zone_half(memory, zone + LOUPE_ZONE_VERSION, &version) ? version : 0;
}

uint32_t loupe_zone_type(struct loupe_memory *memory, loupe_addr zone) {
    uint64_t introspection;
    uint32_t type;
    if (loupe_zone_version(memory, zone) < FIRST_WITH_TYPE ||
        !loupe_zone_word(memory, zone + LOUPE_ZONE_INTROSPECTION, &introspection) ||
        !loupe_zone_half(memory, loupe_memory_strip(memory, introspection) + INTROSPECTION_TYPE,
                         &type))
        return LOUPE_ZONE_OF_NO_TYPE;
    return type;
}

loupe_addr loupe_zone_wrapped(struct loupe_memory *memory, loupe_addr zone, uint32_t type) {
    uint64_t wrapped;
    bool wraps = type == LOUPE_ZONE_GUARDED || type == LOUPE_ZONE_SANITIZER;
    return wraps && loupe_zone_word(memory, zone + LOUPE_ZONE_SIZE, &wrapped) ? wrapped : 0;
}

bool loupe_zone_list(struct loupe_memory *memory, loupe_addr *list_ret, uint32_t *count_ret) {
    loupe_addr list, number;
    uint64_t zones;
    uint32_t count;
    if (memory->machine.pointer_size != 8 ||
        loupe_memory_find_symbol(memory, "malloc_num_zones", &number) ||
        loupe_memory_find_symbol(memory, "malloc_zones", &list) ||
        !loupe_zone_half(memory, number, &count) || !loupe_zone_word(memory, list, &zones))
        return false;
    *list_ret = zones;
    *count_ret = count;
    return true;
}
