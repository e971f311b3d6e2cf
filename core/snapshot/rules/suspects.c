#include "snapshot/rules/suspects.h"

#include "base/map.h"
#include "snapshot/native.h"

#include <string.h>

/* ---- Conditions ---- */

/* Through a field that holds references, to the object. */
static bool follow(const struct loupe_snapshot *snapshot, struct loupe_value value, uint32_t *ret) {
    return value.type == LOUPE_VALUE_OBJECT && value.bits &&
           loupe_snapshot_find(snapshot, value.bits, ret);
}

/* Whether any object of the heap has a field of that name. */
static bool is_field(const struct loupe_snapshot *snapshot, struct loupe_span name) {
    const struct loupe_native_heap *native = snapshot->native;
    for (uint32_t i = 0; i < native->label_count; i++) {
        const struct loupe_label *label = &native->label_table[i];
        struct loupe_span path = loupe_snapshot_string(snapshot, label->path);
        if (label->kind == LOUPE_EDGE_IVAR && path.length == name.length &&
            memcmp(path.bytes, name.bytes, name.length) == 0)
            return true;
    }
    return false;
}

/* An Objective-C heap is kept without values: a field that no reference is known of is nil. */
static bool native_value(const struct loupe_snapshot *snapshot, uint32_t node,
                         struct loupe_span name, struct loupe_value *ret) {
    const struct loupe_columns *columns = &snapshot->columns;
    *ret = (struct loupe_value){.type = LOUPE_VALUE_OBJECT};
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        struct loupe_link_name found;
        loupe_snapshot_name_link(snapshot, node, link, &found);
        if (found.kind == LOUPE_LINK_NAME_FIELD && found.name.length == name.length &&
            memcmp(found.name.bytes, name.bytes, name.length) == 0) {
            ret->bits = loupe_snapshot_address(snapshot, columns->to[link]);
            return true;
        }
    }
    return is_field(snapshot, name);
}

/* The name of a field must end in a NUL; longer ones are not found. */
static bool field_value(const struct loupe_snapshot *snapshot, uint32_t node,
                        struct loupe_span name, struct loupe_value *ret) {
    char text[128];
    if (snapshot->native)
        return native_value(snapshot, node, name, ret);
    if (name.length >= sizeof(text))
        return false;
    memcpy(text, name.bytes, name.length);
    text[name.length] = '\0';
    return loupe_snapshot_field_value(snapshot, node, text, ret);
}

static bool value_at(const struct loupe_snapshot *snapshot, uint32_t node, struct loupe_span path,
                     struct loupe_value *ret) {
    for (;;) {
        const char *point = memchr(path.bytes, '.', path.length);
        size_t length = point ? (size_t)(point - path.bytes) : path.length;
        if (!field_value(snapshot, node, (struct loupe_span){path.bytes, length}, ret))
            return false;
        if (!point)
            return true;
        if (!follow(snapshot, *ret, &node))
            return false;
        path = (struct loupe_span){point + 1, path.length - length - 1};
    }
}

/* Nothing is outside of what there is not. */
static bool is_outside(const struct loupe_ruled_classes *ruled, uint32_t node,
                       const struct loupe_rule_condition *condition) {
    const struct loupe_snapshot *snapshot = ruled->snapshot;
    struct loupe_value value;
    uint32_t tree = condition->tree - 1;
    if (!(ruled->trees.existing >> tree & 1))
        return false;
    if (!loupe_span_equals(condition->field, "self") &&
        (!value_at(snapshot, node, condition->field, &value) || !follow(snapshot, value, &node)))
        return false;
    bool is_part = ruled->trees.of[node] >> tree & 1;
    return is_part == condition->is_not;
}

static bool condition_holds(const struct loupe_ruled_classes *ruled, uint32_t node,
                            const struct loupe_rule_condition *condition) {
    struct loupe_value value;
    if (condition->tree)
        return is_outside(ruled, node, condition);
    if (!value_at(ruled->snapshot, node, condition->field, &value))
        return false;
    bool is_object = value.type == LOUPE_VALUE_OBJECT;
    if (condition->is_nil != is_object)
        return false;
    bool is_equal = (int64_t)value.bits == condition->value;
    return is_equal != condition->is_not;
}

static bool conditions_hold(const struct loupe_ruled_classes *ruled, uint32_t node,
                            const struct loupe_rule *rule) {
    for (uint32_t i = 0; i < rule->condition_count; i++) {
        if (!condition_holds(ruled, node, &rule->conditions[i]))
            return false;
    }
    return true;
}

static bool is_about_trees(const struct loupe_rule *rule) {
    for (uint32_t i = 0; i < rule->condition_count; i++) {
        if (rule->conditions[i].tree)
            return true;
    }
    return false;
}

/* Its conditions are methods, which a snapshot cannot ask: they may hold. */
static bool is_spared(const struct loupe_ruled_classes *ruled, uint32_t class_number) {
    for (uint32_t i = 0; i < ruled->rules->count; i++) {
        if (ruled->rules->items[i].kind == LOUPE_RULE_SPARE &&
            loupe_class_has_rule(ruled, class_number, i))
            return true;
    }
    return false;
}

/* Of what is outside only the top is suspected: its parts are where they belong. */
static bool is_excused(const struct loupe_ruled_classes *ruled, uint32_t node,
                       const struct loupe_rule *rule) {
    return rule->kind == LOUPE_RULE_LEAKING && is_about_trees(rule) &&
           (ruled->trees.of[node] & LOUPE_IS_PART ||
            is_spared(ruled, ruled->snapshot->classes[node]));
}

enum loupe_expectation loupe_expectation_of(const struct loupe_ruled_classes *ruled, uint32_t node,
                                            const struct loupe_rule **ret_rule) {
    uint32_t class_number = ruled->snapshot->classes[node];
    for (uint32_t i = 0; i < ruled->rules->count; i++) {
        const struct loupe_rule *rule = &ruled->rules->items[i];
        if ((rule->kind != LOUPE_RULE_LEAKING && rule->kind != LOUPE_RULE_ALIVE) ||
            !loupe_class_has_rule(ruled, class_number, i) || !conditions_hold(ruled, node, rule) ||
            is_excused(ruled, node, rule))
            continue;
        *ret_rule = rule;
        return rule->kind == LOUPE_RULE_LEAKING ? LOUPE_EXPECTED_LEAKING : LOUPE_EXPECTED_ALIVE;
    }
    *ret_rule = NULL;
    return LOUPE_EXPECTED_UNKNOWN;
}

/* ---- Suspects ---- */

/* What a rule about a field of a node suspects: what that leads to. */
static bool suspect_of_field(const struct loupe_ruled_classes *ruled, uint32_t node,
                             uint32_t number, uint32_t *ret) {
    const struct loupe_rule *rule = &ruled->rules->items[number];
    const struct loupe_snapshot *snapshot = ruled->snapshot;
    struct loupe_value value;
    return rule->kind == LOUPE_RULE_LEAKING_FIELD &&
           loupe_class_has_rule(ruled, snapshot->classes[node], number) &&
           conditions_hold(ruled, node, rule) && field_value(snapshot, node, rule->field, &value) &&
           follow(snapshot, value, ret);
}

/* Whether any rule suspects objects of the class: most classes have none. */
static bool has_rules(const struct loupe_ruled_classes *ruled, uint32_t class_number) {
    uint64_t any = 0;
    for (uint32_t word = 0; class_number < ruled->snapshot->class_count && word < ruled->words;
         word++)
        any |= ruled->bits[(size_t)class_number * ruled->words + word];
    return any;
}

/* Suspects as they are found, and by node where they stand. */
struct finding {
    struct loupe_vector *suspects;
    struct loupe_map places;
};

/* Of several rules the first one counts, in whatever order the objects lie that tell of it. */
static enum loupe_status add_suspect(struct finding *finding, uint32_t node, uint32_t rule) {
    uint32_t place;
    if (loupe_map_find(&finding->places, node, &place)) {
        struct loupe_suspect *known = loupe_vector_at(finding->suspects, place, sizeof(*known));
        known->rule = rule < known->rule ? rule : known->rule;
        return LOUPE_OK;
    }
    if (loupe_map_put(&finding->places, node, finding->suspects->count))
        return LOUPE_ENOMEM;
    struct loupe_suspect *suspect = loupe_vector_add(finding->suspects);
    if (!suspect)
        return LOUPE_ENOMEM;
    *suspect = (struct loupe_suspect){node, rule};
    return LOUPE_OK;
}

static enum loupe_status add_suspects_of(const struct loupe_ruled_classes *ruled, uint32_t node,
                                         struct finding *finding) {
    const struct loupe_rule *rule;
    enum loupe_status status = LOUPE_OK;
    uint32_t found;
    if (loupe_expectation_of(ruled, node, &rule) == LOUPE_EXPECTED_LEAKING)
        status = add_suspect(finding, node, (uint32_t)(rule - ruled->rules->items));
    for (uint32_t number = 0; !status && number < ruled->rules->count; number++) {
        if (suspect_of_field(ruled, node, number, &found))
            status = add_suspect(finding, found, number);
    }
    return status;
}

enum loupe_status loupe_suspects_find(const struct loupe_ruled_classes *ruled,
                                      const struct loupe_chunk_ops *chunks,
                                      struct loupe_vector *suspects) {
    const struct loupe_snapshot *snapshot = ruled->snapshot;
    struct finding finding = {.suspects = suspects};
    enum loupe_status status = LOUPE_OK;
    loupe_map_init(&finding.places, chunks);
    for (uint32_t node = 0; !status && node < snapshot->columns.nodes; node++) {
        if (loupe_is_stopped(snapshot->columns.stop))
            status = LOUPE_ETIMEOUT;
        else if (has_rules(ruled, snapshot->classes[node]))
            status = add_suspects_of(ruled, node, &finding);
    }
    loupe_map_deinit(&finding.places);
    return status;
}

/* ---- Links and roots ---- */

static bool names_link(const struct loupe_rule *rule, const struct loupe_snapshot *snapshot,
                       const struct loupe_link_name *name) {
    return (name->kind == LOUPE_LINK_NAME_FIELD || name->kind == LOUPE_LINK_NAME_STATIC) &&
           loupe_pattern_matches(rule->field, name->name) &&
           loupe_pattern_matches(rule->class_name,
                                 loupe_snapshot_class_name(snapshot, name->declared_by));
}

static const struct loupe_rule *rule_of_name(const struct loupe_ruled_classes *ruled,
                                             const struct loupe_link_name *name) {
    for (uint32_t i = 0; i < ruled->rules->count; i++) {
        const struct loupe_rule *rule = &ruled->rules->items[i];
        if ((rule->kind == LOUPE_RULE_LIBRARY || rule->kind == LOUPE_RULE_WEAK) &&
            names_link(rule, ruled->snapshot, name))
            return rule;
    }
    return NULL;
}

const struct loupe_rule *loupe_rule_of_link(const struct loupe_ruled_classes *ruled, uint32_t node,
                                            uint32_t link) {
    struct loupe_link_name name;
    loupe_snapshot_name_link(ruled->snapshot, node, link, &name);
    const struct loupe_rule *rule = rule_of_name(ruled, &name);
    return rule && rule->kind == LOUPE_RULE_LIBRARY ? rule : NULL;
}

static uint64_t change_links_of(const struct loupe_ruled_classes *ruled, uint32_t node,
                                uint8_t *kinds) {
    const struct loupe_columns *columns = &ruled->snapshot->columns;
    uint64_t changed = 0;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        struct loupe_link_name name;
        loupe_snapshot_name_link(ruled->snapshot, node, link, &name);
        const struct loupe_rule *rule = rule_of_name(ruled, &name);
        uint8_t kind = rule && rule->kind == LOUPE_RULE_WEAK ? LOUPE_LINK_WEAK : LOUPE_LINK_LIBRARY;
        if (!rule || kinds[link] == LOUPE_LINK_WEAK || kinds[link] == LOUPE_LINK_PHANTOM)
            continue;
        changed += kinds[link] != kind;
        kinds[link] = kind;
    }
    return changed;
}

static bool has_link_rules(const struct loupe_ruled_classes *ruled, uint32_t class_number) {
    for (uint32_t i = 0; i < ruled->rules->count; i++) {
        enum loupe_rule_kind kind = ruled->rules->items[i].kind;
        if ((kind == LOUPE_RULE_LIBRARY || kind == LOUPE_RULE_WEAK) &&
            loupe_class_has_rule(ruled, class_number, i))
            return true;
    }
    return false;
}

/* Static fields are links of class objects, instance fields those of objects of the class. */
uint64_t loupe_rules_change_kinds(const struct loupe_ruled_classes *ruled, uint8_t *kinds) {
    const struct loupe_snapshot *snapshot = ruled->snapshot;
    uint64_t changed = 0;
    for (uint32_t number = 0; number < snapshot->class_count; number++) {
        uint32_t node = snapshot->class_table[number].node;
        if (node != LOUPE_NO_NODE && has_link_rules(ruled, number))
            changed += change_links_of(ruled, node, kinds);
    }
    for (uint32_t node = 0;
         node < snapshot->columns.nodes && !loupe_is_stopped(snapshot->columns.stop); node++) {
        uint32_t number = snapshot->classes[node];
        if (has_rules(ruled, number) && has_link_rules(ruled, number))
            changed += change_links_of(ruled, node, kinds);
    }
    return changed;
}

const struct loupe_rule *loupe_rule_of_root(const struct loupe_ruled_classes *ruled,
                                            uint32_t root) {
    const struct loupe_snapshot *snapshot = ruled->snapshot;
    uint32_t thread = snapshot->roots[root].thread;
    for (uint32_t i = 0; thread != LOUPE_NONE && i < ruled->rules->count; i++) {
        const struct loupe_rule *rule = &ruled->rules->items[i];
        if (rule->kind == LOUPE_RULE_LIBRARY_THREAD &&
            loupe_pattern_matches(rule->class_name,
                                  loupe_snapshot_string(snapshot, snapshot->threads[thread].name)))
            return rule;
    }
    return NULL;
}
