/*
 * A program for a Mach-O core file: compiled and linked on any system, never run. The test writes its
 * heap by hand (scene.py), in Apple's layouts, with the classes and blocks that the compiler made:
 *
 *      screen ── _handler ──────> block ── self ───> screen
 *        │                          ├──── found ──> byref ──> model (a __block variable)
 *        │                          └──── weakModel ··> model (weak)
 *        ├────── _list[1] ──────> __NSArrayM ── [0] ──> screen
 *        ├────── _pair.object ──> leaf
 *        ├┈┈┈┈┈┈ _delegate ┈┈┈┈┈> model (weak)
 *        └── association ───────> model ── _owner ──> screen
 */
typedef signed char BOOL;

__attribute__((objc_root_class)) @interface NSObject {
    Class isa;
}
@end
@implementation NSObject
@end

@interface NSBlock : NSObject
@end
@implementation NSBlock
@end
@interface __NSMallocBlock__ : NSBlock
@end
@implementation __NSMallocBlock__
@end

/* Mutable arrays manage their elements by hand: no ivars that a layout could describe. */
@interface __NSArrayM : NSObject
@end
@implementation __NSArrayM
@end

@interface Leaf : NSObject
@end
@implementation Leaf
@end

@interface Model : NSObject {
    id _owner;
}
@end
@implementation Model
@end

@interface Screen : NSObject {
    void (^_handler)(void);
    __weak id _delegate;
    struct {
        char tag;
        id object;
    } _pair;
    id _list[2];
}
- (void)start:(Model *)model;
@end

@implementation Screen
- (void)start:(Model *)model {
    __block Model *found = model;
    __weak Model *weakModel = model;
    _handler = ^{
      if (weakModel)
          found = (Model *)self->_pair.object;
    };
}
@end

/* Its address is the key of the association. */
char kModelKey;

int main(void) {
    return kModelKey;
}
