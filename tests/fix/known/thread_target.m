/* A thread that is not started keeps its target, which owns it. */
#import "known.h"

@interface Indexer : Counted {
    NSThread *thread;
    BOOL isDone;
}
- (void)work;
- (BOOL)isDone;
- (void)stop;
@end
@implementation Indexer
- (id)init {
    if ((self = [super init]))
        thread = [[NSThread alloc] initWithTarget:self selector:@selector(work) object:nil];
    return self;
}
- (void)work {
    isDone = YES;
}
- (BOOL)isDone {
    return isDone;
}
- (void)stop {
    isDone = NO;
}
- (void)dealloc {
    [thread release];
    [super dealloc];
}
@end

void known_mistake(void) {
    Indexer *indexer = [[Indexer alloc] init];
    [indexer work];
    assert([indexer isDone]);
    [indexer stop];
    [indexer release];
}
