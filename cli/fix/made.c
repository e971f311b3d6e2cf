/* A fix, made and written. */
#include "fix/made.h"

#include "shared/cli.h"
#include "fix/changes/rewrites.h"
#include "fix/clang/reading.h"

#include <string.h>

enum { MOST_COMPILED = 16 };

/* ---- What it rests on ---- */

static bool is_enough(const struct json_value *fix) {
    return json_is_true(fix, "enough") || json_is_true(fix, "frees");
}

static bool breaks_all(const struct json_value *fix) {
    return loupe_span_equals(json_text(fix, "breaks"), "knot") ||
           loupe_span_equals(json_text(fix, "everywhere"), "knot");
}

/* What was not read may have references of its own. */
static bool is_incomplete(const struct answer *answer) {
    return !loupe_span_equals(json_text(answer->root, "status"), "ok");
}

static const char *confidence(const struct answer *answer, const struct fix_made *made) {
    const struct json_value *fix = made->choice.fix;
    if (fix_is_missing_release(&made->choice))
        return is_incomplete(answer) ? "low" : "medium";
    if (is_incomplete(answer) || !breaks_all(fix) || json_member(fix, "conditions")->count)
        return "low";
    return is_enough(fix) && !made->change.goes_by_name ? "high" : "medium";
}

uint64_t fix_first_line(const struct fix_patch *patch) {
    return fix_line_of(patch->file, patch->edits[0].offset);
}

static void say_of_release(struct fix_made *made) {
    const struct fix_patch *first = &made->change.patches[0];
    loupe_format(made->rests_on, sizeof(made->rests_on),
                 "nothing in the answer holds it, and its retain count is too high; %s:%llu is %s",
                 cli_printable(loupe_span_of(first->file->path)),
                 (unsigned long long)fix_first_line(first), made->change.rests_on);
}

static void say_what_it_rests_on(const struct answer *answer, struct fix_made *made) {
    const struct json_value *fix = made->choice.fix;
    const struct fix_patch *first = &made->change.patches[0];
    if (fix_is_missing_release(&made->choice)) {
        say_of_release(made);
        return;
    }
    loupe_format(
        made->rests_on, sizeof(made->rests_on),
        "without this reference %s in the answer%s%s%s; %s:%llu is %s",
        breaks_all(fix) ? "the retain cycle is broken" : "one loop of it is broken",
        is_enough(fix) ? ", and its objects are freed" : "",
        json_member(fix, "conditions")->count ? "; something else has to keep the object alive"
                                              : "",
        is_incomplete(answer) ? "; the answer is incomplete: what was not read may hold it too"
                              : "",
        cli_printable(loupe_span_of(first->file->path)), (unsigned long long)fix_first_line(first),
        made->change.rests_on);
}

/* ---- What a compiler says ---- */

/* Sources that clang reads with the change in them. */
struct sources {
    const char *items[MOST_COMPILED];
    uint32_t count, left_out;
};

static bool ends_in(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static bool is_header(const char *path) {
    return ends_in(path, ".h") || ends_in(path, ".hpp") || ends_in(path, ".hh");
}

static void add_source(struct sources *sources, const char *path) {
    for (uint32_t i = 0; i < sources->count; i++) {
        if (strcmp(sources->items[i], path) == 0)
            return;
    }
    if (sources->count < MOST_COMPILED)
        sources->items[sources->count++] = path;
    else
        sources->left_out++;
}

/* Those that name a header; it alone where none does. */
static void add_users(struct sources *sources, const char *header, const char *folder,
                      struct loupe_arena *arena) {
    const char *slash = strrchr(header, '/');
    struct fix_files *files = loupe_arena_alloc(arena, sizeof(*files));
    struct fix_reason ignored;
    uint32_t before = sources->count + sources->left_out;
    bool found = files && fix_find_sources(folder, loupe_span_of(slash ? slash + 1 : header), arena,
                                           files, &ignored);
    for (uint32_t i = 0; found && i < files->count; i++) {
        if (!is_header(files->items[i].path))
            add_source(sources, files->items[i].path);
    }
    if (sources->count + sources->left_out == before)
        add_source(sources, header);
}

static bool is_manual(const struct answer *answer, const struct fix_choice *choice) {
    const struct json_value *subjects = json_member(choice->fix, "subjects");
    const struct json_value *subject = subjects->first ? subjects->first : choice->fix;
    return fix_is_missing_release(choice) || json_is_true(json_member(subject, "edge"), "manual") ||
           json_member(answer->root, "weak_references")->kind == JSON_FALSE;
}

static void say_what_was_compiled(struct fix_made *made, const struct fix_judged *judged,
                                  const struct sources *sources) {
    const char *why = "there is no libclang on this machine";
    bool is_whole = judged->read == sources->count && !sources->left_out;
    made->is_compiled = judged->state == FIX_READ && is_whole;
    if (judged->state == FIX_READING_FAILED)
        why = "clang did not end";
    else if (judged->state == FIX_READ_WITH_ERRORS)
        why = cli_printable(loupe_span_of(judged->said));
    if (made->is_compiled)
        loupe_format(made->compiled, sizeof(made->compiled),
                     "Compiled by clang without a new warning.");
    else if (judged->state == FIX_READ)
        loupe_format(made->compiled, sizeof(made->compiled),
                     "Compiled by clang without a new warning in %u of %u sources.",
                     (unsigned)judged->read, (unsigned)(sources->count + sources->left_out));
    else
        loupe_format(made->compiled, sizeof(made->compiled), "Not compiled: %s.", why);
}

/* False: it would not compile, or not without a new warning. */
static bool compile(const struct answer *answer, const char *folder, struct loupe_arena *arena,
                    struct fix_made *made, struct fix_reason *reason) {
    struct fix_rewritten files[FIX_MOST_FILES];
    struct sources sources = {.count = 0};
    struct fix_judged judged;
    const struct fix_change *change = &made->change;
    for (uint32_t i = 0; i < change->count; i++) {
        const struct fix_patch *patch = &change->patches[i];
        files[i] = (struct fix_rewritten){patch->file, fix_patched(patch, arena)};
        if (!files[i].after.bytes)
            return fix_refuse(reason, "out of memory");
        if (ends_in(patch->file->path, ".swift")) {
            loupe_format(made->compiled, sizeof(made->compiled), "Not compiled: it is Swift.");
            return true;
        }
        if (is_header(patch->file->path))
            add_users(&sources, patch->file->path, folder, arena);
        else
            add_source(&sources, patch->file->path);
    }
    fix_judge(folder, files, change->count, sources.items, sources.count,
              is_manual(answer, &made->choice), &judged);
    if (judged.is_worse)
        return fix_refuse(reason, "clang says of the changed source: %s",
                          cli_printable(loupe_span_of(judged.said)));
    say_what_was_compiled(made, &judged, &sources);
    return made->is_compiled || !change->doubt || fix_refuse(reason, "%s", change->doubt);
}

bool fix_make(const struct answer *answer, const struct fix_choice *choice, const char *folder,
              struct loupe_arena *arena, struct fix_made *ret, struct fix_reason *reason) {
    *ret = (struct fix_made){.choice = *choice};
    bool done = fix_rewrite(answer, choice, folder, arena, &ret->change, reason);
    for (uint32_t i = 0; done && i < ret->change.count; i++)
        done = fix_diff(&ret->change.patches[i], arena, &ret->diffs[i], reason) &&
               (ret->diffs[i].length || fix_refuse(reason, "nothing of the source would change"));
    if (!done)
        return false;
    say_what_it_rests_on(answer, ret);
    ret->confidence = confidence(answer, ret);
    return compile(answer, folder, arena, ret, reason);
}

/* ---- Writing ---- */

/* Writes one file; then *file is as it was written. */
static bool write_patched(const struct fix_patch *patch, const char *folder,
                          struct loupe_arena *arena, struct fix_file *file,
                          struct fix_reason *reason) {
    struct loupe_span patched = fix_patched(patch, arena);
    *file = *patch->file;
    if (!patched.bytes)
        return fix_refuse(reason, "out of memory");
    if (!fix_replace(folder, file, patched, reason))
        return false;
    file->source.text = patched;
    return true;
}

bool fix_apply(const struct fix_made *made, const char *folder, int64_t newest,
               struct loupe_arena *arena, struct fix_reason *reason) {
    const struct fix_change *change = &made->change;
    struct fix_file written[FIX_MOST_FILES];
    struct fix_reason ignored;
    for (uint32_t i = 0; i < change->count; i++) {
        if (change->patches[i].file->changed > newest)
            return fix_refuse(
                reason, "%s was changed after the answer was saved: ask again, or say --force",
                cli_printable(loupe_span_of(change->patches[i].file->path)));
    }
    for (uint32_t i = 0; i < change->count; i++) {
        if (write_patched(&change->patches[i], folder, arena, &written[i], reason))
            continue;
        while (i > 0) {
            i--;
            fix_replace(folder, &written[i], change->patches[i].file->source.text, &ignored);
        }
        return false;
    }
    return true;
}
