// The probe of objects in Objective-C++: with C++ members it is not made, and no destructor runs.
extern "C" {
#include "ivar_probing.h"
}

#include <Foundation/Foundation.h>

static int constructed, destroyed;

// With a constructor: the class has .cxx_construct, too.
struct Constructed {
    Constructed() { constructed++; }
    ~Constructed() { destroyed++; }
    long number;
};

// Zeroed memory will do: nothing but the type tells of the destructor.
struct Destroyed {
    ~Destroyed() { destroyed++; }
    long handle;
};

struct Derived : Destroyed {
    long number;
};

@interface WithConstructed : NSObject {
  @public
    NSObject *_object;
    Constructed _member;
}
@end
@implementation WithConstructed
@end

@interface WithDestroyed : NSObject {
  @public
    NSObject *_object;
    Destroyed _member;
}
@end
@implementation WithDestroyed
@end

@interface WithArray : NSObject {
  @public
    Derived _members[2];
    NSObject *_object;
}
@end
@implementation WithArray
@end

union either {
    long number;
    double real;
};

@interface WithUnion : NSObject {
  @public
    union either _either;
    NSObject *_object;
}
@end
@implementation WithUnion
@end

@interface ReferencesOnly : WithDestroyed {
  @public
    NSObject *_strong;
    __weak NSObject *_weak;
    Destroyed *_pointer;
    int Destroyed::*_member_pointer;
}
@end
@implementation ReferencesOnly
@end

@interface ObjectsOnly : NSObject {
  @public
    NSObject *_strong;
    __weak NSObject *_weak;
    Destroyed *_pointer;
    void (^_block)(void);
}
@end
@implementation ObjectsOnly
@end

// The runtime's tables have room for more weak references in a program that has some.
static void make_room_for_weak_references() {
    static NSObject *objects[1000];
    static __weak NSObject *references[1000];
    for (unsigned i = 0; i < 1000; i++)
        references[i] = objects[i] = [NSObject new];
}

static const void *address_of(id object) {
    return (__bridge const void *)object;
}

static void test_no_destructor_of_a_member_runs() {
    WithConstructed *first = [WithConstructed new];
    WithDestroyed *second = [WithDestroyed new];
    WithArray *third = [WithArray new];
    WithUnion *fourth = [WithUnion new];
    CHECK_EQ(constructed, 1);
    CHECK(was_skipped(probe_of(address_of(first), "WithConstructed"), "it has C++ objects"));
    CHECK(was_skipped(probe_of(address_of(second), "WithDestroyed"), "its ivar _member is a struct"));
    CHECK(was_skipped(probe_of(address_of(third), "WithArray"), "its ivar _members is a struct"));
    CHECK(was_skipped(probe_of(address_of(fourth), "WithUnion"), "its ivar _either is a struct"));
    CHECK_EQ(destroyed, 0);
    CHECK_EQ(constructed, 1);
}

static void test_class_of_references_is_probed() {
    const char *level = probe_of(address_of([ObjectsOnly new]), "ObjectsOnly");
    CHECK(was_made(level));
    CHECK_STR(ownership_in(level, "_strong"), "strong");
    CHECK_STR(ownership_in(level, "_weak"), "weak");
    CHECK_STR(ownership_in(level, "_block"), "strong");
    CHECK_STR(ownership_in(level, "_pointer"), "none");
}

static void test_ivar_without_an_encoding_is_not_trusted() {
    CHECK(was_skipped(probe_of(address_of([ReferencesOnly new]), "ReferencesOnly"),
                      "the type of its ivar _member_pointer is not known"));
}

int main() {
    @autoreleasepool {
        make_room_for_weak_references();
        RUN(test_class_of_references_is_probed);
        RUN(test_ivar_without_an_encoding_is_not_trusted);
        destroyed = constructed = 0;
        RUN(test_no_destructor_of_a_member_runs);
    }
    CHECK_EQ(constructed, 1);
    CHECK_EQ(destroyed, 1 + 1 + 2); // by their owners' deaths, each once
    return check_report();
}
