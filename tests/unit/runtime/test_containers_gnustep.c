/* What collections, timers, operations and other classes of gnustep-base hold. */
#include "check.h"
#include "objects/drawn_gnu.h"

#include <stdlib.h>

static const struct ivar map_ivar[] = {
    {.name = "map", .type = "{_GSIMapTable=^vQQ^v^vQ^vQ}", .offset = 8, .size = 64}};

/* A table of two chains; the first has two nodes. Returns the table's own address. */
static void put_map(loupe_addr map, uint64_t counted, loupe_addr key, loupe_addr value) {
    loupe_addr chains = drawn_alloc(&gnu_heap, 32), nodes = drawn_alloc(&gnu_heap, 48);
    drawn_put_word(&gnu_heap, map + 8, counted);
    drawn_put_word(&gnu_heap, map + 16, 2);
    drawn_put_word(&gnu_heap, map + 24, chains);
    drawn_put_word(&gnu_heap, chains, 2);
    drawn_put_word(&gnu_heap, chains + 8, nodes);
    drawn_put_word(&gnu_heap, nodes, nodes + 24);
    for (unsigned i = 0; i < 2; i++) {
        drawn_put_word(&gnu_heap, nodes + 24 * i + 8, key);
        drawn_put_word(&gnu_heap, nodes + 24 * i + 16, value);
    }
}

static void test_dictionary_of_gnustep_base(void) {
    for (int of = GCC; of <= GNUSTEP2; of++) {
        gnu_open_heap((enum gnu_runtime)of);
        loupe_addr root = gnu_put_root(), key = gnu_put_object(root, 8);
        loupe_addr dictionary =
            gnu_put_object(gnu_put_class("GSDictionary", root, 72, IVARS(map_ivar)), 72);
        put_map(dictionary + 8, 2, key, dictionary);
        CHECK_WALK(
            &gnu_world, dictionary,
            "GSDictionary -- key --> NSObject (key)\nGSDictionary -- key --> NSObject (key)\n"
            "GSDictionary -- [*] --> GSDictionary (value)\n"
            "GSDictionary -- [*] --> GSDictionary (value)\n");
        gnu_close_heap();
    }
}

/* Of a literal the length is in bits 3 to 7, the characters come from the top, seven bits each. */
static void test_keys_that_are_in_the_pointer(void) {
    static const struct {
        uint64_t key;
        const char *walk;
    } keys[] = {
        {(uint64_t)'m' << 57 | (uint64_t)'e' << 50 | 2 << 3 | 4, "[\"me\"]"},
        {4, "[\"\"]"},
        {(uint64_t)'m' << 57 | 9 << 3 | 4, "[*]"}, /* longer than what fits */
        {(uint64_t)'\n'
                 << 57 |
             1 << 3 | 4,
         "[*]"},                                   /* not printable */
        {(uint64_t)'m' << 57 | 1 << 3 | 1, "[*]"}, /* another class */
    };
    for (unsigned i = 0; i < LENGTH(keys); i++) {
        char want[128];
        gnu_open_heap(GNUSTEP2);
        loupe_addr root = gnu_put_root();
        loupe_addr dictionary =
            gnu_put_object(gnu_put_class("GSDictionary", root, 72, IVARS(map_ivar)), 72);
        put_map(dictionary + 8, 2, keys[i].key, dictionary);
        loupe_format(want, sizeof(want),
                     "GSDictionary -- %s --> GSDictionary (value)\n"
                     "GSDictionary -- %s --> GSDictionary (value)\n",
                     keys[i].walk, keys[i].walk);
        CHECK_WALK(&gnu_world, dictionary, want);
        gnu_close_heap();
    }
}

/* It was counted among what was not followed, and nothing was taken from it. */
static void check_refused(loupe_addr object) {
    char *got = show_walk(&gnu_world, object);
    CHECK(strncmp(got, "! 1 ", 4) == 0);
    free(got);
}

/* The same for a part of it. */
static void check_hides(loupe_addr object) {
    char *got = show_walk(&gnu_world, object);
    CHECK(strstr(got, "! 1 ") != NULL);
    free(got);
}

static void test_table_that_counts_other_nodes_is_refused(void) {
    static const uint64_t counts[] = {1, 3, UINT64_MAX};
    for (unsigned i = 0; i < LENGTH(counts); i++) {
        gnu_open_heap(GCC);
        loupe_addr root = gnu_put_root();
        loupe_addr set = gnu_put_object(gnu_put_class("GSSet", root, 72, IVARS(map_ivar)), 72);
        put_map(set + 8, counts[i], set, 0);
        check_refused(set);
        gnu_close_heap();
    }
}

static void test_chain_that_loops_ends(void) {
    gnu_open_heap(GCC);
    loupe_addr root = gnu_put_root(), chains, nodes;
    loupe_addr set = gnu_put_object(gnu_put_class("GSSet", root, 72, IVARS(map_ivar)), 72);
    put_map(set + 8, 2, set, 0);
    drawn_get(&gnu_heap, set + 32, &chains, 8);
    drawn_get(&gnu_heap, chains + 8, &nodes, 8);
    drawn_put_word(&gnu_heap, nodes + 24, nodes);
    check_refused(set);
    gnu_close_heap();
}

static const struct ivar timer_ivars[] = {{.name = "_date", .type = "@", .offset = 8},
                                          {.name = "_target", .type = "@", .offset = 16},
                                          {.name = "_info", .type = "@", .offset = 24},
                                          {.name = "_block", .type = "^v", .offset = 32},
                                          {.name = "_internal", .type = "@", .offset = 40}};

static void test_timer_owns_what_its_rule_names(void) {
    gnu_open_heap(GCC);
    loupe_addr timer =
        gnu_put_object(gnu_put_class("NSTimer", gnu_put_root(), 48, IVARS(timer_ivars)), 48);
    for (unsigned at = 16; at < 48; at += 8)
        drawn_put_word(&gnu_heap, timer + at, timer);
    CHECK_WALK(&gnu_world, timer,
               "NSTimer -- _target --> NSTimer (target)\nNSTimer -- _info --> NSTimer (user-info)\n"
               "NSTimer -- _block --> NSTimer (ivar)\n");
    gnu_close_heap();
}

static void test_timer_without_an_ivar_of_its_rule_is_followed_by_types(void) {
    gnu_open_heap(GCC);
    loupe_addr timer =
        gnu_put_object(gnu_put_class("NSTimer", gnu_put_root(), 48, timer_ivars, 2), 48);
    drawn_put_word(&gnu_heap, timer + 16, timer);
    CHECK_WALK(&gnu_world, timer,
               "NSTimer -- _target --> NSTimer (ivar, assumed)\n"
               "! 1 opaque objects that may hold others\n");
    gnu_close_heap();
}

/* ---- Operations ---- */

static const struct ivar state_ivars[] = {{.name = "lock", .type = "@", .offset = 8},
                                          {.name = "cond", .type = "@", .offset = 16},
                                          {.name = "dependencies", .type = "@", .offset = 24},
                                          {.name = "completionBlock", .type = "@", .offset = 32}};
static const struct ivar internal_ivar[] = {{.name = "_internal", .type = "@", .offset = 8}};

static void test_operation_that_has_its_state_in_another_object(void) {
    gnu_open_heap(GCC);
    loupe_addr root = gnu_put_root();
    loupe_addr state =
        gnu_put_object(gnu_put_class("NSOperationInternal", root, 40, IVARS(state_ivars)), 40);
    loupe_addr operation =
        gnu_put_object(gnu_put_class("NSOperation", root, 16, IVARS(internal_ivar)), 16);
    drawn_put_word(&gnu_heap, operation + 8, state);
    drawn_put_word(&gnu_heap, state + 24, operation);
    CHECK_WALK(&gnu_world, operation,
               "NSOperation -- _internal --> NSOperationInternal (ivar)\n"
               "NSOperationInternal -- dependencies --> NSOperation (ivar)\n");
    gnu_close_heap();
}

static void test_operation_that_has_its_state_itself(void) {
    static const struct ivar own_ivar[] = {
        {.name = "_executionBlocks", .type = "@", .offset = 40, .size = 8}};
    struct ivar sized[LENGTH(state_ivars)];
    for (unsigned i = 0; i < LENGTH(sized); i++) {
        sized[i] = state_ivars[i];
        sized[i].size = 8;
    }
    gnu_open_heap(GNUSTEP2);
    loupe_addr super = gnu_put_class("NSOperation", gnu_put_root(), 40, IVARS(sized));
    loupe_addr operation =
        gnu_put_object(gnu_put_class("NSBlockOperation", super, 48, IVARS(own_ivar)), 48);
    drawn_put_word(&gnu_heap, operation + 24, operation);
    drawn_put_word(&gnu_heap, operation + 40, operation);
    CHECK_WALK(&gnu_world, operation,
               "NSBlockOperation -- _executionBlocks --> NSBlockOperation (ivar)\n"
               "NSBlockOperation -- dependencies --> NSBlockOperation (ivar)\n");
    gnu_close_heap();
}

/* Neither form: an older or a newer gnustep-base than those that the rule describes. */
static void test_operation_without_a_known_state_is_followed_by_types(void) {
    static const struct ivar other_ivar[] = {{.name = "_state", .type = "@", .offset = 8}};
    gnu_open_heap(GCC);
    loupe_addr operation =
        gnu_put_object(gnu_put_class("NSOperation", gnu_put_root(), 16, IVARS(other_ivar)), 16);
    drawn_put_word(&gnu_heap, operation + 8, operation);
    CHECK_WALK(&gnu_world, operation,
               "NSOperation -- _state --> NSOperation (ivar, assumed)\n"
               "! 1 opaque objects that may hold others\n");
    gnu_close_heap();
}

/* ---- Notifications ---- */

static const struct ivar table_ivar[] = {{.name = "_table", .type = "^v", .offset = 8}};

/* A center with a table that has one block of observations, the first two of which are used. */
struct center {
    loupe_addr address, table, block;
};

/* blocks_at: where its table has the address of the blocks, which the version decides. */
static struct center put_center_with(unsigned blocks_at, unsigned observation_size,
                                     unsigned link_at) {
    loupe_addr root = gnu_put_root();
    struct center center = {
        .address =
            gnu_put_object(gnu_put_class("NSNotificationCenter", root, 16, IVARS(table_ivar)), 16),
        .table = drawn_alloc(&gnu_heap, blocks_at + 160),
        .block = drawn_alloc(&gnu_heap, (size_t)observation_size * 128)};
    loupe_addr blocks = drawn_alloc(&gnu_heap, 8);
    drawn_put_word(&gnu_heap, center.address + 8, center.table);
    drawn_put_word(&gnu_heap, center.table + blocks_at, blocks);
    drawn_put_u32(&gnu_heap, center.table + blocks_at + 8, 1);
    drawn_put_word(&gnu_heap, center.table + blocks_at + 144, 3);
    drawn_put_word(&gnu_heap, blocks, center.block);
    for (unsigned i = 0; i < 2; i++) {
        drawn_put_word(&gnu_heap, center.block + (loupe_addr)observation_size * i, center.address);
        drawn_put_word(&gnu_heap, center.block + (loupe_addr)observation_size * i + link_at,
                       center.table);
    }
    return center;
}

static struct center put_center(unsigned observation_size, unsigned link_at) {
    return put_center_with(48, observation_size, link_at);
}

static void test_center_without_a_table_or_of_another_version(void) {
    gnu_open_heap(GCC);
    struct center center = put_center(40, 32);
    drawn_put_word(&gnu_heap, center.address + 8, 0);
    CHECK_WALK(&gnu_world, center.address, "");
    gnu_close_heap();
    static const struct {
        unsigned at;
        uint32_t value;
    } damages[] = {{56, 1 << 20}, {192, 129}, {56, 0}};
    for (unsigned i = 0; i < LENGTH(damages); i++) {
        gnu_open_heap(GCC);
        center = put_center(40, 32);
        drawn_put_u32(&gnu_heap, center.table + damages[i].at, damages[i].value);
        check_refused(center.address);
        gnu_close_heap();
    }
    gnu_open_heap(GCC);
    check_refused(
        gnu_put_object(gnu_put_class("NSNotificationCenter", gnu_put_root(), 8, NULL, 0), 8));
    gnu_close_heap();
}

static void test_older_center_owns_observers_for_blocks_alone(void) {
    gnu_open_heap(GCC);
    struct center center = put_center(40, 32);
    CHECK_WALK(&gnu_world, center.address, "");
    drawn_put_word(
        &gnu_heap, center.block + 40,
        gnu_put_object(gnu_put_class("GSNotificationObserver", gnu_put_root(), 8, NULL, 0), 8));
    CHECK_WALK(&gnu_world, center.address,
               "NSNotificationCenter -- observers --> GSNotificationObserver (element)\n"
               "! 1 opaque objects that may hold others\n");
    gnu_close_heap();
}

static void test_newer_center_says_which_observers_it_owns(void) {
    gnu_open_heap(GCC);
    struct center center = put_center(48, 40);
    CHECK_WALK(&gnu_world, center.address, "");
    drawn_put_u32(&gnu_heap, center.block + 48 + 24, 1);
    CHECK_WALK(&gnu_world, center.address,
               "NSNotificationCenter -- observers --> NSNotificationCenter (element)\n");
    drawn_put_word(&gnu_heap, center.block + 8, center.address);
    CHECK_WALK(&gnu_world, center.address,
               "NSNotificationCenter -- observers --> NSNotificationCenter (element)\n"
               "NSNotificationCenter -- receivers --> NSNotificationCenter (element)\n");
    /* No longer in use: on the list of those that are free. */
    drawn_put_word(&gnu_heap, center.block + 40, 0);
    CHECK_WALK(&gnu_world, center.address,
               "NSNotificationCenter -- observers --> NSNotificationCenter (element)\n");
    gnu_close_heap();
}

/* 34 locks stand in the table, in front of the blocks: as large as the system has them. */
static void test_center_with_locks_in_its_table(void) {
    static const unsigned lock_sizes[] = {8, 40, 48, 64};
    for (unsigned i = 0; i < LENGTH(lock_sizes); i++) {
        gnu_open_heap(GCC);
        struct center center = put_center_with(32 + 34 * lock_sizes[i] + 16, 48, 40);
        CHECK_WALK(&gnu_world, center.address, "");
        drawn_put_u32(&gnu_heap, center.block + 48 + 24, 1);
        CHECK_WALK(&gnu_world, center.address,
                   "NSNotificationCenter -- observers --> NSNotificationCenter (element)\n");
        gnu_close_heap();
    }
    gnu_open_heap(GCC);
    check_refused(put_center_with(32 + 34 * 56 + 16, 48, 40).address);
    gnu_close_heap();
}

/* The slot that is in use has the same words at the same place in both forms: the others tell. */
static void test_center_is_told_by_observations_that_are_free(void) {
    enum { SIZE = 48, LINK = 40, USED = 4, SLOTS = 6 };
    gnu_open_heap(GCC);
    struct center center = put_center(SIZE, LINK);
    drawn_put_word(&gnu_heap, center.table + 192, SLOTS);
    for (unsigned i = 0; i < SLOTS; i++) {
        loupe_addr slot = center.block + (loupe_addr)SIZE * i;
        drawn_put_word(&gnu_heap, slot, i == USED ? center.address : 0);
        drawn_put_word(&gnu_heap, slot + LINK, i == USED ? center.table : i ? center.block : 0);
    }
    drawn_put_u32(&gnu_heap, center.block + SIZE * USED + 24, 1);
    CHECK_WALK(&gnu_world, center.address,
               "NSNotificationCenter -- observers --> NSNotificationCenter (element)\n");
    gnu_close_heap();
}

/* Without observations nothing tells the version, and nothing is owned; with some it is refused. */
static void test_center_that_nobody_observes(void) {
    gnu_open_heap(GCC);
    struct center center = put_center(48, 40);
    loupe_addr map = drawn_alloc(&gnu_heap, 64);
    drawn_put_word(&gnu_heap, center.block + 40, 0);
    drawn_put_word(&gnu_heap, center.block + 48 + 40, 0);
    drawn_put_word(&gnu_heap, center.table, UINT64_MAX);
    drawn_put_word(&gnu_heap, center.table + 8, map);
    drawn_put_word(&gnu_heap, center.table + 16, map);
    CHECK_WALK(&gnu_world, center.address, "");
    drawn_put_word(&gnu_heap, map + 8, 1);
    check_refused(center.address);
    drawn_put_word(&gnu_heap, map + 8, 0);
    drawn_put_word(&gnu_heap, center.table, center.block);
    check_refused(center.address);
    gnu_close_heap();
}

/* libobjc2 has a record in place of the observer. */
static void test_observer_behind_a_weak_record_is_owned(void) {
    gnu_open_heap(GNUSTEP2);
    struct center center = put_center_with(32 + 34 * 40 + 16, 48, 40);
    loupe_addr isa = drawn_alloc(&gnu_heap, 8), record = drawn_alloc(&gnu_heap, 24);
    loupe_addr observer =
        gnu_put_object(gnu_put_class("GSNotificationObserver", gnu_put_root(), 8, NULL, 0), 8);
    drawn_put_word(&gnu_heap, record, isa);
    drawn_put_word(&gnu_heap, record + 8, observer);
    drawn_put_word(&gnu_heap, record + 16, 1);
    drawn_put_word(&gnu_heap, observer - 8, (uint64_t)1 << 63);
    drawn_put_word(&gnu_heap, center.block + 48, record);
    drawn_put_u32(&gnu_heap, center.block + 48 + 24, 1);
    CHECK_WALK(&gnu_world, center.address,
               "NSNotificationCenter -- observers --> GSNotificationObserver (element)\n"
               "! 1 opaque objects that may hold others\n");
    gnu_close_heap();
}

/* ---- Autorelease pools ---- */

static const struct ivar pool_ivars[] = {{.name = "_parent", .type = "@", .offset = 8},
                                         {.name = "_child", .type = "@", .offset = 16},
                                         {.name = "_released", .type = "^v", .offset = 24},
                                         {.name = "_released_head", .type = "^v", .offset = 32},
                                         {.name = "_released_count", .type = "I", .offset = 40}};

/* One with two stretches of two entries each, the second of which has one entry. */
static loupe_addr put_pool(loupe_addr *first_ret) {
    loupe_addr pool = gnu_put_object(
        gnu_put_class("NSAutoreleasePool", gnu_put_root(), 48, IVARS(pool_ivars)), 48);
    loupe_addr first = drawn_alloc(&gnu_heap, 32), second = drawn_alloc(&gnu_heap, 32);
    drawn_put_word(&gnu_heap, pool + 24, second);
    drawn_put_word(&gnu_heap, pool + 32, first);
    drawn_put_word(&gnu_heap, pool + 40, 3);
    drawn_put_word(&gnu_heap, first, second);
    drawn_put_word(&gnu_heap, first + 8, UINT64_C(2) << 32 | 2);
    drawn_put_word(&gnu_heap, second + 8, UINT64_C(1) << 32 | 2);
    for (unsigned i = 0; i < 2; i++) {
        drawn_put_word(&gnu_heap, first + 16 + 8 * i, pool);
        drawn_put_word(&gnu_heap, second + 16 + 8 * i, pool);
    }
    *first_ret = first;
    return pool;
}

static void test_pool_owns_its_entries(void) {
    loupe_addr first;
    gnu_open_heap(GCC);
    CHECK_WALK(&gnu_world, put_pool(&first),
               "NSAutoreleasePool -- [0] --> NSAutoreleasePool (element)\n"
               "NSAutoreleasePool -- [1] --> NSAutoreleasePool (element)\n"
               "NSAutoreleasePool -- [2] --> NSAutoreleasePool (element)\n");
    gnu_close_heap();
}

static void test_pool_leads_to_the_one_around_it_and_not_inside(void) {
    loupe_addr first;
    gnu_open_heap(GCC);
    loupe_addr pool = put_pool(&first);
    drawn_put_word(&gnu_heap, pool + 32, 0);
    drawn_put_word(&gnu_heap, pool + 24, 0);
    drawn_put_word(&gnu_heap, pool + 40, 0);
    drawn_put_word(&gnu_heap, pool + 8, pool);
    drawn_put_word(&gnu_heap, pool + 16, pool);
    CHECK_WALK(&gnu_world, pool, "NSAutoreleasePool -- _parent --> NSAutoreleasePool (ivar)\n");
    gnu_close_heap();
}

static void test_drained_pool_owns_nothing(void) {
    loupe_addr first;
    gnu_open_heap(GCC);
    loupe_addr pool = put_pool(&first);
    drawn_put_word(&gnu_heap, pool + 40, UINT32_MAX);
    CHECK_WALK(&gnu_world, pool, "");
    gnu_close_heap();
}

static void test_pool_that_counts_other_entries_is_refused(void) {
    loupe_addr first;
    gnu_open_heap(GCC);
    loupe_addr pool = put_pool(&first);
    drawn_put_word(&gnu_heap, pool + 40, 4);
    check_refused(pool);
    gnu_close_heap();
    gnu_open_heap(GCC);
    pool = put_pool(&first);
    drawn_put_word(&gnu_heap, first + 8, UINT64_C(3) << 32 | 2);
    check_refused(pool);
    gnu_close_heap();
}

static void test_pool_whose_stretches_loop_ends(void) {
    loupe_addr first;
    gnu_open_heap(GCC);
    loupe_addr pool = put_pool(&first);
    drawn_put_word(&gnu_heap, first, first);
    check_hides(pool);
    gnu_close_heap();
}

/* libobjc2 has the entries. */
static void test_pool_of_the_runtime_hides_its_entries(void) {
    loupe_addr first;
    gnu_open_heap(GNUSTEP2);
    loupe_addr pool = put_pool(&first);
    drawn_put_word(&gnu_heap, pool + 32, 0);
    check_hides(pool);
    gnu_close_heap();
}

/* ---- Events ---- */

static void test_only_the_type_of_an_event_tells_what_it_owns(void) {
    static const struct ivar ivars[] = {
        {.name = "event_type", .type = "I", .offset = 8, .size = 4},
        {.name = "event_data",
         .type = "(data=\"mouse\"{?=\"a\"q\"b\"q\"c\"q}\"key\"{?=\"r\"c\"char_keys\"@"
                 "\"unmodified_keys\"@}\"tracking\"{?=\"e\"q\"n\"q\"user_data\"^v})",
         .offset = 16,
         .size = 24}};
    static const struct {
        uint32_t type;
        const char *walk;
    } events[] = {
        {1, ""},
        {10, "NSEvent -- event_data.key.char_keys --> NSEvent (ivar)\n"
             "NSEvent -- event_data.key.unmodified_keys --> NSEvent (ivar)\n"},
        {17, "NSEvent -- event_data.tracking.user_data --> NSEvent (ivar)\n"},
        {21, ""},
    };
    for (unsigned i = 0; i < LENGTH(events); i++) {
        gnu_open_heap(GCC);
        loupe_addr event =
            gnu_put_object(gnu_put_class("NSEvent", gnu_put_root(), 40, IVARS(ivars)), 40);
        drawn_put_u32(&gnu_heap, event + 8, events[i].type);
        for (unsigned at = 16; at < 40; at += 8)
            drawn_put_word(&gnu_heap, event + at, event);
        CHECK_WALK(&gnu_world, event, events[i].walk);
        gnu_close_heap();
    }
}

/* ---- Threads ---- */

static void test_thread_leads_to_its_run_loop_and_its_pool(void) {
    static const struct ivar ivars[] = {
        {.name = "_target", .type = "@", .offset = 8},
        {.name = "_arg", .type = "@", .offset = 16},
        {.name = "_name", .type = "@", .offset = 24},
        {.name = "_thread_dictionary", .type = "@", .offset = 32},
        {.name = "_autorelease_vars",
         .type = "{autorelease_thread_vars=\"current_pool\"@\"total\"I}",
         .offset = 40,
         .size = 16},
        {.name = "_gcontext", .type = "@", .offset = 56},
        {.name = "_runLoopInfo", .type = "^v", .offset = 64}};
    gnu_open_heap(GCC);
    loupe_addr thread =
        gnu_put_object(gnu_put_class("NSThread", gnu_put_root(), 72, IVARS(ivars)), 72);
    drawn_put_word(&gnu_heap, thread + 40, thread);
    drawn_put_word(&gnu_heap, thread + 64, thread);
    CHECK_WALK(&gnu_world, thread,
               "NSThread -- _runLoopInfo --> NSThread (ivar)\n"
               "NSThread -- _autorelease_vars.current_pool --> NSThread (ivar)\n");
    gnu_close_heap();
}

/* ---- Invocations ---- */

static const struct ivar invocation_ivars[] = {
    {.name = "_sig", .type = "@", .offset = 8},
    {.name = "_cframe", .type = "^v", .offset = 16},
    {.name = "_target", .type = "@", .offset = 24},
    {.name = "_numArgs", .type = "I", .offset = 32},
    {.name = "_argsRetained", .type = "C", .offset = 36},
    {.name = "_targetRetained", .type = "C", .offset = 37}};
static const struct ivar signature_ivar[] = {{.name = "_methodTypes", .type = "*", .offset = 8}};

/* One of a method with a number and an object, whose arguments are libffi's. Holds itself. */
static loupe_addr put_invocation(const char *types, uint32_t count, loupe_addr *frame_ret) {
    loupe_addr root = gnu_put_root();
    loupe_addr invocation =
        gnu_put_object(gnu_put_class("NSInvocation", root, 40, IVARS(invocation_ivars)), 40);
    loupe_addr signature =
        gnu_put_object(gnu_put_class("NSMethodSignature", root, 16, IVARS(signature_ivar)), 16);
    loupe_addr frame = drawn_alloc(&gnu_heap, 56), values = drawn_alloc(&gnu_heap, 32);
    drawn_put_word(&gnu_heap, signature + 8, drawn_string(&gnu_heap, types));
    drawn_put_word(&gnu_heap, invocation + 8, signature);
    drawn_put_word(&gnu_heap, invocation + 16, frame);
    drawn_put_word(&gnu_heap, invocation + 24, invocation);
    drawn_put_word(&gnu_heap, invocation + 32, (uint64_t)count | (uint64_t)1 << 32);
    drawn_put_u32(&gnu_heap, frame + 4, count);
    drawn_put_word(&gnu_heap, frame + 8, values);
    drawn_put_u32(&gnu_heap, frame + 32, count);
    drawn_put_word(&gnu_heap, frame + 40, values);
    drawn_put_word(&gnu_heap, frame + 48, values);
    for (unsigned i = 0; i < 4; i++) {
        loupe_addr value = drawn_alloc(&gnu_heap, 8);
        drawn_put_word(&gnu_heap, value, invocation);
        drawn_put_word(&gnu_heap, values + 8 * i, value);
    }
    *frame_ret = frame;
    return invocation;
}

#define NOTHING_BUT_THE_SIGNATURE "NSInvocation -- _sig --> NSMethodSignature (ivar)\n"

static void test_invocation_owns_arguments_that_are_objects(void) {
    loupe_addr frame, invocation;
    gnu_open_heap(GCC);
    invocation = put_invocation("v40@0:8d16@24", 4, &frame);
    CHECK_WALK(&gnu_world, invocation,
               NOTHING_BUT_THE_SIGNATURE "NSInvocation -- argument 3 --> NSInvocation (element)\n");
    gnu_close_heap();
    gnu_open_heap(GCC);
    invocation = put_invocation("v40@0:8@?16r@24", 4, &frame);
    CHECK_WALK(&gnu_world, invocation,
               NOTHING_BUT_THE_SIGNATURE "NSInvocation -- argument 2 --> NSInvocation (element)\n"
                                         "NSInvocation -- argument 3 --> NSInvocation (element)\n");
    gnu_close_heap();
}

static void test_invocation_that_retains_nothing_owns_nothing(void) {
    loupe_addr frame;
    gnu_open_heap(GCC);
    loupe_addr invocation = put_invocation("v40@0:8d16@24", 4, &frame);
    drawn_put_word(&gnu_heap, invocation + 32, 4);
    CHECK_WALK(&gnu_world, invocation, NOTHING_BUT_THE_SIGNATURE);
    gnu_close_heap();
}

static void test_invocation_with_another_frame_hides_its_arguments(void) {
    static const unsigned fields[] = {4, 8, 32, 40, 48};
    loupe_addr frame;
    for (unsigned i = 0; i < LENGTH(fields); i++) {
        gnu_open_heap(GCC);
        loupe_addr invocation = put_invocation("v40@0:8d16@24", 4, &frame);
        drawn_put_u32(&gnu_heap, frame + fields[i], 0);
        if (fields[i] != 4 && fields[i] != 32)
            drawn_put_u32(&gnu_heap, frame + fields[i] + 4, 0);
        check_hides(invocation);
        gnu_close_heap();
    }
}

static void test_types_that_are_too_few_or_none_hide_arguments(void) {
    static const char *const types[] = {"", "v40@0:8d16", "v40@0:8d16{", "v40@0:8d16@24"};
    loupe_addr frame;
    for (unsigned i = 0; i < LENGTH(types); i++) {
        gnu_open_heap(GCC);
        check_hides(put_invocation(types[i], i < 3 ? 4 : 30, &frame));
        gnu_close_heap();
    }
}

/* ---- Memory of the class's own ---- */

static void test_user_info_of_an_exception_is_behind_a_pointer(void) {
    static const struct ivar of_exception[] = {{"_e_name", "@", 8, 8, NONE},
                                               {"_e_reason", "@", 16, 8, NONE},
                                               {"_reserved", "^v", 24, 8, NONE}};
    gnu_open_heap(GCC);
    loupe_addr root = gnu_put_root(), info = gnu_put_object(root, 8);
    loupe_addr exception =
        gnu_put_object(gnu_put_class("NSException", root, 32, IVARS(of_exception)), 32);
    CHECK_WALK(&gnu_world, exception, "");
    loupe_addr memory = drawn_alloc(&gnu_heap, 16);
    drawn_put_word(&gnu_heap, exception + 24, memory);
    drawn_put_word(&gnu_heap, memory, info);
    CHECK_WALK(&gnu_world, exception, "NSException -- userInfo --> NSObject (ivar)\n");
    drawn_put_word(&gnu_heap, memory + 8, 0x1234); /* some other layout */
    CHECK_WALK(&gnu_world, exception, "! 1 opaque objects that may hold others\n");
    gnu_close_heap();
}

static void test_delegate_of_a_connection(void) {
    static const struct ivar of_connection[] = {{"_NSURLConnectionInternal", "^v", 8, 8, NONE}};
    gnu_open_heap(GNUSTEP2);
    loupe_addr root = gnu_put_root(), memory = drawn_alloc(&gnu_heap, 32);
    loupe_addr connection =
        gnu_put_object(gnu_put_class("NSURLConnection", root, 16, IVARS(of_connection)), 16);
    drawn_put_word(&gnu_heap, connection + 8, memory);
    drawn_put_word(&gnu_heap, memory + 16, gnu_put_object(root, 8));
    CHECK_WALK(&gnu_world, connection, "NSURLConnection -- delegate --> NSObject (ivar)\n");
    gnu_close_heap();
}

static void test_memory_of_unknown_layout_is_said_to_hide(void) {
    static const struct ivar of_request[] = {{"_NSURLRequestInternal", "^v", 8, 8, NONE}};
    gnu_open_heap(GCC);
    loupe_addr root = gnu_put_root();
    loupe_addr request =
        gnu_put_object(gnu_put_class("NSURLRequest", root, 16, IVARS(of_request)), 16);
    CHECK_WALK(&gnu_world, request, "");
    drawn_put_word(&gnu_heap, request + 8, drawn_alloc(&gnu_heap, 64));
    CHECK_WALK(&gnu_world, request, "! 1 opaque objects that may hold others\n");
    gnu_close_heap();
}

int main(void) {
    RUN(test_dictionary_of_gnustep_base);
    RUN(test_keys_that_are_in_the_pointer);
    RUN(test_table_that_counts_other_nodes_is_refused);
    RUN(test_chain_that_loops_ends);
    RUN(test_timer_owns_what_its_rule_names);
    RUN(test_timer_without_an_ivar_of_its_rule_is_followed_by_types);
    RUN(test_operation_that_has_its_state_in_another_object);
    RUN(test_operation_that_has_its_state_itself);
    RUN(test_operation_without_a_known_state_is_followed_by_types);
    RUN(test_center_without_a_table_or_of_another_version);
    RUN(test_older_center_owns_observers_for_blocks_alone);
    RUN(test_newer_center_says_which_observers_it_owns);
    RUN(test_center_with_locks_in_its_table);
    RUN(test_center_is_told_by_observations_that_are_free);
    RUN(test_center_that_nobody_observes);
    RUN(test_observer_behind_a_weak_record_is_owned);
    RUN(test_pool_owns_its_entries);
    RUN(test_pool_leads_to_the_one_around_it_and_not_inside);
    RUN(test_drained_pool_owns_nothing);
    RUN(test_pool_that_counts_other_entries_is_refused);
    RUN(test_pool_whose_stretches_loop_ends);
    RUN(test_pool_of_the_runtime_hides_its_entries);
    RUN(test_only_the_type_of_an_event_tells_what_it_owns);
    RUN(test_thread_leads_to_its_run_loop_and_its_pool);
    RUN(test_invocation_owns_arguments_that_are_objects);
    RUN(test_invocation_that_retains_nothing_owns_nothing);
    RUN(test_invocation_with_another_frame_hides_its_arguments);
    RUN(test_types_that_are_too_few_or_none_hide_arguments);
    RUN(test_user_info_of_an_exception_is_behind_a_pointer);
    RUN(test_delegate_of_a_connection);
    RUN(test_memory_of_unknown_layout_is_said_to_hide);
    return check_report();
}
