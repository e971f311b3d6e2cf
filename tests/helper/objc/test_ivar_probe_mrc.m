/*
 * The probe of objects without ARC: classes have .cxx_destruct for weak ivars only, and what they
 * own is known to -dealloc.
 */
#include "ivar_probing.h"

#include <Foundation/Foundation.h>

@interface Manual : NSObject {
  @public
    NSObject *_retained;
    void (^_block)(void);
}
@end
@implementation Manual
- (void)dealloc {
    [_retained release];
    [super dealloc];
}
@end

@interface WithWeak : Manual {
  @public
    __weak NSObject *_weak;
    NSObject *_also_retained;
}
@end
@implementation WithWeak
- (void)dealloc {
    [_also_retained release];
    [super dealloc];
}
@end

static void test_what_dealloc_releases_is_not_claimed(void) {
    Manual *object = [Manual new];
    CHECK(was_skipped(probe_of(object, "Manual"), "it has no .cxx_destruct"));
    [object release];
}

static void test_weak_ivars_are_told(void) {
    NSObject *other = [NSObject new];
    WithWeak *object = [WithWeak new];
    object->_also_retained = [other retain];
    object->_weak = other;
    const char *level = probe_of(object, "WithWeak");
    CHECK(was_made(level));
    CHECK_STR(ownership_in(level, "_weak"), "weak");
    CHECK_STR(ownership_in(level, "_also_retained"), "none");
    CHECK_EQ([other retainCount], 2);
    CHECK(object->_weak == other);
    [object release];
    [other release];
}

int main(void) {
    @autoreleasepool {
        RUN(test_what_dealloc_releases_is_not_claimed);
        RUN(test_weak_ivars_are_told);
    }
    return check_report();
}
