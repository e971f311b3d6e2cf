/* What collections, timers and their like hold, under the names that a person would use. */
#include "check.h"
#include "objects/drawn_collections.h"
#include "runtime/containers/containers.h"
#include "show_walk.h"

static struct drawn_heap heap;
static struct drawn_world w;
static loupe_addr a, b, key, other_key;

/* Objects with names of their own, and two keys. */
static void open_world(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "A", "NSObject", "");
    drawn_class(&w, "B", "NSObject", "");
    a = drawn_object(&w, "A");
    b = drawn_object(&w, "B");
    key = drawn_text(&w, "title");
    other_key = drawn_object(&w, "NSObject");
}

static void close_world(void) {
    drawn_world_deinit(&w);
}

/* ---- Arrays ---- */

static void test_arrays_name_their_elements_by_index(void) {
    open_world();
    CHECK_WALK(&w, drawn_array(&w, 2, a, b),
               "__NSArrayI -- [0] --> A (element)\n__NSArrayI -- [1] --> B (element)\n");
    CHECK_WALK(&w, drawn_transfer_array(&w, 2, a, b),
               "__NSArrayI_Transfer -- [0] --> A (element)\n"
               "__NSArrayI_Transfer -- [1] --> B (element)\n");
    CHECK_WALK(&w, drawn_mutable_array(&w, 2, a, b),
               "__NSArrayM -- [0] --> A (element)\n__NSArrayM -- [1] --> B (element)\n");
    CHECK_WALK(&w, drawn_single_array(&w, a), "__NSSingleObjectArrayI -- [0] --> A (element)\n");
    close_world();
}

static void test_array_that_wraps_around_its_buffer(void) {
    open_world();
    CHECK_WALK(&w, drawn_wrapped_array(&w, 4, a, b, b, a),
               "__NSArrayM -- [0] --> A (element)\n__NSArrayM -- [1] --> B (element)\n"
               "__NSArrayM -- [2] --> B (element)\n__NSArrayM -- [3] --> A (element)\n");
    close_world();
}

static void test_empty_collections_hold_nothing(void) {
    open_world();
    CHECK_WALK(&w, drawn_array(&w, 0), "");
    CHECK_WALK(&w, drawn_mutable_array(&w, 0), "");
    CHECK_WALK(&w, drawn_set_of(&w, 0), "");
    CHECK_WALK(&w, drawn_mutable_set(&w, 0), "");
    CHECK_WALK(&w, drawn_dictionary(&w, 0), "");
    CHECK_WALK(&w, drawn_mutable_dictionary(&w, 0), "");
    CHECK_WALK(&w, drawn_cf_array(&w, false, 1, 0), "");
    drawn_framework_class(&w, "__NSArray0", "NSArray", 8);
    CHECK_WALK(&w, drawn_object(&w, "__NSArray0"), "");
    close_world();
}

/* ---- Sets and dictionaries ---- */

static void test_quotes_in_a_key_are_escaped(void) {
    open_world();
    loupe_addr quoted = drawn_text(&w, "self \"quoted\"");
    CHECK_WALK(&w, drawn_single_dictionary(&w, quoted, a),
               "__NSSingleEntryDictionaryI -- key \"self \\\"quoted\\\"\" --> "
               "__NSCFConstantString (key)\n"
               "__NSSingleEntryDictionaryI -- [\"self \\\"quoted\\\"\"] --> A (value)\n");
    close_world();
}

static void test_members_of_sets_have_no_number(void) {
    open_world();
    CHECK_WALK(&w, drawn_set_of(&w, 2, a, b),
               "__NSSetI -- [*] --> A (element)\n__NSSetI -- [*] --> B (element)\n");
    CHECK_WALK(&w, drawn_mutable_set(&w, 2, a, b),
               "__NSSetM -- [*] --> A (element)\n__NSSetM -- [*] --> B (element)\n");
    close_world();
}

static void test_values_are_named_by_keys_that_are_short_strings(void) {
    open_world();
    CHECK_WALK(&w, drawn_dictionary(&w, 2, key, a, other_key, b),
               "__NSDictionaryI -- key \"title\" --> __NSCFConstantString (key)\n"
               "__NSDictionaryI -- key --> NSObject (key)\n"
               "__NSDictionaryI -- [\"title\"] --> A (value)\n"
               "__NSDictionaryI -- [*] --> B (value)\n");
    CHECK_WALK(&w, drawn_mutable_dictionary(&w, 2, key, a, other_key, b),
               "__NSDictionaryM -- key \"title\" --> __NSCFConstantString (key)\n"
               "__NSDictionaryM -- key --> NSObject (key)\n"
               "__NSDictionaryM -- [\"title\"] --> A (value)\n"
               "__NSDictionaryM -- [*] --> B (value)\n");
    CHECK_WALK(&w, drawn_single_dictionary(&w, key, a),
               "__NSSingleEntryDictionaryI -- key \"title\" --> __NSCFConstantString (key)\n"
               "__NSSingleEntryDictionaryI -- [\"title\"] --> A (value)\n");
    close_world();
}

static void test_long_keys_are_cut(void) {
    open_world();
    loupe_addr text = drawn_text(&w, "a key that is much longer than what fits into a line");
    CHECK_WALK(&w, drawn_single_dictionary(&w, text, a),
               "__NSSingleEntryDictionaryI -- key \"a key that is much longer than what ...\" --> "
               "__NSCFConstantString (key)\n"
               "__NSSingleEntryDictionaryI -- [\"a key that is much longer than what ...\"] --> A "
               "(value)\n");
    close_world();
}

/* ---- Toll-free bridged ---- */

static void test_cf_arrays_own_by_their_callbacks(void) {
    open_world();
    CHECK_WALK(&w, drawn_cf_array(&w, false, 1, 2, a, b),
               "__NSCFArray -- [0] --> A (element)\n__NSCFArray -- [1] --> B (element)\n");
    CHECK_WALK(&w, drawn_cf_array(&w, true, 1, 1, a), "__NSCFArray -- [0] --> A (element)\n");
    CHECK_WALK(&w, drawn_cf_array(&w, false, 3, 1, a), "__NSCFArray -- [0] --> A (element)\n");
    CHECK_WALK(&w, drawn_cf_array(&w, false, 0, 2, a, (loupe_addr)7), "");
    close_world();
}

static void test_cf_array_with_callbacks_that_do_not_retain_owns_nothing(void) {
    enum { RETAIN = 56 };
    open_world();
    for (unsigned deque = 0; deque < 2; deque++) {
        loupe_addr array = drawn_cf_array(&w, deque, 3, 1, a);
        CHECK_WALK(&w, array, "__NSCFArray -- [0] --> A (element)\n");
        drawn_put_word(&heap, array + RETAIN, 0);
        CHECK_WALK(&w, array, "");
    }
    close_world();
}

static void test_cf_dictionaries_own_by_their_callbacks(void) {
    open_world();
    CHECK_WALK(&w, drawn_cf_dictionary(&w, 3, 3, 1, key, a),
               "__NSCFDictionary -- key \"title\" --> __NSCFConstantString (key)\n"
               "__NSCFDictionary -- [\"title\"] --> A (value)\n");
    CHECK_WALK(&w, drawn_cf_dictionary(&w, 6, 0, 1, key, (loupe_addr)42),
               "__NSCFDictionary -- key \"title\" --> __NSCFConstantString (key)\n");
    CHECK_WALK(&w, drawn_cf_dictionary(&w, 0, 3, 1, (loupe_addr)42, a),
               "__NSCFDictionary -- [*] --> A (value)\n");
    CHECK_WALK(&w, drawn_cf_dictionary(&w, 0, 0, 1, (loupe_addr)42, (loupe_addr)44), "");
    close_world();
}

static void test_cf_sets_skip_members_that_were_removed(void) {
    open_world();
    CHECK_WALK(&w, drawn_cf_set(&w, 3, 2, a, b),
               "__NSCFSet -- [*] --> A (element)\n__NSCFSet -- [*] --> B (element)\n");
    CHECK_WALK(&w, drawn_cf_set(&w, 0, 2, a, b), "");
    close_world();
}

/* ---- Map tables and hash tables ---- */

static const enum drawn_slice slices[] = {DRAWN_SLICE_BITS, DRAWN_SLICE_BOOLS, DRAWN_SLICE_SHARED};

static void test_map_tables_own_the_sides_that_are_strong(void) {
    for (unsigned i = 0; i < sizeof(slices) / sizeof(slices[0]); i++) {
        open_world();
        w.slice = slices[i];
        CHECK_WALK(&w, drawn_map_table(&w, true, true, 1, a, b),
                   "NSConcreteMapTable -- key --> A (key)\n"
                   "NSConcreteMapTable -- [*] --> B (value)\n");
        CHECK_WALK(&w, drawn_map_table(&w, false, true, 1, a, b),
                   "NSConcreteMapTable -- [*] --> B (value)\n");
        CHECK_WALK(&w, drawn_map_table(&w, true, false, 1, a, b),
                   "NSConcreteMapTable -- key --> A (key)\n");
        CHECK_WALK(&w, drawn_map_table(&w, false, false, 1, (loupe_addr)3, (loupe_addr)6), "");
        close_world();
    }
}

static void test_hash_tables_own_if_they_are_strong(void) {
    for (unsigned i = 0; i < sizeof(slices) / sizeof(slices[0]); i++) {
        open_world();
        w.slice = slices[i];
        CHECK_WALK(&w, drawn_hash_table(&w, true, 2, a, b),
                   "NSConcreteHashTable -- [*] --> A (element)\n"
                   "NSConcreteHashTable -- [*] --> B (element)\n");
        CHECK_WALK(&w, drawn_hash_table(&w, false, 2, a, b), "");
        close_world();
    }
}

static void test_pointer_arrays_own_if_they_are_strong(void) {
    for (unsigned i = 0; i < sizeof(slices) / sizeof(slices[0]); i++) {
        open_world();
        w.slice = slices[i];
        CHECK_WALK(&w, drawn_pointer_array(&w, true, 3, a, (loupe_addr)0, b),
                   "NSConcretePointerArray -- [0] --> A (element)\n"
                   "NSConcretePointerArray -- [2] --> B (element)\n");
        CHECK_WALK(&w, drawn_pointer_array(&w, false, 2, a, b), "");
        CHECK_WALK(&w, drawn_pointer_array(&w, true, 0), "");
        close_world();
    }
}

static void test_tables_whose_ownership_nobody_tells_are_refused(void) {
    static const char *const types[] = {
        "{NSSlice=\"items\"^^v\"properties\"^v}", "{NSSlice=\"other\"^^v\"acquireFunction\"^?}",
        "{NSSlice=\"items\"^^v\"who\"?\"acquireFunction\"^?}", /* nobody knows where it is */
        "{NSSlice=^^v^?}", "^v"};
    for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        char ivars[256];
        open_world();
        w.manual = true;
        snprintf(ivars, sizeof(ivars), "none slice %s; none count Q; none capacity Q", types[i]);
        drawn_class(&w, "NSConcreteHashTable", "NSObject", ivars);
        CHECK_WALK(&w, drawn_object(&w, "NSConcreteHashTable"),
                   "! 1 collections of an unknown layout\n");
        close_world();
    }
    open_world();
    w.slice = DRAWN_SLICE_SHARED;
    loupe_addr table = drawn_hash_table(&w, true, 1, a);
    drawn_put_word(&heap, drawn_slot(&w, table, "slice") + 8, 0); /* no properties */
    CHECK_WALK(&w, table, "! 1 collections of an unknown layout\n");
    close_world();
}

static void test_table_with_a_word_that_is_no_object_is_refused(void) {
    open_world();
    CHECK_WALK(&w, drawn_map_table(&w, true, true, 1, a, UINT64_MAX - 1),
               "! 1 collections of an unknown layout\n");
    CHECK_WALK(&w, drawn_map_table(&w, true, false, 1, a, UINT64_MAX - 1),
               "NSConcreteMapTable -- key --> A (key)\n");
    close_world();
}

static void test_pointer_array_with_more_than_its_capacity_is_refused(void) {
    open_world();
    loupe_addr array = drawn_pointer_array(&w, true, 1, a);
    drawn_set(&w, array, "count", 1000);
    CHECK_WALK(&w, array, "! 1 collections of an unknown layout\n");
    close_world();
}

/* ---- Literals ---- */

static void test_literals_of_constants(void) {
    open_world();
    CHECK_WALK(&w, drawn_constant_array(&w, 1, key),
               "NSConstantArray -- [0] --> __NSCFConstantString (element)\n");
    CHECK_WALK(&w, drawn_constant_dictionary(&w, 1, key, other_key),
               "NSConstantDictionary -- key \"title\" --> __NSCFConstantString (key)\n"
               "NSConstantDictionary -- [\"title\"] --> NSObject (value)\n");
    CHECK_WALK(&w, drawn_constant_dictionary(&w, 0), "");
    close_world();
}

/* ---- Timers ---- */

static void test_timers_own_target_user_info_and_block(void) {
    open_world();
    CHECK_WALK(&w, drawn_target_timer(&w, a, b),
               "__NSCFTimer -- target --> A (target)\n"
               "__NSCFTimer -- userInfo --> B (user-info)\n");
    CHECK_WALK(&w, drawn_target_timer(&w, a, 0), "__NSCFTimer -- target --> A (target)\n");
    CHECK_WALK(&w, drawn_block_timer(&w, drawn_block_of(&w, "s", a)),
               "__NSCFTimer -- block --> __NSMallocBlock__ (target)\n"
               "__NSMallocBlock__ -- +0x20 --> A (capture)\n");
    close_world();
}

static void test_invalid_timer_holds_nothing(void) {
    open_world();
    CHECK_WALK(&w, drawn_block_timer(&w, 0), "");
    close_world();
}

static void test_timer_of_an_unknown_kind_holds_more_than_can_be_seen(void) {
    open_world();
    CHECK_WALK(&w, drawn_block_timer(&w, drawn_alloc(&heap, 32)),
               "! 1 opaque objects that may hold others\n");
    close_world();
}

static void test_timer_whose_context_stands_elsewhere_is_refused(void) {
    enum { CALLOUT_AT = 144, VERSION_AT = 152, INFO_AT = 160 };
    static const uint64_t changes[][2] = {{CALLOUT_AT, 0}, {VERSION_AT, 0x7700}};
    for (unsigned i = 0; i < 2; i++) {
        open_world();
        loupe_addr timer = drawn_target_timer(&w, a, 0);
        drawn_put_word(&heap, timer + INFO_AT, 0); /* as if it owned nothing */
        drawn_put_word(&heap, timer + changes[i][0], changes[i][1]);
        CHECK_WALK(&w, timer, "! 1 opaque objects that may hold others\n");
        close_world();
    }
}

/* ---- Dispatch sources ---- */

static void test_dispatch_source_owns_its_handlers(void) {
    open_world();
    loupe_addr block = drawn_block_of(&w, ""), refs = drawn_alloc(&heap, 64),
               continuation = drawn_alloc(&heap, 64);
    drawn_framework_class(&w, "OS_dispatch_source", "NSObject", 96);
    loupe_addr source = drawn_object(&w, "OS_dispatch_source");
    drawn_put_word(&heap, source + 88, refs);
    drawn_put_word(&heap, refs + 8, ~source);
    drawn_put_word(&heap, refs + 48, continuation);
    drawn_put_word(&heap, continuation + 40, block);
    CHECK_WALK(&w, source, "OS_dispatch_source -- cancel_handler --> __NSMallocBlock__ (target)\n");
    drawn_put_word(&heap, refs + 8, source); /* not the layout that is known */
    CHECK_WALK(&w, source, "! 1 opaque objects that may hold others\n");
    close_world();
}

/* ---- Classes with ivars of known owners ---- */

/* An instance of a framework's class, compiled without ARC, with an object in each ivar. */
static loupe_addr filled(const char *class_name, const char *superclass, const char *ivars,
                         const char *const *names) {
    drawn_class(&w, class_name, superclass, ivars);
    loupe_addr object = drawn_object(&w, class_name);
    for (; *names; names++)
        drawn_set(&w, object, *names, a);
    return object;
}
#define FILLED(cls, super, ivars, ...)                                                             \
    filled((cls), (super), (ivars), (const char *const[]){__VA_ARGS__, NULL})

static void test_target_of_a_block_timer_owns_its_block(void) {
    open_world();
    w.manual = true;
    drawn_class(&w, "_NSTimerBlockTarget", "NSObject", "none _block @?");
    loupe_addr target = drawn_object(&w, "_NSTimerBlockTarget");
    drawn_set(&w, target, "_block", drawn_block_of(&w, "s", a));
    CHECK_WALK(&w, drawn_target_timer(&w, target, 0),
               "__NSCFTimer -- target --> _NSTimerBlockTarget (target)\n"
               "_NSTimerBlockTarget -- _block --> __NSMallocBlock__ (ivar)\n"
               "__NSMallocBlock__ -- +0x20 --> A (capture)\n");
    close_world();
}

static void test_token_of_an_observer_owns_its_block_and_no_center(void) {
    open_world();
    w.manual = true;
    CHECK_WALK(&w,
               FILLED("__NSObserver", "NSObject", "none nc @; none _block @?; none _token Q", "nc",
                      "_block"),
               "__NSObserver -- _block --> A (ivar)\n");
    close_world();
    open_world();
    w.manual = true; /* before iOS 16 */
    CHECK_WALK(&w,
               FILLED("__NSObserver", "NSObject",
                      "none nc @; none queue @; none name @; none object @; none block @?", "nc",
                      "queue", "object", "block"),
               "__NSObserver -- block --> A (ivar)\n__NSObserver -- queue --> A (ivar)\n");
    close_world();
}

static void test_observance_of_a_key_owns_no_observer(void) {
    open_world();
    w.manual = true;
    CHECK_WALK(&w,
               FILLED("NSKeyValueObservance", "NSObject",
                      "none _observer @; none _property @; none _context ^v;"
                      "none _originalObservable @",
                      "_observer", "_property", "_context", "_originalObservable"),
               "NSKeyValueObservance -- _property --> A (ivar)\n");
    close_world();
}

static void test_invocation_owns_what_it_retained(void) {
    open_world();
    w.manual = true;
    drawn_class(&w, "NSInvocation", "NSObject",
                "none _frame ^v; none _retdata ^v; none _signature @; none _container @;"
                "none _retainedArgs C");
    loupe_addr invocation = drawn_object(&w, "NSInvocation"), frame = drawn_alloc(&heap, 64);
    drawn_put_word(&heap, frame, a); /* the target, not retained */
    drawn_set(&w, invocation, "_frame", frame);
    CHECK_WALK(&w, invocation, "");
    drawn_set(&w, invocation, "_container", drawn_mutable_array(&w, 2, a, b));
    CHECK_WALK(&w, invocation,
               "NSInvocation -- _container --> __NSArrayM (ivar)\n"
               "__NSArrayM -- [0] --> A (element)\n__NSArrayM -- [1] --> B (element)\n");
    close_world();
}

static void test_thread_owns_its_target(void) {
    static const char *const forms[][2] = {{"target", "argument"}, {"_target", "_argument"}};
    for (unsigned i = 0; i < 2; i++) {
        char ivars[256], want[512];
        open_world();
        w.manual = true;
        snprintf(ivars, sizeof(ivars),
                 "none dict @; none name @; none %s @; none selector :; none %s @;"
                 "none performQ @; none performD @",
                 forms[i][0], forms[i][1]);
        drawn_class(&w, "NSThread", "NSObject", "none _private @; none _bytes [44C]");
        loupe_addr thread = drawn_object(&w, "NSThread");
        drawn_set(&w, thread, "_private",
                  FILLED("_NSThreadData", "NSObject", ivars, "dict", forms[i][0], forms[i][1]));
        snprintf(want, sizeof(want),
                 "NSThread -- _private --> _NSThreadData (ivar)\n"
                 "_NSThreadData -- dict --> A (ivar)\n_NSThreadData -- %s --> A (target)\n"
                 "_NSThreadData -- %s --> A (ivar)\n",
                 forms[i][0], forms[i][1]);
        CHECK_WALK(&w, thread, want);
        close_world();
    }
}

static const char operation_ivars[] =
    "none _iop {?=\"__prevOp\"@\"NSOperation\"\"__nextOp\"@\"NSOperation\""
    "\"__queue\"@\"NSOperationQueue\"\"__dependencies\"@\"NSMutableArray\""
    "\"__completion\"@?\"__obsInfo\"^v\"__thread_prio\"d\"__lock\"{os_unfair_lock_s="
    "\"_os_unfair_lock_opaque\"I}\"__prio\"c}";
enum { PREVIOUS, NEXT, QUEUE, DEPENDENCIES, COMPLETION };

static loupe_addr draw_operation(const char *class_name) {
    loupe_addr operation = drawn_object(&w, class_name);
    for (unsigned i = PREVIOUS; i <= QUEUE; i++)
        drawn_set_word(&w, operation, "_iop", i, operation);
    drawn_set_word(&w, operation, "_iop", DEPENDENCIES, a);
    drawn_set_word(&w, operation, "_iop", COMPLETION, drawn_block_of(&w, ""));
    return operation;
}

static void test_operation_owns_its_dependencies_and_its_completion(void) {
    open_world();
    w.manual = true;
    drawn_class(&w, "NSOperation", "NSObject", operation_ivars);
    drawn_class(&w, "NSBlockOperation", "NSOperation", "none _executionBlocks @; none _block @?");
    drawn_class(&w, "NSInvocationOperation", "NSOperation", "none _inv @; none _exception @");
    w.manual = false;
    drawn_class(&w, "Download", "NSOperation", "strong _url @; weak _delegate @");
    loupe_addr download = draw_operation("Download");
    drawn_set(&w, download, "_url", b);
    drawn_set(&w, download, "_delegate", download);
    CHECK_WALK(&w, download,
               "Download -- _url --> B (ivar)\nDownload -- _iop.__dependencies --> A (ivar)\n"
               "Download -- _iop.__completion --> __NSMallocBlock__ (ivar)\n");
    loupe_addr block_operation = draw_operation("NSBlockOperation");
    drawn_set(&w, block_operation, "_block", drawn_block_of(&w, "s", b));
    drawn_set_word(&w, block_operation, "_iop", COMPLETION, 0);
    CHECK_WALK(&w, block_operation,
               "NSBlockOperation -- _block --> __NSMallocBlock__ (ivar)\n"
               "NSBlockOperation -- _iop.__dependencies --> A (ivar)\n"
               "__NSMallocBlock__ -- +0x20 --> B (capture)\n");
    loupe_addr invocation_operation = draw_operation("NSInvocationOperation");
    drawn_set(&w, invocation_operation, "_inv", b);
    drawn_set_word(&w, invocation_operation, "_iop", COMPLETION, 0);
    CHECK_WALK(&w, invocation_operation,
               "NSInvocationOperation -- _inv --> B (ivar)\n"
               "NSInvocationOperation -- _iop.__dependencies --> A (ivar)\n");
    close_world();
}

static void test_class_of_another_version_is_followed_by_types_and_counted(void) {
    open_world();
    w.manual = true;
    CHECK_WALK(&w,
               FILLED("NSOperation", "NSObject", "none _private @; none _private1 i", "_private"),
               "NSOperation -- _private --> A (ivar, assumed)\n"
               "! 1 opaque objects that may hold others\n");
    CHECK_WALK(&w, FILLED("__NSObserver", "NSObject", "none _handler @", "_handler"),
               "__NSObserver -- _handler --> A (ivar, assumed)\n"
               "! 1 opaque objects that may hold others\n");
    CHECK_WALK(&w, FILLED("NSThread", "NSObject", "none _target @", "_target"),
               "NSThread -- _target --> A (ivar, assumed)\n"
               "! 1 opaque objects that may hold others\n");
    close_world();
}

/* Foundation's and others' that keep objects where no ivar is typed. */
static void test_holders_that_cannot_be_seen_into_are_counted(void) {
    static const char *const classes[] = {"NSTimer",
                                          "NSCache",
                                          "NSCachedURLResponse",
                                          "NSFileHandle",
                                          "NSHTTPCookieStorage",
                                          "NSManagedObject",
                                          "NSManagedObjectContext",
                                          "NSNotificationCenter",
                                          "NSOperationQueue",
                                          "NSStream",
                                          "NSTask",
                                          "NSURLAuthenticationChallenge",
                                          "NSURLCache",
                                          "NSURLConnection",
                                          "NSURLDownload",
                                          "NSURLProtocol",
                                          "NSURLRequest",
                                          "NSURLResponse",
                                          "NSURLSession",
                                          "NSURLSessionTask",
                                          "NSXPCConnection",
                                          "CAAnimation",
                                          "CADisplayLink",
                                          "CALayer",
                                          "CIImage",
                                          "JSContext",
                                          "JSValue",
                                          "JSVirtualMachine",
                                          "SCNNode",
                                          "WKUserContentController",
                                          "OS_dispatch_group",
                                          "OS_dispatch_io",
                                          "OS_dispatch_queue"};
    for (unsigned i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        open_world();
        w.manual = true;
        drawn_class(&w, classes[i], "NSObject", "none _impl ^v; none _delegate @");
        drawn_class(&w, "Concrete", classes[i], "");
        loupe_addr holder = drawn_object(&w, "Concrete");
        drawn_set(&w, holder, "_impl", a);
        CHECK_WALK(&w, holder, "! 1 opaque objects that may hold others\n");
        close_world();
    }
}

/* ---- Layouts that are not the ones known ---- */

static void test_collections_of_another_layout_are_refused(void) {
    open_world();
    loupe_addr array = drawn_array(&w, 2, a, b);
    drawn_put_word(&heap, array + 24, 0); /* a hole */
    CHECK_WALK(&w, array, "! 1 collections of an unknown layout\n");
    drawn_put_word(&heap, array + 24, 0x1234567c); /* no object by its alignment */
    CHECK_WALK(&w, array, "! 1 collections of an unknown layout\n");
    drawn_put_word(&heap, array + 8, UINT64_MAX);
    CHECK_WALK(&w, array, "! 1 collections of an unknown layout\n");

    array = drawn_mutable_array(&w, 2, a, b);
    drawn_put_u32(&heap, array + 24, 1000); /* beyond the capacity */
    CHECK_WALK(&w, array, "! 1 collections of an unknown layout\n");

    loupe_addr set = drawn_mutable_set(&w, 2, a, b);
    drawn_put_u32(&heap, set + 28, 1 | 1 << 26); /* one member by its count, two there */
    CHECK_WALK(&w, set, "! 1 collections of an unknown layout\n");
    drawn_put_u32(&heap, set + 28, 2 | 63u << 26); /* no such capacity */
    CHECK_WALK(&w, set, "! 1 collections of an unknown layout\n");
    drawn_put_word(&heap, set + 16, 0xdead0000);
    drawn_put_u32(&heap, set + 28, 2 | 1 << 26);
    CHECK_WALK(&w, set, "! 1 collections of an unknown layout\n");
    close_world();
}

/* One more by the count than is there. Nothing tells that of objects that stand in a row. */
static void test_collections_with_another_count_are_refused(void) {
    open_world();
    const struct {
        loupe_addr object;
        unsigned count_at;
    } known[] = {{drawn_mutable_array(&w, 2, a, b), 36},
                 {drawn_set_of(&w, 2, a, b), 8},
                 {drawn_mutable_set(&w, 2, a, b), 28},
                 {drawn_dictionary(&w, 2, key, a, other_key, b), 8},
                 {drawn_mutable_dictionary(&w, 2, key, a, other_key, b), 20},
                 {drawn_constant_array(&w, 2, key, key), 8},
                 {drawn_constant_dictionary(&w, 2, key, a, other_key, b), 16},
                 {drawn_cf_array(&w, false, 1, 2, a, b), 16},
                 {drawn_cf_array(&w, true, 1, 2, a, b), 16}};
    for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        uint32_t count;
        drawn_get(&heap, known[i].object + known[i].count_at, &count, sizeof(count));
        drawn_put_u32(&heap, known[i].object + known[i].count_at, count + 1);
        CHECK_WALK(&w, known[i].object, "! 1 collections of an unknown layout\n");
    }
    close_world();
}

/* Every class with a rule, filled with words that are no objects, no counts, no addresses. */
static void test_every_rule_refuses_garbage(void) {
    static const uint8_t bytes[] = {0x5a, 0xfe, 0x3c};
    for (unsigned i = 0; i < loupe_container_count_apple * sizeof(bytes); i++) {
        enum { SIZE = 256 };
        const struct loupe_container_rule *rule = &loupe_containers_apple[i / sizeof(bytes)];
        uint8_t garbage[SIZE];
        char want[128] = "";
        open_world();
        w.manual = true;
        drawn_class(&w, rule->class_name, "NSObject", "none _bytes [31Q]");
        loupe_addr object = drawn_object(&w, rule->class_name);
        memset(garbage, bytes[i % sizeof(bytes)], sizeof(garbage));
        drawn_put(&heap, object + 8, garbage, SIZE - 8);
        if (rule->find || rule->is_opaque)
            snprintf(want, sizeof(want), "! 1 %s\n", loupe_finding_text(rule->finding));
        if (!CHECK_WALK(&w, object, want))
            printf("    %s\n", rule->class_name);
        close_world();
    }
}

static void test_unknown_collection_class_is_counted(void) {
    open_world();
    drawn_framework_class(&w, "__NSFutureArray", "NSArray", 32);
    CHECK_WALK(&w, drawn_object(&w, "__NSFutureArray"), "! 1 collections of an unknown layout\n");
    close_world();
}

static void test_own_subclass_of_a_collection_is_followed_by_its_ivars(void) {
    open_world();
    drawn_framework_class(&w, "NSArray", "NSObject", 8);
    drawn_class(&w, "Playlist", "NSArray", "strong _songs @");
    loupe_addr playlist = drawn_object(&w, "Playlist");
    drawn_set(&w, playlist, "_songs", a);
    CHECK_WALK(&w, playlist, "Playlist -- _songs --> A (ivar)\n");
    close_world();
}

static void test_dynamic_subclass_of_a_known_collection_keeps_its_elements(void) {
    open_world();
    loupe_addr array = drawn_mutable_array(&w, 1, a);
    drawn_class(&w, "NSKVONotifying___NSArrayM", "__NSArrayM", "strong _observed @");
    loupe_addr observed = drawn_object(&w, "NSKVONotifying___NSArrayM");
    uint8_t bytes[32];
    drawn_get(&heap, array + 8, bytes, sizeof(bytes));
    drawn_put(&heap, observed + 8, bytes, sizeof(bytes));
    drawn_set(&w, observed, "_observed", b);
    CHECK_WALK(&w, observed,
               "NSKVONotifying___NSArrayM -- _observed --> B (ivar)\n"
               "NSKVONotifying___NSArrayM -- [0] --> A (element)\n");
    close_world();
}

static void test_layouts_are_not_taken_for_those_of_32_bits(void) {
    drawn_world_init(&w, &heap, DRAWN_32_BIT);
    drawn_framework_class(&w, "__NSArrayI", "NSArray", 8);
    CHECK_WALK(&w, drawn_object(&w, "__NSArrayI"), "! 1 collections of an unknown layout\n");
    close_world();
}

int main(void) {
    RUN(test_arrays_name_their_elements_by_index);
    RUN(test_array_that_wraps_around_its_buffer);
    RUN(test_empty_collections_hold_nothing);
    RUN(test_quotes_in_a_key_are_escaped);
    RUN(test_members_of_sets_have_no_number);
    RUN(test_values_are_named_by_keys_that_are_short_strings);
    RUN(test_long_keys_are_cut);
    RUN(test_cf_arrays_own_by_their_callbacks);
    RUN(test_cf_array_with_callbacks_that_do_not_retain_owns_nothing);
    RUN(test_cf_dictionaries_own_by_their_callbacks);
    RUN(test_cf_sets_skip_members_that_were_removed);
    RUN(test_map_tables_own_the_sides_that_are_strong);
    RUN(test_hash_tables_own_if_they_are_strong);
    RUN(test_pointer_arrays_own_if_they_are_strong);
    RUN(test_tables_whose_ownership_nobody_tells_are_refused);
    RUN(test_table_with_a_word_that_is_no_object_is_refused);
    RUN(test_pointer_array_with_more_than_its_capacity_is_refused);
    RUN(test_literals_of_constants);
    RUN(test_timers_own_target_user_info_and_block);
    RUN(test_invalid_timer_holds_nothing);
    RUN(test_timer_of_an_unknown_kind_holds_more_than_can_be_seen);
    RUN(test_timer_whose_context_stands_elsewhere_is_refused);
    RUN(test_dispatch_source_owns_its_handlers);
    RUN(test_target_of_a_block_timer_owns_its_block);
    RUN(test_token_of_an_observer_owns_its_block_and_no_center);
    RUN(test_observance_of_a_key_owns_no_observer);
    RUN(test_invocation_owns_what_it_retained);
    RUN(test_thread_owns_its_target);
    RUN(test_operation_owns_its_dependencies_and_its_completion);
    RUN(test_class_of_another_version_is_followed_by_types_and_counted);
    RUN(test_holders_that_cannot_be_seen_into_are_counted);
    RUN(test_collections_of_another_layout_are_refused);
    RUN(test_collections_with_another_count_are_refused);
    RUN(test_every_rule_refuses_garbage);
    RUN(test_unknown_collection_class_is_counted);
    RUN(test_own_subclass_of_a_collection_is_followed_by_its_ivars);
    RUN(test_dynamic_subclass_of_a_known_collection_keeps_its_elements);
    RUN(test_layouts_are_not_taken_for_those_of_32_bits);
    return check_report();
}
