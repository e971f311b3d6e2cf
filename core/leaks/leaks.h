/*
 * leaks.h - what leaks in a snapshot of an Objective-C heap, in degrees.
 *
 *   lost     no word of any root, and of nothing reachable, leads there. Raw memory is followed
 * word by word, interior pointers too, objects along every word of theirs; weak references are not
 *   unowned  a knot whose retain counts are explained by its own references: what still leads to it
 *            owns nothing. Where references are only assumed to own, nothing but words on stacks
 * and references that are known to own nothing may lead there. Or a single object with retains that
 * nothing leads to but references that are known to lead back to it (graph/filter.h) timer    a
 * knot that is alive because a run loop keeps a timer of it, and that nothing else keeps: it stays
 * until the timer is invalidated. That may be meant
 *
 * Of what is lost the *leak roots* are leaks: objects, raw memory (`leak`) and knots (`cycle`) that
 * nothing lost could own. So are knots below them, which would stay if the leak root went, and
 * objects below them whose count has a retain more than there are words that lead to them. What is
 * left hangs on them, and is counted to the one that alone keeps it, or to `shared`.
 *
 * Beside that: objects, lost or not, whose retain counts are too high or too low for what leads to
 * them; and how much is kept by words on stacks and in registers only, which may be stale.
 */
#ifndef LOUPE_LEAKS_H
#define LOUPE_LEAKS_H

#include "analysis/dominators/dominators.h"
#include "analysis/heap_rings.h"
#include "analysis/part.h"
#include "analysis/shortest.h"
#include "cycles/cycles.h"
#include "cycles/knots/degree.h"
#include "leaks/retains.h"

struct loupe_leak {
    uint64_t fingerprint; /* equal leaks have the same one */
    uint64_t
        older_fingerprint; /* what older baselines have for it, where memory is known by its size */
    struct loupe_amount kept; /* that it alone keeps: what goes with it */
    uint32_t node;            /* of a knot one of its nodes */
    uint32_t knot;            /* of loupe_leaks.cycles, or LOUPE_NONE */
    uint32_t ring;    /* of loupe_leaks.raw_rings, for a cycle without a knot; else the same */
    uint32_t missing; /* releases, by its retain count */
    uint8_t degree;   /* enum loupe_degree: lost, unowned or timer */
    bool is_cycle;
    bool is_leak_root; /* nothing else that is lost could own it */
};

/* Leaks of one fingerprint, those of timers apart: a run of loupe_leaks.items, lost ones first, the
 * largest of them at first. */
struct loupe_leak_group {
    uint32_t first, count;
    uint32_t unowned; /* of these: what leads to them owns nothing */
    struct loupe_amount kept, kept_by_unowned;
};

/* Objects of one class whose counts are wrong in the same way. */
struct loupe_miscount {
    uint64_t releases; /* that are missing or too many, of all of them */
    uint32_t class_number;
    uint32_t count;
    uint32_t node; /* the first one */
    bool is_excess, is_lost;
    bool is_known; /* each one alone is what a library is known to retain too often */
};

/* Objects of one class that something lost keeps. */
struct loupe_kept_class {
    uint32_t keeper; /* as kept_by_leaks.c numbers them */
    uint32_t class_number;
    uint32_t count;
};

struct loupe_kept_classes {
    struct loupe_kept_class *items;
    uint32_t count;
};

struct loupe_leaks_options {
    const struct loupe_filter *filters;
    uint32_t filter_count;
    uint32_t max_rings;      /* per knot; 0: one */
    uint32_t max_rings_left; /* per knot that its best fix leaves rings in; 0: no more */
    /* Whose limit ends the search for rings; NULL: nothing does. */
    struct loupe_memory *clock;
};

enum { LOUPE_MAX_LEAKED_KNOTS = 1 << 17 }; /* that are looked at; more are in cycles.knots_found */

struct loupe_leaks {
    const struct loupe_snapshot *snapshot;
    const struct loupe_chunk_ops *chunks;
    struct loupe_leak *items;
    struct loupe_leak_group
        *groups; /* objects, raw memory, timers; by their first ones' degrees, the largest first */
    uint32_t count, group_count;
    struct loupe_amount lost;           /* all of it, each node once */
    struct loupe_amount unowned, timed; /* what each leak of that degree alone keeps */
    struct loupe_amount shared;         /* lost, and kept by more than one leak: by none alone */
    struct loupe_amount on_stacks;      /* kept by words on stacks and in registers only */
    struct loupe_miscount *miscounts;   /* by how many */
    uint32_t miscount_count;

    /* What all of it was found in. The columns are the snapshot's, but for references that proved
     * to own nothing, by what is known of libraries or by retain counts: LOUPE_LINK_UNOWNED. */
    struct loupe_columns columns;
    uint8_t *kinds;                            /* of the columns */
    struct loupe_marks alive;                  /* reached from all roots */
    struct loupe_marks reached_without_stacks; /* from those that cannot be stale */
    /* From these along what may own; not made where no knot depends on it. */
    struct loupe_marks reached_by_owners;
    struct loupe_heap_graph graph;    /* of all knots of the heap and their holders */
    struct loupe_describer describer; /* of it */
    struct loupe_cycles cycles;       /* the same */
    struct loupe_leak_roots leak_roots;
    struct loupe_heap_rings raw_rings; /* of leak_roots.knots */
    /* What each leak keeps, where there are any: dominators of what nothing owns but leaks. */
    struct loupe_marks owned;
    struct loupe_heap_part part;  /* of all that is not */
    struct loupe_dominators kept; /* by node of the part; its roots are the leaks */
    bool has_kept;
    struct loupe_kept_classes kept_classes; /* by keeper, then class: kept_by_leaks.c */
    struct loupe_retains retains;
};

/*
 * snapshot is a native one and lasts as long; so does the arena. The result must not move. On
 * failure (LOUPE_ENOMEM, LOUPE_ETIMEOUT) there is nothing to deinit.
 */
enum loupe_status loupe_leaks_find(const struct loupe_snapshot *snapshot,
                                   const struct loupe_leaks_options *options,
                                   const struct loupe_chunk_ops *chunks, struct loupe_arena *arena,
                                   struct loupe_leaks *ret);
void loupe_leaks_deinit(struct loupe_leaks *leaks);

/* Whether it is less sure than its degree says: its allocator is not understood, so it may have
 * been freed, or memory that nobody reads may hold it. */
bool loupe_leak_is_guessed(const struct loupe_leaks *leaks, const struct loupe_leak *leak);

/* Whether no reference or word leads to a node that could own it. */
bool loupe_leaks_is_owned_by_none(const struct loupe_leaks *leaks, uint32_t node);

void loupe_amount_add(struct loupe_amount *sum, struct loupe_amount one);
/* Adds one node. */
void loupe_leaks_count(const struct loupe_leaks *leaks, uint32_t node, struct loupe_amount *sum);

/* The knot that shows what a leak's looks like: equal ones have rings and fixes once. NULL: it is
 * no knot of references. */
const struct loupe_knot_facts *loupe_leak_knot(const struct loupe_leaks *leaks,
                                               const struct loupe_leak *leak);

/* Leaks of some groups, each added up by its degree. */
struct loupe_leaks_totals {
    uint32_t count; /* of leaks, of timers too */
    struct loupe_amount lost, unowned, timed;
    struct loupe_amount not_shown; /* what the leaks of the other groups alone keep */
};

/* Of the groups that are not hidden (by group; NULL: none is). Where none is hidden, `lost` is all
 * that is lost; else what these leaks alone keep, without what they share with any others. */
struct loupe_leaks_totals loupe_leaks_add_up(const struct loupe_leaks *leaks,
                                             const bool *is_hidden);

/* ---- by_stack.c ---- */

/* Leaks that one stack allocated; LOUPE_NONE: those of which that is not known. */
struct loupe_stack_leaks {
    uint32_t stack; /* snapshot/recorded_stacks.h */
    uint32_t count;
    struct loupe_amount kept; /* that they alone keep */
};

struct loupe_leaks_by_stack {
    struct loupe_stack_leaks *items; /* most bytes first */
    uint32_t count;
};

/* Of all leaks but those in hidden groups (by group; NULL: none is). In the arena. LOUPE_ENOMEM. */
enum loupe_status loupe_leaks_by_stack(const struct loupe_leaks *leaks, const bool *is_hidden,
                                       struct loupe_arena *arena, struct loupe_leaks_by_stack *ret);

/* ---- known_leaks.c ---- */

/* Which words of it can own anything: text has none, and what the first word of a list leads to was
 * freed, so that by now anything may stand there. */
enum loupe_left_owning { LOUPE_LEFT_OWNS_ALL, LOUPE_LEFT_OWNS_SECOND, LOUPE_LEFT_OWNS_NONE };

/* What a library is known to leak itself: rules/known_leaks.def says what each means. */
struct loupe_known_leak {
    const char *name, *runtime, *library, *versions, *proof;
    const char *way_to; /* of what is in use: a class, two references further; NULL: any */
    uint32_t most;
    bool is_in_use; /* the library retains it once too often, and loses nothing else by that */
    enum loupe_left_owning owns;
};

/* Whether it looks like what a library leaves behind. */
bool loupe_leak_is_left_behind(const struct loupe_leaks *leaks, const struct loupe_leak *leak);
/* Whether a word of a node that was left behind can own what it leads to. */
bool loupe_left_behind_owns(const struct loupe_snapshot *snapshot, uint32_t node, uint32_t link);
/* What the leaks of a group are known to be; NULL: they are the program's, as far as is known. */
const struct loupe_known_leak *loupe_leaks_known(const struct loupe_leaks *leaks,
                                                 const struct loupe_leak_group *group);

enum { LOUPE_MOST_KNOWN_LEAKS = 64 };

struct loupe_known_total {
    const struct loupe_known_leak *known;
    uint32_t count;
    struct loupe_amount kept;
};

struct loupe_known_totals {
    struct loupe_known_total items[LOUPE_MOST_KNOWN_LEAKS];
    uint32_t count;
    uint32_t leaks; /* all of them */
    struct loupe_amount kept;
};

/* Empty totals are all zeros. */
void loupe_leaks_add_known(struct loupe_known_totals *totals, const struct loupe_known_leak *known,
                           const struct loupe_leak_group *group);

/* The same of objects in use that have one retain too many: they are counted, and keep nothing. */
const struct loupe_known_leak *loupe_known_over_retained(const struct loupe_snapshot *snapshot,
                                                         uint32_t node, uint64_t releases);
const struct loupe_known_leak *loupe_miscount_known(const struct loupe_leaks *leaks,
                                                    const struct loupe_miscount *miscount);
void loupe_leaks_add_known_miscounts(struct loupe_known_totals *totals,
                                     const struct loupe_leaks *leaks);

/* ---- kept_by_leaks.c ---- */

/* The classes of the objects that a leak of raw memory alone keeps, by number; none, if it is of
 * something else. */
struct loupe_kept_classes loupe_leak_keeps(const struct loupe_leaks *leaks,
                                           const struct loupe_leak *leak);
/* Of all leaks of a group, the most numerous first; of NULL: of what is shared. In the arena.
 * LOUPE_ENOMEM. */
enum loupe_status loupe_leaks_keep(const struct loupe_leaks *leaks,
                                   const struct loupe_leak_group *group, struct loupe_arena *arena,
                                   struct loupe_kept_classes *ret);
/* Finds both, when it is known what each leak keeps. In the arena.
 * LOUPE_ENOMEM. */
enum loupe_status loupe_leaks_find_keepers(struct loupe_leaks *leaks, struct loupe_arena *arena);

/* ---- owning.c ---- */

/* Fills in the columns. LOUPE_ENOMEM. */
enum loupe_status loupe_leaks_rule_out_owners(struct loupe_leaks *leaks);

/* ---- known_nonowning.c ---- */

/* Of the columns, of references that the options' filters say own nothing: LOUPE_LINK_UNOWNED; of
 * those that lead back (graph/filter.h) LOUPE_LINK_WEAK, since they explain no retain of what is
 * alive either. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_leaks_rule_out_known(struct loupe_leaks *leaks,
                                             const struct loupe_leaks_options *options,
                                             struct loupe_arena *arena);

/* ---- timers.c ---- */

/* By knot of the cycles: whether nothing but a timer of it keeps it alive. In the arena. */
enum loupe_status loupe_leaks_find_timed(struct loupe_leaks *leaks, struct loupe_arena *arena,
                                         uint8_t **ret);
/* Marks the nodes of the snapshot that are in knots which are wanted. LOUPE_ENOMEM. */
enum loupe_status loupe_leaks_mark_knots(const struct loupe_leaks *leaks,
                                         bool (*is_wanted)(const struct loupe_knot_facts *knot),
                                         struct loupe_marks *ret);

/* ---- leak_groups.c ---- */

/* What is to be known of a node by itself. */
struct loupe_heap_likeness loupe_leaks_likeness(const struct loupe_leaks *leaks);
/* Fills in fingerprints, sorts the items and makes groups of them. */
enum loupe_status loupe_leaks_group(struct loupe_leaks *leaks, struct loupe_arena *arena);
/* Lists miscounts. */
enum loupe_status loupe_leaks_find_miscounts(struct loupe_leaks *leaks, struct loupe_arena *arena);

#endif
