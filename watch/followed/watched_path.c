#include "watched_path.h"

#include <string.h>

enum { DEEPEST = 256, LONGEST_NAME = 128, MOST_ARGUMENTS = 4 };

/* ---- Parsing ---- */

static struct loupe_span take_part(struct loupe_span *text) {
    const char *point = memchr(text->bytes, '.', text->length);
    struct loupe_span part = {text->bytes, point ? (size_t)(point - text->bytes) : text->length};
    size_t taken = part.length + (point != NULL);
    text->bytes += taken;
    text->length -= taken;
    return part;
}

static bool is_argument(struct loupe_span part, unsigned *ret) {
    if (part.length != 4 || memcmp(part.bytes, "arg", 3) != 0 || part.bytes[3] < '1' ||
        part.bytes[3] > '0' + MOST_ARGUMENTS)
        return false;
    *ret = (unsigned)(part.bytes[3] - '0');
    return true;
}

static const char *add_step(struct watch_path *path, struct loupe_span part) {
    char name[LONGEST_NAME];
    bool is_repeated = part.length && part.bytes[part.length - 1] == '*';
    part.length -= is_repeated;
    if (!part.length || part.length >= sizeof(name))
        return "a path has an empty or endless name";
    if (path->step_count == WATCH_MOST_STEPS)
        return "a path has more than 8 names";
    memcpy(name, part.bytes, part.length);
    name[part.length] = '\0';
    path->steps[path->step_count].getter = watch_objc()->sel_registerName(name);
    path->steps[path->step_count++].is_repeated = is_repeated;
    return NULL;
}

const char *watch_path_parse(struct loupe_span text, struct watch_path *ret) {
    const char *problem = NULL;
    *ret = (struct watch_path){0};
    struct loupe_span part = take_part(&text);
    if (!is_argument(part, &ret->argument) && !loupe_span_equals(part, "self"))
        problem = add_step(ret, part);
    while (!problem && text.length)
        problem = add_step(ret, take_part(&text));
    return problem;
}

/* ---- Following ---- */

static bool start(const struct watch_path *path, watch_id self, const struct watch_call *call,
                  struct watch_value *ret) {
    *ret = (struct watch_value){.is_object = true, .number = (int64_t)(intptr_t)self};
    if (!path->argument)
        return true;
    if (!call || path->argument > call->argument_count)
        return false;
    ret->number = call->arguments[path->argument - 1];
    ret->is_argument = true;
    return true;
}

bool watch_path_value(const struct watch_path *path, watch_id self, const struct watch_call *call,
                      struct watch_value *ret) {
    if (!start(path, self, call, ret))
        return false;
    for (unsigned i = 0; i < path->step_count; i++) {
        if (!ret->is_object || !ret->number ||
            !watch_ask((watch_id)(intptr_t)ret->number, path->steps[i].getter, ret))
            return false;
    }
    return true;
}

struct visit {
    const struct watch_path *path;
    void (*visit)(watch_id object, void *context);
    void *context;
    unsigned step, depth;
    bool *is_cut;
};

static void go_on(watch_id object, void *context);

/* As often as a step is repeated, each object that it answers is one, too. */
static void take_step(watch_id object, const struct visit *visit) {
    struct watch_value value;
    struct visit next = *visit;
    if (!watch_ask(object, visit->path->steps[visit->step].getter, &value) || !value.is_object ||
        !value.number)
        return;
    next.step++;
    watch_for_each((watch_id)(intptr_t)value.number, go_on, &next);
}

static void go_on(watch_id object, void *context) {
    const struct visit *visit = context;
    bool was_repeated = visit->step && visit->path->steps[visit->step - 1].is_repeated;
    if (visit->step == visit->path->step_count)
        visit->visit(object, visit->context);
    else
        take_step(object, visit);
    if (!was_repeated)
        return;
    struct visit again = *visit;
    again.step--;
    again.depth++;
    if (again.depth < DEEPEST)
        take_step(object, &again);
    else
        *visit->is_cut = true;
}

void watch_path_visit(const struct watch_path *path, watch_id self, const struct watch_call *call,
                      void (*visit)(watch_id object, void *context), void *context,
                      bool *ret_is_cut) {
    struct watch_value first;
    struct visit state = {path, visit, context, 0, 0, ret_is_cut};
    *ret_is_cut = false;
    if (start(path, self, call, &first) && first.number)
        watch_for_each((watch_id)(intptr_t)first.number, go_on, &state);
}
