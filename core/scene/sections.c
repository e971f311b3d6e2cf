#include "scene/sections.h"

static bool ends_with(struct loupe_span span, const char *end) {
    size_t length = loupe_span_of(end).length;
    if (span.length < length)
        return false;
    span.bytes += span.length - length;
    span.length = length;
    return loupe_span_equals(span, end);
}

/* The lists end in NULL. */

static bool contains_one(struct loupe_span span, const char *const *parts) {
    for (; *parts; parts++)
        if (loupe_span_contains(span, *parts))
            return true;
    return false;
}

static bool starts_with_one(struct loupe_span span, const char *const *starts) {
    for (; *starts; starts++)
        if (loupe_span_starts_with(span, *starts))
            return true;
    return false;
}

static bool ends_with_one(struct loupe_span span, const char *const *ends) {
    for (; *ends; ends++)
        if (ends_with(span, *ends))
            return true;
    return false;
}

/* ---- Sections ---- */

/* Of clang for Apple's runtime, and for libobjc2 with __ in front and nothing between. */
static bool is_table_of_classes(struct loupe_span name) {
    static const char *const ends[] = {"objc_classrefs",
                                       "objc_class_refs",
                                       "objc_classlist",
                                       "objc_class_list",
                                       "objc_classes",
                                       "objc_superrefs",
                                       "objc_nlclasslist",
                                       "objc_nlcatlist",
                                       "objc_catlist",
                                       "objc_catlist2",
                                       "objc_cats",
                                       "objc_cats2",
                                       "objc_protorefs",
                                       "objc_protocol_refs",
                                       "objc_protolist",
                                       "objc_class_aliases",
                                       NULL};
    return ends_with_one(name, ends);
}

static bool is_table_of_symbols(struct loupe_span name) {
    return loupe_span_starts_with(name, ".got") || loupe_span_equals(name, "__got") ||
           loupe_span_equals(name, "__auth_got");
}

/* Without the segment's name. */
static struct loupe_span own_name(const char *name) {
    struct loupe_span span = loupe_span_of(name);
    for (size_t i = span.length; i-- > 0;)
        if (span.bytes[i] == ',')
            return (struct loupe_span){.bytes = span.bytes + i + 1, .length = span.length - i - 1};
    return span;
}

bool loupe_section_is_swifts(const char *name) {
    static const char *const starts[] = {"swift5_", "__swift5_", NULL};
    return starts_with_one(own_name(name), starts);
}

enum loupe_section_use loupe_section_use(const char *name) {
    static const char *const no_roots[] = {"objc_",     "__cfstring", "__thread_",   ".got",
                                           "__got",     ".dynamic",   ".init_array", ".fini_array",
                                           ".eh_frame", NULL};
    struct loupe_span span = own_name(name);
    if (is_table_of_classes(span) || is_table_of_symbols(span))
        return LOUPE_SECTION_TABLE;
    if (loupe_span_equals(span, ".tdata") || loupe_span_equals(span, ".tbss"))
        return LOUPE_SECTION_THREAD_LOCAL;
    return contains_one(span, no_roots) ? LOUPE_SECTION_NO_ROOTS : LOUPE_SECTION_DATA;
}

/* ---- Images ---- */

bool loupe_image_is_systems(const char *path) {
    static const char *const starts[] = {"/System/Library/", "/usr/lib", "/lib", NULL};
    static const char *const parts[] = {"/RuntimeRoot/System/Library/", "/RuntimeRoot/usr/lib/",
                                        ".simruntime/", NULL};
    struct loupe_span span = loupe_span_of(path);
    return starts_with_one(span, starts) || contains_one(span, parts);
}

static struct loupe_span file_name(const char *path) {
    struct loupe_span name = loupe_span_of(path);
    for (size_t i = name.length; i-- > 0;)
        if (path[i] == '/')
            return (struct loupe_span){.bytes = path + i + 1, .length = name.length - i - 1};
    return name;
}

/* "[vdso]"; some readers put a folder in front. */
bool loupe_image_is_kernels(const char *path) {
    return loupe_span_starts_with(file_name(path), "[");
}

bool loupe_image_is_ours(const char *path) {
    return loupe_span_starts_with(file_name(path), "libloupe_helper.");
}
