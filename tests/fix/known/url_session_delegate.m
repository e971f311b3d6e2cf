/* A URL session keeps its delegate until it is invalidated. */
#import "doubles.h"
#import "known.h"

@interface Fetcher : Counted
@property (nonatomic, strong) NSURLSession *session;
@property (nonatomic) BOOL isOpen;
- (void)open;
- (void)close;
@end

@implementation Fetcher
- (void)open {
    self.session = [NSURLSession sessionWithConfiguration:nil delegate:self delegateQueue:nil];
    self.isOpen = YES;
}
- (void)close {
    self.isOpen = NO;
}
@end

void known_mistake(void) {
    Fetcher *fetcher = [[Fetcher alloc] init];
    [fetcher open];
    assert(fetcher.session.delegate == fetcher);
    [fetcher close];
    assert(!fetcher.isOpen);
}
