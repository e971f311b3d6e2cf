/*
 * test_messages.m - which method a message reaches, and that its arguments and result arrive.
 */
#import "raw.h"

@protocol Speaking <NSObject>
- (const char *)speak;
@optional
- (const char *)whisper;
@end

@protocol Loud <Speaking>
@end

static int loads, initializes;
static char order[128];

static void note(const char *what) {
    strncat(order, what, sizeof order - strlen(order) - 1);
}

@interface Animal : NSObject <Speaking> {
  @public
    int legs;
}
+ (const char *)kind;
@end

@implementation Animal
+ (void)load {
    loads++;
    note("load-Animal ");
}
+ (void)initialize {
    initializes++;
    note(self == [Animal class] ? "init-Animal " : "init-sub ");
}
+ (const char *)kind {
    return "animal";
}
- (const char *)speak {
    return "...";
}
- (instancetype)init {
    self = [super init];
    if (self)
        legs = 4;
    return self;
}
@end

@interface Dog : Animal <Loud>
@end

@implementation Dog
+ (void)load {
    loads++;
    note("load-Dog ");
}
- (const char *)speak {
    return strcmp([super speak], "...") == 0 ? "woof" : "?";
}
+ (const char *)kind {
    return strcmp([super kind], "animal") == 0 ? "dog" : "?";
}
@end

@interface Animal (Tricks)
- (const char *)trick;
+ (const char *)school;
@end

@implementation Animal (Tricks)
+ (void)load {
    loads++;
    note("load-Tricks ");
}
- (const char *)trick {
    return "roll over";
}
+ (const char *)school {
    return "circus";
}
@end

struct small {
    int a, b;
};
struct floats {
    double x, y;
};
struct large {
    long words[8];
};

@interface Calls : NSObject
@end

@implementation Calls
- (long)add:(long)a b:(long)b c:(long)c d:(long)d e:(long)e f:(long)f g:(long)g h:(long)h {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}
- (double)sum:(double)a b:(float)b c:(double)c i:(int)i d:(double)d e:(double)e {
    return a + 2 * (double)b + 3 * c + 4 * i + 5 * d + 6 * e;
}
- (long double)longDouble:(long double)value {
    return value + 1;
}
- (struct small)small:(int)a {
    return (struct small){a, a + 1};
}
- (struct floats)floats:(double)x {
    return (struct floats){x, x * 2};
}
- (struct large)large:(long)first {
    struct large large = {{first, 1, 2, 3, 4, 5, 6, first + 7}};
    return large;
}
- (long)variadic:(int)count, ... {
    va_list arguments;
    va_start(arguments, count);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += va_arg(arguments, double);
    va_end(arguments);
    return (long)sum;
}
- (BOOL)yes {
    return YES;
}
- (int)number {
    return 1;
}
@end

@interface CallsBelow : Calls
@end
@implementation CallsBelow
- (struct large)large:(long)first {
    struct large large = [super large:first];
    large.words[3] = 33;
    return large;
}
@end

@interface Forwarder : NSProxy {
  @public
    id _target;
}
@end
@implementation Forwarder
- (id)forwardingTargetForSelector:(SEL)sel {
    (void)sel;
    return _target;
}
@end

static int answer(id self, SEL sel) {
    (void)self;
    (void)sel;
    return 42;
}

@interface Resolver : NSObject
@end
@interface Resolver (Declared)
- (int)answer;
+ (int)classAnswer;
@end
@implementation Resolver
+ (BOOL)resolveInstanceMethod:(SEL)sel {
    return sel == @selector(answer) && class_addMethod(self, sel, (IMP)answer, "i@:");
}
+ (BOOL)resolveClassMethod:(SEL)sel {
    return sel == @selector(classAnswer) &&
           class_addMethod(object_getClass((id)self), sel, (IMP)answer, "i@:");
}
@end

/* Runs first: nothing here has been sent a message. */
static void test_load_comes_before_main_and_initialize_before_the_first_message(void) {
    CHECK_EQ(loads, 3);
    CHECK_STR(order, "load-Animal load-Dog load-Tricks ");
    order[0] = 0;
    CHECK_EQ(initializes, 0);
    CHECK_STR([Dog kind], "dog");
    CHECK_STR(order, "init-Animal init-sub ");
    CHECK_STR([Animal kind], "animal");
    CHECK_EQ(initializes, 2);
}

static void test_super_reaches_the_superclass(void) {
    Dog *dog = [[Dog alloc] init];
    CHECK_STR([dog speak], "woof");
    CHECK_STR([[[Animal alloc] init] speak], "...");
    CHECK_EQ(dog->legs, 4);
}

static void test_category_methods_are_inherited(void) {
    CHECK_STR([[[Dog alloc] init] trick], "roll over");
    CHECK_STR([Dog school], "circus");
}

static void test_protocols(void) {
    CHECK([Dog conformsToProtocol:@protocol(Loud)]);
    CHECK([Dog conformsToProtocol:@protocol(Speaking)]);
    CHECK(![Animal conformsToProtocol:@protocol(Loud)]);
    CHECK([[Dog new] conformsToProtocol:@protocol(NSObject)]);
    CHECK(protocol_conformsToProtocol(@protocol(Loud), @protocol(Speaking)));
    CHECK(objc_getProtocol("Loud") == @protocol(Loud));
    CHECK_STR(protocol_getName(@protocol(Loud)), "Loud");
    CHECK(![[Dog new] respondsToSelector:@selector(whisper)]);
    CHECK([[Dog new] respondsToSelector:@selector(speak)]);
}

static void test_kinds(void) {
    Dog *dog = [Dog new];
    CHECK([dog isKindOfClass:[Animal class]] && ![dog isMemberOfClass:[Animal class]]);
    CHECK([Dog isSubclassOfClass:[Animal class]] && ![Animal isSubclassOfClass:[Dog class]]);
    CHECK([dog class] == [Dog class] && [dog superclass] == [Animal class]);
    CHECK(NSClassFromString(@"Dog") == [Dog class] && NSClassFromString(@"Cat") == Nil);
    CHECK_STR(NSStringFromClass([Dog class]).UTF8String, "Dog");
    CHECK_STR(NSStringFromSelector(@selector(add:b:)).UTF8String, "add:b:");
    CHECK(NSSelectorFromString(@"speak") == @selector(speak));
    CHECK(object_isClass((id)[Dog class]) && !object_isClass(dog));
}

static void test_arguments_in_registers_and_on_the_stack(void) {
    Calls *calls = [Calls new];
    CHECK_EQ([calls add:1 b:2 c:3 d:4 e:5 f:6 g:7 h:8], 204);
    CHECK([calls sum:1 b:2 c:3 i:4 d:5 e:6] == 91);
    CHECK_EQ(([calls variadic:4, 1.0, 2.0, 3.0, 4.0]), 10);
}

static void test_results_of_all_kinds(void) {
    Calls *calls = [Calls new];
    CHECK([calls longDouble:1.5L] == 2.5L);
    CHECK_EQ([calls small:3].b, 4);
    CHECK([calls floats:1.5].y == 3);
    CHECK_EQ([calls large:9].words[7], 16);
    CHECK_EQ([[CallsBelow new] large:9].words[3], 33);
    CHECK_EQ([[CallsBelow new] large:9].words[7], 16);
}

static void test_nil_answers_zero(void) {
    Calls *nobody = nil;
    CHECK_EQ([nobody add:1 b:2 c:3 d:4 e:5 f:6 g:7 h:8], 0);
    CHECK([nobody sum:1 b:2 c:3 i:4 d:5 e:6] == 0);
    CHECK([nobody longDouble:1] == 0);
    CHECK_EQ([nobody small:3].b, 0);
    CHECK([nobody floats:1].y == 0);
    CHECK_EQ([nobody large:9].words[7], 0);
    CHECK(![nobody yes]);
}

static void test_proxy_forwards_everything_it_does_not_have(void) {
    Forwarder *proxy = [Forwarder alloc];
    proxy->_target = [Calls new];
    CHECK_EQ([(Calls *)proxy add:1 b:2 c:3 d:4 e:5 f:6 g:7 h:8], 204);
    CHECK_EQ([(Calls *)proxy large:9].words[7], 16);
    CHECK([(Calls *)proxy sum:1 b:2 c:3 i:4 d:5 e:6] == 91);
    CHECK([proxy isProxy] && ![proxy->_target isProxy]);
    CHECK([proxy isKindOfClass:[Calls class]]);
    CHECK([proxy respondsToSelector:@selector(yes)]);
    __weak Forwarder *weak = proxy;
    CHECK(weak == proxy);
    loupe_test_watch(proxy, "proxy");
    proxy = nil;
    CHECK(weak == nil && loupe_test_deallocated("proxy"));
}

static void test_methods_resolved_on_demand(void) {
    CHECK_EQ([[Resolver new] answer], 42);
    CHECK_EQ([Resolver classAnswer], 42);
}

static void test_methods_replaced(void) {
    Method number = class_getInstanceMethod([Calls class], @selector(number));
    Calls *calls = [Calls new];
    CHECK_EQ([calls number], 1);
    IMP before = class_replaceMethod([Calls class], @selector(number), (IMP)answer,
                                     method_getTypeEncoding(number));
    CHECK_EQ([calls number], 42);
    CHECK(method_setImplementation(number, before) == (IMP)answer);
    CHECK_EQ([calls number], 1);
}

static void test_methods_added_to_a_class_made_at_run_time(void) {
    Class made = objc_allocateClassPair([Dog class], "Robot", 0);
    CHECK(class_addMethod(made, @selector(answer), (IMP)answer, "i@:"));
    CHECK(!class_addMethod(made, @selector(answer), (IMP)answer, "i@:"));
    objc_registerClassPair(made);
    id robot = [[made alloc] init];
    CHECK_EQ([robot answer], 42);
    CHECK_STR([robot speak], "woof");
    CHECK_STR([made kind], "dog");
    CHECK(class_getInstanceMethod([Dog class], @selector(answer)) == NULL);
}

static void test_perform_selector(void) {
    NSString *string = @"a";
#pragma clang diagnostic ignored "-Warc-performSelector-leaks"
    CHECK_STR([[string performSelector:@selector(stringByAppendingString:)
                            withObject:@"b"] UTF8String], "ab");
}

int main(void) {
    @autoreleasepool {
        RUN(test_load_comes_before_main_and_initialize_before_the_first_message);
        RUN(test_super_reaches_the_superclass);
        RUN(test_category_methods_are_inherited);
        RUN(test_protocols);
        RUN(test_kinds);
        RUN(test_arguments_in_registers_and_on_the_stack);
        RUN(test_results_of_all_kinds);
        RUN(test_nil_answers_zero);
        RUN(test_proxy_forwards_everything_it_does_not_have);
        RUN(test_methods_resolved_on_demand);
        RUN(test_methods_replaced);
        RUN(test_methods_added_to_a_class_made_at_run_time);
        RUN(test_perform_selector);
    }
    return check_report();
}
