#include "snapshot/rules/trees.h"

#include "analysis/reach.h"
#include "snapshot/native.h"
#include "snapshot/rules/ruled_classes.h"

#include <string.h>

/* ---- What rules say about classes ---- */

/* One of several patterns with | between them. */
static bool matches_any(struct loupe_span patterns, struct loupe_span name) {
    while (patterns.length) {
        const char *bar = memchr(patterns.bytes, '|', patterns.length);
        size_t length = bar ? (size_t)(bar - patterns.bytes) : patterns.length;
        if (loupe_pattern_matches((struct loupe_span){patterns.bytes, length}, name))
            return true;
        length += bar != NULL;
        patterns = (struct loupe_span){patterns.bytes + length, patterns.length - length};
    }
    return false;
}

/* Trees whose roots are the instances of a class or of one above it. */
static uint8_t roots_of_class(const struct loupe_ruled_classes *ruled, uint32_t class_number) {
    const struct loupe_snapshot *snapshot = ruled->snapshot;
    uint8_t trees = 0;
    /* Cap: the note of too many fields. */
    for (uint32_t steps = 0;
         class_number < snapshot->class_count && steps < LOUPE_MOST_SUPERCLASSES;
         steps++, class_number = snapshot->class_table[class_number].superclass) {
        for (uint32_t tree = 0; tree < ruled->rules->tree_count; tree++) {
            if (matches_any(ruled->rules->trees[tree],
                            loupe_snapshot_class_name(snapshot, class_number)))
                trees |= (uint8_t)(1u << tree);
        }
    }
    return trees;
}

static bool names_part(const struct loupe_rule *rule) {
    return rule->kind == LOUPE_RULE_PART || rule->kind == LOUPE_RULE_ALONG;
}

/* Classes whose instances have parts. */
static bool has_parts(const struct loupe_ruled_classes *ruled, uint32_t class_number) {
    for (uint32_t i = 0; i < ruled->rules->count; i++) {
        if (names_part(&ruled->rules->items[i]) && loupe_class_has_rule(ruled, class_number, i))
            return true;
    }
    return false;
}

/* Of view: view and _view. A getter that is asked again and again is a step like any other. */
static bool is_stored_as(struct loupe_span getter, struct loupe_span field) {
    if (getter.length && getter.bytes[getter.length - 1] == '*')
        getter.length--;
    if (field.length == getter.length + 1 && *field.bytes == '_')
        field = (struct loupe_span){field.bytes + 1, field.length - 1};
    return field.length == getter.length && memcmp(field.bytes, getter.bytes, getter.length) == 0;
}

/* ---- Parts of one object ---- */

enum strictness { OF_ANY_RULE, OF_RULES_ABOUT_ALL_CLASSES };

struct search {
    const struct loupe_ruled_classes *ruled;
    const uint8_t *has_parts, *is_collection; /* by class */
    enum strictness strictness;
    struct loupe_marks *met;     /* of the pass that is made */
    struct loupe_vector waiting; /* struct step */
};

/* An object to go on from, with the rule that led there: what it holds, if it is a collection, is
 * meant by that. */
struct step {
    uint32_t node, rule;
};

static bool is_member(const struct search *search, uint32_t node) {
    return search->has_parts[search->ruled->snapshot->classes[node]];
}

static bool names_field(const struct loupe_rule *rule, struct loupe_span field) {
    return rule->kind == LOUPE_RULE_PART ? loupe_pattern_matches(rule->field, field)
                                         : is_stored_as(rule->field, field);
}

/* The rule by which a field of an object leads to parts, or LOUPE_NONE. One about all classes goes
 * before those about some: a collection may hold several. */
static uint32_t rule_of_field(const struct search *search, uint32_t node, struct loupe_span field) {
    const struct loupe_rules *rules = search->ruled->rules;
    uint32_t class_number = search->ruled->snapshot->classes[node], about_some = LOUPE_NONE;
    for (uint32_t i = 0; i < rules->count; i++) {
        const struct loupe_rule *rule = &rules->items[i];
        if (!names_part(rule) || !loupe_class_has_rule(search->ruled, class_number, i) ||
            !names_field(rule, field))
            continue;
        if (!rule->to_class.length)
            return i;
        if (about_some == LOUPE_NONE)
            about_some = i;
    }
    return search->strictness == OF_ANY_RULE ? about_some : LOUPE_NONE;
}

/* Whether a link leads to what a collection holds. */
static bool is_content(const struct loupe_snapshot *snapshot, const struct loupe_link_name *name,
                       uint32_t link) {
    if (!snapshot->native)
        return name->kind == LOUPE_LINK_NAME_ELEMENT;
    uint32_t label = snapshot->native->labels[link];
    enum loupe_edge_kind kind =
        label == LOUPE_NONE ? LOUPE_EDGE_IVAR
                            : (enum loupe_edge_kind)snapshot->native->label_table[label].kind;
    return kind == LOUPE_EDGE_ELEMENT || kind == LOUPE_EDGE_VALUE;
}

/* Classes that have an instance which holds something. */
static void find_collections(const struct loupe_snapshot *snapshot, uint8_t *is_collection) {
    const struct loupe_columns *columns = &snapshot->columns;
    for (uint32_t node = 0; node < columns->nodes && !loupe_is_stopped(columns->stop); node++) {
        uint8_t *found = &is_collection[snapshot->classes[node]];
        for (uint32_t link = columns->first[node]; !*found && link < columns->first[node + 1];
             link++) {
            struct loupe_link_name name;
            loupe_snapshot_name_link(snapshot, node, link, &name);
            *found = is_content(snapshot, &name, link);
        }
    }
}

static bool is_collection(const struct search *search, uint32_t node) {
    return search->is_collection[search->ruled->snapshot->classes[node]];
}

/* By which rule a link of the step leads to a part, or to a collection of such; else LOUPE_NONE. */
static uint32_t rule_of_link(const struct search *search, struct step from, uint32_t link,
                             bool takes_fields) {
    const struct loupe_ruled_classes *ruled = search->ruled;
    uint32_t target = ruled->snapshot->columns.to[link], rule = LOUPE_NONE;
    struct loupe_link_name name;
    loupe_snapshot_name_link(ruled->snapshot, from.node, link, &name);
    if (is_content(ruled->snapshot, &name, link))
        rule = from.rule;
    else if (name.kind == LOUPE_LINK_NAME_FIELD && takes_fields && is_member(search, from.node))
        rule = rule_of_field(search, from.node, name.name);
    if (rule == LOUPE_NONE || !ruled->rules->items[rule].to_class.length ||
        loupe_class_is_target(ruled, ruled->snapshot->classes[target], rule) ||
        is_collection(search, target))
        return rule;
    return LOUPE_NONE;
}

/* Marks the parts of an object; those of its parts too, where all is set. */
static bool mark_parts(struct search *search, uint32_t node, bool all) {
    const struct loupe_columns *columns = &search->ruled->snapshot->columns;
    struct step from = {node, LOUPE_NONE};
    search->waiting.count = 0;
    for (;;) {
        for (uint32_t link = columns->first[from.node]; link < columns->first[from.node + 1];
             link++) {
            struct step next = {columns->to[link], LOUPE_NONE};
            if (next.node == node || loupe_is_marked(search->met, next.node))
                continue;
            next.rule = rule_of_link(search, from, link, all || from.node == node);
            if (next.rule == LOUPE_NONE)
                continue;
            loupe_mark(search->met, next.node);
            struct step *waiting = NULL;
            if (all || is_collection(search, next.node)) {
                waiting = loupe_vector_add(&search->waiting);
                if (!waiting)
                    return false;
                *waiting = next;
            }
        }
        if (!search->waiting.count || loupe_is_stopped(columns->stop))
            return true;
        from = *(struct step *)loupe_vector_at(&search->waiting, --search->waiting.count,
                                               sizeof(from));
    }
}

/* ---- Trees ---- */

static enum loupe_status mark_tree(struct search *search, const uint8_t *roots, uint32_t tree,
                                   struct loupe_trees *trees) {
    const struct loupe_snapshot *snapshot = search->ruled->snapshot;
    uint32_t nodes = snapshot->columns.nodes;
    bool has_room = true;
    loupe_marks_clear(search->met);
    for (uint32_t node = 0; has_room && node < nodes && !loupe_is_stopped(snapshot->columns.stop);
         node++) {
        if (!(roots[snapshot->classes[node]] >> tree & 1))
            continue;
        trees->existing |= (uint8_t)(1u << tree);
        loupe_mark(search->met, node);
        has_room = mark_parts(search, node, true);
    }
    for (uint32_t node = 0; node < nodes; node++) {
        if (loupe_is_marked(search->met, node))
            trees->of[node] |= (uint8_t)(1u << tree);
    }
    return loupe_columns_status(&snapshot->columns, has_room);
}

/* ---- Parts of anything ---- */

/* Marks what is a part of another object. */
static bool mark_owned(struct search *search, enum strictness strictness,
                       struct loupe_marks *owned) {
    const struct loupe_columns *columns = &search->ruled->snapshot->columns;
    bool has_room = true;
    search->strictness = strictness;
    search->met = owned;
    for (uint32_t node = 0; has_room && node < columns->nodes && !loupe_is_stopped(columns->stop);
         node++) {
        if (is_member(search, node))
            has_room = mark_parts(search, node, false);
    }
    search->strictness = OF_ANY_RULE;
    return has_room;
}

/*
 * Each object that is no part, unless it is reached from one that was met before, is the top of a
 * tree; the others are parts.
 */
static bool take_tops(struct search *search, const struct loupe_marks *owned, uint8_t *of) {
    const struct loupe_columns *columns = &search->ruled->snapshot->columns;
    for (uint32_t node = 0; node < columns->nodes && !loupe_is_stopped(columns->stop); node++) {
        if (!is_member(search, node) || loupe_is_marked(search->met, node) ||
            (owned && loupe_is_marked(owned, node)))
            continue;
        loupe_mark(search->met, node);
        of[node] &= (uint8_t)~LOUPE_IS_PART;
        if (!mark_parts(search, node, true))
            return false;
    }
    return true;
}

/*
 * Objects that are parts of each other have a top all the same: one that only rules about some
 * classes call a part, as a view may refer to the one around it; else the first of them.
 */
static bool find_tops(struct search *search, struct loupe_marks *owned,
                      struct loupe_marks *strictly_owned, struct loupe_marks *met,
                      struct loupe_trees *trees) {
    for (uint32_t node = 0; node < search->ruled->snapshot->columns.nodes; node++)
        trees->of[node] |= is_member(search, node) ? LOUPE_IS_PART : 0;
    if (!mark_owned(search, OF_ANY_RULE, owned) ||
        !mark_owned(search, OF_RULES_ABOUT_ALL_CLASSES, strictly_owned))
        return false;
    search->met = met;
    return take_tops(search, owned, trees->of) && take_tops(search, strictly_owned, trees->of) &&
           take_tops(search, NULL, trees->of);
}

/* ---- All of it ---- */

enum { MARKS_COUNT = 3 };

static enum loupe_status find(struct search *search, const uint8_t *roots, uint8_t wanted,
                              struct loupe_trees *trees, struct loupe_marks marks[MARKS_COUNT]) {
    enum loupe_status status = LOUPE_OK;
    search->met = &marks[0];
    /* Cap: all of them: more are an error of the rules. */
    for (uint32_t tree = 0; !status && tree < LOUPE_MOST_TREES; tree++) {
        if (wanted >> tree & 1)
            status = mark_tree(search, roots, tree, trees);
    }
    if (status || !trees->existing)
        return status;
    loupe_marks_clear(&marks[0]);
    return loupe_columns_status(&search->ruled->snapshot->columns,
                                find_tops(search, &marks[0], &marks[1], &marks[2], trees));
}

static enum loupe_status find_with_marks(struct search *search, const uint8_t *roots,
                                         uint8_t wanted, const struct loupe_chunk_ops *chunks,
                                         struct loupe_trees *trees) {
    struct loupe_marks marks[MARKS_COUNT];
    unsigned made = 0;
    while (made < MARKS_COUNT &&
           !loupe_marks_init(&marks[made], chunks, search->ruled->snapshot->columns.nodes))
        made++;
    enum loupe_status status =
        made < MARKS_COUNT ? LOUPE_ENOMEM : find(search, roots, wanted, trees, marks);
    while (made > 0)
        loupe_marks_deinit(&marks[--made]);
    return status;
}

enum loupe_status loupe_trees_find(const struct loupe_ruled_classes *ruled,
                                   struct loupe_arena *arena, struct loupe_trees *ret) {
    const struct loupe_snapshot *snapshot = ruled->snapshot;
    struct search search = {.ruled = ruled};
    uint8_t wanted = 0, *roots = loupe_arena_alloc(arena, snapshot->class_count),
            *parts = loupe_arena_alloc(arena, snapshot->class_count),
            *collections = loupe_arena_alloc(arena, snapshot->class_count);
    *ret = (struct loupe_trees){0};
    if (!roots || !parts || !collections)
        return LOUPE_ENOMEM;
    search.has_parts = parts;
    search.is_collection = collections;
    for (uint32_t number = 0; ruled->rules->tree_count && number < snapshot->class_count;
         number++) {
        roots[number] = roots_of_class(ruled, number);
        wanted = (uint8_t)(wanted | roots[number]);
        parts[number] = has_parts(ruled, number);
    }
    if (!wanted)
        return LOUPE_OK;
    ret->of = loupe_arena_alloc(arena, snapshot->columns.nodes);
    if (!ret->of)
        return LOUPE_ENOMEM;
    find_collections(snapshot, collections);
    loupe_vector_init(&search.waiting, arena->chunks, sizeof(struct step));
    enum loupe_status status = find_with_marks(&search, roots, wanted, arena->chunks, ret);
    loupe_vector_deinit(&search.waiting);
    return status;
}
