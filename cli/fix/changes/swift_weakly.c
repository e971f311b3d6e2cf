/* Properties and closures of Swift that do not keep. */
#include "fix/changes/swift_weakly.h"

#include "answers/json_tree.h"
#include "shared/cli.h"
#include "fix/source/blocks.h"
#include "fix/source/doubts.h"
#include "fix/source/reasons.h"

#include <string.h>

enum { TEXT_ROOM = 512, LONGEST_BLANKS = 200 };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct scene {
    struct loupe_span class_name, name, held;
    struct fix_files files;
    const struct fix_file *declared; /* the class */
    uint32_t open, close;            /* its braces */
    uint32_t var, type;              /* of the property: "var", what stands behind its ":" */
    const struct fix_file *file;     /* of the closure */
    uint32_t closure, closures;      /* its brace; how many there are */
    struct loupe_arena *arena;
    struct fix_patch patch;
    struct fix_reason *reason;
};

static bool is_name(const struct fix_source *source, uint32_t token, struct loupe_span name) {
    return fix_is_name(source, token) && json_texts_equal(fix_token_text(source, token), name);
}

/* "Cache" of "App.Cache<Swift.Int>". */
static struct loupe_span last_name(struct loupe_span name) {
    const char *generic = memchr(name.bytes, '<', name.length);
    if (generic)
        name.length = (size_t)(generic - name.bytes);
    for (size_t i = name.length; i > 0; i--) {
        if (name.bytes[i - 1] == '.')
            return (struct loupe_span){name.bytes + i, name.length - i};
    }
    return name;
}

/* ---- The class and its property ---- */

static bool find_class(struct scene *scene) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < scene->files.count; i++) {
        const struct fix_file *file = &scene->files.items[i];
        const struct fix_source *source = &file->source;
        for (uint32_t k = 1; k < source->count; k++) {
            if (!fix_token_is(source, k - 1, "class") || !is_name(source, k, scene->class_name))
                continue;
            scene->declared = file;
            scene->open = k;
            found++;
        }
    }
    const struct fix_source *source = found ? &scene->declared->source : NULL;
    while (source && scene->open < source->count && !fix_token_is(source, scene->open, "{"))
        scene->open++;
    scene->close = source ? fix_closing(source, scene->open) : 0;
    return (found == 1 && scene->close < source->count) ||
           fix_refuse(scene->reason, "class %s is declared %u times in Swift below the folder",
                      cli_printable(scene->class_name), (unsigned)found);
}

static bool find_property(struct scene *scene) {
    const struct fix_source *source = &scene->declared->source;
    uint32_t found = 0;
    for (uint32_t i = scene->open + 1; i < scene->close; i++) {
        if (fix_token_is(source, i, "{"))
            i = fix_closing(source, i);
        if (!fix_token_is(source, i, "var") || !is_name(source, i + 1, scene->name) ||
            !fix_token_is(source, i + 2, ":"))
            continue;
        scene->var = i;
        scene->type = i + 3;
        found++;
    }
    if (found != 1)
        return fix_refuse(scene->reason, "class %s has no var %s with a type, or more than one",
                          cli_printable(scene->class_name), cli_printable(scene->name));
    if (source->tokens[scene->var].conditions)
        return fix_refuse_at(scene->reason, scene->declared, scene->var, "it is in an #if");
    return true;
}

static bool open_scene(struct scene *scene, const char *folder,
                       const struct fix_swift_property *property) {
    scene->class_name = last_name(property->class_name);
    scene->held = last_name(property->held);
    scene->name = property->name;
    if (!fix_can_be_name(scene->class_name) || !fix_can_be_name(scene->name))
        return fix_refuse(scene->reason, "%s of %s is not a name of Swift",
                          cli_printable(property->name), cli_printable(property->class_name));
    return fix_find_swift(folder, scene->name, scene->arena, &scene->files, scene->reason) &&
           find_class(scene) && find_property(scene) &&
           fix_is_written_by_hand(scene->declared, scene->reason);
}

/* ---- A weak var ---- */

/* What is wrong with the words before it, "private weak". */
static const char *problem_of_modifiers(const struct scene *scene) {
    static const char *const owns[] = {"weak", "unowned", "lazy", "static", "class", "override"};
    const struct fix_source *source = &scene->declared->source;
    for (uint32_t i = scene->var - 1; fix_is_name(source, i) || fix_token_is(source, i, ")"); i--) {
        uint32_t word = fix_token_is(source, i, ")") ? fix_opening(source, i) - 1 : i;
        if (fix_is_one_of(fix_token_text(source, word), owns, COUNT_OF(owns)))
            return fix_token_is(source, word, "weak") ? "it is weak already"
                                                      : "it is declared in a way that weak ones "
                                                        "cannot be";
        i = word;
    }
    return NULL;
}

/* Whether a protocol of that name is one of classes alone. */
static bool is_of_classes(const struct scene *scene, struct loupe_span name) {
    for (uint32_t i = 0; i < scene->files.count; i++) {
        const struct fix_source *source = &scene->files.items[i].source;
        for (uint32_t k = 1; k + 2 < source->count; k++) {
            if (fix_token_is(source, k - 1, "protocol") && is_name(source, k, name) &&
                fix_token_is(source, k + 1, ":") && fix_token_is(source, k + 2, "AnyObject"))
                return true;
        }
    }
    return false;
}

/* Behind "<Key, Value>", if that stands there: names, commas and dots alone. */
static uint32_t behind_generics(const struct fix_source *source, uint32_t at) {
    uint32_t end = at + 1;
    while (fix_is_name(source, end) || fix_token_is(source, end, ",") ||
           fix_token_is(source, end, "."))
        end++;
    return fix_token_is(source, at, "<") && fix_token_is(source, end, ">") ? end + 1 : at;
}

/* "Parent?", "App.Parent?", "Parent<Key>?", and no more but "= nil". */
static const char *problem_of_type(const struct scene *scene) {
    const struct fix_source *source = &scene->declared->source;
    uint32_t at = scene->type;
    while (fix_is_name(source, at) && fix_token_is(source, at + 1, "."))
        at += 2;
    uint32_t mark = behind_generics(source, at + 1);
    if (!fix_is_name(source, at) || !fix_token_is(source, mark, "?"))
        return "its type is not a plain optional, which a weak reference has to be";
    if (!is_name(source, at, scene->held) && !is_of_classes(scene, fix_token_text(source, at)))
        return "its type is not seen to be one of classes";
    if (fix_token_is(source, mark + 1, "="))
        return fix_token_is(source, mark + 2, "nil") ? NULL : "it has an initial value";
    return fix_token_is(source, mark + 1, "{") ? "it has code of its own" : NULL;
}

/* "let name = ...", "let a = b, name = ...": another one of that name. */
static bool is_declared(const struct fix_source *source, uint32_t name) {
    return fix_token_is(source, name - 1, "let") || fix_token_is(source, name - 1, "var") ||
           fix_token_is(source, name - 1, ",");
}

/* "name = Parent(...)", which nothing else would keep. */
static bool check_assignments(struct scene *scene) {
    for (uint32_t i = 0; i < scene->files.count; i++) {
        const struct fix_file *file = &scene->files.items[i];
        for (uint32_t k = 0; k < file->source.count; k++) {
            struct loupe_span value = fix_token_text(&file->source, k + 2);
            if (is_name(&file->source, k, scene->name) && fix_token_is(&file->source, k + 1, "=") &&
                !is_declared(&file->source, k) && value.length && value.bytes[0] >= 'A' &&
                value.bytes[0] <= 'Z')
                return fix_refuse_at(
                    scene->reason, file, k,
                    "what may be a new object is put into it that nothing else keeps");
        }
    }
    return true;
}

bool fix_swift_weak_var(const char *folder, const struct fix_swift_property *property,
                        struct loupe_arena *arena, struct fix_change *ret,
                        struct fix_reason *reason) {
    struct scene scene = {.arena = arena, .reason = reason};
    if (!open_scene(&scene, folder, property))
        return false;
    const char *problem = problem_of_modifiers(&scene);
    if (!problem)
        problem = problem_of_type(&scene);
    if (problem)
        return fix_refuse_at(scene.reason, scene.declared, scene.var, problem);
    scene.patch.file = scene.declared;
    if (!check_assignments(&scene) ||
        !fix_add_text(&scene.patch, scene.arena, scene.reason,
                      fix_token_start(&scene.declared->source, scene.var), 0, "weak "))
        return false;
    *ret = (struct fix_change){
        .patches = {scene.patch}, .count = 1, .rests_on = "the only declaration found"};
    return true;
}

/* ---- Weak self ---- */

/* "(() -> Void)?", "(Int) -> ()": nothing is given back. */
static bool gives_nothing(const struct scene *scene) {
    const struct fix_source *source = &scene->declared->source;
    uint32_t arrow = 0, line_end = scene->type;
    const char *bytes = source->text.bytes;
    while (line_end < scene->close &&
           !memchr(bytes + fix_token_start(source, scene->type), '\n',
                   fix_token_start(source, line_end) - fix_token_start(source, scene->type)))
        line_end++;
    for (uint32_t i = scene->type; i + 1 < line_end; i++) {
        if (fix_token_is(source, i, "-") && fix_token_is(source, i + 1, ">"))
            arrow = i + 2;
    }
    return arrow && (fix_token_is(source, arrow, "Void") ||
                     (fix_token_is(source, arrow, "(") && fix_token_is(source, arrow + 1, ")")));
}

/* In the class or an extension of it. */
static bool is_own_code(const struct scene *scene, const struct fix_file *file, uint32_t at) {
    const struct fix_source *source = &file->source;
    if (file == scene->declared && at > scene->open && at < scene->close)
        return true;
    for (uint32_t i = 1; i < at; i++) {
        if (!fix_token_is(source, i - 1, "extension") || !is_name(source, i, scene->class_name))
            continue;
        uint32_t open = i;
        while (open < at && !fix_token_is(source, open, "{"))
            open++;
        if (open < at && fix_closing(source, open) > at)
            return true;
    }
    return false;
}

/* The only "name = {" of the class; one of another object might be of this class too. */
static bool find_closure(struct scene *scene) {
    for (uint32_t i = 0; i < scene->files.count; i++) {
        const struct fix_file *file = &scene->files.items[i];
        for (uint32_t k = 0; k + 2 < file->source.count; k++) {
            if (!is_name(&file->source, k, scene->name) ||
                !fix_token_is(&file->source, k + 1, "=") ||
                !fix_token_is(&file->source, k + 2, "{"))
                continue;
            if (fix_token_is(&file->source, k - 1, ".") &&
                !fix_token_is(&file->source, k - 2, "self"))
                return fix_refuse_at(scene->reason, file, k,
                                     "another object is given a closure there");
            if (!is_own_code(scene, file, k))
                continue;
            scene->file = file;
            scene->closure = k + 2;
            scene->closures++;
        }
    }
    return scene->closures == 1 ||
           fix_refuse(scene->reason,
                      scene->closures ? "more than one closure is put into %s"
                                      : "no closure is seen to be put into %s",
                      cli_printable(scene->name));
}

/* The first token of the line that a token is in. */
static uint32_t first_in_line(const struct fix_source *source, uint32_t at) {
    struct loupe_span blanks;
    while (at && !fix_begins_line(source, at, &blanks))
        at--;
    return at;
}

/* Whether a brace is that of a statement, and of no closure. */
static bool is_of_statement(const struct fix_source *source, uint32_t brace) {
    static const char *const heads[] = {"if",     "guard", "for",    "while",
                                        "switch", "do",    "repeat", "defer"};
    uint32_t first = first_in_line(source, brace);
    bool goes_on = fix_token_is(source, first, "}") && (fix_token_is(source, first + 1, "else") ||
                                                        fix_token_is(source, first + 1, "catch"));
    static const char *const no_ends[] = {"=", "(", ",", ":"};
    return (goes_on || fix_is_one_of(fix_token_text(source, first), heads, COUNT_OF(heads))) &&
           !fix_is_one_of(fix_token_text(source, brace - 1), no_ends, COUNT_OF(no_ends));
}

/* The "in" that ends what a closure begins with; 0: it has none. */
static uint32_t head_of(const struct fix_source *source, uint32_t open) {
    uint32_t first = open + 1;
    for (uint32_t i = first; i < source->count && !fix_token_is(source, i, "{") &&
                             !fix_token_is(source, i, "}") && !fix_token_is(source, i, "for");
         i++) {
        struct loupe_span blanks;
        if (i > first && fix_begins_line(source, i, &blanks))
            return 0;
        if (fix_token_is(source, i, "in"))
            return i;
    }
    return 0;
}

static const char *problem_of_closure(const struct fix_source *source, uint32_t open,
                                      uint32_t head) {
    uint32_t close = fix_closing(source, open), uses = 0;
    for (uint32_t i = open + 1; i < head; i++) {
        if (fix_token_is(source, i, "self"))
            return "it says how it captures self";
        if (fix_token_is(source, i, "-") || fix_token_is(source, i, "@"))
            return FIX_RETURN_DECLARED;
    }
    for (uint32_t i = open + 1; i < close; i++) {
        uses += fix_token_is(source, i, "self");
        if (fix_token_is(source, i, "{") && !is_of_statement(source, i))
            return "another closure is in it";
        if (fix_token_is(source, i, "super"))
            return "it uses super";
        if (source->tokens[i].conditions)
            return "it has an #if in it";
    }
    return uses ? NULL : "it does not name self";
}

/* Where the list of captures is or is to be, and the line that ends early. */
static bool add_weak_self(struct scene *scene, uint32_t head) {
    const struct fix_source *source = &scene->file->source;
    uint32_t open = scene->closure, last = head ? head : open;
    bool has_list = fix_token_is(source, open + 1, "[") && head;
    struct loupe_span blanks;
    char text[TEXT_ROOM];
    bool is_line = fix_begins_line(source, last + 1, &blanks);
    const char *line_end = loupe_span_contains(source->text, "\r\n") ? "\r\n" : "\n";
    if (blanks.length > LONGEST_BLANKS)
        return fix_refuse_at(scene->reason, scene->file, open, FIX_LINE_TOO_FAR);
    bool done = has_list ? fix_add_text(&scene->patch, scene->arena, scene->reason,
                                        fix_token_end(source, open + 1), 0, "weak self, ")
                : head   ? fix_add_text(&scene->patch, scene->arena, scene->reason,
                                        fix_token_start(source, open + 1), 0, "[weak self] ")
                         : fix_add_text(&scene->patch, scene->arena, scene->reason,
                                        fix_token_end(source, open), 0, " [weak self] in");
    if (!is_line)
        return done && fix_add_text(&scene->patch, scene->arena, scene->reason,
                                    fix_token_start(source, last + 1), 0,
                                    "guard let self = self else { return }; ");
    loupe_format(text, sizeof(text), "%.*sguard let self = self else { return }%s",
                 (int)blanks.length, blanks.bytes, line_end);
    return done && fix_add_text(&scene->patch, scene->arena, scene->reason,
                                (size_t)(blanks.bytes - source->text.bytes), 0, text);
}

/* ---- Whether a closure gives nothing back ---- */

/* "=", "+=" and the like. */
static bool is_assignment(const struct fix_source *source, uint32_t at) {
    static const char *const compared[] = {"=", "!", "<", ">"};
    return fix_token_is(source, at, "=") && !fix_token_is(source, at + 1, "=") &&
           !fix_is_one_of(fix_token_text(source, at - 1), compared, COUNT_OF(compared));
}

/* More than one statement and no value after "return", or an assignment alone. */
static bool is_of_statements(const struct fix_source *source, uint32_t open, uint32_t head) {
    uint32_t close = fix_closing(source, open), first = (head ? head : open) + 1, lines = 0;
    bool assigns = false;
    for (uint32_t i = first; i < close; i++) {
        struct loupe_span blanks;
        bool opens = fix_token_is(source, i, "(") || fix_token_is(source, i, "[") ||
                     fix_token_is(source, i, "{");
        bool begins = fix_is_name(source, i) && fix_begins_line(source, i, &blanks);
        lines += i > first && (fix_token_is(source, i, ";") || begins);
        assigns |= is_assignment(source, i);
        if (fix_token_is(source, i, "return") && i + 1 < close &&
            !fix_begins_line(source, i + 1, &blanks) && !fix_token_is(source, i + 1, "}"))
            return false;
        i = opens && fix_closing(source, i) < close && !fix_token_is(source, i, "{")
                ? fix_closing(source, i)
                : i;
    }
    return first < close && (assigns || lines) && !fix_token_is(source, first, ".");
}

/* ---- By its place ---- */

/* Whether a brace is that of a closure: a value, an argument, or what follows a call. */
static bool is_closure(const struct fix_source *source, uint32_t brace) {
    static const char *const values[] = {"=", "(", ",", ":", "return", "["};
    static const char *const others[] = {"func",     "class",  "struct",    "enum",  "extension",
                                         "protocol", "init",   "deinit",    "get",   "set",
                                         "willSet",  "didSet", "subscript", "actor", "else",
                                         "catch",    "do",     "repeat",    "defer", "in"};
    if (fix_is_one_of(fix_token_text(source, brace - 1), values, COUNT_OF(values)))
        return true;
    if (is_of_statement(source, brace))
        return false;
    bool has_value = false, declares = false;
    for (uint32_t i = first_in_line(source, brace); i < brace; i++) {
        if (fix_is_one_of(fix_token_text(source, i), others, COUNT_OF(others)))
            return false;
        declares |= fix_token_is(source, i, "var") || fix_token_is(source, i, "let");
        has_value |= fix_token_is(source, i, "=");
    }
    return !declares || has_value;
}

static bool find_closure_in_line(struct scene *scene, uint64_t line) {
    const struct fix_source *source = &scene->file->source;
    for (uint32_t i = 1; i < source->count; i++) {
        if (!fix_token_is(source, i, "{") ||
            fix_line_of(scene->file, fix_token_start(source, i)) != line || !is_closure(source, i))
            continue;
        scene->closure = i;
        scene->closures++;
    }
    if (scene->closures == 1 && fix_closing(source, scene->closure) < source->count)
        return is_own_code(scene, scene->file, scene->closure) ||
               fix_refuse_at(scene->reason, scene->file, scene->closure,
                             "it is not in code of the class");
    return fix_refuse(scene->reason, "%s closure begins in %s:%llu",
                      scene->closures ? "more than one" : "no",
                      cli_printable(loupe_span_of(scene->file->path)), (unsigned long long)line);
}

/* Of a class whose self is captured; its sources are those that have its name. */
static bool open_place(struct scene *scene, const char *folder,
                       const struct fix_swift_property *property) {
    scene->class_name = last_name(property->held);
    if (!fix_can_be_name(scene->class_name))
        return fix_refuse(scene->reason, "%s is not a name of Swift",
                          cli_printable(property->held));
    return fix_find_swift(folder, scene->class_name, scene->arena, &scene->files, scene->reason) &&
           find_class(scene) &&
           fix_choose_file(&scene->files, property->file, &scene->file, scene->reason) &&
           fix_is_written_by_hand(scene->file, scene->reason) &&
           find_closure_in_line(scene, property->line);
}

bool fix_swift_weak_self(const char *folder, const struct fix_swift_property *property,
                         struct loupe_arena *arena, struct fix_change *ret,
                         struct fix_reason *reason) {
    struct scene scene = {.arena = arena, .reason = reason};
    bool is_placed = property->line > 0;
    if (is_placed ? !open_place(&scene, folder, property)
                  : !open_scene(&scene, folder, property) || !find_closure(&scene))
        return false;
    const struct fix_source *source = &scene.file->source;
    uint32_t head = head_of(source, scene.closure);
    const char *problem = problem_of_closure(source, scene.closure, head);
    if (!problem &&
        !(is_placed ? is_of_statements(source, scene.closure, head) : gives_nothing(&scene)))
        problem = "it is not seen to give nothing back";
    if (problem)
        return fix_refuse_at(scene.reason, scene.file, scene.closure, problem);
    scene.patch.file = scene.file;
    if (!add_weak_self(&scene, head))
        return false;
    *ret = (struct fix_change){.patches = {scene.patch},
                               .count = 1,
                               .goes_by_name = is_placed && !property->is_self,
                               .rests_on = is_placed ? "the only closure in the line of the answer"
                                                     : "the only closure that is put into it"};
    return true;
}
