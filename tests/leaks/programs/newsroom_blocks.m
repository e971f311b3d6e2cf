/*
 * Blocks of the newsroom. Those of libBlocksRuntime do not retain what they capture, so that who
 * captures itself retains itself by hand.
 *
 * Where there are blocks gnustep-base's headers want one of libobjc2's, which CMakeLists.txt makes.
 */
#import "newsroom.h"

#include <Block.h>
#include <stdio.h>

typedef void (^Handler)(void);

@interface Tapped : Counted {
    Handler onTap;
}
@end
@implementation Tapped
- (id)init {
    self = [super init];
    Tapped *me = is_changed("release Tapped") ? self : [self retain];
    onTap = Block_copy(^{
        [me hash];
    });
    return self;
}
- (void)step {
    onTap();
}
- (void)dealloc {
    Block_release(onTap);
    [super dealloc];
}
@end

/* Two blocks written in two places, which nobody releases. */
@interface Printer : Counted
@end
@implementation Printer
- (void)finish:(Handler)handler {
    count_one(1);
    if (!is_changed("release blocks"))
        return;
    Block_release(handler);
    count_one(-1);
}
- (void)print {
    int copies = (int)[self retainCount];
    Handler handler = Block_copy(^{
        printf("%d copies\n", copies);
    });
    if (copies > 100)
        handler();
    [self finish:handler];
}
- (void)preview {
    int pages = (int)[self retainCount];
    Handler handler = Block_copy(^{
        printf("%d pages\n", pages);
    });
    if (pages > 100)
        handler();
    [self finish:handler];
}
- (id)init {
    self = [super init];
    [self print];
    [self preview];
    return self;
}
@end

id make_tapped(void) {
    return [[Tapped alloc] init];
}

id make_printer(void) {
    return [[Printer alloc] init];
}
