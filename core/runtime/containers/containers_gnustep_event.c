/*
 * What an event owns: NSEvent.m of gnustep-gui 0.24 to 0.32. Its data are a union, so that only the
 * type of the event tells which words are objects.
 */
#include "runtime/containers/containers_gnustep.h"

/* NSEventType */
enum { KEY_DOWN = 10, KEY_UP = 11, FLAGS_CHANGED = 12, CURSOR_UPDATE = 17 };

static bool add_member(struct loupe_target *target, const struct loupe_object *object,
                       const char *path, struct loupe_contents *ret) {
    loupe_addr slot;
    if (!gnustep_find_ivar(target, object, path, &slot))
        return false;
    gnustep_add_run(ret, slot, 1, LOUPE_EDGE_IVAR)->name = path;
    return true;
}

bool gnustep_find_event(struct loupe_target *target, const struct loupe_object *object,
                        const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    loupe_addr type_at;
    uint32_t type;
    (void)rule;
    if (!gnustep_find_ivar(target, object, "event_type", &type_at) ||
        loupe_memory_read_u32(target->memory, type_at, &type))
        return false;
    if (type >= KEY_DOWN && type <= FLAGS_CHANGED)
        return add_member(target, object, "event_data.key.char_keys", ret) &&
               add_member(target, object, "event_data.key.unmodified_keys", ret);
    return type != CURSOR_UPDATE ||
           add_member(target, object, "event_data.tracking.user_data", ret);
}
