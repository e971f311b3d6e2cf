/*
 * history.h - what libloupe_record saw of the retain count of one object (layout.h): of those whose
 * classes were chosen by LOUPE_RECORD.
 */
#ifndef LOUPE_RECORDED_HISTORY_H
#define LOUPE_RECORDED_HISTORY_H

#include "recorded/recorded.h"

/* "retain", "release", "autorelease", "dealloc". Static storage. */
const char *loupe_record_event_name(enum loupe_record_event_kind kind);

enum { LOUPE_MOST_HISTORY = 10000 }; /* events of one object that are kept: the first ones */

struct loupe_history {
    struct loupe_vector events; /* of struct loupe_record_event, in their order */
    uint64_t more;              /* that are not among them */
    uint64_t unread;            /* events of any object that are not there or cannot be read */
    bool is_over;               /* the last one is its deallocation */
};

/*
 * Of the object that is or was last at an address: what happened there after another one was
 * deallocated. All events that there are are looked at; their bytes are the target's and may be
 * anything. Whatever comes back, the caller deinits the vector. LOUPE_ENOMEM, LOUPE_ETIMEOUT.
 */
enum loupe_status loupe_recorded_history(const struct loupe_recorded *recorded, loupe_addr object,
                                         const struct loupe_chunk_ops *chunks,
                                         struct loupe_history *ret);

#endif
