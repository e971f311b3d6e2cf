/*
 * A news reader without a window, with manual retain/release as on GNUstep. It opens two feeds and
 * closes them, and neither goes away. ./run demo --gnustep looks for the reasons.
 */
#import <Foundation/Foundation.h>

@class Feed;

@interface Article : NSObject {
    Feed *_feed;
    NSString *_title;
}
- (id)initWithTitle:(NSString *)title feed:(Feed *)feed;
@end

@interface Feed : NSObject {
    NSString *_name;
    NSMutableDictionary *_articles;
    NSTimer *_timer;
}
- (id)initWithName:(NSString *)name;
- (void)addArticle:(NSString *)title;
- (void)startPolling;
- (void)poll:(NSTimer *)timer;
@end

@implementation Article

- (id)initWithTitle:(NSString *)title feed:(Feed *)feed {
    if ((self = [super init])) {
        _title = [title copy];
        _feed = [feed retain]; /* an article should not keep the feed it came from */
    }
    return self;
}

- (void)dealloc {
    [_feed release];
    [_title release];
    [super dealloc];
}

@end

@implementation Feed

- (id)initWithName:(NSString *)name {
    if ((self = [super init])) {
        _name = [name copy];
        _articles = [[NSMutableDictionary alloc] init];
    }
    return self;
}

- (void)addArticle:(NSString *)title {
    Article *article = [[Article alloc] initWithTitle:title feed:self];
    [_articles setObject:article forKey:title];
    [article release];
}

- (void)startPolling {
    _timer = [[NSTimer scheduledTimerWithTimeInterval:600
                                               target:self
                                             selector:@selector(poll:)
                                             userInfo:nil
                                              repeats:YES] retain];
}

- (void)poll:(NSTimer *)timer {
    NSLog(@"%@ polls %@", timer, _name);
}

- (void)dealloc {
    [_timer invalidate]; /* the timer retains the feed, so this is never reached */
    [_timer release];
    [_articles release];
    [_name release];
    [super dealloc];
}

@end

/* Where the demo stops: everyone has let go of the feed. */
void feedShouldBeGone(Feed *feed) __attribute__((noinline));
void feedShouldBeGone(Feed *feed) {
    __asm__ volatile("" : : "r"(feed) : "memory");
}

static void readArticles(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Feed *feed = [[Feed alloc] initWithName:@"Local news"];
    [feed addArticle:@"Bridge reopened"];
    [pool drain];
    [feed release];
    feedShouldBeGone(feed);
}

static void watchHeadlines(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Feed *feed = [[Feed alloc] initWithName:@"Headlines"];
    [feed startPolling];
    [pool drain];
    [feed release];
    feedShouldBeGone(feed);
}

int main(void) {
    readArticles();
    watchHeadlines();
    return 0;
}
