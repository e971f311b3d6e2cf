/*
 * What the classes of gnustep-base hold, on either runtime: those that own some of their ivars
 * (NSTimer.m, NSThread.m, NSOperation.m, NSNotification.m, ...), and the table of all.
 */
#include "runtime/containers/containers_gnustep.h"

bool gnustep_find_ivar(struct loupe_target *target, const struct loupe_object *object,
                       const char *name, loupe_addr *ret) {
    uint32_t offset;
    if (!loupe_container_ivar(target, object->cls, name, &offset))
        return false;
    *ret = object->address + offset;
    return true;
}

struct loupe_slot_group *gnustep_add_run(struct loupe_contents *contents, loupe_addr first,
                                         uint64_t count, enum loupe_edge_kind kind) {
    struct loupe_slot_group *group = &contents->groups[contents->group_count++];
    *group = (struct loupe_slot_group){.first = first, .count = (uint32_t)count, .kind = kind};
    return group;
}

/* ---- Classes that own some of their ivars ---- */

/* Holds nothing that could lead back: a cache of its own, or objects of which it is no owner. */
static bool find_nothing(struct loupe_target *target, const struct loupe_object *object,
                         const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    (void)target;
    (void)object;
    (void)rule;
    (void)ret;
    return true;
}

static const struct loupe_contained_ivar of_timer[] = {{"_date", LOUPE_EDGE_IVAR, NULL},
                                                       {"_target", LOUPE_EDGE_TARGET, NULL},
                                                       {"_info", LOUPE_EDGE_USER_INFO, NULL},
                                                       {"_block", LOUPE_EDGE_IVAR, NULL},
                                                       {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_thread[] = {
    {"_target", LOUPE_EDGE_TARGET, NULL}, {"_arg", LOUPE_EDGE_IVAR, NULL},
    {"_name", LOUPE_EDGE_IVAR, NULL},     {"_thread_dictionary", LOUPE_EDGE_IVAR, NULL},
    {"_gcontext", LOUPE_EDGE_IVAR, NULL}, {NULL, LOUPE_EDGE_IVAR, NULL}};
/* A void *, a member of a struct, and what was added later: no encoding tells that they own. */
static const struct loupe_contained_ivar of_any_thread[] = {
    {"_runLoopInfo", LOUPE_EDGE_IVAR, NULL},
    {"_autorelease_vars.current_pool", LOUPE_EDGE_IVAR, NULL},
    {"_internal", LOUPE_EDGE_IVAR, NULL},
    {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_run_loop_info[] = {
    {"loop", LOUPE_EDGE_IVAR, NULL},
    {"lock", LOUPE_EDGE_IVAR, NULL},
    {"performers", LOUPE_EDGE_IVAR, NULL},
    {NULL, LOUPE_EDGE_IVAR, NULL}};
/* Not its lock, on which somebody else waits. */
static const struct loupe_contained_ivar of_perform_holder[] = {
    {"receiver", LOUPE_EDGE_TARGET, NULL},
    {"argument", LOUPE_EDGE_IVAR, NULL},
    {"modes", LOUPE_EDGE_IVAR, NULL},
    {"exception", LOUPE_EDGE_IVAR, NULL},
    {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_invocation[] = {
    {"_sig", LOUPE_EDGE_IVAR, NULL},
    {"_target", LOUPE_EDGE_TARGET, "_targetRetained"},
    {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_performer[] = {{"target", LOUPE_EDGE_TARGET, NULL},
                                                           {"argument", LOUPE_EDGE_IVAR, NULL},
                                                           {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_timed_performer[] = {
    {"target", LOUPE_EDGE_TARGET, NULL},
    {"argument", LOUPE_EDGE_IVAR, NULL},
    {"timer", LOUPE_EDGE_IVAR, NULL},
    {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_observer[] = {{"_queue", LOUPE_EDGE_IVAR, NULL},
                                                          {"_block", LOUPE_EDGE_IVAR, NULL},
                                                          {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_notification[] = {{"_name", LOUPE_EDGE_IVAR, NULL},
                                                              {"_object", LOUPE_EDGE_IVAR, NULL},
                                                              {"_info", LOUPE_EDGE_USER_INFO, NULL},
                                                              {NULL, LOUPE_EDGE_IVAR, NULL}};
/*
 * Where ivars are fragile, what a class added over the years is in an object of its own, of the
 * class NAMEInternal (GSInternal.h); else in further ivars.
 */
static const struct loupe_contained_ivar of_operation[] = {
    {"_internal", LOUPE_EDGE_IVAR, NULL},
    {"dependencies", LOUPE_EDGE_IVAR, NULL},
    {"completionBlock", LOUPE_EDGE_IVAR, NULL},
    {"lock", LOUPE_EDGE_IVAR, NULL},
    {"cond", LOUPE_EDGE_IVAR, NULL},
    {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_block_operation[] = {
    {"_executionBlocks", LOUPE_EDGE_IVAR, NULL}, {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_invocation_operation[] = {
    {"_invocation", LOUPE_EDGE_IVAR, NULL},
    {"_exception", LOUPE_EDGE_IVAR, NULL},
    {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_notification_operation[] = {
    {"_notification", LOUPE_EDGE_IVAR, NULL},
    {"_block", LOUPE_EDGE_IVAR, NULL},
    {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_queue[] = {
    {"_internal", LOUPE_EDGE_IVAR, NULL}, {"lock", LOUPE_EDGE_IVAR, NULL},
    {"cond", LOUPE_EDGE_IVAR, NULL},      {"operations", LOUPE_EDGE_IVAR, NULL},
    {"waiting", LOUPE_EDGE_IVAR, NULL},   {"starting", LOUPE_EDGE_IVAR, NULL},
    {"name", LOUPE_EDGE_IVAR, NULL},      {"queueImpl", LOUPE_EDGE_IVAR, NULL},
    {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_run_loop[] = {
    {"_contextMap", LOUPE_EDGE_IVAR, NULL},
    {"_contextStack", LOUPE_EDGE_IVAR, NULL},
    {"_timedPerformers", LOUPE_EDGE_IVAR, NULL},
    {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_cache[] = {{"_name", LOUPE_EDGE_IVAR, NULL},
                                                       {"_objects", LOUPE_EDGE_IVAR, NULL},
                                                       {"_accesses", LOUPE_EDGE_IVAR, NULL},
                                                       {"_lock", LOUPE_EDGE_IVAR, NULL},
                                                       {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_kvo_info[] = {{"iLock", LOUPE_EDGE_IVAR, NULL},
                                                          {"paths", LOUPE_EDGE_IVAR, NULL},
                                                          {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_contained_ivar of_map_enumerator[] = {
    {"dictionary", LOUPE_EDGE_IVAR, NULL}, {NULL, LOUPE_EDGE_IVAR, NULL}};

/* It knows an object, and owns none. */
static const struct loupe_contained_ivar of_none[] = {{NULL, LOUPE_EDGE_IVAR, NULL}};

/* ---- Classes with memory of their own behind an ivar ---- */

static const struct loupe_contained_ivar of_exception[] = {{"_e_name", LOUPE_EDGE_IVAR, NULL},
                                                           {"_e_reason", LOUPE_EDGE_IVAR, NULL},
                                                           {NULL, LOUPE_EDGE_IVAR, NULL}};
static const char *const behind_exception[] = {"userInfo", "callStack", NULL};
static const char *const behind_connection[] = {"request", "protocol", "delegate", NULL};
static const char *const behind_cached_response[] = {"data", "response", "userInfo", NULL};

/* ---- The table ---- */

#define COLLECTION(function) .find = function, .finding = LOUPE_FINDING_COLLECTION_LAYOUT
#define IVARS(list)                                                                                \
    .find = loupe_container_find_ivars, .finding = LOUPE_FINDING_OPAQUE_HOLDER, .ivars = list
#define STATE(list)                                                                                \
    .find = loupe_container_find_ivars, .finding = LOUPE_FINDING_OPAQUE_HOLDER, .some_ivars = list
#define UNKNOWN .is_opaque = true, .finding = LOUPE_FINDING_COLLECTION_LAYOUT
#define PRIVATE(ivar)                                                                              \
    .find = gnustep_find_private, .finding = LOUPE_FINDING_OPAQUE_HOLDER, .private_ivar = ivar
#define LEAF .find = find_nothing, .finding = LOUPE_FINDING_OPAQUE_HOLDER

const struct loupe_container_rule loupe_containers_gnustep[] = {
    {"GSArray", COLLECTION(gnustep_find_array)}, /* and GSInlineArray */
    {"GSMutableArray", COLLECTION(gnustep_find_array)},
    {"GSDictionary", COLLECTION(gnustep_find_map), .arrangement = LOUPE_EDGE_VALUE},
    {"GSMutableDictionary", COLLECTION(gnustep_find_map), .arrangement = LOUPE_EDGE_VALUE},
    {"GSSet", COLLECTION(gnustep_find_map), .arrangement = LOUPE_EDGE_ELEMENT},
    {"GSMutableSet", COLLECTION(gnustep_find_map), .arrangement = LOUPE_EDGE_ELEMENT},
    {"GSCountedSet", COLLECTION(gnustep_find_map), .arrangement = LOUPE_EDGE_ELEMENT},
    {"GSOrderedSet", COLLECTION(gnustep_find_ordered_set)},
    {"GSMutableOrderedSet", COLLECTION(gnustep_find_ordered_set)},
    {"NSConcreteMapTable", COLLECTION(gnustep_find_map_table)},
    {"NSConcreteHashTable", COLLECTION(gnustep_find_hash_table)},
    {"NSConcretePointerArray", COLLECTION(gnustep_find_pointer_array)},
    {"GSRunLoopCtxt", .find = gnustep_find_run_loop_context,
     .finding = LOUPE_FINDING_OPAQUE_HOLDER},
    {"NSInvocation", .find = gnustep_find_invocation, .finding = LOUPE_FINDING_OPAQUE_HOLDER,
     .ivars = of_invocation},
    {"NSTimer", IVARS(of_timer)},
    {"NSThread", STATE(of_any_thread), .ivars = of_thread},
    {"GSRunLoopThreadInfo", IVARS(of_run_loop_info)},
    {"GSPerformHolder", IVARS(of_perform_holder)},
    {"GSRunLoopPerformer", IVARS(of_performer)},
    {"GSTimedPerformer", IVARS(of_timed_performer)},
    {"GSNotificationObserver", IVARS(of_observer)},
    {"GSNotification", IVARS(of_notification)},
    {"NSEvent", .find = gnustep_find_event, .finding = LOUPE_FINDING_OPAQUE_HOLDER},
    {"NSOperation", STATE(of_operation)},
    {"NSOperationInternal", STATE(of_operation)},
    {"NSBlockOperation", STATE(of_operation), .ivars = of_block_operation},
    {"NSInvocationOperation", STATE(of_operation), .ivars = of_invocation_operation},
    {"GSNotificationBlockOperation", STATE(of_operation), .ivars = of_notification_operation},
    {"NSOperationQueue", STATE(of_queue)},
    {"NSOperationQueueInternal", STATE(of_queue)},
    {"NSRunLoop", IVARS(of_run_loop)},
    {"NSCache", STATE(of_cache)},
    {"GSKVOInfo", IVARS(of_kvo_info)},
    {"GSDictionaryKeyEnumerator", IVARS(of_map_enumerator)},
    {"NSException", PRIVATE("_reserved"), .ivars = of_exception, .private_words = behind_exception},
    {"NSURLConnection", PRIVATE("_NSURLConnectionInternal"), .private_words = behind_connection},
    {"NSCachedURLResponse", PRIVATE("_NSCachedURLResponseInternal"),
     .private_words = behind_cached_response},
    {"NSHTTPCookie", PRIVATE("_NSHTTPCookieInternal")},
    {"NSHTTPCookieStorage", PRIVATE("_NSHTTPCookieStorageInternal")},
    {"NSMetadataItem", PRIVATE("_NSMetadataItemInternal")},
    {"NSMetadataQuery", PRIVATE("_NSMetadataQueryInternal")},
    {"NSMetadataQueryAttributeValueTuple", PRIVATE("_NSMetadataQueryAttributeValueTupleInternal")},
    {"NSMetadataQueryResultGroup", PRIVATE("_NSMetadataQueryResultGroupInternal")},
    {"NSURLAuthenticationChallenge", PRIVATE("_NSURLAuthenticationChallengeInternal")},
    {"NSURLCache", PRIVATE("_NSURLCacheInternal")},
    {"NSURLCredential", PRIVATE("_NSURLCredentialInternal")},
    {"NSURLCredentialStorage", PRIVATE("_NSURLCredentialStorageInternal")},
    {"NSURLDownload", PRIVATE("_NSURLDownloadInternal")},
    {"NSURLProtectionSpace", PRIVATE("_NSURLProtectionSpaceInternal")},
    {"NSURLProtocol", PRIVATE("_NSURLProtocolInternal")},
    {"NSURLRequest", PRIVATE("_NSURLRequestInternal")},
    {"NSURLResponse", PRIVATE("_NSURLResponseInternal")},
    {"GSNonretainedObjectValue", IVARS(of_none)},
    {"NSAutoreleasePool", .find = gnustep_find_pool, .finding = LOUPE_FINDING_OPAQUE_HOLDER},
    {"NSNotificationCenter", .find = gnustep_find_center, .finding = LOUPE_FINDING_OPAQUE_HOLDER,
     .weakly_owned = "GSNotificationObserver"},
    {"NSUserDefaults", LEAF},
    {"NSBundle", LEAF},
    {"NSTimeZone", LEAF},
    {"NSLocale", LEAF},
    {"NSCharacterSet", LEAF},
    {"NSString", LEAF},
    /* What the rest inherits from: subclasses that are not above. */
    {"GSAttrDictionary", LEAF}, /* the attributes of a file, in numbers */
    {"GSPlaceholderArray", LEAF},
    {"NSArray", UNKNOWN},
    {"NSDictionary", UNKNOWN},
    {"NSSet", UNKNOWN},
    {"NSOrderedSet", UNKNOWN},
    {"NSMapTable", UNKNOWN},
    {"NSHashTable", UNKNOWN},
    {"NSPointerArray", UNKNOWN},
};
const unsigned loupe_container_count_gnustep =
    sizeof(loupe_containers_gnustep) / sizeof(loupe_containers_gnustep[0]);
