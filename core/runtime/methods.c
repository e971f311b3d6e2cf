#include "runtime/methods.h"

#include "runtime/class_walk.h"

#include <string.h>

/* ---- Places ---- */

static void compare(struct loupe_code_place *place, const struct loupe_known_method *method) {
    bool begins_behind = method->code > place->address;
    struct loupe_known_method *nearest = begins_behind ? &place->behind : &place->before;
    bool nearer = begins_behind ? method->code < nearest->code : method->code > nearest->code;
    if (!nearest->cls || nearer) {
        *nearest = *method;
        if (!begins_behind)
            place->same = 0;
    } else if (!begins_behind && method->code == nearest->code) {
        place->same++;
    }
}

static void compare_all_of(struct loupe_target *target, const struct loupe_class *cls,
                           struct loupe_code_place *places, uint32_t count) {
    struct loupe_method_cursor cursor = {.begun = false};
    struct loupe_method method;
    while (target->abi->next_method(target, cls, &cursor, &method)) {
        struct loupe_known_method known = {
            .cls = cls, .code = method.code, .selector = method.selector};
        for (uint32_t i = 0; known.code && i < count; i++)
            compare(&places[i], &known);
    }
    if (cursor.damaged)
        loupe_findings_add(&target->findings, LOUPE_FINDING_UNREADABLE, cls->address);
}

enum loupe_status loupe_methods_around(struct loupe_target *target, struct loupe_code_place *places,
                                       uint32_t count) {
    const struct loupe_class *cls;
    struct loupe_class_walk walk;
    loupe_class_walk_begin(&walk, target);
    while ((cls = loupe_class_walk_next(&walk)))
        compare_all_of(target, cls, places, count);
    loupe_class_walk_end(&walk);
    return walk.status;
}

/* ---- One method ---- */

bool loupe_method_name(struct loupe_target *target, const struct loupe_known_method *method,
                       char *dst, size_t cap) {
    char selector[LOUPE_MAX_SELECTOR];
    dst[0] = '\0';
    if (!method->cls || !method->selector ||
        !target->abi->selector_name(target, method->selector, selector, sizeof(selector)))
        return false;
    loupe_format(dst, cap, "%c[%s %s]", method->cls->flags & LOUPE_CLASS_META ? '+' : '-',
                 method->cls->name, selector);
    return true;
}

static bool is_named(struct loupe_target *target, const struct loupe_method *method,
                     const char *selector, uint32_t *nameless) {
    char name[LOUPE_MAX_SELECTOR];
    if (method->selector &&
        target->abi->selector_name(target, method->selector, name, sizeof(name)))
        return strcmp(name, selector) == 0;
    (*nameless)++;
    return false;
}

/* The class itself has it. */
static bool find_in_class(struct loupe_target *target, const struct loupe_class *cls,
                          const char *selector, struct loupe_answering_method *ret) {
    struct loupe_method_cursor cursor = {.begun = false};
    struct loupe_method method;
    while (target->abi->next_method(target, cls, &cursor, &method)) {
        if (!is_named(target, &method, selector, &ret->nameless))
            continue;
        ret->method = (struct loupe_known_method){
            .cls = cls, .code = method.code, .selector = method.selector};
        return true;
    }
    if (cursor.damaged)
        loupe_findings_add(&target->findings, LOUPE_FINDING_UNREADABLE, cls->address);
    return false;
}

enum loupe_status loupe_method_answering(struct loupe_target *target, const struct loupe_class *cls,
                                         const char *selector, struct loupe_answering_method *ret) {
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level;
    *ret = (struct loupe_answering_method){.nameless = 0};
    while ((level = loupe_class_chain_next(target, &chain))) {
        if (find_in_class(target, level, selector, ret))
            return LOUPE_OK;
    }
    if (chain.broken)
        loupe_findings_add(&target->findings, LOUPE_FINDING_UNREADABLE, cls->address);
    return chain.status;
}

loupe_addr loupe_method_code(struct loupe_target *target, const struct loupe_class *cls,
                             const char *selector) {
    struct loupe_answering_method found = {.nameless = 0};
    return find_in_class(target, cls, selector, &found) ? found.method.code : 0;
}
