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
    {"NSConstantString", "NSString"},
};

struct loupe_span loupe_public_class_name(struct loupe_span name) {
    static const char observed[] = "NSKVONotifying_";
    if (loupe_span_starts_with(name, observed)) {
        name.bytes += sizeof(observed) - 1;
        name.length -= sizeof(observed) - 1;
    }
    for (size_t i = 0; i < sizeof(concrete_classes) / sizeof(concrete_classes[0]); i++)
        if (loupe_span_equals(name, concrete_classes[i].name))
            return loupe_span_of(concrete_classes[i].public_name);
    return name;
}
