/*
 * test_arc.m - what ARC promises: strong, weak and unretained references, the end of objects,
 * properties, associations.
 */
#import "raw.h"

OBJC_EXTERN uintptr_t _objc_rootRetainCount(id object);

static char journal[256];

static void note(const char *what) {
    strncat(journal, what, sizeof journal - strlen(journal) - 1);
    strncat(journal, " ", sizeof journal - strlen(journal) - 1);
}

@interface Noting : NSObject
@property(copy) NSString *name;
+ (instancetype)newNamed:(NSString *)name;
@end

@implementation Noting
+ (instancetype)newNamed:(NSString *)name {
    Noting *noting = [[self alloc] init];
    noting.name = name;
    return noting;
}
- (void)dealloc {
    note(_name.UTF8String);
}
@end

@interface Holder : Noting {
  @public
    Noting *_first;
    Noting *_second;
}
@end
@implementation Holder
- (void)dealloc {
    note("Holder");
}
@end

@interface DerivedHolder : Holder {
  @public
    Noting *_third;
}
@end
@implementation DerivedHolder
- (void)dealloc {
    note("DerivedHolder");
}
@end

@interface Properties : NSObject
@property(atomic, strong) id atomicStrong;
@property(nonatomic, strong) id strong;
@property(atomic, copy) NSArray *atomicCopy;
@property(nonatomic, copy) NSArray *copied;
@property(nonatomic, weak) id weak;
@property(atomic, weak) id atomicWeak;
@property(nonatomic, unsafe_unretained) id unretained;
@property(atomic, copy) void (^block)(void);
@property(atomic, assign) struct { id __unsafe_unretained a; long b[4]; } structure;
@end
@implementation Properties
@end

static void test_strong_local_keeps_and_ends(void) {
    journal[0] = 0;
    {
        Noting *local = [Noting newNamed:@"local"];
        note("in");
        (void)local.name;
    }
    note("out");
    CHECK_STR(journal, "in local out ");
}

static void test_assignment_releases_the_old_value(void) {
    journal[0] = 0;
    Noting *variable = [Noting newNamed:@"old"];
    variable = [Noting newNamed:@"new"];
    note("assigned");
    CHECK(variable != nil);
    variable = nil;
    CHECK_STR(journal, "old assigned new ");
}

static void test_members_end_after_dealloc_subclass_first(void) {
    journal[0] = 0;
    DerivedHolder *holder = [DerivedHolder newNamed:@"holder"];
    holder->_first = [Noting newNamed:@"first"];
    holder->_second = [Noting newNamed:@"second"];
    holder->_third = [Noting newNamed:@"third"];
    holder = nil;
    /* All -dealloc from the derived class up, then members from the derived class up. */
    CHECK(strncmp(journal, "DerivedHolder Holder holder third ", 34) == 0);
    CHECK(strstr(journal, "first ") && strstr(journal, "second "));
}

static void test_weak_becomes_nil(void) {
    Noting *object = [Noting newNamed:@"object"];
    __weak Noting *weak = object;
    __unsafe_unretained Noting *unretained = object;
    CHECK(weak == unretained);
    object = nil;
    CHECK(weak == nil);
}

static void test_weak_does_not_retain(void) {
    Noting *object = [Noting newNamed:@"object"];
    uintptr_t before = _objc_rootRetainCount(object);
    __weak Noting *weak = object;
    __weak Noting *copy = weak;
    CHECK_EQ(_objc_rootRetainCount(object), before);
    object = nil;
    CHECK(weak == nil && copy == nil);
}

static __weak id seen_in_dealloc;

@interface WeakToSelf : NSObject {
  @public
    __weak id _me;
}
@end
@implementation WeakToSelf
- (void)dealloc {
    seen_in_dealloc = _me;
}
@end

static void test_weak_is_nil_within_dealloc(void) {
    WeakToSelf *object = [[WeakToSelf alloc] init];
    object->_me = object;
    seen_in_dealloc = [NSObject class];
    object = nil;
    CHECK(seen_in_dealloc == nil);
}

static void test_weak_ivar_in_moved_struct(void) {
    struct pair {
        id strong;
        __weak id weak;
    };
    NSObject *object = [[NSObject alloc] init];
    struct pair a = {[[NSObject alloc] init], object};
    struct pair b = a;
    a.strong = nil;
    CHECK(b.strong != nil && b.weak == object);
    object = nil;
    CHECK(a.weak == nil && b.weak == nil);
}

static void test_result_is_handed_over_without_the_pool(void) {
#if !__has_feature(address_sanitizer) /* its code stands between the call and the retain */
    NSArray *array = [NSMutableArray array];
    CHECK_EQ(_objc_rootRetainCount(array), 1);
    loupe_test_watch(array, "result");
    array = nil;
    CHECK(loupe_test_deallocated("result"));
#endif
}

static void test_properties_own_as_declared(void) {
    Properties *owner = [[Properties alloc] init];
    NSObject *value = [[NSObject alloc] init];
    NSMutableArray *array = [[NSMutableArray alloc] init];
    uintptr_t count = _objc_rootRetainCount(value);
    owner.weak = owner.atomicWeak = value;
    owner.unretained = value;
    CHECK_EQ(_objc_rootRetainCount(value), count);
    owner.strong = value;
    CHECK_EQ(_objc_rootRetainCount(value), count + 1);
    owner.atomicStrong = value;
    CHECK_EQ(_objc_rootRetainCount(value), count + 2);
    owner.copied = array;
    owner.atomicCopy = array;
    CHECK(owner.copied != array && owner.atomicCopy != array);
    @autoreleasepool {
        CHECK(owner.atomicStrong == value && owner.strong == value);
        CHECK(owner.weak == value && owner.atomicWeak == value);
        __typeof__(owner.structure) structure = {value, {1, 2, 3, 4}};
        owner.structure = structure;
        CHECK(owner.structure.a == value && owner.structure.b[3] == 4);
    }
    owner.strong = owner.atomicStrong = nil;
    CHECK_EQ(_objc_rootRetainCount(value), count);
    value = nil;
    CHECK(owner.weak == nil && owner.atomicWeak == nil);
    owner.unretained = nil;
}

static void test_copied_block_property_is_on_the_heap(void) {
    Properties *owner = [[Properties alloc] init];
    int number = 7;
    __block int seen = 0;
    owner.block = ^{
        seen = number;
    };
    CHECK_EQ(u32_at(ADDRESS(owner.block), 8) >> 24 & 1, 1);
    owner.block();
    CHECK_EQ(seen, 7);
}

static void test_association_lives_as_long_as_its_object(void) {
    static const char kept, copied, assigned;
    journal[0] = 0;
    NSObject *object = [[NSObject alloc] init];
    NSMutableArray *array = [[NSMutableArray alloc] init];
    NSObject *other = [[NSObject alloc] init];
    uintptr_t count = _objc_rootRetainCount(other);
    objc_setAssociatedObject(object, &kept, [Noting newNamed:@"kept"], OBJC_ASSOCIATION_RETAIN);
    objc_setAssociatedObject(object, &copied, array, OBJC_ASSOCIATION_COPY);
    objc_setAssociatedObject(object, &assigned, other, OBJC_ASSOCIATION_ASSIGN);
    CHECK_EQ(_objc_rootRetainCount(other), count);
    @autoreleasepool {
        CHECK(objc_getAssociatedObject(object, &copied) != array);
        CHECK(objc_getAssociatedObject(object, &assigned) == other);
        CHECK(objc_getAssociatedObject(object, &journal) == nil);
    }
    note("before");
    object = nil;
    CHECK_STR(journal, "before kept ");
}

static void test_association_replaced_and_removed(void) {
    static const char key;
    journal[0] = 0;
    NSObject *object = [[NSObject alloc] init];
    objc_setAssociatedObject(object, &key, [Noting newNamed:@"one"], OBJC_ASSOCIATION_RETAIN);
    objc_setAssociatedObject(object, &key, [Noting newNamed:@"two"], OBJC_ASSOCIATION_RETAIN);
    CHECK_STR(journal, "one ");
    objc_setAssociatedObject(object, &key, nil, OBJC_ASSOCIATION_RETAIN);
    CHECK_STR(journal, "one two ");
    CHECK(objc_getAssociatedObject(object, &key) == nil);
}

static void test_many_associations(void) {
    enum { COUNT = 1000 };
    static char keys[COUNT];
    NSObject *object = [[NSObject alloc] init];
    size_t before = loupe_test_live_object_count();
    for (int i = 0; i < COUNT; i++)
        objc_setAssociatedObject(object, &keys[i], [[NSObject alloc] init],
                                 OBJC_ASSOCIATION_RETAIN_NONATOMIC);
    CHECK_EQ(loupe_test_live_object_count(), before + COUNT);
    for (int i = 0; i < COUNT; i += 2)
        objc_setAssociatedObject(object, &keys[i], nil, OBJC_ASSOCIATION_RETAIN_NONATOMIC);
    int wrong = 0;
    for (int i = 0; i < COUNT; i++)
        wrong += (objc_getAssociatedObject(object, &keys[i]) != nil) != (i % 2);
    CHECK_EQ(wrong, 0);
    object = nil;
    CHECK_EQ(loupe_test_live_object_count(), before - 1);
}

static void test_synchronized_is_recursive(void) {
    NSObject *object = [[NSObject alloc] init];
    int entered = 0;
    @synchronized(object) {
        @synchronized(object) {
            entered++;
        }
    }
    CHECK_EQ(entered, 1);
}

static const void *last_freed;

static void observe(const void *object, void *context) {
    last_freed = object;
    (*(int *)context)++;
}

static void test_observer_sees_every_end(void) {
    int ends = 0;
    loupe_test_set_free_observer(observe, &ends);
    NSObject *object = [[NSObject alloc] init];
    const void *address = ADDRESS(object);
    loupe_test_watch(object, "observed");
    CHECK(!loupe_test_deallocated("observed"));
    object = nil;
    loupe_test_set_free_observer(NULL, NULL);
    CHECK_EQ(ends, 1);
    CHECK(last_freed == address);
    CHECK(loupe_test_deallocated("observed"));
}

int main(void) {
    @autoreleasepool {
        RUN(test_strong_local_keeps_and_ends);
        RUN(test_assignment_releases_the_old_value);
        RUN(test_members_end_after_dealloc_subclass_first);
        RUN(test_weak_becomes_nil);
        RUN(test_weak_does_not_retain);
        RUN(test_weak_is_nil_within_dealloc);
        RUN(test_weak_ivar_in_moved_struct);
        RUN(test_result_is_handed_over_without_the_pool);
        RUN(test_properties_own_as_declared);
        RUN(test_copied_block_property_is_on_the_heap);
        RUN(test_association_lives_as_long_as_its_object);
        RUN(test_association_replaced_and_removed);
        RUN(test_many_associations);
        RUN(test_synchronized_is_recursive);
        RUN(test_observer_sees_every_end);
    }
    return check_report();
}
