#include "fix_words.h"

#include "code_name.h"

#include <string.h>

enum { MOST_FIXES = 3 };

static bool ends_in(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static void add_ivar_fix(const struct watch_phrases *answer, watch_value_at edge, const char *owner,
                         const char *held, const char *path) {
    watch_value_at thing = watch_thing_at(answer, watch_answer_member(edge, "to"));
    if (watch_is_block(thing))
        watch_text_add(answer->out, "set %s.%s to nil when the block is no longer needed", owner,
                       path);
    else if (ends_in(held, "Timer"))
        watch_text_add(answer->out, "invalidate the timer in %s.%s when it is no longer needed",
                       owner, path);
    else if (strncmp(held, "NS", 2) == 0)
        watch_text_add(answer->out, "set %s.%s to nil when it is no longer needed", owner, path);
    else if (watch_answer_is_true(watch_answer_member(edge, "manual")))
        watch_text_add(answer->out, "hold %s.%s without retaining it", owner, path);
    else if (watch_answer_member(answer->root, "weak_references") &&
             !watch_answer_is_true(watch_answer_member(answer->root, "weak_references")))
        watch_text_add(answer->out, "set %s.%s to nil when it is no longer needed", owner, path);
    else
        watch_text_add(answer->out, "make %s.%s weak", owner, path);
}

static void add_capture_fix(const struct watch_phrases *answer, watch_value_at edge,
                            const char *held, const char *path) {
    char code[WATCH_NAME * 2], address[WATCH_NAME];
    watch_answer_text(watch_answer_member(edge, "from"), address, sizeof(address));
    bool has_code = watch_block_code(address, code, sizeof(code));
    if (*path == '+')
        watch_text_add(answer->out, "capture the %s (%s) weakly in the block %s", held, path,
                       has_code ? code : address);
    else
        watch_text_add(answer->out, "capture %s weakly in the block %s", path,
                       has_code ? code : address);
}

static void add_target_fix(const struct watch_phrases *answer, const char *owner,
                           const char *held) {
    bool is_ended = ends_in(owner, "Invocation") || ends_in(owner, "Thread") ||
                    ends_in(owner, "ThreadData") || ends_in(owner, "Performer");
    if (is_ended)
        watch_text_add(answer->out, "let the %s go before the %s should, or give it another target",
                       owner, held);
    else
        watch_text_add(answer->out,
                       "%s the %s before the %s should go (-dealloc is too late), or use a block "
                       "that captures the target weakly",
                       strstr(owner, "dispatch") ? "cancel" : "invalidate", owner, held);
}

static void add_fix(const struct watch_phrases *answer, watch_value_at edge) {
    char kind[WATCH_NAME], path[WATCH_NAME], owner_name[WATCH_NAME], held_name[WATCH_NAME];
    watch_answer_text(watch_answer_member(edge, "kind"), kind, sizeof(kind));
    watch_path_of(edge, path, sizeof(path));
    const char *owner = watch_class_of(watch_thing_at(answer, watch_answer_member(edge, "from")),
                                       owner_name, sizeof(owner_name));
    const char *held = watch_class_of(watch_thing_at(answer, watch_answer_member(edge, "to")),
                                      held_name, sizeof(held_name));
    if (strcmp(kind, "ivar") == 0)
        add_ivar_fix(answer, edge, owner, held, path);
    else if (strcmp(kind, "capture") == 0)
        add_capture_fix(answer, edge, held, path);
    else if (strcmp(kind, "byref") == 0)
        watch_text_add(answer->out,
                       "declare the __block variable %s __weak, or set it to nil when "
                       "the block is done",
                       path);
    else if (strcmp(kind, "target") == 0 || strcmp(kind, "block") == 0)
        add_target_fix(answer, owner, held);
    else if (strcmp(kind, "association") == 0)
        watch_text_add(answer->out, "associate %s with the %s through a weak wrapper, or remove it",
                       path, owner);
    else if (strcmp(kind, "user-info") == 0)
        watch_text_add(answer->out,
                       "do not pass the %s as user info of the %s: pass a weak wrapper", held,
                       owner);
    else
        watch_text_add(answer->out, "take the %s out of the %s (%s), or hold it there weakly", held,
                       owner, path);
}

static bool has_against(watch_value_at fix, const char *what) {
    watch_value_at at = watch_answer_first(watch_answer_member(fix, "against"));
    while (at && !watch_answer_is(at, what))
        at = watch_answer_next(at);
    return at != NULL;
}

static bool is_sound(watch_value_at fix) {
    return !watch_answer_first(watch_answer_member(fix, "against"));
}

/* Whether something better than what speaks against itself is enough. */
static bool is_sound_one_enough(watch_value_at fixes) {
    watch_value_at fix = watch_answer_first(fixes);
    while (fix && !(is_sound(fix) && (watch_answer_is_true(watch_answer_member(fix, "frees")) ||
                                      watch_answer_is(watch_answer_member(fix, "breaks"), "knot"))))
        fix = watch_answer_next(fix);
    return fix != NULL;
}

static void add_one_fix(const struct watch_phrases *answer, watch_value_at fix) {
    char name[WATCH_NAME];
    watch_value_at edge = watch_answer_member(fix, "edge");
    bool is_of_knot = watch_answer_is(watch_answer_member(fix, "breaks"), "knot") ||
                      watch_answer_is(watch_answer_member(fix, "everywhere"), "knot");
    watch_text_add(answer->out, "    %s ", answer->style->bullet);
    add_fix(answer, edge);
    if (has_against(fix, "only-holder"))
        watch_text_add(answer->out, ", if something else keeps the %s",
                       watch_class_of(watch_thing_at(answer, watch_answer_member(edge, "to")), name,
                                      sizeof(name)));
    watch_text_add(answer->out, "%s\n", is_of_knot ? "" : " (for this ring)");
}

void watch_add_fixes(const struct watch_phrases *answer, watch_value_at knot) {
    watch_value_at fixes = watch_answer_member(knot, "fixes");
    uint32_t shown = 0;
    uint64_t more = watch_answer_number(watch_answer_member(knot, "fixes_left_out"));
    bool only_sound = is_sound_one_enough(fixes);
    if (!watch_answer_first(fixes))
        return;
    watch_text_add(answer->out, "  To break it%s:\n",
                   watch_count_elements(fixes) > 1 ? ", best first" : "");
    for (watch_value_at fix = watch_answer_first(fixes); fix; fix = watch_answer_next(fix)) {
        if (shown < MOST_FIXES && (is_sound(fix) || !only_sound)) {
            add_one_fix(answer, fix);
            shown++;
        } else {
            more += !only_sound || is_sound(fix);
        }
    }
    if (more)
        watch_text_add(answer->out, "      and %llu more, in lldb\n", (unsigned long long)more);
}
