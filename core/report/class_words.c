#include "report/class_words.h"

struct concrete_class {
    const char *name, *public_name;
};

static const struct concrete_class concrete_classes[] = {
    {"__NSArray0", "NSArray"},
    {"__NSArrayI", "NSArray"},
    {"__NSArrayM", "NSMutableArray"},
    {"__NSSingleObjectArrayI", "NSArray"},
    {"__NSFrozenArrayM", "NSArray"},
    {"__NSDictionary0", "NSDictionary"},
    {"__NSDictionaryI", "NSDictionary"},
    {"__NSDictionaryM", "NSMutableDictionary"},
    {"__NSFrozenDictionaryM", "NSDictionary"},
    {"__NSSingleEntryDictionaryI", "NSDictionary"},
    {"__NSSetI", "NSSet"},
    {"__NSSetM", "NSMutableSet"},
    {"__NSSingleObjectSetI", "NSSet"},
    {"__NSOrderedSetI", "NSOrderedSet"},
    {"__NSOrderedSetM", "NSMutableOrderedSet"},
    {"__NSCFTimer", "NSTimer"},
    {"NSConcreteMapTable", "NSMapTable"},
    {"NSConcreteHashTable", "NSHashTable"},
    {"NSConcretePointerArray", "NSPointerArray"},
    {"__NSCFString", "NSString"},
    {"__NSCFConstantString", "NSString"},
    {"NSTaggedPointerString", "NSString"},
    {"__NSCFNumber", "NSNumber"},
    {"GSArray", "NSArray"},
    {"GSInlineArray", "NSArray"},
    {"GSMutableArray", "NSMutableArray"},
    {"GSDictionary", "NSDictionary"},
    {"GSMutableDictionary", "NSMutableDictionary"},
    {"GSCachedDictionary", "NSDictionary"},
    {"GSSet", "NSSet"},
    {"GSMutableSet", "NSMutableSet"},
    {"GSOrderedSet", "NSOrderedSet"},
    {"GSMutableOrderedSet", "NSMutableOrderedSet"},
    {"GSCString", "NSString"},
    {"GSCInlineString", "NSString"},
    {"GSUnicodeString", "NSString"},
    {"GSUInlineString", "NSString"},
    {"GSMutableString", "NSMutableString"},
    {"GSCBufferString", "NSString"},
    {"GSUnicodeBufferString", "NSString"},
    {"GSFFIInvocation", "NSInvocation"},
    {"GSFFCallInvocation", "NSInvocation"},
    {"NSConstantString", "NSString"},
};

struct loupe_span loupe_public_class_name(struct loupe_span name) {
    static const char observed[] = "NSKVONotifying_";
    if (loupe_span_starts_with(name, observed)) {
        name.bytes += sizeof(observed) - 1;
        name.length -= sizeof(observed) - 1;
    }
    char first = name.length ? name.bytes[0] : '\0';
    for (size_t i = 0; i < sizeof(concrete_classes) / sizeof(concrete_classes[0]); i++)
        if (concrete_classes[i].name[0] == first &&
            loupe_span_equals(name, concrete_classes[i].name))
            return loupe_span_of(concrete_classes[i].public_name);
    return name;
}

/* ---- Patterns ---- */

/* Goes back to the last star when a text does not go on as the pattern does. */
bool loupe_text_fits(struct loupe_span name, const char *pattern) {
    const char *star = NULL;
    size_t at = 0, star_at = 0;
    while (at < name.length) {
        if (*pattern == '*') {
            star = pattern++;
            star_at = at;
        } else if (*pattern == name.bytes[at]) {
            pattern++;
            at++;
        } else if (star) {
            pattern = star + 1;
            at = ++star_at;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

bool loupe_class_name_matches(struct loupe_span name, const char *pattern) {
    return loupe_text_fits(name, pattern) ||
           loupe_text_fits(loupe_public_class_name(name), pattern);
}
