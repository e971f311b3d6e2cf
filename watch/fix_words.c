#include "fix_words.h"

#include "code_name.h"

#include <string.h>

enum { MOST_FIXES = 3 };

static bool ends_in(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* A reference of the shown answer, and both of its ends. */
struct change {
    watch_value_at edge, from, to;
    const char *owner, *held, *path;
    char owner_name[WATCH_NAME], held_name[WATCH_NAME], path_text[WATCH_NAME];
};

static void read_change(const struct watch_phrases *answer, watch_value_at edge,
                        struct change *ret) {
    ret->edge = edge;
    ret->from = watch_thing_at(answer, watch_answer_member(edge, "from"));
    ret->to = watch_thing_at(answer, watch_answer_member(edge, "to"));
    ret->owner = watch_class_of(ret->from, ret->owner_name, sizeof(ret->owner_name));
    ret->held = watch_class_of(ret->to, ret->held_name, sizeof(ret->held_name));
    ret->path = watch_path_of(edge, ret->path_text, sizeof(ret->path_text));
}

static bool is_kind(watch_value_at edge, const char *kind) {
    return watch_answer_is(watch_answer_member(edge, "kind"), kind);
}

static bool is_same_text(watch_value_at one, watch_value_at other) {
    char text[WATCH_NAME];
    return one && other && watch_answer_is(other, watch_answer_text(one, text, sizeof(text)));
}

/* A reference of one of two kinds that the holder has on a ring that is shown. */
static watch_value_at edge_of(watch_value_at knot, watch_value_at holder, const char *kind,
                              const char *other_kind) {
    watch_value_at ring = watch_answer_first(watch_answer_member(knot, "rings"));
    for (; ring; ring = watch_answer_next(ring)) {
        watch_value_at edge = watch_answer_first(watch_answer_member(ring, "edges"));
        for (; edge; edge = watch_answer_next(edge)) {
            if (is_same_text(holder, watch_answer_member(edge, "from")) &&
                (is_kind(edge, kind) || is_kind(edge, other_kind)))
                return edge;
        }
    }
    return NULL;
}

static void add_target_fix(const struct watch_phrases *answer, const struct change *change) {
    const char *end = strstr(change->owner, "dispatch") ? "cancel" : "invalidate";
    if (watch_is_block(change->to) || ends_in(change->held, "BlockTarget"))
        watch_text_add(answer->out, "%s the %s when its block is no longer needed", end,
                       change->owner);
    else if (ends_in(change->owner, "Invocation") || ends_in(change->owner, "Thread") ||
             ends_in(change->owner, "ThreadData") || ends_in(change->owner, "Performer"))
        watch_text_add(answer->out, "let the %s go before the %s should, or give it another target",
                       change->owner, change->held);
    else
        watch_text_add(answer->out,
                       "%s the %s before the %s should go (-dealloc is too late), or use a block "
                       "that captures the target weakly",
                       end, change->owner, change->held);
}

/* A class of a Foundation: as a rule nothing else keeps its object. */
static bool is_tool(const struct change *change) {
    const char *name = change->held + strspn(change->held, "_");
    return strncmp(name, "NS", 2) == 0 || strncmp(name, "GS", 2) == 0;
}

static void add_ivar_fix(const struct watch_phrases *answer, watch_value_at knot,
                         const struct change *change) {
    watch_value_at to = watch_answer_member(change->edge, "to");
    watch_value_at weak = watch_answer_member(answer->root, "weak_references");
    watch_value_at acted_on =
        watch_is_block(change->to) ? NULL : edge_of(knot, to, "target", "block");
    if (acted_on) {
        struct change target;
        read_change(answer, acted_on, &target);
        add_target_fix(answer, &target);
        return;
    }
    const char *before = "make", *behind = "weak";
    if (watch_is_block(change->to)) {
        before = "set";
        behind = "to nil when the block is no longer needed";
    } else if (ends_in(change->held, "Timer")) {
        before = "invalidate the timer in";
        behind = "when it is no longer needed";
    } else if (is_tool(change)) {
        before = "set";
        behind = "to nil when it is no longer needed";
    } else if (watch_answer_is_true(watch_answer_member(change->edge, "manual"))) {
        before = "hold";
        behind = "without retaining it";
    } else if (weak && !watch_answer_is_true(weak)) {
        before = "set";
        behind = "to nil when it is no longer needed";
    }
    watch_text_add(answer->out, "%s %s.%s %s", before, change->owner, change->path, behind);
}

static void add_byref_fix(const struct watch_phrases *answer, const char *path) {
    if (strpbrk(path, ".["))
        watch_text_add(answer->out, "make %s weak, or set it to nil when the block is done", path);
    else
        watch_text_add(
            answer->out,
            "declare the __block variable%s%s __weak, or set it to nil when the block is "
            "done",
            *path == '+' ? "" : " ", *path == '+' ? "" : path);
}

/* The class says what is captured where only debug information has the variable's name. */
static void add_capture_fix(const struct watch_phrases *answer, watch_value_at knot,
                            const struct change *change) {
    char code[WATCH_NAME * 2], address[WATCH_NAME], path[WATCH_NAME];
    watch_answer_text(watch_answer_member(change->edge, "from"), address, sizeof(address));
    const char *block = watch_block_code(address, code, sizeof(code)) ? code : address;
    if (watch_answer_is(watch_answer_member(change->to, "kind"), "byref")) {
        watch_value_at held =
            edge_of(knot, watch_answer_member(change->edge, "to"), "byref", "byref");
        add_byref_fix(answer, held ? watch_path_of(held, path, sizeof(path)) : change->path);
    } else if (watch_is_block(change->to)) {
        watch_text_add(answer->out,
                       "do not capture the block %s strongly in the block %s: use a weak copy",
                       change->path, block);
    } else {
        bool is_manual = watch_answer_is_true(watch_answer_member(change->edge, "manual"));
        const char *how = is_manual ? "by a __block variable" : "weakly";
        if (*change->path == '+')
            watch_text_add(answer->out, "capture the %s (%s) %s in the block %s", change->held,
                           change->path, how, block);
        else
            watch_text_add(answer->out, "capture %s %s in the block %s", change->path, how, block);
    }
}

/* Of collections, by their address: a program has many of one class. */
static bool add_element_fix(const struct watch_phrases *answer, const struct change *change) {
    char holder[WATCH_NAME];
    watch_answer_text(watch_answer_member(change->edge, "from"), holder, sizeof(holder));
    if (is_kind(change->edge, "element"))
        watch_text_add(answer->out, "take the %s out of the %s %s, or hold it there weakly",
                       change->held, change->owner, holder);
    else if (is_kind(change->edge, "value"))
        watch_text_add(answer->out, "remove %s from the %s %s, or use a map table with weak values",
                       change->path, change->owner, holder);
    else if (is_kind(change->edge, "key"))
        watch_text_add(answer->out,
                       "do not use the %s as a key of the %s %s, or use a map table with weak keys",
                       change->held, change->owner, holder);
    else
        return false;
    return true;
}

static void add_other_fix(const struct watch_phrases *answer, const struct change *change) {
    char holder[WATCH_NAME];
    watch_answer_text(watch_answer_member(change->edge, "from"), holder, sizeof(holder));
    if (is_kind(change->edge, "association"))
        watch_text_add(answer->out, "associate %s with the %s through a weak wrapper, or remove it",
                       change->path, change->owner);
    else if (is_kind(change->edge, "user-info"))
        watch_text_add(answer->out,
                       "do not pass the %s as user info of the %s: pass a weak wrapper",
                       change->held, change->owner);
    else if (!add_element_fix(answer, change))
        watch_text_add(answer->out, "make the reference %s of the %s %s weak", change->path,
                       change->owner, holder);
}

static void add_change(const struct watch_phrases *answer, watch_value_at knot,
                       const struct change *change) {
    if (is_kind(change->edge, "ivar"))
        add_ivar_fix(answer, knot, change);
    else if (is_kind(change->edge, "capture"))
        add_capture_fix(answer, knot, change);
    else if (is_kind(change->edge, "byref"))
        add_byref_fix(answer, change->path);
    else if (is_kind(change->edge, "target") || is_kind(change->edge, "block"))
        add_target_fix(answer, change);
    else
        add_other_fix(answer, change);
}

static bool has_against(watch_value_at fix, const char *what) {
    watch_value_at at = watch_answer_first(watch_answer_member(fix, "against"));
    while (at && !watch_answer_is(at, what))
        at = watch_answer_next(at);
    return at != NULL;
}

/* ---- What a change is good for ---- */

static bool is_sound(watch_value_at fix) {
    return !watch_answer_first(watch_answer_member(fix, "against"));
}

static bool breaks_knot(watch_value_at fix) {
    return watch_answer_is(watch_answer_member(fix, "breaks"), "knot") ||
           watch_answer_is(watch_answer_member(fix, "everywhere"), "knot");
}

static bool is_unknown(watch_value_at value) {
    return !value || *value == 'n';
}

static bool is_enough(watch_value_at fix) {
    return watch_answer_is_true(watch_answer_member(fix, "enough"));
}

/* Whether something better than what speaks against itself is enough. */
static bool is_sound_one_enough(watch_value_at fixes) {
    watch_value_at fix = watch_answer_first(fixes);
    while (fix && !(is_sound(fix) && is_enough(fix)))
        fix = watch_answer_next(fix);
    return fix != NULL;
}

/* What it does, where that is not to break all of the knot by this reference alone. */
static void add_extent(const struct watch_phrases *answer, const struct change *change,
                       watch_value_at fix, bool others_break_knot) {
    watch_value_at kept = watch_answer_member(fix, "kept_by");
    bool is_everywhere = !watch_answer_is(watch_answer_member(fix, "breaks"), "knot");
    if (kept && *kept == '"') {
        watch_text_add(answer->out, " (not enough while something else keeps ");
        watch_add_thing(answer, kept, false);
        watch_text_add(answer->out, ")");
    } else if (breaks_knot(fix) && !is_enough(fix) &&
               is_unknown(watch_answer_member(fix, "frees"))) {
        watch_text_add(answer->out, " (not checked: something outside keeps other objects of it)");
    } else if (breaks_knot(fix) && is_everywhere) {
        watch_text_add(answer->out, ": in every %s at once, that breaks the whole knot",
                       change->owner);
    } else if (!breaks_knot(fix) && !is_enough(fix) && others_break_knot) {
        watch_text_add(answer->out, " (for this ring)");
    }
}

static void add_one_fix(const struct watch_phrases *answer, watch_value_at knot, watch_value_at fix,
                        bool others_break_knot) {
    struct change change;
    read_change(answer, watch_answer_member(fix, "edge"), &change);
    watch_text_add(answer->out, "    %s ", answer->style->bullet);
    if (has_against(fix, "unowned-name"))
        watch_text_add(answer->out, "check that %s.%s does not retain the %s", change.owner,
                       change.path, change.held);
    else
        add_change(answer, knot, &change);
    if (has_against(fix, "frees-at-once"))
        watch_text_add(answer->out, "; this would free the %s at once", change.held);
    else if (has_against(fix, "only-holder"))
        watch_text_add(answer->out, ", if something else keeps the %s", change.held);
    add_extent(answer, &change, fix, others_break_knot);
    watch_text_add(answer->out, "\n");
}

/* ---- All of them ---- */

struct shown {
    watch_value_at fixes[MOST_FIXES];
    uint32_t count;
    uint64_t more;
    bool any_breaks_knot, any_frees, enough_breaks_knot;
};

static struct shown choose(watch_value_at knot) {
    struct shown shown = {.more = watch_answer_number(watch_answer_member(knot, "fixes_left_out"))};
    watch_value_at fixes = watch_answer_member(knot, "fixes");
    bool only_sound = is_sound_one_enough(fixes);
    for (watch_value_at fix = watch_answer_first(fixes); fix; fix = watch_answer_next(fix)) {
        bool is_wanted = !shown.count || is_sound(fix) || !only_sound;
        bool is_shown = shown.count < MOST_FIXES && is_wanted;
        if (!is_shown) {
            shown.more += is_wanted;
            continue;
        }
        shown.fixes[shown.count++] = fix;
        shown.any_breaks_knot |= breaks_knot(fix);
        shown.any_frees |= is_enough(fix);
        shown.enough_breaks_knot |= is_enough(fix) && breaks_knot(fix);
    }
    return shown;
}

static void add_heading(const struct watch_phrases *answer, watch_value_at knot,
                        const struct shown *shown) {
    const char *order = shown->count > 1 ? ", best first:" : ":";
    if (shown->enough_breaks_knot) {
        watch_text_add(answer->out, "  To break it%s\n", order);
    } else if (shown->any_frees &&
               watch_answer_is_true(watch_answer_member(knot, "contains_seed"))) {
        watch_text_add(answer->out, "  To let ");
        watch_add_thing(answer, watch_answer_member(answer->root, "seed"), false);
        watch_text_add(answer->out, " go%s\n", order);
    } else if (shown->any_frees) {
        watch_text_add(answer->out, "  To let go what is held from outside%s\n", order);
    } else if (shown->any_breaks_knot) {
        watch_text_add(answer->out, "  No single change is enough. What breaks it:\n");
    } else {
        watch_text_add(answer->out,
                       "  No single change breaks all of it. What breaks the shown ring:\n");
    }
}

void watch_add_fixes(const struct watch_phrases *answer, watch_value_at knot) {
    struct shown shown = choose(knot);
    if (!shown.count)
        return;
    add_heading(answer, knot, &shown);
    for (uint32_t i = 0; i < shown.count; i++)
        add_one_fix(answer, knot, shown.fixes[i], shown.any_breaks_knot);
    if (shown.more)
        watch_text_add(answer->out, "      and %llu more, in lldb\n",
                       (unsigned long long)shown.more);
}
