#include "analysis/columns.h"

#include <string.h>

const char *loupe_link_kind_name(enum loupe_link_kind kind) {
    static const char *const names[LOUPE_LINK_KIND_COUNT] = {
        [LOUPE_LINK_STRONG] = "strong",
        [LOUPE_LINK_WEAK] = "weak",
        [LOUPE_LINK_SOFT] = "soft",
        [LOUPE_LINK_FINAL] = "final",
        [LOUPE_LINK_PHANTOM] = "phantom",
        [LOUPE_LINK_CLASS] = "class",
        [LOUPE_LINK_LOADER] = "loader",
        [LOUPE_LINK_DOMAIN] = "domain",
        [LOUPE_LINK_SUPERCLASS] = "superclass",
        [LOUPE_LINK_CONSERVATIVE] = "conservative",
        [LOUPE_LINK_ASSUMED] = "assumed",
        [LOUPE_LINK_UNOWNED] = "unowned",
        [LOUPE_LINK_LIBRARY] = "library",
    };
    return (unsigned)kind < LOUPE_LINK_KIND_COUNT ? names[kind] : "unknown";
}

uint64_t loupe_columns_large_size(const struct loupe_columns *columns, uint32_t node) {
    uint32_t low = 0, high = columns->large_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (columns->large[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there = low < columns->large_count && columns->large[low].node == node;
    return is_there ? columns->large[low].size : LOUPE_LARGE_SIZE;
}

static bool are_below(const uint32_t *numbers, uint32_t count, uint32_t end) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = numbers[i] > most ? numbers[i] : most;
    return !count || most < end;
}

static bool kinds_are_known(const struct loupe_columns *columns, uint32_t links) {
    uint8_t most = 0;
    for (uint32_t i = 0; columns->kinds && i < links; i++)
        most = columns->kinds[i] > most ? columns->kinds[i] : most;
    return most < LOUPE_LINK_KIND_COUNT;
}

static bool rows_ascend(const struct loupe_columns *columns) {
    bool ascend = columns->first[0] == 0;
    for (uint32_t node = 0; node < columns->nodes; node++)
        ascend &= columns->first[node] <= columns->first[node + 1];
    return ascend;
}

bool loupe_columns_are_valid(const struct loupe_columns *columns) {
    if (columns->nodes > LOUPE_MAX_NODES || !rows_ascend(columns))
        return false;
    uint32_t links = columns->first[columns->nodes];
    return are_below(columns->to, links, columns->nodes) && kinds_are_known(columns, links) &&
           are_below(columns->roots, columns->root_count, columns->nodes);
}

/* ---- Policies ---- */

#define BIT(kind)   (1u << LOUPE_LINK_##kind)
#define NEVER_OWNED (BIT(WEAK) | BIT(PHANTOM))
#define REFERENTS   (NEVER_OWNED | BIT(SOFT) | BIT(FINAL))
#define TO_CLASSES  (BIT(CLASS) | BIT(LOADER) | BIT(DOMAIN) | BIT(SUPERCLASS))
#define NOT_KNOWN   (BIT(UNOWNED) | BIT(CONSERVATIVE))
#define LATE        (BIT(LIBRARY) | BIT(SOFT) | BIT(FINAL) | BIT(CLASS) | NOT_KNOWN)

const struct loupe_link_policy loupe_link_policies[] = {
    {.name = "loupe",
     .alive = LOUPE_ALL_LINKS & ~NEVER_OWNED,
     .paths = LOUPE_ALL_LINKS & ~NEVER_OWNED,
     .late = LATE,
     .owned = LOUPE_ALL_LINKS & ~NEVER_OWNED,
     .knots = LOUPE_ALL_LINKS & ~(REFERENTS | TO_CLASSES | NOT_KNOWN),
     .reason = "whatever keeps alive; a class is not part of a cycle of its objects"},
    {.name = "mat",
     .alive = LOUPE_ALL_LINKS & ~BIT(DOMAIN),
     .paths = LOUPE_ALL_LINKS & ~BIT(DOMAIN),
     .owned = LOUPE_ALL_LINKS & ~BIT(DOMAIN),
     .knots = LOUPE_ALL_LINKS & ~BIT(DOMAIN),
     .reason = "as Eclipse MAT: every reference counts, also weak ones; not protection domains"},
    {.name = "visualvm",
     .alive = LOUPE_ALL_LINKS & ~(REFERENTS | BIT(DOMAIN) | BIT(SUPERCLASS)),
     .paths = LOUPE_ALL_LINKS & ~(REFERENTS | BIT(DOMAIN) | BIT(SUPERCLASS)),
     .owned = LOUPE_ALL_LINKS & ~(TO_CLASSES & ~BIT(LOADER)),
     .knots = LOUPE_ALL_LINKS & ~(REFERENTS | TO_CLASSES),
     .garbage_owns = true,
     .reason = "as VisualVM: what is alive without referents, owned by these and by garbage too"},
    {.name = "haha",
     .alive = LOUPE_ALL_LINKS & ~(BIT(SOFT) | TO_CLASSES),
     .paths = LOUPE_ALL_LINKS & ~(BIT(SOFT) | TO_CLASSES),
     .owned = LOUPE_ALL_LINKS & ~(BIT(SOFT) | TO_CLASSES),
     .knots = LOUPE_ALL_LINKS & ~(BIT(SOFT) | TO_CLASSES),
     .reason = "as HAHA: fields, elements and statics; only soft referents are left out"},
    {.name = NULL},
};

const struct loupe_link_policy *loupe_link_policy_named(const char *name) {
    const struct loupe_link_policy *policy = loupe_link_policies;
    while (policy->name && strcmp(policy->name, name))
        policy++;
    return policy->name ? policy : NULL;
}
