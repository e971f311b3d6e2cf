/* What debug information knew of a heap: kept in one table, and found in it. */
#include "snapshot/debug_names.h"

#include "base/fnv.h"
#include "base/sort.h"

#include <string.h>

/* Of the other kinds there is one at a place, and the number is what is said of it. */
static uint32_t key_number(const struct loupe_debug_name *entry) {
    return entry->kind == LOUPE_NAME_CAPTURE || entry->kind == LOUPE_NAME_MEMBER ? entry->number
                                                                                 : 0;
}

static bool comes_before(const struct loupe_debug_name *a, const struct loupe_debug_name *b) {
    if (a->kind != b->kind)
        return a->kind < b->kind;
    if (a->at != b->at)
        return a->at < b->at;
    return key_number(a) < key_number(b);
}

static bool is_before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return comes_before(a, b);
}

void loupe_debug_names_sort(struct loupe_debug_name *entries, uint32_t count) {
    loupe_sort(entries, count, sizeof(*entries), is_before, NULL);
}

bool loupe_debug_names_are_valid(const struct loupe_debug_names *names) {
    if (names->count && (!names->text_size || names->text[names->text_size - 1]))
        return false;
    for (uint32_t i = 0; i < names->count; i++) {
        const struct loupe_debug_name *entry = &names->entries[i];
        if (entry->name >= names->text_size || entry->where >= names->text_size ||
            (i && comes_before(entry, entry - 1)))
            return false;
    }
    return true;
}

const struct loupe_debug_name *loupe_debug_name(const struct loupe_debug_names *names,
                                                enum loupe_debug_name_kind kind, uint64_t at,
                                                uint32_t number) {
    struct loupe_debug_name wanted = {.at = at, .number = number, .kind = kind};
    uint32_t low = 0, high = names->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (comes_before(&names->entries[middle], &wanted))
            low = middle + 1;
        else
            high = middle;
    }
    return low < names->count && !comes_before(&wanted, &names->entries[low]) ? &names->entries[low]
                                                                              : NULL;
}

uint64_t loupe_debug_ivar_key(struct loupe_span class_name, struct loupe_span ivar) {
    return loupe_fnv_span(loupe_fnv_span(LOUPE_FNV_BASIS, class_name), ivar);
}

/* "Class.ivar", which ends with a NUL at the end of all texts at the latest. */
static bool names_ivar(const char *text, struct loupe_span class_name, struct loupe_span ivar) {
    return strlen(text) == class_name.length + 1 + ivar.length &&
           memcmp(text, class_name.bytes, class_name.length) == 0 &&
           text[class_name.length] == '.' &&
           memcmp(text + class_name.length + 1, ivar.bytes, ivar.length) == 0;
}

const struct loupe_debug_name *loupe_debug_ivar(const struct loupe_debug_names *names,
                                                struct loupe_span class_name,
                                                struct loupe_span ivar) {
    const struct loupe_debug_name *found =
        names->count
            ? loupe_debug_name(names, LOUPE_NAME_IVAR, loupe_debug_ivar_key(class_name, ivar), 0)
            : NULL;
    return found && names_ivar(loupe_debug_text(names, found->name), class_name, ivar) ? found
                                                                                       : NULL;
}

uint64_t loupe_debug_class_key(struct loupe_span class_name) {
    return loupe_fnv_span(LOUPE_FNV_BASIS, class_name);
}

const char *loupe_debug_member(const struct loupe_debug_names *names, struct loupe_span class_name,
                               uint32_t offset) {
    const struct loupe_debug_name *found =
        names->count
            ? loupe_debug_name(names, LOUPE_NAME_MEMBER, loupe_debug_class_key(class_name), offset)
            : NULL;
    bool is_of_it = found && loupe_spans_equal(loupe_span_of(loupe_debug_text(names, found->where)),
                                               class_name);
    return is_of_it ? loupe_debug_text(names, found->name) : NULL;
}
