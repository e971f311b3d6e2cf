#include "repeated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KINDS = 1024 };

static struct watch_repeated *entries;
static size_t entry_count, capacity;

struct watch_repeated *watch_repeated_find(uintptr_t cls, uint16_t reason) {
    for (size_t i = 0; i < entry_count; i++) {
        if (entries[i].cls == cls && entries[i].reason == reason)
            return &entries[i];
    }
    if (entry_count == capacity) {
        size_t larger = capacity ? capacity * 2 : 16;
        void *grown = larger > MOST_KINDS ? NULL : realloc(entries, larger * sizeof(*entries));
        if (!grown)
            return NULL;
        entries = grown;
        capacity = larger;
    }
    entries[entry_count] = (struct watch_repeated){.cls = cls, .reason = reason};
    return &entries[entry_count++];
}

bool watch_repeated_is_enough(const struct watch_repeated *entry) {
    uint64_t next = entry->reported + 1;
    return !entry->differs && entry->reported >= WATCH_ALWAYS_LOOKED_AT && (next & (next - 1)) != 0;
}

void watch_repeated_add(struct watch_repeated *entry, const char *fingerprint,
                        const char *class_name) {
    if (!entry->reported) {
        snprintf(entry->fingerprint, sizeof(entry->fingerprint), "%s", fingerprint);
        snprintf(entry->class_name, sizeof(entry->class_name), "%s", class_name);
    }
    entry->differs |= !*fingerprint || strcmp(entry->fingerprint, fingerprint) != 0;
    entry->reported++;
}
