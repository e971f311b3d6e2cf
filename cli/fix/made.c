/* A fix, made and written. */
#include "fix/made.h"

#include "shared/cli.h"
#include "fix/changes/rewrites.h"

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

bool fix_make(const struct answer *answer, const struct fix_choice *choice, const char *folder,
              struct loupe_arena *arena, struct fix_made *ret, struct fix_reason *reason) {
    *ret = (struct fix_made){.choice = *choice};
    bool done = fix_rewrite(answer, choice, folder, arena, &ret->change, reason);
    for (uint32_t i = 0; done && i < ret->change.count; i++)
        done = fix_diff(&ret->change.patches[i], arena, &ret->diffs[i], reason);
    if (!done)
        return false;
    say_what_it_rests_on(answer, ret);
    ret->confidence = confidence(answer, ret);
    return true;
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
