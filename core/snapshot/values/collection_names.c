#include "snapshot/values/collection_names.h"

/* Beginnings of names. */
static const char *const libraries[] = {"java.util.",
                                        "java.lang.ThreadLocal",
                                        "java.lang.ref.Finalizer",
                                        "kotlin.collections.",
                                        "androidx.collection.",
                                        "android.util.SparseArray",
                                        "android.util.ArrayMap",
                                        "android.util.LruCache",
                                        "com.google.common.collect.",
                                        "com.google.common.cache.",
                                        "scala.collection.",
                                        "it.unimi.dsi.fastutil.",
                                        "Swift._ContiguousArrayStorage",
                                        "Swift._DictionaryStorage",
                                        "Swift._SetStorage"};

/* Of these, what is no collection. */
static const char *const others[] = {"java.util.Observable",
                                     "java.util.Timer",
                                     "java.util.concurrent.CompletableFuture",
                                     "java.util.concurrent.ForkJoin",
                                     "java.util.concurrent.FutureTask",
                                     "java.util.concurrent.ScheduledThreadPoolExecutor",
                                     "java.util.concurrent.ThreadPoolExecutor",
                                     "java.util.jar.",
                                     "java.util.logging.",
                                     "java.util.prefs.",
                                     "java.util.zip."};

/* Beginnings of the names of classes that no program wrote. */
static const char *const platform[] = {"android.", "androidx.", "com.android.", "com.sun.",
                                       "dalvik.",  "java.",     "javax.",       "jdk.",
                                       "kotlin.",  "libcore.",  "scala.",       "sun."};

/* Words of Foundation's names, behind NS, __NS, GS or _NS. */
static const char *const foundation[] = {"Array", "Dictionary", "Set", "HashTable", "MapTable"};

static bool starts_with_one(struct loupe_span name, const char *const *beginnings, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (loupe_span_starts_with(name, beginnings[i]))
            return true;
    }
    return false;
}

static bool is_of_library(struct loupe_span name) {
    return starts_with_one(name, libraries, sizeof(libraries) / sizeof(libraries[0])) &&
           !starts_with_one(name, others, sizeof(others) / sizeof(others[0]));
}

bool loupe_is_class_of_java_platform(struct loupe_span name) {
    return starts_with_one(name, platform, sizeof(platform) / sizeof(platform[0]));
}

static bool is_of_foundation(struct loupe_span name) {
    if (!loupe_span_starts_with(name, "NS") && !loupe_span_starts_with(name, "__NS") &&
        !loupe_span_starts_with(name, "_NS") && !loupe_span_starts_with(name, "GS") &&
        !loupe_span_starts_with(name, "__CF"))
        return false;
    for (unsigned i = 0; i < sizeof(foundation) / sizeof(foundation[0]); i++) {
        if (loupe_span_contains(name, foundation[i]))
            return true;
    }
    return false;
}

static bool is_between(const struct loupe_snapshot *snapshot, uint32_t number) {
    struct loupe_span name = loupe_snapshot_class_name(snapshot, number);
    switch ((enum loupe_class_kind)snapshot->class_table[number].kind) {
    case LOUPE_CLASS_OBJECT_ARRAYS:
    case LOUPE_CLASS_STORAGE:
        return true;
    case LOUPE_CLASS_RAW:
        return loupe_span_equals(name, "(raw memory)") ||
               loupe_span_contains(name, "(by its shape)") || is_of_library(name);
    case LOUPE_CLASS_INSTANCES:
        return snapshot->native ? is_of_foundation(name) : is_of_library(name);
    default:
        return false;
    }
}

void loupe_mark_collections(const struct loupe_snapshot *snapshot, struct loupe_marks *classes) {
    for (uint32_t i = 0; i < snapshot->class_count; i++) {
        if (is_between(snapshot, i))
            loupe_mark(classes, i);
    }
}
