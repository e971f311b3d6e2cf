#include "share_suspects.h"

#include "amounts.h"
#include "base/fnv.h"
#include "cycles/fingerprint.h"
#include "native_words.h"
#include "report/report_trace.h"
#include "show_trace.h"
#include "snapshot/collection_names.h"
#include "snapshot/native.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_PERCENT = 10, WHOLE = 100 };

/* ---- The share ---- */

/* "10", "10%". */
static int read_percent(const struct heap_query *query, uint32_t *ret) {
    const char *text = query->options.share, *cursor = text;
    uint64_t percent = DEFAULT_PERCENT;
    if (text && (!loupe_parse_decimal(&cursor, text + strlen(text), WHOLE, &percent) ||
                 (cursor[0] == '%' ? cursor[1] : cursor[0]) || percent == 0))
        return heap_fail(query, LOUPE_EUSAGE,
                         "--share takes a percentage from 1 to 100, as 10%%, not '%s'",
                         cli_printable(loupe_span_of(text)));
    *ret = (uint32_t)percent;
    return CLI_OK;
}

static uint64_t alive_bytes(const struct loupe_dominators *dominators) {
    uint64_t bytes = 0;
    for (uint32_t node = 0; node < dominators->nodes; node++) {
        if (dominators->immediate[node] == dominators->nodes)
            bytes += dominators->retained[node];
    }
    return bytes;
}

/* ---- The culprit ---- */

static struct loupe_span without_package(struct loupe_span name) {
    for (size_t i = name.length; i-- > 0;) {
        if (name.bytes[i] == '.' && i + 1 < name.length)
            return (struct loupe_span){.bytes = name.bytes + i + 1, .length = name.length - i - 1};
    }
    return name;
}

static void put_name(char *dst, struct loupe_span cls, struct loupe_span name) {
    loupe_format(dst, SHARE_CULPRIT, "%.*s%s%.*s", (int)cls.length, cls.bytes,
                 cls.length ? "." : "", (int)name.length, name.bytes);
}

/* False: the link has no name of a program's. */
static bool name_link(const struct loupe_snapshot *snapshot, uint32_t from, uint32_t link,
                      char *dst) {
    struct loupe_link_name name;
    if (snapshot->native) {
        const struct loupe_label *label = loupe_native_label(snapshot, link);
        if (!label || label->path == LOUPE_NONE || label->declared_by == LOUPE_NONE)
            return false;
        put_name(dst, loupe_snapshot_string(snapshot, label->declared_by),
                 loupe_snapshot_string(snapshot, label->path));
        return true;
    }
    loupe_snapshot_name_link(snapshot, from, link, &name);
    if (name.kind != LOUPE_LINK_NAME_FIELD && name.kind != LOUPE_LINK_NAME_STATIC)
        return false;
    put_name(dst, without_package(loupe_snapshot_class_name(snapshot, name.declared_by)),
             name.name);
    return true;
}

static void name_root(const struct loupe_snapshot *snapshot, uint32_t root, char *dst) {
    if (snapshot->native)
        loupe_format(dst, SHARE_CULPRIT, "%s", words_of_root(snapshot, root).text);
    else
        loupe_format(
            dst, SHARE_CULPRIT, "%s",
            loupe_snapshot_root_kind_name((enum loupe_root_kind)snapshot->roots[root].kind));
}

/* The last reference on the way that does not stand in a collection; else the root. */
static void name_culprit(const struct loupe_snapshot *snapshot, const struct loupe_marks *between,
                         struct share_suspect *suspect) {
    const struct loupe_trace *trace = &suspect->trace;
    for (uint32_t i = trace->count; i-- > 0;) {
        const struct loupe_trace_step *step = &trace->steps[i];
        if (step->link != LOUPE_NO_EDGE &&
            !loupe_is_marked(between, snapshot->classes[step->node]) &&
            name_link(snapshot, step->node, step->link, suspect->culprit))
            return;
    }
    name_root(snapshot, trace->root, suspect->culprit);
    suspect->is_root = true;
}

/* Of what a person would call it, so that sizes, keys and addresses do not matter. */
static uint64_t fingerprint_of(const struct loupe_snapshot *snapshot,
                               const struct share_suspect *suspect) {
    uint64_t hash = loupe_fnv_span(LOUPE_FNV_BASIS, loupe_span_of("share"));
    uint32_t kind = snapshot->roots[suspect->trace.root].kind;
    const char *named = suspect->is_root /* its words may have an address in them */
                            ? loupe_snapshot_root_kind_name((enum loupe_root_kind)kind)
                            : suspect->culprit;
    hash = loupe_fnv_span(hash, loupe_span_of(named));
    if (suspect->owner.held_class != LOUPE_NO_NODE)
        hash = loupe_fnv_span(hash, loupe_snapshot_class_name(snapshot, suspect->owner.held_class));
    return hash;
}

/* ---- Finding ---- */

static bool complete(struct share_suspects *suspects, const struct loupe_marks *between,
                     const struct loupe_owner *owner) {
    struct heap_question *question = suspects->question;
    const struct loupe_snapshot *snapshot = question->query->snapshot;
    const struct loupe_shortest *shortest = heap_question_shortest(question, NULL);
    struct share_suspect *suspect = &suspects->items[suspects->count];
    if (!shortest || loupe_trace_shortest(&question->tracer, shortest, owner->accumulation, NULL,
                                          &suspect->trace))
        return false;
    suspect->owner = *owner;
    suspect->percent = (uint32_t)(owner->retained / (suspects->alive / WHOLE + 1));
    name_culprit(snapshot, between, suspect);
    suspect->fingerprint = fingerprint_of(snapshot, suspect);
    suspects->count++;
    return true;
}

/* All classes together have nothing in common. */
static bool are_classes(const struct loupe_snapshot *snapshot, const struct loupe_owner *owner) {
    return owner->count > 1 && loupe_snapshot_class_at(snapshot, owner->node) != LOUPE_NONE;
}

static bool find_owners(struct share_suspects *suspects, const struct loupe_marks *between,
                        struct loupe_vector *owners) {
    struct heap_question *question = suspects->question;
    const struct loupe_snapshot *snapshot = question->query->snapshot;
    struct loupe_owner_options options = {.least = suspects->alive / WHOLE * suspects->percent + 1,
                                          .classes = snapshot->classes,
                                          .class_count = snapshot->class_count,
                                          .between = between};
    bool done = !loupe_owners_find(&question->tracer.columns, suspects->dominators, &options,
                                   &heap_chunks, owners);
    suspects->items = done ? calloc((size_t)owners->count + 1, sizeof(*suspects->items)) : NULL;
    for (uint32_t i = 0; suspects->items && done && i < owners->count; i++) {
        const struct loupe_owner *owner = loupe_vector_at(owners, i, sizeof(*owner));
        if (!are_classes(snapshot, owner))
            done = complete(suspects, between, owner);
    }
    return done && suspects->items;
}

static bool find(struct share_suspects *suspects) {
    const struct loupe_snapshot *snapshot = suspects->question->query->snapshot;
    struct loupe_marks between;
    struct loupe_vector owners;
    suspects->dominators = heap_question_dominators(suspects->question);
    if (!suspects->dominators || loupe_marks_init(&between, &heap_chunks, snapshot->class_count))
        return false;
    loupe_vector_init(&owners, &heap_chunks, sizeof(struct loupe_owner));
    loupe_mark_collections(snapshot, &between);
    suspects->alive = alive_bytes(suspects->dominators);
    bool done = find_owners(suspects, &between, &owners);
    loupe_vector_deinit(&owners);
    loupe_marks_deinit(&between);
    return done;
}

int share_suspects_find(struct share_suspects *suspects, struct heap_question *question) {
    *suspects = (struct share_suspects){.question = question};
    int status = read_percent(question->query, &suspects->percent);
    if (status)
        return status;
    return find(suspects) ? CLI_OK : heap_ended(question->query);
}

void share_suspects_hide(struct share_suspects *suspects, struct heap_gates *gates) {
    uint32_t kept = 0, all = suspects->count;
    for (uint32_t i = 0; i < all; i++) {
        if (!heap_gates_know_suspect(gates, suspects->items[i].fingerprint, "kept by",
                                     loupe_span_of(suspects->items[i].culprit)))
            suspects->items[kept++] = suspects->items[i];
    }
    suspects->count = kept;
    suspects->hidden = all - kept;
}

void share_suspects_deinit(struct share_suspects *suspects) {
    free(suspects->items);
}

/* ---- JSON ---- */

static void report_one(struct loupe_json *json, const struct share_suspects *suspects,
                       const struct share_suspect *suspect) {
    const struct loupe_snapshot *snapshot = suspects->question->query->snapshot;
    const struct loupe_owner *owner = &suspect->owner;
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(suspect->fingerprint, fingerprint);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "kind", "share");
    loupe_json_put_string(json, "fingerprint", fingerprint);
    loupe_json_put_text(json, "class",
                        owner->held_class == LOUPE_NO_NODE
                            ? loupe_snapshot_class_name(snapshot, snapshot->classes[owner->node])
                            : loupe_snapshot_class_name(snapshot, owner->held_class));
    loupe_json_put_uint(json, "count", owner->held_class == LOUPE_NO_NODE ? 1 : owner->held_count);
    loupe_json_put_uint(json, "retained", owner->retained);
    loupe_json_put_uint(json, "share", suspect->percent);
    loupe_json_put_string(json, "culprit", suspect->culprit);
    loupe_json_key(json, "accumulation");
    loupe_json_begin_object(json);
    loupe_report_heap_object(json, snapshot, owner->accumulation);
    loupe_json_end_object(json);
    loupe_json_key(json, "path");
    loupe_report_trace(json, &suspects->question->tracer, &suspect->trace);
    loupe_json_end_object(json);
}

void share_suspects_report(struct loupe_json *json, const struct share_suspects *suspects) {
    for (uint32_t i = 0; i < suspects->count; i++)
        report_one(json, suspects, &suspects->items[i]);
}

/* ---- Text ---- */

/* "Registry.sessions keeps 612.4 MB, 83 % of what is alive: 1,533,458 Session". */
static void show_one(const struct share_suspects *suspects, const struct share_suspect *suspect) {
    const struct loupe_snapshot *snapshot = suspects->question->query->snapshot;
    const struct loupe_owner *owner = &suspect->owner;
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(suspect->fingerprint, fingerprint);
    if (owner->count > 1)
        printf("\n%s %s keep %s, %u %% of what is alive; fingerprint %s\n", cli_count(owner->count),
               cli_printable(loupe_snapshot_class_name(snapshot, owner->held_class)),
               cli_bytes(owner->retained), suspect->percent, fingerprint);
    else
        printf("\n%s keeps %s, %u %% of what is alive",
               cli_printable(loupe_span_of(suspect->culprit)), cli_bytes(owner->retained),
               suspect->percent);
    if (owner->count == 1 && owner->held_class != LOUPE_NO_NODE)
        printf(": %s × %s", cli_count(owner->held_count),
               cli_printable(loupe_snapshot_class_name(snapshot, owner->held_class)));
    if (owner->count == 1)
        printf("; fingerprint %s\n", fingerprint);
    show_trace(&suspects->question->tracer, &suspect->trace, suspects->dominators);
}

void share_suspects_show(const struct share_suspects *suspects) {
    if (!suspects->count) {
        printf("\nNo %sobject, and no %sclass of objects, keeps %u %% of the %s alive\n",
               suspects->hidden ? "other " : "", suspects->hidden ? "other " : "",
               suspects->percent, cli_bytes(suspects->alive));
        return;
    }
    printf("\nWhat keeps %u %% or more of the %s that are alive, whether it should or not:\n",
           suspects->percent, cli_bytes(suspects->alive));
    for (uint32_t i = 0; i < suspects->count; i++)
        show_one(suspects, &suspects->items[i]);
}
