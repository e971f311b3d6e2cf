// In Objective-C++ extended layouts leave out `this`, and members of C++ objects. The probe is not
// misled by the one and leaves alone what has the other.
extern "C" {
#include "block_probing.h"
}

#include <Foundation/Foundation.h>

static int destroyed;

static const void *address_of(id block) {
    return (__bridge const void *)block;
}

class Session {
  public:
    id strongAndUnretained() {
        NSObject *object = [NSObject new];
        __unsafe_unretained NSObject *unretained = object;
        return ^{
            number++;
            (void)object;
            (void)unretained;
        };
    }

    id weakAndPointer() {
        __weak NSObject *weak = keep;
        void *pointer = this;
        return ^{
            number++;
            (void)weak;
            (void)pointer;
        };
    }

    id unretainedOnly() {
        __unsafe_unretained NSObject *unretained = keep;
        return ^{
            number++;
            (void)unretained;
        };
    }

  private:
    NSObject *keep = [NSObject new];
    long number = 0;
};

static void test_this_is_called_strong() {
    Session session;
    id block = session.strongAndUnretained();
    CHECK_STR(layout_of(address_of(block)), "31 60");
    CHECK_STR(released_by(address_of(block)), "32 strong");
}

static void test_this_is_called_weak() {
    Session session;
    id block = session.weakAndPointer();
    CHECK_STR(layout_of(address_of(block)), "0x2");
    CHECK_STR(released_by(address_of(block)), "32 weak");
}

static void test_this_shifts_what_follows() {
    Session session;
    id block = session.unretainedOnly();
    CHECK_STR(layout_of(address_of(block)), "60");
    CHECK_STR(released_by(address_of(block)), "it has no dispose helper");
}

static void test_lambda_that_owns_objects_is_left_out() {
    NSObject *first = [NSObject new], *second = [NSObject new];
    int number = 1;
    auto lambda = [first, second, number]() {
        (void)first;
        (void)second;
        return number;
    };
    id block = ^{
        (void)lambda();
    };
    CHECK_STR(layout_of(address_of(block)), "");
    CHECK_STR(released_by(address_of(block)), "it captures C++ objects, whose destructors would run");
}

struct Base {
    virtual ~Base() { destroyed++; }
    NSObject *inherited;
};

struct Derived : Base {
    NSObject *own;
    __weak NSObject *weak;
};

static void test_part_of_a_base_class_is_swallowed() {
    NSObject *object = [NSObject new];
    @autoreleasepool {
        Derived derived;
        derived.inherited = derived.own = derived.weak = object;
        id block = ^{
            (void)object;
            (void)derived;
        };
        destroyed = 0;
        CHECK_STR(layout_of(address_of(block)), "0x401");
        CHECK_STR(released_by(address_of(block)),
                  "it captures C++ objects, whose destructors would run");
        CHECK_EQ(destroyed, 0);
    }
}

int main() {
    @autoreleasepool {
        RUN(test_this_is_called_strong);
        RUN(test_this_is_called_weak);
        RUN(test_this_shifts_what_follows);
        RUN(test_lambda_that_owns_objects_is_left_out);
        RUN(test_part_of_a_base_class_is_swallowed);
    }
    return check_report();
}
