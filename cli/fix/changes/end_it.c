/* What an ivar has, ended where the work of its owner ends. */
#include "fix/changes/end_it.h"

#include "answers/json_tree.h"
#include "shared/cli.h"
#include "fix/source/blocks.h"
#include "fix/source/doubts.h"
#include "fix/source/methods.h"
#include "fix/source/properties.h"
#include "fix/source/reasons.h"

#include <string.h>

enum {
    EXPRESSION_ROOM = FIX_LONGEST_NAME + 16,
    TEXT_ROOM = 4 * EXPRESSION_ROOM,
    LONGEST_BLANKS = 200
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct scene {
    const struct fix_ended *ended;
    struct fix_files files;
    struct fix_classes classes;
    const struct fix_file *file; /* of the @implementation */
    struct loupe_span property;  /* that has the ivar and can be set; empty: none */
    uint32_t open, close;        /* of the method: its braces */
    uint32_t found;
    bool is_retained; /* by code of the class, where it is manual */
    struct loupe_arena *arena;
    struct fix_reason *reason;
};

/* ---- The method ---- */

/* From the one that people would look at first; a name with a capital behind it counts too. */
static const char *const endings[] = {"viewDidDisappear:",
                                      "viewWillDisappear:",
                                      "windowWillClose:",
                                      "windowDidClose:",
                                      "invalidate",
                                      "stop",
                                      "cancel",
                                      "close",
                                      "tearDown",
                                      "teardown",
                                      "disconnect",
                                      "end"};

/* "stop", "stop:", "stopPolling" are one kind. */
static bool is_such(struct loupe_span selector, const char *ending) {
    size_t length = strlen(ending);
    if (!loupe_span_starts_with(selector, ending))
        return false;
    if (ending[length - 1] == ':' || selector.length == length)
        return selector.length == length;
    char next = selector.bytes[length];
    return (next >= 'A' && next <= 'Z') || (next == ':' && selector.length == length + 1);
}

static size_t rank_of(struct loupe_span selector) {
    size_t rank = 0;
    while (rank < sizeof(endings) / sizeof(endings[0]) && !is_such(selector, endings[rank]))
        rank++;
    return rank;
}

/* The best so far, and how many are as good. */
static void take_method(struct scene *scene, uint32_t sign, uint32_t open, size_t *best) {
    struct fix_name name = {.length = 0};
    if (!fix_read_selector(&scene->file->source, sign + 1, open, &name) || name.is_cut)
        return;
    size_t rank = rank_of((struct loupe_span){name.bytes, name.length});
    if (rank == COUNT_OF(endings) || rank > *best)
        return;
    scene->found = rank == *best ? scene->found + 1 : 1;
    *best = rank;
    scene->open = open;
    scene->close = fix_closing(&scene->file->source, open);
}

static bool find_method(struct scene *scene, const struct fix_class *code) {
    const struct fix_source *source = &code->file->source;
    size_t best = COUNT_OF(endings);
    uint32_t sign = 0;
    scene->file = code->file;
    for (uint32_t i = code->members; i < code->end; i++) {
        if (fix_token_is(source, i, ";") || fix_token_is(source, i, "+"))
            sign = 0;
        if (fix_token_is(source, i, "-") && !sign)
            sign = i;
        if (!fix_token_is(source, i, "{"))
            continue;
        if (sign)
            take_method(scene, sign, i, &best);
        i = fix_closing(source, i);
        sign = 0;
    }
    if (scene->found == 1)
        return true;
    return fix_refuse(scene->reason,
                      scene->found
                          ? "class %s has more than one method that may be where its work ends"
                          : "class %s has no method where its work ends (-stop, "
                            "-viewDidDisappear:, ...)",
                      cli_printable(scene->ended->class_name));
}

/* Whether a path may leave it before its end, or it does something with the ivar already. */
static bool check_method(struct scene *scene) {
    const struct fix_source *source = &scene->file->source;
    for (uint32_t i = scene->open; i < scene->close; i++) {
        struct loupe_span word = fix_token_text(source, i);
        if (fix_token_is(source, i, "return") || fix_token_is(source, i, "goto"))
            return fix_refuse_at(scene->reason, scene->file, i,
                                 "the method may be left before its end");
        if (json_texts_equal(word, scene->ended->ivar) ||
            (scene->property.length && json_texts_equal(word, scene->property)))
            return fix_refuse_at(scene->reason, scene->file, i,
                                 "the method where its work ends uses it already");
        if (source->tokens[i].conditions)
            return fix_refuse_at(scene->reason, scene->file, i, "the method has an #if in it");
    }
    return scene->close < source->count ||
           fix_refuse_at(scene->reason, scene->file, scene->open, "it has no end");
}

/* ---- The ivar ---- */

static bool is_read_only(const struct fix_source *source, const struct fix_property *property) {
    return property->open &&
           fix_find_token(source, property->open, property->close, "readonly") < property->close;
}

/* What to write for it: a property that can be set retains and releases by itself. */
static bool find_property(struct scene *scene) {
    for (uint32_t i = 0; i < scene->classes.count; i++) {
        const struct fix_class *part = &scene->classes.items[i];
        const struct fix_source *source = &part->file->source;
        for (uint32_t k = part->members; k < part->end; k++) {
            struct fix_property property;
            if (!fix_token_is(source, k, "@property") ||
                !fix_read_property(source, k, part->end, &property))
                continue;
            struct loupe_span name = fix_token_text(source, property.end - 1);
            if (!fix_property_has_ivar(&scene->classes, name, scene->ended->ivar))
                continue;
            if (property.problem)
                return fix_refuse(scene->reason, "its property is not understood: %s",
                                  property.problem);
            if (!is_read_only(source, &property))
                scene->property = name;
        }
    }
    return true;
}

/* Whether the class names it at all; then whether code of it retains it, or makes it its own. */
static bool find_uses(struct scene *scene, const struct fix_class *code) {
    static const char *const owns[] = {"retain", "copy", "alloc", "new", "RETAIN"};
    static const char *const macros[] = {"RELEASE", "DESTROY", "ASSIGN", "ASSIGNCOPY"};
    const struct fix_source *source = &code->file->source;
    bool is_named = scene->property.length > 0;
    for (uint32_t i = code->members; i < code->end; i++) {
        if (!json_texts_equal(fix_token_text(source, i), scene->ended->ivar))
            continue;
        is_named = true;
        scene->is_retained |=
            fix_token_is(source, i + 1, "release") ||
            fix_is_one_of(fix_token_text(source, i - 2), macros, COUNT_OF(macros));
        for (uint32_t k = i + 2;
             fix_token_is(source, i + 1, "=") && k < code->end && !fix_token_is(source, k, ";");
             k++)
            scene->is_retained |= fix_is_one_of(fix_token_text(source, k), owns, COUNT_OF(owns));
    }
    return is_named ||
           fix_refuse(scene->reason, "the code of class %s does not name %s",
                      cli_printable(scene->ended->class_name), cli_printable(scene->ended->ivar));
}

/* ---- What is written ---- */

struct text {
    char bytes[TEXT_ROOM];
    size_t length;
};

/* One statement, in a line of its own or behind the one before it. */
struct lines {
    struct text text;
    struct loupe_span blanks;
    const char *end; /* of a line; NULL: all stay in one */
};

static void put(struct text *text, const char *word) {
    text->length +=
        loupe_format(text->bytes + text->length, sizeof(text->bytes) - text->length, "%s", word);
}

static void put_statement(struct lines *lines, const char *before, const char *expression,
                          const char *behind) {
    char blanks[LONGEST_BLANKS + 1];
    loupe_format(blanks, sizeof(blanks), "%.*s", (int)lines->blanks.length, lines->blanks.bytes);
    put(&lines->text, lines->end ? blanks : " ");
    put(&lines->text, before);
    put(&lines->text, expression);
    put(&lines->text, behind);
    put(&lines->text, lines->end ? lines->end : "");
}

/* A session lets its tasks come to their ends. */
static const char *invalidation_of(struct loupe_span class_name) {
    return loupe_span_contains(class_name, "URLSession") ? " finishTasksAndInvalidate];"
                                                         : " invalidate];";
}

static void put_end(struct lines *lines, const struct fix_ended *ended, const char *it) {
    enum loupe_change change = ended->change;
    char condition[EXPRESSION_ROOM];
    loupe_format(condition, sizeof(condition), "if (%s) ", it);
    if (change == LOUPE_INVALIDATE || change == LOUPE_INVALIDATE_BEFORE)
        put_statement(lines, "[", it, invalidation_of(ended->held));
    if (change == LOUPE_REMOVE_ACTIONS)
        put_statement(lines, "[", it, " removeAllActions];");
    if (change == LOUPE_FINISH && loupe_span_contains(ended->held, "Thread"))
        put_statement(lines, "[", it, " cancel];");
    if (change == LOUPE_REMOVE_OBSERVER) {
        char tail[TEXT_ROOM / 2];
        loupe_format(tail, sizeof(tail), " %.*s:self];", (int)ended->remover.length,
                     ended->remover.bytes);
        put_statement(lines, "[", it, tail);
    }
    if (change == LOUPE_CANCEL) {
        char call[TEXT_ROOM / 2];
        loupe_format(call, sizeof(call), "%sdispatch_source_cancel(", condition);
        put_statement(lines, call, it, ");");
    }
    if (change == LOUPE_REMOVE_TOKEN) {
        char call[TEXT_ROOM / 2];
        loupe_format(call, sizeof(call),
                     "%s[[NSNotificationCenter defaultCenter] removeObserver:", condition);
        put_statement(lines, call, it, "];");
    }
}

static void put_all(const struct scene *scene, struct lines *lines) {
    char it[EXPRESSION_ROOM];
    struct loupe_span name = scene->property.length ? scene->property : scene->ended->ivar;
    loupe_format(it, sizeof(it), "%s%.*s", scene->property.length ? "self." : "", (int)name.length,
                 name.bytes);
    put_end(lines, scene->ended, it);
    if (scene->ended->change == LOUPE_REMOVE_ACTIONS ||
        scene->ended->change == LOUPE_REMOVE_OBSERVER)
        return; /* it may be used again */
    if (scene->ended->is_manual && scene->is_retained && !scene->property.length)
        put_statement(lines, "[", it, " release];");
    put_statement(lines, "", it, " = nil;");
}

/* Behind the last statement, as far to the right as it is. */
static bool add_lines(struct scene *scene, struct fix_patch *patch) {
    const struct fix_source *source = &scene->file->source;
    struct loupe_span outer, blanks = {"", 0};
    bool is_alone = fix_begins_line(source, scene->close, &outer);
    struct lines lines = {.end = !is_alone                                   ? NULL
                                 : loupe_span_contains(source->text, "\r\n") ? "\r\n"
                                                                             : "\n"};
    char made[LONGEST_BLANKS + 8];
    if (is_alone) {
        fix_begins_line(source, scene->open + 1, &blanks);
        loupe_format(made, sizeof(made), "%.*s    ", (int)outer.length, outer.bytes);
        lines.blanks = scene->open + 1 < scene->close ? blanks : loupe_span_of(made);
    }
    if (lines.blanks.length > LONGEST_BLANKS || outer.length > LONGEST_BLANKS)
        return fix_refuse_at(scene->reason, scene->file, scene->close, FIX_LINE_TOO_FAR);
    put_all(scene, &lines);
    if (lines.text.length + 1 >= sizeof(lines.text.bytes))
        return fix_refuse_at(scene->reason, scene->file, scene->close, "its names are too long");
    if (!is_alone && !outer.length)
        put(&lines.text, " ");
    const char *text = loupe_arena_copy_string(
        scene->arena, (struct loupe_span){lines.text.bytes, lines.text.length});
    if (!text)
        return fix_refuse(scene->reason, "out of memory");
    size_t at = (size_t)(outer.bytes - source->text.bytes);
    return fix_add_edit(patch, (struct fix_edit){.offset = at, .inserted = text}, scene->arena,
                        scene->reason);
}

/* ---- The whole ---- */

/* A token is the center's that it was got from. */
static bool check_center(struct scene *scene, const struct fix_class *code) {
    const struct fix_source *source = &code->file->source;
    for (uint32_t i = code->members; i < code->end; i++) {
        if (!fix_token_is(source, i, "addObserverForName"))
            continue;
        if (!fix_token_is(source, i - 1, "]") || !fix_token_is(source, i - 2, "defaultCenter"))
            return fix_refuse_at(scene->reason, scene->file, i,
                                 "its center is not seen to be the default one");
    }
    return true;
}

static const struct fix_class *implementation_of(struct scene *scene) {
    const struct fix_class *found = NULL;
    for (uint32_t i = 0; i < scene->classes.count; i++) {
        if (scene->classes.items[i].part == FIX_IMPLEMENTATION)
            found = &scene->classes.items[i];
    }
    if (found && scene->classes.implementations == 1)
        return found;
    fix_refuse(scene->reason,
               found ? "class %s is implemented in more than one place: name a smaller folder with "
                       "--source"
                     : "the code of class %s is in no source below the folder of --source",
               cli_printable(scene->ended->class_name));
    return NULL;
}

static bool check(struct scene *scene, const struct fix_class *code) {
    if (!fix_is_written_by_hand(code->file, scene->reason))
        return false;
    if (scene->ended->change == LOUPE_CANCEL && scene->ended->is_manual)
        return fix_refuse(scene->reason, "a source of code without ARC is released by its rules");
    return scene->ended->change != LOUPE_REMOVE_TOKEN || check_center(scene, code);
}

bool fix_end_it(const char *folder, const struct fix_ended *ended, struct loupe_arena *arena,
                struct fix_change *ret, struct fix_reason *reason) {
    struct scene *scene = loupe_arena_alloc(arena, sizeof(*scene));
    if (!scene)
        return fix_refuse(reason, "out of memory");
    *scene = (struct scene){.ended = ended, .arena = arena, .reason = reason};
    if (!fix_are_names(ended->class_name, ended->ivar, reason))
        return false;
    if (!fix_find_sources(folder, ended->class_name, arena, &scene->files, reason) ||
        !fix_find_class(&scene->files, ended->class_name, arena, &scene->classes, reason))
        return false;
    const struct fix_class *code = implementation_of(scene);
    *ret = (struct fix_change){
        .patches = {{.file = code ? code->file : NULL}},
        .count = 1,
        .goes_by_name = true,
        .rests_on = "the end of the only method that is called like the end of its work: it has to "
                    "be called, and nothing may use what ends after it"};
    return code && find_property(scene) && find_uses(scene, code) && find_method(scene, code) &&
           check_method(scene) && check(scene, code) && add_lines(scene, &ret->patches[0]);
}
