/* Classes that no linker symbol names: made at run time, and called like things of C. */
#import <Foundation/Foundation.h>
#import <objc/runtime.h>

@interface Base : NSObject {
  @public
    id _child;
}
@end
@implementation Base
@end

/* A table of C, as the mathematical library has one under this name. */
const double P[13] = {1, 2, 3};

/* Where the debugger stops. */
__attribute__((noinline)) void classesReady(id object, int counter, Base *Known);
void classesReady(id object, int counter, Base *Known) {
    (void)object;
    (void)counter;
    (void)Known;
}

static Class makeClass(const char *name) {
    Class cls = objc_allocateClassPair([Base class], name, 0);
    objc_registerClassPair(cls);
    return cls;
}

int main(void) {
    @autoreleasepool {
        id object = [makeClass("Made") new];
        makeClass("P");
        makeClass("counter");
        makeClass("Known");
        classesReady(object, (int)P[1], [Base new]);
    }
    return 0;
}
