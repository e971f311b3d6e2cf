/* What is put into a collection is not released by who made it. */
#import "known.h"

@interface Photo : Counted
@end
@implementation Photo
@end

@interface Roll : Counted {
    NSMutableArray *photos;
}
- (void)add;
- (NSUInteger)count;
@end
@implementation Roll
- (id)init {
    if ((self = [super init]))
        photos = [[NSMutableArray alloc] init];
    return self;
}
- (void)add {
    Photo *photo = [[Photo alloc] init];
    [photos addObject:photo];
}
- (NSUInteger)count {
    return [photos count];
}
- (void)dealloc {
    [photos release];
    [super dealloc];
}
@end

void known_mistake(void) {
    Roll *roll = [[Roll alloc] init];
    [roll add];
    [roll add];
    assert([roll count] == 2);
    [roll release];
}
