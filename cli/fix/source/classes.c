/* Where a class is, in sources. */
#include "fix/source/classes.h"

#include "answers/json_tree.h"
#include "shared/cli.h"

/* Behind the bracket that closes the one at a token; the count of tokens where there is none. */
static uint32_t skip_pair(const struct fix_source *source, uint32_t at, const char *open,
                          const char *close) {
    uint32_t depth = 0;
    for (; at < source->count; at++) {
        depth += fix_token_is(source, at, open);
        if (fix_token_is(source, at, close) && --depth == 0)
            return at + 1;
    }
    return at;
}

/* What stands between a class's name and its ivars: generics, superclass, protocols. */
static uint32_t skip_head(const struct fix_source *source, uint32_t at) {
    if (fix_token_is(source, at, "<"))
        at = skip_pair(source, at, "<", ">");
    if (fix_token_is(source, at, ":"))
        at += 2;
    while (fix_token_is(source, at, "<"))
        at = skip_pair(source, at, "<", ">");
    return at;
}

static bool begins_another(const struct fix_source *source, uint32_t at) {
    return fix_token_is(source, at, "@interface") || fix_token_is(source, at, "@implementation") ||
           (fix_token_is(source, at, "@protocol") && !fix_token_is(source, at + 1, "("));
}

/* at: behind the name. */
static uint32_t take_ivars(struct fix_class *ret, uint32_t at) {
    const struct fix_source *source = &ret->file->source;
    at = skip_head(source, at);
    if (fix_token_is(source, at, "{")) {
        ret->ivars = at + 1;
        at = skip_pair(source, at, "{", "}");
        ret->ivars_end = at - 1;
    }
    return at;
}

bool fix_ivars_behind(const struct fix_file *file, uint32_t name, struct fix_class *ret) {
    const struct fix_source *source = &file->source;
    bool has_brackets = fix_token_is(source, name + 1, "(");
    *ret = (struct fix_class){.file = file};
    take_ivars(ret, has_brackets ? fix_closing(source, name + 1) + 1 : name + 1);
    return ret->ivars > 0;
}

static bool take_class(struct fix_class *ret, uint32_t at, struct fix_reason *reason) {
    const struct fix_source *source = &ret->file->source;
    at = take_ivars(ret, at);
    for (ret->members = at; at < source->count && !begins_another(source, at); at++) {
        if (fix_token_is(source, at, "@end")) {
            ret->end = at;
            return true;
        }
    }
    return fix_refuse(reason, "the class has no @end in %s",
                      cli_printable(loupe_span_of(ret->file->path)));
}

static bool add_class(struct fix_classes *classes, const struct fix_class *found,
                      struct loupe_arena *arena, struct fix_reason *reason) {
    classes->items = loupe_arena_grow(arena, classes->items, classes->count, &classes->capacity,
                                      sizeof(*classes->items));
    if (!classes->items)
        return fix_refuse(reason, "out of memory");
    classes->items[classes->count++] = *found;
    classes->interfaces += found->part == FIX_INTERFACE;
    classes->implementations += found->part == FIX_IMPLEMENTATION;
    return true;
}

static bool find_in_file(const struct fix_file *file, struct loupe_span name,
                         struct loupe_arena *arena, struct fix_classes *ret,
                         struct fix_reason *reason) {
    const struct fix_source *source = &file->source;
    for (uint32_t i = 0; i + 1 < source->count; i++) {
        bool implements = fix_token_is(source, i, "@implementation");
        if ((!implements && !fix_token_is(source, i, "@interface")) ||
            !json_texts_equal(fix_token_text(source, i + 1), name))
            continue;
        bool has_brackets = fix_token_is(source, i + 2, "(");
        bool is_category = has_brackets && !fix_token_is(source, i + 3, ")");
        struct fix_class found = {.file = file,
                                  .part = implements     ? FIX_IMPLEMENTATION
                                          : has_brackets ? FIX_EXTENSION
                                                         : FIX_INTERFACE};
        if (!is_category && (!take_class(&found, i + (has_brackets ? 4 : 2), reason) ||
                             !add_class(ret, &found, arena, reason)))
            return false;
    }
    return true;
}

bool fix_find_class(const struct fix_files *files, struct loupe_span name,
                    struct loupe_arena *arena, struct fix_classes *ret, struct fix_reason *reason) {
    *ret = (struct fix_classes){.count = 0};
    for (uint32_t i = 0; i < files->count; i++) {
        if (!find_in_file(&files->items[i], name, arena, ret, reason))
            return false;
    }
    return true;
}
