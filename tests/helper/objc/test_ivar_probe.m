/*
 * The probe of objects under ARC: what .cxx_destruct does to ivars of every kind, and that nothing
 * of the program notices.
 */
#include "ivar_probing.h"

#include <Foundation/Foundation.h>
#include <loupe_test_runtime.h>
#include <objc/runtime.h>
#include <stdlib.h>

OBJC_EXTERN uintptr_t _objc_rootRetainCount(id object);

typedef struct opaque *reference __attribute__((NSObject));

@interface Base : NSObject {
  @public
    NSObject *_strong;
    char _tail;
}
@end
@implementation Base
@end

@interface Kinds : Base {
  @public
    char _first; /* in the last word of Base */
    __weak NSObject *_weak;
    __unsafe_unretained NSObject *_unretained;
    Class _class;
    void (^_block)(void);
    NSObject *_strongs[3];
    int _number;
    __weak NSObject *_weaks[2];
    void *_pointer;
    reference _reference; /* owned, as CF types may be */
    unsigned _few : 3, _more : 7;
    SEL _selector;
    NSString *_text;
    long double _wide;
    NSObject *_grid[2][2];
    BOOL _flag;
}
@end
@implementation Kinds
@end

@interface Hidden : Kinds
@property(nonatomic, strong) NSObject *property;
@end
@implementation Hidden {
    NSObject *_inner;
    __weak id _outer;
}
@end

struct CGRect {
    double x, y, width, height;
};

@interface Plain : NSObject {
  @public
    struct CGRect _frame;
    NSObject *_strong;
}
@end
@implementation Plain
@end

struct mixed {
    NSObject *object;
    long number;
};

@interface WithStruct : NSObject {
  @public
    NSObject *_strong;
    struct mixed _mixed[2];
}
@end
@implementation WithStruct
@end

@interface Large : NSObject {
  @public
    NSObject *_many[500];
}
@end
@implementation Large
@end

@interface Empty : Kinds {
  @public
    long _number_of_its_own;
}
@end
@implementation Empty
@end

static const void *address_of(id object) {
    return (__bridge const void *)object;
}

/* Weak slots are told by weak references of the detectors, where the runtime's tables have room
 * without growing: in those of a program that has weak references. */
static void make_room_for_weak_references(void) {
    enum { MANY = 1000 };
    static NSObject *objects[MANY];
    static __weak NSObject *references[MANY];
    for (unsigned i = 0; i < MANY; i++)
        references[i] = objects[i] = [NSObject new];
}

static void test_every_kind_of_ivar_is_told(void) {
    static const struct {
        const char *path, *ownership;
    } wanted[] = {{"_weak", "weak"},        {"_unretained", "none"},  {"_class", "none"},
                  {"_block", "strong"},     {"_strongs[0]", "strong"}, {"_strongs[2]", "strong"},
                  {"_weaks[0]", "weak"},    {"_weaks[1]", "weak"},     {"_pointer", "none"},
                  {"_reference", "strong"}, {"_selector", "none"},     {"_text", "strong"},
                  {"_wide", "none"},        {"_grid[1][1]", "strong"}, {"_first", "none"}};
    const char *level = probe_of(address_of([Kinds new]), "Kinds");
    CHECK(was_made(level));
    CHECK(strstr(level, "\"weak_tested\":true") != NULL);
    for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        check_current = wanted[i].path;
        CHECK_STR(ownership_in(level, wanted[i].path), wanted[i].ownership);
    }
    check_current = "number of ivars";
    unsigned told = 0;
    for (const char *at = level; (at = strstr(at, "{\"path\":")); at++)
        told++;
    CHECK_EQ(told, 1 + 1 + 3 + 2 + 1 + 1 + 4);
}

static void test_each_class_tells_of_its_own_ivars(void) {
    Hidden *object = [Hidden new];
    const char *level = probe_of(address_of(object), "Hidden");
    CHECK(was_made(level));
    CHECK_STR(ownership_in(level, "_property"), "strong");
    CHECK_STR(ownership_in(level, "_inner"), "strong");
    CHECK_STR(ownership_in(level, "_outer"), "weak");
    CHECK_STR(ownership_in(level, "_strong"), "none");
    level = probe_of(address_of(object), "Base");
    CHECK(was_made(level));
    CHECK_STR(ownership_in(level, "_strong"), "strong");
    CHECK(was_skipped(probe_of(address_of(object), "NSObject"), "it has no .cxx_destruct"));
}

static void test_class_can_be_asked_without_an_instance(void) {
    const char *answer = loupe_dispose_probe((__bridge const void *)[Plain class]);
    CHECK(strstr(answer, "\"class\":\"Plain\"") != NULL);
    CHECK_STR(ownership_in(level_named(answer, "Plain"), "_strong"), "strong");
}

static void test_structs_of_system_headers_are_no_obstacle(void) {
    const char *level = probe_of(address_of([Plain new]), "Plain");
    CHECK(was_made(level));
    CHECK_STR(ownership_in(level, "_strong"), "strong");
    CHECK_STR(ownership_in(level, "_frame.x"), "none");
}

static void test_what_may_be_unsafe_is_skipped_with_its_reason(void) {
    CHECK(was_skipped(probe_of(address_of([WithStruct new]), "WithStruct"),
                      "its ivar _mixed is a struct, which may have a C++ destructor"));
    CHECK(was_skipped(probe_of(address_of([Large new]), "Large"),
                      "it is larger than the detectors reach"));
    CHECK(was_skipped(probe_of(address_of([Empty new]), "Empty"), "it has no .cxx_destruct"));
}

static void test_method_runs_once(void) {
    Base *object = [Base new];
    loupe_dispose_probe(address_of(object));
    CHECK(strstr(probe_of(address_of(object), "Base"), "\"cached\":true") != NULL);
    CHECK(strstr(probe_of(address_of([Hidden new]), "Base"), "\"cached\":true") != NULL);
    CHECK_STR(ownership_in(probe_of(address_of(object), "Base"), "_strong"), "strong");
}

static void test_nothing_of_the_program_notices(void) {
    NSObject *object = [NSObject new];
    Kinds *kinds = [Kinds new];
    kinds->_strong = kinds->_weak = kinds->_strongs[1] = kinds->_weaks[1] = object;
    __weak Kinds *weak = kinds;
    uintptr_t count = _objc_rootRetainCount(object), own = _objc_rootRetainCount(kinds);
    size_t objects = loupe_test_live_object_count();
    for (unsigned i = 0; i < 10; i++)
        loupe_dispose_probe(address_of(kinds));
    CHECK_EQ(_objc_rootRetainCount(object), count);
    CHECK_EQ(_objc_rootRetainCount(kinds), own);
    CHECK_EQ(loupe_test_live_object_count(), objects);
    CHECK(kinds->_strong == object && kinds->_weak == object && kinds->_weaks[1] == object);
    CHECK(weak == kinds);
    kinds->_strong = kinds->_strongs[1] = object = nil;
    CHECK(kinds->_weak == nil && kinds->_weaks[1] == nil);
}

/* ---- A class whose .cxx_destruct is something else ---- */

@interface Tampered : NSObject {
  @public
    NSObject *_strong;
}
@end
@implementation Tampered
@end

static unsigned calls;

__attribute__((noinline)) static void of_somebody_else(id object, SEL selector) {
    (void)object;
    (void)selector;
    calls++;
}

/* Where the list of methods that the compiler made says what the code of .cxx_destruct is. */
static void **code_of_destructor(Class cls) {
    uintptr_t data = ((uintptr_t *)(__bridge void *)cls)[4] & 0x00007ffffffffff8;
    if (*(uint32_t *)data & 1u << 31) {
        data = ((uintptr_t *)data)[1];
        if (data & 1)
            data = *(uintptr_t *)(data - 1);
    }
    uint32_t *list = (uint32_t *)((uintptr_t *)data)[4];
    for (uint32_t i = 0; i < list[1]; i++) {
        void **entry = (void **)(void *)(list + 2) + 3 * i;
        if (strcmp(entry[0], ".cxx_destruct") == 0)
            return &entry[2];
    }
    return NULL;
}

static void test_code_that_is_not_clangs_never_runs(void) {
    void **code = code_of_destructor([Tampered class]);
    if (!CHECK(code != NULL))
        return;
    void *clangs = *code;
    *code = (void *)(uintptr_t)of_somebody_else;
    CHECK(was_skipped(probe_of((__bridge void *)[Tampered class], "Tampered"),
                      "what destroys it is not clang's: of_somebody_else"));
    *code = (char *)clangs + 1;
    CHECK(was_skipped(probe_of((__bridge void *)[Tampered class], "Tampered"),
                      "what destroys it begins inside of -[Tampered .cxx_destruct]"));
    *code = (void *)(uintptr_t)labs;
    CHECK(was_skipped(probe_of((__bridge void *)[Tampered class], "Tampered"),
                      "its code is not that of one loaded image"));
    *code = clangs;
    CHECK(was_made(probe_of((__bridge void *)[Tampered class], "Tampered")));
    CHECK_EQ(calls, 0);
}

int main(void) {
    @autoreleasepool {
        make_room_for_weak_references();
        RUN(test_every_kind_of_ivar_is_told);
        RUN(test_each_class_tells_of_its_own_ivars);
        RUN(test_class_can_be_asked_without_an_instance);
        RUN(test_structs_of_system_headers_are_no_obstacle);
        RUN(test_what_may_be_unsafe_is_skipped_with_its_reason);
        RUN(test_method_runs_once);
        RUN(test_nothing_of_the_program_notices);
        RUN(test_code_that_is_not_clangs_never_runs);
    }
    return check_report();
}
