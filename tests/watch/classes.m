/*
 * Classes that are disposed of and made while rules are followed: as many there are as before, which
 * must not hide that others have come. The argument is the file of rules.
 */
#import <Foundation/Foundation.h>
#include "check.h"
#include "loupe_watch.h"

#include <objc/runtime.h>
#include <stdio.h>
#include <unistd.h>

@interface Screen : NSObject
- (void)close:(int)reason;
@end

@implementation Screen
- (void)close:(int)reason {
}
@end

static int closed;

static void closeNow(id self, SEL selector, int reason) {
    closed += reason;
}

static Class makeClass(const char *name, Class superclass) {
    Class cls = objc_allocateClassPair(superclass, name, 0);
    CHECK(cls && class_addMethod(cls, @selector(close:), (IMP)closeNow, "v@:i"));
    objc_registerClassPair(cls);
    return cls;
}

static IMP implementation(Class cls) {
    return class_getMethodImplementation(cls, @selector(close:));
}

/* The library looks once a second: a minute is no measure of anything. */
static void checkIsIntercepted(Class cls) {
    for (int i = 0; i < 6000 && implementation(cls) == (IMP)closeNow; i++)
        usleep(10000);
    CHECK(implementation(cls) != (IMP)closeNow);
    int before = closed;
    ((void (*)(id, SEL, int))implementation(cls))((id)cls, @selector(close:), 3);
    CHECK(closed == before + 3);
}

int main(int count, char **arguments) {
    Class first = makeClass("First", [Screen class]), late = makeClass("Late", [NSObject class]);
    CHECK(loupe_watch_rules(count > 1 ? arguments[1] : "") == LOUPE_WATCH_OK);
    checkIsIntercepted(first);
    checkIsIntercepted(late);
    objc_disposeClassPair(first);
    Class second = makeClass("Second", [Screen class]);
    checkIsIntercepted(second);
    objc_disposeClassPair(second);
    second = makeClass("Second", [Screen class]); /* by the same name */
    objc_disposeClassPair(late); /* that of a rule itself */
    late = makeClass("Late", [Screen class]);
    Class third = makeClass("Third", late);
    checkIsIntercepted(third);
    checkIsIntercepted(late);
    checkIsIntercepted(second);
    objc_disposeClassPair(third);
    loupe_watch_stop();
    CHECK(implementation(late) == (IMP)closeNow);
    CHECK(implementation(second) == (IMP)closeNow);
    printf("all were met\n");
    return 0;
}
