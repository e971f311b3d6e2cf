/* The completion block of an operation uses the operation. */
#import "doubles.h"
#import "known.h"

@interface ParseOperation : NSOperation
@property (nonatomic, strong) Counted *result;
@end
@implementation ParseOperation
@end

@interface Parser : Counted
@property (nonatomic, strong) Counted *result;
@end
@implementation Parser
@end

void known_mistake(void) {
    Parser *parser = [[Parser alloc] init];
    ParseOperation *operation = [[ParseOperation alloc] init];
    operation.result = [[Counted alloc] init];
    operation.completionBlock = ^{
        parser.result = operation.result;
    };
    [operation start];
    assert(parser.result == operation.result);
}
