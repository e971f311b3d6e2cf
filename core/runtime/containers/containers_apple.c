/*
 * What Apple's Foundation classes hold: collections (containers_apple_collections.c), timers,
 * dispatch sources, and classes whose ivars have known owners.
 *
 * CFRunLoopTimer: CFRunLoop.c of CF-1153. The info of a target timer's context: as
 * FBRetainCycleDetector found it. What has a list of ivars here: class dumps of Foundation and
 * CoreFoundation of iOS 9 to 18; the ivars are found by name in the target, and where they are not
 * there, ivars are followed as those of any class of manual retain/release. Dispatch sources:
 * libdispatch-1542. All are for 64 bits.
 */
#include "runtime/containers/containers_apple.h"

enum { WORD = 8 };

/* One slot with a name. */
static void add_named(struct loupe_contents *contents, loupe_addr slot, enum loupe_edge_kind kind,
                      const char *name) {
    apple_add_run(contents, slot, 1, kind)->name = name;
}

/* ---- Timers ---- */

static bool is_block(struct loupe_target *target, loupe_addr address) {
    struct loupe_object object;
    return loupe_object_at(target, address, &object, NULL) == LOUPE_OK &&
           object.cls->kind == LOUPE_INSTANCE_BLOCK;
}

/*
 * The context's info is a block, or Foundation's {1, target, selector, user info}. A function to
 * call in front of a context of version 0 tells the layout.
 */
static bool find_timer(struct loupe_target *target, const struct loupe_object *object,
                       const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    enum { CALLOUT_AT = 144, VERSION_AT = 152, INFO_AT = 160, RETAIN_AT = 168 };
    enum { TARGET_AT = WORD, USER_INFO_AT = 3 * WORD };
    uint64_t callout, version, info, retain, first;
    (void)rule;
    if (!apple_read_word(target, object->address + CALLOUT_AT, &callout) ||
        !apple_read_word(target, object->address + VERSION_AT, &version) || !callout || version ||
        !apple_read_word(target, object->address + INFO_AT, &info) ||
        !apple_read_word(target, object->address + RETAIN_AT, &retain))
        return false;
    if (!info || !retain)
        return true; /* invalid by now, or a timer that owns nothing */
    if (is_block(target, info)) {
        add_named(ret, object->address + INFO_AT, LOUPE_EDGE_TARGET, "block");
        return true;
    }
    if (!apple_read_word(target, info, &first) || first != 1)
        return false;
    add_named(ret, info + TARGET_AT, LOUPE_EDGE_TARGET, "target");
    add_named(ret, info + USER_INFO_AT, LOUPE_EDGE_USER_INFO, "userInfo");
    return true;
}

/* ---- Dispatch sources ---- */

/* The references of a source point back to it, complemented: that tells the layout. */
static bool find_dispatch_source(struct loupe_target *target, const struct loupe_object *object,
                                 const struct loupe_container_rule *rule,
                                 struct loupe_contents *ret) {
    enum { REFS_AT = 88, OWNER_AT = 8, HANDLERS_AT = 40, CONTEXT_AT = 40 };
    static const char *const names[] = {"event_handler", "cancel_handler", "registration_handler"};
    uint64_t refs, owner, continuation, context;
    (void)rule;
    if (!apple_read_word(target, object->address + REFS_AT, &refs) ||
        !apple_read_word(target, refs + OWNER_AT, &owner) || owner != ~object->address)
        return false;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!apple_read_word(target, refs + HANDLERS_AT + i * WORD, &continuation))
            return false;
        if (continuation && apple_read_word(target, continuation + CONTEXT_AT, &context) &&
            context % WORD == 0 && is_block(target, context))
            add_named(ret, continuation + CONTEXT_AT, LOUPE_EDGE_TARGET, names[i]);
    }
    return true;
}

/* ---- Classes that own some of their ivars ---- */

static const struct loupe_contained_ivar of_invocation[] = {
    {"_signature", LOUPE_EDGE_IVAR, NULL},
    {"_container", LOUPE_EDGE_IVAR, NULL}, /* the target and arguments that it retained */
    {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_block_target[] = {{"_block", LOUPE_EDGE_IVAR, NULL},
                                                              {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar some_of_observer[] = {{"_block", LOUPE_EDGE_IVAR, NULL},
                                                               {"block", LOUPE_EDGE_IVAR, NULL},
                                                               {"queue", LOUPE_EDGE_IVAR, NULL},
                                                               {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_observance[] = {{"_property", LOUPE_EDGE_IVAR, NULL},
                                                            {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_thread[] = {{"_private", LOUPE_EDGE_IVAR, NULL},
                                                        {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_thread_data[] = {{"dict", LOUPE_EDGE_IVAR, NULL},
                                                             {"name", LOUPE_EDGE_IVAR, NULL},
                                                             {"performQ", LOUPE_EDGE_IVAR, NULL},
                                                             {"performD", LOUPE_EDGE_IVAR, NULL},
                                                             {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar some_of_thread_data[] = {
    {"_target", LOUPE_EDGE_TARGET, NULL},
    {"target", LOUPE_EDGE_TARGET, NULL},
    {"_argument", LOUPE_EDGE_IVAR, NULL},
    {"argument", LOUPE_EDGE_IVAR, NULL},
    {NULL, LOUPE_EDGE_IVAR, NULL}};
/* Its members also link the operations of a queue, which own nothing. */
static const struct loupe_contained_ivar of_operation[] = {
    {"_iop.__dependencies", LOUPE_EDGE_IVAR, NULL},
    {"_iop.__completion", LOUPE_EDGE_IVAR, NULL},
    {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_block_operation[] = {
    {"_executionBlocks", LOUPE_EDGE_IVAR, NULL},
    {"_block", LOUPE_EDGE_IVAR, NULL},
    {"_iop.__dependencies", LOUPE_EDGE_IVAR, NULL},
    {"_iop.__completion", LOUPE_EDGE_IVAR, NULL},
    {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_invocation_operation[] = {
    {"_inv", LOUPE_EDGE_IVAR, NULL},
    {"_iop.__dependencies", LOUPE_EDGE_IVAR, NULL},
    {"_iop.__completion", LOUPE_EDGE_IVAR, NULL},
    {NULL, LOUPE_EDGE_IVAR, NULL}};

/* ---- The table ---- */

#define IVARS      .find = loupe_container_find_ivars, .finding = LOUPE_FINDING_OPAQUE_HOLDER
#define COLLECTION .find = apple_find_collection, .finding = LOUPE_FINDING_COLLECTION_LAYOUT
#define SINGLE     .find = apple_find_single, .finding = LOUPE_FINDING_COLLECTION_LAYOUT
#define UNKNOWN    .is_opaque = true, .finding = LOUPE_FINDING_COLLECTION_LAYOUT
#define OPAQUE     .is_opaque = true, .finding = LOUPE_FINDING_OPAQUE_HOLDER

const struct loupe_container_rule loupe_containers_apple[] = {
    {"__NSArray0", .find = NULL},
    {"__NSDictionary0", .find = NULL},
    {"__NSPlaceholderArray", .find = NULL},
    {"__NSPlaceholderDictionary", .find = NULL},
    {"__NSPlaceholderSet", .find = NULL},
    {"_NSCallStackArray", .find = NULL}, /* return addresses */
    {"__NSSingleObjectArrayI", SINGLE, .items_at = 8, .arrangement = ELEMENTS},
    {"__NSArrayI", COLLECTION, .count_at = 8, .count_size = 8, .count_bits = 64, .items_at = 16,
     .arrangement = ELEMENTS},
    {"__NSArrayI_Transfer", COLLECTION, .count_at = 8, .count_size = 8, .count_bits = 64,
     .items_at = 16, .items_elsewhere = true, .arrangement = ELEMENTS},
    {"__NSArrayM", COLLECTION, .count_at = 36, .count_size = 4, .count_bits = 32, .items_at = 16,
     .items_elsewhere = true, .arrangement = RING_BUFFER},
    {"__NSFrozenArrayM", COLLECTION, .count_at = 36, .count_size = 4, .count_bits = 32,
     .items_at = 16, .items_elsewhere = true, .arrangement = RING_BUFFER},
    {"__NSDictionaryI", COLLECTION, .count_at = 8, .count_size = 8, .count_bits = 58,
     .index_shift = 58, .items_at = 16, .arrangement = PAIRS},
    {"__NSDictionaryM", COLLECTION, .count_at = 20, .count_size = 4, .count_bits = 25,
     .index_shift = 26, .items_at = 8, .items_elsewhere = true, .arrangement = HALVES},
    {"__NSFrozenDictionaryM", COLLECTION, .count_at = 20, .count_size = 4, .count_bits = 25,
     .index_shift = 26, .items_at = 8, .items_elsewhere = true, .arrangement = HALVES},
    {"__NSSingleEntryDictionaryI", SINGLE, .items_at = 8, .arrangement = VALUE_KEY},
    {"__NSSetI", COLLECTION, .count_at = 8, .count_size = 8, .count_bits = 58, .index_shift = 58,
     .items_at = 16, .arrangement = HASHED},
    {"__NSOrderedSetI", COLLECTION, .count_at = 8, .count_size = 8, .count_bits = 58,
     .index_shift = 58, .items_at = 16, .arrangement = HASHED},
    {"__NSSetM", COLLECTION, .count_at = 28, .count_size = 4, .count_bits = 26, .index_shift = 26,
     .items_at = 16, .items_elsewhere = true, .arrangement = HASHED},
    {"NSConstantArray", COLLECTION, .count_at = 8, .count_size = 8, .count_bits = 64,
     .items_at = 16, .items_elsewhere = true, .arrangement = ELEMENTS},
    {"NSConstantDictionary", .find = apple_find_constant_dictionary,
     .finding = LOUPE_FINDING_COLLECTION_LAYOUT},
    {"__NSCFArray", .find = apple_find_cf_array, .finding = LOUPE_FINDING_COLLECTION_LAYOUT},
    {"__NSCFDictionary", .find = apple_find_cf_hash, .finding = LOUPE_FINDING_COLLECTION_LAYOUT},
    {"__NSCFSet", .find = apple_find_cf_hash, .finding = LOUPE_FINDING_COLLECTION_LAYOUT},
    {"NSConcreteMapTable", .find = apple_find_map_table,
     .finding = LOUPE_FINDING_COLLECTION_LAYOUT},
    {"NSConcreteHashTable", .find = apple_find_hash_table,
     .finding = LOUPE_FINDING_COLLECTION_LAYOUT},
    {"NSConcretePointerArray", .find = apple_find_pointer_array,
     .finding = LOUPE_FINDING_COLLECTION_LAYOUT},
    {"__NSCFTimer", .find = find_timer, .finding = LOUPE_FINDING_OPAQUE_HOLDER},
    {"_NSTimerBlockTarget", IVARS, .ivars = of_block_target},
    {"NSInvocation", IVARS, .ivars = of_invocation},
    {"__NSObserver", IVARS, .some_ivars = some_of_observer}, /* the token of a block */
    {"NSKeyValueObservance", IVARS, .ivars = of_observance}, /* owns no observer */
    {"NSThread", IVARS, .ivars = of_thread},
    {"_NSThreadData", IVARS, .ivars = of_thread_data, .some_ivars = some_of_thread_data},
    {"NSOperation", IVARS, .ivars = of_operation},
    {"NSBlockOperation", IVARS, .ivars = of_block_operation},
    {"NSInvocationOperation", IVARS, .ivars = of_invocation_operation},
    {"OS_dispatch_source", .find = find_dispatch_source, .finding = LOUPE_FINDING_OPAQUE_HOLDER},
    /* What the rest inherits from: subclasses that are not above. */
    {"NSArray", UNKNOWN},
    {"NSDictionary", UNKNOWN},
    {"NSSet", UNKNOWN},
    {"NSOrderedSet", UNKNOWN},
    {"NSMapTable", UNKNOWN},
    {"NSHashTable", UNKNOWN},
    {"NSPointerArray", UNKNOWN},
    {"NSTimer", OPAQUE},
    {"NSCache", OPAQUE},
    {"NSCachedURLResponse", OPAQUE},
    {"NSFileHandle", OPAQUE},
    {"NSHTTPCookieStorage", OPAQUE},
    {"NSManagedObject", OPAQUE},
    {"NSManagedObjectContext", OPAQUE},
    {"NSNotificationCenter", OPAQUE},
    {"NSOperationQueue", OPAQUE},
    {"NSStream", OPAQUE},
    {"NSTask", OPAQUE},
    {"NSURLAuthenticationChallenge", OPAQUE},
    {"NSURLCache", OPAQUE},
    {"NSURLConnection", OPAQUE},
    {"NSURLDownload", OPAQUE},
    {"NSURLProtocol", OPAQUE},
    {"NSURLRequest", OPAQUE},
    {"NSURLResponse", OPAQUE},
    {"NSURLSession", OPAQUE},
    {"NSURLSessionTask", OPAQUE},
    {"NSXPCConnection", OPAQUE},
    {"CAAnimation", OPAQUE},
    {"CADisplayLink", OPAQUE},
    {"CALayer", OPAQUE},
    {"CIImage", OPAQUE},
    {"JSContext", OPAQUE},
    {"JSValue", OPAQUE},
    {"JSVirtualMachine", OPAQUE},
    {"SCNNode", OPAQUE},
    {"WKUserContentController", OPAQUE},
    {"OS_dispatch_group", OPAQUE}, /* blocks that wait, here and in queues */
    {"OS_dispatch_io", OPAQUE},
    {"OS_dispatch_queue", OPAQUE},
};
const unsigned loupe_container_count_apple =
    sizeof(loupe_containers_apple) / sizeof(loupe_containers_apple[0]);
