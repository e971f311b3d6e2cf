/*
 * What -dealloc tells of ivars in code that retains by hand. Each pair below is a child with one
 * ivar that leads back to who owns it, so that each would be a ring if it were owned.
 *
 *                    _child
 *    Holder of seed ========> Child of one class each - - > the holder
 *
 * No ring    PlainChild._delegate     -dealloc only calls super
 *            LeaverChild._owner       -dealloc tells a center to forget it, and touches another ivar
 *            HelperChild._parent      -dealloc calls a method of its own that touches another ivar
 * Near miss  ClearingChild._delegate  -dealloc sets it to nil: touched, which says little
 *            SetterChild._delegate    -dealloc calls its setter
 *            ReleaserChild._owner     -dealloc calls a method of its own that releases it
 *            FunctionChild._owner     -dealloc calls a function that does
 *            KeyedChild._owner        -dealloc sets it by its key
 *            LeakyChild._other        never touched, but it is not called like what is not retained
 */
#import "watched.h"

@class Holder;

@interface Child : Watched {
@public
    id _name;
}
@end
@implementation Child
- (void)dealloc {
    [_name release];
    [super dealloc];
}
@end

#define CHILD(name, ivar)                                                                          \
    @interface name : Child {                                                                      \
      @public                                                                                      \
        id _first;                                                                                 \
        id ivar;                                                                                   \
    }                                                                                              \
    @end

CHILD(PlainChild, _delegate)
@implementation PlainChild
- (void)dealloc {
    [super dealloc];
}
@end

CHILD(LeaverChild, _owner)
@implementation LeaverChild
- (void)dealloc {
    [[NSNotificationCenter defaultCenter] removeObserver:self];
    [_first release];
    [super dealloc];
}
@end

CHILD(HelperChild, _parent)
@implementation HelperChild
- (void)forget {
    [_first release];
    _first = nil;
}
- (void)dealloc {
    [self forget];
    [super dealloc];
}
@end

CHILD(ClearingChild, _delegate)
@implementation ClearingChild
- (void)dealloc {
    _delegate = nil;
    [super dealloc];
}
@end

CHILD(SetterChild, _delegate)
@implementation SetterChild
- (void)setDelegate:(id)delegate {
    _delegate = delegate;
}
- (void)dealloc {
    [self setDelegate:nil];
    [super dealloc];
}
@end

CHILD(ReleaserChild, _owner)
@implementation ReleaserChild
- (void)forget {
    [_owner release];
}
- (void)dealloc {
    [self forget];
    [super dealloc];
}
@end

CHILD(FunctionChild, _owner)
__attribute__((noinline)) static void forget(FunctionChild *child) {
    [child->_owner release];
}
@implementation FunctionChild
- (void)dealloc {
    forget(self);
    [super dealloc];
}
@end

CHILD(KeyedChild, _owner)
@implementation KeyedChild
- (void)dealloc {
    [self setValue:nil forKey:@"first"];
    [super dealloc];
}
@end

CHILD(LeakyChild, _other)
@implementation LeakyChild
- (void)dealloc {
    [super dealloc];
}
@end

@interface Holder : Watched {
@public
    Child *_plain, *_leaver, *_helper;
    Child *_clearing, *_setter, *_releaser, *_function, *_keyed, *_leaky;
}
@end
@implementation Holder
- (void)dealloc {
    Child *children[] = {_plain,  _leaver, _helper, _clearing, _setter,
                         _releaser, _function, _keyed, _leaky};
    for (unsigned i = 0; i < sizeof(children) / sizeof(children[0]); i++)
        [children[i] release];
    [super dealloc];
}
@end

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Holder *seed = [[Holder alloc] init];
    PlainChild *plain = [[PlainChild alloc] init];
    LeaverChild *leaver = [[LeaverChild alloc] init];
    HelperChild *helper = [[HelperChild alloc] init];
    ClearingChild *clearing = [[ClearingChild alloc] init];
    SetterChild *setter = [[SetterChild alloc] init];
    ReleaserChild *releaser = [[ReleaserChild alloc] init];
    FunctionChild *function = [[FunctionChild alloc] init];
    KeyedChild *keyed = [[KeyedChild alloc] init];
    LeakyChild *leaky = [[LeakyChild alloc] init];
    seed->_plain = plain;
    seed->_leaver = leaver;
    seed->_helper = helper;
    seed->_clearing = clearing;
    seed->_setter = setter;
    seed->_releaser = releaser;
    seed->_function = function;
    seed->_keyed = keyed;
    seed->_leaky = leaky;
    plain->_delegate = leaver->_owner = helper->_parent = seed;
    clearing->_delegate = setter->_delegate = keyed->_owner = leaky->_other = seed;
    releaser->_owner = [seed retain];
    function->_owner = [seed retain];
    FIXTURE_KEEP(seed);
    loupe_fixture_ready();
    [releaser->_owner release];
    [function->_owner release];
    releaser->_owner = function->_owner = nil;
    keyed->_owner = nil;
    [seed release];
    [pool drain];
    return watched_verdict(0);
}
