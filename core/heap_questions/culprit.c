/* What a path shows that is to be looked at. */
#include "heap_questions/culprit.h"

#include "snapshot/native.h"
#include "snapshot/values/collection_names.h"
#include "snapshot/values/native_names.h"

static struct loupe_span without_package(struct loupe_span name) {
    for (size_t i = name.length; i-- > 0;) {
        if (name.bytes[i] == '.' && i + 1 < name.length)
            return (struct loupe_span){.bytes = name.bytes + i + 1, .length = name.length - i - 1};
    }
    return name;
}

static void put_name(char *dst, struct loupe_span cls, struct loupe_span name) {
    loupe_format(dst, LOUPE_CULPRIT_SIZE, "%.*s%s%.*s", (int)cls.length, cls.bytes,
                 cls.length ? "." : "", (int)name.length, name.bytes);
}

/* What the core knows of a class of a library is declared by none: then it is of the object's. */
static bool name_native_link(const struct loupe_snapshot *snapshot, uint32_t from, uint32_t link,
                             bool of_program, char *dst) {
    const struct loupe_label *label = loupe_native_label(snapshot, link);
    const struct loupe_pointer_ivar *pointer = loupe_native_pointer(snapshot, from, link);
    struct loupe_span cls = loupe_native_class_name(snapshot, from);
    if (pointer) {
        put_name(dst, loupe_snapshot_class_name(snapshot, pointer->class_number),
                 loupe_snapshot_string(snapshot, pointer->name));
        return true;
    }
    if (!label || label->path == LOUPE_NONE)
        return false;
    if (label->declared_by != LOUPE_NONE)
        cls = loupe_snapshot_string(snapshot, label->declared_by);
    else if (of_program || label->kind != LOUPE_EDGE_IVAR)
        return false;
    put_name(dst, cls, loupe_snapshot_string(snapshot, label->path));
    return true;
}

/* False: the link has no name of a program's. */
static bool name_link(const struct loupe_snapshot *snapshot, uint32_t from, uint32_t link,
                      bool of_program, char *dst) {
    struct loupe_link_name name;
    if (snapshot->native)
        return name_native_link(snapshot, from, link, of_program, dst);
    loupe_snapshot_name_link(snapshot, from, link, &name);
    if (name.kind != LOUPE_LINK_NAME_FIELD && name.kind != LOUPE_LINK_NAME_STATIC)
        return false;
    put_name(dst, without_package(loupe_snapshot_class_name(snapshot, name.declared_by)),
             name.name);
    return true;
}

static void name_root(const struct loupe_culprit_asked *asked, uint32_t root, char *dst) {
    const struct loupe_snapshot *snapshot = asked->snapshot;
    if (snapshot->native && asked->names)
        asked->names->root(snapshot, root, dst, LOUPE_CULPRIT_SIZE);
    else
        loupe_format(
            dst, LOUPE_CULPRIT_SIZE, "%s",
            loupe_snapshot_root_kind_name((enum loupe_root_kind)snapshot->roots[root].kind));
}

/* The static field that has the variable of a thread whose value a step of a path is: the thread
 * itself knows it by its place in a table. */
static bool name_thread_local(const struct loupe_snapshot *snapshot, uint32_t entry, char *dst) {
    const struct loupe_columns *columns = &snapshot->columns;
    struct loupe_link_name name;
    uint32_t variable = LOUPE_NO_NODE;
    for (uint32_t link = columns->first[entry]; link < columns->first[entry + 1]; link++) {
        loupe_snapshot_name_link(snapshot, entry, link, &name);
        if (loupe_span_equals(name.name, "referent"))
            variable = columns->to[link];
    }
    for (uint32_t i = 0; variable != LOUPE_NO_NODE && i < snapshot->class_count; i++) {
        uint32_t node = snapshot->class_table[i].node;
        for (uint32_t link = node == LOUPE_NO_NODE ? 0 : columns->first[node];
             node != LOUPE_NO_NODE && link < columns->first[node + 1]; link++) {
            if (columns->to[link] == variable && name_link(snapshot, node, link, true, dst))
                return true;
        }
    }
    return false;
}

static bool is_of_program(const struct loupe_snapshot *snapshot,
                          const struct loupe_trace_step *step) {
    struct loupe_link_name name;
    if (snapshot->native)
        return true;
    loupe_snapshot_name_link(snapshot, step->node, step->link, &name);
    return !loupe_is_class_of_java_platform(loupe_snapshot_class_name(snapshot, name.declared_by));
}

/* The last reference on the way that does not stand in a collection. */
static bool name_last(const struct loupe_culprit_asked *asked, const struct loupe_trace *trace,
                      bool of_program, char *dst) {
    const struct loupe_snapshot *snapshot = asked->snapshot;
    for (uint32_t i = trace->count; i-- > 0;) {
        const struct loupe_trace_step *step = &trace->steps[i];
        uint32_t class_number = snapshot->classes[step->node];
        if (step->link == LOUPE_NO_EDGE)
            continue;
        if (of_program && !snapshot->native &&
            loupe_span_equals(loupe_snapshot_class_name(snapshot, class_number),
                              "java.lang.ThreadLocal$ThreadLocalMap$Entry") &&
            name_thread_local(snapshot, step->node, dst))
            return true;
        if (!loupe_is_marked(asked->between, class_number) &&
            (!of_program || is_of_program(snapshot, step)) &&
            name_link(snapshot, step->node, step->link, of_program, dst))
            return true;
    }
    return false;
}

/* What the program wrote comes before what it uses: there it can be changed. */
bool loupe_culprit_name(const struct loupe_culprit_asked *asked, const struct loupe_trace *trace,
                        char *dst) {
    if (name_last(asked, trace, true, dst) || name_last(asked, trace, false, dst))
        return true;
    name_root(asked, trace->root, dst);
    return false;
}
