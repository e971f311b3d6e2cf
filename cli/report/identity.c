#include "report/identity.h"

#include "snapshot/values/collections.h"
#include "snapshot/values/values.h"

#include <string.h>

/* System properties of Java that say nothing of a user, a host, a folder or a command line. */
static const char *const allowed[] = {"java.version",
                                      "java.vendor",
                                      "java.vendor.version",
                                      "java.runtime.name",
                                      "java.vm.name",
                                      "java.vm.version",
                                      "java.vm.vendor",
                                      "java.runtime.version",
                                      "java.vm.info",
                                      "os.name",
                                      "os.arch",
                                      "os.version",
                                      "file.encoding",
                                      "app.name",
                                      "app.version"};
enum { ALLOWED = sizeof(allowed) / sizeof(*allowed) };

struct search {
    const struct loupe_snapshot *snapshot;
    struct loupe_arena *arena;
    struct heap_identity *identity;
    enum loupe_status status;
};

/* ---- What stands in a heap ---- */

static bool find_static(const struct loupe_snapshot *snapshot, const char *class_name,
                        const char *field, struct loupe_value *ret) {
    for (uint32_t i = 0; i < snapshot->class_count; i++) {
        const struct loupe_snapshot_class *entry = &snapshot->class_table[i];
        if (!entry->static_fields ||
            !loupe_span_equals(loupe_snapshot_class_name(snapshot, i), class_name))
            continue;
        const struct loupe_snapshot_field *statics =
            &snapshot->fields[entry->first_field + entry->instance_fields];
        for (uint32_t k = 0; k < entry->static_fields; k++) {
            if (loupe_span_equals(loupe_snapshot_string(snapshot, statics[k].name), field))
                return loupe_snapshot_static_value(snapshot, i, k, ret);
        }
    }
    return false;
}

static bool find_object(const struct loupe_snapshot *snapshot, struct loupe_value value,
                        uint32_t *ret) {
    return value.type == LOUPE_VALUE_OBJECT && loupe_snapshot_find(snapshot, value.bits, ret);
}

static struct loupe_span keep(struct search *search, const char *text, size_t length) {
    char *copy =
        length ? loupe_arena_copy_string(search->arena, (struct loupe_span){text, length}) : NULL;
    if (length && !copy)
        search->status = LOUPE_ENOMEM;
    return (struct loupe_span){copy, copy ? length : 0};
}

/* The characters of a string, or the digits of a number. */
static struct loupe_span text_of(struct search *search, struct loupe_value value) {
    char text[IDENTITY_LONGEST_TEXT];
    uint32_t node;
    size_t length = 0;
    if (find_object(search->snapshot, value, &node))
        length = loupe_snapshot_text(search->snapshot, node, text, sizeof(text));
    else if (value.type == LOUPE_VALUE_INT)
        length = loupe_format(text, sizeof(text), "%lld", (long long)value.bits);
    return keep(search, text, length);
}

static void add(struct search *search, const char *name, struct loupe_span text) {
    struct heap_identity *identity = search->identity;
    if (text.length && identity->count < IDENTITY_MOST_ITEMS)
        identity->items[identity->count++] = (struct identity_item){name, text};
}

/* ---- Properties of Java ---- */

static bool take_property(void *ctx, const struct loupe_item *item) {
    struct search *search = ctx;
    char name[IDENTITY_LONGEST_TEXT];
    uint32_t key;
    if (!find_object(search->snapshot, item->key, &key))
        return true;
    size_t length = loupe_snapshot_text(search->snapshot, key, name, sizeof(name));
    /* Cap: all of a table. */
    for (unsigned i = 0; i < ALLOWED; i++) {
        if (loupe_span_equals((struct loupe_span){name, length}, allowed[i]))
            add(search, allowed[i], text_of(search, item->value));
    }
    return !search->status;
}

static void find_properties(struct search *search) {
    struct loupe_value properties;
    uint32_t node;
    if (!find_static(search->snapshot, "java.lang.System", "props", &properties) ||
        !find_object(search->snapshot, properties, &node))
        return;
    enum loupe_status status =
        loupe_collection_each(search->snapshot, &heap_chunks, node, take_property, search);
    search->status = search->status ? search->status : status;
}

/* ---- Android ---- */

static void find_android(struct search *search) {
    static const struct {
        const char *class_name, *field, *name;
    } facts[] = {{"android.os.Build", "MANUFACTURER", "android.manufacturer"},
                 {"android.os.Build", "MODEL", "android.model"},
                 {"android.os.Build", "ID", "android.id"},
                 {"android.os.Build$VERSION", "RELEASE", "android.release"},
                 {"android.os.Build$VERSION", "SDK_INT", "android.sdk"}};
    struct loupe_value value;
    for (unsigned i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
        if (find_static(search->snapshot, facts[i].class_name, facts[i].field, &value))
            add(search, facts[i].name, text_of(search, value));
    }
}

/* What the system told the process when it began: android.app.ActivityThread$AppBindData. */
static void find_android_app(struct search *search) {
    const struct loupe_snapshot *snapshot = search->snapshot;
    struct loupe_value value;
    uint32_t thread, bound, about;
    if (!find_static(snapshot, "android.app.ActivityThread", "sCurrentActivityThread", &value) ||
        !find_object(snapshot, value, &thread) ||
        !loupe_snapshot_object_field(snapshot, thread, "mBoundApplication", &bound) ||
        !loupe_snapshot_object_field(snapshot, bound, "appInfo", &about))
        return;
    if (loupe_snapshot_field_value(snapshot, about, "packageName", &value))
        search->identity->app = text_of(search, value);
    if (loupe_snapshot_field_value(snapshot, about, "versionCode", &value))
        search->identity->version = text_of(search, value);
}

/* ---- All ---- */

static struct loupe_span item_named(const struct heap_identity *identity, const char *name) {
    for (unsigned i = 0; i < identity->count; i++) {
        if (strcmp(identity->items[i].name, name) == 0)
            return identity->items[i].text;
    }
    return (struct loupe_span){NULL, 0};
}

static void put_build_id(const struct heap_file *file, struct heap_identity *ret) {
    static const char digits[] = "0123456789abcdef";
    for (unsigned i = 0; i < file->build.length; i++) {
        ret->build_id[2 * i] = digits[file->build.bytes[i] >> 4];
        ret->build_id[2 * i + 1] = digits[file->build.bytes[i] & 15];
    }
}

enum loupe_status identity_find(const struct heap_file *file, struct loupe_arena *arena,
                                struct heap_identity *ret) {
    struct search search = {.snapshot = &file->snapshot, .arena = arena, .identity = ret};
    *ret = (struct heap_identity){.count = 0};
    put_build_id(file, ret);
    if (file->snapshot.native)
        return LOUPE_OK;
    find_properties(&search);
    find_android(&search);
    find_android_app(&search);
    if (!ret->app.length)
        ret->app = item_named(ret, "app.name");
    if (!ret->version.length)
        ret->version = item_named(ret, "app.version");
    return search.status;
}
