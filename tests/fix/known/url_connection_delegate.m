/* A connection keeps its delegate until it has finished. */
#import "doubles.h"
#import "known.h"

@interface Loader : Counted
@property (nonatomic, strong) NSURLConnection *connection;
- (void)load;
- (void)cancel;
@end

@implementation Loader
- (void)load {
    self.connection = [[NSURLConnection alloc] initWithRequest:nil delegate:self];
}
- (void)cancel {
    assert(self);
}
@end

void known_mistake(void) {
    Loader *loader = [[Loader alloc] init];
    [loader load];
    assert(loader.connection.delegate == loader);
    [loader cancel];
}
