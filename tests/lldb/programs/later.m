/* Classes that are not there when the program begins: of a library that it loads, and one that it makes. */
#import <Foundation/Foundation.h>

#include <dlfcn.h>
#include <objc/runtime.h>

@protocol Later
- (int)apply:(int)number;
- (void)setUp;
- (id)step;
@end

static id step(id self, SEL selector, ...) {
    (void)selector;
    return self;
}

static Class make_class(void) {
    Class made = objc_allocateClassPair([NSObject class], "Made", 0);
    class_addMethod(made, @selector(step), step, "@16@0:8");
    objc_registerClassPair(made);
    return made;
}

int main(int count, char **arguments) {
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    id first, second, made;
    if (!library)
        return 1;
    first = [NSClassFromString(@"Blur") new];
    second = [NSClassFromString(@"Blur") new];
    [(id<Later>)first setUp];
    if ([(id<Later>)second apply:2] != 2)
        return 1;
    made = [make_class() new];
    [(id<Later>)made step];
    [first release];
    [second release];
    [made release];
    [pool release];
    return 0;
}
