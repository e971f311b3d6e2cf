/* Releases that are missing. */
#include "fix/changes/add_release.h"

#include "answers/json_tree.h"
#include "shared/cli.h"
#include "fix/source/blocks.h"
#include "fix/source/classes.h"
#include "fix/source/doubts.h"
#include "fix/source/methods.h"

#include <string.h>

enum { TEXT_ROOM = 512, LONGEST_BLANKS = 200 };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum kind {
    AUTORELEASE,  /* what is made there: from one token to another */
    BEFORE_LINE,  /* a release in a line of its own, before that of a token */
    BEFORE_RETURN /* the same, of a return that is all that an if without braces does */
};

struct place {
    enum kind kind;
    const struct fix_file *file;
    uint32_t from, to;
    struct loupe_span name;
    const char *message; /* "release" */
};

struct scene {
    struct loupe_span class_name;
    bool is_manual;
    struct fix_files files;
    struct place place; /* the last that keeps too much */
    uint32_t found;
    const struct fix_file *doubtful; /* the last that is not understood, and where */
    uint32_t doubt;
    struct loupe_arena *arena;
    struct fix_patch patch;
    struct fix_reason *reason;
};

/* A function or method around a place: its braces, and the sign of the method (0: none). */
struct around {
    uint32_t open, close, sign;
};

static void take(struct scene *scene, struct place place) {
    scene->place = place;
    scene->found++;
}

static void doubt(struct scene *scene, const struct fix_file *file, uint32_t token) {
    scene->doubtful = file;
    scene->doubt = token;
}

static bool is_name(const struct fix_source *source, uint32_t token, struct loupe_span name) {
    return fix_is_name(source, token) && json_texts_equal(fix_token_text(source, token), name);
}

static struct around find_around(const struct fix_source *source, uint32_t token) {
    for (uint32_t i = 0; i < token; i++) {
        if (!fix_token_is(source, i, "{"))
            continue;
        uint32_t close = fix_closing(source, i);
        if (close > token)
            return (struct around){i, close, fix_sign_before(source, i)};
        i = close;
    }
    return (struct around){0, 0, 0};
}

/* ---- What is done with a name ---- */

/* "[x release]", "RELEASE(x)": at is the name. */
static bool is_let_go(const struct fix_source *source, uint32_t at) {
    static const char *const messages[] = {"release", "autorelease"};
    static const char *const macros[] = {"RELEASE",      "AUTORELEASE",      "DESTROY",
                                         "TEST_RELEASE", "TEST_AUTORELEASE", "ASSIGN",
                                         "ASSIGNCOPY"};
    return fix_is_one_of(fix_token_text(source, at + 1), messages, COUNT_OF(messages)) ||
           (fix_token_is(source, at - 1, "(") &&
            fix_is_one_of(fix_token_text(source, at - 2), macros, COUNT_OF(macros)));
}

static bool is_let_go_in(const struct fix_source *source, uint32_t from, uint32_t to,
                         struct loupe_span name) {
    for (uint32_t i = from; i < to; i++) {
        if (is_name(source, i, name) && is_let_go(source, i))
            return true;
    }
    return false;
}

static bool is_assigned(const struct fix_source *source, uint32_t at) {
    return fix_token_is(source, at + 1, "=") && !fix_token_is(source, at + 2, "=");
}

/* ---- Variables of a function ---- */

struct variable {
    struct loupe_span name;
    uint32_t made, close; /* the variable where it is given what is made; the end of its braces */
    uint32_t released, releases, returned, returns;
    bool escapes;
};

/* The innermost braces around a token end there. */
static uint32_t end_of_scope(const struct fix_source *source, uint32_t open, uint32_t token) {
    uint32_t end = fix_closing(source, open);
    for (uint32_t i = open + 1; i < token; i++) {
        uint32_t close = fix_token_is(source, i, "{") ? fix_closing(source, i) : 0;
        if (close > token)
            end = close;
        else if (close)
            i = close;
    }
    return end;
}

/* Whether a method that takes an argument by such a word puts it somewhere as it is: its new owner,
 * perhaps. *ret_seen: its code is there. */
static bool adopts(const struct fix_source *source, struct loupe_span word, bool *ret_seen) {
    for (uint32_t i = 1; i + 2 < source->count; i++) {
        if (!is_name(source, i, word) || !fix_token_is(source, i + 1, ":") ||
            !fix_token_is(source, i + 2, "("))
            continue;
        uint32_t argument = fix_closing(source, i + 2) + 1;
        if (!fix_token_is(source, argument + 1, "{"))
            continue;
        *ret_seen = true;
        uint32_t close = fix_closing(source, argument + 1);
        for (uint32_t k = argument + 2; k < close; k++) {
            if (is_name(source, k, fix_token_text(source, argument)) &&
                fix_token_is(source, k - 1, "=") && !fix_token_is(source, k - 2, "="))
                return true;
        }
    }
    return false;
}

/* Whether what uses a variable as an argument may keep it without retaining it. */
static bool is_given_away(const struct scene *scene, const struct fix_source *source, uint32_t at) {
    static const char *const retains[] = {"addObject",    "setObject", "insertObject",
                                          "removeObject", "isEqual",   "forKey"};
    static const char *const looks[] = {"if", "while", "assert", "NSLog", "NSAssert"};
    struct loupe_span before = fix_token_text(source, at - 2);
    bool seen = false;
    if (fix_token_is(source, at - 1, ","))
        return true;
    if (fix_token_is(source, at - 1, "("))
        return !fix_is_one_of(before, looks, COUNT_OF(looks)) && !is_let_go(source, at);
    if (!fix_token_is(source, at - 1, ":") || fix_is_one_of(before, retains, COUNT_OF(retains)))
        return false;
    for (uint32_t i = 0; i < scene->files.count; i++) {
        if (adopts(&scene->files.items[i].source, before, &seen))
            return true;
    }
    return !seen;
}

static void follow(const struct scene *scene, const struct fix_source *source,
                   struct variable *variable) {
    static const char *const leaves[] = {"goto", "break", "continue"};
    for (uint32_t i = variable->made + 1; i < variable->close; i++) {
        if (fix_token_is(source, i, "return")) {
            variable->returned = i;
            variable->returns += !variable->releases;
        }
        bool is_kept = is_name(source, i, variable->name) &&
                       (fix_token_is(source, i - 1, "return") ||
                        (fix_token_is(source, i - 1, "=") && !fix_token_is(source, i - 2, "=") &&
                         !fix_token_is(source, i - 2, "!")));
        bool is_again = is_name(source, i, variable->name) && is_assigned(source, i) &&
                        !fix_token_is(source, i + 2, "nil");
        variable->escapes |=
            is_kept || is_again ||
            (is_name(source, i, variable->name) && is_given_away(scene, source, i)) ||
            fix_token_is(source, i, "^") ||
            fix_is_one_of(fix_token_text(source, i), leaves, COUNT_OF(leaves));
        if (is_name(source, i, variable->name) && is_let_go(source, i)) {
            variable->released = i;
            variable->releases++;
        }
    }
}

/* Whether a return is the last statement before some braces end. */
static bool is_last(const struct fix_source *source, uint32_t at, uint32_t close) {
    while (at < close && !fix_token_is(source, at, ";"))
        at++;
    return at + 1 == close;
}

static bool names(const struct fix_source *source, uint32_t at, struct loupe_span name) {
    for (; at < source->count && !fix_token_is(source, at, ";"); at++) {
        if (is_name(source, at, name))
            return true;
    }
    return false;
}

/* A return by which a variable is left that is released further on. */
static void take_return(struct scene *scene, const struct fix_file *file,
                        const struct variable *variable) {
    const struct fix_source *source = &file->source;
    uint32_t at = variable->made;
    while (!fix_token_is(source, at, "return"))
        at++;
    struct loupe_span blanks;
    bool is_in_if = fix_token_is(source, at - 1, ")");
    bool is_first = fix_token_is(source, at - 1, "{") || fix_token_is(source, at - 1, ";");
    bool is_alone = fix_begins_line(source, at, &blanks);
    if ((!is_in_if && !is_first) || !is_alone || names(source, at, variable->name))
        doubt(scene, file, at);
    else
        take(scene, (struct place){is_in_if ? BEFORE_RETURN : BEFORE_LINE, file, at, at,
                                   variable->name, "release"});
}

static void take_variable(struct scene *scene, const struct fix_file *file, uint32_t at,
                          const struct around *around) {
    const struct fix_source *source = &file->source;
    struct variable variable = {.name = fix_token_text(source, at),
                                .made = at,
                                .close = end_of_scope(source, around->open, at)};
    follow(scene, source, &variable);
    if (variable.escapes || variable.releases > 1 || variable.returns > 1) {
        doubt(scene, file, at);
    } else if (variable.releases) {
        if (variable.returns)
            take_return(scene, file, &variable);
    } else if (!variable.returns) {
        take(scene, (struct place){BEFORE_LINE, file, variable.close, variable.close, variable.name,
                                   "release"});
    } else if (is_last(source, variable.returned, variable.close) &&
               !names(source, variable.returned, variable.name)) {
        take(scene, (struct place){BEFORE_LINE, file, variable.returned, variable.returned,
                                   variable.name, "release"});
    } else {
        doubt(scene, file, at);
    }
}

/* ---- What is made ---- */

/* By Cocoa's names: "alloc", "newView", "initWithFrame:". */
static bool gives_away(struct loupe_span selector) {
    static const char *const makers[] = {"alloc", "new", "copy", "mutableCopy", "init"};
    bool found = false;
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
        size_t length = strlen(makers[i]);
        found |= loupe_span_starts_with(selector, makers[i]) &&
                 (selector.length == length || selector.bytes[length] < 'a' ||
                  selector.bytes[length] > 'z');
    }
    return found;
}

static bool is_of_giver(const struct fix_source *source, const struct around *around) {
    struct fix_name name = {.length = 0};
    return !around->sign || !fix_read_selector(source, around->sign + 1, around->open, &name) ||
           gives_away((struct loupe_span){name.bytes, name.length});
}

/* "addObject:", "setObject:": what is given is retained by who takes it. */
static bool is_added(const struct fix_source *source, uint32_t open) {
    static const char *const words[] = {"addObject", "setObject", "insertObject"};
    return fix_token_is(source, open - 1, ":") &&
           fix_is_one_of(fix_token_text(source, open - 2), words, COUNT_OF(words));
}

/* The class whose code a token is in declares it. */
static bool is_ivar(struct scene *scene, const struct fix_source *source, uint32_t at) {
    uint32_t code = at;
    while (code && !fix_token_is(source, code, "@implementation") &&
           !fix_token_is(source, code, "@end"))
        code--;
    struct fix_classes classes;
    if (!fix_token_is(source, code, "@implementation") ||
        !fix_find_class(&scene->files, fix_token_text(source, code + 1), scene->arena, &classes,
                        scene->reason))
        return false;
    for (uint32_t i = 0; i < classes.count; i++) {
        const struct fix_class *part = &classes.items[i];
        for (uint32_t k = part->ivars; part->ivars && k < part->ivars_end; k++) {
            if (is_name(&part->file->source, k, fix_token_text(source, at)))
                return true;
        }
    }
    return false;
}

/* What is made between two brackets, by what stands before it. */
static void take_made(struct scene *scene, const struct fix_file *file, uint32_t open,
                      uint32_t close) {
    const struct fix_source *source = &file->source;
    struct around around = find_around(source, open);
    uint32_t target = open - 2;
    struct place autoreleased = {AUTORELEASE, file, open, close, {NULL, 0}, NULL};
    bool is_given = fix_token_is(source, open - 1, "=") && fix_is_name(source, target) &&
                    fix_token_is(source, close + 1, ";");
    if (fix_token_is(source, close + 1, "autorelease") ||
        fix_token_is(source, open - 2, "AUTORELEASE"))
        return;
    if (!around.open)
        doubt(scene, file, open);
    else if (is_given && !fix_token_is(source, target - 1, ".") &&
             !fix_token_is(source, target - 1, ">")) {
        if (!is_ivar(scene, source, target))
            take_variable(scene, file, target, &around);
    } else if (fix_token_is(source, open - 1, "return") && !is_of_giver(source, &around)) {
        take(scene, autoreleased);
    } else if (is_added(source, open)) {
        take(scene, autoreleased);
    } else if (!is_given) {
        doubt(scene, file, open);
    }
}

static void look_at_makers(struct scene *scene, const struct fix_file *file) {
    const struct fix_source *source = &file->source;
    for (uint32_t i = 2; i + 2 < source->count; i++) {
        if (!is_name(source, i, scene->class_name) || !fix_token_is(source, i - 1, "["))
            continue;
        if (fix_token_is(source, i + 1, "new"))
            take_made(scene, file, i - 1, fix_closing(source, i - 1));
        else if (fix_token_is(source, i + 1, "alloc") && fix_token_is(source, i - 2, "["))
            take_made(scene, file, i - 2, fix_closing(source, i - 2));
        else if (gives_away(fix_token_text(source, i + 1)))
            doubt(scene, file, i);
    }
}

/* ---- Ivars that are declared to have one ---- */

/* "[super dealloc]" of a class. */
static uint32_t end_of_dealloc(const struct fix_class *code) {
    const struct fix_source *source = &code->file->source;
    for (uint32_t i = code->members; i < code->end; i++) {
        if (fix_token_is(source, i, "super") && fix_token_is(source, i + 1, "dealloc"))
            return i - 1;
    }
    return 0;
}

/* "x = [y retain];" in a method that does not let go what was there before. */
static void look_at_setters(struct scene *scene, const struct fix_class *code,
                            struct loupe_span ivar) {
    const struct fix_source *source = &code->file->source;
    for (uint32_t i = code->members; i < code->end; i++) {
        if (!is_name(source, i, ivar) || !is_assigned(source, i) ||
            !fix_token_is(source, i + 2, "["))
            continue;
        struct around around = find_around(source, i);
        uint32_t close = fix_closing(source, i + 2);
        struct fix_name name = {.length = 0};
        bool is_maker =
            !around.sign || !fix_read_selector(source, around.sign + 1, around.open, &name) ||
            loupe_span_starts_with((struct loupe_span){name.bytes, name.length}, "init");
        struct loupe_span blanks;
        if (is_maker || !fix_token_is(source, close - 1, "retain") ||
            is_let_go_in(source, around.open, around.close, ivar))
            continue;
        if (fix_begins_line(source, i, &blanks) && !fix_token_is(source, i - 1, ")"))
            take(scene, (struct place){BEFORE_LINE, code->file, i, i, ivar, "autorelease"});
        else
            doubt(scene, code->file, i);
    }
}

static void look_at_ivar(struct scene *scene, const struct fix_classes *classes,
                         struct loupe_span ivar) {
    for (uint32_t i = 0; i < classes->count; i++) {
        const struct fix_class *code = &classes->items[i];
        const struct fix_source *source = &code->file->source;
        if (code->part != FIX_IMPLEMENTATION)
            continue;
        bool is_owned = false;
        for (uint32_t k = code->members; k < code->end; k++)
            is_owned |= is_name(source, k, ivar) && is_assigned(source, k) &&
                        fix_token_is(source, k + 2, "[");
        uint32_t end = end_of_dealloc(code);
        if (is_let_go_in(source, code->members, code->end, ivar))
            look_at_setters(scene, code, ivar);
        else if (is_owned && end)
            take(scene, (struct place){BEFORE_LINE, code->file, end, end, ivar, "release"});
        else if (is_owned)
            doubt(scene, code->file, code->members);
    }
}

/* "C *x;" between the braces of a class. */
static bool look_at_ivars(struct scene *scene, const struct fix_file *file) {
    const struct fix_source *source = &file->source;
    for (uint32_t i = 0; i + 1 < source->count; i++) {
        struct fix_class part;
        struct fix_classes classes;
        if (!fix_token_is(source, i, "@interface") || !fix_ivars_behind(file, i + 1, &part))
            continue;
        for (uint32_t k = part.ivars; k < part.ivars_end; k++) {
            if (!is_name(source, k, scene->class_name) || !fix_token_is(source, k + 1, "*") ||
                !fix_token_is(source, k + 3, ";"))
                continue;
            if (!fix_find_class(&scene->files, fix_token_text(source, i + 1), scene->arena,
                                &classes, scene->reason))
                return false;
            look_at_ivar(scene, &classes, fix_token_text(source, k + 2));
        }
    }
    return true;
}

/* ---- The change ---- */

static size_t end_of_line(struct loupe_span text, size_t at) {
    while (at < text.length && text.bytes[at] != '\n')
        at++;
    return at + (at < text.length);
}

/* As far to the right as the line of a token, a brace's contents four columns further. */
static bool add_line(struct scene *scene, const struct place *place, const char *line_end) {
    const struct fix_source *source = &place->file->source;
    char text[TEXT_ROOM];
    struct loupe_span blanks;
    bool is_alone = fix_begins_line(source, place->from, &blanks);
    bool is_brace = fix_token_is(source, place->from, "}");
    if (!is_alone || blanks.length > LONGEST_BLANKS)
        return fix_refuse(
            scene->reason, "%s:%llu: the release has no line of its own there",
            cli_printable(loupe_span_of(place->file->path)),
            (unsigned long long)fix_line_of(place->file, source->tokens[place->from].offset));
    loupe_format(text, sizeof(text), "%.*s%s[%.*s %s];%s", (int)blanks.length, blanks.bytes,
                 is_brace ? "    " : "", (int)place->name.length, place->name.bytes, place->message,
                 line_end);
    return fix_add_text(&scene->patch, scene->arena, scene->reason,
                        (size_t)(blanks.bytes - source->text.bytes), 0, text);
}

/* " {" behind the head, and "}" below the return. */
static bool add_braces(struct scene *scene, const struct place *place, const char *line_end) {
    const struct fix_source *source = &place->file->source;
    const struct fix_token *head = &source->tokens[place->from - 1];
    char text[TEXT_ROOM];
    struct loupe_span outer;
    uint32_t open = fix_opening(source, place->from - 1);
    if (!fix_token_is(source, open - 1, "if") || !fix_begins_line(source, open - 1, &outer) ||
        outer.length > LONGEST_BLANKS)
        return fix_refuse(scene->reason, "the return is in more than a plain if");
    uint32_t end = place->from;
    while (end + 1 < source->count && !fix_token_is(source, end, ";"))
        end++;
    loupe_format(text, sizeof(text), "%.*s}%s", (int)outer.length, outer.bytes, line_end);
    return fix_add_text(&scene->patch, scene->arena, scene->reason, head->offset + head->length, 0,
                        " {") &&
           add_line(scene, place, line_end) &&
           fix_add_text(&scene->patch, scene->arena, scene->reason,
                        end_of_line(source->text, source->tokens[end].offset), 0, text);
}

static bool write_place(struct scene *scene) {
    const struct place *place = &scene->place;
    const struct fix_source *source = &place->file->source;
    const char *line_end = loupe_span_contains(source->text, "\r\n") ? "\r\n" : "\n";
    const struct fix_token *last = &source->tokens[place->to];
    scene->patch.file = place->file;
    if (source->tokens[place->from].conditions)
        return fix_refuse(scene->reason, FIX_IN_CONDITION);
    switch (place->kind) {
    case AUTORELEASE:
        return fix_add_text(&scene->patch, scene->arena, scene->reason,
                            source->tokens[place->from].offset, 0, "[") &&
               fix_add_text(&scene->patch, scene->arena, scene->reason, last->offset + last->length,
                            0, " autorelease]");
    case BEFORE_LINE:
        return add_line(scene, place, line_end);
    default:
        return add_braces(scene, place, line_end);
    }
}

/* ---- The whole ---- */

static bool check(struct scene *scene) {
    const struct fix_file *file = scene->place.file;
    if (scene->found != 1)
        return fix_refuse(scene->reason,
                          scene->found ? "more than one place keeps a %s too long: do it by hand"
                                       : "no place is seen that forgets to release a %s",
                          cli_printable(scene->class_name));
    if (scene->doubtful)
        return fix_refuse(scene->reason, "%s:%llu: what becomes of the %s is not understood",
                          cli_printable(loupe_span_of(scene->doubtful->path)),
                          (unsigned long long)fix_line_of(
                              scene->doubtful, scene->doubtful->source.tokens[scene->doubt].offset),
                          cli_printable(scene->class_name));
    if (!scene->is_manual && !fix_releases_by_hand(&file->source, 0, file->source.count))
        return fix_refuse(scene->reason, "%s is not seen to be built without ARC",
                          cli_printable(loupe_span_of(file->path)));
    return fix_is_written_by_hand(file, scene->reason);
}

bool fix_add_release(const char *folder, struct loupe_span class_name, bool is_manual,
                     struct loupe_arena *arena, struct fix_change *ret, struct fix_reason *reason) {
    struct scene *scene = loupe_arena_alloc(arena, sizeof(*scene));
    if (!scene)
        return fix_refuse(reason, "out of memory");
    *scene = (struct scene){
        .class_name = class_name, .is_manual = is_manual, .arena = arena, .reason = reason};
    if (!fix_can_be_name(class_name))
        return fix_refuse(reason, "%s is not the name of a class", cli_printable(class_name));
    if (!fix_find_sources(folder, class_name, arena, &scene->files, reason))
        return false;
    for (uint32_t i = 0; i < scene->files.count; i++) {
        look_at_makers(scene, &scene->files.items[i]);
        if (!look_at_ivars(scene, &scene->files.items[i]))
            return false;
    }
    if (!check(scene) || !write_place(scene))
        return false;
    *ret = (struct fix_change){
        .patches = {scene->patch},
        .count = 1,
        .goes_by_name = true,
        .rests_on = "the only place seen that keeps one too long; the source is built without ARC"};
    return true;
}
