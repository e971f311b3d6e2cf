/* The sentences of fix_sentence.h, one for each change. */
#include "answers/fix_sentence.h"

#include "cycles/system_classes.h"
#include "swift/metadata.h"

#include <string.h>

enum { LONGEST_MEMBER = 512 };

/* A text that is being written. */
struct clause {
    char *dst;
    size_t cap;
};

static bool is_name(const char *path) {
    return path[0] != '+';
}

static bool is_member(const char *path) {
    struct loupe_span text = loupe_span_of(path);
    return loupe_span_contains(text, ".") || loupe_span_contains(text, "[");
}

/* ---- By change ---- */

static size_t add(struct clause to, size_t length, const char *between, const char *text) {
    if (length + 1 >= to.cap)
        return length;
    return length + loupe_format(to.dst + length, to.cap - length, "%s%s", between, text);
}

/* " (Mail.m:57)" behind what speaks of an ivar. */
static size_t add_declared(struct clause to, size_t length, const struct answer_subject *subject) {
    if (!*subject->declared)
        return length;
    return add(to, add(to, length, " (", subject->declared), ")", "");
}

static size_t say_ivar(struct clause to, const char *before, const struct answer_subject *subject,
                       const char *after) {
    size_t length =
        loupe_format(to.dst, to.cap, "%s %s.%s %s", before, subject->owner, subject->path, after);
    return add_declared(to, length, subject);
}

static size_t weaken_variable(struct clause to, const char *path) {
    if (is_member(path))
        return loupe_format(to.dst, to.cap, "make %s weak, or set it to nil when the block is done",
                            path);
    return loupe_format(
        to.dst, to.cap,
        "declare the __block variable%s%s __weak, or set it to nil when the block is done",
        is_name(path) ? " " : "", is_name(path) ? path : "");
}

/* Of an object of C++, which stands in its control block or elsewhere, and of memory that is known
 * by its shape, the name without what tells that. */
static int class_length(const char *owner) {
    static const char *const behind[] = {" (make_shared)", " (exception)", " (by its shape)"};
    size_t length = strlen(owner);
    for (unsigned i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
        size_t tail = strlen(behind[i]);
        if (length > tail && strcmp(owner + length - tail, behind[i]) == 0)
            return (int)(length - tail);
    }
    return (int)length;
}

void answer_name_member(char *dst, size_t cap, enum loupe_change change, const char *owner,
                        const char *path) {
    bool is_of_cxx = change == LOUPE_WEAK_PTR;
    loupe_format(dst, cap, "%.*s%s%s", is_of_cxx ? class_length(owner) : (int)strlen(owner), owner,
                 !is_of_cxx      ? "."
                 : is_name(path) ? "::"
                                 : "",
                 path);
}

/* "Album+16": debug information has no name for it. */
static bool is_place(const char *member) {
    size_t at = strlen(member);
    while (at && member[at - 1] >= '0' && member[at - 1] <= '9')
        at--;
    return at && member[at] && member[at - 1] == '+';
}

/* What a function has is captured, and no member. */
static bool keeps_function(const char *member) {
    static const char *const kinds[] = {" (function)", " (packaged_task)", " (move_only_function)"};
    struct loupe_span text = loupe_span_of(member);
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (loupe_span_contains(text, kinds[i]))
            return true;
    }
    return false;
}

static size_t capture_in(struct clause to, const struct answer_subject *subject,
                         const char *member) {
    return loupe_format(to.dst, to.cap, "capture a std::weak_ptr to the %.*s in %s",
                        class_length(subject->held), subject->held, member);
}

/* In what a container has for its elements: who has the container is told where that is known. */
static size_t make_weak_ptrs(struct clause to, const struct answer_subject *subject) {
    const char *memory =
        strcmp(subject->owner, "(raw memory)") == 0 ? "non-object" : subject->owner;
    if (!*subject->collection)
        return loupe_format(to.dst, to.cap, "make the shared_ptr at %s of the %s a std::weak_ptr",
                            subject->path, subject->holder);
    if (keeps_function(subject->collection))
        return capture_in(to, subject, subject->collection);
    if (!is_place(subject->collection))
        return loupe_format(to.dst, to.cap, "make the shared_ptrs in %s std::weak_ptrs",
                            subject->collection);
    return loupe_format(to.dst, to.cap, "make the shared_ptrs in the %.*s at %s std::weak_ptrs",
                        class_length(memory), memory, subject->collection);
}

/* "box (variant)": the member is no shared_ptr, and has one in it. */
static bool is_around(const char *path) {
    return loupe_span_contains(loupe_span_of(path), " (");
}

static size_t make_weak_ptr(struct clause to, const struct answer_subject *subject) {
    static const char frame[] = "coroutine frame of ";
    char member[LONGEST_MEMBER];
    if (strncmp(subject->owner, frame, sizeof(frame) - 1) == 0)
        return loupe_format(
            to.dst, to.cap, "have the coroutine %s keep a std::weak_ptr to the %.*s",
            subject->owner + sizeof(frame) - 1, class_length(subject->held), subject->held);
    if (subject->owner_is_memory)
        return make_weak_ptrs(to, subject);
    answer_name_member(member, sizeof(member),
                       subject->owner_is_object && is_name(subject->path) ? LOUPE_MAKE_WEAK
                                                                          : LOUPE_WEAK_PTR,
                       subject->owner, subject->path);
    if (keeps_function(subject->path))
        return capture_in(to, subject, member);
    const char *before = !is_name(subject->path)    ? "the shared_ptr at "
                         : is_around(subject->path) ? "the shared_ptr in "
                                                    : "";
    return loupe_format(to.dst, to.cap, "make %s%s a std::weak_ptr", before, member);
}

static size_t capture_weak_ptr(struct clause to, const struct answer_subject *subject) {
    return loupe_format(to.dst, to.cap, "capture a std::weak_ptr to the %.*s in %s",
                        class_length(subject->held), subject->held, subject->owner);
}

/* What a closure of Swift captured, as a class; with the line of it where that is known. */
static bool is_closure_of_swift(const char *owner) {
    return loupe_span_starts_with(loupe_span_of(owner), "closure ") &&
           strcmp(owner, "closure context") != 0;
}

static bool is_captured_variable(const char *owner) {
    return strcmp(owner, LOUPE_SWIFT_VARIABLE_BOX) == 0;
}

/* Classes of Swift have their module in front, behind which stands a dot. */
static bool is_of_swift(const char *owner) {
    return loupe_span_contains(loupe_span_of(owner), ".");
}

static size_t make_weak(struct clause to, const struct answer_subject *subject) {
    if (subject->kind == LOUPE_EDGE_BYREF)
        return weaken_variable(to, subject->path);
    if (subject->kind == LOUPE_EDGE_WORD)
        return loupe_format(to.dst, to.cap,
                            "make the pointer at %.*s%s%s one that does not own the %s",
                            class_length(subject->owner), subject->owner,
                            !is_name(subject->path)    ? ""
                            : subject->owner_is_object ? "."
                                                       : "::",
                            subject->path, subject->held);
    if (is_captured_variable(subject->owner))
        return loupe_format(to.dst, to.cap, "make the captured variable that has the %s a weak var",
                            subject->held);
    if (subject->kind != LOUPE_EDGE_IVAR || subject->change == LOUPE_CHANGE_COUNT)
        return loupe_format(to.dst, to.cap, "make the reference %s of the %s weak", subject->path,
                            subject->holder);
    if (subject->is_manual)
        return say_ivar(to, "hold", subject, "without retaining it");
    return say_ivar(to, "make", subject, is_of_swift(subject->owner) ? "a weak var" : "weak");
}

/* Blocks of code without ARC do not retain what a __block variable has. */
static size_t capture_unretained(struct clause to, const struct answer_subject *subject) {
    if (!is_name(subject->path))
        return loupe_format(to.dst, to.cap, "capture the %s (%s) by a __block variable in %s",
                            subject->held, subject->path, subject->block);
    return loupe_format(to.dst, to.cap, "capture %s by a __block variable in %s", subject->path,
                        subject->block);
}

/* In the list of a closure that debug information or its symbol names. */
static size_t capture_in_list(struct clause to, const struct answer_subject *subject,
                              const char *closure, const char *name) {
    bool is_self = *name ? strcmp(name, "self") == 0 : strcmp(subject->owner, subject->held) == 0;
    if (*name || is_self)
        return loupe_format(to.dst, to.cap, "capture [weak %s] in %s", is_self ? "self" : name,
                            closure);
    return loupe_format(to.dst, to.cap, "capture the %s weakly in %s", subject->held, closure);
}

/* Of Swift: a closure in a field, or what it captured where that stands by itself. */
static size_t capture_in_closure(struct clause to, const struct answer_subject *subject) {
    if (subject->closure && *subject->closure)
        return capture_in_list(to, subject, subject->closure, "");
    if (is_closure_of_swift(subject->owner))
        return capture_in_list(to, subject, subject->block,
                               is_name(subject->path) ? subject->path : "");
    if (!is_name(subject->path))
        return loupe_format(to.dst, to.cap, "capture the %s (%s) weakly in the closure of %s",
                            subject->held, subject->path, subject->holder);
    if (strcmp(subject->owner, subject->held) == 0)
        return loupe_format(to.dst, to.cap, "capture [weak self] in the closure in %s.%s",
                            subject->owner, subject->path);
    return loupe_format(to.dst, to.cap, "capture the %s weakly in the closure in %s.%s",
                        subject->held, subject->owner, subject->path);
}

/* The class says what it is where only debug information has the variable's name. */
static size_t capture_weakly(struct clause to, const struct answer_subject *subject) {
    const char *at = is_name(subject->path) ? "" : "at ";
    if (subject->kind == LOUPE_EDGE_CAPTURE && strcmp(subject->owner, "block") != 0)
        return capture_in_closure(to, subject);
    if (subject->held_is_block)
        return loupe_format(to.dst, to.cap,
                            "do not capture the block %s%s strongly in %s: use a weak copy", at,
                            subject->path, subject->block);
    if (subject->is_manual)
        return capture_unretained(to, subject);
    if (!is_name(subject->path))
        return loupe_format(to.dst, to.cap, "capture the %s (%s) weakly in %s", subject->held,
                            subject->path, subject->block);
    return loupe_format(to.dst, to.cap, "capture %s weakly in %s", subject->path, subject->block);
}

static bool is_box(const char *owner) {
    return strcmp(owner, LOUPE_SWIFT_VALUE_BOX) == 0 || strcmp(owner, LOUPE_SWIFT_ERROR_BOX) == 0;
}

/* Of a tuple, an enum, a value of any type: none of these can be weak. */
static size_t replace_value(struct clause to, const struct answer_subject *subject) {
    const char *dot = loupe_find_char(subject->path, '.');
    int length = dot ? (int)(dot - subject->path) : (int)strlen(subject->path);
    return loupe_format(
        to.dst, to.cap, "give %.*s.%.*s another value when the %s is no longer needed there",
        class_length(subject->owner), subject->owner, length, subject->path, subject->held);
}

static size_t set_to_nil(struct clause to, const struct answer_subject *subject) {
    if (is_captured_variable(subject->held))
        return loupe_format(to.dst, to.cap,
                            "make the variable %s%sthat %s captures a weak var, or set it to nil "
                            "when the closure is done",
                            is_name(subject->path) ? subject->path : "",
                            is_name(subject->path) ? " " : "", subject->block);
    if (subject->kind == LOUPE_EDGE_IVAR && is_box(subject->owner))
        return loupe_format(to.dst, to.cap,
                            "do not keep the %s in a value that it has itself, or replace the "
                            "value when it is no longer needed",
                            subject->held);
    if (subject->kind == LOUPE_EDGE_IVAR && subject->is_part)
        return replace_value(to, subject);
    if (subject->kind == LOUPE_EDGE_CAPTURE)
        return loupe_format(to.dst, to.cap,
                            "set the __block variable %s%s to nil when the block is done, or make "
                            "it weak",
                            is_name(subject->path) ? "" : "at ", subject->path);
    return say_ivar(to, "set", subject,
                    subject->held_is_block ? "to nil when the block is no longer needed"
                                           : "to nil when it is no longer needed");
}

/* What a class that keeps its target until it is invalidated is called. */
static const char *plain_name(const char *class_name) {
    struct loupe_span name = loupe_span_of(class_name);
    if (loupe_span_contains(name, "DisplayLink"))
        return "display link";
    return loupe_span_contains(name, "Session") ? "session" : "timer";
}

/* Of Swift: a task keeps itself, and what its functions have, until these return. */
static bool is_task(const char *name) {
    return strcmp(name, LOUPE_SWIFT_TASK_CLASS) == 0 || strcmp(name, LOUPE_SWIFT_FRAMES) == 0;
}

static size_t end_task(struct clause to, const struct answer_subject *subject) {
    const char *other = is_task(subject->owner) ? subject->held : subject->owner;
    if (is_task(other))
        return loupe_format(to.dst, to.cap, "cancel the Task, or finish what it waits for");
    return loupe_format(to.dst, to.cap,
                        "cancel the Task, or finish what it waits for, when the %s is no longer "
                        "needed",
                        other);
}

static size_t end_before(struct clause to, const char *end, const struct answer_subject *subject) {
    if (subject->kind == LOUPE_EDGE_IVAR)
        return loupe_format(to.dst, to.cap,
                            "%s the %s before %s is to be freed (not in -dealloc, which the %s "
                            "prevents)",
                            end, subject->owner, subject->held, plain_name(subject->owner));
    return loupe_format(to.dst, to.cap,
                        "%s the %s before %s is to be freed (not in -dealloc, which the %s "
                        "prevents), or use a block that captures the target weakly",
                        end, subject->owner, subject->held,
                        subject->change == LOUPE_CANCEL ? subject->owner : "timer");
}

/* A timer in an ivar, or what calls a block. */
static size_t end_after(struct clause to, const char *end, const struct answer_subject *subject) {
    if (subject->kind == LOUPE_EDGE_IVAR)
        return add_declared(to,
                            loupe_format(to.dst, to.cap,
                                         "%s the %s in %s.%s when it is no longer needed", end,
                                         plain_name(subject->held), subject->owner, subject->path),
                            subject);
    return loupe_format(to.dst, to.cap, "%s the %s when its block is no longer needed", end,
                        subject->owner);
}

/* The center lets the observer be, which has its block until it is freed. */
static size_t remove_token(struct clause to, const struct answer_subject *subject) {
    if (subject->held_is_block)
        return loupe_format(to.dst, to.cap,
                            "pass the %s to -removeObserver:, and release it, when its block is no "
                            "longer needed",
                            subject->owner);
    size_t length = loupe_format(to.dst, to.cap,
                                 "pass %s.%s to -removeObserver: and set it to nil when it is no "
                                 "longer needed",
                                 subject->owner, subject->path);
    return add_declared(to, length, subject);
}

static size_t wrap(struct clause to, const struct answer_subject *subject) {
    if (subject->kind == LOUPE_EDGE_USER_INFO)
        return loupe_format(to.dst, to.cap,
                            "do not pass the %s as user info of the %s: pass a weak wrapper",
                            subject->held, subject->owner);
    return loupe_format(to.dst, to.cap,
                        "associate %s with the %s through a weak wrapper, or remove it",
                        subject->path, subject->owner);
}

/* What somebody adds is removed in time by the same. */
static size_t remove_observer(struct clause to, const struct answer_subject *subject) {
    size_t length =
        loupe_format(to.dst, to.cap,
                     "remove the %s from %s before it is to be freed (not in -dealloc, which %s "
                     "prevents), or hold it there weakly",
                     subject->held, subject->collection, subject->collection);
    return add_declared(to, length, subject);
}

/* A collection is called by who has it, where that is known. */
static size_t take_out(struct clause to, const struct answer_subject *subject) {
    bool has_name = *subject->collection;
    const char *article = has_name ? "" : "the ";
    const char *collection = has_name ? subject->collection : subject->holder;
    size_t length =
        subject->kind == LOUPE_EDGE_VALUE
            ? loupe_format(to.dst, to.cap,
                           "remove %s from %s%s, or use a map table with weak values",
                           subject->path, article, collection)
            : loupe_format(to.dst, to.cap, "take the %s out of %s%s, or hold it there weakly",
                           subject->held, article, collection);
    return has_name ? add_declared(to, length, subject) : length;
}

static size_t remove_actions(struct clause to, const struct answer_subject *subject) {
    size_t length =
        loupe_format(to.dst, to.cap,
                     "send -removeAllActions to %s.%s before %s is to be freed (not in -dealloc, "
                     "which the actions prevent)",
                     subject->owner, subject->path, subject->owner);
    return add_declared(to, length, subject);
}

/* What has no end of its own: a thread has one, an invocation is given up. */
static size_t finish(struct clause to, const struct answer_subject *subject) {
    if (loupe_span_contains(loupe_span_of(subject->owner), "Invocation"))
        return loupe_format(to.dst, to.cap,
                            "release the %s before %s is to be freed (not in -dealloc, which the "
                            "invocation prevents), or do not have it retain its arguments",
                            subject->owner, subject->held);
    return loupe_format(to.dst, to.cap,
                        "end the %s before %s is to be freed, or give it another target",
                        subject->owner, subject->held);
}

static size_t say(struct clause to, const struct answer_subject *subject) {
    switch (subject->change) {
    case LOUPE_CAPTURE_WEAKLY:
        return capture_weakly(to, subject);
    case LOUPE_SET_TO_NIL:
        return set_to_nil(to, subject);
    case LOUPE_INVALIDATE:
        return end_after(to, "invalidate", subject);
    case LOUPE_INVALIDATE_BEFORE:
        return end_before(to, "invalidate", subject);
    case LOUPE_CANCEL:
        if (is_task(subject->owner) || is_task(subject->held))
            return end_task(to, subject);
        return subject->held_is_block ? end_after(to, "cancel", subject)
                                      : end_before(to, "cancel", subject);
    case LOUPE_FINISH:
        return finish(to, subject);
    case LOUPE_REMOVE_ACTIONS:
        return remove_actions(to, subject);
    case LOUPE_REMOVE_TOKEN:
        return remove_token(to, subject);
    case LOUPE_WEAK_WRAPPER:
        return wrap(to, subject);
    case LOUPE_WEAK_KEYS:
        return loupe_format(to.dst, to.cap,
                            "do not use the %s as a key of the %s, or use a map table with weak "
                            "keys",
                            subject->held, subject->holder);
    case LOUPE_TAKE_OUT:
        return take_out(to, subject);
    case LOUPE_REMOVE_OBSERVER:
        return remove_observer(to, subject);
    case LOUPE_WEAK_PTR:
        return make_weak_ptr(to, subject);
    case LOUPE_CAPTURE_WEAK_PTR:
        return capture_weak_ptr(to, subject);
    default:
        return make_weak(to, subject);
    }
}

/* ---- The whole ---- */

enum { LONGEST_CLAUSE = 512 };

size_t answer_fix_sentence(const struct answer_fix *fix, char *dst, size_t cap) {
    const struct answer_subject *first = fix->subjects;
    struct clause to = {dst, cap};
    if (fix->unowned_name)
        return add_declared(to,
                            loupe_format(dst, cap, "check that %s.%s does not retain the %s",
                                         first->owner, first->path, first->held),
                            first);
    size_t length = say(to, first);
    for (uint32_t i = 1; i < fix->count; i++) {
        char more[LONGEST_CLAUSE];
        say((struct clause){more, sizeof(more)}, &fix->subjects[i]);
        if (!loupe_span_contains((struct loupe_span){dst, length}, more))
            length = add(to, length, " and ", more);
    }
    if (fix->frees_at_once)
        return add(to, add(to, length, "; this would free the ", first->held), "", " at once");
    bool is_replaced = first->change == LOUPE_SET_TO_NIL && first->is_part;
    if (!fix->only_holder || is_replaced)
        return length;
    return add(to, add(to, length, " (first give ", first->held), "",
               " another owner: this is its only one)");
}

enum loupe_edge_kind answer_edge_kind(struct loupe_span name) {
    unsigned kind = 0;
    while (kind < LOUPE_EDGE_KIND_COUNT &&
           !loupe_span_equals(name, loupe_edge_kind_name((enum loupe_edge_kind)kind)))
        kind++;
    return (enum loupe_edge_kind)kind;
}
