/* A child retains its parent, by GNUstep's macros; the getter is called as the ivar. */
#import "known.h"

@interface Branch : Counted {
    NSMutableArray *branches;
    Branch *parent;
}
- (void)grow;
- (void)setParent:(Branch *)aParent;
- (Branch *)parent;
- (Branch *)firstBranch;
@end
@implementation Branch
- (id)init {
    if ((self = [super init]))
        branches = [[NSMutableArray alloc] init];
    return self;
}
- (void)grow {
    Branch *branch = [[Branch alloc] init];
    [branch setParent:self];
    [branches addObject:branch];
    [branch release];
}
- (void)setParent:(Branch *)aParent {
    ASSIGN(parent, aParent);
}
- (Branch *)parent {
    return parent;
}
- (Branch *)firstBranch {
    return [branches objectAtIndex:0];
}
- (void)dealloc {
    DESTROY(parent);
    [branches release];
    [super dealloc];
}
@end

void known_mistake(void) {
    Branch *tree = [[Branch alloc] init];
    [tree grow];
    [tree grow];
    assert([[tree firstBranch] parent] == tree);
    [tree release];
}
