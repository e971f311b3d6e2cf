#include "recorded/history.h"

enum { AT_ONCE = 256 };

const char *loupe_record_event_name(enum loupe_record_event_kind kind) {
    static const char *const names[] = {[LOUPE_RECORD_RETAINED] = "retain",
                                        [LOUPE_RECORD_RELEASED] = "release",
                                        [LOUPE_RECORD_AUTORELEASED] = "autorelease",
                                        [LOUPE_RECORD_DEALLOCATED] = "dealloc"};
    return names[kind];
}

static enum loupe_status take(struct loupe_history *history,
                              const struct loupe_record_event *event) {
    if (history->is_over) { /* another object has come there */
        history->events.count = 0;
        history->more = 0;
    }
    history->is_over = event->kind == LOUPE_RECORD_DEALLOCATED;
    if (history->events.count == LOUPE_MOST_HISTORY) {
        history->more++;
        return LOUPE_OK;
    }
    struct loupe_record_event *added = loupe_vector_add(&history->events);
    if (!added)
        return LOUPE_ENOMEM;
    *added = *event;
    return LOUPE_OK;
}

/* What stands in the log from *number on, which moves behind it: at most AT_ONCE of one segment. A
 * segment that cannot be read is passed over. */
static uint32_t read_events(const struct loupe_recorded *recorded, uint64_t *number, uint64_t end,
                            struct loupe_record_event *ret) {
    struct loupe_memory *memory = recorded->memory;
    loupe_addr list = recorded->header.event_segments, segment;
    uint64_t place = *number % LOUPE_RECORD_EVENT_SEGMENT,
             index = *number / LOUPE_RECORD_EVENT_SEGMENT, left = end - *number;
    uint32_t count = left < AT_ONCE ? (uint32_t)left : AT_ONCE;
    if (list > UINT64_MAX - LOUPE_RECORD_EVENT_SEGMENT_COUNT * sizeof(segment) ||
        loupe_memory_read_u64(memory, list + index * sizeof(segment), &segment) || !segment ||
        segment > UINT64_MAX - LOUPE_RECORD_EVENT_SEGMENT * sizeof(*ret) ||
        loupe_memory_read(memory, segment + place * sizeof(*ret), ret, count * sizeof(*ret))) {
        *number = (index + 1) * LOUPE_RECORD_EVENT_SEGMENT;
        return 0;
    }
    *number += count;
    return count;
}

enum loupe_status loupe_recorded_history(const struct loupe_recorded *recorded, loupe_addr object,
                                         const struct loupe_chunk_ops *chunks,
                                         struct loupe_history *ret) {
    const struct loupe_record_header *header = &recorded->header;
    struct loupe_record_event events[AT_ONCE];
    const uint64_t most = LOUPE_RECORD_MOST_EVENTS;
    uint64_t end = header->event_count < most ? header->event_count : most;
    enum loupe_status status = LOUPE_OK;
    *ret = (struct loupe_history){.more = 0};
    loupe_vector_init(&ret->events, chunks, sizeof(struct loupe_record_event));
    if (recorded->state != LOUPE_RECORDED_ON || !header->event_segments)
        return LOUPE_OK;
    for (uint64_t number = 0; !status && number < end;) {
        uint64_t from = number;
        uint32_t count = read_events(recorded, &number, end, events);
        ret->unread += (number < end ? number : end) - from - count;
        for (uint32_t i = 0; i < count && !status; i++) {
            if (events[i].object == ~object && events[i].kind < LOUPE_RECORD_EVENT_KIND_COUNT)
                status = take(ret, &events[i]);
        }
        if (!status && loupe_memory_interrupted(recorded->memory))
            status = LOUPE_ETIMEOUT;
    }
    return status;
}
