/* std::shared_ptr that becomes std::weak_ptr. */
#include "fix/changes/weak_ptr.h"

#include "answers/json_tree.h"
#include "shared/cli.h"
#include "fix/source/blocks.h"
#include "fix/source/cxx_code.h"
#include "fix/source/doubts.h"
#include "fix/source/reasons.h"
#include "text/native_text.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_ROOM = 1024, LONGEST_NAME = 200, LONGEST_BLANKS = 200 };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct scene {
    struct loupe_span owner, held, full, member; /* full: of what is held, with namespaces */
    struct fix_files files;
    const struct fix_file *declared; /* where the member or lambda is */
    uint32_t token, found;           /* "shared_ptr"; the "[" of the lambda */
    bool is_ambiguous;               /* another class has a member of that name */
    struct loupe_arena *arena;
    struct fix_change *change;
    struct fix_reason *reason;
};

/* ---- Edits ---- */

static bool edit(struct scene *scene, const struct fix_file *file, uint32_t token,
                 struct fix_edit edit) {
    struct fix_patch *patch = fix_patch_of(scene->change, file);
    edit.inserted = loupe_arena_copy_string(scene->arena, loupe_span_of(edit.inserted));
    if (!edit.inserted)
        return fix_refuse(scene->reason, "out of memory");
    if (!patch)
        return fix_refuse(scene->reason, FIX_IN_MANY_FILES, FIX_MOST_FILES);
    if (file->source.tokens[token].conditions)
        return fix_refuse_at(scene->reason, file, token, FIX_IN_CONDITION);
    if (!fix_is_written_by_hand(file, scene->reason))
        return false;
    return fix_add_edit(patch, edit, scene->arena, scene->reason);
}

static bool replace(struct scene *scene, const struct fix_file *file, uint32_t token,
                    const char *text) {
    const struct fix_token *at = &file->source.tokens[token];
    return edit(scene, file, token,
                (struct fix_edit){.offset = at->offset, .removed = at->length, .inserted = text});
}

static bool insert_behind(struct scene *scene, const struct fix_file *file, uint32_t token,
                          const char *text) {
    const struct fix_token *at = &file->source.tokens[token];
    return edit(scene, file, token,
                (struct fix_edit){.offset = at->offset + at->length, .inserted = text});
}

static int compare_edits(const void *a, const void *b) {
    size_t left = ((const struct fix_edit *)a)->offset,
           right = ((const struct fix_edit *)b)->offset;
    return (left > right) - (left < right);
}

static void sort_edits(struct fix_change *change) {
    for (uint32_t i = 0; i < change->count; i++)
        qsort(change->patches[i].edits, change->patches[i].count, sizeof(struct fix_edit),
              compare_edits);
}

static bool is_name(const struct fix_source *source, uint32_t token, struct loupe_span name) {
    return fix_is_name(source, token) && json_texts_equal(fix_token_text(source, token), name);
}

/* ---- The member ---- */

/* "shared_ptr<app::Held> name;" from its first word on; then the name. 0: it is none. */
static uint32_t member_at(const struct scene *scene, const struct fix_source *source, uint32_t at) {
    uint32_t end = at + 2;
    if (!fix_token_is(source, at, "shared_ptr") || !fix_token_is(source, at + 1, "<"))
        return 0;
    while (fix_is_name(source, end) && fix_token_is(source, end + 1, ":"))
        end += 3;
    bool is_it = is_name(source, end, scene->held) && fix_token_is(source, end + 1, ">") &&
                 fix_is_name(source, end + 2);
    return is_it ? end + 2 : 0;
}

static bool find_member(struct scene *scene, const struct fix_file *file, uint32_t open) {
    const struct fix_source *source = &file->source;
    uint32_t close = fix_closing(source, open);
    for (uint32_t i = open + 1; i < close; i++) {
        uint32_t name = member_at(scene, source, i);
        if (fix_token_is(source, i, "{") || fix_token_is(source, i, "("))
            i = fix_closing(source, i);
        if (!name)
            continue;
        if (!fix_token_is(source, name + 1, ";"))
            return fix_refuse_at(scene->reason, file, name,
                                 "it is declared with more than its name");
        scene->declared = file;
        scene->token = i;
        scene->member = fix_token_text(source, name);
        scene->found++;
    }
    return true;
}

static bool find_members(struct scene *scene) {
    uint32_t classes = 0;
    for (uint32_t i = 0; i < scene->files.count; i++) {
        const struct fix_file *file = &scene->files.items[i];
        for (uint32_t k = 0; k < file->source.count; k++) {
            uint32_t open = fix_cxx_class(&file->source, k, scene->owner);
            if (!open)
                continue;
            classes++;
            if (!find_member(scene, file, open))
                return false;
        }
    }
    if (classes == 1 && scene->found == 1)
        return true;
    return fix_refuse(scene->reason,
                      classes != 1 ? "class %s is not declared exactly once below the folder"
                                   : "class %s has not exactly one std::shared_ptr to a class of "
                                     "that name",
                      cli_printable(scene->owner));
}

/* ---- Its uses ---- */

/* Whether a name is that of the member: behind a dot or an arrow, or alone in code of the class. */
static bool means_member(const struct scene *scene, const struct fix_source *source, uint32_t at) {
    bool by_dot = fix_token_is(source, at - 1, ".");
    bool by_arrow = fix_token_is(source, at - 1, ">") && fix_token_is(source, at - 2, "-");
    return by_dot || by_arrow || fix_is_in_cxx_class(source, at, scene->owner);
}

static bool is_made_anew(const struct fix_source *source, uint32_t at) {
    static const char *const makers[] = {"make_shared", "new", "allocate_shared", "nullptr",
                                         "move"};
    for (; at < source->count && !fix_token_is(source, at, ";"); at++) {
        if (fix_is_one_of(fix_token_text(source, at), makers, COUNT_OF(makers)))
            return true;
    }
    return false;
}

/* "X name", "X *name", "X<Y> name". */
static bool is_declared_anew(const struct fix_source *source, uint32_t at) {
    uint32_t before = at - 1 - fix_token_is(source, at - 1, "*");
    bool follows_type = fix_token_is(source, before, ">") && !fix_token_is(source, before - 1, "-");
    return follows_type || (fix_is_name(source, before) && !fix_token_is(source, before, "return"));
}

static const char *problem_of_use(const struct fix_source *source, uint32_t at) {
    static const char *const refused[] = {"swap", "use_count", "owner_before"};
    bool is_set = fix_token_is(source, at + 1, "=") && !fix_token_is(source, at + 2, "=");
    if (is_set && is_made_anew(source, at + 2))
        return FIX_VALUE_UNOWNED;
    if (fix_token_is(source, at - 1, "&") || fix_token_is(source, at - 1, "[") ||
        fix_token_is(source, at + 1, "]"))
        return "it is referred to, or captured";
    if (is_declared_anew(source, at))
        return FIX_NAME_SHADOWED;
    if (fix_token_is(source, at - 2, "move"))
        return "it is moved";
    return fix_token_is(source, at + 1, ".") &&
                   fix_is_one_of(fix_token_text(source, at + 2), refused, COUNT_OF(refused))
               ? "a weak_ptr does not do that"
               : NULL;
}

/* What a weak_ptr does too: it is assigned, cleared, made by a constructor. */
static bool is_same_use(const struct fix_source *source, uint32_t at) {
    bool is_set = fix_token_is(source, at + 1, "=") && !fix_token_is(source, at + 2, "=");
    bool is_made = (fix_token_is(source, at + 1, "(") || fix_token_is(source, at + 1, "{")) &&
                   (fix_token_is(source, at - 1, ":") || fix_token_is(source, at - 1, ","));
    return is_set || is_made ||
           (fix_token_is(source, at + 1, ".") &&
            (fix_token_is(source, at + 2, "reset") || fix_token_is(source, at + 2, "expired")));
}

/* Whether another class of these sources has a member of that name. */
static bool have_others(const struct scene *scene, const struct fix_files *uses) {
    uint32_t members = 0;
    for (uint32_t i = 0; i < uses->count; i++) {
        const struct fix_source *source = &uses->items[i].source;
        for (uint32_t k = 1; k + 1 < source->count; k++)
            members += is_name(source, k, scene->member) && fix_is_cxx_member(source, k);
    }
    return members != 1;
}

/* Behind a dot or an arrow of something else than this: that of any class. */
static bool is_of_any(const struct fix_source *source, uint32_t at) {
    bool by_arrow = fix_token_is(source, at - 1, ">") && fix_token_is(source, at - 2, "-");
    return fix_token_is(source, at - 1, ".") || (by_arrow && !fix_token_is(source, at - 3, "this"));
}

static bool take_uses(struct scene *scene, const struct fix_file *file) {
    const struct fix_source *source = &file->source;
    uint32_t declared = scene->declared && strcmp(scene->declared->path, file->path) == 0
                            ? member_at(scene, source, scene->token)
                            : 0;
    for (uint32_t i = 2; i + 2 < source->count; i++) {
        if (i == declared || !is_name(source, i, scene->member) || !means_member(scene, source, i))
            continue;
        const char *problem = problem_of_use(source, i);
        if (problem)
            return fix_refuse_at(scene->reason, file, i, problem);
        if (is_same_use(source, i))
            continue;
        if (scene->is_ambiguous && is_of_any(source, i))
            return fix_refuse_at(scene->reason, file, i,
                                 "another class has a member of that name too");
        if (!insert_behind(scene, file, i, ".lock()"))
            return false;
    }
    return !declared || replace(scene, file, scene->token, "weak_ptr");
}

bool fix_member_to_weak_ptr(const char *folder, const struct fix_shared *shared,
                            struct loupe_arena *arena, struct fix_change *ret,
                            struct fix_reason *reason) {
    struct scene *scene = loupe_arena_alloc(arena, sizeof(*scene));
    struct fix_files uses;
    if (!scene)
        return fix_refuse(reason, "out of memory");
    *scene = (struct scene){.owner = fix_cxx_last_name(shared->owner),
                            .held = fix_cxx_last_name(shared->held),
                            .arena = arena,
                            .change = ret,
                            .reason = reason};
    *ret = (struct fix_change){
        .goes_by_name = true,
        .rests_on = "the first place of the only such member, and of all its uses seen; somebody "
                    "else owns what it points to as long as it is used"};
    if (!fix_can_be_name(scene->owner) || !fix_can_be_name(scene->held))
        return fix_refuse(reason, "neither %s nor %s is the name of a class",
                          cli_printable(words_class_name(shared->owner)),
                          cli_printable(shared->held));
    if (!fix_find_sources(folder, scene->owner, arena, &scene->files, reason) ||
        !find_members(scene) || !fix_find_sources(folder, scene->member, arena, &uses, reason))
        return false;
    scene->is_ambiguous = have_others(scene, &uses);
    for (uint32_t i = 0; i < uses.count; i++) {
        if (!take_uses(scene, &uses.items[i]))
            return false;
    }
    sort_edits(ret);
    return true;
}

/* ---- Lambdas ---- */

/* "auto name = shared_from_this()", "std::shared_ptr<Held> name", "auto name =
 * std::make_shared<Held>", before a lambda in its function. */
static bool is_shared(const struct scene *scene, const struct fix_source *source, uint32_t open,
                      uint32_t lambda, struct loupe_span name) {
    uint32_t head = open; /* with the arguments */
    while (head && !fix_token_is(source, head - 1, ";") && !fix_token_is(source, head - 1, "}"))
        head--;
    for (uint32_t i = head; i < lambda; i++) {
        if (!is_name(source, i, name))
            continue;
        uint32_t before = i - 1 - fix_token_is(source, i - 1, "&");
        if (fix_token_is(source, before, ">") && is_name(source, before - 1, scene->held))
            return true;
        for (uint32_t k = i;
             fix_token_is(source, i - 1, "auto") && k < lambda && !fix_token_is(source, k, ";");
             k++) {
            bool is_made =
                fix_token_is(source, k, "make_shared") && is_name(source, k + 2, scene->held);
            if (is_made || fix_token_is(source, k, "shared_from_this"))
                return true;
        }
    }
    return false;
}

/* A capture by its name alone; 0: none is a shared_ptr to it. */
static uint32_t capture_of(const struct scene *scene, const struct fix_source *source,
                           uint32_t open, uint32_t lambda) {
    uint32_t close = fix_closing(source, lambda);
    for (uint32_t i = lambda + 1; i < close; i++) {
        bool is_plain = fix_is_name(source, i) && !fix_token_is(source, i, "this") &&
                        (fix_token_is(source, i + 1, ",") || i + 1 == close) &&
                        (fix_token_is(source, i - 1, ",") || i == lambda + 1);
        if (is_plain && is_shared(scene, source, open, lambda, fix_token_text(source, i)))
            return i;
    }
    return 0;
}

static void find_lambdas(struct scene *scene, const struct fix_file *file,
                         struct loupe_span function) {
    const struct fix_source *source = &file->source;
    for (uint32_t i = 1; i < source->count; i++) {
        uint32_t open = fix_cxx_function(source, i, function);
        uint32_t close = open ? fix_closing(source, open) : 0;
        for (uint32_t k = open; k < close; k++) {
            if (!fix_begins_lambda(source, k) || !capture_of(scene, source, open, k))
                continue;
            scene->declared = file;
            scene->token = capture_of(scene, source, open, k);
            scene->found++;
        }
        i = open ? close : i;
    }
}

static const char *problem_of_lambda(const struct fix_source *source, uint32_t head,
                                     uint32_t body) {
    uint32_t close = fix_closing(source, body);
    for (uint32_t i = head; i < body; i++) {
        if (fix_token_is(source, i, ">"))
            return FIX_RETURN_DECLARED;
    }
    for (uint32_t i = body + 1; i < close; i++) {
        if (fix_token_is(source, i, "return") && !fix_token_is(source, i + 1, ";"))
            return "it gives a value back";
        if (fix_begins_lambda(source, i))
            return "another lambda is in it";
    }
    return close < source->count ? NULL : "it has no end";
}

static bool add_lock(struct scene *scene, uint32_t body, const char *name, const char *weak) {
    const struct fix_file *file = scene->declared;
    const struct fix_source *source = &file->source;
    const char *end = loupe_span_contains(source->text, "\r\n") ? "\r\n" : "\n";
    char text[TEXT_ROOM];
    struct loupe_span blanks;
    if (!fix_begins_line(source, body + 1, &blanks)) {
        loupe_format(text, sizeof(text), " auto %s = %s.lock(); if (!%s) return;", name, weak,
                     name);
        return insert_behind(scene, file, body, text);
    }
    if (blanks.length > LONGEST_BLANKS)
        return fix_refuse_at(scene->reason, file, body, FIX_LINE_TOO_FAR);
    int width = (int)blanks.length;
    loupe_format(text, sizeof(text), "%.*sauto %s = %s.lock();%s%.*sif (!%s)%s%.*s    return;%s",
                 width, blanks.bytes, name, weak, end, width, blanks.bytes, name, end, width,
                 blanks.bytes, end);
    return edit(
        scene, file, body,
        (struct fix_edit){.offset = (size_t)(blanks.bytes - source->text.bytes), .inserted = text});
}

static bool change_lambda(struct scene *scene) {
    const struct fix_source *source = &scene->declared->source;
    struct loupe_span captured = fix_token_text(source, scene->token);
    uint32_t body = scene->token, end = scene->token;
    char name[LONGEST_NAME + 1], weak[LONGEST_NAME + 8], capture[TEXT_ROOM];
    while (!fix_token_is(source, end, "]"))
        end++;
    for (body = end; body < source->count && !fix_token_is(source, body, "{");)
        body++;
    const char *problem = problem_of_lambda(source, end, body);
    if (problem || captured.length > LONGEST_NAME)
        return fix_refuse_at(scene->reason, scene->declared, scene->token,
                             problem ? problem : "a long name");
    loupe_format(name, sizeof(name), "%.*s", (int)captured.length, captured.bytes);
    char first = (char)(name[0] >= 'a' && name[0] <= 'z' ? name[0] - 'a' + 'A' : name[0]);
    loupe_format(weak, sizeof(weak), "weak%c%s", first, name + 1);
    for (uint32_t i = 0; i < source->count; i++) {
        if (fix_token_is(source, i, weak))
            return fix_refuse_at(scene->reason, scene->declared, i,
                                 "the file has a name like that already");
    }
    loupe_format(capture, sizeof(capture), "%s = std::weak_ptr<%.*s>(%s)", weak,
                 (int)scene->full.length, scene->full.bytes, name);
    return replace(scene, scene->declared, scene->token, capture) &&
           add_lock(scene, body, name, weak);
}

bool fix_capture_weak_ptr(const char *folder, const struct fix_shared *shared,
                          struct loupe_arena *arena, struct fix_change *ret,
                          struct fix_reason *reason) {
    struct scene *scene = loupe_arena_alloc(arena, sizeof(*scene));
    struct loupe_span function = fix_cxx_function_of_lambda(shared->owner);
    if (!scene)
        return fix_refuse(reason, "out of memory");
    *scene = (struct scene){.held = fix_cxx_last_name(shared->held),
                            .full = fix_cxx_full_name(shared->held),
                            .arena = arena,
                            .change = ret,
                            .reason = reason};
    *ret = (struct fix_change){.goes_by_name = true,
                               .rests_on = "the only lambda of that function which captures it; "
                                           "somebody else owns it as long as it is needed"};
    if (!fix_can_be_name(function) || !fix_can_be_name(scene->held) || !scene->full.length ||
        scene->full.length > LONGEST_NAME)
        return fix_refuse(reason, "%s is not a lambda in a function",
                          cli_printable(words_class_name(shared->owner)));
    if (!fix_find_sources(folder, function, arena, &scene->files, reason))
        return false;
    for (uint32_t i = 0; i < scene->files.count; i++)
        find_lambdas(scene, &scene->files.items[i], function);
    if (scene->found != 1)
        return fix_refuse(reason,
                          scene->found
                              ? "more than one lambda of a function %s captures a shared_ptr to it"
                              : "no lambda of a function %s is seen to capture a shared_ptr to it",
                          cli_printable(function));
    if (!change_lambda(scene))
        return false;
    sort_edits(ret);
    return true;
}
