/* A block operation's block asks whether the operation was cancelled. */
#import "doubles.h"
#import "known.h"

@interface Importer : Counted
@property (nonatomic) int steps;
@end
@implementation Importer
@end

void known_mistake(void) {
    Importer *importer = [[Importer alloc] init];
    NSBlockOperation *work = [[NSBlockOperation alloc] init];
    [work addExecutionBlock:^{
        if (!work.isCancelled)
            importer.steps++;
    }];
    [work start];
    assert(importer.steps == 1);
}
