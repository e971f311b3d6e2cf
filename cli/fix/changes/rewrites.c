/* From a fix to a change of the source. */
#include "fix/changes/rewrites.h"

#include "shared/cli.h"
#include "cycles/system_classes.h"
#include "fix/changes/add_release.h"
#include "fix/changes/block_variable.h"
#include "fix/changes/capture_weakly.h"
#include "fix/changes/end_it.h"
#include "fix/changes/hold_unretained.h"
#include "fix/changes/hold_weakly.h"
#include "fix/changes/make_weak.h"
#include "fix/changes/swift_weakly.h"
#include "fix/changes/weak_ptr.h"
#include "fix/source/removers.h"

#include <string.h>

struct rewrite {
    const struct answer *answer;
    const struct fix_choice *choice;
    const struct json_value *edge; /* the reference that changes */
    const struct json_value *in;   /* of one that a collection has: the ivar that has that */
    enum loupe_change change;
    const char *folder;
    struct loupe_arena *arena;
    struct fix_change *ret;
    struct fix_reason *reason;
};

static bool is_kind(const struct json_value *edge, const char *kind) {
    return loupe_span_equals(json_text(edge, "kind"), kind);
}

static const struct json_value *owner_of(const struct rewrite *rewrite,
                                         const struct json_value *edge) {
    return answer_object(rewrite->answer, json_text(edge, "from"));
}

static bool fix_by_hand(struct rewrite *rewrite) {
    return fix_refuse(rewrite->reason,
                      "\"%s\" is to be done by hand: it is none of the changes that are written so "
                      "far",
                      cli_printable(loupe_span_of(rewrite->choice->text)));
}

static bool check_weak_references(struct rewrite *rewrite) {
    return json_member(rewrite->answer->root, "weak_references")->kind != JSON_FALSE ||
           fix_refuse(rewrite->reason, "the program's runtime has no weak references");
}

/* ---- Swift ---- */

/* Its classes have their module before them. */
static bool is_of_swift(struct loupe_span class_name) {
    return loupe_span_contains(class_name, ".");
}

static struct fix_swift_property swift_property_of(const struct rewrite *rewrite) {
    return (struct fix_swift_property){
        .class_name = json_text(owner_of(rewrite, rewrite->edge), "class"),
        .name = answer_path(rewrite->edge),
        .held = json_text(answer_object(rewrite->answer, json_text(rewrite->edge, "to")), "class")};
}

/* "closure #1 in Form.bind() at Form.swift:92" */
static void take_place(struct loupe_span closure, struct fix_swift_property *ret) {
    static const char at[] = " at ";
    size_t colon = closure.length, start;
    while (colon > 0 && closure.bytes[colon - 1] != ':')
        colon--;
    for (start = colon; start > sizeof(at); start--) {
        if (memcmp(closure.bytes + start - sizeof(at) + 1, at, sizeof(at) - 1) == 0)
            break;
    }
    if (!colon || start <= sizeof(at))
        return;
    uint32_t line = 0; /* one that is too large is in no file */
    for (size_t i = colon; i < closure.length; i++) {
        if (closure.bytes[i] < '0' || closure.bytes[i] > '9')
            return;
        line = 10 * line + (uint32_t)(closure.bytes[i] - '0');
    }
    ret->file = (struct loupe_span){closure.bytes + start, colon - 1 - start};
    ret->line = line;
}

/* A closure by its place, or one in a property: only self can be named there. */
static bool capture_in_closure(struct rewrite *rewrite) {
    struct fix_swift_property property = swift_property_of(rewrite);
    const struct json_value *invoke = json_member(owner_of(rewrite, rewrite->edge), "invoke");
    take_place(json_text(rewrite->edge, "closure"), &property);
    if (json_uint(invoke, "line")) {
        property.file = json_text(invoke, "file");
        property.line = json_uint(invoke, "line");
    }
    property.is_self = loupe_span_equals(property.name, "self") ||
                       json_texts_equal(property.class_name, property.held);
    return property.line || json_texts_equal(property.class_name, property.held)
               ? fix_swift_weak_self(rewrite->folder, &property, rewrite->arena, rewrite->ret,
                                     rewrite->reason)
               : fix_by_hand(rewrite);
}

/* ---- One for each ---- */

static bool make_weak(struct rewrite *rewrite) {
    struct loupe_span class_name = json_text(owner_of(rewrite, rewrite->edge), "class");
    struct loupe_span ivar = answer_path(rewrite->edge);
    struct fix_swift_property property = swift_property_of(rewrite);
    if (!is_kind(rewrite->edge, "ivar"))
        return fix_by_hand(rewrite);
    if (is_of_swift(class_name))
        return fix_swift_weak_var(rewrite->folder, &property, rewrite->arena, rewrite->ret,
                                  rewrite->reason);
    if (json_is_true(rewrite->edge, "manual"))
        return fix_hold_unretained(rewrite->folder, class_name, ivar, rewrite->arena, rewrite->ret,
                                   rewrite->reason);
    return check_weak_references(rewrite) &&
           fix_make_weak(rewrite->folder, class_name, ivar, rewrite->arena, rewrite->ret,
                         rewrite->reason);
}

/* Where the block was written that has a captured variable. */
static struct fix_captured captured_by(const struct rewrite *rewrite,
                                       const struct json_value *edge) {
    const struct json_value *invoke = json_member(owner_of(rewrite, edge), "invoke");
    return (struct fix_captured){.variable = answer_path(edge),
                                 .file = json_text(invoke, "file"),
                                 .function = json_text(invoke, "function"),
                                 .line = json_uint(invoke, "line"),
                                 .is_manual = json_is_true(edge, "manual")};
}

static bool capture_weakly(struct rewrite *rewrite) {
    struct fix_captured captured = captured_by(rewrite, rewrite->edge);
    if (!is_kind(rewrite->edge, "capture"))
        return fix_by_hand(rewrite);
    struct loupe_span held =
        json_text(answer_object(rewrite->answer, json_text(rewrite->edge, "to")), "class");
    if (is_of_swift(json_text(owner_of(rewrite, rewrite->edge), "class")) || is_of_swift(held))
        return capture_in_closure(rewrite);
    return (captured.is_manual || check_weak_references(rewrite)) &&
           fix_capture_weakly(rewrite->folder, &captured, rewrite->arena, rewrite->ret,
                              rewrite->reason);
}

/* ---- References of the same entry ---- */

/* Of the kind, between two objects; an empty address is any. */
static const struct json_value *edge_between(const struct rewrite *rewrite, const char *kind,
                                             struct loupe_span from, struct loupe_span to) {
    const struct json_value *knot = json_member(rewrite->choice->found, "knot");
    const struct json_value *entry = knot->kind == JSON_OBJECT ? knot : rewrite->choice->found;
    JSON_EACH(ring, json_member(entry, "rings")) {
        JSON_EACH(edge, json_member(ring, "edges")) {
            if (is_kind(edge, kind) &&
                (!from.length || json_texts_equal(json_text(edge, "from"), from)) &&
                json_texts_equal(json_text(edge, "to"), to))
                return edge;
        }
    }
    return NULL;
}

/* A __block variable, by the block that captures it. */
static bool weaken_block_variable(struct rewrite *rewrite) {
    const struct json_value *edge = rewrite->edge;
    if (is_kind(edge, "byref"))
        edge = edge_between(rewrite, "capture", (struct loupe_span){"", 0},
                            json_text(rewrite->edge, "from"));
    if (!edge || !is_kind(edge, "capture"))
        return fix_by_hand(rewrite);
    struct fix_captured captured = captured_by(rewrite, edge);
    return check_weak_references(rewrite) &&
           fix_weaken_block_variable(rewrite->folder, &captured, rewrite->arena, rewrite->ret,
                                     rewrite->reason);
}

/* Whether a reference is an ivar of a class that has a source of its own. */
static bool is_ivar_of_program(const struct rewrite *rewrite, const struct json_value *edge) {
    return is_kind(edge, "ivar") &&
           !loupe_is_class_of_foundation(json_text(owner_of(rewrite, edge), "class"));
}

/* The ivar that has what keeps its target, as a timer, in the loops of the same entry. */
static const struct json_value *ivar_that_has(const struct rewrite *rewrite,
                                              struct loupe_span address) {
    const struct json_value *edge =
        edge_between(rewrite, "ivar", (struct loupe_span){"", 0}, address);
    return edge && is_ivar_of_program(rewrite, edge) ? edge : NULL;
}

static bool end_it(struct rewrite *rewrite) {
    const struct json_value *edge = rewrite->edge;
    if (!is_ivar_of_program(rewrite, edge))
        edge = ivar_that_has(rewrite, json_text(edge, "from"));
    if (!edge)
        return fix_by_hand(rewrite);
    struct fix_ended ended = {
        .class_name = json_text(owner_of(rewrite, edge), "class"),
        .ivar = answer_path(edge),
        .held = json_text(answer_object(rewrite->answer, json_text(edge, "to")), "class"),
        .change = rewrite->change,
        .is_manual = json_is_true(edge, "manual")};
    return fix_end_it(rewrite->folder, &ended, rewrite->arena, rewrite->ret, rewrite->reason);
}

/* ---- C++ ---- */

static struct fix_shared shared_of(const struct rewrite *rewrite) {
    return (struct fix_shared){
        .owner = json_text(owner_of(rewrite, rewrite->edge), "class"),
        .held = json_text(answer_object(rewrite->answer, json_text(rewrite->edge, "to")), "class")};
}

static bool make_weak_ptr(struct rewrite *rewrite) {
    struct fix_shared shared = shared_of(rewrite);
    return fix_member_to_weak_ptr(rewrite->folder, &shared, rewrite->arena, rewrite->ret,
                                  rewrite->reason);
}

static bool capture_weak_ptr(struct rewrite *rewrite) {
    struct fix_shared shared = shared_of(rewrite);
    return fix_capture_weak_ptr(rewrite->folder, &shared, rewrite->arena, rewrite->ret,
                                rewrite->reason);
}

/* ---- Collections ---- */

static struct fix_collection collection_of(const struct rewrite *rewrite) {
    return (struct fix_collection){.class_name = json_text(owner_of(rewrite, rewrite->in), "class"),
                                   .ivar = answer_path(rewrite->in),
                                   .side = is_kind(rewrite->edge, "key")     ? FIX_KEYS
                                           : is_kind(rewrite->edge, "value") ? FIX_VALUES
                                                                             : FIX_ITEMS};
}

static bool hold_weakly(struct rewrite *rewrite) {
    struct fix_collection collection = collection_of(rewrite);
    if (rewrite->in->kind != JSON_OBJECT)
        return fix_by_hand(rewrite);
    return check_weak_references(rewrite) &&
           fix_hold_weakly(rewrite->folder, &collection, rewrite->arena, rewrite->ret,
                           rewrite->reason);
}

/* By the method of the collection's owner, which the observer has in an ivar, at its end. */
static bool remove_at_end(struct rewrite *rewrite) {
    struct loupe_span owner = json_text(owner_of(rewrite, rewrite->in), "class");
    const struct json_value *edge = edge_between(rewrite, "ivar", json_text(rewrite->edge, "to"),
                                                 json_text(rewrite->in, "from"));
    struct fix_files files;
    struct fix_classes classes;
    if (!edge || !fix_can_be_name(owner))
        return fix_by_hand(rewrite);
    struct fix_ended ended = {.class_name = json_text(owner_of(rewrite, edge), "class"),
                              .ivar = answer_path(edge),
                              .held = owner,
                              .change = LOUPE_REMOVE_OBSERVER,
                              .is_manual = true};
    return fix_find_sources(rewrite->folder, owner, rewrite->arena, &files, rewrite->reason) &&
           fix_find_class(&files, owner, rewrite->arena, &classes, rewrite->reason) &&
           fix_find_remover(&classes, answer_path(rewrite->in), &ended.remover, rewrite->reason) &&
           fix_end_it(rewrite->folder, &ended, rewrite->arena, rewrite->ret, rewrite->reason);
}

/* A hash table that holds weakly needs nobody who ends its work. */
static bool remove_observer(struct rewrite *rewrite) {
    struct fix_collection collection = collection_of(rewrite);
    bool has_weak = json_member(rewrite->answer->root, "weak_references")->kind != JSON_FALSE &&
                    !json_is_true(rewrite->in, "manual");
    collection.is_audience = true;
    if (has_weak && fix_hold_weakly(rewrite->folder, &collection, rewrite->arena, rewrite->ret,
                                    rewrite->reason))
        return true;
    return !collection.is_weak_already && remove_at_end(rewrite);
}

bool fix_rewrite(const struct answer *answer, const struct fix_choice *choice, const char *folder,
                 struct loupe_arena *arena, struct fix_change *ret, struct fix_reason *reason) {
    if (fix_is_hint(choice))
        return fix_refuse(reason, "\"%s\" is a hint: nothing in the answer says who uses it last",
                          cli_printable(loupe_span_of(choice->text)));
    if (fix_is_missing_release(choice))
        return fix_add_release(folder, json_text(choice->found, "class"),
                               json_member(answer->root, "weak_references")->kind == JSON_FALSE,
                               arena, ret, reason);
    const struct json_value *subjects = json_member(choice->fix, "subjects");
    const struct json_value *subject = subjects->first ? subjects->first : choice->fix;
    struct rewrite rewrite = {.answer = answer,
                              .choice = choice,
                              .edge = json_member(subject, "edge"),
                              .in = json_member(subject, "in"),
                              .change = loupe_change_named(json_text(subject, "do")),
                              .folder = folder,
                              .arena = arena,
                              .ret = ret,
                              .reason = reason};
    if (subjects->count > 1)
        return fix_refuse(reason, "it changes %u references at once: do it by hand",
                          (unsigned)subjects->count);
    switch (rewrite.change) {
    case LOUPE_MAKE_WEAK:
        return is_kind(rewrite.edge, "byref") ? weaken_block_variable(&rewrite)
                                              : make_weak(&rewrite);
    case LOUPE_CAPTURE_WEAKLY:
        return capture_weakly(&rewrite);
    case LOUPE_SET_TO_NIL:
        return is_kind(rewrite.edge, "ivar") ? end_it(&rewrite) : weaken_block_variable(&rewrite);
    case LOUPE_TAKE_OUT:
    case LOUPE_WEAK_KEYS:
        return hold_weakly(&rewrite);
    case LOUPE_REMOVE_OBSERVER:
        return remove_observer(&rewrite);
    case LOUPE_WEAK_PTR:
        return make_weak_ptr(&rewrite);
    case LOUPE_CAPTURE_WEAK_PTR:
        return capture_weak_ptr(&rewrite);
    case LOUPE_FINISH:
    case LOUPE_INVALIDATE:
    case LOUPE_INVALIDATE_BEFORE:
    case LOUPE_CANCEL:
    case LOUPE_REMOVE_ACTIONS:
    case LOUPE_REMOVE_TOKEN:
        return end_it(&rewrite);
    default:
        return fix_by_hand(&rewrite);
    }
}
