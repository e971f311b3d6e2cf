/* Two operations depend on each other. */
#import "doubles.h"
#import "known.h"

@interface LoadOperation : NSOperation
@property (nonatomic, strong) Counted *data;
@end
@implementation LoadOperation
@end

void known_mistake(void) {
    LoadOperation *load = [[LoadOperation alloc] init];
    LoadOperation *parse = [[LoadOperation alloc] init];
    load.data = [[Counted alloc] init];
    [load addDependency:parse];
    [parse addDependency:load];
    assert(load.data && !parse.data);
}
