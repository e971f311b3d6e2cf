/* things.h - what programs that know their heaps make. Without ARC. */
#import <Foundation/Foundation.h>

#include <stdlib.h>

@interface Thing : NSObject {
  @public
    Thing *first;
    id held;
    void *bytes;
}
@end
@implementation Thing
- (void)dealloc {
    [first release];
    [held release];
    free(bytes);
    [super dealloc];
}
@end

@interface LargeThing : Thing {
  @public
    Thing *many[20];
}
@end
@implementation LargeThing
- (void)dealloc {
    int i;
    for (i = 0; i < 20; i++)
        [many[i] release];
    [super dealloc];
}
@end

static unsigned long state;

static unsigned pick(unsigned bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 11) % bound);
}
