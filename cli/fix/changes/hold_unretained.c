/* Ivars of code without ARC that no longer retain. */
#include "fix/changes/hold_unretained.h"

#include "answers/json_tree.h"
#include "shared/cli.h"
#include "fix/source/blocks.h"
#include "fix/source/doubts.h"
#include "fix/source/properties.h"
#include "fix/source/reasons.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct scene {
    struct loupe_span class_name, ivar;
    struct loupe_span property; /* that has the ivar; empty: none was seen */
    struct fix_files files;
    struct fix_classes classes;
    uint32_t retains; /* that are gone */
    struct loupe_arena *arena;
    struct fix_change *change;
    struct fix_reason *reason;
};

/* Code of the class: between the braces of a method or function. */
struct body {
    const struct fix_file *file;
    uint32_t head, open, close;
};

/* One use of the ivar: "_x", "self->_x". */
struct use {
    const struct body *body;
    const struct fix_source *source;
    uint32_t start, at;
};

/* ---- Edits ---- */

static bool add_edit(struct scene *scene, const struct fix_file *file, uint32_t token,
                     struct fix_edit edit) {
    struct fix_patch *patch = fix_patch_of(scene->change, file);
    if (!patch)
        return fix_refuse(scene->reason, FIX_IN_MANY_FILES, FIX_MOST_FILES);
    if (file->source.tokens[token].conditions)
        return fix_refuse_at(scene->reason, file, token, FIX_IN_CONDITION);
    if (edit.removed && memchr(file->source.text.bytes + edit.offset, '\n', edit.removed - 1))
        return fix_refuse_at(scene->reason, file, token,
                             "what would be taken out is in more than one line");
    for (uint32_t i = 0; i < patch->count; i++) {
        if (patch->edits[i].offset == edit.offset)
            return true; /* what two uses have in common */
    }
    return fix_add_edit(patch, edit, scene->arena, scene->reason);
}

/* From the start of a token to the end of another. */
static bool replace(struct scene *scene, const struct fix_file *file, uint32_t from, uint32_t to,
                    const char *text) {
    size_t start = fix_token_start(&file->source, from);
    return add_edit(scene, file, from,
                    (struct fix_edit){.offset = start,
                                      .removed = fix_token_end(&file->source, to) - start,
                                      .inserted = text});
}

/* Takes out whole statements, with their lines where nothing else is in them but a comment. */
static bool remove_statement(struct scene *scene, const struct fix_file *file, uint32_t from,
                             uint32_t to) {
    const struct fix_source *source = &file->source;
    struct loupe_span blanks, text = source->text;
    size_t start = fix_token_start(source, from), end = fix_token_end(source, to);
    size_t next = to + 1 < source->count ? fix_token_start(source, to + 1) : text.length;
    const char *line_end = memchr(text.bytes + end, '\n', next - end);
    if (fix_begins_line(source, from, &blanks) && line_end) {
        start = (size_t)(blanks.bytes - text.bytes);
        end = (size_t)(line_end - text.bytes) + 1;
    } else if (!line_end) {
        end = next;
    } else {
        start -= blanks.length;
    }
    return add_edit(scene, file, from,
                    (struct fix_edit){.offset = start, .removed = end - start, .inserted = ""});
}

/* ---- Parts of code ---- */

static bool begins_statement(const struct fix_source *source, uint32_t token) {
    return token && (fix_token_is(source, token - 1, ";") || fix_token_is(source, token - 1, "{") ||
                     fix_token_is(source, token - 1, "}"));
}

static bool is_release(const struct fix_source *source, uint32_t token) {
    return fix_token_is(source, token, "release") || fix_token_is(source, token, "autorelease");
}

/* "[NAME retain]" from its bracket on; then its last token. */
static bool is_message(const struct fix_source *source, uint32_t open, uint32_t last_of_name,
                       const char *message) {
    return fix_token_is(source, open, "[") && fix_token_is(source, last_of_name + 1, message) &&
           fix_token_is(source, last_of_name + 2, "]");
}

/* What gives its caller an object to release, by Cocoa's names: "alloc", "newView", no "newest". */
static bool is_maker(struct loupe_span word) {
    static const char *const makers[] = {"alloc", "new", "copy", "mutableCopy"};
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
        size_t length = strlen(makers[i]);
        if (loupe_span_starts_with(word, makers[i]) &&
            (word.length == length || word.bytes[length] < 'a' || word.bytes[length] > 'z'))
            return true;
    }
    return false;
}

/* Whether a value between two tokens is a new object, which its ivar has to release. */
static bool is_new(const struct fix_source *source, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) {
        if (is_maker(fix_token_text(source, i)))
            return true;
    }
    return false;
}

/* The token that ends the value that begins at one: ";" or "," or a closing bracket. */
static uint32_t end_of_value(const struct fix_source *source, uint32_t at, uint32_t limit) {
    while (at < limit && !fix_token_is(source, at, ";") && !fix_token_is(source, at, ",") &&
           !fix_token_is(source, at, ")") && !fix_token_is(source, at, "]") &&
           !fix_token_is(source, at, "}")) {
        bool opens = fix_token_is(source, at, "[") || fix_token_is(source, at, "(") ||
                     fix_token_is(source, at, "{");
        at = opens ? fix_closing(source, at) + 1 : at + 1;
    }
    return at;
}

/* ---- Uses that retain or release ---- */

static bool assigns(const struct fix_source *source, uint32_t at) {
    return fix_token_is(source, at + 1, "=") && !fix_token_is(source, at + 2, "=");
}

static bool is_assigned_in(const struct scene *scene, const struct body *body) {
    for (uint32_t i = body->open; i < body->close; i++) {
        if (json_texts_equal(fix_token_text(&body->file->source, i), scene->ivar) &&
            assigns(&body->file->source, i))
            return true;
    }
    return false;
}

/* A retain that stands alone, in code that puts something else into the ivar. */
static bool take_retain(struct scene *scene, const struct use *use, uint32_t from, uint32_t to) {
    if (!begins_statement(use->source, from) || !fix_token_is(use->source, to + 1, ";") ||
        !is_assigned_in(scene, use->body))
        return fix_refuse_at(scene->reason, use->body->file, use->at,
                             "it is retained for something else");
    scene->retains++;
    return remove_statement(scene, use->body->file, from, to + 1);
}

/* "[_x release];", "[_x release], _x = nil;" */
static bool take_release(struct scene *scene, const struct use *use, uint32_t from, uint32_t to) {
    bool ends = fix_token_is(use->source, to + 1, ";") || fix_token_is(use->source, to + 1, ",");
    if (!begins_statement(use->source, from) || !ends)
        return fix_refuse_at(scene->reason, use->body->file, use->at,
                             "a release of it is not a statement of its own");
    return remove_statement(scene, use->body->file, from, to + 1);
}

/* "[_x retain]" and the like. */
static bool take_message(struct scene *scene, const struct use *use) {
    uint32_t open = use->start - 1, close = use->at + 2;
    if (is_release(use->source, use->at + 1))
        return take_release(scene, use, open, close);
    bool is_balanced = fix_token_is(use->source, open - 1, "[") &&
                       fix_token_is(use->source, close + 1, "autorelease");
    return is_balanced || take_retain(scene, use, open, close);
}

static bool may_be_macro(const struct fix_source *source, uint32_t token) {
    struct loupe_span word = fix_token_text(source, token);
    bool has_letter = false, is_small = false;
    for (size_t i = 0; i < word.length; i++) {
        has_letter |= word.bytes[i] >= 'A' && word.bytes[i] <= 'Z';
        is_small |= word.bytes[i] >= 'a' && word.bytes[i] <= 'z';
    }
    return fix_is_name(source, token) &&
           ((has_letter && !is_small) || fix_is_macro_here(source, word));
}

/* "ASSIGN(_x, value);" becomes a plain assignment. */
static bool take_assign(struct scene *scene, const struct use *use) {
    const struct fix_file *file = use->body->file;
    uint32_t word = use->start - 2, comma = use->at + 1, close = fix_closing(use->source, word + 1);
    if (is_new(use->source, comma, close))
        return fix_refuse_at(scene->reason, file, use->at, "a new object is put into it");
    scene->retains++;
    struct fix_edit equals = {.offset = fix_token_start(use->source, comma),
                              .removed = fix_token_start(use->source, comma + 1) -
                                         fix_token_start(use->source, comma),
                              .inserted = " = "};
    return replace(scene, file, word, word + 1, "") && add_edit(scene, file, comma, equals) &&
           replace(scene, file, close, close, "");
}

/* GNUstep's macros: "RELEASE(_x);", "DESTROY(_x);", "RETAIN(_x);". */
static bool take_macro(struct scene *scene, const struct use *use) {
    static const char *const releases[] = {"RELEASE", "TEST_RELEASE", "AUTORELEASE",
                                           "TEST_AUTORELEASE"};
    static const char *const retains[] = {"RETAIN", "TEST_RETAIN"};
    const struct fix_source *source = use->source;
    uint32_t word = use->start - 2, close = use->at + 1;
    struct loupe_span name = fix_token_text(source, word);
    if (loupe_span_equals(name, "ASSIGN") && fix_token_is(source, close, ","))
        return take_assign(scene, use);
    bool is_alone = fix_token_is(source, close, ")");
    if (is_alone && loupe_span_equals(name, "DESTROY"))
        return replace(scene, use->body->file, word, use->start - 1, "") &&
               replace(scene, use->body->file, close, close, " = nil");
    if (is_alone && fix_is_one_of(name, releases, COUNT_OF(releases)))
        return take_release(scene, use, word, close);
    bool is_balanced =
        fix_token_is(source, word - 1, "(") && fix_token_is(source, word - 2, "AUTORELEASE");
    if (is_alone && fix_is_one_of(name, retains, COUNT_OF(retains)))
        return is_balanced || take_retain(scene, use, word, close);
    return fix_refuse_at(scene->reason, use->body->file, use->at,
                         "it is used by what may be a macro");
}

/* ---- What is put into it ---- */

/* "x = [[X alloc] init];" before "_x = x;". */
static bool is_made_here(const struct use *use, uint32_t value) {
    const struct fix_source *source = use->source;
    for (uint32_t i = use->body->open; i < use->at; i++) {
        if (json_texts_equal(fix_token_text(source, i), fix_token_text(source, value)) &&
            assigns(source, i) &&
            is_new(source, i + 2, end_of_value(source, i + 2, use->body->close)))
            return true;
    }
    return false;
}

/* "[x retain];" or "RETAIN(x);" beside "_x = x;", which then goes. */
static bool take_retain_of_value(struct scene *scene, const struct use *use, uint32_t value) {
    const struct fix_source *source = use->source;
    if (is_made_here(use, value))
        return fix_refuse_at(scene->reason, use->body->file, use->at,
                             "a new object is put into it");
    for (uint32_t i = use->body->open; i < use->body->close; i++) {
        bool is_it = json_texts_equal(fix_token_text(source, i), fix_token_text(source, value));
        bool by_message = is_it && is_message(source, i - 1, i, "retain");
        bool by_macro =
            is_it &&
            (fix_token_is(source, i - 2, "RETAIN") || fix_token_is(source, i - 2, "TEST_RETAIN")) &&
            fix_token_is(source, i - 1, "(") && fix_token_is(source, i + 1, ")");
        uint32_t from = by_macro ? i - 2 : i - 1, to = by_macro ? i + 1 : i + 2;
        if ((!by_message && !by_macro) || !begins_statement(source, from) ||
            !fix_token_is(source, to + 1, ";"))
            continue;
        scene->retains++;
        return remove_statement(scene, use->body->file, from, to + 1);
    }
    return true;
}

/* Whether some part of a value is retained; what is autoreleased is not. */
static bool retains_within(const struct fix_source *source, uint32_t from, uint32_t to) {
    static const char *const retains[] = {"retain", "RETAIN", "TEST_RETAIN"};
    bool retained = false;
    for (uint32_t i = from; i < to; i++) {
        if (fix_token_is(source, i, "autorelease") || fix_token_is(source, i, "AUTORELEASE"))
            return false;
        retained |= fix_is_one_of(fix_token_text(source, i), retains, COUNT_OF(retains));
    }
    return retained;
}

/* "_x = [value retain]", "_x = RETAIN(value)", "_x = value". */
static bool take_assignment(struct scene *scene, const struct use *use) {
    const struct fix_source *source = use->source;
    const struct fix_file *file = use->body->file;
    uint32_t value = use->at + 2, end = end_of_value(source, value, use->body->close);
    if (end == value || fix_token_is(source, use->start - 1, "="))
        return fix_refuse_at(scene->reason, file, use->at, FIX_VALUE_UNCLEAR);
    if (is_new(source, value, end))
        return fix_refuse_at(scene->reason, file, use->at, "a new object is put into it");
    if (fix_token_is(source, value, "[") && fix_closing(source, value) + 1 == end &&
        fix_token_is(source, end - 2, "retain")) {
        size_t behind = fix_token_end(source, end - 3);
        struct fix_edit tail = {
            .offset = behind, .removed = fix_token_end(source, end - 1) - behind, .inserted = ""};
        scene->retains++;
        return replace(scene, file, value, value, "") && add_edit(scene, file, end - 2, tail);
    }
    if (fix_token_is(source, value, "RETAIN") && fix_closing(source, value + 1) + 1 == end) {
        scene->retains++;
        return replace(scene, file, value, value + 1, "") &&
               replace(scene, file, end - 1, end - 1, "");
    }
    if (end == value + 1 && fix_is_name(source, value))
        return take_retain_of_value(scene, use, value);
    return !retains_within(source, value, end) ||
           fix_refuse_at(scene->reason, file, use->at, FIX_VALUE_UNCLEAR);
}

/* "old = _x;" with "[old release];" further on. */
static bool is_released_as_another(const struct use *use) {
    const struct fix_source *source = use->source;
    uint32_t name = use->start - 2;
    if (!fix_token_is(source, use->start - 1, "=") || !fix_is_name(source, name) ||
        !fix_token_is(source, use->at + 1, ";"))
        return false;
    for (uint32_t i = use->at; i < use->body->close; i++) {
        if (json_texts_equal(fix_token_text(source, i), fix_token_text(source, name)) &&
            (is_release(source, i + 1) || fix_token_is(source, i - 1, "(")))
            return true;
    }
    return false;
}

static bool take_use(struct scene *scene, const struct use *use) {
    const struct fix_source *source = use->source;
    uint32_t before = use->start - 1;
    if (fix_token_is(source, before, "&") && !fix_token_is(source, before - 1, "&"))
        return fix_refuse_at(scene->reason, use->body->file, use->at, "its address is taken");
    if (is_released_as_another(use))
        return fix_refuse_at(scene->reason, use->body->file, use->at,
                             "its old value is released later on");
    if (fix_token_is(source, before, "[") &&
        (is_release(source, use->at + 1) || fix_token_is(source, use->at + 1, "retain")))
        return take_message(scene, use);
    if (fix_token_is(source, before, "(") && may_be_macro(source, before - 1))
        return take_macro(scene, use);
    return !assigns(source, use->at) || take_assignment(scene, use);
}

/* ---- The code of the class ---- */

/* Of another object, "x->_x": whether it is assigned, retained, released or given to a macro. */
static bool is_changed_there(const struct fix_source *source, uint32_t token) {
    uint32_t before = token - 4;
    bool in_macro =
        token > 5 && fix_token_is(source, before, "(") && may_be_macro(source, before - 1);
    return assigns(source, token) || is_release(source, token + 1) ||
           fix_token_is(source, token + 1, "retain") || in_macro;
}

/* "*_x", "id _x": another variable of that name. */
static bool is_declared_anew(const struct fix_source *source, uint32_t token) {
    static const char *const statements[] = {"return", "in", "else", "do"};
    struct loupe_span before = fix_token_text(source, token - 1);
    return loupe_span_equals(before, "*") ||
           (fix_is_name(source, token - 1) &&
            !fix_is_one_of(before, statements, COUNT_OF(statements)));
}

/* "self.x release]" or "[self x] release]": what a getter gave is not what was retained. */
static bool is_released_by_property(const struct scene *scene, const struct fix_source *source,
                                    uint32_t token) {
    if (!scene->property.length ||
        !json_texts_equal(fix_token_text(source, token), scene->property))
        return false;
    bool is_message =
        fix_token_is(source, token - 1, "self") && fix_token_is(source, token + 1, "]");
    uint32_t next = token + 1 + is_message;
    return (is_message || fix_token_is(source, token - 1, ".")) &&
           (is_release(source, next) || fix_token_is(source, next, "retain"));
}

/* A part of a method's name, "parent" of "- (id)parent {" or "setParent:", in its header. */
static bool is_selector(const struct body *body, uint32_t token) {
    const struct fix_source *source = &body->file->source;
    uint32_t type = fix_find_token(source, body->head, token, "(");
    return token < body->open && (fix_token_is(source, token + 1, ":") ||
                                  (type < token && fix_closing(source, type) + 1 == token));
}

/* Whether a name is declared before it, as "CLASS *name" or "(CLASS *)name" of the ivar's class. */
static bool is_of_class(const struct scene *scene, const struct body *body, uint32_t name) {
    const struct fix_source *source = &body->file->source;
    if (!fix_is_name(source, name) || fix_token_is(source, name - 1, ".") ||
        fix_token_is(source, name - 1, ">"))
        return false;
    for (uint32_t i = body->head + 3; i < name; i++) {
        uint32_t star = i - 1 - fix_token_is(source, i - 1, ")");
        if (json_texts_equal(fix_token_text(source, i), fix_token_text(source, name)) &&
            fix_token_is(source, star, "*"))
            return json_texts_equal(fix_token_text(source, star - 1), scene->class_name);
    }
    return false;
}

static bool take_body(struct scene *scene, const struct body *body) {
    const struct fix_source *source = &body->file->source;
    for (uint32_t i = body->head; i < body->close; i++) {
        if (is_released_by_property(scene, source, i))
            return fix_refuse_at(scene->reason, body->file, i,
                                 "it is retained or released by its getter");
        if (!fix_is_name(source, i) || !json_texts_equal(fix_token_text(source, i), scene->ivar) ||
            fix_token_is(source, i - 1, ".") || is_selector(body, i))
            continue;
        bool by_arrow = fix_token_is(source, i - 1, ">") && fix_token_is(source, i - 2, "-");
        bool is_own =
            !by_arrow || fix_token_is(source, i - 3, "self") || is_of_class(scene, body, i - 3);
        if (!by_arrow && (i < body->open || is_declared_anew(source, i)))
            return fix_refuse_at(scene->reason, body->file, i, FIX_NAME_SHADOWED);
        struct use use = {.body = body, .source = source, .start = by_arrow ? i - 3 : i, .at = i};
        if (!is_own && is_changed_there(source, i))
            return fix_refuse_at(scene->reason, body->file, i, "that of another object is changed");
        if (is_own && !take_use(scene, &use))
            return false;
    }
    return true;
}

/* Where the methods of an @implementation begin, behind its ivars. */
static uint32_t first_member(const struct fix_source *source, uint32_t at, uint32_t end) {
    for (uint32_t i = at; i < end && !fix_token_is(source, i, "-") &&
                          !fix_token_is(source, i, "+") && !fix_token_is(source, i, ";");
         i++) {
        if (fix_token_is(source, i, "{"))
            return fix_closing(source, i) + 1;
    }
    return at;
}

static bool take_implementation(struct scene *scene, const struct fix_file *file, uint32_t at,
                                uint32_t end) {
    const struct fix_source *source = &file->source;
    struct body body = {.file = file, .head = first_member(source, at, end)};
    for (uint32_t i = body.head; i < end; i++) {
        if (fix_token_is(source, i, ";"))
            body.head = i;
        if (!fix_token_is(source, i, "{"))
            continue;
        body.open = i;
        body.close = fix_closing(source, i);
        if (!take_body(scene, &body))
            return false;
        i = body.head = body.close;
    }
    return true;
}

/* "x->_x = ..." of code that is not the class's. */
static bool is_changed_from_outside(const struct scene *scene, const struct fix_source *source,
                                    uint32_t token) {
    return json_texts_equal(fix_token_text(source, token), scene->ivar) &&
           fix_token_is(source, token - 1, ">") && is_changed_there(source, token);
}

/* Its @implementation and those of its categories, and the code around them. */
static bool take_file(struct scene *scene, const struct fix_file *file) {
    const struct fix_source *source = &file->source;
    for (uint32_t i = 0; i < source->count; i++) {
        if (i && is_changed_from_outside(scene, source, i))
            return fix_refuse_at(scene->reason, file, i, "code outside of its class changes it");
        if (!fix_token_is(source, i, "@implementation") ||
            !json_texts_equal(fix_token_text(source, i + 1), scene->class_name))
            continue;
        uint32_t end = fix_find_token(source, i, source->count, "@end");
        if (!take_implementation(scene, file, i + 2, end))
            return false;
        i = end;
    }
    return true;
}

/* ---- Its property ---- */

static const char *problem_of(const struct fix_property *property) {
    if (property->problem)
        return property->problem;
    if (property->owning == FIX_COPIES)
        return "its property copies: what it has is its own";
    return property->owning == FIX_WEAK ? "its property is weak already" : NULL;
}

static bool take_property(struct scene *scene, const struct fix_class *part, uint32_t at) {
    const struct fix_file *file = part->file;
    struct fix_property property;
    if (!fix_read_property(&file->source, at, part->end, &property))
        return fix_refuse_at(scene->reason, file, at, FIX_PROPERTY_UNENDED);
    struct loupe_span name = fix_token_text(&file->source, property.end - 1);
    if (!fix_property_has_ivar(&scene->classes, name, scene->ivar))
        return true;
    const char *problem = problem_of(&property);
    if (problem)
        return fix_refuse_at(scene->reason, file, at, problem);
    scene->property = name;
    if (property.owning != FIX_RETAINS)
        return true;
    scene->retains++;
    return replace(scene, file, property.ownership, property.ownership, "assign");
}

static bool take_properties(struct scene *scene) {
    for (uint32_t i = 0; i < scene->classes.count; i++) {
        const struct fix_class *part = &scene->classes.items[i];
        for (uint32_t k = part->members; k < part->end; k++) {
            if (fix_token_is(&part->file->source, k, "@property") && !take_property(scene, part, k))
                return false;
        }
    }
    return true;
}

/* ---- The whole ---- */

static int compare_edits(const void *a, const void *b) {
    size_t left = ((const struct fix_edit *)a)->offset,
           right = ((const struct fix_edit *)b)->offset;
    return (left > right) - (left < right);
}

static bool finish(struct scene *scene) {
    for (uint32_t i = 0; i < scene->change->count; i++) {
        struct fix_patch *patch = &scene->change->patches[i];
        if (!fix_is_written_by_hand(patch->file, scene->reason))
            return false;
        qsort(patch->edits, patch->count, sizeof(*patch->edits), compare_edits);
    }
    return true;
}

static bool check_classes(const struct scene *scene, const char *folder) {
    const struct fix_classes *classes = &scene->classes;
    if (classes->implementations == 1 && classes->interfaces <= 1)
        return true;
    return fix_refuse(scene->reason,
                      "class %s is declared in %u places and implemented in %u below %s: name the "
                      "folder with --source that has it once",
                      cli_printable(scene->class_name), (unsigned)classes->interfaces,
                      (unsigned)classes->implementations, cli_printable(loupe_span_of(folder)));
}

bool fix_hold_unretained(const char *folder, struct loupe_span class_name, struct loupe_span ivar,
                         struct loupe_arena *arena, struct fix_change *ret,
                         struct fix_reason *reason) {
    struct scene *scene = loupe_arena_alloc(arena, sizeof(*scene));
    if (!scene)
        return fix_refuse(reason, "out of memory");
    *scene = (struct scene){
        .class_name = class_name, .ivar = ivar, .arena = arena, .change = ret, .reason = reason};
    *ret = (struct fix_change){
        .rests_on = "the first of all places found that retain or release it; the class is built "
                    "without ARC; it is not cleared when what it points to is freed"};
    if (!fix_are_names(class_name, ivar, reason))
        return false;
    if (!fix_find_sources(folder, class_name, arena, &scene->files, reason) ||
        !fix_find_class(&scene->files, class_name, arena, &scene->classes, reason) ||
        !check_classes(scene, folder) || !take_properties(scene))
        return false;
    for (uint32_t i = 0; i < scene->files.count; i++) {
        if (!take_file(scene, &scene->files.items[i]))
            return false;
    }
    if (!scene->retains)
        return fix_refuse(reason, "no place is found where class %s retains %s",
                          cli_printable(class_name), cli_printable(ivar));
    return finish(scene);
}
