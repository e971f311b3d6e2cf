#include "show_captures.h"

static char letter_of(enum loupe_capture_kind kind) {
    return "SBRWUD?"[kind];
}

const char *show_captures(const struct loupe_captures *captures) {
    static char text[4096];
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < captures->count; i++) {
        const struct loupe_capture *item = &captures->items[i];
        used += loupe_format(text + used, sizeof(text) - used, "%s%c%u", used ? " " : "",
                             letter_of(item->kind), item->offset);
        if (item->kind == LOUPE_CAPTURE_DATA || item->kind == LOUPE_CAPTURE_UNKNOWN)
            used += loupe_format(text + used, sizeof(text) - used, "+%u%s", item->size,
                                 loupe_capture_may_own(item) ? "!" : "");
    }
    return text;
}

const char *show_conflicts(const struct loupe_captures *captures) {
    static char text[4096];
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < captures->conflict_count; i++) {
        const struct loupe_capture_conflict *conflict = &captures->conflicts[i];
        used += loupe_format(text + used, sizeof(text) - used, "%s%u:%c(%s)/%c(%s)",
                             used ? " " : "", conflict->offset, letter_of(conflict->kept),
                             loupe_evidence_name(conflict->kept_by), letter_of(conflict->discarded),
                             loupe_evidence_name(conflict->discarded_by));
    }
    return text;
}
