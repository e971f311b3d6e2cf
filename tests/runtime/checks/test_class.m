/*
 * test_class.m - classes in memory: as the compiler leaves them, realized, extended, made at run
 * time; ivars and their layouts.
 */
#import "raw.h"

OBJC_EXTERN char _objc_empty_cache[];
OBJC_EXTERN const uintptr_t objc_debug_class_rw_data_mask;

/* Class objects by symbol: naming them in Objective-C would send a message and realize them. */
extern char sleeper_class[] __asm__("OBJC_CLASS_$_Sleeper");
extern char sleeper_metaclass[] __asm__("OBJC_METACLASS_$_Sleeper");
extern char root_class[] __asm__("OBJC_CLASS_$_NSObject");
extern char root_metaclass[] __asm__("OBJC_METACLASS_$_NSObject");

@interface Sleeper : NSObject {
    id _dream;
}
@end
@implementation Sleeper
@end

@interface Parent : NSObject {
    id p1;
    char pc;
}
@end
@implementation Parent
@end

struct mixed {
    id a;
    __weak id w;
    int i;
    __unsafe_unretained id u;
    id b;
};

@interface Child : Parent {
    char c;
    id o1;
    __weak id w1;
    int i;
    id o2;
    __unsafe_unretained id u;
    struct mixed s;
    id array[3];
    void (^block)(void);
    unsigned bits : 3;
    union {
        long l;
        double d;
    } un;
    id o3;
    __weak id weaks[2];
    void *pointer;
    NSString *string;
    Class cls;
    SEL sel;
}
@end
@implementation Child
@end

@interface Wide : NSObject {
    id all[20];
}
@end
@implementation Wide
@end

@interface Late : NSObject {
    long numbers[40];
    id object;
}
@end
@implementation Late
@end

@interface Extended : NSObject
- (int)own;
@end
@implementation Extended
- (int)own {
    return 1;
}
@end

@interface Extended (More)
- (int)added;
@property(readonly) int addedToo;
@end
@implementation Extended (More)
- (int)added {
    return 2;
}
- (int)addedToo {
    return 3;
}
@end

/* The compiler does not see the ivars of this superclass: they are in its implementation. */
@interface Slid : NSRunLoop {
    id _strong;
    char _character;
    __weak id _weak;
}
@property(strong) id strong;
@property(weak) id weak;
@end
@implementation Slid
@synthesize strong = _strong, weak = _weak;
@end

static void test_unused_class_is_as_compiled(void) {
    uint64_t bits = u64_at(sleeper_class, 32);
    CHECK_EQ(bits >> 63, 0);
    CHECK_EQ(u32_at((void *)bits, 0) >> 31, 0);
    CHECK_STR(pointer_at((void *)bits, 24), "Sleeper");
    CHECK_EQ(u64_at(sleeper_class, 0), (uintptr_t)sleeper_metaclass);
    CHECK_EQ(u64_at(sleeper_class, 8), (uintptr_t)root_class);
    CHECK_EQ(u64_at(sleeper_class, 16), (uintptr_t)_objc_empty_cache);
    CHECK_EQ(u64_at(sleeper_metaclass, 32) >> 63, 0);
}

static void test_first_message_realizes_class_and_metaclass(void) {
    uint64_t compiled = u64_at(sleeper_class, 32);
    CHECK([Sleeper class] != Nil);
    uint64_t bits = u64_at(sleeper_class, 32);
    CHECK_EQ(bits >> 63, 1);
    const void *rw = (const void *)(bits & objc_debug_class_rw_data_mask);
    CHECK_EQ(u32_at(rw, 0) >> 31, 1);
    CHECK_EQ(u64_at(rw, 8), compiled);
    const void *meta_rw =
        (const void *)(u64_at(sleeper_metaclass, 32) & objc_debug_class_rw_data_mask);
    CHECK_EQ(u32_at(meta_rw, 0) >> 31, 1);
    CHECK_EQ(u32_at(meta_rw, 0) & 1, 1);         /* RW_META */
    CHECK_EQ(u32_at(meta_rw, 0) >> 29 & 1, 1);   /* RW_INITIALIZED is kept there */
}

static void test_metaclasses_lead_to_the_root(void) {
    CHECK_EQ(u64_at(sleeper_metaclass, 0), (uintptr_t)root_metaclass);
    CHECK_EQ(u64_at(root_metaclass, 0), (uintptr_t)root_metaclass);
    CHECK_EQ(u64_at(root_metaclass, 8), (uintptr_t)root_class);
    CHECK_EQ(u64_at(root_class, 8), 0);
}

static void test_subclasses_hang_in_the_tree(void) {
    CHECK([Parent class] != Nil && [Child class] != Nil);
    const void *rw = (const void *)(u64_at(ADDRESS([Parent class]), 32) & CLASS_MASK);
    CHECK_EQ(u64_at(rw, 16), (uintptr_t)ADDRESS([Child class]));
    CHECK_EQ(u64_at((void *)(u64_at(ADDRESS([Child class]), 32) & CLASS_MASK), 24), 0);
}

static void test_ro_of_an_arc_class(void) {
    const char *ro = ro_of([Parent class]);
    CHECK_EQ(u32_at(ro, 0), 0x184); /* ARC, destructor, nothing but a destructor */
    CHECK_EQ(u32_at(ro, 4), 8);
    CHECK_EQ(u32_at(ro, 8), 17);
    CHECK_STR(pointer_at(ro, 24), "Parent");
    CHECK_STR(pointer_at(ro, 16), "\x01");
    CHECK_EQ(u64_at(ro, 56), 0);
    const char *ivars = pointer_at(ro, 48);
    CHECK_EQ(u32_at(ivars, 0), 32);
    CHECK_EQ(u32_at(ivars, 4), 2);
    CHECK_EQ(u32_at(pointer_at(ivars, 8), 0), 8);
    CHECK_STR(pointer_at(ivars, 16), "p1");
    CHECK_STR(pointer_at(ivars, 24), "@");
    CHECK_EQ(u32_at(ivars, 32), 3);
    CHECK_EQ(u32_at(ivars, 36), 8);
}

static void test_layouts_of_a_mixed_class(void) {
    const char *ro = ro_of([Child class]);
    CHECK_EQ(u32_at(ro, 4), 17);
    CHECK_EQ(u32_at(ro, 8), 208);
    CHECK_STR(pointer_at(ro, 16), "\x01\x21\x11\x35\x21\x31");
    CHECK_STR(pointer_at(ro, 56), "\x11\x41\xa2");
    CHECK_STR((const char *)class_getIvarLayout([Child class]), "\x01\x21\x11\x35\x21\x31");
    CHECK_EQ(class_getInstanceSize([Child class]), 208);
}

static void test_layouts_of_long_runs(void) {
    CHECK_STR(pointer_at(ro_of([Wide class]), 16), "\x0f\x05");
    CHECK_STR(pointer_at(ro_of([Late class]), 16), "\xf0\xf0\xa1");
}

static void test_category_extends_the_class(void) {
    CHECK_EQ([[Extended new] added], 2);
    CHECK_EQ([[Extended new] own], 1);
    const void *rw = (const void *)(u64_at(ADDRESS([Extended class]), 32) & CLASS_MASK);
    uint64_t ro_or_ext = u64_at(rw, 8);
    CHECK_EQ(ro_or_ext & 1, 1);
    const char *ext = (const char *)(ro_or_ext & ~1UL);
    CHECK_STR(pointer_at(pointer_at(ext, 0), 24), "Extended");
    uint64_t methods = u64_at(ext, 8);
    CHECK_EQ(methods & 1, 1);
    CHECK_EQ(u32_at((void *)(methods & ~1UL), 0), 2);
    /* The category's list comes first. */
    const char *first = pointer_at((void *)(methods & ~1UL), 8);
    CHECK_EQ(u32_at(first, 0) & ~3U, 24);
    CHECK_EQ(u32_at(first, 4), 2);
    CHECK_STR(pointer_at(first, 8), "added");
    CHECK_EQ(u64_at(ext, 16) & 1, 0); /* one list of properties: no array */
    CHECK_STR(pointer_at(pointer_at(ext, 16), 8), "addedToo");
}

static void test_class_without_category_has_the_short_form(void) {
    const void *rw = (const void *)(u64_at(ADDRESS([Parent class]), 32) & CLASS_MASK);
    CHECK_EQ(u64_at(rw, 8) & 1, 0);
}

static void test_ivars_slide_behind_a_superclass_that_has_grown(void) {
    extern char slid_class[] __asm__("OBJC_CLASS_$_Slid");
    const char *compiled = pointer_at(slid_class, 32);
    CHECK_EQ(u32_at(compiled, 4), 8);
    CHECK_EQ(u32_at(compiled, 8), 32);
    Slid *slid = [[Slid alloc] init];
    size_t start = class_getInstanceSize([NSRunLoop class]);
    CHECK(start > 8);
    const char *ro = ro_of([Slid class]);
    CHECK_EQ(u32_at(ro, 4), start);
    CHECK_EQ(u32_at(ro, 8), start + 24);
    CHECK_EQ(ivar_getOffset(class_getInstanceVariable([Slid class], "_strong")), start);
    CHECK_EQ(ivar_getOffset(class_getInstanceVariable([Slid class], "_weak")), start + 16);
    CHECK_STR(pointer_at(ro, 16), "\x01"); /* layouts are relative */
    CHECK_STR(pointer_at(ro, 56), "\x21");
    slid.strong = @"both";
    slid.weak = slid.strong;
    CHECK_EQ(u64_at(ADDRESS(slid), start), u64_at(ADDRESS(slid), start + 16));
    CHECK_EQ(u64_at(ADDRESS(slid), 8), 0);
}

static void test_class_pair_made_at_run_time(void) {
    Class made = objc_allocateClassPair([Parent class], "NSKVONotifying_Parent", 0);
    CHECK(made != Nil);
    CHECK(class_addIvar(made, "extra", sizeof(id), 3, "@"));
    objc_registerClassPair(made);
    CHECK(!class_addIvar(made, "late", sizeof(id), 3, "@"));
    CHECK(objc_getClass("NSKVONotifying_Parent") == made);
    CHECK(objc_allocateClassPair([Parent class], "NSKVONotifying_Parent", 0) == Nil);
    const void *rw = (const void *)(u64_at(ADDRESS(made), 32) & CLASS_MASK);
    CHECK_EQ(u64_at(ADDRESS(made), 32) >> 63, 1);
    CHECK_EQ(u32_at(rw, 0) >> 31, 1);
    CHECK_EQ(u32_at(rw, 0) >> 27 & 1, 1); /* RW_COPIED_RO */
    const char *ro = ro_of(made);
    CHECK_EQ(u32_at(ro, 4), 17);
    CHECK_EQ(u32_at(ro, 8), 32);
    CHECK_STR(pointer_at(ro, 16), ""); /* class_addIvar leaves the layouts empty */
    CHECK(pointer_at(ro, 56) == pointer_at(ro, 16));
    CHECK_EQ(ivar_getOffset(class_getInstanceVariable(made, "extra")), 24);
    Parent *object = [[Parent alloc] init];
    CHECK(object_setClass(object, made) == [Parent class]);
    CHECK_EQ(u64_at(ADDRESS(object), 0) & CLASS_MASK, (uintptr_t)ADDRESS(made));
    CHECK_EQ(u64_at(ADDRESS(object), 0) & MAGIC_MASK, MAGIC_VALUE);
    CHECK_EQ(EXTRA_RC(u64_at(ADDRESS(object), 0)), 1);
}

static void test_class_names_are_in_the_table(void) {
    OBJC_EXTERN void *gdb_objc_realized_classes;
    const char *table = gdb_objc_realized_classes;
    uint32_t count = u32_at(table, 8);
    uint32_t size = u32_at(table, 12) + 1;
    uint32_t used = 0;
    bool found = false;
    for (uint32_t i = 0; i < size; i++) {
        if (u64_at(pointer_at(table, 16), i * 16) == UINT64_MAX)
            continue;
        used++;
        if (strcmp(pointer_at(pointer_at(table, 16), i * 16), "Sleeper") == 0)
            found = u64_at(pointer_at(table, 16), i * 16 + 8) == (uintptr_t)sleeper_class;
    }
    CHECK_EQ(used, count);
    CHECK_EQ(size & (size - 1), 0);
    CHECK(found);
}

int main(void) {
    @autoreleasepool {
        RUN(test_unused_class_is_as_compiled);
        RUN(test_first_message_realizes_class_and_metaclass);
        RUN(test_metaclasses_lead_to_the_root);
        RUN(test_subclasses_hang_in_the_tree);
        RUN(test_ro_of_an_arc_class);
        RUN(test_layouts_of_a_mixed_class);
        RUN(test_layouts_of_long_runs);
        RUN(test_category_extends_the_class);
        RUN(test_class_without_category_has_the_short_form);
        RUN(test_ivars_slide_behind_a_superclass_that_has_grown);
        RUN(test_class_pair_made_at_run_time);
        RUN(test_class_names_are_in_the_table);
    }
    return check_report();
}
