#include "class_words.h"

#include <stddef.h>
#include <string.h>

/* The same as in lldb_commands/render/words.py. */
static const char *const public_names[][2] = {{"__NSArray0", "NSArray"},
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
                                              {"NSConstantString", "NSString"}};

const char *watch_class_in_words(const char *name) {
    static const char observed[] = "NSKVONotifying_";
    if (strncmp(name, observed, sizeof(observed) - 1) == 0)
        name += sizeof(observed) - 1;
    for (size_t i = 0; i < sizeof(public_names) / sizeof(*public_names); i++) {
        if (strcmp(name, public_names[i][0]) == 0)
            return public_names[i][1];
    }
    return name;
}
