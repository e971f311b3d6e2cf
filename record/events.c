#include "events.h"

#include "room.h"

typedef struct loupe_record_event event_t;

bool loupe_events_init(struct loupe_record_header *header) {
    void *segments = loupe_room_get(sizeof(uint64_t) * LOUPE_RECORD_EVENT_SEGMENT_COUNT);
    header->event_segments = (uint64_t)(uintptr_t)segments;
    return segments;
}

/* NULL: there is no memory. */
static event_t *segment_of(const struct loupe_record_header *header, uint64_t number) {
    const size_t size = sizeof(event_t) * LOUPE_RECORD_EVENT_SEGMENT;
    uint64_t *place =
        (uint64_t *)(uintptr_t)header->event_segments + number / LOUPE_RECORD_EVENT_SEGMENT;
    uint64_t there = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (there)
        return (event_t *)(uintptr_t)there;
    void *pages = loupe_room_get(size);
    if (pages && !__atomic_compare_exchange_n(place, &there, (uint64_t)(uintptr_t)pages, false,
                                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        loupe_room_put_back(pages, size);
        pages = (void *)(uintptr_t)there;
    }
    return pages ? pages : (void *)(uintptr_t)__atomic_load_n(place, __ATOMIC_ACQUIRE);
}

void loupe_events_add(struct loupe_record_header *header, uint64_t object,
                      enum loupe_record_event_kind kind, uint32_t stack) {
    uint64_t number = __atomic_fetch_add(&header->event_count, 1, __ATOMIC_RELAXED);
    event_t *segment = number < LOUPE_RECORD_MOST_EVENTS ? segment_of(header, number) : NULL;
    if (!segment) {
        __atomic_fetch_add(&header->events_left_out, 1, __ATOMIC_RELAXED);
        return;
    }
    event_t *event = &segment[number % LOUPE_RECORD_EVENT_SEGMENT];
    event->stack = stack;
    event->kind = (uint32_t)kind;
    /* The last word says that it is there. */
    __atomic_store_n(&event->object, ~object, __ATOMIC_RELEASE);
}
