/* Collections that hold weakly. */
#include "fix/changes/hold_weakly.h"

#include "answers/json_tree.h"
#include "shared/cli.h"
#include "fix/source/doubts.h"
#include "fix/source/properties.h"
#include "fix/source/reasons.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct scene {
    struct fix_collection *collection;
    struct loupe_span property; /* that has the ivar; empty: none */
    struct fix_files files;
    struct fix_classes classes;
    const struct fix_file *file; /* that changes; all has to be in one */
    struct fix_patch patch;
    uint32_t made, declared; /* places */
    bool is_table;           /* it is made as a kind that can hold weakly, and stays one */
    struct loupe_arena *arena;
    struct fix_reason *reason;
};

/* ---- Edits ---- */

/* From the start of a token to the end of another. */
static bool replace(struct scene *scene, const struct fix_file *file, uint32_t from, uint32_t to,
                    const char *text) {
    const struct fix_token *first = &file->source.tokens[from], *last = &file->source.tokens[to];
    struct fix_edit edit = {.offset = first->offset,
                            .removed = last->offset + last->length - first->offset,
                            .inserted = text};
    if (scene->file && scene->file != file)
        return fix_refuse(scene->reason, "it takes changes in %s and %s: do it by hand",
                          cli_printable(loupe_span_of(scene->file->path)),
                          cli_printable(loupe_span_of(file->path)));
    if (first->conditions)
        return fix_refuse_at(scene->reason, file, from, FIX_IN_CONDITION);
    if (memchr(file->source.text.bytes + edit.offset, '\n', edit.removed))
        return fix_refuse_at(scene->reason, file, from,
                             "what would change is in more than one line");
    scene->file = scene->patch.file = file;
    return fix_add_edit(&scene->patch, edit, scene->arena, scene->reason);
}

/* ---- How one is made ---- */

/* A word by which a table owns one of its sides, and that by which it does not. */
struct weaker {
    enum fix_side side;
    const char *strong, *weak;
};

static const struct weaker makers[] = {
    {FIX_VALUES, "strongToStrongObjectsMapTable", "strongToWeakObjectsMapTable"},
    {FIX_VALUES, "weakToStrongObjectsMapTable", "weakToWeakObjectsMapTable"},
    {FIX_VALUES, "mapTableWithStrongToStrongObjects", "mapTableWithStrongToWeakObjects"},
    {FIX_VALUES, "mapTableWithWeakToStrongObjects", "mapTableWithWeakToWeakObjects"},
    {FIX_KEYS, "strongToStrongObjectsMapTable", "weakToStrongObjectsMapTable"},
    {FIX_KEYS, "strongToWeakObjectsMapTable", "weakToWeakObjectsMapTable"},
    {FIX_KEYS, "mapTableWithStrongToStrongObjects", "mapTableWithWeakToStrongObjects"},
    {FIX_KEYS, "mapTableWithStrongToWeakObjects", "mapTableWithWeakToWeakObjects"},
    {FIX_ITEMS, "strongObjectsPointerArray", "weakObjectsPointerArray"},
};

/* The part of a message that says how a side is held. */
static const struct weaker options[] = {
    {FIX_VALUES, "valueOptions", NULL},           {FIX_KEYS, "keyOptions", NULL},
    {FIX_KEYS, "initWithKeyOptions", NULL},       {FIX_KEYS, "mapTableWithKeyOptions", NULL},
    {FIX_ITEMS, "hashTableWithOptions", NULL},    {FIX_ITEMS, "initWithOptions", NULL},
    {FIX_ITEMS, "pointerArrayWithOptions", NULL},
};

static bool takes_option(const struct scene *scene, struct loupe_span word) {
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (options[i].side == scene->collection->side &&
            loupe_span_equals(word, options[i].strong))
            return true;
    }
    return false;
}

static const char *weak_maker(const struct scene *scene, struct loupe_span word) {
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
        if (makers[i].side == scene->collection->side && loupe_span_equals(word, makers[i].strong))
            return makers[i].weak;
    }
    return NULL;
}

static bool is_weak_maker(const struct scene *scene, struct loupe_span word) {
    bool is_weak = loupe_span_equals(word, "weakObjectsHashTable");
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
        is_weak |=
            makers[i].side == scene->collection->side && loupe_span_equals(word, makers[i].weak);
    return is_weak;
}

/* Of a table: the one word between two tokens that makes it own. False too where there is none. */
static bool take_table(struct scene *scene, const struct fix_file *file, uint32_t from,
                       uint32_t to) {
    const struct fix_source *source = &file->source;
    for (uint32_t i = from; i < to; i++) {
        if (is_weak_maker(scene, fix_token_text(source, i))) {
            scene->collection->is_weak_already = true;
            return fix_refuse_at(scene->reason, file, i,
                                 "it holds weakly already: the answer is of other code");
        }
        const char *weak = weak_maker(scene, fix_token_text(source, i));
        if (weak)
            return replace(scene, file, i, i, weak);
        if (takes_option(scene, fix_token_text(source, i)) && fix_token_is(source, i + 1, ":") &&
            fix_token_is(source, i + 2, "NSPointerFunctionsStrongMemory"))
            return replace(scene, file, i + 2, i + 2, "NSPointerFunctionsWeakMemory");
    }
    return fix_refuse_at(scene->reason, file, from, "it is not seen how what is made there owns");
}

static bool is_array_or_set(const struct fix_source *source, uint32_t token) {
    return fix_token_is(source, token, "NSMutableArray") ||
           fix_token_is(source, token, "NSMutableSet");
}

/* "[[NSMutableArray alloc] init]", "[NSMutableSet set]", and no more in it. */
static bool is_empty_one(const struct fix_source *source, uint32_t open, uint32_t close) {
    static const char *const plain[] = {"array", "set", "new"};
    static const char *const sized[] = {"arrayWithCapacity", "setWithCapacity", "initWithCapacity"};
    bool is_allocated = fix_token_is(source, open + 1, "[");
    uint32_t of = open + 1 + is_allocated, message = is_allocated ? of + 3 : of + 1;
    if (!is_array_or_set(source, of) || (is_allocated && !fix_token_is(source, of + 1, "alloc")))
        return false;
    struct loupe_span word = fix_token_text(source, message);
    if (fix_is_one_of(word, sized, COUNT_OF(sized)))
        return fix_token_is(source, message + 1, ":") && message + 3 == close;
    return message + 1 == close && (is_allocated ? loupe_span_equals(word, "init")
                                                 : fix_is_one_of(word, plain, COUNT_OF(plain)));
}

/* What is put into the ivar: a value from a token to the one before the ";". */
static bool take_value(struct scene *scene, const struct fix_file *file, uint32_t from,
                       uint32_t end) {
    const struct fix_source *source = &file->source;
    if (end == from + 1 && fix_token_is(source, from, "nil"))
        return true;
    if (!fix_token_is(source, from, "[") || fix_closing(source, from) + 1 != end)
        return fix_refuse_at(scene->reason, file, from, FIX_VALUE_UNCLEAR);
    scene->made++;
    bool is_plain = is_empty_one(source, from, end - 1);
    if (scene->made > 1 && scene->is_table == is_plain)
        return fix_refuse_at(scene->reason, file, from, "it is made in two ways");
    scene->is_table = !is_plain;
    if (!is_plain)
        return take_table(scene, file, from, end);
    if (!scene->collection->is_audience)
        return fix_refuse_at(scene->reason, file, from,
                             "what is made there owns, and its items may have no other owner");
    return replace(scene, file, from, end - 1, "[NSHashTable weakObjectsHashTable]");
}

/* ---- How it is used ---- */

static bool is_own_code(const struct scene *scene, const struct fix_file *file, uint32_t at) {
    for (uint32_t i = 0; i < scene->classes.count; i++) {
        const struct fix_class *part = &scene->classes.items[i];
        if (part->file == file && part->part == FIX_IMPLEMENTATION && at > part->members &&
            at < part->end)
            return true;
    }
    return false;
}

static bool is_property(const struct scene *scene, const struct fix_source *source, uint32_t at) {
    return scene->property.length && fix_is_name(source, at) &&
           json_texts_equal(fix_token_text(source, at), scene->property);
}

/* The first token of what stands for the collection at one: "_x", "self->_x", "self.x". 0: it is
 * something else. */
static uint32_t start_of_use(const struct scene *scene, const struct fix_source *source,
                             uint32_t at) {
    bool by_dot = fix_token_is(source, at - 1, ".");
    bool by_arrow = fix_token_is(source, at - 1, ">") && fix_token_is(source, at - 2, "-");
    if (is_property(scene, source, at) && by_dot)
        return fix_token_is(source, at - 2, "self") ? at - 2 : 0;
    if (!fix_is_name(source, at) || by_dot ||
        !json_texts_equal(fix_token_text(source, at), scene->collection->ivar))
        return 0;
    if (by_arrow)
        return fix_token_is(source, at - 3, "self") ? at - 3 : 0;
    return at;
}

/* What arrays, sets and hash tables do alike. */
static bool is_common_use(const struct fix_source *source, uint32_t start, uint32_t at) {
    static const char *const messages[] = {"addObject", "removeObject", "containsObject"};
    static const char *const plain[] = {"count", "removeAllObjects"};
    uint32_t before = start - 1, next = at + 1;
    if (fix_token_is(source, before, "["))
        return (fix_is_one_of(fix_token_text(source, next), messages, COUNT_OF(messages)) &&
                fix_token_is(source, next + 1, ":")) ||
               (fix_is_one_of(fix_token_text(source, next), plain, COUNT_OF(plain)) &&
                fix_token_is(source, next + 1, "]"));
    if (fix_token_is(source, next, "."))
        return fix_token_is(source, next + 1, "count");
    bool is_asked = fix_token_is(source, before, "!") || fix_token_is(source, before, "(");
    return (fix_token_is(source, before, "in") || is_asked) && fix_token_is(source, next, ")");
}

static uint32_t end_of_statement(const struct fix_source *source, uint32_t at) {
    while (at < source->count && !fix_token_is(source, at, ";"))
        at++;
    return at;
}

static bool take_use(struct scene *scene, const struct fix_file *file, uint32_t start,
                     uint32_t at) {
    const struct fix_source *source = &file->source;
    (void)start;
    if (fix_token_is(source, at + 1, "=") && !fix_token_is(source, at + 2, "="))
        return take_value(scene, file, at + 2, end_of_statement(source, at));
    return true;
}

/* Of an array or set every use has to be one that a hash table has too. */
static bool check_use(struct scene *scene, const struct fix_file *file, uint32_t start,
                      uint32_t at) {
    const struct fix_source *source = &file->source;
    bool is_set = fix_token_is(source, at + 1, "=") && !fix_token_is(source, at + 2, "=");
    return is_set || is_common_use(source, start, at) ||
           fix_refuse_at(scene->reason, file, at,
                         "a hash table that holds weakly cannot be used so");
}

typedef bool visit(struct scene *scene, const struct fix_file *file, uint32_t start, uint32_t at);

static bool each_use(struct scene *scene, visit *see) {
    for (uint32_t i = 0; i < scene->files.count; i++) {
        const struct fix_file *file = &scene->files.items[i];
        for (uint32_t k = 3; k < file->source.count; k++) {
            uint32_t start =
                is_own_code(scene, file, k) ? start_of_use(scene, &file->source, k) : 0;
            if (start && !see(scene, file, start, k))
                return false;
        }
    }
    return true;
}

/* "x.observers" of any object, or an ivar of another than self. */
static bool check_outside(struct scene *scene) {
    for (uint32_t i = 0; i < scene->files.count; i++) {
        const struct fix_file *file = &scene->files.items[i];
        const struct fix_source *source = &file->source;
        for (uint32_t k = 3; k < source->count; k++) {
            bool by_dot = fix_token_is(source, k - 1, ".") && is_property(scene, source, k);
            bool by_arrow = fix_token_is(source, k - 1, ">") && fix_is_name(source, k) &&
                            json_texts_equal(fix_token_text(source, k), scene->collection->ivar);
            bool is_getter = fix_token_is(source, k + 1, "]") && is_property(scene, source, k) &&
                             !fix_token_is(source, k - 1, "[");
            if (is_getter || ((by_dot || by_arrow) && !start_of_use(scene, source, k)))
                return fix_refuse_at(scene->reason, file, k,
                                     "it is used by another than its owner there");
        }
    }
    return true;
}

/* ---- How it is declared ---- */

/* The type before a name, of its kind and nothing else: "NSMutableArray *", with what it has in <>.
 */
static bool take_type(struct scene *scene, const struct fix_file *file, uint32_t from,
                      uint32_t name) {
    for (uint32_t i = from; i < name; i++) {
        if (!is_array_or_set(&file->source, i))
            continue;
        scene->declared++;
        return replace(scene, file, i, i, "NSHashTable");
    }
    return fix_refuse_at(scene->reason, file, name, "it is not declared as a mutable array or set");
}

static bool find_property(struct scene *scene, const struct fix_class *part) {
    const struct fix_source *source = &part->file->source;
    for (uint32_t i = part->members; i < part->end; i++) {
        struct fix_property property;
        if (!fix_token_is(source, i, "@property") ||
            !fix_read_property(source, i, part->end, &property) ||
            !fix_property_has_ivar(&scene->classes, fix_token_text(source, property.end - 1),
                                   scene->collection->ivar))
            continue;
        scene->property = fix_token_text(source, property.end - 1);
        if (property.owning == FIX_COPIES)
            return fix_refuse_at(scene->reason, part->file, i, "its property copies");
        if (!scene->is_table && scene->made &&
            !take_type(scene, part->file, property.type, property.end - 1))
            return false;
    }
    return true;
}

static bool find_ivar(struct scene *scene, const struct fix_class *part) {
    const struct fix_source *source = &part->file->source;
    uint32_t from = part->ivars;
    for (uint32_t i = part->ivars; part->ivars && i < part->ivars_end; i++) {
        if (fix_token_is(source, i, ";"))
            from = i + 1;
        if (!fix_token_is(source, i + 1, ";") || !fix_is_name(source, i) ||
            !json_texts_equal(fix_token_text(source, i), scene->collection->ivar))
            continue;
        if (!take_type(scene, part->file, from, i))
            return false;
    }
    return true;
}

static bool change_type(struct scene *scene) {
    for (uint32_t i = 0; i < scene->classes.count; i++) {
        if (!find_property(scene, &scene->classes.items[i]) ||
            !find_ivar(scene, &scene->classes.items[i]))
            return false;
    }
    return scene->declared > 0 || fix_refuse(scene->reason, "the declaration of %s is not found",
                                             cli_printable(scene->collection->ivar));
}

/* ---- The whole ---- */

static int compare_edits(const void *a, const void *b) {
    size_t left = ((const struct fix_edit *)a)->offset,
           right = ((const struct fix_edit *)b)->offset;
    return (left > right) - (left < right);
}

static bool check_class(struct scene *scene) {
    const struct fix_classes *classes = &scene->classes;
    if (classes->implementations != 1 || classes->interfaces > 1)
        return fix_refuse(
            scene->reason,
            "class %s is declared in %u places and implemented in %u: name the folder "
            "with --source that has it once",
            cli_printable(scene->collection->class_name), (unsigned)classes->interfaces,
            (unsigned)classes->implementations);
    for (uint32_t i = 0; i < classes->count; i++) {
        if (!fix_is_written_by_hand(classes->items[i].file, scene->reason))
            return false;
        if (!find_property(scene, &classes->items[i]))
            return false;
    }
    return true;
}

static bool change_all(struct scene *scene) {
    if (!each_use(scene, take_use))
        return false;
    if (!scene->made)
        return fix_refuse(scene->reason, "no place is found where class %s makes %s",
                          cli_printable(scene->collection->class_name),
                          cli_printable(scene->collection->ivar));
    return scene->is_table ||
           (each_use(scene, check_use) && check_outside(scene) && change_type(scene));
}

bool fix_hold_weakly(const char *folder, struct fix_collection *collection,
                     struct loupe_arena *arena, struct fix_change *ret, struct fix_reason *reason) {
    struct scene *scene = loupe_arena_alloc(arena, sizeof(*scene));
    if (!scene)
        return fix_refuse(reason, "out of memory");
    *scene = (struct scene){.collection = collection, .arena = arena, .reason = reason};
    if (!fix_are_names(collection->class_name, collection->ivar, reason))
        return false;
    if (!fix_find_sources(folder, collection->class_name, arena, &scene->files, reason) ||
        !fix_find_class(&scene->files, collection->class_name, arena, &scene->classes, reason) ||
        !check_class(scene) || !change_all(scene))
        return false;
    qsort(scene->patch.edits, scene->patch.count, sizeof(*scene->patch.edits), compare_edits);
    *ret = (struct fix_change){
        .patches = {scene->patch},
        .count = 1,
        .rests_on = "the first of all places found that make or declare it; somebody else keeps "
                    "what is in it, which goes from there by itself"};
    return true;
}
