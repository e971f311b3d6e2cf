/*
 * test_foundation.m - strings, numbers, boxes, tables, timers: their forms in memory and what they
 * own. ARC.
 */
#import "raw.h"

OBJC_EXTERN uintptr_t _objc_rootRetainCount(id object);
OBJC_EXTERN uintptr_t objc_debug_taggedpointer_mask;
OBJC_EXTERN uintptr_t objc_debug_taggedpointer_obfuscator;
OBJC_EXTERN unsigned objc_debug_taggedpointer_slot_shift;
OBJC_EXTERN uintptr_t objc_debug_taggedpointer_slot_mask;
OBJC_EXTERN unsigned objc_debug_taggedpointer_payload_lshift;
OBJC_EXTERN unsigned objc_debug_taggedpointer_payload_rshift;
OBJC_EXTERN Class objc_debug_taggedpointer_classes[];

@interface Ticker : NSObject
@property(strong) NSTimer *timer;
@property int ticks;
@end
@implementation Ticker
- (void)tick:(NSTimer *)timer {
    self.ticks += [timer.userInfo intValue];
}
@end

/* ---- strings and numbers ---- */

static void test_constant_string_in_memory(void) {
    NSString *string = @"constant";
    CHECK_STR(object_getClassName(string), "__NSCFConstantString");
    CHECK_EQ(u64_at(ADDRESS(string), 0), (uintptr_t)ADDRESS([string class]));
    CHECK_EQ(u32_at(ADDRESS(string), 8), 0x7c8);
    CHECK_EQ(u32_at(ADDRESS(string), 12), 0);
    CHECK_STR(pointer_at(ADDRESS(string), 16), "constant");
    CHECK_EQ(u64_at(ADDRESS(string), 24), 8);
}

static void test_heap_string_counts_in_its_header(void) {
    NSString *string = [[NSString alloc] initWithUTF8String:"heap"];
    CHECK_STR(object_getClassName(string), "__NSCFString");
    CHECK_EQ(u64_at(ADDRESS(string), 0) & 1, 0);
    CHECK_EQ(u32_at(ADDRESS(string), 12), 1);
    NSArray *array = @[ string, string ];
    CHECK_EQ(array.count, 2);
    CHECK_EQ(u32_at(ADDRESS(string), 12), 3);
    array = nil;
    CHECK_EQ(u32_at(ADDRESS(string), 12), 1);
    __weak NSString *weak = string;
    loupe_test_watch(string, "string");
    string = nil;
    CHECK(loupe_test_deallocated("string") && weak == nil);
}

static void test_strings(void) {
    NSString *formatted = [NSString
        stringWithFormat:@"%d|%@|%s|%5.2f|%x|%%|%lu", -3, @"obj", "c", 1.5, 255u, 7ul];
    CHECK_STR(formatted.UTF8String, "-3|obj|c| 1.50|ff|%|7");
    CHECK([[NSString stringWithUTF8String:"abc"] isEqual:@"abc"]);
    CHECK([@"abc" hash] == [[NSString stringWithUTF8String:"abc"] hash]);
    CHECK([@"abcdef" hasPrefix:@"abc"] && [@"abcdef" hasSuffix:@"def"]);
    CHECK_EQ(@"abc".length, 3);
    CHECK([@"a" compare:@"b"] == NSOrderedAscending);
    CHECK_STR([@"a" stringByAppendingString:@"b"].UTF8String, "ab");
}

static long long tagged_value(NSNumber *number) {
    uint64_t payload = ((uint64_t)ADDRESS(number) ^ objc_debug_taggedpointer_obfuscator)
                           << objc_debug_taggedpointer_payload_lshift >>
                       objc_debug_taggedpointer_payload_rshift;
    return (long long)(payload << 4) >> 8;
}

static void test_small_integers_are_tagged_pointers(void) {
    for (int i = -3; i <= 3; i++) {
        NSNumber *number = @(i * 1000003);
        uint64_t word = (uint64_t)ADDRESS(number);
        CHECK_EQ(word & objc_debug_taggedpointer_mask, objc_debug_taggedpointer_mask);
        uint64_t slot =
            word >> objc_debug_taggedpointer_slot_shift & objc_debug_taggedpointer_slot_mask;
        CHECK_STR(class_getName(objc_debug_taggedpointer_classes[slot]), "__NSCFNumber");
        CHECK(object_getClass(number) == objc_debug_taggedpointer_classes[slot]);
        CHECK_EQ(tagged_value(number), i * 1000003);
        CHECK_EQ(number.intValue, i * 1000003);
        __weak NSNumber *weak = number;
        CHECK(weak == number);
    }
#if defined(__x86_64__)
    CHECK_EQ((uint64_t)ADDRESS(@1) ^ objc_debug_taggedpointer_obfuscator, 0x127);
#endif
}

static void test_other_numbers_are_objects(void) {
    for (NSNumber *number in @[ @1.5, @2.5f, @(LLONG_MAX), @(ULLONG_MAX) ]) {
        CHECK_EQ((uint64_t)ADDRESS(number) & objc_debug_taggedpointer_mask, 0);
        CHECK_STR(object_getClassName(number), "__NSCFNumber");
        CHECK_EQ(u64_at(ADDRESS(number), 0) & 1, 0);
    }
    CHECK(@(1.5).doubleValue == 1.5 && @(2.5f).floatValue == 2.5f);
    CHECK_EQ(@(LLONG_MAX).longLongValue, LLONG_MAX);
    CHECK_EQ(@(ULLONG_MAX).unsignedLongLongValue, ULLONG_MAX);
    CHECK([@3 isEqual:@3.0] && ![@3 isEqual:@4]);
    CHECK_STR(@(7).description.UTF8String, "7");
}

static void test_booleans_are_static(void) {
    NSNumber *yes = @YES, *no = @NO;
    CHECK(yes == [NSNumber numberWithBool:1] && no != yes);
    CHECK_STR(object_getClassName(@YES), "__NSCFBoolean");
    CHECK(@YES.boolValue && !@NO.boolValue);
    CHECK([@YES isEqual:@1]);
}

static void test_box_does_not_retain(void) {
    NSObject *object = [[NSObject alloc] init];
    uintptr_t count = _objc_rootRetainCount(object);
    NSValue *value = [NSValue valueWithNonretainedObject:object];
    CHECK_STR(object_getClassName(value), "NSConcreteValue");
    CHECK_EQ(_objc_rootRetainCount(object), count);
    CHECK_EQ(u64_at(ADDRESS(value), 24), (uintptr_t)ADDRESS(object));
    CHECK(value.nonretainedObjectValue == object);
    CHECK([value isEqual:[NSValue valueWithNonretainedObject:object]]);
}

/* ---- tables ---- */

static void test_map_table_holds_as_it_was_told(void) {
    struct {
        NSMapTable *table;
        uintptr_t key_references, value_references;
    } cases[] = {
        {[NSMapTable strongToStrongObjectsMapTable], 1, 1},
        {[NSMapTable strongToWeakObjectsMapTable], 1, 0},
        {[NSMapTable weakToStrongObjectsMapTable], 0, 1},
        {[NSMapTable weakToWeakObjectsMapTable], 0, 0},
        {[NSMapTable mapTableWithKeyOptions:NSPointerFunctionsOpaqueMemory |
                                            NSPointerFunctionsOpaquePersonality
                               valueOptions:NSPointerFunctionsOpaqueMemory],
         0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        NSObject *key = [[NSObject alloc] init];
        NSObject *value = [[NSObject alloc] init];
        uintptr_t keys = _objc_rootRetainCount(key);
        uintptr_t values = _objc_rootRetainCount(value);
        [cases[i].table setObject:value forKey:key];
        CHECK_EQ(_objc_rootRetainCount(key), keys + cases[i].key_references);
        CHECK_EQ(_objc_rootRetainCount(value), values + cases[i].value_references);
        @autoreleasepool {
            CHECK([cases[i].table objectForKey:key] == value);
            CHECK_EQ(cases[i].table.count, 1);
            [cases[i].table removeObjectForKey:key];
            CHECK([cases[i].table objectForKey:key] == nil);
        }
        CHECK_EQ(_objc_rootRetainCount(key), keys);
        CHECK_EQ(_objc_rootRetainCount(value), values);
    }
}

static void test_map_table_in_memory(void) {
    NSMapTable *table = [NSMapTable strongToWeakObjectsMapTable];
    NSObject *value = [[NSObject alloc] init];
    [table setObject:value forKey:@"key"];
    CHECK_STR(object_getClassName(table), "NSConcreteMapTable");
    const char *keys = ADDRESS(table) + 8, *values = ADDRESS(table) + 112;
    uint64_t capacity = u64_at(ADDRESS(table), 224);
    uint64_t slot = 0;
    while (slot < capacity && u64_at(pointer_at(keys, 0), slot * 8) != (uintptr_t)@"key")
        slot++;
    CHECK(slot < capacity);
    CHECK_EQ(u64_at(pointer_at(values, 0), slot * 8), (uintptr_t)ADDRESS(value));
    CHECK(u32_at(keys, 8) & 1);        /* wantsStrong */
    CHECK(u32_at(values, 8) >> 1 & 1); /* wantsWeak */
    CHECK(u64_at(keys, 48) != 0);      /* acquireFunction */
    CHECK_EQ(u64_at(values, 48), 0);
    value = nil;
    CHECK_EQ(u64_at(pointer_at(values, 0), slot * 8), 0);
    CHECK_EQ(table.count, 0);
}

static void test_weak_map_table_survives_the_end_of_its_keys(void) {
    NSMapTable *table = [NSMapTable weakToStrongObjectsMapTable];
    NSMutableArray *keys = [NSMutableArray array];
    for (int i = 0; i < 100; i++) {
        NSObject *key = [[NSObject alloc] init];
        [table setObject:@(i) forKey:key];
        if (i % 2)
            [keys addObject:key];
    }
    CHECK_EQ(table.count, 50);
    int wrong = 0;
    for (NSUInteger i = 0; i < keys.count; i++)
        wrong += [[table objectForKey:keys[i]] intValue] != (int)(2 * i + 1);
    CHECK_EQ(wrong, 0);
}

static void test_hash_tables(void) {
    NSObject *object = [[NSObject alloc] init];
    uintptr_t count = _objc_rootRetainCount(object);
    NSHashTable *strong = [NSHashTable hashTableWithOptions:NSPointerFunctionsStrongMemory];
    NSHashTable *weak = [NSHashTable weakObjectsHashTable];
    [strong addObject:object];
    [strong addObject:object];
    CHECK_EQ(strong.count, 1);
    CHECK_EQ(_objc_rootRetainCount(object), count + 1);
    [weak addObject:object];
    CHECK_EQ(_objc_rootRetainCount(object), count + 1);
    @autoreleasepool {
        CHECK([weak containsObject:object] && weak.allObjects.count == 1);
        for (id member in weak)
            CHECK(member == object);
    }
    CHECK_EQ(u64_at(pointer_at(ADDRESS(strong), 8), 0), (uintptr_t)ADDRESS(object));
    CHECK_EQ(u64_at(pointer_at(ADDRESS(weak), 8), 0), (uintptr_t)ADDRESS(object));
    CHECK(u64_at(ADDRESS(strong), 56) != 0);
    CHECK_EQ(u64_at(ADDRESS(weak), 56), 0);
    [strong removeAllObjects];
    object = nil;
    CHECK_EQ(weak.count, 0);
}

/* ---- timers ---- */

static void test_timer_retains_target_and_user_info_until_invalidated(void) {
    Ticker *ticker = [[Ticker alloc] init];
    NSObject *info = [[NSObject alloc] init];
    uintptr_t target_count = _objc_rootRetainCount(ticker);
    uintptr_t info_count = _objc_rootRetainCount(info);
    NSTimer *timer = [NSTimer timerWithTimeInterval:60
                                             target:ticker
                                           selector:@selector(tick:)
                                           userInfo:info
                                            repeats:YES];
    CHECK_STR(object_getClassName(timer), "__NSCFTimer");
    CHECK_EQ(_objc_rootRetainCount(ticker), target_count + 1);
    CHECK_EQ(_objc_rootRetainCount(info), info_count + 1);
    const char *context_info = pointer_at(ADDRESS(timer), 160);
    CHECK(u64_at(ADDRESS(timer), 168) != 0);
    CHECK_EQ(u64_at(context_info, 0), 1);
    CHECK_EQ(u64_at(context_info, 8), (uintptr_t)ADDRESS(ticker));
    SEL selector = @selector(tick:);
    CHECK_EQ(u64_at(context_info, 16), (uintptr_t)sel_getName(selector));
    CHECK_EQ(u64_at(context_info, 24), (uintptr_t)ADDRESS(info));
    [timer invalidate];
    CHECK_EQ(_objc_rootRetainCount(ticker), target_count);
    CHECK_EQ(_objc_rootRetainCount(info), info_count);
    CHECK(!timer.valid);
    CHECK_EQ(u64_at(ADDRESS(timer), 160), 0);
}

static void test_run_loop_retains_scheduled_timers(void) {
    Ticker *ticker = [[Ticker alloc] init];
    loupe_test_watch(ticker, "ticker");
    ticker.timer = [NSTimer scheduledTimerWithTimeInterval:0
                                                    target:ticker
                                                  selector:@selector(tick:)
                                                  userInfo:@5
                                                   repeats:NO];
    const char *timer;
    @autoreleasepool {
        timer = ADDRESS(ticker.timer);
    }
    CHECK_EQ(u32_at(timer, 12), 2);
    CHECK_EQ([NSRunLoop.currentRunLoop fireDueTimers], 1);
    CHECK_EQ(ticker.ticks, 5);
    CHECK(!ticker.timer.valid);
    CHECK_EQ([NSRunLoop.currentRunLoop fireDueTimers], 0);
    ticker = nil;
    CHECK(loupe_test_deallocated("ticker"));
}

static void test_block_timer_holds_its_block(void) {
    __block int fired = 0;
    NSTimer *timer = [NSTimer timerWithTimeInterval:60
                                            repeats:YES
                                              block:^(NSTimer *own) {
                                                fired += own.valid;
                                              }];
    const char *block = pointer_at(ADDRESS(timer), 160);
    CHECK_EQ(u32_at(block, 8) >> 24 & 1, 1);
    [timer fire];
    [timer fire];
    CHECK_EQ(fired, 2);
    loupe_test_watch((__bridge id)(void *)block, "timer block");
    [timer invalidate];
    CHECK(loupe_test_deallocated("timer block"));
}

int main(void) {
    @autoreleasepool {
        RUN(test_constant_string_in_memory);
        RUN(test_heap_string_counts_in_its_header);
        RUN(test_strings);
        RUN(test_small_integers_are_tagged_pointers);
        RUN(test_other_numbers_are_objects);
        RUN(test_booleans_are_static);
        RUN(test_box_does_not_retain);
        RUN(test_map_table_holds_as_it_was_told);
        RUN(test_map_table_in_memory);
        RUN(test_weak_map_table_survives_the_end_of_its_keys);
        RUN(test_hash_tables);
        RUN(test_timer_retains_target_and_user_info_until_invalidated);
        RUN(test_run_loop_retains_scheduled_timers);
        RUN(test_block_timer_holds_its_block);
    }
    return check_report();
}
