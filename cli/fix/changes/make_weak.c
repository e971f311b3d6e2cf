/* Declarations of ivars and properties made weak. */
#include "fix/changes/make_weak.h"

#include "answers/json_tree.h"
#include "shared/cli.h"
#include "fix/source/classes.h"
#include "fix/source/doubts.h"
#include "fix/source/properties.h"
#include "fix/source/reasons.h"

#include <string.h>

struct scene {
    struct loupe_span ivar;
    struct fix_classes classes;
    const struct fix_file *file; /* of the declaration that was found last */
    struct fix_edit edit;
    uint32_t found;
    struct loupe_span property; /* that has the ivar; empty: it is declared itself */
    const char *doubt;          /* what tokens do not tell, and a compiler does */
    struct loupe_arena *arena;
    struct fix_reason *reason;
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Places ---- */

static bool refuse_at(struct scene *scene, const struct fix_file *file, uint32_t token,
                      const char *why) {
    return fix_refuse(scene->reason, "%s is declared at %s:%llu, and %s",
                      cli_printable(scene->ivar), cli_printable(loupe_span_of(file->path)),
                      (unsigned long long)fix_line_of(file, fix_token_start(&file->source, token)),
                      why);
}

static const char is_macro[] = FIX_IS_MACRO;
static const char may_be_macro[] = "it has a word that may be a macro";
static const char no_pointer[] = "its type is not seen to be a pointer to an object";
static const char owns_nothing[] = "it owns nothing there: the answer is of other code";
static const char no_attribute[] = FIX_ATTRIBUTE_UNKNOWN;

/* Whether a compiler would say so if it were in the way. */
static bool is_doubt(const char *problem) {
    const char *const doubts[] = {is_macro, may_be_macro, no_pointer, no_attribute};
    for (size_t i = 0; problem && i < sizeof(doubts) / sizeof(doubts[0]); i++) {
        if (strcmp(problem, doubts[i]) == 0)
            return true;
    }
    return false;
}

/* True: it can go on, with a doubt or without. */
static bool check(struct scene *scene, const struct fix_file *file, uint32_t token,
                  const char *problem) {
    if (!problem)
        return true;
    refuse_at(scene, file, token, problem);
    if (is_doubt(problem))
        scene->doubt = loupe_arena_copy_string(scene->arena, loupe_span_of(scene->reason->text));
    return is_doubt(problem) && scene->doubt;
}

static bool take_edit(struct scene *scene, const struct fix_file *file, struct fix_edit edit) {
    scene->file = file;
    scene->edit = edit;
    scene->found++;
    return true;
}

/* ---- One declaration ---- */

static const char *const qualifiers[] = {"const",     "IBOutlet",   "__kindof", "nullable",
                                         "_Nullable", "__nullable", "__strong"};
static const char *const no_objects[] = {"void",  "char", "short",  "int",    "long",
                                         "float", "bool", "double", "signed", "unsigned"};

/* What is wrong with a word of a type; NULL: nothing. */
static const char *problem_of_word(const struct fix_source *source, struct loupe_span word) {
    static const char *const nonnull[] = {"nonnull", "_Nonnull", "__nonnull"};
    if (loupe_span_equals(word, "__weak"))
        return "it is weak already";
    if (loupe_span_equals(word, "__unsafe_unretained"))
        return owns_nothing;
    if (fix_is_one_of(word, nonnull, COUNT_OF(nonnull)))
        return "it is never nil there, which a weak reference can be";
    if (fix_is_one_of(word, no_objects, COUNT_OF(no_objects)))
        return "its type is not one of objects";
    return fix_is_macro_here(source, word) ? is_macro : NULL;
}

/* Of the tokens of a type: those outside of <>, which have to be qualifiers, one name, and at most
 * one star at the end. */
struct type_shape {
    uint32_t names, stars;
    struct loupe_span name;
    bool has_more; /* a name after a star */
    const char *problem;
};

/* A doubt gives way to what is certain. */
static void take_problem(struct type_shape *shape, const char *problem) {
    if (problem && (!shape->problem || is_doubt(shape->problem)))
        shape->problem = problem;
}

static void take_mark(struct type_shape *shape, struct loupe_span mark) {
    if (loupe_span_equals(mark, "*"))
        shape->stars++;
    else if (loupe_span_equals(mark, ","))
        take_problem(shape, FIX_DECLARED_WITH_MORE);
    else
        take_problem(shape, "it is not a plain pointer to an object");
}

static void take_type_word(struct type_shape *shape, const struct fix_source *source,
                           struct loupe_span word) {
    take_problem(shape, problem_of_word(source, word));
    if (fix_is_one_of(word, qualifiers, COUNT_OF(qualifiers)))
        return;
    shape->name = word;
    shape->names++;
    shape->has_more |= shape->stars > 0;
}

/* Why the tokens before a name are no type of a plain pointer to an object; NULL: they are one. */
static const char *problem_of_type(const struct fix_source *source, uint32_t from, uint32_t to) {
    struct type_shape shape = {.names = 0};
    uint32_t depth = 0;
    for (uint32_t i = from; i < to && (!shape.problem || is_doubt(shape.problem)); i++) {
        struct loupe_span text = fix_token_text(source, i);
        bool opens = loupe_span_equals(text, "<"), closes = loupe_span_equals(text, ">");
        if (opens || closes)
            depth += opens ? 1 : -(uint32_t)(depth > 0);
        else if (depth)
            take_problem(&shape, fix_is_macro_here(source, text) ? is_macro : NULL);
        else if (source->tokens[i].kind == FIX_WORD)
            take_type_word(&shape, source, text);
        else
            take_mark(&shape, text);
    }
    if (shape.has_more)
        take_problem(&shape, "it is not a plain pointer to an object");
    if (shape.problem)
        return shape.problem;
    if (depth || shape.names != 1)
        return may_be_macro;
    if (shape.stars > 1)
        return "it is not a plain pointer to an object";
    if ((!shape.stars && !loupe_span_equals(shape.name, "id")))
        return no_pointer;
    return NULL;
}

/* ---- Ivars ---- */

static bool names_it(const struct scene *scene, const struct fix_source *source, uint32_t token) {
    return fix_is_name(source, token) &&
           json_texts_equal(fix_token_text(source, token), scene->ivar);
}

/* "X *a, *NAME, *b": the token of the name, which a star of its own stands before; 0: it is none of
 * several, or not such a one. */
static uint32_t one_of_several(const struct scene *scene, const struct fix_source *source,
                               uint32_t from, uint32_t to) {
    uint32_t star = fix_find_token(source, from, to, "*");
    uint32_t comma = fix_find_token(source, star, to, ",");
    if (comma >= to || fix_find_token(source, from, to, "__strong") < to ||
        fix_find_token(source, star, to, "<") < to || problem_of_type(source, from, star + 1))
        return 0;
    for (uint32_t i = star; i < to; i++) {
        bool ends = i + 1 == to || fix_token_is(source, i + 1, ",");
        if (ends && names_it(scene, source, i) && fix_token_is(source, i - 1, "*"))
            return i;
    }
    return 0;
}

static bool names_any(const struct scene *scene, const struct fix_source *source, uint32_t from,
                      uint32_t to) {
    bool is_named = false;
    for (uint32_t i = from; i < to; i++)
        is_named |= names_it(scene, source, i);
    return is_named;
}

static bool take_ivar(struct scene *scene, const struct fix_file *file, uint32_t from, uint32_t to,
                      bool is_inside) {
    const struct fix_source *source = &file->source;
    if (!names_any(scene, source, from, to))
        return true;
    uint32_t several = is_inside ? 0 : one_of_several(scene, source, from, to);
    const char *problem = is_inside ? "it is a member of something else there"
                          : several ? NULL
                                    : problem_of_type(source, from, to - 1);
    bool is_last = names_it(scene, source, to - 1);
    if (!problem && !several && !is_last)
        return true; /* a type of that name */
    if ((!problem || is_doubt(problem)) && fix_is_conditional(source, from, to))
        problem = "that is in an #if";
    if (!is_last && !several)
        return refuse_at(scene, file, from, problem);
    if (!check(scene, file, from, problem))
        return false;
    uint32_t strong = fix_find_token(source, from, to, "__strong");
    struct fix_edit edit = {.offset = fix_token_start(source, several ? several : from),
                            .inserted = "__weak "};
    if (strong < to) {
        edit.offset = fix_token_start(source, strong);
        edit.removed = strlen("__strong");
        edit.inserted = "__weak";
    }
    return take_edit(scene, file, edit);
}

static bool take_ivars(struct scene *scene, const struct fix_class *found) {
    static const char *const sections[] = {"@private", "@protected", "@public", "@package"};
    const struct fix_source *source = &found->file->source;
    uint32_t from = found->ivars, depth = 0;
    bool is_inside = false, done = true;
    for (uint32_t i = from; done && i < found->ivars_end; i++) {
        depth += fix_token_is(source, i, "{");
        is_inside |= depth > 0;
        depth -= depth && fix_token_is(source, i, "}");
        if (fix_is_one_of(fix_token_text(source, i), sections, COUNT_OF(sections))) {
            from = i + 1;
        } else if (fix_token_is(source, i, ";")) {
            done = i == from || take_ivar(scene, found->file, from, i, is_inside);
            from = i + 1;
            is_inside = depth > 0;
        }
    }
    return done;
}

/* ---- Properties ---- */

static bool has_ivar(const struct scene *scene, struct loupe_span property) {
    return fix_property_has_ivar(&scene->classes, property, scene->ivar);
}

static const char *problem_of_attributes(const struct fix_property *property) {
    if (property->problem && !is_doubt(property->problem))
        return property->problem;
    if (property->owning == FIX_WEAK)
        return "it is weak already";
    if (property->owning == FIX_ASSIGNS)
        return owns_nothing;
    return property->is_never_nil ? "it is never nil there, which a weak reference can be"
                                  : property->problem;
}

static void make_property_weak(struct scene *scene, const struct fix_file *file,
                               const struct fix_property *property) {
    struct fix_edit edit = {.removed = 0};
    scene->property = fix_token_text(&file->source, property->end - 1);
    if (property->ownership) {
        edit.offset = fix_token_start(&file->source, property->ownership);
        edit.removed = file->source.tokens[property->ownership].length;
        edit.inserted = "weak";
    } else if (property->close > property->open + 1) {
        edit.offset = fix_token_end(&file->source, property->close - 1);
        edit.inserted = ", weak";
    } else if (property->open) {
        edit.offset = fix_token_end(&file->source, property->open);
        edit.inserted = "weak";
    } else {
        edit.offset = fix_token_end(&file->source, property->at);
        edit.inserted = " (weak)";
    }
    take_edit(scene, file, edit);
}

static bool take_property(struct scene *scene, const struct fix_class *found, uint32_t at) {
    const struct fix_source *source = &found->file->source;
    struct fix_property property;
    bool is_named = false;
    if (!fix_read_property(source, at, found->end, &property))
        return refuse_at(scene, found->file, at, FIX_PROPERTY_UNENDED);
    for (uint32_t i = property.type; i < property.end; i++)
        is_named |= fix_is_name(source, i) && has_ivar(scene, fix_token_text(source, i));
    if (!is_named)
        return true;
    const char *problem = problem_of_type(source, property.type, property.end - 1);
    bool is_last = has_ivar(scene, fix_token_text(source, property.end - 1));
    if (!problem && !is_last)
        return true; /* a type of that name */
    const char *second = problem_of_attributes(&property);
    if (fix_find_token(source, property.type, property.end, "__strong") < property.end)
        second = "its type says how it owns";
    if (fix_is_conditional(source, at, property.end))
        second = "that is in an #if";
    if (second && (!problem || is_doubt(problem)))
        problem = second;
    if (!is_last)
        return refuse_at(scene, found->file, at, problem);
    if (!check(scene, found->file, at, problem))
        return false;
    make_property_weak(scene, found->file, &property);
    return true;
}

static bool take_properties(struct scene *scene, const struct fix_class *found) {
    bool done = true;
    for (uint32_t i = found->members; done && i < found->end; i++) {
        if (fix_token_is(&found->file->source, i, "@property"))
            done = take_property(scene, found, i);
    }
    return done;
}

/* ---- What is assigned to it ---- */

/* Whether a token of a file stands for the ivar or its property: by a dot or an arrow that of any
 * object, alone that of the class's own code. */
static bool means_it(const struct scene *scene, const struct fix_file *file, uint32_t at) {
    const struct fix_source *source = &file->source;
    bool is_own = false;
    if (at && fix_token_is(source, at - 1, "."))
        return scene->property.length &&
               json_texts_equal(fix_token_text(source, at), scene->property);
    for (uint32_t i = 0; i < scene->classes.count && !is_own; i++) {
        const struct fix_class *part = &scene->classes.items[i];
        is_own = part->file == file && at > part->members && at < part->end;
    }
    return names_it(scene, source, at) && (is_own || (at && fix_token_is(source, at - 1, ">")));
}

/* "NAME = [[X alloc] ..." or "NAME = [X new]": a new object, that nothing else keeps. */
static bool assigns_new(const struct fix_source *source, uint32_t at) {
    return fix_token_is(source, at + 1, "=") && fix_token_is(source, at + 2, "[") &&
           (fix_token_is(source, at + 4, "new") ||
            (fix_token_is(source, at + 3, "[") && fix_token_is(source, at + 5, "alloc")));
}

/* "NAME->x", which crashes where it is nil. */
static bool looks_into(const struct fix_source *source, uint32_t at) {
    return fix_token_is(source, at + 1, "-") && fix_token_is(source, at + 2, ">");
}

/* A weak reference would be nil after it. */
static bool check_assignments(struct scene *scene, const struct fix_files *files) {
    for (uint32_t i = 0; i < files->count; i++) {
        const struct fix_file *file = &files->items[i];
        for (uint32_t k = 0; k < file->source.count; k++) {
            if (looks_into(&file->source, k) && means_it(scene, file, k))
                return fix_refuse_at(scene->reason, file, k,
                                     "an ivar of it is used, which crashes where it is nil");
            if (assigns_new(&file->source, k) && means_it(scene, file, k))
                return fix_refuse(
                    scene->reason,
                    "%s:%llu puts a new object into it that nothing else keeps: "
                    "weak, it would be nil at once",
                    cli_printable(loupe_span_of(file->path)),
                    (unsigned long long)fix_line_of(file, fix_token_start(&file->source, k)));
        }
    }
    return true;
}

/* ---- The class ---- */

static bool check_class(const struct scene *scene, struct loupe_span name, const char *folder) {
    const struct fix_classes *classes = &scene->classes;
    if (!classes->interfaces && !classes->implementations)
        return fix_refuse(scene->reason, "class %s is in no source below %s", cli_printable(name),
                          cli_printable(loupe_span_of(folder)));
    if (classes->interfaces > 1 || classes->implementations > 1)
        return fix_refuse(scene->reason,
                          "class %s is declared in %u places and implemented in %u below %s: name "
                          "a smaller folder with --source",
                          cli_printable(name), (unsigned)classes->interfaces,
                          (unsigned)classes->implementations, cli_printable(loupe_span_of(folder)));
    for (uint32_t i = 0; i < classes->count; i++) {
        const struct fix_class *part = &classes->items[i];
        if (fix_releases_by_hand(&part->file->source, part->members, part->end))
            return fix_refuse(scene->reason,
                              "class %s retains and releases by itself (code without ARC)",
                              cli_printable(name));
    }
    return true;
}

static bool find_declaration(struct scene *scene, struct loupe_span name) {
    for (uint32_t i = 0; i < scene->classes.count; i++) {
        if (!take_ivars(scene, &scene->classes.items[i]) ||
            !take_properties(scene, &scene->classes.items[i]))
            return false;
    }
    if (!scene->found)
        return fix_refuse(scene->reason,
                          "no ivar or property %s is declared in class %s itself (macros, "
                          "protocols, categories and superclasses are left alone)",
                          cli_printable(scene->ivar), cli_printable(name));
    if (scene->found > 1)
        return fix_refuse(scene->reason,
                          "%s is declared in %u places of class %s, as by an ivar and a property",
                          cli_printable(scene->ivar), (unsigned)scene->found, cli_printable(name));
    return fix_is_written_by_hand(scene->file, scene->reason);
}

bool fix_make_weak(const char *folder, struct loupe_span class_name, struct loupe_span ivar,
                   struct loupe_arena *arena, struct fix_change *ret, struct fix_reason *reason) {
    struct scene scene = {.ivar = ivar, .arena = arena, .reason = reason};
    struct fix_files *files = loupe_arena_alloc(arena, sizeof(*files));
    if (!files)
        return fix_refuse(reason, "out of memory");
    if (!fix_are_names(class_name, ivar, reason))
        return false;
    if (!fix_find_sources(folder, class_name, arena, files, reason) ||
        !fix_find_class(files, class_name, arena, &scene.classes, reason) ||
        !check_class(&scene, class_name, folder) || !find_declaration(&scene, class_name) ||
        !check_assignments(&scene, files))
        return false;
    *ret =
        (struct fix_change){.patches = {{.file = scene.file}},
                            .count = 1,
                            .doubt = scene.doubt,
                            .rests_on = "the only declaration found; the file is built with ARC"};
    return fix_add_edit(&ret->patches[0], scene.edit, arena, reason);
}
