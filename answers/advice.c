/* The clauses of advice.h, by the kind of the reference. */
#include "answers/advice.h"

#include <string.h>

/* A text that is being written. */
struct clause {
    char *dst;
    size_t cap;
};

static bool ends_in(const char *text, const char *tail) {
    size_t length = strlen(text), tail_length = strlen(tail);
    return length >= tail_length && strcmp(text + length - tail_length, tail) == 0;
}

/* A class of a Foundation: a collection, a timer, which nothing else keeps as a rule. */
static bool is_tool(const char *class_name) {
    while (*class_name == '_')
        class_name++;
    return strncmp(class_name, "NS", 2) == 0 || strncmp(class_name, "GS", 2) == 0;
}

static bool is_name(const char *path) {
    return path[0] != '+';
}

static bool is_member(const char *path) {
    struct loupe_span text = loupe_span_of(path);
    return loupe_span_contains(text, ".") || loupe_span_contains(text, "[");
}

/* ---- By kind ---- */

static size_t of_variable(struct clause to, const char *path) {
    if (is_member(path))
        return loupe_format(to.dst, to.cap, "make %s weak, or set it to nil when the block is done",
                            path);
    return loupe_format(
        to.dst, to.cap,
        "declare the __block variable%s%s __weak, or set it to nil when the block is done",
        is_name(path) ? " " : "", is_name(path) ? path : "");
}

static size_t of_capture(struct clause to, const struct loupe_advised *edge) {
    const char *nameless = is_name(edge->path) ? "" : "the variable at ";
    if (edge->held_is_block)
        return loupe_format(to.dst, to.cap,
                            "do not capture the block %s%s strongly in %s: use a weak copy",
                            nameless, edge->path, edge->block);
    if (!edge->held_is_byref)
        return loupe_format(to.dst, to.cap, "capture %s%s weakly in %s", nameless, edge->path,
                            edge->block);
    if (edge->in_variable)
        return of_variable(to, edge->in_variable);
    return loupe_format(to.dst, to.cap,
                        "set the __block variable %s%s to nil when the block is done, or make it "
                        "weak",
                        nameless, edge->path);
}

/* A timer, a display link, a dispatch source: what it acts on lives until it is ended. */
static size_t of_target(struct clause to, const char *owner, const char *held, bool is_block) {
    const char *end =
        loupe_span_contains(loupe_span_of(owner), "dispatch") ? "cancel" : "invalidate";
    if (is_block || ends_in(held, "BlockTarget"))
        return loupe_format(to.dst, to.cap, "%s the %s when its block is no longer needed", end,
                            owner);
    if (ends_in(owner, "Invocation") || ends_in(owner, "Thread") || ends_in(owner, "ThreadData") ||
        ends_in(owner, "Performer"))
        return loupe_format(to.dst, to.cap,
                            "let the %s go before the %s should, or give it another target", owner,
                            held);
    return loupe_format(to.dst, to.cap,
                        "%s the %s before the %s should go (-dealloc is too late), or use a block "
                        "that captures the target weakly",
                        end, owner, held);
}

static size_t say_ivar(struct clause to, const char *before, const struct loupe_advised *edge,
                       const char *behind) {
    return loupe_format(to.dst, to.cap, "%s %s.%s %s", before, edge->owner, edge->path, behind);
}

static size_t of_ivar(struct clause to, const struct loupe_advised *edge) {
    if (edge->held_is_block)
        return say_ivar(to, "set", edge, "to nil when the block is no longer needed");
    if (edge->acts_on)
        return of_target(to, edge->held, edge->acts_on, edge->acts_on_block);
    if (ends_in(edge->held, "Timer"))
        return say_ivar(to, "invalidate the timer in", edge, "when it is no longer needed");
    if (!is_tool(edge->held) && edge->is_manual)
        return say_ivar(to, "hold", edge, "without retaining it");
    if (is_tool(edge->held) || edge->no_weak)
        return say_ivar(to, "set", edge, "to nil when it is no longer needed");
    return say_ivar(to, "make", edge, "weak");
}

static size_t of_edge(struct clause to, const struct loupe_advised *edge) {
    switch (edge->kind) {
    case LOUPE_EDGE_IVAR:
        return of_ivar(to, edge);
    case LOUPE_EDGE_CAPTURE:
        return of_capture(to, edge);
    case LOUPE_EDGE_BYREF:
        return of_variable(to, edge->path);
    case LOUPE_EDGE_ASSOCIATION:
        return loupe_format(to.dst, to.cap,
                            "associate %s with the %s through a weak wrapper, or remove it",
                            edge->path, edge->owner);
    case LOUPE_EDGE_ELEMENT:
        return loupe_format(to.dst, to.cap, "take the %s out of the %s, or hold it there weakly",
                            edge->held, edge->holder);
    case LOUPE_EDGE_KEY:
        return loupe_format(to.dst, to.cap,
                            "do not use the %s as a key of the %s, or use a map table with weak "
                            "keys",
                            edge->held, edge->holder);
    case LOUPE_EDGE_VALUE:
        return loupe_format(to.dst, to.cap,
                            "remove %s from the %s, or use a map table with weak values",
                            edge->path, edge->holder);
    case LOUPE_EDGE_TARGET:
        return of_target(to, edge->owner, edge->held, edge->held_is_block);
    case LOUPE_EDGE_USER_INFO:
        return loupe_format(to.dst, to.cap,
                            "do not pass the %s as user info of the %s: pass a weak wrapper",
                            edge->held, edge->owner);
    default:
        return loupe_format(to.dst, to.cap, "make the reference %s of the %s weak", edge->path,
                            edge->holder);
    }
}

/* ---- Whole changes ---- */

enum { LONGEST_CLAUSE = 512 };

static size_t add(struct clause to, size_t length, const char *between, const char *text) {
    if (length + 1 >= to.cap)
        return length;
    return length + loupe_format(to.dst + length, to.cap - length, "%s%s", between, text);
}

size_t loupe_word_advice(const struct loupe_advice *advice, char *dst, size_t cap) {
    const struct loupe_advised *first = advice->references;
    struct clause to = {dst, cap};
    if (advice->doubtful)
        return loupe_format(dst, cap, "check that %s.%s does not retain the %s", first->owner,
                            first->path, first->held);
    size_t length = of_edge(to, first);
    for (uint32_t i = 1; i < advice->count; i++) {
        char more[LONGEST_CLAUSE];
        of_edge((struct clause){more, sizeof(more)}, &advice->references[i]);
        if (!loupe_span_contains((struct loupe_span){dst, length}, more))
            length = add(to, length, " and ", more);
    }
    if (advice->frees_at_once)
        return add(to, add(to, length, "; this would free the ", first->held), "", " at once");
    return advice->only_holder ? add(to, length, ", if something else keeps the ", first->held)
                               : length;
}

enum loupe_edge_kind loupe_advised_kind(struct loupe_span name) {
    if (loupe_span_equals(name, "block"))
        return LOUPE_EDGE_TARGET;
    unsigned kind = 0;
    while (kind < LOUPE_EDGE_KIND_COUNT &&
           !loupe_span_equals(name, loupe_edge_kind_name((enum loupe_edge_kind)kind)))
        kind++;
    return (enum loupe_edge_kind)kind;
}
