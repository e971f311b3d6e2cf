/*
 * A Foundation program that stops in code which libraries of GNUstep call: a comparison, -dealloc, a
 * notification, an invocation, a catch, a timer of the run loop, a thread. Each place is a call of
 * loupe_fixture_ready().
 */
#import <Foundation/Foundation.h>

void loupe_fixture_ready(void);

__attribute__((noinline)) void loupe_fixture_ready(void) {
    __asm__ volatile("" ::: "memory");
}

@interface Photo : NSObject {
    int _year;
    BOOL _isFired;
}
- (BOOL)isFired;
- (id)initWithYear:(int)year;
- (NSComparisonResult)compareYear:(Photo *)other;
- (void)notice:(NSNotification *)notification;
- (void)invoked:(id)argument;
- (void)fire:(NSTimer *)timer;
- (void)runInThread:(id)argument;
@end

@implementation Photo

- (id)initWithYear:(int)year {
    if ((self = [super init]))
        _year = year;
    return self;
}

- (NSComparisonResult)compareYear:(Photo *)other {
    loupe_fixture_ready();
    return _year < other->_year ? NSOrderedAscending : NSOrderedDescending;
}

- (void)notice:(NSNotification *)notification {
    loupe_fixture_ready();
    [notification name];
}

- (void)invoked:(id)argument {
    loupe_fixture_ready();
    [argument description];
}

- (BOOL)isFired {
    return _isFired;
}

- (void)fire:(NSTimer *)timer {
    _isFired = YES;
    loupe_fixture_ready();
    [timer invalidate];
}

- (void)runInThread:(id)argument {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    loupe_fixture_ready();
    [argument description];
    [pool release];
}

- (void)dealloc {
    loupe_fixture_ready();
    [super dealloc];
}

@end

static void notify(Photo *photo) {
    NSNotificationCenter *center = [NSNotificationCenter defaultCenter];
    [center addObserver:photo selector:@selector(notice:) name:@"Opened" object:nil];
    [center postNotificationName:@"Opened" object:nil];
    [center removeObserver:photo];
}

static void invoke(Photo *photo) {
    NSInvocation *invocation = [NSInvocation
        invocationWithMethodSignature:[photo methodSignatureForSelector:@selector(invoked:)]];
    [invocation setSelector:@selector(invoked:)];
    [invocation setArgument:&photo atIndex:2];
    [invocation invokeWithTarget:photo];
}

static void catch_one(void) {
    @try {
        [NSException raise:@"Damaged" format:@"no photo"];
    } @catch (NSException *exception) {
        loupe_fixture_ready();
        [exception name];
    }
}

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Photo *first = [[Photo alloc] initWithYear:2];
    NSMutableArray *album = [[NSMutableArray alloc] init];
    [album addObject:first];
    [album addObject:[[[Photo alloc] initWithYear:1] autorelease]];
    [album sortUsingSelector:@selector(compareYear:)];
    notify(first);
    invoke(first);
    catch_one();
    [NSTimer scheduledTimerWithTimeInterval:0.01
                                     target:first
                                   selector:@selector(fire:)
                                   userInfo:nil
                                    repeats:NO];
    while (![first isFired])
        [[NSRunLoop currentRunLoop] runUntilDate:[NSDate dateWithTimeIntervalSinceNow:0.05]];
    /* Never released: the end of its thread lets go of both after main() has stopped waiting, and
     * would run a -dealloc beside what ends the program. */
    Photo *last = [[Photo alloc] initWithYear:3];
    NSThread *thread = [[NSThread alloc] initWithTarget:last
                                               selector:@selector(runInThread:)
                                                 object:@"an argument"];
    [thread start];
    while (![thread isFinished])
        [NSThread sleepForTimeInterval:0.01];
    [thread release];
    [first release];
    [album release];
    [pool release];
    return 0;
}
