/* A child keeps its parent; ivar and property have names of their own. */
#import "known.h"

@interface Folder : Counted
@property (nonatomic, strong) NSArray *folders;
@property (nonatomic, strong) Folder *enclosing;
@end
@implementation Folder
@synthesize folders = contained;
@synthesize enclosing = _parentFolder;
@end

void known_mistake(void) {
    Folder *outer = [[Folder alloc] init], *inner = [[Folder alloc] init];
    outer.folders = @[ inner ];
    inner.enclosing = outer;
    assert([inner.enclosing.folders count] == 1);
}
